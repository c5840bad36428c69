// The lists of yaku and of points under some rules, which the table and the page of rules load when somebody asks.

import { element, tileElement } from "./elements.js";
import { plain, rank } from "./position.js";
import { tilesOf } from "./tile_text.js";
import { chosenWords } from "./words/languages.js";
import { lackingAtAll, lackingFor } from "./yaku_reach.js";
import { HAN, limitsOf, pointTable, yakuOf } from "./yaku_list.js";

const MORE = 1; // tiles by which a yaku may be further than the nearest complete hand, to be near
const MOST_NEAR = 8; // yaku that are near
const YAKUMAN = 13;

const common = chosenWords();
const { words: own } = await import(`./words/yaku_${common.language}.js`);
document.head.append(element("link", { rel: "stylesheet", href: "/static/reference.css" }));

/** Returns the name of a yaku as the sheets of results have it. */
const nameOf = (name) => own.names[name] ?? common.yaku[name];

/** Returns the values of rules by their names. */
export const valuesOf = (fields) => Object.fromEntries(Object.entries(fields).map(([name, { value }]) => [name, value]));

const KEPT = "from-"; // how the names of tables begin that play on from a replay

/** Returns the values of a table's rules; null: those of Tenhou, as in a lesson, or nobody says them. */
async function rulesAt(room, code) {
  if (code === null && (room === null || room.startsWith(KEPT))) return null;
  const address = code === null ? `/api/rules/${encodeURIComponent(room)}` : `/api/tables/${code}/rules`;
  const response = await fetch(address).catch(() => null);
  return response?.ok ? valuesOf((await response.json()).fields) : null;
}

const LISTS = { yaku: yakuElements, scores: scoreElements };

/** Returns a list of this name, which the functions below make from what is given. */
export const elementsOf = (name, given) => LISTS[name](given);

/**
 * Fills a box at a table with one of the lists. ``position`` is that of the table if its hand may be looked at, or null,
 * and ``wanted`` a yaku from the sheet of a result, which is marked.
 */
export async function fill(box, name, { room, code, seats, position, wanted }) {
  const rules = await rulesAt(room, code);
  const own = position?.seat === null ? null : position;
  box.replaceChildren(elementsOf(name, { rules, room: code === null ? room : null, seats, position: own, wanted }));
  box.querySelector(".here")?.scrollIntoView({ block: "center" });
}

/** Puts buttons that open the lists on a table. */
export function pin(root, drawers) {
  const buttons = Object.keys(LISTS).map((name) => (
    element("button", { type: "button", class: "btn", onclick: () => drawers.open(name) }, common.drawers[name])));
  root.append(element("div", { class: "books" }, ...buttons));
}

// Yaku

/**
 * Returns the list of yaku. ``rules`` are values by name, or null; ``position`` is that of the table, if the hand of its
 * seat may be looked at; ``wanted`` is the name of a yaku on the sheet of a result, which is marked.
 */
function yakuElements({ rules, seats = 4, room = null, position = null, wanted = null }) {
  const groups = yakuOf(rules ?? {}, seats);
  const near = position === null ? [] : nearTo(handOf(position), Object.values(groups).flat());
  const sections = Object.entries(groups).filter(([, all]) => all.length > 0).flatMap(([group, all]) => [
    element("h3", {}, own.groups[group]), element("ul", {}, ...all.map((each) => yakuElement(each, wanted))),
  ]);
  const first = near.length === 0 ? [] : [
    element("h3", {}, own.reach), element("ul", {}, ...near.map(({ yaku, lacks }) => yakuElement(yaku, null, lacks)))];
  return element("div", { class: "reference" }, rulesNote(rules, room), ...first, ...sections);
}

function rulesNote(rules, room) {
  if (rules === null) return element("p", { class: "note" }, own.tenhou);
  return room === null ? null : element("p", { class: "note" }, own.room(room));
}

function yakuElement({ name, closed, open, example, isDouble }, wanted, lacks = null) {
  const isWanted = wanted !== null && [name, nameOf(name)].includes(wanted);
  const worth = closed === YAKUMAN ? [element("b", {}, own.yakuman), isDouble ? ` · ${own.double}` : null] : [element("b", {}, own.han(closed)), openWorth(closed, open)];
  return element("li", { class: isWanted ? "here" : null }, element("b", {}, nameOf(name)), element("span", { class: "worth" }, ...worth.filter(Boolean)),
    element("p", {}, own.lines[name]), lacks === null ? null : element("p", { class: "lacks" }, own.lacks(lacks)),
    example === null ? null : exampleElement(example));
}

