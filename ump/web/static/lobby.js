// The first page: a game at once, the running tables, the games that are over, and the rooms.

import { Board } from "./board.js";
import { Box, element, tileElement } from "./elements.js";
import { aboutAccount, aboutMe, askAboutTables, giveUp, readable, seatAddress } from "./guest.js";
import { crest, icon } from "./pictures.js";
import { start } from "./position.js";
import { showNavigation, words } from "./site.js";
import { toMjai } from "./ump_sentences.js";
import { called, saidByServer, translate } from "./words/languages.js";

const PERIOD = 3000; // milliseconds between two looks at the lobby, while the page is visible
const SHOWN_GAMES = 8;
const FAN = ["1s", "5pr", "C", "F", "9m"];
const DISCARD = /(..)([_*>]*)/g; // a tile of a river, with its marks
const KEPT = "ump-quick"; // where the browser keeps the kind of game that was chosen

const find = (id) => document.getElementById(id);
const boxes = Object.fromEntries(["mine", "choices", "tables", "recent", "list", "status"].map((id) => [id, new Box(find(id))]));
const cards = new Map(); // a card with its board, by the name of the table
const USUAL = { seats: 4, length: "hanchan" };
let wanted = read(KEPT, { bots: "", clock: "" }); // what was chosen; else a room decides
let lobby = null;
let seats = []; // those of this guest in running games
let hasAsked = false; // for the account
let account = null; // that of the user who has logged in, or how one may
let isInviting = false; // whether the dialog for a table among friends is on its way
let tag = "";
let tableChoices = null; // the settings of tables of one's own; null: this server has no such tables

function read(key, otherwise) {
  try {
    return { ...otherwise, ...JSON.parse(localStorage.getItem(key) ?? "{}") };
  } catch {
    return otherwise;
  }
}

async function look() {
  if (document.hidden) return;
  aboutMe().then(showMine);
  const asked = performance.now();
  try {
    const response = await fetch("/api/lobby", { headers: tag ? { "If-None-Match": tag } : {} });
    const took = Math.round(performance.now() - asked);
    if (response.status === 200) {
      tag = response.headers.get("ETag") ?? "";
      lobby = await response.json();
      show();
    } else if (response.status !== 304) throw new Error(response.statusText);
    showStatus(took);
  } catch {
    showFailure();
  }
}

function show() {
  const { rooms, games, boards, users, tournaments } = lobby;
  if (users && !hasAsked) {
    hasAsked = true;
    aboutAccount().then(showAccount);
  }
  showChoices();
  showTables(rooms, boards);
  boxes.recent.show(games, () => (games.length ? games.slice(0, SHOWN_GAMES).map(gameRow) : [element("li", { class: "none" }, words.noGames)]));
  boxes.list.show([rooms, tournaments], () => (rooms.length ? [...tournaments.map(tournamentRow), ...rooms.map(roomRow)] : [element("li", { class: "none" }, words.noRooms)]));
  document.body.dataset.ready = "true";
}

// The own games

function showMine(me) {
  seats = me.seats;
  const tables = me.tables.filter((code) => !seats.some((seat) => seat.code === code));
  find("mine").hidden = seats.length + tables.length === 0;
  boxes.mine.show([me, words.language], () => [
    ...seats.map((seat) => element("p", {},
      element("b", {}, words.site.goesOn), ` ${seat.code ? readable(seat.code) : seat.game} · `, element("bdi", {}, seat.name),
      element("span", { class: "ways" },
        element("a", { class: "btn main", href: seatAddress(seat) }, words.site.goBack),
        element("button", { type: "button", class: "btn", onclick: () => askToGiveUp(seat) }, words.site.giveUp)))),
    ...tables.map((code) => element("p", {},
      element("b", {}, words.site.friendsWait), ` ${readable(code)}`,
      element("span", { class: "ways" }, element("a", { class: "btn main", href: `/t/${code}` }, words.site.goBack)))),
  ]);
}

/** Leaves a game for good, at a second press. */
function askToGiveUp(seat) {
  const button = document.activeElement;
  if (button.dataset.sure) giveUp(seat.game).finally(look);
  else {
    button.dataset.sure = "true";
    button.textContent = words.site.giveUpSure;
  }
}

// A game at once

/** The rooms that the reader may enter without a code, and in which games begin at any time. */
const openRooms = () => lobby.rooms.filter(({ access, rated }) => (
  (access === "open" || (access === "users" && account?.user)) && !rated));

const clockOf = ({ move, bank }) => `${move}+${bank}`;
const isByBots = ({ house = [] }, kind) => house.length === 1 && house[0] === kind;

