// Keeps the mistakes of a seat in a game: they come back as drills. Of a game of the server its name is enough; a record
// that was opened is sent along, and only positions of it are kept.

import { element } from "./elements.js";
import { askAboutDrills } from "./guest.js";

/**
 * Returns a paragraph with a button that keeps the mistakes of the seat that ``seatOf()`` returns. ``game`` is the name of a game of the
 * server; without it ``file`` is a record, and ``number`` counts its games from 0.
 */
export function keepElement({ game = null, file = null, number = 0, language, seatOf }) {
  const said = element("span", { role: "status", class: "message" });
  const button = element("button", { type: "button", onclick: async () => {
    button.disabled = true;
    const { words } = await import(`./words/drill_${language}.js`);
    said.textContent = words.keeping;
    said.replaceChildren(...await kept(words, { game, file, number, seat: "ABCD"[seatOf()] }));
    button.disabled = false;
  } });
  import(`./words/drill_${language}.js`).then(({ words }) => { button.textContent = words.keep; });
  return element("p", { class: "keep" }, button, " ", said);
}

async function kept(words, { game, file, number, seat }) {
  const query = new URLSearchParams({ seat, ...(game === null ? { number } : { game }) });
  try {
    const response = await askAboutDrills(`/mistakes?${query}`, { method: "POST", ...(game === null ? { body: file } : {}) });
    if (!response.ok) return [`${words.keepFailed} ${(await response.text()).trim()}`];
    const { found, new: fresh } = await response.json();
    return [words.kept(found, fresh), ...(fresh ? [element("a", { href: "/drill?kind=mistake" }, words.keptWhere), "."] : [])];
  } catch {
    return [words.keepFailed];
  }
}
