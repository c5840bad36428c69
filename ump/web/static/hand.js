// The own hand: its tiles as buttons, in one row or two, and how a mouse or a finger discards one.

import { meldElements } from "./board.js";
import { Box, element, tileElement } from "./elements.js";
import { doraOf, plain } from "./position.js";
import { onPreference, preference } from "./preferences.js";

const UPRIGHT = matchMedia("(max-width: 719px) and (orientation: portrait)");
const LIFT = 28; // pixels upwards that make a drag or a flick
const ROW = 8; // tiles in the first row of two
const NOTHING = { tiles: [], isDrawn: false };

export class Hand {
  chosen = -1; // the place of the tile that is raised
  #shown = { ...NOTHING, legal: new Set(), marks: {} };
  #order = []; // the tiles as they stand: sorted, or as they were drawn
  #buttons = [];
  #press = null; // where and on which tile the pointer went down
  #isTouch = false; // whether the last pointer was a finger: not every browser says so with the click

  /**
   * Draws into ``root`` and ``meldRoot``. ``discard(tile, isDrawn)`` and ``refuse(tile)`` are called for a tile that may
   * be discarded and one that may not, ``point(tile)`` for the tile that is pointed at, or null.
   */
  constructor(root, meldRoot, words, { discard, refuse, point }) {
    this.root = root;
    this.words = words;
    this.melds = new Box(meldRoot);
    Object.assign(this, { discard, refuse, point });
    root.addEventListener("pointerdown", (event) => this.#down(event));
    root.addEventListener("pointermove", (event) => this.#move(event));
    addEventListener("pointerup", (event) => this.#up(event)); // a drag or a flick ends above the hand
    addEventListener("pointercancel", () => { this.#press = null; });
    root.addEventListener("pointerleave", () => this.point(null));
    root.addEventListener("click", (event) => this.#click(event));
    root.addEventListener("dblclick", (event) => this.#doubleClick(event));
    const again = () => this.#build();
    UPRIGHT.addEventListener("change", again);
    onPreference((name) => name === "rows" && again());
  }

  /** The tiles from left to right. */
  get tiles() {
    return this.#order;
  }

  /**
   * Shows the hand of the seat of a position. ``legal`` are the tiles that may be discarded now, null if it is not the
   * own turn, and of them only the drawn one with ``isLocked``; ``marks`` are states by tile; without ``isSorted`` tiles
   * stay where they were drawn.
   */
  show(position, { legal, isLocked, marks, isSorted }) {
    const { seat } = position;
    const { tiles, isDrawn } = seat === null ? NOTHING : { tiles: position.hands[seat], isDrawn: position.drawn[seat] !== null };
    const order = isSorted ? tiles : arranged(this.#order, tiles);
    const before = JSON.stringify([this.#order, this.#shown.isDrawn, this.#shown.beside]);
    const dora = new Set(position.doraMarkers.map((each) => doraOf(each, position.players)));
    const melds = seat === null ? [] : position.melds[seat];
    const norths = seat === null ? 0 : position.norths[seat];
    const beside = (melds.length ? 3 : 0) + (norths ? 1 : 0);
    this.#order = order;
    this.#shown = { tiles, isDrawn, legal, isLocked, marks, dora, beside };
    if (before !== JSON.stringify([order, isDrawn, beside])) this.#build();
    this.#update();
    this.melds.show([melds, norths, [...dora], this.words.language], () => (
      seat === null ? [] : meldElements(position, seat, this.words, "own", dora)));
  }

  /** Raises the tile at a place, or none with -1. */
  choose(place) {
    this.chosen = place;
    this.#update();
  }

  /** Discards the tile at a place, as a click does. */
  take(place) {
    const tile = this.#order[place];
    if (tile === undefined || this.#shown.legal === null) return;
    if (this.#isLegal(place)) this.discard(tile, this.#isDrawnAt(place));
    else this.refuse(tile);
  }

  /** Returns where a tile stands in the window, or null. */
  placeOf(tile, isDrawn) {
    const place = isDrawn ? this.#order.length - 1 : this.#order.indexOf(tile);
    return this.#buttons[place]?.getBoundingClientRect() ?? null;
  }

  #isLegal(place) {
    const { legal, isLocked } = this.#shown;
    return (legal?.has(this.#order[place]) ?? false) && (!isLocked || this.#isDrawnAt(place));
  }

  #isDrawnAt(place) {
    return this.#shown.isDrawn && place === this.#order.length - 1;
  }

  #build() {
    this.chosen = -1;
    this.#buttons = this.#order.map((tile, place) => tileElement(tile, this.words, this.#isDrawnAt(place) ? ["drawn"] : [], {
      name: "button", type: "button", "data-place": place,
    }));
    for (const button of this.#buttons) button.append(element("i")); // where the notch of tenpai is
    const isUpright = UPRIGHT.matches;
    const cut = isUpright && preference("rows") === "two" ? cutOf(this.#order, ROW - this.#shown.beside) : 0;
    const rows = [this.#buttons.slice(0, cut), this.#buttons.slice(cut)].filter((row) => row.length);
    this.root.replaceChildren(...(isUpright ? rows.map((row) => element("div", { class: "row2" }, ...row)) : this.#buttons));
    this.#update();
  }

  /** Shows states without making new tiles, so that nothing moves that has not changed. */
  #update() {
    const { legal, marks, dora = new Set() } = this.#shown;
    this.root.classList.toggle("my", legal !== null);
    this.#buttons.forEach((button, place) => {
      const tile = this.#order[place];
      const isLegal = this.#isLegal(place);
      const states = isLegal ? marks[tile] ?? [] : [];
      button.classList.toggle("chosen", place === this.chosen);
      button.classList.toggle("off", legal !== null && !isLegal);
      button.classList.toggle("dora", dora.has(plain(tile)));
      for (const state of ["tenpai", "furiten", "safe", "advised"]) button.classList.toggle(state, states.includes(state));
      const said = [...(this.#isDrawnAt(place) ? ["drawn"] : []), ...(dora.has(plain(tile)) ? ["dora"] : []), ...states];
      const label = [this.words.tile(tile), ...said.map((state) => this.words.states[state]).filter(Boolean)].join(", ");
      if (button.getAttribute("aria-label") !== label) button.setAttribute("aria-label", label);
      if (isLegal) button.removeAttribute("aria-disabled");
      else button.setAttribute("aria-disabled", "true");
    });
  }

  // Pointers

  #placeAt({ clientX, clientY }) {
    const found = document.elementFromPoint(clientX, clientY)?.closest("[data-place]");
    return found && this.root.contains(found) ? Number(found.dataset.place) : -1;
  }

  #down(event) {
    this.#isTouch = event.pointerType !== "mouse";
    const place = this.#placeAt(event);
    if (place < 0) return;
    this.#press = { place, y: event.clientY, wasChosen: place === this.chosen };
    if (this.#isTouch) {
      this.choose(place);
      this.point(this.#order[place]);
    }
  }

  /** A finger that slides along the hand takes the raised tile with it. */
  #move(event) {
    const place = this.#placeAt(event);
    if (event.pointerType === "mouse") this.point(this.#order[place] ?? null);
    else if (this.#press !== null && place >= 0 && place !== this.chosen) {
      this.#press = { ...this.#press, place, wasChosen: false };
      this.choose(place);
      this.point(this.#order[place]);
    }
  }

  #up(event) {
    const press = this.#press;
    this.#press = null;
    if (press === null) return;
    const isLifted = press.y - event.clientY > LIFT;
    const isTapped = press.wasChosen && this.#placeAt(event) === press.place;
    if (this.#isTouch ? isLifted || isTapped : isLifted && preference("discard") === "drag") this.take(press.place);
  }

  /** A mouse, a key or a screen reader has clicked; fingers are served by their pointers. */
  #click(event) {
    const place = Number(event.target.closest("[data-place]")?.dataset.place ?? -1);
    if (place < 0 || (this.#isTouch && event.detail > 0)) return;
    if (preference("discard") === "click" || event.detail === 0) this.take(place);
    else this.choose(place);
  }

  #doubleClick(event) {
    const place = Number(event.target.closest("[data-place]")?.dataset.place ?? -1);
    if (place >= 0 && preference("discard") === "double") this.take(place);
  }
}

/** Returns a hand in the order of before, with what is new at its right end. */
function arranged(before, tiles) {
  const left = [...tiles];
  const kept = before.filter((tile) => {
    const place = left.indexOf(tile);
    if (place >= 0) left.splice(place, 1);
    return place >= 0;
  });
  return [...kept, ...left];
}

/** Returns how many tiles stand in the first of two rows: the end of a suit near the middle, otherwise half of them. */
function cutOf(tiles, second) {
  if (tiles.length <= ROW) return 0;
  const suit = (tile) => (tile.length === 1 ? "z" : tile[1]);
  const worth = (cut) => Math.abs(cut - tiles.length / 2) + (suit(tiles[cut]) === suit(tiles[cut - 1]) ? 50 : 0);
  const cuts = Array.from({ length: tiles.length }, (_, cut) => cut).filter((cut) => cut >= Math.max(1, tiles.length - second) && cut <= ROW);
  return cuts.length ? cuts.reduce((best, cut) => (worth(cut) < worth(best) ? cut : best)) : ROW;
}
