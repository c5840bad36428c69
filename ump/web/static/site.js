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

const LADDER = "ump-ladder"; // where a tab keeps that this server has a ladder

/** Fills the navigation; ``current`` is the page that is open. A server without rated rooms has no ladder. */
export async function showNavigation(box, current) {
  const isKnown = sessionStorage.getItem(LADDER) !== null;
  fill(box, current, isKnown);
  if (isKnown) return;
  const response = await fetch("/api/ladder").catch(() => null);
  const { rooms } = response?.ok ? await response.json() : { rooms: [] };
  if (rooms.length === 0) return;
  sessionStorage.setItem(LADDER, "yes");
  fill(box, current, true);
}

function fill(box, current, hasLadder) {
  const pages = PAGES.filter(([name]) => name !== "ladder" || hasLadder);
  box.setAttribute("aria-label", words.site.pages);
  box.replaceChildren(...pages.map(([name, href, picture]) => (
    element("a", { href, "aria-current": name === current ? "page" : null }, icon(picture), words.site[name]))));
}
