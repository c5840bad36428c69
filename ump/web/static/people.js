// The people who are here, in the lobby and beside My games: those who let others see it, with challenges, and stars,
// which the server keeps for a user, and this browser for a guest. Nobody is seen who has not asked for it.

import { Box, element } from "./elements.js";
import { aboutAccount, askAboutAccount, askAboutMe, readable } from "./guest.js";
import { lastTable, makeTable } from "./gathering.js";
import { crest, icon } from "./pictures.js";
import { words } from "./site.js";
import { saidByServer } from "./words/languages.js";

const SEEN = "ump-seen"; // where the browser keeps that others may see this person
const STARS = "ump-stars"; // where it keeps the people with a star
const MOST_STARS = 200; // as in the server
const AT_ONCE = 10; // stars in one request, whose body is small
const ID = /^[0-9a-f]{16}$/;
const PERIOD = 5000; // milliseconds between two signs of life, while the page is visible

const { people: own } = words;

export const isSeen = () => localStorage.getItem(SEEN) === "1";

let ofUser = null; // the stars of the user who has logged in; null: a guest

const stars = () => ofUser ?? ofGuest();

function ofGuest() {
  try {
    const kept = JSON.parse(localStorage.getItem(STARS) ?? "[]");
    return kept.filter(({ id, name }) => ID.test(id) && typeof name === "string");
  } catch {
    return [];
  }
}

async function star({ id, name }) {
  const others = stars().filter((each) => each.id !== id);
  const isNew = others.length === stars().length;
  if (ofUser !== null) await changeStars(isNew ? { add: [{ id, name }] } : { remove: [id] });
  else localStorage.setItem(STARS, JSON.stringify(isNew ? [{ id, name }, ...others].slice(0, MOST_STARS) : others));
}

/** Changes the stars of the user; returns whether the server has done so. */
async function changeStars(change) {
  const response = await askAboutAccount("stars", change).catch(() => null);
  if (response?.ok) ofUser = (await response.json()).stars;
  return Boolean(response?.ok);
}

/** Reads the stars of the user who has logged in, who gets those of the guest, too. */
async function readStars() {
  const account = await aboutAccount();
  if (!account?.user) return;
  const rest = ofGuest();
  do {
    if (!await changeStars({ add: rest.splice(-AT_ONCE) })) return;
    localStorage.setItem(STARS, JSON.stringify(rest));
  } while (rest.length);
}

const ask = (path, method, content) => askAboutMe(path, {
  method, ...(content === undefined ? {} : { headers: { "Content-Type": "application/json" }, body: JSON.stringify(content) }),
});

/** Tells the server that this person may be seen, and returns whom it sees; null: it refuses, and `refused` says why. */
export async function lookAround(refused = () => {}) {
  const response = await ask("/here", "POST", { name: localStorage.getItem("ump-name") ?? "" }).catch(() => null);
  if (response?.ok) return response.json();
  refused(response === null ? words.gone : saidByServer((await response.text()).trim()));
  return null;
}

/** Makes a table like the last one, and invites somebody there; returns what the server says if it refuses. */
export async function challenge(id) {
  const refused = await makeTable({ bots: true, watchers: true, ...lastTable() }, { person: id });
  return saidByServer(refused);
}

export class PeopleHere {
  #found = { people: [], challenges: [] };
  #said = "";
  #box;
  #timer = null;

  /** Shows the people in ``root``, and challenges to this person in ``calls``. */
  constructor(root, calls) {
    this.#box = new Box(root);
    this.calls = new Box(calls);
    this.#begin();
    document.addEventListener("visibilitychange", () => this.#begin());
  }

  #begin() {
    this.#look();
    if (!document.hidden) readStars().then(() => this.#draw());
  }

  async #look() {
    clearTimeout(this.#timer);
    if (!document.hidden && isSeen()) {
      this.#found = await lookAround((text) => { this.#said = text; }) ?? { people: [], challenges: [] };
      this.#timer = setTimeout(() => this.#look(), PERIOD);
    }
    this.#draw();
  }

  #draw() {
    const { people, challenges } = this.#found;
    const starred = stars();
    this.#box.show([isSeen(), people, starred, this.#said, words.language], () => this.#contents(people, starred));
    this.calls.root.hidden = challenges.length === 0;
    this.calls.show([challenges, words.language], () => challenges.map(({ name, code }) => this.#call(name, code)));
  }

  #contents(people, starred) {
    const seen = element("input", { type: "checkbox", id: "seen", checked: isSeen(), onchange: () => this.#turn(seen.checked) });
    const away = starred.filter(({ id }) => !people.some((each) => each.id === id)).map((each) => ({ ...each, isAway: true }));
    const rank = ({ id, isAway }) => (isAway ? 2 : Number(!starred.some((each) => each.id === id)));
    const rows = isSeen() ? [...people, ...away].sort((one, other) => rank(one) - rank(other)) : [];
    return [
      element("label", { class: "seen" }, seen, own.seen),
      this.#said ? element("p", { class: "none", role: "alert" }, this.#said) : null,
      ...(rows.length ? [element("ul", {}, ...rows.map((each) => this.#row(each, starred)))] : []),
      isSeen() && !rows.length ? element("p", { class: "none" }, own.nobody) : null,
    ].filter(Boolean);
  }

  #row({ id, name, is_playing: isPlaying, isAway }, starred) {
    const isStarred = starred.some((each) => each.id === id);
    const state = isAway ? own.away : isPlaying ? own.playing : own.here;
    return element("li", { class: isAway ? "away" : null }, element("span", { class: "face" }, crest(name)),
      element("b", {}, element("bdi", {}, name)), element("span", {}, state),
      element("button", { type: "button", class: "icb star", "aria-pressed": String(isStarred), "aria-label": own.star(name), title: own.star(name), onclick: async () => {
        await star({ id, name });
        this.#draw();
      } }, icon("star")),
      isAway ? null : element("button", { type: "button", class: "btn", "aria-label": own.challengeName(name), onclick: async () => {
        this.#said = await challenge(id);
        this.#draw();
      } }, own.challenge));
  }

  #call(name, code) {
    return element("p", {}, element("b", {}, own.challenges(name)), ` ${readable(code)}`, element("span", { class: "ways" },
      element("a", { class: "btn main", href: `/t/${code}` }, own.accept),
      element("button", { type: "button", class: "btn", onclick: async () => {
        await ask(`/challenges/${code}`, "DELETE").catch(() => null);
        await this.#look();
      } }, own.decline)));
  }

  async #turn(isOn) {
    localStorage.setItem(SEEN, isOn ? "1" : "");
    this.#said = "";
    if (!isOn) {
      this.#found = { people: [], challenges: [] };
      await ask("/here", "DELETE").catch(() => null);
    }
    await this.#look();
    document.getElementById("seen")?.focus();
  }
}
