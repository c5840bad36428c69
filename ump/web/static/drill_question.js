// The question of a drill: the hand or the table, and the answers that may be given. The server alone knows the key.

import { Board, meldElement } from "./board.js";
import { element, tileElement } from "./elements.js";
import { TypedTile, placeOf } from "./keyboard.js";
import { after, doraOf, plain, sorted, start } from "./position.js";
import { tilesOf } from "./tile_text.js";
import { toMjai, toUmp } from "./ump_sentences.js";

const SUITS = [..."mps"];
const WINDS = { East: "E", South: "S", West: "W", North: "N" };
const DISCARD = "sute";
const RIICHI = ["richi", "openrichi"];
const CALLED = { sute: null, richi: "riichi", openrichi: "openriichi", no: "pass", ankan: "kan", kakan: "kan" };
const KEYS = { r: ["ron"], t: ["tsumo"], l: RIICHI, c: ["chi"], p: ["pon"], k: ["kan", "ankan", "kakan", "daiminkan"], q: ["ryukyoku"], x: ["no", "pass"], Escape: ["no", "pass"] };

/** Returns an action as its verb and its tiles. */
export function readAction(text) {
  const [verb, ...rest] = text.split(" ");
  return { verb, tiles: rest.filter((word) => /^\d[a-z]$/i.test(word)).map(toMjai) };
}

/** Returns an action as a word and tiles; a discard is its tile alone. */
export function actionElements(text, words) {
  const { verb, tiles } = readAction(text);
  const said = verb in CALLED ? CALLED[verb] : verb;
  const shown = tiles.map((tile) => tileElement(tile, words));
  return said === null ? shown : [element("span", { class: "word" }, words.calls[said] ?? said), ...shown];
}

/** Returns what is shown beside a hand: tiles of an indicator, with a label. */
const labelled = (label, text, words) => (text ? [element("span", {}, label, " ", element("span", { class: "tiles" }, ...text.split(" ").flatMap(tilesOf).map((tile) => tileElement(tile, words))))] : []);

