// A table among friends before and between its games: an invitation for those who come by the link, then who is there,
// and what each of them may do.

import { Box, element } from "./elements.js";
import { askAboutTables, CODE, readable, TABLE } from "./guest.js";
import { crest, icon } from "./pictures.js";
import { summon } from "./summons.js";
import { chosenWords, saidByServer } from "./words/languages.js";

const START = "ump-start"; // where a tab keeps the code of the table whose game begins as soon as its host is there
const LAST = "ump-last-table"; // where the browser keeps the settings of the last table, to make the same one again
const STATES = ["host", "ready", "here", "away"];

const { words: { friends } } = await import(`./words/club_${chosenWords().language}.js`);
document.head.append(element("link", { rel: "stylesheet", href: "/static/gathering.css" }));

/** Returns the settings of the last table in this browser, or null. */
export function lastTable() {
  try {
    return JSON.parse(localStorage.getItem(LAST));
  } catch {
    return null;
  }
}

/** Makes a table, goes there, and begins its game at once with bots; returns what the server says if it refuses. */
export const startTable = (settings) => makeTable(settings, { isAlone: true });

/** Makes a table with these settings, perhaps to challenge a person, and goes there; returns what the server says if it refuses. */
export async function makeTable(settings, { isAlone = false, ...more } = {}) {
  const response = await askAboutTables("", { method: "POST", body: JSON.stringify({ ...settings, ...more }) });
  if (!response.ok) return (await response.text()).trim();
  const { code, link } = await response.json();
  if (isAlone) sessionStorage.setItem(START, code);
  else localStorage.setItem(LAST, JSON.stringify(settings));
  sessionStorage.setItem(TABLE, code);
  location.assign(link);
  return "";
}

export class Gathering {
  #box;
  #card = null; // the facts about the table, as the server tells them
  #members = []; // a name and a state each; null: a free seat
  #ownName = null;
  #hasPlayed = false;
  #until = 0; // when the next game begins, if that is known
  #timer = null;

  /** Shows the table in ``root``; ``order(text)`` gives an order, ``leave()`` leaves for good. */
  constructor(root, words, { order, leave }) {
    this.root = root;
    this.words = words;
    this.order = order;
    this.leave = leave;
    this.#box = new Box(root);
  }

  /** Shows the table to somebody who has its link: nobody sits down without wanting to. ``sit()`` does it. */
  async visit(sit) {
    const response = await askAboutTables(`/${CODE}`).catch(() => null);
    if (!response?.ok) {
      this.gone(response === null ? this.words.gone : saidByServer((await response.text()).trim()));
      return;
    }
    this.invite(await response.json(), {
      name: localStorage.getItem("ump-name") ?? "",
      sit: (name) => {
        if (name) localStorage.setItem("ump-name", name);
        this.root.hidden = true;
        sit();
      },
      watch: () => location.assign(`/t/${CODE}?watch`),
    });
  }

  /** Shows what a visitor may know, with the buttons to sit down or to watch. */
  invite({ rules, length, clock, bots, level, watchers, members, seats, playing }, { name, sit, watch }) {
    const field = element("input", { class: "field", id: "visitor", maxlength: "32", autocomplete: "username", "aria-label": friends.name, placeholder: friends.name });
    field.value = name;
    const isFull = members.length >= seats && !members.some(({ state }) => state === "away");
    const form = element("form", { onsubmit: (event) => {
      event.preventDefault();
      sit(field.value.trim());
    } }, isFull ? element("p", {}, friends.full) : field,
    element("div", { class: "row" },
      isFull ? null : element("button", { class: "btn main", id: "sit" }, friends.sit),
      watchers ? element("button", { type: "button", class: "btn", id: "look-on", onclick: watch }, friends.watch) : null,
      element("a", { class: "btn", href: "/" }, this.words.lobby)));
    this.#open(element("h2", {}, members[0] ? friends.invites(members[0].name) : friends.title), this.#facts({ rules, length, clock, bots, level, watchers }),
      this.#list([...members, ...Array(Math.max(0, seats - members.length)).fill(null)]), playing ? element("p", {}, friends.playing) : null, form);
    field.focus();
  }

  /** Takes a sentence of the server about the table; returns whether it was one. */
  hear(command, said) {
    if (command === "_table") {
      this.#card = Object.fromEntries(said.map((word) => word.split("=").map(decodeURIComponent)));
      sessionStorage.setItem(TABLE, CODE);
    } else if (command === "_members") this.#seat(said.map((word) => (word === "-" ? null : memberOf(word))));
    else if (command === "_bots") this.#until = performance.now() + 1000 * Number(said[0]);
    else if (command === "_you") this.#ownName = decodeURIComponent(said[0]);
    return ["_table", "_members", "_bots"].includes(command);
  }

  #seat(members) {
    const isFull = (all) => all.length > 0 && !all.includes(null);
    if (isFull(members) && !isFull(this.#members)) summon(this.words.summons.full);
    this.#members = members;
    this.#startAtOnce();
  }

  /** Begins the game of a table that was made for it. */
  #startAtOnce() {
    if (sessionStorage.getItem(START) !== CODE) return;
    sessionStorage.removeItem(START);
    this.order("_start");
  }

