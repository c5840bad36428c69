// A tournament: the own table, this round, the standings, and the desk of whoever has the link of the director.

import { Box, element } from "./elements.js";
import { aboutAccount } from "./guest.js";
import { crest, icon } from "./pictures.js";
import { showNavigation, words } from "./site.js";
import { summon } from "./summons.js";
import { locale, translate } from "./words/languages.js";

const PERIOD = 3000; // milliseconds between two looks, while the page is visible
const LETTERS = "ESWN";

const { words: own } = await import(`./words/tournament_${words.language}.js`);
const find = (id) => document.getElementById(id);
const boxes = Object.fromEntries(["head", "own", "desk", "round", "standings", "more"].map((id) => [id, new Box(find(id))]));
const asked = new URLSearchParams(location.search).get("id");
const key = takeKey();
let shown = null; // the round that the reader has chosen; null: the newest
let event = null;
let tag = "";
let said = ""; // what an order has come to

/** Takes the key out of the address, where others could read it, and keeps it in this browser. */
function takeKey() {
  const place = `ump-tournament:${asked}`;
  const [, kind, given] = /^#(director|code)=([\w-]{1,64})$/.exec(location.hash) ?? [];
  const found = given ? { kind, key: given } : null;
  if (found) history.replaceState(null, "", location.pathname + location.search);
  try {
    if (found) localStorage.setItem(place, JSON.stringify(found));
    return found ?? JSON.parse(localStorage.getItem(place) ?? "null");
  } catch {
    return found; // the browser keeps nothing
  }
}

const authorization = () => (key === null ? {} : { Authorization: `${key.kind === "director" ? "Director" : "Entrant"} ${key.key}` });

async function look() {
  if (document.hidden && !isAwaited()) return;
  try {
    const known = tag ? { "If-None-Match": tag } : {};
    const response = await fetch(`/api/tournaments${asked === null ? "" : `/${encodeURIComponent(asked)}`}`, { headers: { ...authorization(), ...known } });
    tag = response.headers.get("ETag") ?? "";
    if (response.status === 304) show(event);
    else if (response.ok && asked === null) showList((await response.json()).tournaments);
    else if (response.ok) show(await withAccount(await response.json()));
    else find("status").textContent = response.status === 404 ? own.none : own.wrongKey;
  } catch {
    find("status").textContent = words.gone;
  }
  document.body.dataset.ready = "true";
}

/** Whether the next round of the reader may be called. */
const isAwaited = () => event !== null && event.me !== null && event.state !== "finished" && nextTable(event) === undefined;

function showList(tournaments) {
  boxes.head.show(tournaments, () => [
    element("h1", {}, own.list),
    tournaments.length ? element("ul", { class: "panel rooms" }, ...tournaments.map(({ id, name, state }) => element("li", {},
      element("a", { href: `/tournament?id=${encodeURIComponent(id)}` }, element("bdi", {}, name)), element("span", {}, own.states[state])))) : element("p", {}, own.noList),
  ]);
}

function show(found) {
  const wasAwaited = isAwaited();
  event = { ...found, me: found.me ?? ownEntrant(found) };
  if (wasAwaited && nextTable(event) !== undefined) summon(words.summons.round);
  find("status").textContent = said;
  const { rounds, present, me, director, entrants } = event;
  const isAsked = account?.user === null && entrants.some(({ kind }) => kind === "user"); // users have no code
  const number = Math.min(shown ?? rounds.filter(({ state }) => state !== "planned").length, rounds.length) || rounds.length;
  boxes.head.show([event.revision], heading);
  boxes.own.root.hidden = me === null && !isAsked;
  if (!isBusy("own")) boxes.own.show([event.revision, me], () => [...(isAsked ? [loginLink()] : []), ...(me === null ? [] : ownCard(me))]);
  boxes.desk.root.hidden = !director;
  if (director && !isBusy("desk")) boxes.desk.show([event.revision, present, said], desk);
  if (!isBusy("round")) boxes.round.show([event.revision, number, present, me], () => roundCards(number));
  boxes.standings.show([event.revision, me], standings);
  if (!isBusy("more")) boxes.more.show([event.revision], more);
}

/** Whether somebody types there, or has opened a menu; it is not made anew meanwhile. */
const isBusy = (id) => find(id).querySelector("details[open], input:focus, select:focus") !== null;

const nameOf = (number) => event.entrants[number - 1].name;
const signed = (points) => `${points > 0 ? "+" : points < 0 ? "−" : "±"}${Math.abs(points).toFixed(1)}`;
const tint = (points) => (points > 0 ? "gain" : points < 0 ? "loss" : "");

