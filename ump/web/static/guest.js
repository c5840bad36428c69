// The guest that this browser is, by a secret that only this server gets, or the user who has logged in with it.

const KEPT = "ump-guest";
const KEY = /^[A-Za-z0-9_-]{22,64}$/;

const random = (count) => crypto.getRandomValues(new Uint8Array(count)); // the only part of crypto without TLS

/** The name of this tab. It stays in memory, so that a duplicated tab has another one. */
export const TAB = [...random(4)].map((byte) => byte.toString(16).padStart(2, "0")).join("");

let inMemory = null; // where the browser keeps nothing

/** Returns the secret by which the server knows this browser again. */
export function guestKey() {
  try {
    const kept = localStorage.getItem(KEPT);
    if (kept !== null && KEY.test(kept)) return kept;
    localStorage.setItem(KEPT, newKey());
    return localStorage.getItem(KEPT);
  } catch {
    inMemory ??= newKey();
    return inMemory;
  }
}

const newKey = () => btoa(String.fromCharCode(...random(16))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

/** Asks the server about this guest; ``path`` continues /api/me. */
export const askAboutMe = (path = "", options = {}) => (
  fetch(`/api/me${path}`, { ...options, headers: { Authorization: `Guest ${guestKey()}`, ...options.headers } }));

/** Asks the server about tables among friends; ``path`` continues /api/tables. */
export const askAboutTables = (path = "", options = {}) => (
  fetch(`/api/tables${path}`, { ...options, headers: { Authorization: `Guest ${guestKey()}` } }));

/** Asks the server about drills; ``path`` continues /api/drills. */
export const askAboutDrills = (path = "", options = {}) => (
  fetch(`/api/drills${path}`, { ...options, headers: { Authorization: `Guest ${guestKey()}`, ...options.headers } }));

/** Returns what the server knows of this guest: its seats in running games, and the tables among friends where it is. */
export async function aboutMe() {
  try {
    const response = await askAboutMe();
    if (response.ok) return await response.json();
  } catch { /* the server does not answer */ }
  return { seats: [], tables: [] };
}

/** Returns the account of the user who has logged in, and how others may; null: this server has no accounts. */
export async function aboutAccount() {
  try {
    const response = await fetch("/api/account");
    if (response.ok) return await response.json();
  } catch { /* the server does not answer */ }
  return null;
}

/** Asks for a change of the account; ``path`` continues /api/account. */
export const askAboutAccount = (path, given, method = "POST") => fetch(`/api/account/${path}`, {
  method, headers: {
    ...(path === "register" ? { Authorization: `Guest ${guestKey()}` } : {}), // the guest's games become the user's
    ...(given === null ? {} : { "Content-Type": "application/json" }),
  }, ...(given === null ? {} : { body: JSON.stringify(given) }),
});

/** Asks for the address of the provider, to log in ("login") or to add its identity to the account ("link"). */
export const beginAtProvider = (intent) => fetch("/login/provider", {
  method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ intent }),
});

/** Leaves a game for good. */
export const giveUp = (game) => askAboutMe(`/seats/${encodeURIComponent(game)}`, { method: "DELETE" });

/** Returns the way back to a seat. */
export const seatAddress = ({ room, game, code }) => (code ? `/t/${code}` : `/table?room=${encodeURIComponent(room)}&seat=${encodeURIComponent(game)}`);

// Tables among friends

export const TABLE = "ump-table"; // where a tab keeps the code of the table at which it is, for a reload

/** The code of the table in the address; null: the page is about a room. */
export const CODE = /^\/t\/([^/]+)$/.exec(location.pathname)?.[1].toUpperCase().replaceAll("-", "") ?? null;

/** The letter of the server of this table on a site of several servers, from its code or the address, or "". */
export const SERVER = CODE?.length === 9 ? CODE[0] : new URLSearchParams(location.search).get("at") ?? "";

/** Whether this tab has been at the table of the address before. */
export const hasBeenHere = () => CODE !== null && sessionStorage.getItem(TABLE) === CODE;

/** Returns a code in two halves, which are easier to read out. */
export const readable = (code) => `${code.slice(0, 4)}-${code.slice(4)}`;
