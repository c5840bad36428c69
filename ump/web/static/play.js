// The page of a table: plays in a room, or watches one. It is a client of UMP 0.1 like any other.

import { Board, meldElement, northElements } from "./board.js";
import { ServerConnection } from "./connection.js";
import { automaticAnswer, choicesOf, discardOf } from "./choices.js";
import { Box, element, tileElement } from "./elements.js";
import { hintElements, hintOfQuestion, hintOfSentence, marksOf, shownHint } from "./hints.js";
import { after, sorted, start } from "./position.js";
import { areDistinct, placeOf, TypedTile } from "./keyboard.js";
import { showResult } from "./result.js";
import { SPOKEN } from "./spoken.js";
import { Sentences } from "./ump_sentences.js";
import { chosenWords, translate } from "./words/languages.js";

const GUARD = 150; // milliseconds without input after the hand has changed: one click must not discard twice
const AUTOMATIC = 500; // milliseconds until a switch answers, so that the eye can follow
const SHOWN = 12; // seconds until a result closes by itself
const MOST_LINES = 60;
const ANNOUNCED = [10, 5]; // seconds of the clock that a screen reader says
const NO_SEAT = "unknown token; the game is over, or it was never given out"; // the server's error for the token of a game that is over
const STOPPING = "the server is stopping"; // how its errors begin while it stops
const LETTERS_OFF = "ump-letters-off"; // where the browser keeps that letters are no keys (WCAG 2.1.4)
const HINTS_ON = "ump-hints"; // where the browser keeps that hints are shown
const SWITCH_KEYS = { a: "win", n: "calls", g: "discard", h: "hints" };

const parameters = new URLSearchParams(location.search);
const room = parameters.get("room") ?? "main";
const watched = parameters.get("watch");
const seatKey = `ump-seat:${room}`;
const words = chosenWords();
const find = (id) => document.getElementById(id);

const written = (text) => encodeURIComponent(text).replaceAll("=", "%3D");

/** Returns the options with which a user logs in: the password stays in this tab. */
function login() {
  const password = sessionStorage.getItem("ump-password");
  return password ? ` password=${written(password)}` : "";
}

/** Returns the name of a room, with its invitation code if the lobby has asked for it. */
function invited(name) {
  const code = sessionStorage.getItem(`ump-code:${name}`);
  return written(code ? `${name}:${code}` : name);
}

class TablePage {
  constructor() {
    this.board = new Board(find("board"), words);
    this.boxes = Object.fromEntries(["hand", "own-melds", "actions", "hint"].map((id) => [id, new Box(find(id))]));
    this.switches = { win: false, calls: false, discard: false, hints: localStorage.getItem(HINTS_ON) !== null };
    this.typed = new TypedTile();
    this.connection = new ServerConnection({
      room: watched ?? room,
      hello: () => this.hello(), lines: (lines) => this.take(lines), state: (state) => this.showState(state),
    });
    this.rules = null; // those of the room, once the server has told them
    this.begin();
    this.makeSwitches();
    this.askUma();
    document.addEventListener("keydown", (event) => this.press(event));
    find("result").addEventListener("cancel", (event) => event.preventDefault());
    setInterval(() => this.tick(), 200);
  }

  begin() {
    this.sentences = new Sentences();
    this.position = start();
    this.question = null;
    this.chosen = -1; // the place of the tile that the keyboard has chosen
    this.hint = null; // what the server tells of the own hand
    this.pointed = null; // the tile under the mouse
    this.pending = ""; // the choice whose tile is to be chosen: riichi
    this.changedAt = 0;
    this.timer = null;
    this.ready = null; // the question "ready?" that waits until a result has been read
  }

  hello() {
    this.begin();
    const language = words.language === "en" ? " _lang=en" : "";
    const who = `0 hello ump=0.1 name=${written(localStorage.getItem("ump-name") || "guest")}${login()}`;
    if (watched !== null) return `${who} _watch=${invited(watched)} _explain=1${language}`;
    const token = sessionStorage.getItem(seatKey) ?? "1";
    return `${who} _room=${invited(room)} _offer=1 _hand=1 _waits=1 _time=1 _explain=1 _person=1 _resume=${token}${language}`;
  }

