// The first page: the rooms with their tables, and the games that are over.

import { Box, element, tileElement } from "./elements.js";
import { chosenWords, translate } from "./words/languages.js";

const PERIOD = 3000; // milliseconds between two looks at the lobby, while the page is visible

const words = chosenWords();
const find = (id) => document.getElementById(id);
const rooms = new Box(find("rooms"));
const games = new Box(find("games"));
let tag = "";

async function look() {
  if (document.hidden) return;
  try {
    const response = await fetch("/api/lobby", { headers: tag ? { "If-None-Match": tag } : {} });
    find("status").textContent = "";
    if (response.status === 200) {
      tag = response.headers.get("ETag") ?? "";
      show(await response.json());
    }
  } catch {
    find("status").textContent = words.gone;
  }
}

function show(lobby) {
  rooms.show(lobby.rooms, () => (lobby.rooms.length ? lobby.rooms.map(roomCard) : [element("li", {}, words.noRooms)]));
  find("login").hidden = !lobby.users;
  games.show(lobby.games, () => [lobby.games.length ? gameTable(lobby.games) : element("p", {}, words.noGames)]);
  document.body.dataset.ready = "true";
}

function roomCard(room) {
  const { name, rules, length, move, bank, waiting, tables, bots, access, rated } = room;
  const address = (kind) => `/table?${kind}=${encodeURIComponent(name)}`;
  const players = tables.map((table) => element("p", { class: "players" }, table.players.join(", ")));
  return element("li", { class: "card" },
    element("h3", {}, name),
    element("p", {}, element("a", { href: `/api/rules/${encodeURIComponent(name)}` }, rules), `, ${words.lengths[length] ?? length}`),
    element("p", {}, words.time(move, bank)),
    bots ? element("p", {}, words.botsJoin) : null,
    rated ? element("p", {}, element("a", { href: `/ladder?room=${encodeURIComponent(name)}` }, words.ladder)) : null,
    access.startsWith("users") ? element("p", {}, words.forUsers) : null,
    access.endsWith("code") ? codeField(name) : null,
    element("p", {}, `${words.tables(tables.length)}, ${words.waiting(waiting)}`),
    ...players.slice(0, 3),
    element("div", { class: "buttons" },
      element("a", { class: "button main", href: address("room") }, words.play),
      element("a", { class: "button", href: address("watch") }, words.watch)));
}

/** The invitation code of a room stays in this tab, and out of addresses. */
function codeField(room) {
  const key = `ump-code:${room}`;
  const field = element("input", { maxlength: "16", autocomplete: "off", "aria-label": words.invitationCode, placeholder: words.invitationCode });
  field.value = sessionStorage.getItem(key) ?? "";
  field.addEventListener("input", () => sessionStorage.setItem(key, field.value.trim()));
  return element("p", {}, field);
}

function gameTable(list) {
  return element("table", {}, element("tbody", {}, ...list.map((game) => element("tr", {},
    element("td", {}, game.id === null ? when(game.began) : element("a", { href: `/replay?game=${encodeURIComponent(game.id)}` }, when(game.began))),
    element("td", {}, `${game.room}, ${game.rules}`),
    ...[...game.players].sort((one, other) => one.place - other.place).map((player) => (
      element("td", {}, element("bdi", {}, player.name), ` ${words.points(player.points)}`)))))));
}

function when(began) {
  const date = new Date(began);
  return Number.isNaN(date.getTime()) ? began : date.toLocaleString(words.language, { dateStyle: "short", timeStyle: "short" });
}

const WELCOME = ["1m", "9m", "1p", "9p", "1s", "9s", "E", "S", "W", "N", "P", "F", "C"];

translate(words);
find("tiles").append(...WELCOME.map((tile) => tileElement(tile, words)));
find("name").value = localStorage.getItem("ump-name") ?? "";
find("name").addEventListener("change", () => localStorage.setItem("ump-name", find("name").value.trim()));
find("password").value = sessionStorage.getItem("ump-password") ?? "";
find("password").addEventListener("input", () => sessionStorage.setItem("ump-password", find("password").value));
find("who").addEventListener("submit", (event) => event.preventDefault());
find("games").setAttribute("aria-label", words.recentGames);
look();
setInterval(look, PERIOD);
document.addEventListener("visibilitychange", look);