  /** Shows the table if ``isOpen``: no game is on it, and no result is being read. */
  show(isOpen) {
    this.root.hidden = !isOpen || this.#card === null || this.#members.length === 0;
    clearInterval(this.#timer);
    if (this.root.hidden) return;
    this.#draw();
    if (this.#until > performance.now()) this.#timer = setInterval(() => this.#draw(), 500);
  }

  /** Forgets what belongs to the game that begins. */
  begin() {
    this.#hasPlayed = true;
    this.#until = 0;
  }

  /** Says that the table is no more, and offers to make the same again. */
  gone(text) {
    const make = async (settings) => {
      const refused = await makeTable(settings);
      if (refused) this.gone(saidByServer(refused));
    };
    sessionStorage.removeItem(TABLE);
    const last = lastTable();
    const again = last === null ? null : element("button", { type: "button", class: "btn main", id: "same-again", onclick: () => make(last) }, friends.sameAgain);
    const sentence = `${text[0].toUpperCase()}${text.slice(1)}${/\w$/.test(text) ? "." : ""}`;
    this.#open(element("p", { role: "alert" }, sentence), element("div", { class: "row" }, again, element("a", { class: "btn", href: "/" }, this.words.lobby)));
  }

  #open(...children) {
    clearInterval(this.#timer);
    this.#card = null;
    this.root.hidden = false;
    this.#box.show(null, () => []);
    this.root.replaceChildren(...children.filter(Boolean));
  }

  #draw() {
    const left = Math.max(0, Math.ceil((this.#until - performance.now()) / 1000));
    this.#box.show([this.#card, this.#members, this.#ownName, this.#hasPlayed, left, this.words.language], () => this.#contents(left));
  }

  #contents(left) {
    const own = this.#members.find((member) => member?.name === this.#ownName);
    const isHost = own?.state === "host";
    const here = this.#members.filter((member) => member !== null && member.state !== "away");
    const canStart = isHost && (this.#card.bots === "fill" || here.length === Number(this.#card.seats));
    const button = (id, text, act, isMain) => element("button", { type: "button", class: isMain ? "btn main" : "btn", id, onclick: act }, text);
    return [
      element("h2", {}, friends.title),
      this.#facts({ rules: this.#card.rule, length: this.#card.length, clock: this.#card.clock, bots: this.#card.bots === "fill", level: this.#card.level, watchers: this.#card.watchers !== "none" }),
      this.#invitation(),
      this.#list(this.#members, isHost),
      element("p", { class: "hint", role: "status" }, left ? friends.begins(left) : this.#advice(isHost, canStart)),
      element("div", { class: "row" },
        this.#hasPlayed ? button("again", friends.again, () => this.order("_again"), true) : null,
        !this.#hasPlayed && !isHost ? button("ready", own?.state === "ready" ? friends.notReady : friends.ready, () => this.order("_ready"), own?.state !== "ready") : null,
        canStart ? button("begin", friends.start, () => this.order("_start"), !this.#hasPlayed) : null,
        isHost ? button("close-table", friends.close, () => this.order("_cancel")) : null,
        button("leave-table", friends.leave, () => {
          sessionStorage.removeItem(TABLE);
          this.leave();
        })),
    ];
  }

  #advice(isHost, canStart) {
    if (!isHost) return this.#hasPlayed ? friends.askAgain : friends.waitForHost;
    return canStart ? (this.#card.bots === "fill" ? friends.startWithBots : friends.startNow) : friends.needsAll(Number(this.#card.seats));
  }

  #facts({ rules, length, clock, bots, level, watchers }) {
    const strength = level ? `${friends.bots}: ${this.words.bots[level] ?? level}` : friends.bots;
    const facts = [rules, friends.lengths[length] ?? length, friends.clock(clock), bots ? strength : friends.noBots, watchers ? friends.watchers : friends.noWatchers];
    return element("p", { class: "facts" }, facts.join(" · "));
  }

  /** Returns the code, and the link to copy: without TLS a browser has no clipboard, but a field can be copied. */
  #invitation() {
    const link = element("input", { class: "field", readonly: true, value: `${location.origin}/t/${CODE}`, id: "link", "aria-label": friends.link, onfocus: () => link.select() });
    const copy = element("button", { type: "button", class: "btn", id: "copy", onclick: async () => {
      link.select();
      await (navigator.clipboard?.writeText(link.value) ?? document.execCommand("copy"));
      copy.replaceChildren(icon("link"), this.words.copied);
    } }, icon("link"), this.words.copyLink);
    return element("div", { class: "invitation" }, element("span", { class: "code", "aria-label": friends.code }, readable(CODE)), link, copy);
  }

  #list(members, canKick = false) {
    return element("ol", { class: "members" }, ...members.map((member) => (member === null
      ? element("li", { class: "free" }, element("span", { class: "face" }), element("span", {}, friends.free))
      : element("li", { class: `${member.state}${member.name === this.#ownName ? " me" : ""}` },
        element("span", { class: "face" }, crest(member.name)), element("bdi", { title: member.name }, member.name),
        element("em", {}, friends.states[member.state], member.name === this.#ownName ? ` · ${friends.you}` : ""),
        canKick && member.state !== "host" ? element("button", {
          type: "button", class: "kick", "aria-label": friends.kick(member.name), title: friends.kick(member.name),
          onclick: () => this.order(`_kick ${encodeURIComponent(member.name).replaceAll("=", "%3D")}`),
        }, "×") : null))));
  }
}

function memberOf(word) {
  const [name, state] = word.split(":");
  return { name: decodeURIComponent(name), state: STATES.includes(state) ? state : "here" };
}