  // What the server says

  take(lines) {
    for (const told of this.sentences.take(lines)) {
      if (told.event) this.see(told.event);
      else if (told.question) this.ask(told.question);
      else if (told.said) this.note(words.said(this.position.names[told.actor], words.calls[CALLS[told.said] ?? told.said]));
      else this.hear(told);
    }
    this.show();
  }

  see(event) {
    this.position = after(this.position, event);
    if (["start_kyoku", "hora", "ryukyoku"].includes(event.type) || this.isOwnMove(event)) this.hint = null;
    if (event.type === "dahai") this.note(this.discardText(event));
    if (event.type === "start_game") find("result").close();
    if (event.type === "start_kyoku") {
      find("result").close();
      for (const name of Object.keys(this.switches)) if (name !== "hints") this.set(name, false);
      this.note(`${words.round(event.bakaze, event.kyoku)}, ${words.sticks(event.honba, event.kyotaku)}`);
    }
    if (event.type === "hora" || event.type === "ryukyoku") this.openResult();
    if (event.type === "end_game") {
      sessionStorage.removeItem(seatKey);
      this.openResult();
    }
    if (!["tsumo", "dahai"].includes(event.type) || event.actor === this.position.seat) this.changedAt = performance.now();
    if (this.question && ["dahai", "chi", "pon", "daiminkan", "hora", "ryukyoku", "tsumo"].includes(event.type)) this.close();
  }

  /** Returns whether the own hand changes; the server then tells anew what it waits for. */
  isOwnMove({ type, actor }) {
    return actor === this.position.seat && ["tsumo", "dahai", "chi", "pon"].includes(type);
  }

  discardText({ actor, pai, tsumogiri }) {
    const { names, oya, players } = this.position;
    const wind = "ESWN"[(actor - oya + players) % players];
    return `${words.discards(wind, names[actor])}: ${words.tile(pai)}${tsumogiri ? `, ${words.states.tsumogiri}` : ""}`;
  }

  hear({ command, words: said }) {
    if (command === "_resume") sessionStorage.setItem(seatKey, said[0]);
    else if (command === "_waits" || command === "_shanten") this.hint = hintOfSentence({ command, words: said });
    else if (command === "_waiting") find("notice").textContent = words.waitingForPlayers(said[0], said[1]);
    else if (command === "_illegal") find("notice").textContent = words.refused(said[1]);
    else if (command === "_late") {
      this.close();
      find("notice").textContent = words.late;
    } else if (command === "_notice") {
      find("notice").textContent = words.error(decodeURIComponent(said[0]));
      this.note(find("notice").textContent);
    } else if (command === "error") this.fail(decodeURIComponent(said[0]));
  }

  fail(text) {
    if (text === NO_SEAT && sessionStorage.getItem(seatKey) !== null) {
      sessionStorage.removeItem(seatKey); // begin anew when the connection comes back
      return;
    }
    if (text.startsWith(STOPPING)) return; // the server may come back, with the seat
    this.connection.finish();
    find("notice").textContent = words.error(text);
  }

  /** Asks for the uma of the room, which UMP does not say. Without an answer the result shows none. */
  async askUma() {
    try {
      const response = await fetch(`/api/rules/${encodeURIComponent(watched ?? room)}`);
      if (response.ok) this.rules = (await response.json()).fields;
    } catch {
      this.rules = null;
    }
  }

  // Questions

  ask(question) {
    if (question.command === "bye") {
      this.connection.finish();
      this.connection.say(`${question.id} bye`);
      return;
    }
    if (question.command === "ready?") {
      if (find("result").open) {
        this.ready = question;
        this.readyUntil = performance.now() + 1000 * Math.min(SHOWN, (question.time?.move ?? SHOWN) * 0.8);
      } else this.connection.say(`${question.id} ok`);
      return;
    }
    this.question = { ...question, choices: choicesOf(question, words.calls), askedAt: performance.now() };
    find("notice").textContent = "";
    this.hint = hintOfQuestion(question) ?? this.hint;
    if (question.command === "sutehai?") this.offerHints(this.hint !== null);
    if (question.hand !== null && !fits(question.hand, this.position)) this.connection.again();
    const answer = automaticAnswer(question, this.switches, this.position.riichi[this.position.seat]);
    if (answer !== null) this.timer = setTimeout(() => this.answer(answer), AUTOMATIC);
    const { names, last } = this.position;
    find("alert").textContent = question.command === "sutehai?"
      ? words.yourTurn(question.drawn)
      : question.tile === null ? "" : words.yourCall(`${words.tile(question.tile)}, ${last ? names[last.seat] : ""}`);
  }

