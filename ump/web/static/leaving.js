// Leaving a table: a dialog that asks whether the seat is kept, and the question about other games of this guest.

import { element } from "./elements.js";
import { giveUp, seatAddress } from "./guest.js";
import { chosenWords } from "./words/languages.js";

const { words: { seats } } = await import(`./words/club_${chosenWords().language}.js`);

/** Asks before a link leads away from a running game. ``game()`` returns its name; null: nothing is lost. */
export function askBeforeLeaving(game, words) {
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href]");
    if (link === null || game() === null || link.target) return;
    event.preventDefault();
    open(link.href, game(), words);
  });
}

function open(address, game, words) {
  const go = () => location.assign(address);
  const dialog = element("dialog", { class: "glass ask", "aria-label": words.leave },
    element("p", {}, seats.leaving),
    element("div", { class: "row" },
      element("button", { type: "button", class: "btn main", onclick: () => dialog.close() }, seats.stay),
      element("button", { type: "button", class: "btn", id: "leave-keeping", onclick: go }, seats.keep),
      element("button", { type: "button", class: "btn", id: "leave-for-good", onclick: () => giveUp(game).finally(go) }, seats.giveUp)));
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("keydown", (event) => event.stopPropagation()); // keys of the table wait
  document.querySelector("main").append(dialog);
  dialog.showModal();
}

/** Returns the choices of a guest that has seats elsewhere: go back, leave them, or play one more game with ``play``. */
export function choicesBeside(kept, play) {
  const leave = async () => {
    await Promise.allSettled(kept.map(({ game }) => giveUp(game)));
    play("back");
  };
  return [
    element("span", {}, seats.goesOn(kept.length)),
    ...kept.map((seat) => element("a", { class: "btn main", href: seatAddress(seat) }, seats.back(seat.code ?? seat.game))),
    element("button", { type: "button", class: "btn", id: "leave-others", onclick: leave }, seats.leaveThem(kept.length)),
    kept.length < 2 ? element("button", { type: "button", class: "btn", id: "play-both", onclick: () => play("new") }, seats.both) : null,
  ];
}
