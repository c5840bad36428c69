// What a player has chosen for this browser. It is kept in the browser alone; what the sheets need to know is also an
// attribute of <html>.

const KEPT = "ump-preferences";
const ATTRIBUTES = ["theme", "felt", "tiles", "rows"];

/** Every choice with its value for somebody who has chosen nothing. */
const DEFAULTS = {
  theme: matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark", // or "light"
  felt: "green", // or "blue", "wine", "grey"
  tiles: "ivory", // or "black"
  rows: "two", // the hand on an upright phone; or "one"
  discard: "click", // how a mouse discards; or "double", "drag"
  sort: true, // the own hand
  hints: true, // waits and furiten
  safe: true, // mark tiles on which nobody in riichi can win
  alike: true, // light up tiles of one kind
  letters: true, // letters are keys (WCAG 2.1.4)
  volume: 0.5, // 0 to 1
  voice: true, // the words of calls
  tick: true, // a sound in the last seconds
  notify: false, // by the system, while the page is not in front
};

const chosen = { ...DEFAULTS, ...kept() };
const listeners = [];
let black = null; // the sheet with the art of black tiles, for those who want them

/** A page that was opened from a file may have no storage. */
function kept() {
  try {
    return JSON.parse(localStorage.getItem(KEPT) ?? "{}");
  } catch {
    return {};
  }
}

export const preference = (name) => chosen[name];

/** Chooses a value, and keeps it. */
export function prefer(name, value) {
  chosen[name] = value;
  try {
    localStorage.setItem(KEPT, JSON.stringify(chosen));
  } catch {
    // without storage it holds until the page is closed
  }
  show();
  for (const each of listeners) each(name);
}

/** Calls ``listener(name)`` after each change. */
export function onPreference(listener) {
  listeners.push(listener);
}

function show() {
  for (const name of ATTRIBUTES) document.documentElement.dataset[name] = chosen[name];
  if (chosen.tiles === "black" && black === null) {
    black = Object.assign(document.createElement("link"), { rel: "stylesheet", href: "/static/tiles_black.css" });
    document.head.append(black);
  }
}

show();