function heading() {
  const { name, state, format, rounds, planned_rounds, entrants, play } = event;
  document.title = `ump: ${name}`;
  const done = rounds.filter((round) => round.state === "done").length;
  const facts = [own.states[state], own.formats[format], own.rounds(done, planned_rounds), own.players(entrants.length), play.rules, words.lengths[play.length], words.site.time(...play.clock.split("+")), ...(play.duplicate ? [own.duplicate] : [])];
  return [element("h1", {}, element("bdi", {}, name)), element("p", { class: "facts" }, facts.join(" · "))];
}

// The own table

let account = null; // that of the user who has logged in
let hasAsked = false; // for the account

/** Returns a tournament, after asking who has logged in if users play in it. */
async function withAccount(found) {
  if (!hasAsked && key === null && found.entrants.some(({ kind }) => kind === "user")) {
    hasAsked = true;
    account = await aboutAccount();
  }
  return found;
}

/** Returns the entrant who has logged in as a user; null: nobody has. */
const ownEntrant = ({ entrants }) => entrants.find(({ kind, name }) => kind === "user" && name === account?.user)?.number ?? null;

const loginLink = () => element("p", {}, element("a", { class: "btn", href: `/account?back=${encodeURIComponent(location.pathname + location.search)}` }, words.site.logIn));

/** Returns the table that waits for the reader, with its round; undefined: none does. */
function nextTable({ rounds, me }) {
  const mine = rounds.flatMap(({ round, tables }) => tables.filter(({ played_by }) => played_by.includes(me)).map((table) => ({ ...table, round })));
  return mine.find(({ state }) => state !== "done");
}

function ownCard(me) {
  const next = nextTable(event);
  const row = event.standings.find(({ name }) => name === nameOf(me));
  const standing = row?.place ? element("span", {}, `${row.place}. `, signed(row.total)) : null;
  const sit = event.state === "finished" ? null : element("a", { class: "btn main", id: "sit", href: `/table?room=${encodeURIComponent(event.id)}`, onclick: keepCode }, next ? own.sit : own.waitHere);
  return [element("div", { class: "panel mine" },
    element("p", {}, element("b", {}, element("bdi", {}, nameOf(me))), standing),
    element("p", {}, next ? `${own.round(next.round)} · ${own.table(next.table)} · ${words.winds[LETTERS[next.played_by.indexOf(me)]]}` : own.wait, element("span", { class: "ways" }, sit)))];
}

/** The code stays in this tab, and out of addresses; the table leads back here. */
function keepCode() {
  if (key !== null) sessionStorage.setItem(`ump-code:${event.id}`, key.key);
  sessionStorage.setItem(`ump-home:${event.id}`, location.pathname + location.search);
}

// This round

function roundCards(number) {
  if (!number) return [element("p", { class: "none" }, own.noRound)];
  const { state, tables } = event.rounds[number - 1];
  const isMine = ({ played_by }) => event.me !== null && played_by.includes(event.me);
  const tabs = element("div", { class: "seg", role: "group", "aria-label": own.round("") }, ...event.rounds.map(({ round }) => element("button", {
    type: "button", "aria-pressed": String(round === number), onclick: () => { shown = round; show(event); },
  }, `${round}`)));
  return [
    element("div", { class: "row-h" }, element("h2", {}, own.round(number)), element("span", { class: `state ${state}` }, own.roundStates[state]), tabs),
    element("div", { class: "tables" }, ...[...tables].sort((one, other) => isMine(other) - isMine(one)).map((table) => card(number, table, state, isMine(table)))),
    ...withoutTable(event.rounds[number - 1]),
  ];
}

/** Returns notes about the players who have no table in a round. */
function withoutTable({ round, byes, tables }) {
  const seated = tables.flatMap(({ seats }) => seats);
  const rests = event.entrants.filter(({ number, withdrawn }) => !withdrawn && !seated.includes(number) && !byes.includes(number));
  const notes = [];
  if (byes.length) notes.push(own.byes(byes.map(nameOf).join(", "), signed(event.play.bye / 10)));
  if (rests.length && round === event.rounds.length) notes.push(own.rests(rests.map(({ name }) => name).join(", ")));
  return notes.map((text) => element("p", { class: "note" }, text));
}

