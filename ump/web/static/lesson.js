// A lesson of the course, at the table: a card says what is asked, and what is right. Positions are told by the server as a
// table tells them, so that board, calls and keys are those of the game; tasks about a hand alone need no board. Answers are
// checked here: nothing can be won by a wrong one.

import { ServerConnection } from "./connection.js";
import { element, tileElement } from "./elements.js";
import { LESSONS } from "./lessons.js";
import { plain, rank } from "./position.js";
import { solve, solvedTasks } from "./progress.js";
import { tilesOf } from "./tile_text.js";
import { split, toMjai } from "./ump_sentences.js";
import { chosenWords } from "./words/languages.js";

const PATIENCE = 3; // wrong answers after which the right one is shown
const NAMES = "own right opposite left"; // the players, as the server calls them
const CALLS = { richi: "riichi", no: "pass", sute: "discard" };

const words = chosenWords();
document.head.append(element("link", { rel: "stylesheet", href: "/static/lesson.css" }));
const parameters = new URLSearchParams(location.search);
const find = (id) => document.getElementById(id);

/** Whether the last hand is played, at a table of the server. */
const isAtTable = parameters.has("room");

const lesson = LESSONS.find(({ id }) => id === parameters.get("lesson")) ?? LESSONS[0];

/** Asks for what a table tells in the positions of the lesson, while the page is made; null: there are none. */
function askForPositions() {
  if (isAtTable || !lesson.tasks.some(({ deal }) => deal)) return null;
  return fetch(`/api/lessons/${lesson.id}?lang=${words.language}`).catch(() => null);
}

const told = askForPositions();
const { words: own } = await import(`./words/lessons_${words.language}.js`);
let teacher = null;

/** The connection of a lesson: there is nobody at its other end but the teacher. */
class LessonConnection {
  say(line) {
    teacher?.hear(line);
  }

  open() {}

  finish() {}

  again() {}

  retry() {}
}

/** What the page of the table has as its connection. */
export const Connection = isAtTable ? ServerConnection : LessonConnection;

/** Begins the lesson of the address on the page of a table; returns who teaches. */
export function teach(page) {
  teacher = new Teacher(page);
  teacher.begin();
  return teacher;
}

/** Returns a text whose {123m} are tiles. */
function rich(text) {
  return text.split(/\{([^}]+)\}/).map((part, place) => (
    place % 2 === 0 ? part : element("span", { class: "in-text" }, ...tilesOf(part).map((tile) => tileElement(tile, words)))));
}

/** Returns hands, numbers and words of a text such as "23s<777z> ron 4s" or "8000". */
function shownElements(text) {
  return text.split(" ").map((part) => {
    if (/^\d+$/.test(part)) return element("b", { class: "num" }, words.points(Number(part)));
    if (!/\d/.test(part)) return element("span", { class: "word" }, own.options[part]);
    return element("span", { class: "tiles" }, ...part.split(/(?=<)/).map((group) => (
      element("span", { class: group.startsWith("<") ? "meld" : null }, ...tilesOf(group).map((tile) => tileElement(tile, words))))));
  });
}

/** Returns all kinds of the suits of a hand, and its honours: among them are its waits. */
function kindsAround(tiles) {
  const suits = new Set(tiles.map((tile) => (tile.length > 1 ? tile[1] : "z")));
  const kinds = [..."mps"].filter((suit) => suits.has(suit)).flatMap((suit) => tilesOf(`123456789${suit}`));
  return [...kinds, ...new Set(tiles.filter((tile) => tile.length === 1))];
}

class Teacher {
  constructor(page) {
    this.page = page;
    this.words = own.lessons[lesson.id];
    this.number = 0;
    this.positions = {};
    this.isSolved = false;
    this.card = element("section", { class: "glass coach", "aria-label": own.page.lesson });
    this.work = element("section", { class: "work", "aria-label": own.page.task });
    find("room").classList.add("lesson");
    find("room").append(this.card, this.work);
    this.work.addEventListener("keydown", (event) => this.step(event));
    find("result").addEventListener("close", () => this.nextButton?.focus());
  }

  async begin() {
    document.title = `ump: ${this.words.title}`;
    if (told !== null) {
      const response = await told;
      if (!response?.ok) {
        this.page.showBanner(words.gone, element("a", { class: "btn", href: "/learn" }, own.page.all));
        return;
      }
      this.positions = await response.json();
    }
    const solved = solvedTasks();
    const first = lesson.tasks.findIndex((_, number) => !solved.has(this.nameOf(number)));
    this.ask(Math.max(first, 0), false);
    document.body.dataset.ready = "true";
  }

  nameOf(number) {
    return `${lesson.id}/${number}`;
  }

  get task() {
    return lesson.tasks[this.number];
  }

  get texts() {
    return { ...this.words, ...this.words.tasks[this.number] };
  }

