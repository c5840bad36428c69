// The drawers at the edge of a table: the menu, the log, the settings, the keys. One of them is open at a time.

import { element, tileElement } from "./elements.js";
import { icon } from "./pictures.js";
import { prefer, preference } from "./preferences.js";
import { SOUNDS } from "./sound.js";
import { offerLanguages } from "./words/languages.js";

const FELTS = ["green", "blue", "wine", "grey"];
const MOST_LINES = 60;
const TOOLS = { log: "log", sound: "sound", settings: "gear", menu: "menu" };

export class Drawers {
  #open = null; // the name of the open drawer
  #opener = null; // the element that gets the focus back
  #more = []; // drawers that others have added: a name, a picture, and what makes the contents
  #lines = []; // of the log: texts, with a tile or null
  #volume = 0.5; // the one before it was silent

  /** Draws the buttons into ``tools``, and drawers into ``root``. ``areHints`` tells whether the room gives hints. */
  constructor(tools, root, words, areHints) {
    this.root = root;
    this.words = words;
    this.areHints = areHints;
    this.box = element("section", { class: "glass drawer", role: "dialog", hidden: true, id: "drawer" });
    this.box.addEventListener("keydown", (event) => this.#press(event));
    this.buttons = Object.fromEntries(Object.entries(TOOLS).map(([name, picture]) => [name, element("button", {
      type: "button", id: `tool-${name}`, "aria-label": words.drawers[name], title: words.drawers[name],
      onclick: () => this.#use(name),
    }, icon(picture))]));
    tools.append(...Object.values(this.buttons));
    root.append(this.box);
    this.#showSound();
  }

  get isOpen() {
    return this.#open !== null;
  }

  has(name) {
    return this.#more.some((each) => each.name === name);
  }

  /** Adds a line to the log, with a tile if it is about one. */
  note(text, tile = null) {
    this.#lines.push([text, tile]);
    if (this.#lines.length > MOST_LINES) this.#lines.shift();
    if (this.#open === "log") this.#fill("log");
  }

  /** Adds a drawer to which the menu leads; ``contents()`` makes what is in it. */
  add(name, picture, contents) {
    this.#more.push({ name, picture, contents });
  }

  /** Makes the contents of a drawer anew, if it is open; its head keeps the focus. */
  refill(name) {
    if (this.#open !== name) return;
    while (this.box.childElementCount > 1) this.box.lastChild.remove();
    this.box.append(...this.#contents(name));
  }

  open(name) {
    this.#show(name);
    this.box.querySelector("button, select, input, a")?.focus();
  }

  /** Opens a drawer beside which the keys of the table go on, or closes it. */
  turn(name) {
    if (this.#open === name) this.close();
    else this.#show(name);
  }

  #show(name) {
    if (!this.isOpen) this.#opener = document.activeElement;
    this.#open = name;
    this.box.hidden = false;
    this.box.setAttribute("aria-label", this.words.drawers[name]);
    this.#fill(name);
  }

  close() {
    if (!this.isOpen) return;
    this.#open = null;
    this.box.hidden = true;
    this.#opener?.focus();
  }

  #use(name) {
    if (name === "sound") this.#turnSound();
    else if (this.#open === name) this.close();
    else this.open(name);
  }

  #press(event) {
    event.stopPropagation(); // keys of the table wait
    if (event.key === "Escape") this.close();
  }

  #fill(name) {
    const title = element("header", {}, element("h2", {}, this.words.drawers[name]),
      element("button", { type: "button", class: "close", "aria-label": this.words.drawers.close, onclick: () => this.close() }, "×"));
    this.box.replaceChildren(title, ...this.#contents(name));
    if (name === "log") this.box.scrollTop = this.box.scrollHeight;
  }

  #contents(name) {
    const added = this.#more.find((each) => each.name === name);
    if (added) return added.contents();
    return { log: () => this.#log(), settings: () => this.#settings(), keys: () => this.#keys(), menu: () => this.#menu() }[name]();
  }

  #log() {
    return [element("ol", { class: "lines" }, ...this.#lines.map(([text, tile]) => (
      element("li", {}, text, tile === null ? null : tileElement(tile, this.words)))))];
  }

  // Sound

  #turnSound() {
    if (preference("volume")) this.#volume = preference("volume");
    prefer("volume", preference("volume") ? 0 : this.#volume);
    this.#showSound();
    SOUNDS.discard();
  }

  #showSound() {
    const button = this.buttons.sound;
    button.replaceChildren(icon(preference("volume") ? "sound" : "muted"));
    button.setAttribute("aria-pressed", String(preference("volume") > 0));
  }