function card(round, table, roundState, isMine) {
  const { outcome, game, state, voided, extra } = table;
  const links = [
    state === "done" || event.play.duplicate ? null : element("a", { href: `/table?watch=${encodeURIComponent(game ?? event.id)}` }, icon("eye"), own.watch),
    outcome?.record ? element("a", { href: `/replay?game=${encodeURIComponent(outcome.record)}` }, icon("play"), own.replay) : null,
  ];
  return element("article", { class: `panel event-table ${state}${isMine ? " me" : ""}` },
    element("header", {}, element("h3", {}, own.table(table.table), table.attempt > 1 ? element("small", {}, ` ${own.attempt(table.attempt)}`) : null), element("span", { class: "links" }, ...links), element("em", {}, own.tableStates[state])),
    element("ol", {}, ...table.seats.map((number, seat) => seatRow(table, number, seat))),
    extra ? element("p", { class: "note" }, own.extra(extra)) : null,
    outcome?.corrected ? element("p", { class: "note" }, own.corrected(outcome.corrected)) : null,
    ...voided.map(({ reason }) => element("p", { class: "note" }, own.voided(reason))),
    event.director && roundState !== "planned" && event.state !== "finished" ? menu(round, table) : null);
}

function seatRow({ outcome, played_by }, number, seat) {
  const plays = played_by[seat];
  const instead = plays === number ? null : element("small", {}, plays === 0 ? own.bot : own.by(nameOf(plays)));
  const isHere = event.present.includes(nameOf(number));
  return element("li", { class: `${number === event.me ? "me" : ""}${outcome?.places[seat] === 1 ? " won" : ""}` },
    element("i", { title: words.winds[LETTERS[seat]] }, words.winds[LETTERS[seat]]),
    element("span", { class: `face${isHere ? " here" : ""}`, title: isHere ? own.here : null }, crest(nameOf(number))),
    element("span", { class: "who" }, element("bdi", { title: nameOf(number) }, nameOf(number)), instead),
    outcome ? element("span", { class: "num" }, outcome.points[seat] === null ? null : words.points(outcome.points[seat]), element("b", { class: tint(outcome.results[seat]) }, signed(outcome.results[seat] / 10))) : null);
}

// Orders of the director

async function give(order, given = {}) {
  const response = await fetch(`/api/tournaments/${encodeURIComponent(event.id)}/${order}`, {
    method: "POST", headers: { ...authorization(), "Content-Type": "application/json" }, body: JSON.stringify({ orders: event.orders, ...given }),
  });
  for (const each of document.querySelectorAll("details[open]")) each.open = false;
  document.activeElement?.blur();
  if (!response.ok) {
    said = await response.text();
    await look();
    return;
  }
  const { code } = await response.json();
  said = code ? `${own.added(given.name ?? given.entrant, code)} · ${own.link}: ${location.origin}/tournament?id=${event.id}#code=${code}` : "";
  await look();
}

const button = (text, order, given, attributes = {}) => element("button", { type: "button", class: "btn", onclick: () => give(order, given), ...attributes }, text);
const main = (text, order, given) => button(text, order, given, { class: "btn main", id: "next" });

/** Returns the one thing to do now, and others that may be done beside it. */
function steps() {
  const { rounds, planned_rounds, state } = event;
  const published = rounds.filter((round) => round.state !== "planned");
  const last = published.at(-1);
  if (state === "finished") return [];
  if (last && last.state !== "done") return [...roundSteps(last)];
  if (rounds.length > published.length) return [main(own.publish(published.length + 1), "publish"), button(own.planAgain, "plan")];
  if (published.length < planned_rounds) return [main(own.plan(published.length + 1), "plan"), ...(last ? [button(own.finish, "finish")] : [])];
  return [main(own.finish, "finish")];
}

function roundSteps({ round, tables }) {
  const has = (...states) => tables.some(({ state }) => states.includes(state));
  if (has("ready")) return [main(own.start(round), "start", { round })];
  if (has("called")) return [main(own.fill, "start", { round, bots: true }), button(own.pause, "pause", { round })];
  if (has("paused")) return [main(own.goOn, "start", { round })];
  return [button(own.pause, "pause", { round })];
}

/** Returns the players of tables that have not begun who are not here. */
function missing() {
  const waiting = event.rounds.flatMap(({ state, tables }) => (state === "planned" ? [] : tables.filter((table) => ["ready", "called"].includes(table.state))));
  const people = waiting.flatMap(({ played_by }) => played_by).filter((number) => number && event.entrants[number - 1].kind !== "bot");
  const names = people.map(nameOf).filter((name) => !event.present.includes(name));
  if (!waiting.length) return null;
  return element("p", { class: "note" }, names.length ? own.missing(names.join(", ")) : own.allHere);
}

