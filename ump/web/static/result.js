// The result of a kyoku or a game, as a table for a dialog.

import { element, tileElement } from "./elements.js";
import { meldElement } from "./board.js";
import { rank } from "./position.js";

/** Returns the content of the dialog for a finished kyoku. */
export function kyokuResult(position, words) {
  const { result, scores } = position;
  const parts = result.draw === null
    ? result.wins.map((win) => winPart(position, win, words))
    : [element("h2", {}, words.draw(result.draw.reason))];
  const before = result.before ?? scores;
  const changes = scores.map((score, seat) => score - before[seat]);
  return [...parts, scoreTable(position.names, scores, changes, words)];
}

/**
 * Returns the content of the dialog for a finished game. ``uma`` are the thousands for each place, from the first on,
 * or null if they are not known.
 */
export function gameResult(position, words, uma = null) {
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
