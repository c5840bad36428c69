// Reports of players to the moderators: a form with the seat and the reason, for users who have logged in.

import { element } from "./elements.js";
import { aboutAccount, askAboutAccount } from "./guest.js";
import { chosenWords, saidByServer } from "./words/languages.js";

const REASONS = ["program", "collusion", "sabotage", "name"];

const { words: { report } } = await import(`./words/club_${chosenWords().language}.js`);

/** Returns whether a user has logged in, who may report others here. */
export const mayReport = async () => Boolean((await aboutAccount())?.reports);

/** Lets a user report the others at a table: in the menu while they play, and on the last sheet. */
export class Reports {
  #position;

  /** Adds a drawer whose form sends an order, and returns what makes the buttons; null: nobody has logged in. */
  static async at(drawers, position, order) {
    if (!await mayReport()) return null;
    drawers.add("report", "flag", () => [reportForm(position().names, position().seat, (seat, reason) => {
      order(`_report ${seat} ${reason}`);
      drawers.close();
    })]);
    return new Reports(position);
  }

  constructor(position) {
    this.#position = position;
  }

  /** Returns the button for the sheet of a game that is over; none if it has no record. */
  buttons() {
    const { names, seat, end: { record } } = this.#position();
    return record === null ? [] : [element("button", { type: "button", class: "btn", id: "report", onclick: () => askForReport(record, names, seat) }, report.send)];
  }
}

/** Returns a form about one of the others; ``send(seat, reason)`` gets the letter of the seat. */
function reportForm(names, own, send) {
  const seats = [...names.keys()].filter((seat) => seat !== own);
  const player = element("select", { class: "field", id: "reported", required: true }, element("option", { value: "" }, report.choose), ...seats.map((seat) => element("option", { value: "ABCD"[seat] }, names[seat])));
  const reason = element("select", { class: "field", id: "reason" }, ...REASONS.map((each) => element("option", { value: each }, report.reasons[each])));
  return element("form", {
    class: "report",
    onsubmit: (event) => {
      event.preventDefault();
      send(player.value, reason.value);
    },
  }, element("label", {}, report.player, player), element("label", {}, report.reason, reason),
  element("p", { class: "note" }, report.note), element("div", { class: "row" }, element("button", { class: "btn main" }, report.send)));
}

/** Asks in a dialog who of a finished game is reported, and why, and says what has come of it. */
export function askForReport(record, names, own) {
  const said = element("p", { role: "status" });
  const close = element("button", { type: "button", class: "btn", onclick: () => dialog.close() }, report.close);
  const form = reportForm(names, own, async (seat, reason) => {
    said.textContent = await sent(record, seat, reason);
  });
  form.querySelector(".row").append(close);
  const dialog = element("dialog", { class: "glass ask", "aria-label": report.title }, element("h2", {}, report.title), form, said);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("keydown", (event) => event.stopPropagation()); // keys of the table wait
  document.querySelector("main").append(dialog);
  dialog.showModal();
}

/** Sends a report, and returns what the page says then. */
async function sent(game, seat, reason) {
  try {
    const response = await askAboutAccount("report", { game, seat, reason });
    return response.ok ? report.thanks : saidByServer((await response.text()).trim());
  } catch {
    return chosenWords().gone;
  }
}
