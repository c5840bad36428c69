// The ladder of the rated rooms, and with ?player= the page of one player.

import { Box, element } from "./elements.js";

const PERIOD = 10000; // milliseconds between two looks at the ladder, while the page is visible
const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 720, HEIGHT = 260, LEFT = 48, RIGHT = 12, TOP = 12, BOTTOM = 24;

const asked = new URLSearchParams(location.search);
const box = new Box(document.getElementById("content"));
const status = document.getElementById("status");

async function look() {
  if (document.hidden) return;
  try {
    const response = await fetch(`/api/ladder${location.search}`, { cache: "no-cache" });
    status.textContent = response.status === 404 ? "There is no such player." : "";
    if (response.ok) {
      const data = await response.json();
      box.show(data, () => (asked.has("player") ? playerPage(data) : data.rooms.flatMap(roomTable)));
      if (data.rooms && !data.rooms.length) status.textContent = "This server has no rated room.";
    }
  } catch {
    status.textContent = "The server does not answer.";
  }
  document.body.dataset.ready = "true";
}

function roomTable(room) {
  const heads = ["", "player", "rating", "95 %", "games", "flags"];
  const rows = room.players.map((player, number) => element("tr", {},
    element("td", { class: "number" }, `${number + 1}`),
    element("td", {}, playerLink(room.name, player)),
    element("td", { class: "number" }, `${Math.round(player.rating)}${player.provisional && player.interval ? "?" : ""}`),
    element("td", { class: "number quiet" }, player.interval ? `±${Math.round(player.interval)}` : "fixed"),
    element("td", { class: "number" }, `${player.games}`),
    element("td", {}, player.flags.join("; "))));
  return [
    element("h2", {}, `Room ${room.name}`),
    element("p", {}, `${room.games} rated games. A round begins each ${room.every} s, the next at ${time(room.next)}.`),
    element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Ladder of ${room.name}` },
      element("table", {},
        element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", {}, head)))),
        element("tbody", {}, ...rows))),
    element("p", { class: "quiet" }, "?: provisional, below 60 games. A flag is a reason for a person to look, not a verdict."),
  ];
}

function playerLink(room, player) {
  const query = new URLSearchParams({ room, player: player.name, ...(player.builtin ? { builtin: "1" } : {}) });
  return element("a", { href: `/ladder?${query}` }, element("bdi", {}, title(player)));
}

const title = (player) => (player.builtin ? `${player.name} (built-in)` : player.name);
const time = (seconds) => new Date(seconds * 1000).toLocaleTimeString();
const when = (seconds) => new Date(seconds * 1000).toLocaleString(undefined, { dateStyle: "short", timeStyle: "short" });

function playerPage(player) {
  const interval = player.interval ? ` ±${Math.round(player.interval)}` : ", fixed";
  return [
    element("h2", {}, element("bdi", {}, title(player))),
    element("p", {}, `Rating ${Math.round(player.rating)}${interval}, ${player.games} games${player.provisional ? ", provisional" : ""}.`),
    ...player.flags.map((flag) => element("p", {}, `Flag: ${flag}`)),
    player.course.length > 1 ? graph(player.course) : element("p", {}, "The graph begins after a few games."),
    element("h2", {}, "Last games"),
    element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Last games" },
      element("table", {}, element("tbody", {}, ...player.last.map(gameRow)))),
  ];
}

function gameRow(game) {
  const players = [...game.players].sort((one, other) => one.place - other.place);
  return element("tr", {},
    element("td", {}, element("a", { href: `/replay?game=${encodeURIComponent(game.id)}` }, when(game.began))),
    ...players.map((each) => element("td", {},
      `${each.place} `, element("bdi", {}, title(each)), ` ${each.points}`)));
}

/** Returns the graph of a rating: a line, the 95 % interval as a band, and round values at the side. */
function graph(course) {
  const values = course.flatMap(([, rating, width]) => [rating - Math.min(width, 300), rating + Math.min(width, 300)]);
  const low = Math.floor(Math.min(...values) / 100) * 100, high = Math.max(Math.ceil(Math.max(...values) / 100) * 100, low + 100);
  const x = (number) => LEFT + (number * (WIDTH - LEFT - RIGHT)) / (course.length - 1);
  const y = (rating) => TOP + ((high - Math.max(low, Math.min(high, rating))) * (HEIGHT - TOP - BOTTOM)) / (high - low);
  const line = (sign) => course.map(([, rating, width], number) => `${x(number)},${y(rating + sign * width)}`);
  const step = high - low > 600 ? 200 : 100;
  const grid = [];
  for (let value = low; value <= high; value += step) {
    grid.push(svg("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value) }),
      svg("text", { x: 6, y: y(value) + 4 }, `${value}`));
  }
  const ends = [course[0], course.at(-1)].map(([instant]) => when(instant));
  return svg("svg", { class: "graph", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": "Rating over time" },
    ...grid,
    svg("polygon", { class: "band", points: [...line(1), ...line(-1).reverse()].join(" ") }),
    svg("polyline", { class: "course", points: line(0).join(" ") }),
    svg("text", { x: LEFT, y: HEIGHT - 6 }, ends[0]),
    svg("text", { x: WIDTH - RIGHT, y: HEIGHT - 6, "text-anchor": "end" }, ends[1]));
}

function svg(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

look();
setInterval(look, PERIOD);
document.addEventListener("visibilitychange", look);
