// The guest that this browser is: a secret that only this server gets, and the seats that it leads back to.

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

/** Returns what the server knows of this guest: its seats in running games, and the tables among friends where it is. */
export async function aboutMe() {
  try {
    const response = await askAboutMe();
    if (response.ok) return await response.json();
  } catch { /* the server does not answer */ }
  return { seats: [], tables: [] };
}

/** Leaves a game for good. */
export const giveUp = (game) => askAboutMe(`/seats/${encodeURIComponent(game)}`, { method: "DELETE" });

/** Returns the way back to a seat. */
export const seatAddress = ({ room, game, code }) => (code ? `/t/${code}` : `/table?room=${encodeURIComponent(room)}&seat=${encodeURIComponent(game)}`);
