// The sheets of a result: one for each winner, one for a draw, and the places at the end of a game. Values that
// depend on rules, such as those of a hand and results with uma, are shown as the server says them.

import { meldElements, windOf } from "./board.js";
import { element, tileElement } from "./elements.js";
import { crest, icon } from "./pictures.js";
import { doraOf, plain, rank } from "./position.js";

const EXHAUSTED = "fanpai";
const HELD = 350; // milliseconds of a press that lasts

const signed = (thousands) => `${thousands < 0 ? "" : "+"}${thousands.toFixed(1)}`;

/**
 * Shows the result of the kyoku or the game that a position has, in a box, with these buttons at its foot, and
 * ``explain(yaku)`` for clicks on yaku. Returns two functions: ``next`` shows the next sheet, if there is one more, and tells
 * whether there was; ``name(text)`` names what follows the last sheet on the button behind the bar of time.
 */
export function showResult(box, position, { buttons = [], explain }, words) {
  const sheets = sheetsOf(position, words, explain);
  let [shown, after] = [-1, words.goOn];
  const name = (text) => {
    after = text;
    const button = box.querySelector(".prog + .btn");
    if (button !== null) button.textContent = shown + 1 < sheets.length ? words.nextWinner : after;
  };
  const next = () => {
    if (shown + 1 >= sheets.length) return false;
    shown += 1;
    const { kind, title, head, body, links = [] } = sheets[shown];
    box.classList.toggle("low", kind === "small");
    box.classList.remove("aside");
    const held = kind === "win" ? [asideButton(box, words)] : [];
    box.setAttribute("aria-label", title);
    box.replaceChildren(element("section", { class: `sheet ${kind}` },
      element("header", {}, ...head, ...held), element("div", { class: "body" }, ...body),
      element("footer", {}, ...links, element("span", { class: "gap" }), ...buttons)));
    buttons.at(-1)?.focus();
    name(after);
    return true;
  };
  next();
  return { next, name };
}

/** Returns a button that lets the table be seen through a sheet: as long as it is held, or until the next click. */
function asideButton(box, words) {
  let [wasAside, since] = [false, 0];
  const turn = (isAside) => {
    box.classList.toggle("aside", isAside);
    button.setAttribute("aria-pressed", String(isAside));
  };
  const button = element("button", {
    type: "button", class: "see", "aria-label": words.sheet.aside, title: words.sheet.aside, "aria-pressed": "false",
    onpointerdown: () => {
      [wasAside, since] = [box.classList.contains("aside"), performance.now()];
      turn(true);
    },
    onclick: ({ detail }) => {
      const isShort = performance.now() - since < HELD;
      if (detail === 0) turn(!box.classList.contains("aside")); // by a key
      else turn(!wasAside && isShort);
    },
  }, icon("eye"));
  return button;
}

function sheetsOf(position, words, explain) {
  if (position.end !== null) return [endSheet(position, words)];
  if (position.result.draw !== null) return [drawSheet(position, words)];
  return position.result.wins.map((_, place) => winSheet(position, place, words, explain));
}

function title(text, ...sub) {
  return element("div", {}, element("h2", {}, text), element("p", { class: "sub" }, ...sub));
}

/** Returns the round with its honba. */
function roundElement({ bakaze, kyoku, honba }, words) {
  return element("span", { class: "bar" }, words.round(bakaze, kyoku), ...(honba ? [stick("hs", words.sheet.honba), `×${honba}`] : []));
}

const stick = (kind, name) => element("i", { class: kind, role: "img", "aria-label": name });

// A win

function winSheet(position, place, words, explain) {
  const { names, result: { wins } } = position;
  const win = wins[place];
  const isTsumo = win.actor === win.target;
  const text = isTsumo ? words.calls.tsumo : words.sheet.ron(names[win.target]);
  const turn = wins.length > 1 ? [` · ${place + 1} / ${wins.length}`] : [];
  return {
    kind: "win", title: `${names[win.actor]}: ${text}`,
    head: [
      element("span", { class: "face" }, crest(names[win.actor])),
      title(text, element("bdi", {}, names[win.actor]), " · ", roundElement(position, words), ...turn),
    ],
    body: [
      ...handElements(position, win, words),
      element("div", { class: "split" },
        element("div", {}, yakuList(win, words, explain), ...worthElements(win, names, words)),
        standings(position, scoresAfter(position, place), win.deltas, words)),
    ],
  };
}

/** Returns the scores after a win: later winners are paid later. */
function scoresAfter({ scores, result: { wins } }, place) {
  const later = wins.slice(place + 1);
  return scores.map((score, seat) => score - later.reduce((sum, { deltas }) => sum + deltas[seat], 0));
}

/** Returns the hand, the winning tile apart, and the dora themselves. */
function handElements(position, win, words) {
  const { doraMarkers, players } = position;
  const dora = doraMarkers.map((each) => doraOf(each, players));
  const ura = win.uradora_markers.map((each) => doraOf(each, players));
  const all = new Set([...dora, ...ura]);
  const tile = (each, states = []) => tileElement(each, words, all.has(plain(each)) ? [...states, "dora"] : states);
  const hand = [...win.hora_tehais].sort((one, other) => rank(one) - rank(other));
  const row = (name, tiles) => element("span", { class: "doras" }, `${name} `, ...tiles.map((each) => tileElement(each, words)));
  return [
    element("div", { class: "winhand" },
      ...hand.map((each) => tile(each)), element("span", { class: "won" }, tile(win.pai, ["last"])),
      ...meldElements(position, win.actor, words, "own", all)),
    element("div", { class: "winrow" }, row(words.sheet.dora, dora), ura.length ? row(words.sheet.ura, ura) : null),
  ];
}

