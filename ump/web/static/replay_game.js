// A recorded game as the server writes it for replays: its positions, and the notes about each of them.
// Nothing here knows a rule: the notes come from the server.

import { after, start } from "./position.js";
import { Review } from "./replay_review.js";

const VERSION = 1;
const SHORT = { T: "tsumo", D: "dahai", G: "dahai" };
const CALLS = new Set(["chi", "pon", "daiminkan", "ankan", "kakan", "kita", "reach"]);

/** Returns an event in full: "T05m" is a draw of seat 0, "D05m" a discard, "G05m" that of the tile just drawn. */
export function expanded(event) {
  if (typeof event !== "string") return event;
  const [kind, seat, tile] = [event[0], Number(event[1]), event.slice(2)];
  const whole = { type: SHORT[kind], actor: seat, pai: tile };
  return kind === "T" ? whole : { ...whole, tsumogiri: kind === "G" };
}

/**
 * Returns the games in the content of a file or an answer of the server, none if it was left before its first kyoku;
 * throws an Error for anything else. ``called(name)`` is what the page calls a player.
 */
export function gamesIn(text, called = (name) => name) {
  const marker = '<' + 'script type="application/json" id="record">';
  const from = text.indexOf(marker);
  const json = from < 0 ? text : text.slice(from + marker.length, text.indexOf("<\/script>", from));
  const { games } = JSON.parse(json);
  if (!Array.isArray(games) || games.some((game) => game.version !== VERSION)) throw new Error("version");
  return games.map((game) => new RecordedGame({ ...game, names: game.names.map(called) }));
}

/** Groups notes by the event that they follow. */
function byEvent(notes) {
  const groups = new Map();
  for (const [at, ...note] of notes ?? []) groups.set(at, [...(groups.get(at) ?? []), note]);
  return groups;
}

class Kyoku {
  #positions = [];

  constructor(data, before) {
    this.events = data.events.map(expanded);
    this.before = before;
    this.offers = byEvent(data.offers);
    this.dangers = byEvent(data.dangers);
    this.remarks = byEvent(data.remarks);
    this.hands = data.hands ?? [];
  }

  get last() {
    return this.events.length - 1;
  }

  /** Returns the position after the event with this number. */
  position(number) {
    for (let next = this.#positions.length; next <= number; next += 1) {
      this.#positions.push(after(next ? this.#positions[next - 1] : this.before, this.events[next]));
    }
    return this.#positions[number];
  }

  /** Returns for each seat its last note up to an event: shanten, waits, how many of each are left, and furiten. */
  handNotes(number, players) {
    const notes = Array.from({ length: players }, () => null);
    for (const [at, seat, shanten, waits, left, furiten] of this.hands) {
      if (at <= number) notes[seat] = { shanten, waits, left, furiten };
    }
    return notes;
  }

  /** Returns whether a seat decided something after an event: what to discard, or what to do with an offer. */
  decides(number, seat) {
    const { type, actor } = this.events[number];
    const isTurn = actor === seat && (type === "tsumo" || type === "chi" || type === "pon");
    return isTurn || (this.offers.get(number) ?? []).some(([asked]) => asked === seat);
  }

  /** Returns the events that end the kyoku: wins, or a draw. */
  get results() {
    return this.events.filter(({ type }) => type === "hora" || type === "ryukyoku");
  }
}

/** A game; a place in it is {k, n}: the number of a kyoku and that of its last event, both from 0. */
export class RecordedGame {
  constructor(data) {
    const begun = after(start(), { type: "start_game", names: data.names });
    this.names = data.names;
    this.rules = data.rules;
    this.isOpen = data.open;
    this.end = data.end;
    this.kyoku = data.kyoku.map((each) => new Kyoku(each, begun));
    this.review = data.review ? new Review(data.review) : null;
  }

  get players() {
    return this.names.length;
  }

  position({ k, n }) {
    return this.kyoku[k].position(n);
  }

  /** Returns the wind of a seat in a kyoku: "E" is the dealer. */
  windOf(k, seat) {
    return "ESWN"[(seat - this.kyoku[k].events[0].oya + this.players) % this.players];
  }

  event({ k, n }) {
    return this.kyoku[k].events[n];
  }

  /** Returns the nearest place that exists. */
  nearest({ k, n }) {
    const inside = (number, most) => Math.min(Math.max(Number.isInteger(number) ? number : 0, 0), most);
    const kyoku = inside(k, this.kyoku.length - 1);
    return { k: kyoku, n: inside(n, this.kyoku[kyoku].last) };
  }

  /** Returns the place one event further (1) or back (-1); the same one at the ends of the game. */
  step({ k, n }, direction) {
    if (n + direction >= 0 && n + direction <= this.kyoku[k].last) return { k, n: n + direction };
    const next = this.kyoku[k + direction];
    if (next === undefined) return { k, n };
    return { k: k + direction, n: direction > 0 ? 0 : next.last };
  }

  /** Like ``step``, but a draw and the discard after it are one step. */
  joinedStep(place, direction) {
    const next = this.step(place, direction);
    const isDraw = this.event(next).type === "tsumo";
    if (!isDraw) return next;
    const beyond = this.step(next, direction);
    return direction < 0 || this.event(beyond).type === "dahai" ? beyond : next;
  }

  /** Returns the next or previous place where a seat decides; the same one if there is none. */
  decision(place, direction, seat) {
    let [here, next] = [place, this.step(place, direction)];
    while (next.k !== here.k || next.n !== here.n) {
      if (this.kyoku[next.k].decides(next.n, seat)) return next;
      [here, next] = [next, this.step(next, direction)];
    }
    return place;
  }

  /** Returns whether autoplay takes longer after an event. */
  isCall(place) {
    return CALLS.has(this.event(place).type);
  }
}

/** Returns the place and the seat that a hash names: "#k=3&n=104&v=A". */
export function placeOf(hash) {
  const fields = new URLSearchParams(hash.replace(/^#/, ""));
  const number = (name) => (/^\d{1,6}$/.test(fields.get(name) ?? "") ? Number(fields.get(name)) : 0);
  const view = "ABCD".indexOf(fields.get("v") || "A");
  return { k: number("k"), n: number("n"), view: Math.max(view, 0) };
}

/** Returns the hash of a place, seen by a seat. */
export function hashOf({ k, n }, view) {
  return `#k=${k}&n=${n}&v=${"ABCD"[view]}`;
}
