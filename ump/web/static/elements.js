// Makes elements without innerHTML: the Content-Security-Policy of the pages allows no text to become code.

import { plain } from "./position.js";

/** Returns an element with classes, attributes and children; texts become text nodes. */
export function element(name, { class: classes, ...attributes } = {}, ...children) {
  const made = document.createElement(name);
  if (classes) made.className = classes;
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key.startsWith("--")) made.style.setProperty(key, value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** Returns an SVG element with attributes and children. */
export function svg(name, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) if (value !== null) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** Returns a tile; states are classes as board.css has them. It is a picture with a name for screen readers. */
export function tileElement(tile, words, states = [], { name = "span", ...attributes } = {}) {
  const classes = ["tile", `t-${tile === "?" ? "back" : tile}`, ...states].join(" ");
  const label = [words.tile(tile), ...states.map((state) => words.states[state]).filter(Boolean)].join(", ");
  const role = name === "span" ? { role: "img" } : {};
  const alike = tile === "?" ? {} : { "data-tile": plain(tile) };
  return element(name, { class: classes, "aria-label": label, ...role, ...alike, ...attributes });
}

/** Shows children in a box only if what they are made from has changed. */
export class Box {
  #shown = null;

  constructor(root) {
    this.root = root;
  }

  /** Calls ``make`` for new children if ``from``, anything that JSON can hold, is another value than last time. */
  show(from, make) {
    const key = JSON.stringify(from);
    if (key === this.#shown) return false;
    this.#shown = key;
    this.root.replaceChildren(...make());
    return true;
  }
}
