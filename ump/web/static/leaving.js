// Leaving a table: a dialog that asks whether the seat is kept, and the question about other games of this guest.

import { element } from "./elements.js";
import { giveUp, seatAddress } from "./guest.js";

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
    element("p", {}, words.seats.leaving),
    element("div", { class: "row" },
      element("button", { type: "button", class: "btn main", onclick: () => dialog.close() }, words.seats.stay),
      element("button", { type: "button", class: "btn", id: "leave-keeping", onclick: go }, words.seats.keep),
      element("button", { type: "button", class: "btn", id: "leave-for-good", onclick: () => giveUp(game).finally(go) }, words.seats.giveUp)));
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("keydown", (event) => event.stopPropagation()); // keys of the table wait
  document.querySelector("main").append(dialog);
  dialog.showModal();
}

/** Returns the choices of a guest that has seats elsewhere: go back, leave them, or play one more game with ``play``. */
export function choicesBeside(seats, play, words) {
  const leave = async () => {
    await Promise.allSettled(seats.map(({ game }) => giveUp(game)));
    play("back");
  };
  return [
    ...seats.map((seat) => element("a", { class: "btn main", href: seatAddress(seat) }, words.seats.back(seat.code ?? seat.game))),
    element("button", { type: "button", class: "btn", id: "leave-others", onclick: leave }, words.seats.leaveThem(seats.length)),
    seats.length < 2 ? element("button", { type: "button", class: "btn", id: "play-both", onclick: () => play("new") }, words.seats.both) : null,
  ];
}