  answer(text) {
    if (this.question === null) return;
    this.connection.say(`${this.question.id} ${text}`);
    this.close();
    this.show();
  }

  close() {
    clearTimeout(this.timer);
    this.question = null;
    this.chosen = -1;
    this.pending = "";
  }

  /** A click discards. By touch the first tap lifts a tile, and the second discards it: fingers are thick. */
  touch(place, click) {
    if (click.pointerType === "touch" && this.chosen !== place) {
      this.chosen = place;
      this.show();
    } else this.discard(place);
  }

  discard(place) {
    const hand = this.ownHand();
    const tile = hand.tiles[place];
    if (this.question?.command !== "sutehai?" || tile === undefined || performance.now() - this.changedAt < GUARD) return;
    if (this.pending) {
      const found = this.question.choices.find((each) => each.command === this.pending && each.tiles[0] === tile);
      if (found) this.answer(found.answer);
      return;
    }
    const answer = discardOf(this.question, tile, hand.isDrawn && place === hand.tiles.length - 1);
    if (answer !== null) this.answer(answer);
  }

  choose(found) {
    if (performance.now() - this.changedAt < GUARD || this.question === null) return;
    const alike = this.question.choices.filter((each) => each.command === found.command);
    if (["richi", "openrichi"].includes(found.command) && alike.length > 1) {
      this.pending = this.pending === found.command ? "" : found.command;
      this.show();
    } else this.answer(found.answer);
  }

