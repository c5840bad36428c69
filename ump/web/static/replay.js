// The page for replays: keys, buttons and files move a place through a recorded game; the board and the panel show it.

import { Board } from "./board.js";
import { element } from "./elements.js";
import { madeText } from "./jobs.js";
import { Plates } from "./plates.js";
import { preference } from "./preferences.js";
import { gamesIn, hashOf, placeOf } from "./replay_game.js";
import { Review } from "./replay_review.js";
import { Panel, noteText } from "./replay_panel.js";
import { wordsFor } from "./replay_language.js";

const SPEEDS = [0.8, 0.4, 0.2];
const CALL_EXTRA = 0.6;
const MOST_BYTES = 2 * 1024 * 1024;
const own = document.getElementById("record");

class ReplayPage {
  #games = [];
  #game = null;
  #place = { k: 0, n: 0 };
  #view = 0;
  #timer = null;
  #switches = { openHands: true, joined: false, marks: true, hidden: false };
  #speed = 0;
  #id = null;
  #called = (name) => name;
  #file = null; // the record that was opened, if it is none of the server

  constructor(words) {
    this.words = words;
    this.board = new Board(document.getElementById("board"), words);
    this.plates = new Plates(document.getElementById("plates"), words, { onSeat: (seat) => this.view(seat) });
    this.panel = new Panel(document.getElementById("panel"), document.getElementById("time"), words, this);
    this.spoken = document.getElementById("spoken");
    document.title = words.replay.title;
    document.addEventListener("keydown", (event) => this.#press(event));
    document.getElementById("stage").addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    document.addEventListener("dragover", (event) => event.preventDefault());
    document.addEventListener("drop", (event) => {
      event.preventDefault();
      this.open(event.dataTransfer.files[0]);
    });
    addEventListener("hashchange", () => this.#readHash());
  }

  async begin() {
    const asked = new URLSearchParams(location.search);
    const id = own === null ? asked.get("game") : null;
    if (own === null) this.#called = (await import("./words/languages.js")).called;
    this.#id = id;
    this.drill = own === null ? asked.get("drill") : null; // the kind of the drill whose position is shown
    document.getElementById("replay").classList.add("empty");
    if (own !== null) this.#show(own.textContent);
    else if (this.drill) this.#show((await import("./kept_position.js")).keptPosition());
    else if (id) await this.#load(`/api/games/${encodeURIComponent(id)}`);
    else this.panel.showDrop();
    if (this.#game !== null && asked.has("review")) this.panel.openReview();
    document.body.dataset.ready = "";
  }

  /** Opens a file that was dropped or chosen. */
  async open(file) {
    if (!file) return;
    const { failed, onlyOwn } = this.words.replay;
    if (file.size > MOST_BYTES) return void this.panel.showDrop(failed("> 2 MB"));
    const text = await file.text();
    if (text.includes('id="record"') || own !== null) {
      try {
        this.#show(text);
      } catch {
        this.panel.say(failed(onlyOwn));
      }
      return;
    }
    [this.#id, this.#file] = [null, file];
    await this.#load("/api/convert", { method: "POST", body: file });
  }

  async #load(path, options = {}) {
    const { loading, waiting, failed } = this.words.replay;
    this.panel.showDrop(loading, { isWaiting: true });
    try {
      this.#show(await madeText(path, options, (ahead) => this.panel.say(ahead ? waiting(ahead) : loading)));
    } catch (error) {
      this.panel.showDrop(failed(error.message));
    }
  }

  #show(text) {
    const games = gamesIn(text, this.#called);
    if (!games.length) return void this.panel.showDrop(this.words.replay.noKyoku);
    this.#games = games;
    document.getElementById("replay").classList.remove("empty");
    this.#choose(0);
    this.#readHash();
  }

  #choose(number) {
    this.#game = this.#games[number];
    this.#switches.openHands = this.#game.isOpen;
    this.panel.begin(this.#game, this.#games.length, number);
    if (own === null && !this.drill && this.#game.players === 4) this.#offerKeeping(number);
  }

  /** Offers to keep the mistakes of the seat at the bottom, as drills. */
  async #offerKeeping(number) {
    const { review } = this.panel;
    const { keepElement } = await import("./keep_mistakes.js");
    review.root.prepend(keepElement({ game: this.#id, file: this.#file, number, language: this.words.language, seatOf: () => this.#view }));
  }

  #readHash() {
    if (this.#game === null) return;
    const { k, n, view } = placeOf(location.hash);
    this.#view = Math.min(view, this.#game.players - 1);
    this.go({ k, n });
  }

  /** Goes to a place, or the nearest one that exists. */
  go(place) {
    this.#place = this.#game.nearest(place);
    history.replaceState(null, "", hashOf(this.#place, this.#view));
    this.#draw();
  }

  /** Shows the same place again: what it is shown with has changed. */
  redraw() {
    this.#draw();
  }

  #draw() {
    const game = this.#game;
    const { k, n } = this.#place;
    const kyoku = game.kyoku[k];
    const { openHands, marks, hidden } = this.#switches;
    const position = game.position(this.#place);
    const notes = kyoku.handNotes(n, game.players);
    const isSeen = (seat) => (openHands && !hidden) || seat === this.#view;
    const [danger] = kyoku.dangers.get(n) ?? [];
    const isDanger = marks && danger !== undefined && isSeen(danger[0]);
    this.board.show(hidden ? { ...position, result: null } : position, {
      view: this.#view,
      openHands: openHands && !hidden,
      handMarks: isDanger ? { [danger[0]]: Object.fromEntries(danger[1].map((tile) => [tile, ["mark-deal-in"]])) } : {},
      onRiver: () => this.turn("joined"),
      onCentre: () => this.panel.showRounds(this.#switches.hidden ? k : game.kyoku.length - 1),
    });
    this.plates.show(position, this.#view, {
      turn: position.turn, notes: notes.map((note, seat) => (marks && note && isSeen(seat) ? noteText(note, this.words) : "")),
    });
    this.panel.show(game, this.#place, this.#view, { ...this.#switches, isSeen, isPlaying: this.#timer !== null, speed: SPEEDS[this.#speed] });
    this.spoken.textContent = this.panel.sentence(game.event(this.#place), isSeen);
  }

  // What keys and buttons do

  step(direction) {
    this.go(this.#switches.joined ? this.#game.joinedStep(this.#place, direction) : this.#game.step(this.#place, direction));
  }

  decide(direction) {
    this.go(this.#game.decision(this.#place, direction, this.#view));
  }

  kyoku(direction) {
    this.go({ k: this.#place.k + direction, n: 0 });
  }

  move(k) {
    this.go({ k, n: 0 });
  }

  /** Goes to an event of the kyoku. */
  event(n) {
    this.go({ k: this.#place.k, n });
  }

  /** Goes to the next or the previous difference of a review. */
  mistake(direction) {
    const found = this.panel.review.next(this.#place, direction);
    if (found !== null) this.go(found);
  }

  windOf(k, seat) {
    return this.#game.windOf(k, seat);
  }

  /** Returns the name of a kyoku, with its honba. */
  roundOf(k) {
    const [first] = this.#game.kyoku[k].events;
    return `${this.words.round(first.bakaze, first.kyoku)} · ${first.honba}`;
  }

  /** Whether the page is a file of one game, without a server. */
  get isAlone() {
    return own !== null;
  }

  get canAsk() {
    return this.#id !== null;
  }

  /** Lets the server review a seat of a game of its own. */
  async askReview(seat) {
    const { review } = this.panel;
    const { making, waiting, failed } = review.own;
    const game = this.#game;
    try {
      const text = await madeText(`/api/games/${encodeURIComponent(this.#id)}/review?seat=${"ABCD"[seat]}`, { method: "POST" },
        (ahead) => review.say(ahead ? waiting(ahead) : making));
      if (game.review === null) game.review = new Review(JSON.parse(text));
      else game.review.add(JSON.parse(text));
      review.begin(game.review);
    } catch (error) {
      review.say(`${failed} ${error.message}`);
      return;
    }
    if (game === this.#game) this.#draw();
  }

  /** Lets the server make a table that plays on from here, and goes there. */
  async playOn() {
    const { making, waiting, failed } = this.panel.review.own;
    const { k, n } = this.#place;
    const path = `/api/games/${encodeURIComponent(this.#id)}/play?k=${k}&n=${n}&seat=${"ABCD"[this.#view]}`;
    this.panel.setBusy(true);
    try {
      const text = await madeText(path, { method: "POST" }, (ahead) => this.panel.say(ahead ? waiting(ahead) : making));
      const { room, at } = JSON.parse(text);
      location.assign(`/table?room=${encodeURIComponent(room)}${at && `&at=${at}`}`);
    } catch (error) {
      this.panel.setBusy(false);
      this.panel.say(`${failed} ${error.message}`);
    }
  }

  choose(number) {
    this.#choose(number);
    this.go({ k: 0, n: 0 });
  }

  view(seat) {
    if (seat >= this.#game.players) return;
    this.#view = seat;
    this.go(this.#place);
  }

  turn(name) {
    this.#switches[name] = !this.#switches[name];
    this.#draw();
  }

  speed() {
    this.#speed = (this.#speed + 1) % SPEEDS.length;
    this.#draw();
  }

  play() {
    if (this.#timer === null) this.#wait();
    else this.#stop();
    this.#draw();
  }

  #stop() {
    clearTimeout(this.#timer);
    this.#timer = null;
  }

  #wait() {
    const seconds = SPEEDS[this.#speed] + (this.#game.isCall(this.#place) ? CALL_EXTRA : 0);
    this.#timer = setTimeout(() => {
      const before = this.#place;
      this.step(1);
      const isResult = ["hora", "ryukyoku"].includes(this.#game.event(this.#place).type);
      if (isResult || (before.k === this.#place.k && before.n === this.#place.n)) {
        this.#stop();
        this.#draw();
      } else {
        this.#wait();
      }
    }, 1000 * seconds);
  }

  #wheel(event) {
    event.preventDefault();
    if (event.deltaY !== 0) this.step(event.deltaY > 0 ? 1 : -1);
  }

  #press(event) {
    const isTyping = ["SELECT", "INPUT"].includes(event.target.tagName);
    const isButton = event.target.tagName === "BUTTON" && event.key === " ";
    if (this.#game === null || event.ctrlKey || event.metaKey || event.altKey || isTyping || isButton) return;
    if (this.panel.isDialogOpen || (/^[a-z]$/i.test(event.key) && !preference("letters"))) return;
    const act = KEYS[event.key] ?? KEYS[event.key.toLowerCase()];
    if (act === undefined) return;
    event.preventDefault();
    act(this);
  }

  rounds() {
    this.panel.showRounds(this.#switches.hidden ? this.#place.k : this.#game.kyoku.length - 1);
  }
}

const KEYS = {
  ArrowRight: (page) => page.step(1),
  ArrowLeft: (page) => page.step(-1),
  ArrowDown: (page) => page.decide(1),
  ArrowUp: (page) => page.decide(-1),
  PageDown: (page) => page.kyoku(1),
  PageUp: (page) => page.kyoku(-1),
  " ": (page) => page.play(),
  1: (page) => page.view(0),
  2: (page) => page.view(1),
  3: (page) => page.view(2),
  4: (page) => page.view(3),
  o: (page) => page.turn("openHands"),
  j: (page) => page.turn("joined"),
  m: (page) => page.turn("marks"),
  z: (page) => page.turn("hidden"),
  r: (page) => page.rounds(),
  s: (page) => page.speed(),
  n: (page) => page.mistake(1),
  p: (page) => page.mistake(-1),
};

new ReplayPage(wordsFor(document.documentElement)).begin().catch((error) => {
  document.body.append(element("p", { role: "alert" }, String(error)));
});
