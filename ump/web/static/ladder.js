// The ladder of the rated rooms, and with ?player= the page of one player.

import { Box, element } from "./elements.js";
import { intervalBar, ratingGraph, WIDEST } from "./graph.js";
import { showNavigation, words } from "./site.js";
import { locale, translate } from "./words/languages.js";

const PERIOD = 10000; // milliseconds between two looks at the ladder, while the page is visible

const asked = new URLSearchParams(location.search);
const own = words.ratings;
const box = new Box(document.getElementById("content"));
const status = document.getElementById("status");

async function look() {
  if (document.hidden) return;
  try {
    const response = await fetch(`/api/ladder${location.search}`, { cache: "no-cache" });
    status.textContent = response.status === 404 ? own.noPlayer : "";
    if (response.ok) {
      const data = await response.json();
      box.show(data, () => (asked.has("player") ? playerPage(data) : data.rooms.flatMap(roomTable)));
      if (data.rooms && !data.rooms.length) status.textContent = own.noRoom;
    }
  } catch {
    status.textContent = words.gone;
  }
  document.body.dataset.ready = "true";
}

function roomTable(room) {
  const hasFlags = room.players.some((player) => player.flags.length);
  const shown = room.players.map((player) => [player.rating, Math.min(player.interval, WIDEST)]);
  const reach = [Math.min(...shown.map(([rating, half]) => rating - half)), Math.max(...shown.map(([rating, half]) => rating + half)) + 1];
  const heads = [["", ""], [words.player, ""], [own.rating, "number"], ["", ""], ["", "bar"], [own.games, "number"], ...(hasFlags ? [[own.flags, ""]] : [])];
  const rows = room.players.map((player, number) => element("tr", {},
    element("td", { class: "number" }, `${number + 1}`),
    element("td", {}, playerLink(room.name, player)),
    element("td", { class: "number" }, `${Math.round(player.rating)}`),
    element("td", { class: "quiet" }, margin(player), player.provisional && player.interval ? " ?" : ""),
    element("td", { class: "bar" }, intervalBar(player.rating, Math.min(player.interval, WIDEST), reach, margin(player))),
    element("td", { class: "number" }, `${player.games}`),
    hasFlags ? element("td", { class: "flags" }, player.flags.map(flagText).join("; ")) : null));
  return [
    element("h2", {}, own.room(room.name)),
    element("p", {}, own.rounds(room.games, room.every, time(room.next))),
    element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": own.room(room.name) },
      element("table", {},
        element("thead", {}, element("tr", {}, ...heads.map(([head, kind]) => element("th", { class: kind }, head)))),
        element("tbody", {}, ...rows))),
    element("p", { class: "quiet" }, own.legend, hasFlags ? ` ${own.flagLegend}` : ""),
  ];
}

function playerLink(room, player) {
  const query = new URLSearchParams({ room, player: player.name, ...(player.builtin ? { builtin: "1" } : {}) });
  return element("a", { href: `/ladder?${query}` }, element("bdi", {}, title(player)));
}

const margin = (player) => (player.interval ? `±${Math.round(player.interval)}` : own.fixed);
const title = (player) => (player.builtin ? own.builtin(words.bots[player.name] ?? player.name) : player.name);
const time = (seconds) => new Date(seconds * 1000).toLocaleTimeString(locale);
const when = (seconds) => new Date(seconds * 1000).toLocaleString(locale, { dateStyle: "short", timeStyle: "short" });

function flagText(flag) {
  if (flag.since) return own.change(flag.sign === "above", flag.since);
  return own.beside[flag.sign](flag.other, flag.games, flag.excess.toLocaleString(words.language));
}

function playerPage(player) {
  const provisional = player.provisional && player.interval ? `, ${own.provisional}` : "";
  return [
    element("h2", {}, element("bdi", {}, title(player))),
    element("p", {}, `${own.score(Math.round(player.rating), margin(player))}, ${own.count(player.games)}${provisional}`),
    ...player.flags.map((flag) => element("p", {}, own.flag(flagText(flag)))),
    player.course.length > 1 ? ratingGraph(player.course, own.rating, { label: own.graph, language: locale }) : element("p", {}, own.noGraph),
    element("h2", {}, own.lastGames),
    element("div", { class: "scroll games", tabindex: "0", role: "region", "aria-label": own.lastGames },
      element("table", {}, element("tbody", {}, ...player.last.map((game) => gameRow(game, player))))),
  ];
}

function gameRow(game, player) {
  const players = [...game.players].sort((one, other) => one.place - other.place);
  const isOwn = (each) => each.name === player.name && each.builtin === player.builtin;
  return element("tr", {},
    element("td", {}, game.id === null ? when(game.began) : element("a", { href: `/replay?game=${encodeURIComponent(game.id)}` }, when(game.began)),
      game.abandoned ? ` ${words.history.ends.abandoned}` : ""),
    ...players.map((each) => element("td", { class: isOwn(each) ? "own" : null },
      `${each.place} `, element("bdi", {}, title(each)), ` ${words.points(each.points)}`)));
}

translate(words);
showNavigation(document.getElementById("nav"), "ladder");
look();
setInterval(look, PERIOD);
document.addEventListener("visibilitychange", look);