  // A task

  ask(number, isFocused = true) {
    this.number = number;
    this.isSolved = false;
    this.wrongs = 0;
    this.chosen = new Set();
    this.nextButton = null;
    this.buttons = [];
    const { deal, kind } = this.task;
    if (!isAtTable) this.clear(deal !== undefined);
    this.work.replaceChildren(...(kind === "play" || deal !== undefined ? [] : this.workElements()));
    this.show(this.texts.before, kind === "choose" && deal !== undefined ? this.optionButtons() : this.ways());
    if (deal !== undefined) this.deal(this.positions[number].lines);
    if (isFocused) this.buttons[0]?.focus();
  }

  /** Empties the table. */
  clear(hasBoard) {
    this.page.begin();
    find("result").close();
    this.page.calls.show(null, "");
    this.page.showBanner("");
    find("room").classList.toggle("task", !hasBoard);
  }

  /** Shows what a table has told. */
  deal(lines) {
    const names = own.names.map((name) => encodeURIComponent(name)).join(" ");
    this.page.take(lines.map((line) => line.replace(NAMES, names)));
    this.page.playback.catchUp();
  }

  /** Fills the card. */
  show(told, ways, isWrong = false) {
    const { number } = this;
    const count = lesson.tasks.length;
    const done = number + (this.isSolved ? 1 : 0);
    this.card.replaceChildren(
      element("header", {}, element("span", { class: "n" }, own.page.place(LESSONS.indexOf(lesson) + 1, number + 1, count)),
        element("a", { href: "/learn" }, own.page.all)),
      element("h2", {}, this.words.title),
      element("p", { class: "told", role: "status" }, ...(isWrong ? [element("b", { class: "loss" }, own.page.wrong), " "] : []), ...rich(told)),
      ...(this.isSolved ? [] : [element("p", { class: "asked" }, ...rich(this.texts.ask))]),
      ...(ways.length ? [element("div", { class: "ways" }, ...ways)] : []),
      element("div", { class: "bars", "aria-hidden": "true" }, ...lesson.tasks.map((_, place) => element("i", { class: place < done ? "on" : null }))));
  }

  /** Returns the buttons of the card while a task is open. */
  ways() {
    if (this.task.kind !== "play" || isAtTable) return [];
    return [element("button", { type: "button", class: "btn main", onclick: () => this.sitDown() }, own.page.sit)];
  }

  // Tasks about a hand

  workElements() {
    const { kind, hand, shown } = this.task;
    const given = shown === undefined ? null : element("div", { class: "shown" }, ...shownElements(shown));
    if (kind === "choose") return [given, ...this.optionButtons()].filter(Boolean);
    const tiles = tilesOf(hand).sort((one, other) => rank(one) - rank(other));
    const offered = kind === "waits" ? kindsAround(tiles) : tiles;
    const row = element("div", { class: kind === "waits" ? "palette" : "held", role: "group", "aria-label": own.page.tiles }, ...offered.map((tile) => this.tileButton(tile)));
    const fixed = kind === "waits" ? element("div", { class: "shown" }, element("span", { class: "tiles" }, ...tiles.map((tile) => tileElement(tile, words)))) : null;
    return [given, fixed, row, this.isSingle ? null : this.checkButton()].filter(Boolean);
  }

  /** Whether one tap is an answer. */
  get isSingle() {
    return this.task.kind === "discard" || this.task.accepted.length === 1;
  }

  get right() {
    return new Set(this.task.kind === "choose" ? this.task.accepted : this.task.accepted.flatMap(tilesOf));
  }

  tileButton(tile) {
    const button = tileElement(tile, words, [], { name: "button", type: "button", "aria-pressed": "false", onclick: () => this.choose(plain(tile)) });
    this.buttons.push(Object.assign(button, { choice: plain(tile) }));
    return button;
  }

  optionButtons() {
    const options = this.task.options.map((option, place) => {
      const button = element("button", { type: "button", class: "option", "aria-pressed": "false", onclick: () => this.choose(place) }, ...shownElements(option));
      this.buttons.push(Object.assign(button, { choice: place }));
      return button;
    });
    const isShort = this.task.options.every((option) => option.length < 6);
    return [element("div", { class: isShort ? "options short" : "options", role: "group", "aria-label": own.page.task }, ...options), ...(this.isSingle ? [] : [this.checkButton()])];
  }

  checkButton() {
    this.checker = element("button", { type: "button", class: "btn main check", disabled: true, onclick: () => this.check() }, own.page.check);
    return this.checker;
  }

  choose(choice) {
    if (this.isSolved) return;
    if (this.isSingle) {
      this.chosen = new Set([choice]);
      this.check();
      return;
    }
    if (!this.chosen.delete(choice)) this.chosen.add(choice);
    this.mark();
  }

