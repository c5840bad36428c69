// The kinds of drills as a list: with ratings, and with the own mistakes that are due.

import { element } from "./elements.js";

/** Returns a row for each kind, with its rating, and one for the own mistakes, with what is due. */
export function kindRows({ kinds, due }, texts, current = null) {
  const line = (kind, value) => element("li", {}, element("a", { href: `/drill?kind=${kind}`, "aria-current": kind === current ? "page" : null },
    element("b", {}, texts.kinds[kind]), element("span", {}, texts.about[kind]), element("em", { class: "num" }, value)));
  return [...kinds.map(({ kind, rating }) => line(kind, rating === null ? "–" : String(rating.rating))), line("mistake", String(due))];
}
