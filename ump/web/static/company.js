// The others at a table: what they say, and how many watch. There are twelve phrases, and no other chat.

import { element } from "./elements.js";
import { icon } from "./pictures.js";
import { chosenWords } from "./words/languages.js";

const MUTED = "ump-mute"; // where the browser keeps that nobody's phrases are shown
const SHOWN = 4000; // milliseconds of a phrase
const PAUSE = 3000; // milliseconds between two phrases of one player, as the server has it

const { words: { company } } = await import(`./words/club_${chosenWords().language}.js`);

export class Company {
  #eye;
  #spokeAt = -PAUSE;

  /**
   * Shows in ``root`` what the server tells. ``plateOf(seat)`` and ``nameOf(seat)`` are those of a player, ``say(text)``
   * sends an order, ``note(text)`` writes to the log.
   */
  constructor(root, drawers, { plateOf, nameOf, say, note }) {
    this.root = root;
    Object.assign(this, { plateOf, nameOf, say, note });
    this.drawers = drawers;
    this.#eye = element("span", { class: "glass watchers", hidden: true, role: "status" });
    root.append(this.#eye);
    drawers.add("talk", "talk", () => this.#drawer());
  }

  hear(command, said) {
    if (command === "_watching") this.#watch(Number(said[0]));
    else this.#speak("ABCD".indexOf(said[0]), Number(said[1]));
  }

  #watch(count) {
    this.#eye.hidden = count === 0;
    this.#eye.replaceChildren(icon("eye"), String(count));
    this.#eye.title = company.watching(count);
    this.note(company.watching(count));
  }

  #speak(seat, phrase) {
    const text = company.phrases[phrase - 1];
    const name = this.nameOf(seat);
    if (text === undefined || name === undefined || this.#isMuted()) return;
    this.note(`${name}: ${text}`);
    const { left, top, width, bottom } = this.plateOf(seat).getBoundingClientRect();
    const bubble = element("div", { class: "bubble" }, text);
    this.root.append(bubble);
    const x = Math.min(Math.max(8, left + width / 2 - bubble.offsetWidth / 2), innerWidth - bubble.offsetWidth - 8);
    const y = top > innerHeight / 2 ? top - bubble.offsetHeight - 8 : bottom + 8;
    bubble.style.translate = `${x}px ${y}px`;
    setTimeout(() => bubble.remove(), SHOWN);
  }

  #drawer() {
    const mute = element("input", { type: "checkbox", id: "mute", checked: this.#isMuted(), onchange: () => localStorage.setItem(MUTED, mute.checked ? "1" : "") });
    return [
      element("div", { class: "phrases" }, ...company.phrases.map((text, place) => (
        element("button", { type: "button", class: "btn", onclick: () => this.#tell(place + 1) }, text)))),
      element("label", {}, company.mute, mute),
    ];
  }

  #tell(phrase) {
    if (performance.now() - this.#spokeAt < PAUSE) return;
    this.#spokeAt = performance.now();
    this.say(`_say ${phrase}`);
    this.drawers.close();
  }

  #isMuted() {
    try {
      return localStorage.getItem(MUTED) === "1";
    } catch {
      return false;
    }
  }
}
