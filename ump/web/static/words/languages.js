// Chooses the language of the pages: the one chosen before, or the first of the browser that we have.

import { words as en } from "./en.js";
import { words as ja } from "./ja.js";
import { words as zh } from "./zh.js";

export const LANGUAGES = { en, ja, zh };
const KEPT = "ump-language";

export function chosenWords() {
  const wanted = [localStorage.getItem(KEPT), ...navigator.languages.map((each) => each.slice(0, 2))];
  return LANGUAGES[wanted.find((each) => each in LANGUAGES) ?? "en"];
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
  choice.replaceChildren(...Object.values(LANGUAGES).map((each) => new Option(each.languageName, each.language)));
  choice.value = words.language;
  choice.setAttribute("aria-label", words.language_);
  choice.onchange = () => {
    localStorage.setItem(KEPT, choice.value);
    location.reload();
  };
}
