// Chooses the language of the pages: the one chosen before, or the first of the browser that we have.

/** The names of the languages, in themselves. */
const LANGUAGES = { en: "English", ja: "日本語", zh: "中文" };
const KEPT = "ump-language";

const wanted = [localStorage.getItem(KEPT), ...navigator.languages.map((each) => each.slice(0, 2))];
const { words } = await import(`./${wanted.find((each) => each in LANGUAGES) ?? "en"}.js`);

/** How dates are written: as the reader's country does in the language of the page. */
export const locale = navigator.languages.find((each) => each.slice(0, 2) === words.language) ?? words.language;

/** Returns the words of the page; no others are loaded. */
export const chosenWords = () => words;

/** Returns how the page calls a player: bots of the server have names in its language. */
export function called(name) {
  const [, kind, number] = /^([a-z-]+?)-(\d+)$/.exec(name) ?? [];
  const known = Object.hasOwn(words.bots, kind ?? "") ? words.bots[kind] : null;
  return known === null ? name : `${known} ${number}`;
}

/** Returns what the server says in the language of the page, where it is known. */
export function saidByServer(text) {
  const [start, said] = Object.entries(words.serverSays).find(([start]) => text.startsWith(start)) ?? [text, text];
  const [when, ...why] = text.slice(start.length).split(": "); // as of a ban
  return said.replace("{when}", () => when).replace("{why}", () => why.join(": "));
}

/** Fills the texts of a page that has data-word attributes, and the choice of the language. */
export function translate(words) {
  document.documentElement.lang = words.language;
  for (const each of document.querySelectorAll("[data-word]")) each.textContent = words[each.dataset.word];
  const choice = document.querySelector("#language");
  if (choice !== null) offerLanguages(choice, words);
}

/** Fills the choice of the language; another one holds from the next page on, which is the same one again. */
export function offerLanguages(choice, words) {
  choice.replaceChildren(...Object.entries(LANGUAGES).map(([language, name]) => new Option(name, language)));
  choice.value = words.language;
  choice.setAttribute("aria-label", words.language_);
  choice.onchange = () => {
    localStorage.setItem(KEPT, choice.value);
    location.reload();
  };
}
