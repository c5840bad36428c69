// The page of whoever keeps order, with the session of a user whose role is admin.

import { Box, element } from "./elements.js";
import { aboutAccount } from "./guest.js";
import { showNavigation, words as common } from "./site.js";
import { locale, saidByServer, translate } from "./words/languages.js";

const { words } = await import(`./words/admin_${common.language}.js`);
const EVERY = 5000; // milliseconds between two looks
const RARE = 1000; // one of so many people is as like a program by chance: the false alarms
const RAREST = 100000; // the server tells nothing rarer

const find = (id) => document.getElementById(id);
const boxes = Object.fromEntries(["reports", "tables", "players", "bans", "log"].map((name) => [name, new Box(find(name))]));
let older = []; // the orders of older pages of the log
let isAsking = false;
let hasLoggedIn = false;

const LISTS = [
  ["reports", "reports", reportRow], ["tables", "tables", tableRow], ["players", "players", playerRow], ["bans", "bans", banRow], ["log", "orders", orderRow],
];

/** Gives an order and returns its answer; shows why it was refused, and returns null then. */
async function give(order, given = {}) {
  let response;
  let answer;
  try {
    response = await fetch("/api/admin/order", {
      method: "POST", headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ order, ...given }),
    });
    const text = await response.text();
    answer = text.startsWith("{") ? JSON.parse(text) : { ok: false, error: text.trim() };
  } catch {
    say(common.gone, true);
    return null;
  }
  if (answer.ok) return answer;
  say(saidByServer(answer.error), true);
  if (response.status === 401) logOut();
  return null;
}

function say(text, isWrong = false) {
  find("said").textContent = text;
  find("said").classList.toggle("wrong", isWrong);
}

/** Gives an order that changes something, says so, and looks again. */
async function act(order, given, done) {
  const answer = await give(order, given);
  if (answer === null) return;
  await look();
  say(done(answer));
}

async function look() {
  if (isAsking) return;
  isAsking = true;
  try {
    for (const [order, key, row] of LISTS) {
      const answer = await give(order);
      if (answer === null) return;
      show(boxes[order], order, answer[key], row);
    }
    if (!hasLoggedIn) say("");
    hasLoggedIn = true;
    find("login").hidden = true;
    find("desk").hidden = false;
  } finally {
    isAsking = false;
  }
}

function show(box, name, rows, row) {
  const all = name === "log" ? [...rows, ...older.filter(({ id }) => id < (rows.at(-1)?.id ?? 0))] : rows;
  if (name === "log") find("more").hidden = all.length === 0 || all.at(-1).id === 1;
  box.show(all, () => (all.length ? all.map(row) : [element("li", { class: "none" }, words.none[name])]));
}

const line = (head, about, ...ways) => element("li", {}, element("b", {}, element("bdi", {}, head)), element("span", {}, about), element("div", { class: "ways" }, ...ways));
const way = (text, label, onclick) => element("button", { class: "btn", type: "button", "aria-label": label, onclick }, text);
const instant = (text) => (text.startsWith("9999") ? words.forGood : new Date(text).toLocaleString(locale, { dateStyle: "medium", timeStyle: "short" }));

/** Says how like our players somebody plays; it stands out if people are that seldom. */
function likenessText(likeness) {
  if (likeness === null) return element("span", {}, words.notCompared);
  const { player, agreed, discards, games, usual, one_in: oneIn } = likeness;
  const percent = (share) => Math.round(100 * share);
  return element("span", { class: oneIn >= RARE ? "rare" : "" },
    words.likeness(player, percent(agreed / discards), discards, games, usual.map(percent)), " ", words.oneIn(oneIn.toLocaleString(common.language), oneIn >= RAREST));
}

