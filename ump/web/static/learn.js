// The course: its lessons in four groups, and where to go on.

import { element, tileElement } from "./elements.js";
import { askAboutDrills } from "./guest.js";
import { LESSONS } from "./lessons.js";
import { listElements } from "./lists.js";
import { shareWithAccount, solvedTasks } from "./progress.js";
import { showNavigation, words } from "./site.js";
import { tilesOf } from "./tile_text.js";
import { translate } from "./words/languages.js";

const { words: own } = await import(`./words/lessons_${words.language}.js`);
const find = (id) => document.getElementById(id);

const isDone = ({ id, tasks }, solved) => tasks.every((_, number) => solved.has(`${id}/${number}`));
const addressOf = ({ id }) => `/table?lesson=${id}`;

function show(solved) {
  const done = LESSONS.filter((lesson) => isDone(lesson, solved));
  const next = LESSONS.find((lesson) => !done.includes(lesson)) ?? null;
  find("title").textContent = own.page.title;
  find("lead").textContent = own.page.lead;
  find("done").replaceChildren(element("b", {}, `${done.length} / ${LESSONS.length}`), ` ${own.page.lessons}`);
  find("done").style.setProperty("--share", done.length / LESSONS.length);
  find("next").href = next === null ? "/" : addressOf(next);
  find("next").textContent = nextText(next, done.length);
  const groups = [...new Set(LESSONS.map(({ group }) => group))];
  find("course").replaceChildren(...groups.map((group) => element("section", {},
    element("h2", {}, own.groups[group]),
    element("ol", { class: "steps" }, ...LESSONS.filter((lesson) => lesson.group === group).map((lesson) => step(lesson, done, next))))));
}

function nextText(next, done) {
  if (next === null) return words.play;
  return done === 0 ? own.page.begin : own.page.goOn(own.lessons[next.id].title);
}

function step(lesson, done, next) {
  const isSolved = done.includes(lesson);
  const number = LESSONS.indexOf(lesson) + 1;
  return element("li", {}, element("a", { class: `step${isSolved ? " done" : ""}${lesson === next ? " now" : ""}`, href: addressOf(lesson) },
    element("b", {}, own.lessons[lesson.id].title),
    element("span", { class: "number", ...(isSolved ? { role: "img", "aria-label": own.page.done } : {}) }, isSolved ? "✓" : number),
    element("span", { class: "art", "aria-hidden": "true" }, ...tilesOf(lesson.art).map((tile) => tileElement(tile, words)))));
}

/** Returns the game in one text, which is loaded when somebody opens it; there is no other language of it. */
function textElement() {
  const box = element("div", { class: "panel text", lang: "en" });
  return element("details", { ontoggle: async () => {
    const response = box.childElementCount > 0 ? null : await fetch("/static/mahjong.md").catch(() => null);
    if (!response?.ok) return;
    const { markdownElements } = await import("./markdown.js");
    box.replaceChildren(...markdownElements(await response.text(), words));
  } }, element("summary", {}, own.page.text), box);
}

/** Shows the own mistakes that are due, and the kinds of drills; a server without drills has none. */
async function showPractice() {
  const response = await askAboutDrills().catch(() => null);
  if (!response?.ok) return;
  const [overview, { words: drill }, { kindRows }] = await Promise.all([response.json(), import(`./words/drill_${words.language}.js`), import("./drill_kinds.js")]);
  const { due, waiting } = overview;
  find("practice").replaceChildren(
    element("section", { class: "panel due" }, element("h2", {}, drill.own),
      due ? element("p", {}, element("b", { class: "n num" }, String(due)), " ", drill.due(due)) : element("p", {}, drill.noneDue(waiting)),
      ...(due ? [element("a", { class: "btn main", href: "/drill?kind=mistake" }, drill.repeat)] : [])),
    element("section", {}, element("h2", {}, drill.title), element("nav", { class: "panel kinds", "aria-label": drill.title }, element("ul", {}, ...kindRows(overview, drill)))));
}

translate(words);
showNavigation(find("nav"), "learn");
document.title = `ump: ${own.page.title}`;
find("more").append(textElement(), ...listElements({}));
show(solvedTasks());
document.body.dataset.ready = "true";
shareWithAccount().then(show);
showPractice();
