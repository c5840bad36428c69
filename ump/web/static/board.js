// The table seen from above: four seats around a centre. Each seat has one layout, turned by CSS.

import { Box, element, tileElement } from "./elements.js";
import { doraOf, plain } from "./position.js";

export const SIDES = ["own", "right", "opposite", "left"];
const WINDS = ["E", "S", "W", "N"];
const ROWS = [[0, 6], [6, 12], [12, 30]];
const ROW = 6;
const INDICATORS = 5;

/** Returns the side of the table at which a seat sits, as the seat ``view`` sees it. */
export function sideOf(seat, view, players) {
  const distance = (seat - view + players) % players;
  // At a table of three nobody sits opposite: the player before is on the left, as at a table of four.
  return distance === players - 1 ? "left" : SIDES[distance];
}

export const windOf = ({ oya, players }, seat) => WINDS[(seat - oya + players) % players];

/** Returns whether a seat's riichi stick lies on the table: it does once the tile has passed. */
export const isInRiichi = ({ riichi, declaring }, seat) => riichi[seat] && !declaring[seat];

/** Tiles of a box lie over their neighbour, so that each shows its thickness, which is at the bottom of the screen. */
const depth = (side, place) => (side === "right" ? 40 - place : place);

export class Board {
  #position = null;
  #options = {};

