// The account of a user: log in, register, passwords, sessions, access tokens, and deletion.

import { Box, element } from "./elements.js";
import { aboutAccount, askAboutAccount, beginAtProvider } from "./guest.js";
import { showNavigation, words as common } from "./site.js";
import { locale, saidByServer, translate } from "./words/languages.js";

const { words } = await import(`./words/account_${common.language}.js`);
const [purpose, code] = location.hash.slice(1).split("="); // of the link that led here
const home = placeHere(new URLSearchParams(location.search).get("back"));

const find = (id) => document.getElementById(id);
const boxes = Object.fromEntries(["sessions", "identities", "tokens"].map((id) => [id, new Box(find(id))]));
let account = null;

/** Returns a place on this server, whatever an address says. */
function placeHere(address) {
  try {
    const { origin, pathname, search, hash } = new URL(address ?? "/", location.origin);
    return origin === location.origin && !pathname.startsWith("//") ? pathname + search + hash : "/";
  } catch {
    return "/";
  }
}

function say(text, isWrong = false) {
  find("said").textContent = text;
  find("said").classList.toggle("wrong", isWrong);
}

/** Sends an order about the account; returns its answer, or says why it was refused and returns null. */
async function order(what, given) {
  try {
    const response = await askAboutAccount(what, given);
    if (response.ok) return await response.json();
    say(saidByServer((await response.text()).trim()), true);
  } catch {
    say(common.gone, true);
  }
  return null;
}

async function look() {
  account = await aboutAccount();
  show();
  document.body.dataset.ready = "true";
}

function show() {
  const { user, waiting, register, provider } = account ?? {};
  const isIn = typeof user === "string";
  const mayRegister = waiting || register === "open" || (register === "invite" && purpose === "register");
  const registers = !isIn && (waiting || purpose === "register" || find("register").dataset.wanted === "true") && mayRegister;
  find("title").textContent = isIn ? user : words.title;
  find("desk").hidden = !isIn;
  find("reset").hidden = purpose !== "reset" || isIn;
  find("register").hidden = !registers || purpose === "reset";
  find("login").hidden = account === null || isIn || registers || purpose === "reset";
  find("others").hidden = find("login").hidden;
  find("provider").hidden = !provider;
  find("provider").textContent = words.provider(provider);
  find("begin").hidden = !mayRegister;
  find("secret").hidden = find("secret").querySelector("input").disabled = Boolean(waiting);
  if (account === null) say(words.noUsers, true);
  else if (waiting) say(words.choose);
  if (isIn) showAccount();
}

function showAccount() {
  const { sessions, identities, tokens, provider, has_password: hasPassword } = account;
  find("others-in").hidden = !provider;
  find("link").textContent = words.addIdentity(provider);
  boxes.identities.show([identities, common.language], () => (identities.length === 0 ? [element("li", { class: "none" }, words.noIdentities)]
    : identities.map((issuer) => element("li", {}, element("b", {}, element("bdi", {}, issuer))))));
  find("password").elements.user.value = account.user; // for programs that keep passwords
  for (const each of document.querySelectorAll("#known, .known")) each.hidden = each.querySelector("input").disabled = !hasPassword;
  boxes.sessions.show([sessions, common.language], () => [...sessions].reverse().map(({ id, label, created, ends, own }) => line(
    own ? words.here : browserOf(label), `${words.since(instant(created))} · ${words.until(instant(ends))}`,
    own ? null : way(words.end, `${words.end}: ${browserOf(label)}`, () => revoke(id)))));
  boxes.tokens.show([tokens, common.language], () => (tokens.length === 0 ? [element("li", { class: "none" }, words.noTokens)]
    : tokens.map(({ id, label, bot, created }) => line(
      label || id, [bot && `${account.user}/${bot}`, `ump_${id}_…`, words.since(instant(created))].filter(Boolean).join(" · "),
      way(words.revoke, `${words.revoke}: ${label || id}`, () => revoke(id))))));
}

const line = (head, about, ...ways) => element("li", {}, element("b", {}, element("bdi", {}, head)), element("span", {}, about), element("div", { class: "ways" }, ...ways));
const way = (text, label, onclick) => element("button", { class: "btn", type: "button", "aria-label": label, onclick }, text);
const instant = (text) => new Date(text).toLocaleString(locale, { dateStyle: "medium", timeStyle: "short" });

/** Returns the browser and the system that a User-Agent names, as far as people know them. */
function browserOf(agent) {
  const browser = ["Firefox", "Edg", "OPR", "Chrome", "Safari"].find((each) => agent.includes(`${each}/`));
  const system = ["Android", "iPhone", "iPad", "Windows", "Mac OS", "Linux"].find((each) => agent.includes(each));
  return [{ Edg: "Edge", OPR: "Opera" }[browser] ?? browser, system].filter(Boolean).join(", ") || agent || words.program;
}

async function revoke(id) {
  const response = await askAboutAccount(`tokens/${encodeURIComponent(id)}`, null, "DELETE").catch(() => null);
  if (!response?.ok) say(common.gone, true);
  await look();
}

/** Takes an old error away when somebody goes on typing. */
document.querySelector("main").addEventListener("input", () => {
  if (find("said").classList.contains("wrong")) say("");
});

/** Lets a form send an order with its fields, then goes on. */
function submit(form, what, given, then) {
  find(form).addEventListener("submit", async (event) => {
    event.preventDefault();
    const fields = Object.fromEntries([...new FormData(find(form))].map(([name, text]) => [name, name.endsWith("assword") || name === "new" ? text : text.trim()]));
    say("");
    const answer = await order(what, { ...fields, ...given() });
    if (answer === null) return;
    find(form).reset();
    await then(answer);
  });
}

/** Goes to the provider, to log in or to add its identity to the account. */
async function goToProvider(intent) {
  say("");
  try {
    const response = await beginAtProvider(intent);
    if (response.ok) location.assign((await response.json()).address);
    else say(saidByServer((await response.text()).trim()), true);
  } catch {
    say(common.gone, true);
  }
}

const goOn = () => location.assign(home);

submit("login", "login", () => ({}), goOn);
submit("register", "register", () => ({ invitation: purpose === "register" ? code : "", provider: account.waiting }), goOn);
submit("reset", "reset", () => ({ link: code }), goOn);
submit("password", "password", () => ({}), async () => {
  await look();
  say(words.changed);
});
submit("token", "tokens", () => ({}), async ({ token }) => {
  await look();
  find("made").hidden = false;
  find("made").querySelector("code").textContent = token;
});
submit("delete", "delete", () => ({}), async () => {
  await look();
  say(words.deleted);
});
find("begin").addEventListener("click", () => {
  find("register").dataset.wanted = "true";
  show();
  find("register").querySelector("input").focus();
});
find("provider").addEventListener("click", () => goToProvider("login"));
find("link").addEventListener("click", () => confirm(words.addSure(account.provider)) && goToProvider("link"));
find("logout").addEventListener("click", async () => {
  if (await order("logout", {})) goOn();
});

translate({ ...common, ...words });
showNavigation(find("nav"), "account");
await look();
if (purpose === "refused") say(words.refused, true);
if (purpose === "linked") say(words.linked);
