// The rules of a room: what differs from Tenhou's, in at most ten lines, and below it everything.

import { element } from "./elements.js";
import { listElements } from "./lists.js";
import { GROUPS, RULE_WORDS } from "./rule_words.js";
import { showNavigation, words } from "./site.js";
import { translate } from "./words/languages.js";

const own = RULE_WORDS[words.language];
const room = new URLSearchParams(location.search).get("room") ?? "main";
const content = document.getElementById("content");

const labelOf = (name) => own.fields[name] ?? name.replaceAll("-", " ");

/** Returns a value as the page says it: words in its language, numbers with separators. */
function valueOf(text) {
  if (/^-?\d+$/.test(text)) return words.points(Number(text));
  return own.values[text] ?? (text.includes(",") ? text.replaceAll(",", " / ") : text.replaceAll("-", " "));
}

async function look() {
  const response = await fetch(`/api/rules/${encodeURIComponent(room)}`).catch(() => null);
  if (response?.ok) show(await response.json());
  else showFailure(response === null ? words.gone : own.noRoom(room));
  document.body.dataset.ready = "true";
}

function show({ name, fields }) {
  const differs = (field) => fields[field].value !== fields[field].tenhou;
  const lines = Object.entries(GROUPS).map(([group, members]) => [group, members.filter(differs)]).filter(([, members]) => members.length);
  const facts = ["start-points", "return-points", "uma"].map((field) => `${labelOf(field)} ${valueOf(fields[field].value)}`);
  content.replaceChildren(
    element("section", {},
      element("h1", {}, own.title(room)),
      element("p", { class: "lead" }, [name, words.lengths[fields.length.value], ...facts].join(" · "))),
    element("section", {},
      element("h2", {}, own.differences),
      lines.length ? element("dl", { class: "panel differences" }, ...lines.flatMap(([group, members]) => [
        element("dt", {}, own.groups[group]),
        element("dd", {}, ...members.map((field) => element("span", {},
          `${labelOf(field)} `, element("b", {}, valueOf(fields[field].value)), element("small", {}, ` ${own.instead(valueOf(fields[field].tenhou))}`)))),
      ])) : element("p", { class: "panel none" }, own.same)),
    element("details", {},
      element("summary", {}, own.all),
      element("div", { class: "panel scroll", tabindex: "0", role: "region", "aria-label": own.all },
        element("table", {}, element("tbody", {}, ...Object.entries(fields).map(([field, { value, meaning }]) => element("tr", {},
          element("th", { scope: "row" }, labelOf(field)), element("td", {}, valueOf(value)),
          words.language === "en" ? element("td", { class: "meaning" }, meaning) : null)))))),
    ...listElements({ fields, seats: fields.uma.value.split(",").length, room }),
    element("p", {}, element("a", { class: "btn main", href: `/table?room=${encodeURIComponent(room)}` }, words.site.sit)));
}

function showFailure(text) {
  content.replaceChildren(element("section", {},
    element("h1", {}, own.title(room)), element("p", { class: "panel none", role: "alert" }, text),
    element("p", { class: "ways" },
      element("button", { type: "button", class: "btn main", onclick: look }, words.tryAgain),
      element("a", { class: "btn", href: "/" }, words.lobby))));
}

translate(words);
showNavigation(document.getElementById("nav"), "");
document.title = `ump: ${own.title(room)}`;
look();
