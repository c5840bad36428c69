// Another game of the same people, by one button on the last sheet: at a table among friends, which the first of them makes.

import { element } from "./elements.js";
import { askAboutMe, TABLE } from "./guest.js";
import { chosenWords, saidByServer } from "./words/languages.js";

const PERIOD = 3000; // milliseconds between two looks at who wants to play again
const LOOKS = 200;

const { words: { again } } = await import(`./words/club_${chosenWords().language}.js`);

/** Offers another game with the people of a game that is over, before the button ``last`` of its sheet. */
export async function offerAgain(game, last) {
  const button = element("button", { type: "button", class: "btn", id: "same-people", onclick: () => playAgain(game, button) });
  for (let looks = 0; looks < LOOKS && last.isConnected; looks += 1) {
    const { possible, wanting } = await wishes(game);
    if (!possible) return;
    button.textContent = wanting.length ? again.join(wanting.join(", ")) : again.play;
    button.classList.toggle("main", wanting.length > 0);
    if (!button.isConnected) last.before(button);
    await new Promise((done) => setTimeout(done, PERIOD));
  }
}

const pathOf = (game) => `/rematch?game=${encodeURIComponent(game)}`;

async function wishes(game) {
  const response = await askAboutMe(pathOf(game)).catch(() => null);
  return response?.ok ? response.json() : { possible: false, wanting: [] };
}

async function playAgain(game, button) {
  button.disabled = true;
  const response = await askAboutMe(pathOf(game), { method: "POST" }).catch(() => null);
  if (!response?.ok) {
    button.textContent = response === null ? chosenWords().gone : saidByServer((await response.text()).trim());
    return;
  }
  const { code, link } = await response.json();
  sessionStorage.setItem(TABLE, code);
  location.assign(link);
}