function desk() {
  return [element("div", { class: "panel desk" },
    element("h2", {}, own.director), element("div", { class: "row" }, ...steps()), missing(),
    event.state === "finished" ? null : element("div", { class: "row" }, addForm(), withdrawForm(), readmitForm(), penaltyForm()))];
}

function form(summary, fields, order) {
  const made = element("form", { onsubmit: (submitted) => {
    submitted.preventDefault();
    order(made.elements);
  } }, ...fields, element("button", { class: "btn" }, summary));
  return element("details", {}, element("summary", {}, summary), made);
}

const text = (name, label, attributes = {}) => element("input", { class: "field", name, placeholder: label, "aria-label": label, maxlength: "32", required: true, ...attributes });
const choice = (name, label, pairs) => element("select", { class: "pick", name, "aria-label": label }, ...pairs.map(([value, shownText]) => element("option", { value }, shownText)));
const entrants = (isGone = false) => choice("entrant", own.who, event.entrants.filter(({ withdrawn }) => withdrawn === isGone).map(({ name }) => [name, name]));
const labelled = (name, field) => element("label", {}, element("span", {}, name), field);
const reasonField = () => text("reason", own.reason, { maxlength: "80" });
const inTenths = (points) => Math.round(Number(points) * 10);

function addForm() {
  const fields = [text("name", own.name), choice("kind", own.who, Object.entries(own.kinds))];
  const isLate = event.rounds.some(({ state }) => state !== "planned");
  if (isLate) fields.push(text("missed", own.missed, { type: "number", step: "0.1", required: false }));
  return form(own.add, fields, ({ name, kind, missed }) => {
    const given = { name: name.value, kind: kind.value };
    if (kind.value === "bot") given.policy = "efficiency";
    if (missed?.value) given.missed = inTenths(missed.value);
    give("add", given);
  });
}

function readmitForm() {
  if (!event.entrants.some(({ withdrawn }) => withdrawn)) return null;
  return form(own.readmit, [entrants(true)], ({ entrant }) => give("readmit", { entrant: entrant.value }));
}

const withdrawForm = () => form(own.withdraw, [entrants()], ({ entrant }) => give("withdraw", { entrant: entrant.value }));
const penaltyForm = () => form(own.penalise, [entrants(), text("points", own.tenths, { type: "number", step: "0.1", min: "0.1", max: "1000" }), reasonField()],
  ({ entrant, points, reason }) => give("penalty", { entrant: entrant.value, tenths: inTenths(points.value), reason: reason.value }));

function menu(round, shownTable) {
  const { table, state } = shownTable;
  const at = { round, table };
  const waits = ["ready", "called"].includes(state);
  return element("details", { class: "orders" }, element("summary", {}, own.orders), element("div", { class: "row" },
    state === "ready" ? button(own.startOne, "start", at) : null,
    waits ? button(own.fillOne, "start", { ...at, bots: true }) : null,
    state === "running" || state === "called" ? button(own.pauseOne, "pause", at) : null,
    state === "paused" ? button(own.goOnOne, "start", at) : null,
    ...(waits ? [...substitutes(round, shownTable), ...unvoids(at, shownTable)] : []),
    state === "done" ? null : timeForm(at, shownTable),
    reseatForm(at, shownTable),
    state === "ready" || state === "done" ? correctForm(at, shownTable) : null,
    shownTable.outcome?.corrected ? button(own.uncorrect, "correct", { ...at, revoke: true }) : null,
    waits ? null : form(own.voidOne, [reasonField()], ({ reason }) => give("void", { ...at, reason: reason.value }))));
}

/** Returns a button for each player of a table: a bot plays for one who is away, or the player takes the place back. */
function substitutes(round, { seats, played_by }) {
  const buttons = [];
  for (const [seat, number] of seats.entries()) {
    const { kind, name, withdrawn } = event.entrants[number - 1];
    const isAway = played_by[seat] !== number;
    if (kind === "bot" || withdrawn) continue;
    buttons.push(button(isAway ? own.plays(name) : own.substitute(name), "substitute", isAway ? { round, entrant: name, by: name } : { round, entrant: name }));
  }
  return buttons;
}

/** Returns a button for each game of a table that may count again. */
const unvoids = (at, { voided }) => voided.filter(({ result, correction }) => result || correction).map(({ attempt }) => (
  button(own.unvoid(attempt), "void", { ...at, revoke: attempt })));

