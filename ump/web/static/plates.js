// The plates around the table: a crest, the wind and the name of each player, and a line about them.

import { SIDES, isInRiichi, sideOf, windOf } from "./board.js";
import { Box, element } from "./elements.js";
import { crest } from "./pictures.js";

export class Plates {
  /** Adds the plates to ``root``; ``clock``, if there is one, stands on the own plate. */
  constructor(root, words, { clock = null, onSeat = null } = {}) {
    this.words = words;
    this.clock = clock;
    this.onSeat = onSeat;
    this.plates = SIDES.map((side) => ({ side, box: new Box(element("div", { class: `glass plate ${side}`, hidden: true })) }));
    root.append(...this.plates.map(({ box }) => box.root));
  }

  /** Returns the plate of a side. */
  at(side) {
    return this.plates.find((each) => each.side === side).box.root;
  }

  /**
   * Shows the players of a position, seen from the seat ``view``, with the seat whose turn it is, and a note for each.
   * ``profiles`` are the words of the server about them, as ``bot:1500``, ``1487?120`` or ``-``, by seat.
   */
  show(position, view, { turn = null, notes = [], away = new Set(), profiles = [] } = {}) {
    const seats = position.names.map((_, seat) => seat);
    for (const { side, box } of this.plates) {
      const seat = seats.find((each) => sideOf(each, view, position.players) === side);
      box.root.hidden = seat === undefined;
      if (seat === undefined) continue;
      box.root.classList.toggle("dealer", seat === position.oya);
      box.root.classList.toggle("turn", seat === turn);
      const name = position.names[seat];
      const wind = windOf(position, seat);
      const isRiichi = isInRiichi(position, seat);
      const profile = profiles[seat] ?? "-";
      const note = notes[seat] ?? (away.has(seat) ? this.words.away : "");
      box.root.classList.toggle("absent", away.has(seat));
      box.show([name, wind, isRiichi, seat, note, profile], () => this.#contents({ name, wind, isRiichi, side, seat, note, profile }));
    }
  }

  #contents({ name, wind, isRiichi, side, seat, note, profile }) {
    const { words } = this;
    const face = element("span", { class: "face" },
      crest(name), element("i", { class: "ring" }), element("span", { class: "wb", "aria-hidden": "true" }, words.windLetters[wind]));
    const [, rating, margin] = profile.match(/(-?\d+)(?:\?(\d*))?/) ?? [];
    const title = this.onSeat === null
      ? element("bdi", { class: "nm", title: name }, name)
      : element("button", { class: "nm", type: "button", title: name, onclick: () => this.onSeat(seat) }, element("bdi", {}, name));
    return [face, element("span", { class: "who" }, title, element("span", { class: "st8" },
      isRiichi ? element("span", { class: "tag riichi" }, words.calls.riichi) : null,
      profile.startsWith("bot") ? element("span", { class: "tag" }, words.bot) : null,
      note || (rating && !isRiichi ? element("span", { class: "rating" }, `R ${rating}`, margin === undefined ? null : element("small", {}, margin ? ` ±${margin}` : "?")) : null),
      side === "own" && this.clock !== null ? this.clock : null))];
  }
}
