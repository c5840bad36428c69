// Automatic play: what a player need not decide each time. All but the sorting of the hand end with the kyoku.

import { element } from "./elements.js";
import { prefer, preference } from "./preferences.js";

/** The keys of the switches. */
export const SWITCH_KEYS = { a: "win", n: "calls", g: "discard" };

const RESET = Object.values(SWITCH_KEYS);

export class Switches {
  win = false;
  calls = false;
  discard = false;
  #buttons = {};

  /** Draws into ``root``; ``changed()`` is called after each change. */
  constructor(root, words, changed) {
    this.changed = changed;
    for (const name of [...RESET, "sort"]) {
      this.#buttons[name] = element("button", { type: "button", id: `switch-${name}`, onclick: () => this.set(name, !this[name]) },
        element("i", {}), words.switches[name]);
    }
    root.append(...Object.values(this.#buttons));
    this.#show();
  }

  get sort() {
    return preference("sort");
  }

  set(name, value) {
    if (name === "sort") prefer("sort", value);
    else this[name] = value;
    this.#show();
    this.changed();
  }

  reset() {
    for (const name of RESET) this[name] = false;
    this.#show();
  }

  #show() {
    for (const [name, button] of Object.entries(this.#buttons)) button.setAttribute("aria-pressed", String(this[name]));
  }
}