function timeForm(at, { extra }) {
  const field = text("seconds", own.seconds, { type: "number", min: "0", max: "3600", value: `${extra}` });
  return form(own.time, [labelled(own.seconds, field)], ({ seconds }) => give("time", { ...at, seconds: Number(seconds.value) }));
}

function reseatForm(at, { seats }) {
  const fields = seats.map((number, seat) => {
    const field = choice(`seat${seat}`, words.winds[LETTERS[seat]], event.entrants.map(({ name }) => [name, name]));
    field.value = nameOf(number);
    return field;
  });
  const shownFields = fields.map((field, seat) => labelled(words.winds[LETTERS[seat]], field));
  return form(own.reseat, [...shownFields, reasonField()], ({ reason }) => give("reseat", { ...at, seats: fields.map(({ value }) => value), reason: reason.value }));
}

function correctForm(at, { seats, outcome }) {
  const fields = seats.map((number, seat) => text(`points${seat}`, nameOf(number), { type: "number", value: outcome?.points[seat] }));
  const shownFields = fields.map((field, seat) => labelled(nameOf(seats[seat]), field));
  return form(own.correct, [...shownFields, reasonField()], ({ reason }) => give("correct", { ...at, points: fields.map(({ value }) => Number(value)), reason: reason.value }));
}

// Standings, and the rest

function standings() {
  const seats = event.play.seats;
  const heads = ["#", own.name, own.total, ...own.places.slice(0, seats), own.points, own.best];
  const hasPenalties = event.standings.some(({ penalties }) => penalties);
  const withdrawn = new Set(event.entrants.filter((entrant) => entrant.withdrawn).map(({ name }) => name));
  const rows = event.standings.map((row) => element("tr", { class: event.me !== null && row.name === nameOf(event.me) ? "me" : null },
    element("td", { class: "number" }, `${row.place ?? "–"}`),
    element("td", {}, element("bdi", {}, row.name), row.team ? element("small", {}, ` ${row.team}`) : null, withdrawn.has(row.name) ? element("small", {}, ` ${own.withdrawn}`) : null),
    element("td", { class: `number ${tint(row.total)}` }, signed(row.total), hasPenalties && row.penalties ? element("small", {}, ` (${own.penalty} ${row.penalties.toFixed(1)})`) : null),
    ...Array.from({ length: seats }, (_, place) => element("td", { class: "number" }, `${row[`place_${place + 1}`]}`)),
    element("td", { class: "number" }, words.points(row.points)), element("td", { class: "number" }, signed(row.best))));
  return [element("h2", {}, own.standings), element("div", { class: "panel scroll", tabindex: "0", role: "region", "aria-label": own.standings },
    element("table", {}, element("thead", {}, element("tr", {}, ...heads.map((head, place) => element("th", { class: place === 1 ? null : "number" }, head)))), element("tbody", {}, ...rows)))];
}

/** Returns the orders so far, which the director alone receives; the newest comes first. */
function orderLog() {
  const instant = (at) => new Date(at).toLocaleString(locale, { dateStyle: "short", timeStyle: "short" });
  const items = event.log.map(({ number, at, text: order }) => element("li", { value: `${number}` }, element("time", { datetime: at }, instant(at)), " ", order));
  return element("details", {}, element("summary", {}, own.log), element("ol", { class: "log" }, ...items.reverse()));
}

function more() {
  const { id, penalties, commitment, secret } = event;
  const address = `/api/tournaments/${encodeURIComponent(id)}`;
  return [
    ...(penalties.length ? [element("h2", {}, own.penalties), element("ul", { class: "panel rooms" }, ...penalties.map(({ penalty, entrant, points, reason, revoked }) => element("li", {},
      element("bdi", {}, entrant), element("span", {}, `${points.toFixed(1)} · ${reason}${revoked ? ` · ${own.revoked}` : ""}`), event.director && !revoked && event.state !== "finished" ? button(own.revoke, "penalty", { revoke: penalty }) : null)))] : []),
    ...(event.log.length ? [orderLog()] : []),
    element("p", { class: "export" }, `${own.export}: `, ...["standings.csv", "results.csv", "export.json"].map((file) => element("a", { href: `${address}/${file}`, download: true }, file))),
    element("p", { class: "note proof" }, `${secret ? own.secret : own.commitment}: `, element("code", {}, secret ?? commitment)),
  ];
}

translate(words);
showNavigation(find("nav"), "");
look();
setInterval(look, PERIOD);
document.addEventListener("visibilitychange", look);