/** Returns the room in which the wanted kind of game begins soonest; null: no room is for everybody. */
function quickRoom() {
  const best = { ...USUAL, ...wanted };
  const fitness = ({ seats, length, bots, waiting }) => (
    1000 * (seats === best.seats) + 100 * (length === best.length) + 10 * (bots > 0 || waiting.length === seats - 1) + waiting.length);
  const rooms = openRooms().filter((room) => (
    (!wanted.bots || isByBots(room, wanted.bots)) && (!wanted.clock || clockOf(room) === wanted.clock)));
  return rooms.sort((one, other) => fitness(other) - fitness(one))[0] ?? null;
}

/** Returns the number of players or the length that was chosen, or else that of a room. */
const wish = (key, room) => wanted[key] ?? room?.[key] ?? USUAL[key];

/** Whether a room has the kind of game that is wanted; otherwise a table of one's own has it. */
const fits = (room) => room !== null && ["seats", "length"].every((key) => room[key] === wish(key, room));

function showChoices() {
  const { site } = words;
  const room = quickRoom();
  const isOwn = tableChoices !== null && !fits(room);
  boxes.choices.show([wanted, tableChoices, room?.name, isOwn, words.language], () => [
    segments("seats", [4, 3].filter((each) => isOffered("seats", each)), room, site.players),
    segments("length", ["kyoku", "tonpu", "hanchan"].filter((each) => isOffered("length", each)), room, (each) => words.lengths[each]),
    ...(tableChoices === null ? [] : [
      select("bots", site.strength, tableChoices.bots.map((kind) => [kind, words.bots[kind] ?? kind])),
      select("clock", site.pace, tableChoices.clocks.map((clock) => [clock, `${site.paces[clock] ?? ""} · ${site.time(...clock.split("+"))}`])),
    ]),
  ].filter(Boolean));
  find("quick").disabled = room === null && !isOwn;
  if (isOwn) find("lead").textContent = site.ownTable;
  else find("lead").textContent = room === null ? site.noOpenRoom : site.lead(room.bots > 0, room.seats);
}

/** Asks once which tables one may make here. */
async function readTableChoices() {
  const response = await askAboutTables().catch(() => null);
  const found = response?.ok ? await response.json() : null;
  if (!found?.rules.length) return;
  tableChoices = found;
  if (lobby !== null) showChoices();
}

/** Whether a kind of game can be played: in a room, or at a table of one's own. */
const isOffered = (key, each) => tableChoices !== null || openRooms().some((room) => room[key] === each);

function choose(key, chosen) {
  wanted = { ...wanted, [key]: chosen };
  localStorage.setItem(KEPT, JSON.stringify(wanted));
  showChoices();
}

/** Returns buttons of which one is chosen; one value alone is no choice. */
function segments(key, values, room, name) {
  if (values.length < 2) return null;
  return element("div", { class: "seg", role: "group", "aria-label": words.site[key] }, ...values.map((each) => element("button", {
    type: "button", "aria-pressed": String(wish(key, room) === each),
    onclick: () => {
      choose(key, each);
      find("choices").querySelector(`[aria-label="${words.site[key]}"] [aria-pressed=true]`)?.focus();
    },
  }, name(each))));
}

/** Returns a list of wishes, of which the first is that there is none. */
function select(key, label, pairs) {
  const options = [["", words.site.any], ...pairs].map(([value, text]) => element("option", { value, selected: value === wanted[key] }, text));
  const box = element("select", { class: "pick", name: key, onchange: () => {
    choose(key, box.value);
    find("choices").querySelector(`[name="${key}"]`)?.focus();
  } }, ...options);
  return element("label", { class: "wish" }, element("span", {}, label), box);
}

/** Goes to the wanted game: in a room, or at a table of one's own that begins at once. */
async function playQuickly() {
  const room = quickRoom();
  if (fits(room) || tableChoices === null) {
    if (room !== null) location.assign(tableAddress("room", room.name));
    return;
  }
  const { startTable } = await import("./gathering.js");
  const number = wish("seats", room);
  const rules = lobby.rooms[0].seats === number ? null : tableChoices.rules.find(({ seats }) => seats === number).name;
  const refused = await startTable({ rules, length: wish("length", room), clock: wanted.clock || tableChoices.clocks[2], bots: wanted.bots || true, watchers: true });
  if (refused) find("lead").textContent = saidByServer(refused);
}

const tableAddress = (kind, name) => `/table?${kind}=${encodeURIComponent(name)}`;

// Running tables