  // Settings

  #settings() {
    const { settings, drawers } = this.words;
    const language = element("select", {});
    offerLanguages(language, this.words);
    const hints = ["hints", "safe"].map((name) => this.#check(name));
    for (const each of this.areHints() ? [] : hints) {
      each.querySelector("input").disabled = true;
      each.title = this.words.noHints;
    }
    return [
      element("h3", {}, settings.table),
      element("label", {}, this.words.language_, language),
      element("div", { class: "label" }, settings.felt, this.#felts()),
      this.#choice("tiles", ["ivory", "black"]), this.#choice("theme", ["dark", "light"]), this.#choice("rows", ["two", "one"]),
      element("h3", {}, settings.play),
      this.#choice("discard", ["click", "double", "drag"]), ...hints, this.#check("alike"), this.#check("letters"),
      element("h3", {}, drawers.sound),
      element("label", {}, settings.volume, element("input", {
        type: "range", min: 0, max: 1, step: 0.05, value: preference("volume"), id: "volume",
        oninput: ({ target }) => {
          prefer("volume", Number(target.value));
          this.#showSound();
          SOUNDS.discard();
        },
      })),
      this.#check("voice"), this.#check("tick"), ...("Notification" in window ? [this.#check("notify", (target) => this.#allow(target))] : []),
    ];
  }

  #felts() {
    const buttons = FELTS.map((felt) => element("button", {
      type: "button", class: felt, "aria-label": this.words.settings.felts[felt], "aria-pressed": String(preference("felt") === felt),
      onclick: () => {
        prefer("felt", felt);
        buttons.forEach((each) => each.setAttribute("aria-pressed", String(each.className === felt)));
      },
    }));
    return element("span", { class: "swatches", role: "group", "aria-label": this.words.settings.felt }, ...buttons);
  }

  #choice(name, values) {
    const texts = this.words.settings;
    return element("label", {}, texts[name], element("select", { "data-preference": name, onchange: ({ target }) => prefer(name, target.value) },
      ...values.map((value) => element("option", { value, selected: preference(name) === value }, texts.values[value]))));
  }

  #check(name, change = (target) => prefer(name, target.checked)) {
    return element("label", {}, this.words.settings[name], element("input", {
      type: "checkbox", "data-preference": name, checked: preference(name), onchange: ({ target }) => change(target),
    }));
  }

  /** Lets the system notify the player, if the browser allows it after asking. */
  async #allow(box) {
    const { mayNotify } = await import("./summons.js");
    box.checked = box.checked && await mayNotify();
    prefer("notify", box.checked);
  }

  // Keys and menu

  #keys() {
    const rows = this.words.keyHelp.map(([keys, text]) => (
      element("tr", {}, element("th", { scope: "row" }, keys), element("td", {}, text))));
    return [element("table", {}, element("tbody", {}, ...rows)), this.#check("letters")];
  }

  #menu() {
    const { drawers, lobby } = this.words;
    const entry = (name, picture) => element("button", { type: "button", onclick: () => this.open(name) }, icon(picture), drawers[name]);
    const full = document.fullscreenEnabled ? [element("button", {
      type: "button", onclick: () => (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen()),
    }, icon("full"), drawers.full)] : [];
    return [element("div", { class: "entries" }, entry("log", "log"), entry("settings", "gear"), entry("keys", "keys"), ...this.#more.map(({ name, picture }) => entry(name, picture)),
      element("button", { type: "button", onclick: () => this.#turnSound() }, icon("sound"), drawers.sound), ...full,
      element("a", { href: "/" }, icon("exit"), lobby))];
  }
}
