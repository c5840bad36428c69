// Tiles in short texts, as in 123m05p7z.

import { toMjai } from "./ump_sentences.js";

/** Returns the tiles of a text in mjai's notation. */
export function tilesOf(text) {
  return [...text.matchAll(/(\d+)([mpsz])/g)].flatMap(([, digits, suit]) => (
    [...digits].map((digit) => toMjai(digit === "0" ? `5${suit.toUpperCase()}` : digit + suit))));
}