function showTables(rooms, boards) {
  const running = rooms.flatMap((room) => room.tables.filter(({ name }) => name in boards).map((table) => ({ room, ...table })));
  for (const name of [...cards.keys()]) if (!running.some((table) => table.name === name)) cards.delete(name);
  boxes.tables.show([running.map(({ name }) => name), words.language], () => (
    running.length ? running.map(({ name }) => card(name).root) : [element("p", { class: "panel none" }, words.site.noTables)]));
  for (const table of running) {
    const { root, board, players, cap } = card(table.name);
    const own = seats.find(({ game }) => game === table.name);
    root.href = own ? seatAddress(own) : tableAddress("watch", table.name);
    root.classList.toggle("me", own !== undefined);
    const position = positionOf(table.players, boards[table.name]);
    board.show(position, { ownHand: false });
    const order = position.scores.map((_, seat) => seat).sort((one, other) => position.scores[other] - position.scores[one] || one - other);
    players.show([table.players, position.scores, table.away], () => order.map((seat) => element("li", { class: table.away.includes(seat) ? "away" : "" },
      crest(called(table.players[seat])), element("b", {}, element("bdi", {}, called(table.players[seat]))),
      element("em", { class: "num" }, words.points(position.scores[seat]), table.away.includes(seat) ? ` · ${words.away}` : ""))));
    cap.show([table.room.name, table.room.length, table.spectators, words.language], () => [
      element("b", {}, `${table.room.name} · ${words.lengths[table.room.length] ?? table.room.length}`),
      element("span", { class: "eye" }, icon("eye"), words.site.watching(table.spectators)),
    ]);
  }
}

/** Returns the card of a table: it stays the same from one look to the next. */
function card(name) {
  if (!cards.has(name)) {
    const mini = element("div", { class: "mini", "aria-hidden": "true" });
    const players = new Box(element("ol", { class: "ppl" }));
    const cap = new Box(element("div", { class: "cap" }));
    const root = element("a", { class: "tablecard", href: tableAddress("watch", name) }, element("div", { class: "in" }, mini, players.root), cap.root);
    cards.set(name, { root, players, cap, board: new Board(mini, words) });
  }
  return cards.get(name);
}

/** Returns what lies open on a table as a position; ``board`` is that of /api/lobby. */
function positionOf(names, board) {
  const each = (make) => names.map((_, seat) => make(seat));
  const rivers = board.rivers.map((text) => [...text.matchAll(DISCARD)].map(([, tile, marks]) => ({
    tile: toMjai(tile), tsumogiri: marks.includes("_"), riichi: marks.includes("*"), called: marks.includes(">"),
  })));
  return {
    ...start(), players: names.length, names, bakaze: "ESWN"[board.bakaze], kyoku: board.dealer + 1, oya: board.dealer,
    honba: board.honba, kyotaku: board.kyotaku, tilesLeft: board.left, doraMarkers: board.dora.map(toMjai),
    scores: board.scores, hands: each(() => []), drawn: each(() => null), melds: each(() => []), norths: each(() => 0),
    rivers, riichi: board.riichi, declaring: each(() => false), turn: board.turn,
    last: board.last === null ? null : { seat: board.last, index: rivers[board.last].length - 1 },
  };
}

// Games that are over, and rooms

function gameRow({ id, began, length, players }) {
  const placed = [...players].sort((one, other) => one.place - other.place);
  return element("li", {},
    element("span", { class: "when" }, when(began), element("br"), words.lengths[length] ?? length),
    element("ol", { class: "ps" }, ...placed.map(({ name, points, place }) => element("li", {},
      element("i", {}, place), element("b", {}, element("bdi", {}, called(name))), element("em", {}, words.points(points))))),
    id === null ? null : element("a", { class: "icb", href: `/replay?game=${encodeURIComponent(id)}`, "aria-label": `${words.sheet.replay}: ${called(placed[0]?.name ?? id)}` }, icon("play")));
}

/** Returns how long ago a game began, in the largest unit that fits. */
function when(began) {
  const minutes = (Date.parse(began) - Date.now()) / 60_000;
  if (Number.isNaN(minutes)) return began;
  const [unit, size] = [["day", 1440], ["hour", 60], ["minute", 1]].find(([, least]) => Math.abs(minutes) >= least) ?? ["minute", 1];
  return new Intl.RelativeTimeFormat(words.language, { numeric: "auto", style: "short" }).format(Math.round(minutes / size), unit);
}

/** Returns the pace of a room in words: that of the slowest clock that leaves no more for a move. */
function paceOf({ move, bank }) {
  const clocks = Object.keys(words.site.paces);
  const clock = clocks.find((each) => move <= Number(each.split("+")[0])) ?? clocks.at(-1);
  return `${words.site.paces[clock]} (${words.site.time(move, bank)})`;
}