function reportRow({ id, made, reporter, game, room, seat, player, reason, upheld, table, likeness }) {
  const about = [words.reasons[reason] ?? reason, words.by(reporter), instant(made), room, upheld ? words.upheldBefore(upheld) : null];
  const link = table === null
    ? element("a", { class: "btn", href: `/replay?game=${encodeURIComponent(game)}&review=1#v=${seat}` }, words.replay)
    : element("a", { class: "btn", href: `/table?watch=${encodeURIComponent(table)}` }, words.watch);
  const judge = (verdict) => way(words.verdicts[verdict], `${words.verdicts[verdict]}: ${player}`, () => act("judge", { report: id, verdict }, () => words.judged(player)));
  const row = line(player, about.filter(Boolean).join(" · "), link,
    way(words.annul, `${words.annul}: ${game}`, () => confirm(words.annulSure(game)) && act("annul", { game }, () => words.annulled(game))),
    way(words.ban, `${words.ban}: ${player}`, () => askForBan(player.split("/")[0])), judge("upheld"), judge("dismissed"));
  row.lastChild.before(likenessText(likeness));
  return row;
}

function tableRow({ table, room, players, spectators }) {
  return line(table, [room, players.join(", "), common.site.watching(spectators)].join(" · "),
    element("a", { class: "btn", href: `/table?watch=${encodeURIComponent(table)}` }, words.watch),
    way(words.close, `${words.close}: ${table}`, () => confirm(words.closeSure(table)) && act("close", { table }, () => words.closed(table))));
}

function playerRow({ player, user, room, table, from, protocol }) {
  return line(player, [table ?? `${room} (${words.waits})`, from, protocol, user === null ? words.guest : null].filter(Boolean).join(" · "),
    way(words.kick, `${words.kick}: ${player}`, () => confirm(words.kickSure(player)) && act("kick", { player }, () => words.kicked(player))),
    way(words.ban, `${words.ban}: ${player}`, () => askForBan(user ?? addressOf(from))));
}

/** Returns the address of a host and port such as 192.0.2.7:40112 or [2001:db8::1]:40112. */
const addressOf = (from) => from.replace(/:\d+$/u, "").replace(/^\[|\]$/gu, "");

function banRow({ kind, target, reason, made_by: by, until }) {
  return line(target, [instant(until), reason, words.by(by)].filter(Boolean).join(" · "),
    way(words.lift, `${words.lift}: ${target}`, () => act("unban", { [kind]: target }, () => words.lifted(target))));
}

function orderRow({ made, made_by: by, via, name, target, arguments: given, outcome }) {
  const ways = name === "annul" && outcome === "ok"
    ? [way(words.restore, `${words.restore}: ${target}`, () => act("restore", { game: target }, () => words.restored(target)))]
    : [];
  const row = line(`${name} ${target}`.trim(), [instant(made), `${by} (${words.via[via] ?? via})`, given, outcome === "ok" ? null : outcome].filter(Boolean).join(" · "), ...ways);
  if (outcome !== "ok") row.className = "failed";
  return row;
}

function askForBan(target = "") {
  for (const id of ["until", "reason"]) find(id).value = "";
  find("target").value = target;
  find("ask").returnValue = "";
  find("ask").showModal();
}

/** Tells an address from the name of a user as the server's command does, roughly: the server checks. */
const isAddress = (text) => /^(\d+\.){3}\d+(\/\d+)?$/u.test(text) || /^[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*(\/\d+)?$/iu.test(text);

find("ask").addEventListener("close", () => {
  if (find("ask").returnValue !== "ban") return;
  const target = find("target").value.trim();
  const until = find("until").value;
  act("ban", { [isAddress(target) ? "address" : "user"]: target, reason: find("reason").value.trim(), ...(until ? { until } : {}) },
    ({ kicked }) => words.banned(target, kicked));
});

find("announce").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = find("text").value;
  act("announce", { text }, ({ told }) => {
    find("text").value = "";
    return words.told(told);
  });
});

function logOut() {
  hasLoggedIn = false;
  find("login").hidden = false;
  find("desk").hidden = true;
}

find("ban").addEventListener("click", () => askForBan());
find("more").addEventListener("click", async () => {
  const last = older.at(-1)?.id ?? (await give("log"))?.orders.at(-1)?.id;
  const answer = last === undefined ? null : await give("log", { before: last });
  if (answer === null) return;
  older = [...older, ...answer.orders];
  await look();
  if (answer.orders.length === 0) find("more").hidden = true;
});

translate({ ...common, ...words });
showNavigation(find("nav"), "admin");
setInterval(() => hasLoggedIn && !document.hidden && look(), EVERY);
const account = await aboutAccount();
if (account === null) say(words.noUsers, true);
else if (account.user === null) logOut();
else await look();
document.body.dataset.ready = "true";