  press(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.matches("select, input")) return;
    if (event.key === "?") {
      this.openHelp();
      return;
    }
    if (find("result").open) {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        this.goOn();
      }
      return;
    }
    if (/^[a-z0-9]$/i.test(event.key) && localStorage.getItem(LETTERS_OFF) !== null) return;
    const typed = this.typed.press(event.key);
    if (typed.isTaken) this.chooseNamed(typed.names);
    else if (!this.pressCommand(event)) return;
    event.preventDefault();
    this.show();
  }

  /** Chooses a tile of the hand that was typed. */
  chooseNamed(names) {
    if (names.length === 0) return;
    this.chosen = placeOf(this.ownHand().tiles, names);
    find("notice").textContent = this.chosen < 0 ? words.notInHand(words.tile(names[0])) : "";
  }

  /** Acts on a key that is a command by itself; returns whether it is one now. */
  pressCommand(event) {
    const key = event.key === "Escape" ? "x" : event.key.toLowerCase();
    const isConfirmation = event.key === "Enter" || event.key === " ";
    if (isConfirmation && event.target.closest("#actions, #switches")) return false; // a button does that itself
    const choices = this.question?.choices.filter((each) => each.key === key) ?? [];
    if (choices.length > 0) this.pressChoice(choices);
    else if (SPOKEN[key] !== undefined) find("alert").textContent = SPOKEN[key](this.position, words);
    else if (SWITCH_KEYS[key] !== undefined && watched === null) {
      const name = SWITCH_KEYS[key];
      if (!find(`switch-${name}`).disabled) this.set(name, !this.switches[name]);
    } else if (this.question === null) return false;
    else return this.pressTile(event.key, isConfirmation);
    return true;
  }

  /** Takes the only choice of a key; of several different ones, each press goes to the next, and Enter takes it. */
  pressChoice(choices) {
    if (!areDistinct(choices)) {
      this.choose(choices[0]);
      return;
    }
    const buttons = [...find("actions").querySelectorAll("button")].filter((each) => choices.some((choice) => (
      each.dataset.answer === choice.answer)));
    buttons[(buttons.indexOf(document.activeElement) + 1) % buttons.length]?.focus();
  }

  /** Moves along the hand, or discards the chosen tile; returns whether the key does that. */
  pressTile(key, isConfirmation) {
    const { tiles } = this.ownHand();
    const step = { ArrowLeft: -1, ArrowRight: 1 }[key];
    if (step !== undefined) this.chosen = (Math.max(this.chosen, step < 0 ? 0 : -1) + step + tiles.length) % tiles.length;
    else if (key === "End") this.chosen = tiles.length - 1;
    else if (isConfirmation && this.chosen >= 0) this.discard(this.chosen);
    else return false;
    return true;
  }

  // What is shown

  ownHand() {
    const { seat, hands, drawn } = this.position;
    if (seat === null) return { tiles: [], isDrawn: false };
    return { tiles: hands[seat], isDrawn: drawn[seat] !== null };
  }

  show() {
    const isPlaying = this.position.seat !== null;
    this.board.show(this.position, { ownHand: !isPlaying, openHands: watched !== null });
    const { tiles, isDrawn } = this.ownHand();
    const legal = this.legalTiles();
    const marks = this.hintMarks();
    this.boxes.hand.show([tiles, isDrawn, [...legal], this.chosen, marks], () => tiles.map((tile, place) => {
      const isLast = isDrawn && place === tiles.length - 1;
      const states = [...(isLast ? ["drawn"] : []), ...(place === this.chosen ? ["chosen"] : []), ...(marks[tile] ?? [])];
      return tileElement(tile, words, states, {
        name: "button", type: "button", disabled: !legal.has(tile), onclick: (click) => this.touch(place, click),
        onpointerenter: () => this.pointAt(tile), onpointerleave: () => this.pointAt(null),
      });
    }));
    this.showHint();
    const melds = isPlaying ? this.position.melds[this.position.seat] : [];
    const norths = isPlaying ? this.position.norths[this.position.seat] : 0;
    this.boxes["own-melds"].show([melds, norths], () => [
      ...melds.map((each) => meldElement(each, this.position.seat, this.position.players, words)),
      ...northElements(norths, words),
    ]);
    this.showActions();
    document.body.dataset.ready = "true";
  }

  // Hints

  hintMarks() {
    return this.switches.hints && this.question?.command === "sutehai?" ? marksOf(this.hint) : {};
  }

  pointAt(tile) {
    this.pointed = tile;
    this.showHint();
  }

  showHint() {
    const pointed = this.chosen >= 0 ? this.ownHand().tiles[this.chosen] : this.pointed;
    const shown = this.switches.hints ? shownHint(this.hint, pointed) : null;
    this.boxes.hint.show([shown, words.language], () => (shown === null ? [] : hintElements(shown, words)));
  }

  /** Lets the switch be used, or not in a room that gives no hints. */
  offerHints(areGiven) {
    const button = find("switch-hints");
    button.disabled = !areGiven;
    button.title = areGiven ? "" : words.noHints;
  }

  legalTiles() {
    if (this.question?.command !== "sutehai?") return new Set();
    if (!this.pending) return new Set(this.question.sute);
    return new Set(this.question.choices.filter((each) => each.command === this.pending).map((each) => each.tiles[0]));
  }

  showActions() {
    const choices = this.question?.choices ?? [];
    // Riichi with several tiles is one button: the tile is chosen in the hand.
    const shown = choices.filter((each, place) => (
      !["richi", "openrichi"].includes(each.command) || choices.findIndex((other) => other.command === each.command) === place));
    this.boxes.actions.show([shown, this.question?.id ?? null, this.pending], () => shown.map((each) => element("button", {
      type: "button", class: `call ${each.command}`, "aria-pressed": this.pending === each.command ? "true" : null,
      onclick: () => this.choose(each), "data-key": each.key.toUpperCase(), "data-answer": each.answer,
    }, each.label, ...(["chi", "pon", "ankan", "kakan"].includes(each.command)
      ? each.tiles.slice(0, 3).map((tile) => tileElement(tile, words)) : []))));
  }

  note(text) {
    const list = find("log");
    list.append(element("p", {}, text));
    while (list.children.length > MOST_LINES) list.firstChild.remove();
    list.scrollTop = list.scrollHeight;
  }

  tick() {
    const { question } = this;
    let text = "";
    if (question?.time) {
      const spent = (performance.now() - question.askedAt) / 1000;
      const move = Math.max(0, question.time.move - spent);
      const bank = Math.max(0, question.time.bank - Math.max(0, spent - question.time.move));
      text = move > 0 && question.time.bank ? `${Math.ceil(move)} + ${Math.ceil(bank)}` : `${Math.ceil(move + bank)}`;
      find("clock").classList.toggle("short", move + bank < 5);
      this.announce(move + bank);
    }
    if (find("clock").textContent !== text) find("clock").textContent = text;
    if (this.ready !== null && performance.now() > this.readyUntil) this.goOn();
  }

  /** Says the seconds that are left, once at each of ANNOUNCED. */
  announce(left) {
    const passed = ANNOUNCED.filter((each) => left <= each).at(-1);
    if (passed === undefined || passed === this.question.announced) return;
    if (this.question.announced !== undefined || left > passed - 1) find("alert").textContent = words.seconds(passed);
    this.question.announced = passed;
  }

  openResult() {
    const dialog = find("result");
    const buttons = this.position.end === null
      ? [element("button", { type: "button", onclick: () => this.goOn() }, words.goOn)]
      : [
        ...(watched === null ? [element("a", { class: "button", href: location.href }, words.playAgain)] : []),
        element("a", { class: "button", href: "/" }, words.lobby),
      ];
    this.nextSheet = showResult(dialog, this.position, { rules: this.rules, buttons }, words);
    if (!dialog.open) dialog.show();
    buttons[0].focus();
  }

  goOn() {
    if (this.nextSheet() || this.position.end !== null) return;
    find("result").close();
    if (this.ready !== null) this.connection.say(`${this.ready.id} ok`);
    this.ready = null;
  }

  openHelp() {
    const rows = words.keyHelp.map(([keys, text]) => element("tr", {}, element("th", { scope: "row" }, keys), element("td", {}, text)));
    const letters = element("input", {
      type: "checkbox", checked: localStorage.getItem(LETTERS_OFF) === null,
      onchange: () => {
        if (letters.checked) localStorage.removeItem(LETTERS_OFF);
        else localStorage.setItem(LETTERS_OFF, "1");
      },
    });
    find("help").replaceChildren(
      element("h2", {}, words.keys), element("table", {}, ...rows),
      element("p", {}, element("label", {}, letters, ` ${words.letterKeys}`)),
      element("button", { type: "button", onclick: () => find("help").close() }, words.goOn));
    find("help").showModal();
  }

  makeSwitches() {
    if (watched !== null) return;
    find("switches").append(
      ...Object.keys(this.switches).map((name) => element("button", {
        type: "button", id: `switch-${name}`, "aria-pressed": String(this.switches[name]), onclick: () => this.set(name, !this.switches[name]),
      }, words.switches[name])),
      element("button", { type: "button", onclick: () => this.openHelp() }, words.keys));
  }

  set(name, value) {
    this.switches[name] = value;
    if (name === "hints") this.keepHints(value);
    find(`switch-${name}`)?.setAttribute("aria-pressed", String(value));
  }

  keepHints(value) {
    if (value) localStorage.setItem(HINTS_ON, "1");
    else localStorage.removeItem(HINTS_ON);
    this.show();
  }

  showState(state) {
    const text = { open: watched === null ? "" : words.watching, lost: words.lost, gone: words.gone, over: "" }[state];
    find("status").textContent = text;
    if (state === "gone") {
      find("status").append(element("button", { type: "button", onclick: () => this.connection.retry() }, words.tryAgain));
    }
  }
}

const CALLS = { richi: "riichi" };

/** Returns whether a hand that the server states is the one that we show. */
function fits(hand, position) {
  return sorted(hand).join() === sorted(position.hands[position.seat]).join();
}

translate(words);
document.title = `ump: ${room}`;
find("actions").setAttribute("aria-label", words.actions);
find("hand").setAttribute("aria-label", words.hand);
find("status").textContent = words.connecting;
new TablePage().connection.open();