const strengthOf = ({ house = [] }) => words.site.withBots(house.map((kind) => words.bots[kind] ?? kind).join(", "));

function roomRow(room) {
  const { name, rules, length, bots, waiting, running, access, rated, spectators, state = "open" } = room;
  const facts = [
    words.lengths[length] ?? length, paceOf(room), bots ? strengthOf(room) : words.site.noBots,
    ...(room.hints === "advice" ? [words.site.advice] : []), ...(rated ? [words.site.rated] : []),
    ...(waiting.length ? [words.site.waiting(waiting.length)] : []), ...(running ? [words.site.tables(running)] : []),
  ];
  const links = [
    element("a", { href: `/rules?room=${encodeURIComponent(name)}` }, `${words.rules}: ${rules}`),
    ...(running && spectators !== "none" ? [element("a", { href: tableAddress("watch", name) }, words.watch)] : []),
    ...(rated ? [element("a", { href: `/ladder?room=${encodeURIComponent(name)}` }, words.ladder)] : []),
  ];
  const isOpen = state === "open";
  if (!isOpen) facts.unshift(words.site.closed[state]);
  return element("li", isOpen ? {} : { class: "closed" },
    element("b", {}, name, access.startsWith("users") ? element("small", {}, ` ${words.forUsers}`) : null),
    element("span", {}, facts.join(" · ")), element("span", { class: "links" }, ...links),
    access.endsWith("code") ? codeField(name) : null,
    isOpen ? element("a", { class: "btn", href: tableAddress("room", name) }, words.site.sit) : null);
}

function tournamentRow({ id, name }) {
  return element("li", {},
    element("b", {}, element("bdi", {}, name)), element("span", {}, words.site.tournament),
    element("a", { class: "btn", href: `/tournament?id=${encodeURIComponent(id)}` }, words.site.look));
}

/** The invitation code of a room stays in this tab, and out of addresses. */
function codeField(room) {
  const key = `ump-code:${room}`;
  const field = element("input", { class: "field", maxlength: "16", autocomplete: "off", "aria-label": words.invitationCode, placeholder: words.invitationCode });
  field.value = sessionStorage.getItem(key) ?? "";
  field.addEventListener("input", () => sessionStorage.setItem(key, field.value.trim()));
  return field;
}

// The state of the server, in one line

function showStatus(milliseconds) {
  const { rooms } = lobby;
  const count = (number) => rooms.reduce((sum, room) => sum + number(room), 0);
  const facts = [
    words.site.online, words.site.tables(count(({ running }) => running)), words.site.waiting(count(({ waiting }) => waiting.length)),
    words.site.watching(count(({ watching }) => watching)), words.site.milliseconds(milliseconds),
  ];
  document.body.classList.remove("offline");
  boxes.status.show(facts, () => [element("i", { class: "dot" }), facts.join(" · ")]);
}

function showFailure() {
  document.body.classList.add("offline");
  document.body.dataset.ready = "true";
  if (lobby === null) {
    find("lead").textContent = words.gone;
    find("quick").disabled = true;
  }
  boxes.status.show("offline", () => [
    element("i", { class: "dot" }), words.gone, " ", element("button", { type: "button", class: "again", onclick: look }, words.tryAgain)]);
}

// Who plays

/** Shows who has logged in, or the way to that. */
function showAccount(found) {
  account = found;
  const user = account?.user ?? null;
  find("account").hidden = account === null;
  find("guest").hidden = user !== null;
  find("account").replaceChildren(...(user === null ? [words.site.logIn]
    : [element("span", { class: "face" }, crest(user)), element("bdi", {}, user)]));
  showChoices();
}

function showCrest() {
  find("crest").replaceChildren(crest(find("name").value.trim() || "guest"));
}

translate(words);
showNavigation(find("nav"), "play");
find("fan").append(...FAN.map((tile, place) => tileElement(tile, words, [], { "--i": place })));
find("name").value = localStorage.getItem("ump-name") ?? "";
find("name").placeholder = words.yourName;
find("name").addEventListener("input", () => {
  localStorage.setItem("ump-name", find("name").value.trim());
  showCrest();
});
find("start").addEventListener("submit", (event) => {
  event.preventDefault();
  if (lobby !== null) playQuickly();
});
find("invite").addEventListener("click", async () => {
  if (isInviting) return;
  isInviting = true;
  await import("./invite.js").then(({ inviteFriends }) => inviteFriends(words)).catch(showFailure);
  isInviting = false;
});
showCrest();
look();
readTableChoices();
import("./people.js").then(({ PeopleHere }) => new PeopleHere(find("people"), find("calls")));
setInterval(look, PERIOD);
document.addEventListener("visibilitychange", look);
