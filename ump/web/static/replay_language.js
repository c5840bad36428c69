// The words of the replay page in the language of the reader: those that all pages share, and its own.

import { REPLAY_WORDS } from "./replay_words.js";
import { words as en } from "./words/en.js";
import { words as ja } from "./words/ja.js";
import { words as zh } from "./words/zh.js";

const LANGUAGES = { en, ja, zh };

/** Returns the words of one language. */
export function wordsIn(language) {
  return { ...LANGUAGES[language], replay: REPLAY_WORDS[language] };
}

/** Returns the words of the language chosen before, or of the first one of the browser that we have. */
export function wordsFor(root) {
  const wanted = [keptLanguage(), ...navigator.languages.map((each) => each.slice(0, 2))];
  const language = wanted.find((each) => each in LANGUAGES) ?? "en";
  root.lang = language;
  return wordsIn(language);
}

/** A page that was opened from a file may have no storage. */
function keptLanguage() {
  try {
    return localStorage.getItem("ump-language");
  } catch {
    return null;
  }
}
