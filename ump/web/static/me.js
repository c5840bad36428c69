// The games of this guest, or of the user who has logged in with this browser, and the figures over them.

import { element } from "./elements.js";
import { askAboutMe } from "./guest.js";
import { challenge, isSeen, lookAround } from "./people.js";
import { icon } from "./pictures.js";
import { showNavigation, words } from "./site.js";
import { called, locale, translate } from "./words/languages.js";

const FEW = 100; // kyoku below which rates say little
const PLACES = [1, 2, 3, 4];
const RATES = ["win_rate", "deal_in_rate", "riichi_rate", "call_rate"];

const find = (id) => document.getElementById(id);
const { history } = words;
let report = null; // the module of reports, if a user has logged in
let before = null; // where the next page of games begins

const percent = (share) => (share === null ? "–" : share.toLocaleString(words.language, { style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 }));
const number = (value, digits) => (value === null ? "–" : value.toLocaleString(words.language, { minimumFractionDigits: digits, maximumFractionDigits: digits }));

/** Returns the way to challenge a person in a game who is here now: only somebody who may be seen sees it. */
function wayToChallenge(person, name) {
  const label = words.people.challengeName(name);
  return element("button", { type: "button", class: "icb", "data-person": person, "aria-label": label, title: label, onclick: async () => {
    find("lead").textContent = await challenge(person);
  } }, icon("users"));
}

async function load() {
  try {
    const response = await askAboutMe(`/history${before === null ? "" : `?before=${encodeURIComponent(before.join())}`}`);
    if (!response.ok) throw new Error(response.statusText);
    show(await response.json());
  } catch {
    find("lead").textContent = words.gone;
  }
  document.body.dataset.ready = "true";
}

function show({ games, before: next, figures }) {
  if (figures !== undefined) {
    showFigures(figures);
    showRatings(games);
    import("./profile.js").then(({ showProfile }) => showProfile(find("profile"), words));
  }
  find("games").append(...games.map(gameRow));
  find("list").hidden = find("games").children.length === 0;
  find("lead").textContent = find("list").hidden ? history.none : history.lead;
  before = next;
  find("more").hidden = next === null;
}

/** Shows the rating of the newest own name in each rated room, with its course. */
async function showRatings(games) {
  const response = await fetch("/api/ladder").catch(() => null);
  const { rooms } = response?.ok ? await response.json() : { rooms: [] };
  if (!rooms.length) return;
  const { ratingGraph } = await import("./graph.js");
  for (const { name: room, players } of rooms) {
    const newest = games.find((game) => game.room === room);
    const row = players.find(({ name, builtin }) => !builtin && name === newest?.players[newest.seat].name);
    if (row !== undefined) find("ratings").append(await ratingOf(room, row, ratingGraph));
  }
  find("ratings").hidden = find("ratings").children.length === 0;
}

async function ratingOf(room, row, ratingGraph) {
  const { ratings } = words;
  const query = new URLSearchParams({ room, player: row.name });
  const response = await fetch(`/api/ladder?${query}`).catch(() => null);
  const { course } = response?.ok ? await response.json() : { course: [] };
  const margin = row.interval ? `±${Math.round(row.interval)}` : "";
  return element("section", {}, element("h2", {}, ratings.room(room)),
    element("p", {}, `${ratings.score(Math.round(row.rating), margin)}, ${ratings.count(row.games)} `, element("a", { href: `/ladder?${query}` }, words.ladder)),
    course.length > 1 ? ratingGraph(course, ratings.rating, { label: ratings.graph, language: locale }) : element("p", { class: "note" }, ratings.noGraph));
}

