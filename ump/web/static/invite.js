// The dialog of the lobby that makes a table among friends.

import { element } from "./elements.js";
import { lastTable, makeTable } from "./gathering.js";
import { askAboutTables } from "./guest.js";
import { saidByServer } from "./words/languages.js";

/** Opens the dialog; ``words`` are those of the pages around the tables. */
export async function inviteFriends(words) {
  const { invite } = words;
  const choices = await (await askAboutTables()).json();
  const wanted = { seats: "4", rules: null, length: "hanchan", clock: choices.clocks[2], bots: true, watchers: true, ...lastTable() };
  if (typeof wanted.bots === "boolean") wanted.bots = wanted.bots ? choices.bots[0] : "";
  if (wanted.rules !== null) wanted.seats = String(choices.rules.find(({ name }) => name === wanted.rules)?.seats ?? 4);
  const select = (name, pairs, change) => {
    const box = element("select", { class: "pick", name, onchange: change }, ...pairs.map(([value, text]) => element("option", { value, selected: value === wanted[name] }, text)));
    return [element("label", {}, element("span", {}, invite[name]), box), box];
  };
  const check = (name) => element("label", { class: "check" }, element("input", { type: "checkbox", name, checked: wanted[name] }), invite[name]);
  const rulesOf = (seats) => choices.rules.filter((each) => String(each.seats) === seats).map(({ name }) => [name, name]);
  const [seats, seatsBox] = select("seats", [["4", words.site.players(4)], ["3", words.site.players(3)]], () => {
    rulesBox.replaceChildren(...rulesOf(seatsBox.value).map(([value, text]) => element("option", { value }, text)));
  });
  const [rules, rulesBox] = select("rules", rulesOf(wanted.seats));
  const [length, lengthBox] = select("length", ["kyoku", "tonpu", "hanchan"].map((each) => [each, words.lengths[each]]));
  const [clock, clockBox] = select("clock", choices.clocks.map((each) => [each, `${words.site.paces[each] ?? ""} · ${words.site.time(...each.split("+"))}`]));
  const [bots, botsBox] = select("bots", [["", invite.noBots], ...choices.bots.map((kind) => [kind, words.bots[kind] ?? kind])]);
  const alert = element("p", { role: "alert" });
  const form = element("form", { onsubmit: async (event) => {
    event.preventDefault();
    alert.textContent = saidByServer(await makeTable({
      rules: rulesBox.value, length: lengthBox.value, clock: clockBox.value, bots: botsBox.value || false, watchers: form.elements.watchers.checked,
    }));
  } }, element("h2", {}, invite.title), element("p", { class: "note" }, invite.lead), seats, rules, length, clock, bots, check("watchers"), alert,
  element("div", { class: "row" },
    element("button", { class: "btn main", id: "make-table" }, invite.make),
    element("button", { type: "button", class: "btn", onclick: () => dialog.close() }, invite.cancel)));
  const dialog = element("dialog", { class: "ask", id: "friends", "aria-label": invite.title }, form);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
