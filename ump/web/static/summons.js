// Calls a player back to a page that is not in front: by its title, a sound, a notification of the system if the player
// has allowed that, and the vibration of a phone.

import { preference } from "./preferences.js";
import { SOUNDS } from "./sound.js";

const FLASH = 1000; // milliseconds of each of two titles in turn
const VIBRATION = [200, 100, 200];
const TAG = "ump-summons"; // a newer notification takes the place of an older one
const ICON = "/static/icon.svg";

let timer = null;
let title = ""; // that of the page itself
let shown = null; // a notification without a service worker

const isInFront = () => !document.hidden && document.hasFocus();

/** Calls the player with a text, unless the page is in front. */
export function summon(text) {
  if (isInFront()) return;
  flash(text);
  SOUNDS.summon();
  if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.(VIBRATION);
  if (preference("notify")) notify(text);
}

/** Takes everything back: the player is here, or it is too late. */
export async function dismiss() {
  if (timer === null) return;
  clearInterval(timer);
  timer = null;
  document.title = title;
  shown?.close();
  const worker = await registration();
  for (const each of (await worker?.getNotifications({ tag: TAG })) ?? []) each.close();
}

function flash(text) {
  if (timer === null) title = document.title;
  clearInterval(timer);
  document.title = text;
  timer = setInterval(() => { document.title = document.title === title ? text : title; }, FLASH);
}

/** Shows a notification; phones do that by a service worker alone. */
async function notify(text) {
  if (Notification.permission !== "granted") return;
  const options = { tag: TAG, renotify: true, icon: ICON, body: title, silent: true }; // the page makes the sound
  const worker = await registration();
  if (worker !== undefined) {
    worker.showNotification(text, options);
    return;
  }
  shown = new Notification(text, options);
  shown.onclick = () => window.focus();
}

const registration = () => navigator.serviceWorker?.getRegistration();

/** Asks the player for the permission; returns whether it is given. */
export const mayNotify = async () => (await Notification.requestPermission()) === "granted";

const look = () => isInFront() && dismiss();
addEventListener("focus", look);
document.addEventListener("visibilitychange", look);
