// What the server tells of the own hand with _waits=1: waits with the tiles left of them, shanten, furiten. A hint is
// {shanten, waits, isFuriten, discards, safe}; ``discards`` has the same by tile for each discard that leaves the hand
// tenpai, and ``safe`` are the discards on which nobody in riichi can win. In some rooms it also advises.

import { element, tileElement } from "./elements.js";
import { icon } from "./pictures.js";
import { tilesOf, toMjai } from "./ump_sentences.js";

const NOTHING = { shanten: null, waits: [], isFuriten: false, discards: {}, safe: [] };

/** Returns the waits of a text such as 4m:3/7m:2. */
const waitsOf = (parts) => parts.map((part) => ({ tile: toMjai(part.slice(0, 2)), left: Number(part.slice(3)) }));

/** Returns the discards of a text such as 9p/4m:3/7m:2,1z/5m:1/furiten, by tile. */
function discardsOf(text) {
  return Object.fromEntries(text.split(",").map((each) => {
    const [tile, ...parts] = each.split("/");
    const isFuriten = parts.at(-1) === "furiten";
    return [toMjai(tile), { waits: waitsOf(isFuriten ? parts.slice(0, -1) : parts), isFuriten }];
  }));
}

/** Returns the hint of a sentence between two turns, or null if it is none. */
export function hintOfSentence({ command, words }) {
  if (command === "_shanten") return { ...NOTHING, shanten: Number(words[0]) };
  if (command === "_waits") return { ...NOTHING, waits: waitsOf(words[0].split("/")), isFuriten: words.length > 1 };
  return null;
}

/** Returns the hint of a question, or null if it has none: the client has not asked, or the room gives none. */
export function hintOfQuestion({ hints }) {
  const safe = tilesOf(hints._safe);
  if (hints._tenpai) return { ...NOTHING, discards: discardsOf(hints._tenpai), safe };
  if (hints._waits) return { ...NOTHING, waits: waitsOf(hints._waits.split("/")), isFuriten: "_furiten" in hints };
  return hints._shanten ? { ...NOTHING, shanten: Number(hints._shanten), safe } : null;
}

/** Returns how many tiles are left of some waits. */
export const leftOf = (waits) => waits.reduce((sum, { left }) => sum + left, 0);

/**
 * Returns what to show of a hint: {tile, waits, isFuriten, shanten}. On the own turn that is the discard that the player
 * points at, or else the one with the most tiles left, without furiten if there is such a discard.
 */
export function shownHint(hint, pointed) {
  if (hint === null) return null;
  const { discards, safe: _, ...rest } = hint;
  const tiles = Object.keys(discards);
  if (!tiles.length) return { tile: null, ...rest };
  const worth = (tile) => leftOf(discards[tile].waits) - (discards[tile].isFuriten ? 1000 : 0);
  const tile = pointed in discards ? pointed : tiles.reduce((best, each) => (worth(each) > worth(best) ? each : best));
  return { tile, shanten: null, ...discards[tile] };
}

/** Returns, by tile, the states of the tiles whose discard leaves the hand tenpai. */
export function tenpaiMarks(hint) {
  return Object.fromEntries(Object.entries(hint?.discards ?? {}).map(([tile, { isFuriten }]) => (
    [tile, isFuriten ? ["tenpai", "furiten"] : ["tenpai"]])));
}

/** Adds to states by tile those of the tiles that are safe. */
export function withSafe(marks, hint) {
  const added = (hint?.safe ?? []).map((tile) => [tile, [...(marks[tile] ?? []), "safe"]]);
  return { ...marks, ...Object.fromEntries(added) };
}

/** Adds to states by tile that of the tile which the best answer of an advice discards. */
export function withAdvised(marks, advice) {
  const [best] = advice ?? [];
  if (best === undefined || best.tiles.length !== 1) return marks;
  return { ...marks, [best.tiles[0]]: [...(marks[best.tiles[0]] ?? []), "advised"] };
}

/** Returns the answers of an advice, the best first; ``shanten`` is null after one that folds, or that needs no comparison. */
export const adviceOf = ([, ...answers]) => answers.map((each) => {
  const [offer, points = null, shanten = "-", left, risk] = each.split("/");
  const [command, tiles] = offer.split("=");
  return { command, tiles: tilesOf(tiles), points, shanten: shanten === "-" ? null : Number(shanten), left: Number(left), risk: Number(risk) };
});

const CALLS = { richi: "riichi", openrichi: "openriichi", ankan: "kan", kakan: "kan", no: "pass" };

/** Returns the contents of the drawer with an advice; null: there is none yet. */
export function adviceElements(advice, words) {
  const { advice: own, calls } = words;
  return [element("p", { role: "status" }, advice === null ? own.none : own.note), element("ol", { class: "advice" }, ...(advice ?? []).map((each) => {
    const { command, tiles, points, shanten, left, risk } = each;
    const reason = shanten === null ? own.folds : shanten === 0 ? own.tenpai(left) : own.near(shanten, left);
    return element("li", {},
      element("span", { class: "set" }, command === "sute" ? null : calls[CALLS[command] ?? command], ...tiles.map((tile) => tileElement(tile, words))),
      ...(points === null ? [] : [element("b", {}, own.points(words.change(Number(points)))),
        element("small", {}, risk ? `${reason}${own.risk(risk)}` : reason)]));
  }))];
}

/** Returns what is shown as elements: the tiles for the eye, and the same as a text for screen readers. */
export function hintElements({ tile, waits, isFuriten, shanten }, words) {
  if (shanten !== null) return [words.shanten(shanten)];
  const text = words.hint(tile, waits.map((each) => `${words.tile(each.tile)} (${words.unseen(each.left)})`).join(", "), isFuriten);
  return [element("span", { class: "unseen" }, text), element("span", { class: "eye", "aria-hidden": "true" },
    ...(tile === null ? [] : [tileElement(tile, words), icon("step")]),
    element("span", { class: isFuriten ? "cap furiten" : "cap" }, isFuriten ? words.furiten : words.waits),
    ...waits.map((each) => element("span", { class: "w num" },
      tileElement(each.tile, words, each.left ? [] : ["called"]), element("b", {}, `×${each.left}`))))];
}