/** Returns the parts of a hand with melds, as in 123m<777z>: its concealed tiles, and an element for each meld. */
function partsOf(text, words) {
  const [concealed, ...melds] = text.split(/(?=[<(])/);
  const isMeld = /^[<(]/.test(concealed);
  const groups = isMeld ? [concealed, ...melds] : melds;
  return {
    tiles: isMeld ? [] : tilesOf(concealed),
    melds: groups.map((group) => element("span", { class: "meld" }, ...(group.startsWith("(") ? ankan(tilesOf(group)) : tilesOf(group)).map((tile) => tileElement(tile, words)))),
  };
}

const ankan = ([, second, third]) => ["?", second, third, "?"];

/** Returns all kinds of the suits of a hand, and its honours: among them are its waits. */
function kindsAround(tiles) {
  const suits = new Set(tiles.map((tile) => (tile.length > 1 ? tile[1] : "z")));
  const kinds = SUITS.filter((suit) => suits.has(suit)).flatMap((suit) => tilesOf(`123456789${suit}`));
  return [...kinds, ...new Set(sorted(tiles).filter((tile) => tile.length === 1))];
}

export class Question {
  #typed = new TypedTile();
  #pending = null; // a riichi that waits for its tile

  /** ``answer(list)`` is called with an answer; ``own`` are the words of drills. */
  constructor(drill, words, own, answer) {
    Object.assign(this, { drill, words, own });
    this.tell = answer;
    this.chosen = new Set(); // tiles of an answer with several
    this.tiles = []; // buttons that are tiles, from left to right
    this.options = []; // buttons with words
    this.actions = drill.kind === "mistake" ? drill.choices.map((text) => ({ text, ...readAction(text) })) : [];
    const { events } = drill.shown;
    this.position = events === undefined ? null : events.reduce(after, start());
    this.root = element("div", { class: `question ${drill.kind}` });
    this.root.append(...(this.position === null ? this.#handElements() : this.#tableElements()));
    this.root.addEventListener("keydown", (event) => this.#step(event));
  }

  get isTable() {
    return this.position !== null;
  }

  focus() {
    (this.tiles.at(-1) ?? this.options[0])?.focus({ preventScroll: true });
  }

  #answer(list) {
    if (this.isOver) return;
    this.isOver = true;
    this.tell(list);
  }

  // A hand

  #handElements() {
    const { drill: { kind, shown }, own, words } = this;
    const { tiles, melds } = partsOf(`${shown.hand}${shown.melds ?? ""}`, words);
    const [how, last] = (shown.win ?? "").split(" ");
    const drawn = shown.drawn ? tilesOf(shown.drawn) : [];
    this.dora = new Set((shown.dora ?? "").split(" ").flatMap(tilesOf).map((each) => doraOf(each)));
    const isAsked = kind === "discard";
    const row = this.#row([...sorted(tiles), ...drawn], drawn.length, melds, isAsked);
    const won = shown.win ? [element("span", { class: "won" }, element("b", {}, own[how]), tileElement(tilesOf(last)[0], words, this.#states(tilesOf(last)[0])))] : [];
    return [
      this.#meta([
        ...(shown.wind ? [own.place(words.winds[WINDS[shown.bakaze]], words.winds[WINDS[shown.wind]])] : []), ...(shown.turn ? [own.turn(shown.turn)] : []),
        ...(shown.riichi ? [own.riichi] : []), ...(shown.extra ?? []), ...labelled(own.indicator, shown.dora, words), ...labelled(own.uraIndicator, shown.ura, words),
      ]),
      ...(shown.river ? [element("div", { class: "own-river" }, ...labelled(own.river, shown.river, words))] : []),
      element("div", { class: "line" }, row, ...won),
      ...(kind === "waits" ? [this.#palette(tiles)] : []),
      ...(kind === "waits" || isAsked ? [] : [this.#optionRow(this.drill.choices)]),
    ];
  }

  #meta(parts) {
    if (parts.length === 0) return "";
    return element("p", { class: "meta" }, ...parts.map((part) => (typeof part === "string" ? element("span", {}, part) : part)));
  }

  #states(tile) {
    return this.dora.has(plain(tile)) ? ["dora"] : [];
  }

  /** Returns a hand in a row; its tiles are buttons if one of them is asked for. */
  #row(tiles, drawn, melds, isAsked) {
    const shown = tiles.map((tile, place) => {
      const states = [...(place >= tiles.length - drawn ? ["drawn"] : []), ...this.#states(tile)];
      return isAsked ? this.#tileButton(tile, states, (button) => this.#choose(tile, button)) : tileElement(tile, this.words, states);
    });
    return element("div", { class: "held", role: "group", "aria-label": this.own.hand }, ...shown, ...melds);
  }

  #tileButton(tile, states, onclick) {
    const button = tileElement(tile, this.words, states, { name: "button", type: "button", onclick: () => onclick(button) });
    this.tiles.push(Object.assign(button, { tile }));
    return button;
  }

  /** Answers with a tile, or with the action that it stands for. */
  #choose(tile, button) {
    if (!this.isOver) this.pressed = button;
    if (this.drill.kind !== "mistake") return this.#answer([toUmp(plain(tile))]);
    const verbs = this.#pending ?? [DISCARD];
    const found = this.actions.filter(({ verb }) => verbs.includes(verb));
    const action = found.find(({ tiles }) => tiles[0] === tile) ?? found.find(({ tiles }) => plain(tiles[0] ?? "") === plain(tile));
    if (action !== undefined) this.#answer([action.text]);
    return undefined;
  }

  #palette(tiles) {
    const box = element("div", { class: "palette", role: "group", "aria-label": this.own.tiles }, ...kindsAround(tiles).map((tile) => {
      const button = this.#tileButton(tile, [], () => this.#toggle(tile, button));
      button.setAttribute("aria-pressed", "false");
      return button;
    }));
    this.check = element("button", { type: "button", class: "btn main check", disabled: true, onclick: () => this.#answer([...this.chosen]) }, this.own.check);
    return element("div", { class: "choose" }, box, this.check);
  }

  #toggle(tile, button) {
    if (this.isOver) return;
    const name = toUmp(tile);
    if (!this.chosen.delete(name)) this.chosen.add(name);
    button.setAttribute("aria-pressed", String(this.chosen.has(name)));
    this.check.disabled = this.chosen.size === 0;
  }

  // A table

  #tableElements() {
    const { position, drill, own } = this;
    const { seat } = position;
    this.dora = new Set(position.doraMarkers.map((each) => doraOf(each)));
    const hand = position.hands[seat];
    const melds = position.melds[seat].map((meld) => meldElement(meld, seat, position.players, this.words, "own", this.dora));
    const isTile = ["safest", "push"].includes(drill.kind) || this.actions.some(({ verb }) => verb === DISCARD);
    const row = this.#row(hand, position.drawn[seat] === null ? 0 : 1, melds, isTile && drill.kind !== "push");
    const options = drill.kind === "mistake" ? this.#otherActions() : drill.choices;
    return [
      this.#meta([...labelled(own.indicator, position.doraMarkers.map(toUmp).join(" "), this.words)]),
      this.#table(),
      element("div", { class: "line" }, row),
      ...(drill.kind === "safest" || options.length === 0 ? [] : [this.#optionRow(options)]),
    ];
  }

  #table() {
    const plane = element("div");
    const room = element("div", { class: "room" }, element("div", { class: "inlay" }), plane);
    new Board(plane, this.words).show(this.position, { view: this.position.seat, ownHand: false });
    return room;
  }

  /** Returns what may be done besides discards; the tiles of a riichi are chosen in the hand. */
  #otherActions() {
    const others = this.actions.filter(({ verb }) => verb !== DISCARD);
    const first = others.find(({ verb }) => RIICHI.includes(verb));
    return others.filter((each) => each === first || !RIICHI.includes(each.verb)).map(({ text }) => text);
  }

  // Options

  #optionRow(choices) {
    const isShort = choices.every((choice) => choice.length < 12);
    return element("div", { class: `options${isShort ? " short" : ""}`, role: "group", "aria-label": this.own.choices }, ...choices.map((choice, place) => {
      const button = element("button", { type: "button", class: "option", onclick: () => this.#take(choice, button) },
        element("kbd", { "aria-hidden": "true" }, String(place + 1)), ...this.optionElements(choice));
      this.options.push(Object.assign(button, { choice, verb: readAction(choice).verb }));
      return button;
    }));
  }

  #take(choice, button) {
    const { verb } = readAction(choice);
    if (this.drill.kind === "mistake" && RIICHI.includes(verb)) {
      this.#pending = this.#pending ? null : RIICHI;
      button.setAttribute("aria-pressed", String(this.#pending !== null));
      this.tiles.at(-1)?.focus({ preventScroll: true });
    } else this.#answer([choice]);
  }

  /** Returns an answer as words and tiles. */
  optionElements(choice) {
    const { drill: { kind, shown }, own, words } = this;
    if (kind === "points") {
      const [han, fu, paid] = choice.split("-");
      return [element("span", {}, own.option(Number(han), Number(fu))), element("b", { class: "num" }, own.paid(paid))];
    }
    if (kind === "furiten") return [element("b", { class: "word" }, own[choice])];
    if (kind === "push") return [element("b", { class: "word" }, own[choice]), ...actionElements(shown[choice], words)];
    const { verb } = readAction(choice);
    if (RIICHI.includes(verb) && !this.isOver) return actionElements(verb, words); // its tile is chosen in the hand
    return kind === "safest" || kind === "discard" ? tilesOf(choice).map((tile) => tileElement(tile, words)) : actionElements(choice, words);
  }

  // Keys

  /** Goes along the tiles or the options with the arrow keys. */
  #step(event) {
    const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    const list = [this.tiles, this.options].find((each) => each.includes(document.activeElement));
    if (by === undefined || list === undefined) return;
    event.preventDefault();
    list[(list.indexOf(document.activeElement) + by + list.length) % list.length].focus();
  }

  /** Takes a key of the page; returns whether it means something. */
  press(key) {
    if (this.isOver) return false;
    const digit = Number(key);
    if (this.tiles.length === 0) {
      const option = this.options[digit - 1];
      option?.click();
      return option !== undefined || this.#call(key);
    }
    const { isTaken, names } = this.#typed.press(key);
    const place = names.length ? placeOf(this.tiles.map(({ tile }) => tile), names) : -1;
    if (place >= 0) {
      this.tiles[place].focus({ preventScroll: true });
      if (this.drill.kind === "waits") this.tiles[place].click();
    }
    return isTaken || this.#call(key);
  }

  #call(key) {
    const verbs = KEYS[key] ?? KEYS[key.toLowerCase()] ?? [];
    const found = this.options.find(({ verb, choice }) => verbs.includes(verb) || verbs.includes(choice));
    found?.click();
    return found !== undefined;
  }

  // After the answer

  /** Marks the right answers, and the given one; nothing can be answered any more. */
  reveal(right, given) {
    this.isOver = true;
    const isTile = this.drill.kind === "mistake" ? (tile, list) => list.some((text) => isDiscardOf(text, tile)) : (tile, list) => list.includes(toUmp(plain(tile)));
    for (const button of this.tiles) {
      button.disabled = true;
      const isGiven = this.drill.kind === "waits" ? isTile(button.tile, given) : button === this.pressed;
      mark(button, isTile(button.tile, right), isGiven);
    }
    for (const button of this.options) {
      button.disabled = true;
      const has = (list) => list.includes(button.choice) || (this.drill.kind === "mistake" && RIICHI.includes(button.verb) && list.some((text) => RIICHI.includes(readAction(text).verb)));
      mark(button, has(right), has(given));
    }
    this.check?.remove();
  }
}

function isDiscardOf(text, tile) {
  const { verb, tiles } = readAction(text);
  return [DISCARD, ...RIICHI].includes(verb) && plain(tiles[0] ?? "") === plain(tile);
}

function mark(button, isRight, isGiven) {
  button.classList.toggle("right", isRight);
  button.classList.toggle("wrong", isGiven && !isRight);
  button.classList.toggle("given", isGiven);
}