function yakuList({ yakus, fu }, words, explain) {
  return element("ul", { class: "yaku" }, ...yakus.map(([name, han], place) => element("li", { "--n": place },
    element("button", { type: "button", onclick: () => explain(name) }, words.yaku[name] ?? name),
    element("b", { class: "num" }, fu ? words.han(han) : words.sheet.yakuman(han / 13)))));
}

/** Returns fu and han, the limit, how the hand is paid, and what comes on top. */
function worthElements({ fu, fan, worth, actor, target }, names, words) {
  const size = fu ? [element("span", { class: "num" }, words.fuHan(fu, fan))] : [];
  if (worth === null) return [element("p", { class: "sum" }, ...size)];
  const { sheet } = words;
  const limit = fu ? sheet.limits[worth.base] : sheet.yakuman(worth.base / 8000);
  const shares = worth.shares.map((each) => words.points(each)).join(" / ");
  const isEach = actor === target && worth.shares.length === 1 && worth.liable === null;
  const more = [
    ...(worth.honba ? [stick("hs", sheet.honba), element("b", { class: "num gain" }, words.change(worth.honba))] : []),
    ...(worth.sticks ? [stick("rs", sheet.sticks), element("b", { class: "num gain" }, words.change(worth.sticks))] : []),
  ];
  return [
    element("p", { class: "sum" }, ...size, limit ? element("span", { class: "lim" }, limit) : null,
      element("span", { class: "pts" }, isEach ? sheet.each(shares) : sheet.points(shares))),
    more.length ? element("p", { class: "bar more" }, ...more) : null,
    worth.liable === null ? null : element("p", { class: "sub" }, sheet.liable(names[worth.liable])),
  ].filter(Boolean);
}

/** Returns the players by score, with what each gains or loses; ``notes`` are a word and tiles for some seats. */
function standings(position, scores, changes, words, notes = []) {
  const order = scores.map((_, seat) => seat).sort((one, other) => scores[other] - scores[one] || one - other);
  return element("ol", { class: "standings" }, ...order.map((seat) => {
    const { word = null, tiles = [] } = notes[seat] ?? {};
    return element("li", { class: seat === position.seat ? "me" : null },
      element("span", { class: "pl" }, words.windLetters[windOf(position, seat)]),
      element("span", { class: "nm" }, element("bdi", {}, position.names[seat]),
        seat === position.seat ? element("span", { class: "tag" }, words.sheet.you) : null,
        word === null ? null : element("small", {}, ` ${word}`)),
      element("span", { class: "pt" }, words.points(scores[seat])),
      element("span", { class: `ch ${changes[seat] < 0 ? "loss" : "gain"}` }, changes[seat] ? words.change(changes[seat]) : ""),
      tiles.length ? element("span", { class: "th" }, ...tiles.map((each) => tileElement(each, words))) : null);
  }));
}

// A draw, and the end

function drawSheet(position, words) {
  const { names, result: { draw: { reason, tehais, tenpais, deltas } } } = position;
  const notes = names.map((_, seat) => ({
    word: reason !== EXHAUSTED ? null : tenpais[seat] ? words.calls.tenpai : words.calls.noten,
    tiles: tehais[seat].filter((tile) => tile !== "?"),
  }));
  const text = words.draw(reason);
  return {
    kind: "small", title: text, head: [title(text, roundElement(position, words))],
    body: [standings(position, position.scores, deltas, words, notes)],
  };
}

/** Returns the button that leads to a replay. */
export function replayLink(record, words) {
  return element("a", { class: "btn", href: `/replay?game=${encodeURIComponent(record)}` }, words.sheet.replay);
}

function endSheet(position, words) {
  const { names, seat: own, end: { scores, places, results, record } } = position;
  const place = (seat) => (places === null ? scores.filter((score) => score > scores[seat]).length + 1 : places[seat]);
  const order = scores.map((_, seat) => seat).sort((one, other) => place(one) - place(other) || one - other);
  return {
    kind: "end", title: words.gameOver, head: [title(words.gameOver, results === null ? "" : words.sheet.results)],
    body: [element("ol", { class: "podium" }, ...order.map((seat) => element("li", { class: `place-${place(seat)}${seat === own ? " me" : ""}` },
      element("span", { class: "pl" }, words.place(place(seat))), element("span", { class: "face" }, crest(names[seat])),
      element("span", { class: "nm" }, element("bdi", {}, names[seat]), seat === own ? element("span", { class: "tag" }, words.sheet.you) : null),
      element("span", { class: "pt" }, words.points(scores[seat])),
      results === null ? null : element("span", { class: `up num ${results[seat] < 0 ? "loss" : "gain"}` }, signed(results[seat] / 1000)))))],
    links: record === null ? [] : [replayLink(record, words)],
  };
}