/** Shows the figures; before the first game of a server there are none at all. */
function showFigures({ all: [all] = [], room, month }) {
  if (all === undefined) return;
  find("figures").hidden = find("groups").hidden = false;
  const few = all.kyoku < FEW;
  find("figures").replaceChildren(element("div", { class: "tiles" },
    figure(history.completed, String(all.completed)),
    figure(history.place, number(all.average_place, 2), all.average_place_low === null ? "" : `${number(all.average_place_low, 2)} – ${number(all.average_place_high, 2)}`),
    figure(history.points, number(all.average_points, 0)), figure(history.result, signed(all.average_result)),
    ...RATES.map((name) => figure(history.rates[name], percent(all[name]), interval(all, name), few))),
  element("div", { class: "places", role: "img", "aria-label": PLACES.map((place) => `${words.place(place)} ${all[`place_${place}`]}`).join(", ") },
    ...PLACES.map((place) => element("span", { class: all[`place_${place}`] > 0 ? `p${place}` : null, "--share": all.completed ? all[`place_${place}`] / all.completed : 0 },
      element("b", {}, words.place(place)), element("i", {}, percent(all.completed ? all[`place_${place}`] / all.completed : null))))),
  ...(few ? [element("p", { class: "note" }, history.few(all.kyoku))] : []));
  find("groups").replaceChildren(group(history.byRoom, room, (name) => (name === "table" ? history.friends : name)), group(history.byMonth, [...month].reverse(), monthName));
}

const signed = (value) => (value === null ? "–" : `${value > 0 ? "+" : ""}${number(value, 1)}`);

function interval({ intervals }, name) {
  const found = intervals[name];
  return found === undefined ? "" : `${percent(found[0])} – ${percent(found[1])}`;
}

function figure(name, text, range = "", isWeak = false) {
  return element("div", { class: isWeak ? "figure weak" : "figure" }, element("span", {}, name), element("b", {}, text), element("small", {}, range));
}

/** Returns a table with a row for each room, or each month. */
function group(title, rows, nameOf) {
  const head = [title, history.completed, history.place, ...RATES.map((name) => history.rates[name])];
  return element("div", { class: "panel scroll" }, element("table", {},
    element("thead", {}, element("tr", {}, ...head.map((text) => element("th", { scope: "col" }, text)))),
    element("tbody", {}, ...rows.map((row) => element("tr", { class: row.kyoku < FEW ? "weak" : "" },
      element("th", { scope: "row" }, nameOf(row.name)), element("td", {}, String(row.completed)), element("td", {}, number(row.average_place, 2)),
      ...RATES.map((name) => element("td", { title: interval(row, name) }, percent(row[name]))))))));
}

function monthName(month) {
  return new Intl.DateTimeFormat(words.language, { year: "numeric", month: "short", timeZone: "UTC" }).format(new Date(`${month}-15T00:00:00Z`));
}

function gameRow({ id, began, room, length, seat, players, end, annulled }) {
  const ranked = players.map((player, at) => ({ ...player, isOwn: at === seat })).sort((one, other) => (one.place ?? 9) - (other.place ?? 9));
  const own = players[seat];
  const notes = [...(end === "completed" ? [] : [history.ends[end]]), ...(annulled ? [history.annulled] : [])];
  return element("li", { class: `place-${own.place}` },
    element("span", { class: "when" }, new Date(began).toLocaleDateString(locale), element("br"), room === "table" ? history.friends : room, " · ", words.lengths[length] ?? length, ...notes.flatMap((note) => [" · ", note])),
    element("ol", { class: "ps" }, ...ranked.map(({ name, points, place, isOwn }) => element("li", { class: isOwn ? "me" : "" },
      element("i", {}, place ?? "–"), element("b", {}, element("bdi", {}, called(name))), element("em", {}, points === null ? "" : words.points(points))))),
    id === null ? null : element("span", { class: "links" }, ...players.filter(({ person }) => person).map(({ person, name }) => wayToChallenge(person, name)), report === null ? null : element("button", { type: "button", class: "icb", "aria-label": `${words.drawers.report}: ${began}`, onclick: () => report.askForReport(id, players.map(({ name }) => name), seat) }, icon("flag")),
    element("a", { class: "icb", href: `/replay?game=${encodeURIComponent(id)}&review=1#v=${"ABCD"[seat]}`, "aria-label": `${words.sheet.replay}: ${began}` }, icon("play"))));
}

translate(words);
showNavigation(find("nav"), "mine");
find("more").addEventListener("click", load);
import("./report.js").then(async (module) => {
  if (await module.mayReport()) report = module;
  if (isSeen()) await lookAround(); // the server tells who of these games is here to those alone whom it sees
  load();
});
