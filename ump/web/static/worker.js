// The service worker. It holds the static files, whose addresses name their version, and a page for somebody who is
// offline. It never keeps pages, answers of the server, or anything of a game: those come from the network alone.

const VERSION = "{version}"; // the server writes it
const KEPT = `ump-${VERSION}`;
const FOLDER = `/static/${VERSION}/`;
const OFFLINE = "/offline";
const ANY = { ignoreVary: true }; // a file is the same whatever the header Accept says
const NEEDED = [
  "tokens.css", "board.css", "tiles.css", "site.css", "offline.js", "elements.js", "preferences.js", "icon.svg",
  "words/languages.js", "words/en.js", "words/ja.js", "words/zh.js",
];

async function install() {
  const cache = await caches.open(KEPT);
  await cache.addAll([OFFLINE, ...NEEDED.map((name) => FOLDER + name)]);
  await self.skipWaiting();
}

async function activate() {
  const old = (await caches.keys()).filter((name) => name !== KEPT);
  await Promise.all(old.map((name) => caches.delete(name)));
  await self.clients.claim();
}

/** Returns a page from the network, or the one that says that there is none. */
async function page(request) {
  try {
    return await fetch(request);
  } catch {
    return (await caches.match(OFFLINE, ANY)) ?? Response.error();
  }
}

/** Returns a file of this version, which never changes. A server of another version may answer: that is not kept. */
async function file(request) {
  const cache = await caches.open(KEPT);
  const found = await cache.match(request, ANY);
  if (found !== undefined) return found;
  const response = await fetch(request);
  if (response.ok && response.headers.get("Cache-Control")?.includes("immutable")) await cache.put(request, response.clone());
  return response;
}

/** Leads from a notification to the page that has sent it. */
async function goBack() {
  const pages = await self.clients.matchAll({ type: "window" });
  await pages[0]?.focus();
}

self.addEventListener("install", (event) => event.waitUntil(install()));
self.addEventListener("activate", (event) => event.waitUntil(activate()));
self.addEventListener("fetch", (event) => {
  const { method, mode, url } = event.request;
  const { origin, pathname } = new URL(url);
  if (method !== "GET" || origin !== location.origin) return;
  if (mode === "navigate") event.respondWith(page(event.request));
  else if (pathname.startsWith(FOLDER)) event.respondWith(file(event.request));
});
self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(goBack());
});
