// Motion besides what the sheets do by themselves: words of calls at a seat, and tiles that fly.

import { element } from "./elements.js";

const STATIC = 600; // milliseconds of a word where nothing moves
const still = matchMedia("(prefers-reduced-motion: reduce)");

/** Returns whether the system asks for no motion. */
export const isStill = () => still.matches;

/** Shows the word of a call at a side of the table, for a moment. */
export function splash(root, text, kind, side) {
  const word = element("div", { class: `splash ${kind} ${side}`, "aria-hidden": "true" }, text);
  root.append(word);
  if (isStill()) setTimeout(() => word.remove(), STATIC);
  else word.addEventListener("animationend", () => word.remove());
}

/** Lets an element come from another place: a rectangle of the window. */
export function fly(tile, from, milliseconds) {
  if (isStill() || tile === null || from === null) return;
  const to = tile.getBoundingClientRect();
  const [x, y] = [from.left + from.width / 2 - to.left - to.width / 2, from.top + from.height / 2 - to.top - to.height / 2];
  tile.classList.remove("landing");
  tile.animate([{ translate: `${x}px ${y}px`, scale: from.width / to.width }, {}], { duration: milliseconds, easing: "cubic-bezier(.2, .8, .2, 1)" });
}
