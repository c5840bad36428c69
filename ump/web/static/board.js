// The table seen from above: four seats around a centre. Each seat has one layout, turned by CSS.

import { Box, element, tileElement } from "./elements.js";

const SIDES = ["own", "right", "opposite", "left"];
const WINDS = ["E", "S", "W", "N"];
const ROWS = [[0, 6], [6, 12], [12, 30]];
const LONG_ROW = 10;

/** Returns the sides of the table in the order of the seats, as the seat ``view`` sees them. */
export function sideOf(seat, view, players) {
  const distance = (seat - view + players) % players;
  // At a table of three nobody sits opposite: the player before is on the left, as at a table of four.
  return distance === players - 1 ? "left" : SIDES[distance];
}

export class Board {
  #position = null;
  #options = {};

  /** Draws a board into ``root``; ``words`` are those of a language. */
  constructor(root, words) {
    this.words = words;
    this.seats = SIDES.map((side) => new SeatBoxes(side));
    const middle = element("div", { class: "middle" });
    this.middle = new Box(middle);
    this.root = element("div", { class: "board" }, ...this.seats.map((each) => each.root), middle);
    this.root.addEventListener("click", (event) => this.#click(event));
    root.append(this.root);
  }

  /**
   * Shows a position. Options: ``view``, the seat at the bottom; ``openHands``, whether all hands lie open;
   * ``ownHand``, whether the hand and the melds of the seat at the bottom are on the board; ``marks``, classes by tile
   * for tiles in hands and rivers; ``handMarks``, the same by seat for its hand alone; ``notes``, a text for each seat;
   * and what to call on clicks: ``onSeat(seat)``, ``onRiver(seat)``, ``onCentre()``.
   */
  show(position, options = {}) {
    this.#position = position;
    this.#options = { view: position.seat ?? 0, openHands: false, ownHand: true, marks: {}, handMarks: {}, notes: [], ...options };
    const { view } = this.#options;
    for (const boxes of this.seats) {
      const seat = this.#seatAt(boxes.side);
      boxes.root.hidden = seat === null;
      if (seat !== null) boxes.show(position, seat, this.#options, this.words);
    }
    const { bakaze, kyoku, honba, kyotaku, tilesLeft, doraMarkers } = position;
    this.middle.show([bakaze, kyoku, honba, kyotaku, tilesLeft, doraMarkers, this.words.language, view], () => [
      element("strong", { class: "round" }, this.words.round(bakaze, kyoku)),
      element("span", { class: "left-tiles" }, this.words.tilesLeft(tilesLeft)),
      element("span", { class: "indicators", role: "group", "aria-label": this.words.doraIndicators },
        ...Array.from({ length: 5 }, (_, place) => tileElement(doraMarkers[place] ?? "?", this.words))),
      element("span", { class: "sticks" }, this.words.sticks(honba, kyotaku)),
    ]);
  }

  #seatAt(side) {
    for (let seat = 0; seat < this.#position.players; seat += 1) {
      if (sideOf(seat, this.#options.view, this.#position.players) === side) return seat;
    }
    return null;
  }

  #click(event) {
    const target = event.target.closest("[data-click]");
    if (target === null || this.#position === null) {
      if (event.target.closest(".middle")) this.#options.onCentre?.();
      return;
    }
    const seat = this.#seatAt(target.closest(".seat").dataset.side);
    const call = target.dataset.click === "river" ? this.#options.onRiver : this.#options.onSeat;
    call?.(seat);
  }
}

class SeatBoxes {
  constructor(side) {
    this.side = side;
    this.root = element("section", { class: `seat ${side}`, "data-side": side });
    const box = (name, click) => {
      const made = element("div", click ? { class: name, "data-click": click } : { class: name });
      this.root.append(made);
      return new Box(made);
    };
    this.plate = box("plate", "seat");
    this.river = box("river", "river");
    this.hand = box("hand");
    this.melds = box("melds");
    this.note = box("note");
  }

  show(position, seat, options, words) {
    const { names, scores, oya, players, riichi, turn } = position;
    const wind = WINDS[(seat - oya + players) % players];
    const isRiichi = riichi[seat] && !position.declaring[seat];
    this.root.classList.toggle("turn", turn === seat);
    this.root.setAttribute("aria-label", words.seat(names[seat], wind, scores[seat], isRiichi));
    this.plate.show([names[seat], wind, scores[seat], isRiichi, seat === oya, words.language], () => [
      element("span", { class: "line" },
        element("span", { class: seat === oya ? "wind dealer" : "wind" }, words.winds[wind]),
        element("span", { class: "score" }, words.points(scores[seat]))),
      element("bdi", { class: "name", title: names[seat] }, names[seat]),
      isRiichi ? element("span", { class: "stick", role: "img", "aria-label": words.calls.riichi }) : null,
    ].filter(Boolean));
    this.#showRiver(position, seat, options, words);
    this.#showHand(position, seat, options, words);
    const isShown = options.ownHand || seat !== options.view;
    this.melds.show([isShown, position.melds[seat], position.norths[seat], seat, players, words.language], () => (!isShown ? [] : [
      ...position.melds[seat].map((meld) => meldElement(meld, seat, players, words)),
      ...northElements(position.norths[seat], words),
    ]));
    const note = options.notes[seat] ?? "";
    this.note.show([note], () => (note ? [note] : []));
  }

  #showRiver(position, seat, { marks }, words) {
    const river = position.rivers[seat];
    const last = position.last?.seat === seat ? position.last.index : -1;
    this.river.show([river, last, marks, words.language], () => ROWS.map(([from, to]) => {
      const row = river.slice(from, to);
      return element("div", { class: row.length > LONG_ROW ? "row long" : "row" }, ...row.map((each, place) => {
        const states = ["tsumogiri", "called"].filter((state) => each[state]);
        if (each.riichi) states.push("sideways");
        if (from + place === last) states.push("last");
        return tileElement(each.tile, words, [...states, ...(marks[each.tile] ?? [])]);
      }));
    }));
  }

  #showHand(position, seat, { openHands, ownHand, view, handMarks, marks: common }, words) {
    const marks = handMarks[seat] ?? common;
    const isShown = ownHand || seat !== view;
    const isOpen = openHands || seat === view || position.result !== null;
    const hand = isShown ? position.hands[seat].map((tile) => (isOpen ? tile : "?")) : [];
    const isDrawn = position.drawn[seat] !== null && hand.length > 0;
    this.hand.show([hand, isDrawn, marks, words.language], () => hand.map((tile, place) => (
      tileElement(tile, words, [
        ...(isDrawn && place === hand.length - 1 ? ["drawn"] : []), ...(marks[tile] ?? []),
      ])
    )));
  }
}

/** Returns a meld: the called tile lies sideways, on the side of the player from whom it came. */
export function meldElement(meld, seat, players, words) {
  const { type, tiles, called, from, added } = meld;
  const label = words.meld(type);
  if (type === "ankan") {
    const shown = ["?", tiles[1], tiles[2], "?"];
    return element("span", { class: "meld", role: "group", "aria-label": label }, ...shown.map((each) => tileElement(each, words)));
  }
  const side = sideOf(from, seat, players);
  const place = { left: 0, opposite: 1, right: tiles.length }[side] ?? 0;
  const lying = tileElement(called, words, ["sideways"]);
  const stack = added === null ? lying : element("span", { class: "stacked" }, tileElement(added, words, ["sideways"]), lying);
  const upright = tiles.map((each) => tileElement(each, words));
  upright.splice(place, 0, stack);
  return element("span", { class: "meld", role: "group", "aria-label": label }, ...upright);
}

export function northElements(count, words) {
  if (!count) return [];
  const tiles = Array.from({ length: count }, () => tileElement("N", words));
  return [element("span", { class: "meld norths", role: "group", "aria-label": words.norths(count) }, ...tiles)];
}
