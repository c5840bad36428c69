// The result of a kyoku or a game, as a table for a dialog.

import { element, tileElement } from "./elements.js";
import { meldElement } from "./board.js";
import { rank } from "./position.js";

/**
 * Shows the result of the kyoku or the game that a position has, in a box, with these buttons at its foot. ``rules`` are
 * the fields of the room's rules, or null if they are not known. Returns a function that shows the next sheet, if there
 * is one more, and tells whether there was.
 */
export function showResult(box, position, { rules = null, buttons = [] }, words) {
  const content = position.end === null ? kyokuResult(position, words) : gameResult(position, words, umaOfPlaces(position, rules));
  box.replaceChildren(element("section", { class: "sheet" }, ...content, element("footer", {}, ...buttons)));
  return () => false;
}

/** Returns the uma by place, or null where it is not known, or where equal scores share it. */
function umaOfPlaces({ end: { scores } }, rules) {
  const uma = rules?.uma?.value.split(",").map(Number);
  const isShared = rules?.["equal-scores"]?.value === "share" && new Set(scores).size < scores.length;
  return uma === undefined || uma.length !== scores.length || isShared ? null : uma;
}

function kyokuResult(position, words) {
  const { result, scores } = position;
  const parts = result.draw === null
    ? result.wins.map((win) => winPart(position, win, words))
    : [element("h2", {}, words.draw(result.draw.reason))];
  const before = result.before ?? scores;
  const changes = scores.map((score, seat) => score - before[seat]);
  return [...parts, scoreTable(position.names, scores, changes, words)];
}

/** ``uma`` are the thousands for each place, from the first on, or null if they are not known. */
function gameResult(position, words, uma) {
  const { scores } = position.end;
  const order = scores.map((_, seat) => seat).sort((one, other) => scores[other] - scores[one] || one - other);
  const rows = order.map((seat, place) => element("tr", {},
    element("td", {}, words.place(place + 1)), element("td", {}, element("bdi", {}, position.names[seat])),
    element("td", { class: "number" }, words.points(scores[seat])),
    uma === null ? null : element("td", { class: "number" }, words.change(uma[place]))));
  const titles = ["", words.player, words.score, ...(uma === null ? [] : [words.uma])];
  return [element("h2", {}, words.gameOver), element("table", { class: "scores" },
    element("thead", {}, element("tr", {}, ...titles.map((each) => (
      each ? element("th", { scope: "col" }, each) : element("td", {}))))),
    element("tbody", {}, ...rows))];
}

function winPart(position, win, words) {
  const { names, players } = position;
  const isTsumo = win.actor === win.target;
  const melds = position.melds[win.actor].map((meld) => meldElement(meld, win.actor, players, words));
  const tiles = [...win.hora_tehais].filter(Boolean).sort((one, other) => rank(one) - rank(other));
  const indicators = (name, markers) => (markers.length
    ? element("span", { class: "indicators" }, `${name} `, ...markers.map((each) => tileElement(each, words)))
    : null);
  return element("section", { class: "win" },
    element("h2", {}, words.win(names[win.actor], isTsumo ? null : names[win.target])),
    element("div", { class: "winning-hand" }, ...tiles.map((each) => tileElement(each, words)),
      tileElement(win.pai, words, ["drawn", "last"]), ...melds),
    element("p", {}, indicators("dora", position.doraMarkers), indicators("ura", win.uradora_markers)),
    element("ul", { class: "yaku" }, ...win.yakus.map(([name, han]) => (
      element("li", {}, element("span", {}, name), element("span", { class: "number" }, words.han(han)))))),
    element("p", { class: "value" }, words.value(win.fu, win.fan)));
}

function scoreTable(names, scores, changes, words) {
  const rows = names.map((name, seat) => element("tr", {},
    element("td", {}, element("bdi", {}, name)),
    element("td", { class: changes[seat] < 0 ? "number loss" : "number" }, changes[seat] ? words.change(changes[seat]) : ""),
    element("td", { class: "number" }, words.points(scores[seat]))));
  return element("table", { class: "scores" },
    element("thead", {}, element("tr", {},
      ...[words.player, words.change_, words.score].map((each) => element("th", { scope: "col" }, each)))),
    element("tbody", {}, ...rows));
}