  mark() {
    for (const button of this.buttons) {
      button.setAttribute("aria-pressed", String(this.chosen.has(button.choice)));
      button.classList.remove("wrong");
    }
    this.checker.disabled = this.chosen.size === 0;
  }

  check() {
    const { right, chosen } = this;
    if (this.isSolved || chosen.size === 0) return;
    const isRight = this.isSingle ? [...chosen].every((each) => right.has(each)) : chosen.size === right.size && [...chosen].every((each) => right.has(each));
    for (const button of this.buttons) button.classList.toggle("wrong", chosen.has(button.choice) && !right.has(button.choice));
    if (isRight) this.succeed();
    else this.fail();
  }

  /** Goes along the tiles or options with the arrow keys. */
  step(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1 }[event.key];
    const place = this.buttons.indexOf(document.activeElement);
    if (by === undefined || place < 0) return;
    event.preventDefault();
    event.stopPropagation();
    this.buttons[(place + by + this.buttons.length) % this.buttons.length].focus();
  }

  // Tasks at the table

  /** Takes what the page says to the table: an answer to the open question, or an order, which nobody takes. */
  hear(line) {
    const { id, command, words: rest } = split(line);
    if (id === 0 || this.isSolved || this.task.kind !== "act") return;
    const answer = [command, ...rest].filter((word) => word !== "tsumogiri").join(" ");
    const question = this.page.question;
    if (this.task.accepted.includes(answer)) {
      const after = this.positions[this.number].after[answer].filter((each) => !split(each).command.endsWith("?"));
      queueMicrotask(() => {
        this.page.take(after); // once the page has closed its question
        this.succeed();
      });
    } else queueMicrotask(() => {
      this.page.ask(question);
      this.page.show();
      this.fail();
    });
  }

  /** Follows the last hand: the card makes room for the game after the first discard, and comes back at the end. */
  see({ type, actor }) {
    if (!isAtTable) return;
    if (type === "dahai" && actor === this.page.position.seat) this.hide(true);
    if (type !== "end_game") return;
    this.hide(false);
    this.succeed();
  }

  hide(isHidden) {
    this.card.hidden = isHidden;
    find("room").classList.toggle("lesson", !isHidden);
  }

  async sitDown() {
    const response = await fetch("/api/lessons", { method: "POST" }).catch(() => null);
    if (!response?.ok) {
      this.show(own.page.noTable, this.ways());
      return;
    }
    const { room, at } = await response.json();
    location.assign(`/table?lesson=${lesson.id}&room=${encodeURIComponent(room)}&at=${encodeURIComponent(at)}`);
  }

  // Right and wrong

  succeed() {
    this.isSolved = true;
    solve(this.nameOf(this.number));
    this.reveal();
    for (const button of this.buttons) button.disabled = true;
    this.work.querySelector(".check")?.remove();
    this.show(this.texts.right, [this.nextWay()]);
    this.card.classList.toggle("over", isAtTable);
    this.nextButton.focus();
  }

  nextWay() {
    const { number } = this;
    const following = LESSONS[LESSONS.indexOf(lesson) + 1];
    if (number + 1 < lesson.tasks.length) {
      this.nextButton = element("button", { type: "button", class: "btn main", onclick: () => this.ask(number + 1) }, own.page.next);
    } else if (following !== undefined) {
      this.nextButton = element("a", { class: "btn main", href: `/table?lesson=${following.id}` }, own.page.nextLesson(own.lessons[following.id].title));
    } else this.nextButton = element("a", { class: "btn main", href: "/" }, words.lobby);
    return this.nextButton;
  }

  fail() {
    this.wrongs += 1;
    const isShown = this.wrongs >= PATIENCE;
    if (isShown) this.reveal();
    const options = this.card.querySelector(".options"); // of a position: they stay
    const check = this.card.querySelector(".check");
    this.show(this.texts.wrong, [options, check].filter(Boolean), true);
    if (isShown && this.task.kind === "act") this.card.querySelector(".told").append(element("span", { class: "answer" }, own.page.answer, " ", ...this.answerElements()));
    if (!this.card.contains(document.activeElement) && !this.work.contains(document.activeElement)) this.buttons[0]?.focus();
  }

  /** Marks the right tiles or options. */
  reveal() {
    for (const button of this.buttons) button.classList.toggle("right", this.right.has(button.choice));
  }

  /** Returns the accepted answers of a position, each as its call and its tiles. */
  answerElements() {
    return this.task.accepted.flatMap((answer, place) => {
      const [command, ...tiles] = answer.split(" ");
      const name = CALLS[command] ?? command;
      return [place ? ` ${own.page.or} ` : null, words.calls[name] ?? own.page.discard, " ", ...tiles.map((tile) => tileElement(toMjai(tile), words))];
    }).filter(Boolean);
  }
}