function openWorth(closed, open) {
  if (open === null) return ` · ${own.closedOnly}`;
  return open === closed ? null : ` · ${own.open(open)}`;
}

/** Returns an example such as 22z<333z> 2z: concealed tiles, melds, and the tile that wins. */
function exampleElement(text) {
  const [hand, won] = text.split(" ");
  const tile = (each, states = []) => tileElement(each, common, states);
  const parts = hand.split(/(?=[<(])/).map((part) => {
    const tiles = tilesOf(part).map((each) => tile(each));
    return /^[<(]/.test(part) ? element("span", { class: "meld" }, ...tiles) : element("span", {}, ...tiles);
  });
  return element("div", { class: "example" }, ...parts, element("span", { class: "won" }, tile(tilesOf(won)[0], ["last"])));
}

/** Returns the kind of a tile, from 0 to 33. */
const kindOf = (tile) => {
  const place = rank(plain(tile));
  return place >= 300 ? 27 + (place - 300) / 10 : 9 * Math.floor(place / 100) + ((place % 100) / 10) - 1;
};

/** Returns the hand of the position's seat as yaku_reach.js takes it. */
export function handOf({ seat, hands, melds, bakaze, oya, players }) {
  const counts = Array(34).fill(0);
  for (const tile of hands[seat]) counts[kindOf(tile)] += 1;
  const read = ({ type, tiles, called }) => {
    const kinds = [...tiles, ...(called === null ? [] : [called])].map(kindOf);
    return { kind: Math.min(...kinds), isRun: type === "chi", isOpen: type !== "ankan" };
  };
  return { counts, melds: melds[seat].map(read), winds: [kindOf(bakaze), 27 + ((seat - oya + players) % players)] };
}

/** Returns the yaku that a hand may reach with few tiles more than it needs at all, the nearest first. */
function nearTo(hand, all) {
  const most = lackingAtAll(hand) + MORE;
  return all.map((yaku) => ({ yaku, lacks: lackingFor(yaku.name, hand) }))
    .filter(({ lacks }) => lacks !== null && lacks <= most).sort((one, other) => one.lacks - other.lacks).slice(0, MOST_NEAR);
}

// Points

/** Returns the table of points by han and fu, the limits, and how fu are counted; buttons choose who wins. */
function scoreElements({ rules, room = null }) {
  const given = rules ?? {};
  const box = element("div", {});
  const choose = (isDealer) => {
    buttons.forEach((each, place) => each.setAttribute("aria-pressed", String(isDealer === (place === 1))));
    box.replaceChildren(pointsElement(given, isDealer), element("h3", {}, own.limits), limitsElement(given, isDealer));
  };
  const buttons = [own.others, own.dealer].map((text, place) => element("button", { type: "button", onclick: () => choose(place === 1) }, text));
  choose(false);
  return element("div", { class: "reference" }, rulesNote(rules, room), element("div", { class: "seg", role: "group", "aria-label": own.winner }, ...buttons), box,
    element("p", { class: "note" }, own.note), element("h3", {}, own.fuTitle), element("ul", { class: "fu" }, ...own.fuRules.map((text) => element("li", {}, text))));
}

function pointsElement(rules, isDealer) {
  const rows = pointTable(rules).map(({ fu, cells }) => element("tr", {},
    element("th", { scope: "row" }, fu), ...cells.map((cell) => element("td", {}, ...(cell === null ? [] : paymentElements(cell, isDealer))))));
  const head = [own.fu, ...HAN.map(own.han)].map((text) => element("th", { scope: "col" }, text));
  return element("table", {}, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows));
}

function limitsElement(rules, isDealer) {
  return element("table", {}, element("tbody", {}, ...limitsOf(rules).map((limit) => element("tr", {},
    element("th", { scope: "row" }, common.sheet.limits[limit.base], element("small", {}, ` ${own.from(limit.han)}`)),
    element("td", {}, ...paymentElements(limit, isDealer))))));
}

/** Returns what is paid to the winner: by ron, and below it by each of the others after a tsumo. */
function paymentElements({ ron, tsumo, dealerRon, dealerTsumo }, isDealer) {
  const [single, shares] = isDealer ? [dealerRon, dealerTsumo] : [ron, tsumo];
  const text = shares?.map((each) => common.points(each)).join(" / ");
  return [
    single === null ? "–" : common.points(single),
    ...(shares === null ? [] : [element("small", {}, isDealer ? own.each(text) : text)]),
  ];
}