  /** Draws a board into ``root``; ``words`` are those of a language. */
  constructor(root, words) {
    this.words = words;
    this.seats = SIDES.map((side) => new SeatBoxes(side));
    this.centre = new Box(element("div", { class: "centre" }));
    this.isCompared = false; // whether the middle shows the differences to the own score
    this.root = element("div", { class: "plane" }, ...this.seats.map((each) => each.root), this.centre.root);
    this.root.addEventListener("click", (event) => this.#click(event));
    for (const type of ["pointerdown", "pointerup", "pointercancel", "pointerleave"]) {
      this.centre.root.addEventListener(type, () => this.#compare(type === "pointerdown"));
    }
    root.append(this.root);
  }

  /**
   * Shows a position. Options: ``view``, the seat at the bottom; ``openHands``, whether all hands lie open;
   * ``ownHand``, whether the hand and the melds of the seat at the bottom are on the board; ``marks``, classes by tile
   * for tiles in hands and rivers; ``handMarks``, the same by seat for its hand alone; and functions for clicks:
   * ``onRiver(seat)``, ``onCentre()``.
   */
  show(position, options = {}) {
    this.#position = position;
    this.#options = { view: position.seat ?? 0, openHands: false, ownHand: true, marks: {}, handMarks: {}, ...options };
    this.#options.dora = new Set(position.doraMarkers.map((each) => doraOf(each, position.players)));
    for (const boxes of this.seats) {
      const seat = this.#seatAt(boxes.side);
      boxes.root.hidden = seat === null;
      if (seat !== null) boxes.show(position, seat, this.#options, this.words);
    }
    this.#showCentre();
  }

  #showCentre() {
    const { words } = this;
    const { bakaze, kyoku, tilesLeft, scores, turn, oya } = this.#position;
    const { view } = this.#options;
    const riichi = scores.map((_, seat) => isInRiichi(this.#position, seat));
    const shown = this.isCompared ? scores.map((score, seat) => (seat === view ? score : words.change(score - scores[view]))) : scores;
    this.centre.show([bakaze, kyoku, tilesLeft, shown, turn, oya, view, riichi, words.language], () => [
      ...shown.flatMap((score, seat) => {
        const side = sideOf(seat, view, scores.length);
        return [
          element("span", { class: `turnbar ${side}${turn === seat ? " on" : ""}` }),
          riichi[seat] ? element("span", { class: `stick ${side}`, role: "img", "aria-label": words.calls.riichi }) : null,
          element("span", { class: `sc ${side}${seat === oya ? " dealer" : ""}` },
            element("span", { class: "wd" }, words.windLetters[windOf(this.#position, seat)]),
            element("span", {}, typeof score === "number" ? words.points(score) : score)),
        ].filter(Boolean);
      }),
      element("div", { class: "mid" },
        element("span", { class: "round" }, `${words.windLetters[bakaze]}${kyoku}`),
        element("span", { class: "left-n", "aria-label": words.tilesLeft(tilesLeft), role: "img" },
          element("span", { class: "lw" }, words.left[0]), element("b", { class: "num" }, tilesLeft), element("span", { class: "lw" }, words.left[1]))),
    ]);
  }

  #compare(isCompared) {
    if (this.#position === null || this.#options.onCentre || this.isCompared === isCompared) return;
    this.isCompared = isCompared;
    this.#showCentre();
  }

  #seatAt(side) {
    for (let seat = 0; seat < this.#position.players; seat += 1) {
      if (sideOf(seat, this.#options.view, this.#position.players) === side) return seat;
    }
    return null;
  }

  #click({ target }) {
    if (this.#position === null) return;
    if (target.closest(".centre")) this.#options.onCentre?.();
    else if (target.closest(".river")) this.#options.onRiver?.(this.#seatAt(target.closest(".seat").dataset.side));
  }
}

class SeatBoxes {
  #discards = 0;

  constructor(side) {
    this.side = side;
    this.root = element("section", { class: `seat ${side}`, "data-side": side });
    const box = (name, attributes = {}) => {
      const made = element("div", { class: name, ...attributes });
      this.root.append(made);
      return new Box(made);
    };
    this.river = box("river", { role: "group" });
    this.standing = box("standing");
  }

  show(position, seat, options, words) {
    const label = words.seat(position.names[seat], windOf(position, seat), position.scores[seat], isInRiichi(position, seat));
    if (this.root.getAttribute("aria-label") !== label) this.root.setAttribute("aria-label", label);
    this.river.root.setAttribute("aria-label", words.river);
    this.#showRiver(position, seat, options, words);
    this.#showStanding(position, seat, options, words);
  }

  #showRiver(position, seat, { marks, dora }, words) {
    const river = position.rivers[seat];
    const last = position.last?.seat === seat ? position.last.index : -1;
    const isLanding = river.length === this.#discards + 1 && last === river.length - 1;
    this.#discards = river.length;
    this.river.show([river, last, marks, [...dora], words.language], () => ROWS.map(([from, to]) => {
      const row = river.slice(from, to);
      return element("div", { class: row.length > ROW ? "row long" : "row", "--n": row.length }, ...row.map((each, place) => {
        const states = ["tsumogiri", "called"].filter((state) => each[state]);
        if (each.riichi) states.push("sideways", "riichi");
        if (dora.has(plain(each.tile))) states.push("dora");
        if (from + place === last) states.push("last", ...(isLanding ? ["landing"] : []));
        return tileElement(each.tile, words, [...states, ...(marks[each.tile] ?? [])], { "--z": depth(this.side, from + place) });
      }));
    }));
  }

  /** Shows the hand, which stands, and the melds at the right hand of the player. */
  #showStanding(position, seat, { openHands, ownHand, view, handMarks, marks: common, dora }, words) {
    const marks = handMarks[seat] ?? common;
    const isShown = ownHand || seat !== view;
    const isOpen = openHands || seat === view || position.result !== null;
    const hand = isShown ? position.hands[seat].map((tile) => (isOpen ? tile : "?")) : [];
    const isDrawn = position.drawn[seat] !== null && hand.length > 0;
    const melds = isShown ? position.melds[seat] : [];
    const norths = isShown ? position.norths[seat] : 0;
    this.standing.root.style.setProperty("--m", melds.length);
    this.standing.show([hand, isDrawn, marks, [...dora], melds, norths, seat, position.players, words.language], () => [
      ...hand.map((tile, place) => {
        const isLast = isDrawn && place === hand.length - 1;
        const style = { "--z": depth(this.side, place) };
        if (tile === "?") return element("span", { class: isLast ? "st gap" : "st", ...style });
        const states = [...(isLast ? ["drawn"] : []), ...(dora.has(plain(tile)) ? ["dora"] : []), ...(marks[tile] ?? [])];
        return tileElement(tile, words, states, style);
      }),
      element("div", { class: "melds" }, ...(isShown ? meldElements(position, seat, words, this.side, dora) : [])),
    ]);
  }
}

/** Returns the melds and the norths of a seat. */
export function meldElements({ melds, norths, players }, seat, words, side = "own", dora = new Set()) {
  return [
    ...melds[seat].map((meld) => meldElement(meld, seat, players, words, side, dora)),
    ...northElements(norths[seat], words),
  ];
}

/** Returns a meld: the called tile lies sideways, on the side of the player from whom it came. */
export function meldElement({ type, tiles, called, from, added }, seat, players, words, side = "own", dora = new Set()) {
  const shown = (tile, place, states = []) => (
    tileElement(tile, words, [...states, ...(dora.has(plain(tile)) ? ["dora"] : [])], { "--z": depth(side, place) }));
  const meld = (parts) => element("span", { class: "meld", role: "group", "aria-label": words.meld(type) }, ...parts);
  if (type === "ankan") return meld(["?", tiles[1], tiles[2], "?"].map((each, place) => shown(each, place)));
  const lyingAt = { left: 0, opposite: 1, right: tiles.length }[sideOf(from, seat, players)] ?? 0;
  const lying = shown(called, lyingAt, ["sideways"]);
  const parts = tiles.map((each, place) => shown(each, place < lyingAt ? place : place + 1));
  parts.splice(lyingAt, 0, added === null ? lying : element("span", { class: "stacked" }, shown(added, lyingAt, ["sideways"]), lying));
  return meld(parts);
}

/** Returns the norths set aside: one tile with their number. */
function northElements(count, words) {
  if (!count) return [];
  return [element("span", { class: "meld kita", role: "group", "aria-label": words.norths(count) },
    tileElement("N", words), element("b", { class: "num", "aria-hidden": "true" }, `×${count}`))];
}

/** Returns the round, the sticks, and the dora indicators: what lies at the edge of the table. */
export function infoElements({ bakaze, kyoku, honba, kyotaku, doraMarkers }, words) {
  return [
    element("div", { class: "line", role: "img", "aria-label": `${words.round(bakaze, kyoku)}, ${words.sticks(honba, kyotaku)}` },
      element("b", {}, words.round(bakaze, kyoku)),
      element("span", { class: "bar num" }, element("i", { class: "hs" }), `×${honba}`),
      element("span", { class: "bar num" }, element("i", { class: "rs" }), `×${kyotaku}`)),
    element("div", { class: "doras", role: "group", "aria-label": words.doraIndicators },
      ...Array.from({ length: INDICATORS }, (_, place) => tileElement(doraMarkers[place] ?? "?", words))),
  ];
}
