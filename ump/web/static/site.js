// What the pages around the tables share: their words, and the ways to them, at the head or, on an upright phone, at the
// foot.

import { element } from "./elements.js";
import { icon } from "./pictures.js";
import "./preferences.js"; // sets the theme
import { chosenWords } from "./words/languages.js";

import("./worker_start.js");
const common = chosenWords();
const { words: others } = await import(`./words/site_${common.language}.js`);

/** The words of the tables, which boards need too, and those of the pages around them. */
export const words = { ...common, ...others };

const PAGES = [["play", "/", "play"], ["watch", "/#live", "eye"], ["learn", "/learn", "book"], ["replays", "/#games", "step"], ["mine", "/me", "log"], ["ladder", "/ladder", "users"]];

/** Fills the navigation; ``current`` is the page that is open, and a server without rated rooms has no ladder. */
export function showNavigation(box, current, hasLadder) {
  const pages = PAGES.filter(([name]) => name !== "ladder" || hasLadder);
  if (box.children.length === pages.length) return; // as it is already
  box.setAttribute("aria-label", words.site.pages);
  box.replaceChildren(...pages.map(([name, href, picture]) => (
    element("a", { href, "aria-current": name === current ? "page" : null }, icon(picture), words.site[name]))));
}
