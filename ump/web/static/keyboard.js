// What keys mean besides single commands: a tile that is typed, and a key that several choices share.

const HONOURS = ["E", "S", "W", "N", "P", "F", "C"];

/** A tile that is typed as in 4z or 0m: a digit opens the entry, and only then are m, p, s and z suits. */
export class TypedTile {
  #digit = null;

  /** Returns whether a digit waits for its suit. */
  get isOpen() {
    return this.#digit !== null;
  }

  /** Takes a key. Returns whether it belongs to the entry, and the names of the tiles that it completes. */
  press(key) {
    if (/^[0-9]$/.test(key)) {
      this.#digit = key;
      return { isTaken: true, names: [] };
    }
    const digit = this.#digit;
    this.#digit = null;
    if (digit === null || !/^[mpsz]$/i.test(key)) return { isTaken: false, names: [] };
    return { isTaken: true, names: named(Number(digit), key.toLowerCase()) };
  }
}

/** Returns the tiles that a digit and a suit name, the plain one first: 5m is also the red five if there is no other. */
function named(digit, suit) {
  if (suit === "z") return digit >= 1 && digit <= 7 ? [HONOURS[digit - 1]] : [];
  return digit === 0 ? [`5${suit}r`] : digit === 5 ? [`5${suit}`, `5${suit}r`] : [`${digit}${suit}`];
}

/** Returns the place of the last of these tiles in a hand, so that a drawn one comes first; -1 without one. */
export function placeOf(hand, names) {
  for (const name of names) {
    const place = hand.lastIndexOf(name);
    if (place >= 0) return place;
  }
  return -1;
}

/** Returns whether choices are different calls, and not one riichi whose tile is chosen in the hand. */
export function areDistinct(choices) {
  return choices.length > 1 && !choices.some((each) => ["richi", "openrichi"].includes(each.command));
}
