// The page of a table: plays in a room, or watches one. It is a client of UMP 0.1 like any other.

import { Board, infoElements, sideOf, windOf } from "./board.js";
import { CallBar } from "./call_bar.js";
import { automaticAnswer, choicesOf, discardOf } from "./choices.js";
import { Clock } from "./clock.js";
import { ServerConnection } from "./connection.js";
import { Drawers } from "./drawers.js";
import { Box, element } from "./elements.js";
import { aboutMe, askAboutTables, CODE, guestKey, hasBeenHere, SERVER, TAB } from "./guest.js";
import { Hand } from "./hand.js";
import { adviceElements, adviceOf, hintElements, hintOfQuestion, hintOfSentence, shownHint, tenpaiMarks, withAdvised, withSafe } from "./hints.js";
import { areDistinct, placeOf, TypedTile } from "./keyboard.js";
import { fly, isStill, splash } from "./motion.js";
import { icon } from "./pictures.js";
import { Plates } from "./plates.js";
import { Playback } from "./playback.js";
import { after, sorted, start } from "./position.js";
import { onPreference, prefer, preference } from "./preferences.js";
import { SOUNDS } from "./sound.js";
import { SPOKEN } from "./spoken.js";
import { SWITCH_KEYS, Switches } from "./switches.js";
import { Sentences } from "./ump_sentences.js";
import { called, chosenWords, saidByServer, translate } from "./words/languages.js";

const GUARD = 150; // milliseconds without input after the hand has changed: one click must not discard twice
const AUTOMATIC = 500; // milliseconds until a switch answers, so that the eye can follow
const SHOWN = 12; // seconds until a result closes by itself
const SHEET = 900; // milliseconds in which a hand that has won can be seen on the table
const WATCHED_SHEET = 2000; // milliseconds of each sheet but the last for a spectator
const NOTICE = 5000; // milliseconds of a remark over the hand
const FLIGHT = 170; // milliseconds of a discard
const MOST_LINES = 20; // of the live region
const MANY = 3; // waiting messages with which nothing moves or sounds
const LOOKS = 5; // looks for the record of a game, for a spectator
const LOOK = 1500; // milliseconds from one to the next
const NO_SEAT = "unknown token; the game is over, or it was never given out"; // the server's error for the seat of a game that is over
const ELSEWHERE = ["your game goes on in another tab", "replaced by a newer connection"]; // how its errors begin in the older tab
const GAME = "ump-game"; // where a tab keeps the name of its game, for a reload
const STOPPING = "the server is stopping"; // how its errors begin while it stops
const TABLE_ENDS = ["no table with this code", "this table is gone", "the host has closed this table", "the host has removed you"];
const AT_ONCE = ["_you", "_table", "_members", "_bots", "_away", "_back", "_watching", "_say", "_notice", "_waiting", "error"]; // what does not wait for the events before it
const WAITS = /^The%20director%20lets/; // how the server's notices begin that a table waits, what is true for long, and the end of that
const LASTS = /^The%20director%20(pauses|has%20ended)/;
const GOES_ON = /^The%20game%20goes%20on/;
const SPEEDS = [1, 2, 4];
const RIICHI = ["richi", "openrichi"];

const parameters = new URLSearchParams(location.search);
const room = CODE === null ? parameters.get("room") ?? "main" : "table";
const watched = CODE !== null && parameters.has("watch") ? "table" : parameters.get("watch");
const Lesson = parameters.has("lesson") ? await import("./lesson.js") : null;
const home = sessionStorage.getItem(`ump-home:${room}`) ?? "/"; // the page of the tournament, if this is its room
const words = chosenWords();
const Friends = CODE === null ? null : await import("./gathering.js");
const find = (id) => document.getElementById(id);

const written = (text) => encodeURIComponent(text).replaceAll("=", "%3D");

/** Returns the name of a room, with its invitation code if the lobby has asked for it. */
function invited(name) {
  const code = sessionStorage.getItem(`ump-code:${name}`);
  return written(code ? `${name}:${code}` : name);
}

class TablePage {
  constructor() {
    this.clock = new Clock({
      announce: (seconds) => { find("alert").textContent = words.seconds(seconds); },
      hurry: () => preference("tick") && SOUNDS.hurry(),
    });
    this.board = new Board(find("board"), words);
    this.plates = new Plates(find("plates"), words, { clock: watched === null ? this.clock.root : null });
    this.hand = new Hand(find("hand"), find("own-melds"), words, {
      discard: (tile, isDrawn) => this.discard(tile, isDrawn), refuse: (tile) => this.refuse(tile), point: (tile) => this.pointAt(tile),
    });
    this.calls = new CallBar(find("actions"), words, (choice) => this.choose(choice));
    this.drawers = new Drawers(find("tools"), find("room"), words, () => this.areHints);
    for (const name of ["yaku", "scores"]) this.drawers.add(name, "book", () => this.reference(name));
    this.wanted = null; // the yaku of a result that is looked up
    this.boxes = Object.fromEntries(["info", "hint"].map((id) => [id, new Box(find(id))]));
    this.playback = new Playback({ tell: (told, at) => this.tell(told, at), draw: () => this.draw() }, { isWatching: watched !== null });
    this.typed = new TypedTile();
    this.connection = new (Lesson?.Connection ?? ServerConnection)({
      room: watched ?? room, at: SERVER, isTense: () => this.isPlaying,
      hello: () => this.hello(), lines: (lines) => this.take(lines), state: (state) => this.showState(state),
    });
    this.areHints = true; // until a question comes without any
    this.game = null; // the name of the game in which this guest has a seat
    this.wish = null; // which seat to ask for; null: the one that it had, for a connection that comes back by itself
    this.company = import("./company.js").then(({ Company }) => new Company(find("room"), this.drawers, {
      plateOf: (seat) => this.plates.at(sideOf(seat, this.view, this.position.players)), nameOf: (seat) => this.position.names[seat],
      say: (text) => this.order(text), note: (text) => this.note(text),
    }));
    this.gathering = Friends === null ? null : new Friends.Gathering(find("gathering"), words, {
      order: (text) => this.order(text),
      leave: () => {
        this.connection.finish();
        this.connection.say("0 bye");
        location.assign("/");
      },
    });
    import("./leaving.js").then(({ askBeforeLeaving }) => askBeforeLeaving(() => (this.isPlaying ? this.game : null), words));
    this.results = import("./result.js");
    this.summons = import("./summons.js");
    this.reports = null; // by which a user reports the others
    if (watched === null) {
      import("./report.js").then(async ({ Reports }) => {
        this.reports = await Reports.at(this.drawers, () => this.position, (text) => this.order(text));
      });
    }
    this.begin();
    this.makeSwitches();
    document.addEventListener("keydown", (event) => this.press(event));
    find("result").addEventListener("cancel", (event) => event.preventDefault());
    find("room").addEventListener("pointerover", ({ target }) => this.lightUp(target));
    onPreference(() => this.show());
    setInterval(() => this.tick(), 200);
  }

  /** Gives an order to the table. */
  order(text) {
    this.connection.say(`0 ${text}`);
  }

  begin() {
    this.playback.clear();
    this.profiles = []; // what the server knows of the players, by seat
    this.rating = null; // a promise of the ladder before the game, in a rated room
    this.away = new Set(); // the seats of the players who have gone
    this.botsAt = 0; // when bots take the free seats of a room
    this.sentences = new Sentences();
    this.position = start();
    this.question = null;
    this.hint = null; // what the server tells of the own hand
    this.advice = null; // what it advises about the open question, if it was asked
    this.pointed = null; // the tile under the mouse
    this.pending = ""; // the choice whose tile is to be chosen: riichi
    this.changedAt = 0;
    this.timer = null;
    this.flight = null; // what lets an own discard fly to the river
    this.ready = null; // the question that waits until a result has been read
  }

  /** Connects, unless this guest has seats elsewhere, and has not said yet what becomes of them. */
  async start() {
    const isReload = performance.getEntriesByType("navigation")[0]?.type === "reload";
    const wanted = parameters.get("seat") ?? (isReload ? sessionStorage.getItem(GAME) : null);
    const { seats, tables } = watched === null && (wanted === null || CODE !== null) ? await aboutMe() : { seats: [], tables: [] };
    if (CODE !== null && watched === null && !hasBeenHere() && !tables.includes(CODE) && !seats.some(({ code, game }) => code === CODE || game === wanted)) {
      this.showBanner("");
      await this.gathering.visit(() => this.sitWhere(null, seats));
      document.body.dataset.ready = "true";
    } else this.sitWhere(wanted, seats);
  }

  /** Connects to the wanted seat, unless this guest has others, and has not said yet what becomes of them. */
  sitWhere(wanted, all) {
    const seats = wanted === null ? all.filter(({ code }) => CODE === null || code !== CODE) : [];
    if (seats.length === 0) {
      this.connect(wanted ?? "back");
      return;
    }
    const play = (wish) => {
      this.showBanner(words.connecting);
      this.connect(wish);
    };
    import("./leaving.js").then(({ choicesBeside }) => {
      this.showBanner("", ...choicesBeside(seats, play));
      document.body.dataset.ready = "true";
    });
  }

  connect(wish) {
    this.wish = wish;
    this.connection.retry();
  }

  tryAgain() {
    this.showState("lost");
    this.connection.retry();
  }

  /** Whether a game goes on in which this guest has the seat. */
  get isPlaying() {
    return this.position.seat !== null && this.position.end === null;
  }

  hello() {
    this.begin();
    const language = ` _lang=${words.language}`;
    const where = CODE === null ? `_room=${invited(room)}` : `_table=${CODE}`;
    const who = `0 hello ump=0.1 name=${written(localStorage.getItem("ump-name") || "guest")} _results=1 _ping=1`;
    if (CODE !== null && watched !== null) return `${who} _table=${CODE} _seat=watch _explain=1 _person=1${language}`;
    if (watched !== null) return `${who} _watch=${invited(watched)} _explain=1 _person=1${language}`;
    const seat = this.wish ?? (this.game === null ? "free" : `free:${this.game}`);
    this.wish = null;
    return `${who} ${where} _offer=1 _hand=1 _waits=1 _time=1 _explain=1 _person=1 _guest=${guestKey()} _tab=${TAB} _seat=${seat}${language}`;
  }

  // What the server says

  take(lines) {
    const told = this.sentences.take(lines);
    for (const each of told.filter(({ command }) => AT_ONCE.includes(command))) this.hear(each);
    this.playback.add(told.filter(({ command }) => !AT_ONCE.includes(command)));
    document.body.dataset.ready = "true";
  }

  /** Shows one message, when its turn has come; it was received at the instant ``at``. */
  tell(told, at) {
    if (told.event) this.see(told.event);
    else if (told.question) this.ask({ ...told.question, askedAt: at });
    else if (told.said) this.say(told);
    else this.hear(told);
  }

  /** Shows what messages have changed. */
  draw() {
    this.show();
    this.flight?.();
    this.flight = null;
  }

  /** Whether there is time to move and to sound. */
  get isQuiet() {
    return this.playback.length > MANY;
  }

  see(told) {
    const event = told.type === "start_game" ? { ...told, names: told.names.map(called) } : told;
    const { seat } = this.position;
    this.flight = this.flightOf(event) ?? this.flight;
    this.position = after(this.position, event);
    const isOwn = event.actor === seat;
    if (["start_kyoku", "hora", "ryukyoku"].includes(event.type) || (isOwn && ["tsumo", "dahai", "chi", "pon"].includes(event.type))) this.hint = null;
    if (!["tsumo", "dahai"].includes(event.type) || isOwn) this.changedAt = performance.now();
    if (this.question && ["dahai", "chi", "pon", "daiminkan", "hora", "ryukyoku", "tsumo"].includes(event.type)) this.close();
    SEEN[event.type]?.call(this, event);
    this.teacher?.see(event);
  }

  /** Returns what lets an own discard fly from where it stands now. */
  flightOf({ type, actor, pai, tsumogiri }) {
    if (type !== "dahai" || actor !== this.position.seat || this.isQuiet) return null;
    const from = this.hand.placeOf(pai, tsumogiri);
    return () => fly(find("board").querySelector(".seat.own .river .last"), from, FLIGHT);
  }

  say({ said, actor }) {
    const name = CALLS[said] ?? said;
    this.note(words.said(this.position.names[actor], words.calls[name]));
    if (this.isQuiet || ["tenpai", "noten"].includes(said)) return;
    const kind = ["ron", "tsumo"].includes(said) ? "win" : name;
    splash(find("room"), words.calls[name], kind, sideOf(actor, this.view, this.position.players));
    (SOUNDS[kind] ?? SOUNDS.call)();
    if (preference("voice")) import("./voice.js").then(({ speak }) => speak(name));
  }

  hear({ command, words: said }) {
    if (this.gathering?.hear(command, said)) this.showGathering();
    if (command === "_players") this.noteProfiles(said);
    if (command === "_bots") this.botsAt = performance.now() + 1000 * Number(said[0]);
    if (command === "_watching" || command === "_say") this.company.then((each) => each.hear(command, said));
    if (command === "_away" || command === "_back") {
      this.away[command === "_away" ? "add" : "delete"]("ABCD".indexOf(said[0]));
      this.show();
    }
    if (command === "_you") this.sitDown(said[1]);
    else if (command === "_waits" || command === "_shanten") this.hint = hintOfSentence({ command, words: said });
    else if (command === "_advice" && Number(said[0]) === this.question?.id) this.advise(adviceOf(said));
    else if (command === "_waiting") this.showWaiting(said[0], said[1]);
    else if (command === "_illegal") this.remark(words.refused(said[1]));
    else if (command === "_late") {
      this.close();
      this.remark(words.late);
    } else if (command === "_notice") {
      const [notice] = said;
      const text = saidByServer(decodeURIComponent(notice));
      this.note(words.error(text));
      if (WAITS.test(notice)) this.showBanner(text);
      else if (LASTS.test(notice)) find("pausing").textContent = text;
      else this.remark(words.error(text));
      if (GOES_ON.test(notice)) find("pausing").textContent = "";
    } else if (command === "error") this.fail(decodeURIComponent(said[0]));
  }

  /** Notes what the server knows of the players; where it knows ratings, this game changes them. */
  noteProfiles(profiles) {
    this.profiles = profiles;
    const isRated = watched === null && CODE === null && profiles.some((each) => /\d/.test(each));
    this.rating = isRated ? import("./rated.js").then(({ RatingBefore }) => new RatingBefore(room)) : null;
  }

  /** Notes the game in which this guest has a seat; undefined: it waits for one. */
  sitDown(game) {
    if (game === undefined) return;
    find("pausing").textContent = ""; // the server says it again
    if (game !== this.game) this.summon("game");
    this.game = game;
    sessionStorage.setItem(GAME, game);
    if (parameters.has("seat")) history.replaceState(null, "", `/table?room=${encodeURIComponent(room)}`);
  }

  /** Forgets a game that is over. */
  standUp() {
    this.lastGame = this.game ?? this.lastGame;
    this.game = null;
    sessionStorage.removeItem(GAME);
  }

  fail(text) {
    if (text === NO_SEAT) {
      this.standUp(); // begin anew when the connection comes back
      return;
    }
    if (text.startsWith(STOPPING)) return; // the server may come back, with the seat
    this.connection.finish();
    if (CODE !== null && TABLE_ENDS.some((start) => text.startsWith(start))) {
      this.closeResult();
      this.standUp();
      this.showBanner("");
      this.gathering.gone(saidByServer(text));
      return;
    }
    if (ELSEWHERE.some((start) => text.startsWith(start))) {
      this.close();
      this.show();
      this.gathering?.show(false);
      find("room").classList.add("away");
      this.showBanner(words.elsewhere, element("button", { type: "button", class: "btn main", id: "play-here", onclick: () => {
        find("room").classList.remove("away");
        this.connect(this.game ?? "back");
      } }, words.playHere));
      return;
    }
    this.showBanner(words.error(saidByServer(text)), element("a", { class: "btn", href: home }, words.lobby));
  }

  // Questions

  ask(question) {
    if (question.command === "bye") {
      this.connection.finish();
      this.connection.say(`${question.id} bye`);
      return;
    }
    if (question.command === "ready?") {
      this.waitForReader(question);
      return;
    }
    this.question = { ...question, choices: choicesOf(question, words.calls) };
    this.remark("");
    this.hint = hintOfQuestion(question) ?? this.hint;
    if (question.command === "sutehai?") this.areHints = this.hint !== null;
    if (question.hints._advise && !this.drawers.has("advice")) {
      this.drawers.add("advice", "bulb", () => this.adviceDrawer());
      import("./reference.js").then(({ pin }) => pin(find("room"), this.drawers));
    }
    this.advise(null);
    if (question.hand !== null && !fits(question.hand, this.position)) this.connection.again();
    if (!this.automate()) {
      SOUNDS.turn();
      this.summon("turn");
    }
    const { names, last } = this.position;
    find("alert").textContent = question.command === "sutehai?"
      ? words.yourTurn(question.drawn)
      : question.tile === null ? "" : words.yourCall(`${words.tile(question.tile)}, ${last ? names[last.seat] : ""}`);
  }

  /** Lets a switch answer the open question, after a moment in which it can be set back, or else the clock run. */
  automate() {
    clearTimeout(this.timer);
    if (this.question === null) return false;
    const answer = automaticAnswer(this.question, this.switches, this.position.riichi[this.position.seat]);
    this.clock.follow(answer === null ? this.question : null);
    if (answer !== null) this.timer = setTimeout(() => this.answer(answer), AUTOMATIC);
    return answer !== null;
  }

  /** Answers that the player is ready, once the result has been read. */
  waitForReader(question) {
    if (this.sheetTimer === undefined && !find("result").open) {
      this.connection.say(`${question.id} ok`);
      return;
    }
    this.ready = question;
    this.readyUntil = performance.now() + 1000 * Math.min(SHOWN, (question.time?.move ?? SHOWN) * 0.8);
    this.countDown();
  }

  answer(text) {
    if (this.question === null || !this.connection.say(`${this.question.id} ${text}`)) return;
    this.close();
    this.show();
  }

  /** Calls a player back who looks at another page. */
  async summon(kind) {
    if (watched === null) (await this.summons).summon(words.summons[kind]);
  }

  close() {
    this.summons.then(({ dismiss }) => dismiss());
    clearTimeout(this.timer);
    this.clock.follow(null);
    this.question = null;
    this.pending = "";
    this.hand.choose(-1);
  }

  discard(tile, isDrawn) {
    if (this.question?.command !== "sutehai?" || performance.now() - this.changedAt < GUARD) return;
    if (this.pending) {
      const found = this.question.choices.find((each) => each.command === this.pending && each.tiles[0] === tile);
      if (found) this.answer(found.answer);
      return;
    }
    const answer = discardOf(this.question, tile, isDrawn);
    if (answer !== null) this.answer(answer);
  }

  /** Says why a tile may not be discarded now. */
  refuse(tile) {
    if (this.question?.command !== "sutehai?") return;
    const { seat, riichi } = this.position;
    const reason = this.pending ? "not_tenpai" : riichi[seat] ? "in_riichi" : this.question.drawn === null ? "kuikae" : "other";
    this.remark(`${words.tile(tile)}: ${words.notDiscarded[reason]}`);
  }

  /** Makes a call. Riichi asks for its tile first, and can be left again. */
  choose(found) {
    if (performance.now() - this.changedAt < GUARD || this.question === null) return;
    if (!RIICHI.includes(found.command)) this.answer(found.answer);
    else {
      this.pending = this.pending === found.command ? "" : found.command;
      this.show();
    }
  }

  // Keys

  press(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.matches("select, input")) return;
    if (event.key === "?") {
      this.drawers.open("keys");
      return;
    }
    if (event.key === "Escape" && this.drawers.isOpen) { // which else would pass
      this.drawers.close();
      return;
    }
    if (find("result").open) {
      const isOfButton = event.target.closest("#result button:not(.main)") !== null;
      if (!isOfButton && (event.key === "Enter" || event.key === " ")) {
        event.preventDefault();
        this.goOn();
      }
      return;
    }
    if (/^[a-z0-9]$/i.test(event.key) && !preference("letters")) return;
    const typed = this.typed.press(event.key);
    if (typed.isTaken) this.chooseNamed(typed.names);
    else if (!this.pressCommand(event)) return;
    event.preventDefault();
    this.show();
  }

  /** Chooses a tile of the hand that was typed. */
  chooseNamed(names) {
    if (names.length === 0) return;
    const place = placeOf(this.hand.tiles, names);
    this.hand.choose(place);
    this.remark(place < 0 ? words.notInHand(words.tile(names[0])) : "");
  }

  /** Acts on a key that is a command by itself; returns whether it is one now. */
  pressCommand(event) {
    const key = event.key === "Escape" ? "x" : event.key.toLowerCase();
    const isConfirmation = event.key === "Enter" || event.key === " ";
    if (isConfirmation && event.target.closest("#actions, #switches, #tools, #status")) return false; // a button does that itself
    const choices = this.question?.choices.filter((each) => each.key === key) ?? [];
    if (key === "x" && this.pending) this.pending = "";
    else if (choices.length > 0) this.pressChoice(choices);
    else if (SPOKEN[key] !== undefined) find("alert").textContent = SPOKEN[key](this.position, words);
    else if (key === "h") this.turnHints();
    else if (key === "e" && watched === null) this.turnAdvice();
    else if (SWITCH_KEYS[key] !== undefined && watched === null) this.switches.set(SWITCH_KEYS[key], !this.switches[SWITCH_KEYS[key]]);
    else if (watched !== null && isConfirmation) this.playback.hurry();
    else if (this.question === null) return false;
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
      choice.answer === each.dataset.answer)));
    buttons[(buttons.indexOf(document.activeElement) + 1) % buttons.length]?.focus();
  }

  /** Moves along the hand, or discards the chosen tile; returns whether the key does that. */
  pressTile(key, isConfirmation) {
    const { tiles, chosen } = this.hand;
    const step = { ArrowLeft: -1, ArrowRight: 1 }[key];
    if (step !== undefined) this.hand.choose((Math.max(chosen, step < 0 ? 0 : -1) + step + tiles.length) % tiles.length);
    else if (key === "End") this.hand.choose(tiles.length - 1);
    else if (isConfirmation && chosen >= 0) this.hand.take(chosen);
    else return false;
    return true;
  }

  /** Shows advice where its drawer is open; null: none about this question yet. */
  advise(advice) {
    this.advice = advice;
    this.drawers.refill("advice");
    this.showHand();
  }

  /** Returns the drawer with advice, and asks for it the first time that it is seen with a question. */
  adviceDrawer() {
    if (this.question?.hints._advise && !this.question.isAdvised) {
      this.question.isAdvised = true;
      this.connection.say(`${this.question.id} _advise`);
    }
    return adviceElements(this.advice, words);
  }

  /** Returns the contents of a drawer with yaku or points, which come when somebody asks for them. */
  reference(name) {
    const { position, wanted } = this;
    const place = Lesson === null ? watched ?? room : null; // a lesson has the rules of no room
    const own = this.areHints && preference("hints") ? position : null;
    const box = element("div");
    import("./reference.js").then(({ fill }) => fill(box, name, { room: place, code: CODE, seats: position.players, position: own, wanted }));
    this.wanted = null;
    return [box];
  }

  lookUp(yaku) {
    this.wanted = yaku;
    this.drawers.open("yaku");
  }

  turnAdvice() {
    if (!this.drawers.has("advice")) this.remark(words.advice.missing);
    else this.drawers.turn("advice");
  }

  turnHints() {
    if (this.areHints) prefer("hints", !preference("hints"));
  }

  // What is shown

  /** The seat at the bottom. */
  get view() {
    return this.position.seat ?? 0;
  }

  show() {
    const { position } = this;
    if (position.names[0] === "") return; // there is no game yet
    const isPlaying = position.seat !== null;
    find("room").dataset.players = position.players;
    find("room").dataset.melds = isPlaying ? position.melds[position.seat].length : 0;
    find("room").classList.remove("idle");
    find("info").hidden = false;
    this.board.show(position, { ownHand: !isPlaying, openHands: watched !== null });
    this.plates.show(position, this.view, { turn: this.question === null ? position.turn : this.view, away: this.away, profiles: this.profiles });
    this.boxes.info.show([position.bakaze, position.kyoku, position.honba, position.kyotaku, position.doraMarkers], () => (
      infoElements(position, words)));
    this.showHand();
    this.calls.show(this.question, this.pending);
    this.showHint();
  }

  showHand() {
    const { position } = this;
    const isLocked = position.seat !== null && position.riichi[position.seat];
    this.hand.show(position, { legal: this.legalTiles(), isLocked, marks: this.hintMarks(), isSorted: this.switches?.sort ?? true });
  }

  legalTiles() {
    if (this.question?.command !== "sutehai?") return null;
    if (!this.pending) return new Set(this.question.sute);
    return new Set(this.question.choices.filter((each) => each.command === this.pending).map((each) => each.tiles[0]));
  }

  hintMarks() {
    if (this.question?.command !== "sutehai?") return {};
    const marks = preference("hints") ? tenpaiMarks(this.hint) : {};
    return withAdvised(preference("safe") ? withSafe(marks, this.hint) : marks, this.advice);
  }

  pointAt(tile) {
    if (this.pointed === tile) return;
    this.pointed = tile;
    this.showHint();
  }

  showHint() {
    const pointed = this.hand.chosen >= 0 ? this.hand.tiles[this.hand.chosen] : this.pointed;
    const shown = preference("hints") ? shownHint(this.hint, pointed) : null;
    this.boxes.hint.show([shown, words.language], () => (shown === null ? [] : hintElements(shown, words)));
  }

  /** Lights up all visible tiles of the kind that is pointed at. */
  lightUp(target) {
    const kind = preference("alike") ? target.closest(".tile")?.dataset.tile : undefined;
    if (kind === this.lit) return;
    this.lit = kind;
    for (const each of find("room").querySelectorAll(".tile.same")) each.classList.remove("same");
    if (kind === undefined) return;
    for (const each of find("room").querySelectorAll(`.tile[data-tile="${kind}"]`)) each.classList.add("same");
  }

  /** Says something over the hand, for some seconds. */
  remark(text) {
    clearTimeout(this.remarkTimer);
    find("notice").textContent = text;
    if (text) this.remarkTimer = setTimeout(() => this.remark(""), NOTICE);
  }

  note(text, tile = null) {
    this.drawers.note(text, tile);
    const list = find("log");
    list.append(element("p", {}, tile === null ? text : `${text} ${words.tile(tile)}`));
    while (list.children.length > MOST_LINES) list.firstChild.remove();
  }

  tick() {
    if (this.ready !== null && performance.now() > this.readyUntil) this.goOn(true);
    const soon = document.getElementById("soon");
    const left = Math.ceil((this.botsAt - performance.now()) / 1000);
    if (soon !== null && soon.textContent !== words.botsIn(left)) soon.textContent = left > 0 ? words.botsIn(left) : "";
  }

  // Results

  /** Opens the sheet of a result after a moment in which the hands can be seen. */
  openResultSoon() {
    clearTimeout(this.sheetTimer);
    const wait = isStill() || this.isQuiet ? 0 : SHEET;
    this.sheetTimer = setTimeout(() => this.openResult(), wait);
  }

  async openResult() {
    const timer = this.sheetTimer;
    const { showResult } = await this.results;
    if (timer !== this.sheetTimer) return; // it was closed
    this.sheetTimer = undefined;
    const dialog = find("result");
    const buttons = this.position.end === null
      ? [element("span", { class: "prog" }), element("button", { type: "button", class: "btn main", onclick: () => this.goOn() })]
      : [
        ...(this.reports?.buttons() ?? []),
        element("a", { class: "btn", href: home }, words.lobby),
        ...(watched === null ? [this.againButton()] : []),
      ];
    this.sheets = showResult(dialog, this.position, { buttons, explain: (yaku) => this.lookUp(yaku) }, words);
    if (!dialog.open) dialog.show();
    buttons.at(-1).focus();
    if (this.position.end !== null) this.rating?.then((each) => each.showChange(dialog.querySelector(".body"), this.position.names[this.view]));
    this.countDown();
    if (watched === null && CODE === null && this.position.end !== null && this.lastGame) {
      import("./again.js").then(({ offerAgain }) => offerAgain(this.lastGame, buttons.at(-1)));
    }
    if (watched === null) return;
    this.turnSheets();
    if (this.position.end?.record === null) this.linkReplay(buttons[0]);
  }

  /** Puts a link to the replay before a button: the server names the record to players alone, and the lobby lists it soon. */
  async linkReplay(button) {
    const { names, end: { scores } } = this.position;
    const own = players(names.map((name, seat) => ({ name, points: scores[seat] })));
    for (let looks = 0; looks < LOOKS; looks += 1) {
      const response = await fetch("/api/lobby").catch(() => null);
      const { games = [] } = response?.ok ? await response.json() : {};
      const game = games.find((each) => each.id !== null && players(each.players) === own);
      if (game !== undefined) {
        const { replayLink } = await this.results;
        button.before(replayLink(game.id, words));
        return;
      }
      await new Promise((done) => setTimeout(done, LOOK));
    }
  }

  /** Returns what leads to another game: in the same room, or of the same friends. */
  againButton() {
    if (CODE === null) return element("a", { class: "btn main", href: location.href }, words.playAgain);
    return element("button", { type: "button", class: "btn main", id: "play-again", onclick: () => {
      this.connection.say("0 _again");
      this.closeResult();
      this.showGathering();
    } }, words.playAgain);
  }

  /** Shows a spectator the sheets of several winners one after the other. */
  turnSheets() {
    this.sheetTimer = setTimeout(() => {
      if (this.sheets.next()) this.turnSheets();
    }, WATCHED_SHEET / this.playback.speed);
  }

  /** Lets a bar run down for the seconds after which a result closes by itself, and names what follows. */
  countDown() {
    const bar = find("result").querySelector(".prog");
    if (this.ready === null || bar === null) return;
    bar.style.setProperty("--s", `${Math.round(this.readyUntil - performance.now())}ms`);
    bar.classList.add("runs");
    if (this.ready.isLast) this.sheets.name(words.toResult);
  }

  closeResult() {
    clearTimeout(this.sheetTimer);
    this.sheetTimer = undefined;
    find("result").close();
  }

  /** Shows the next sheet of a result, or closes it after the last one, or if time has run out. */
  goOn(isLate = false) {
    if (!isLate && this.sheets?.next()) return;
    if (this.position.end === null) this.closeResult();
    if (this.ready !== null) this.connection.say(`${this.ready.id} ok`);
    this.ready = null;
    if (watched !== null) this.playback.hurry();
  }

  // Around the table

  makeSwitches() {
    if (watched === null) {
      this.switches = new Switches(find("switches"), words, () => {
        this.automate();
        this.show();
      });
      return;
    }
    find("room").classList.add("watching");
    const { playback } = this;
    const button = (id, picture, label, act) => element("button", { type: "button", id, "aria-label": label, title: label, onclick: act }, icon(picture));
    const pause = button("pause", "pause", words.pause, () => {
      playback.pause(!playback.isPaused);
      pause.replaceChildren(icon(playback.isPaused ? "play" : "pause"));
      pause.setAttribute("aria-pressed", String(playback.isPaused));
    });
    const speed = element("button", { type: "button", id: "speed", "aria-label": words.faster, title: words.faster, onclick: () => {
      playback.speed = SPEEDS[(SPEEDS.indexOf(playback.speed) + 1) % SPEEDS.length];
      speed.textContent = `${playback.speed}×`;
    } }, "1×");
    find("switches").append(element("span", { class: "tag" }, words.watching), pause, speed, button("live", "next", words.toLive, () => playback.catchUp()));
    find("switches").classList.add("glass");
  }

  /** Shows who has come, until there are enough players; the link brings friends to this room. */
  showWaiting(there, needed) {
    const seats = Array.from({ length: Number(needed) }, (_, seat) => element("i", { class: seat < Number(there) ? "there" : "" }));
    const copy = element("button", { type: "button", class: "btn", onclick: async () => {
      await navigator.clipboard.writeText(`${location.origin}/table?room=${encodeURIComponent(room)}`);
      copy.replaceChildren(icon("link"), words.copied);
    } }, icon("link"), words.copyLink);
    this.showBanner(words.waitingForPlayers(there, needed), element("small", { id: "soon" }), element("span", { class: "seats", "aria-hidden": "true" }, ...seats),
      ...(navigator.clipboard ? [copy] : []), element("a", { class: "btn", href: "/" }, words.leave));
  }

  showState(state) {
    const lost = watched === null ? `${words.lost} ${words.seatKept}` : words.lost;
    const text = { open: watched === null ? "" : words.noGame, lost, gone: words.gone, over: null }[state];
    if (text === null) return;
    find("room").classList.toggle("away", state === "lost" || state === "gone");
    this.showBanner(text, ...(state === "open" && watched !== null && CODE === null ? waysFromNothing() : []));
    document.body.dataset.ready = "true";
    if (state === "lost") find("status").prepend(element("span", { class: "spin" }));
    if (state === "gone") find("status").append(element("button", { type: "button", class: "btn main", onclick: () => this.tryAgain() }, words.tryAgain));
  }

  /** Shows who is at the table among friends, unless a game or a result is. */
  showGathering() {
    this.gathering?.show((this.position.seat === null || this.position.end !== null) && !find("result").open);
    if (!find("gathering").hidden) this.showBanner("");
  }

  showBanner(text, ...more) {
    find("status").replaceChildren(...(text ? [element("span", {}, text)] : []), ...more);
  }
}

/** What happens besides the new position, by the type of an event. */
const SEEN = {
  start_game() {
    this.closeResult();
    this.gathering?.begin();
    this.gathering?.show(false);
    this.showBanner("");
  },
  start_kyoku({ bakaze, kyoku, honba, kyotaku }) {
    this.closeResult();
    this.switches?.reset();
    this.note(`${words.round(bakaze, kyoku)}, ${words.sticks(honba, kyotaku)}`);
  },
  tsumo({ actor }) {
    if (actor === this.position.seat && !this.isQuiet) SOUNDS.draw();
  },
  dahai({ actor, pai, tsumogiri }) {
    const text = words.discards(windOf(this.position, actor), this.position.names[actor]);
    this.note(`${text}${tsumogiri ? ` (${words.states.tsumogiri})` : ""}:`, pai);
    if (!this.isQuiet) SOUNDS.discard();
  },
  hora() {
    this.openResultSoon();
  },
  ryukyoku() {
    this.openResultSoon();
  },
  end_game() {
    this.standUp();
    this.openResultSoon();
  },
};

/** Returns what a spectator of a room without a game can do. */
const waysFromNothing = () => [
  element("a", { class: "btn main", href: `/table?room=${encodeURIComponent(watched.replace(/-\d+$/, ""))}` }, words.startOne),
  element("a", { class: "btn", href: "/" }, words.lobby),
];

const CALLS = { richi: "riichi", openrichi: "openriichi" };

/** Returns players with their points as a text, in the order of the names. */
const players = (each) => each.map(({ name, points }) => `${called(name)} ${points}`).sort().join("\n");

/** Returns whether a hand that the server states is the one that we show. */
function fits(hand, position) {
  return sorted(hand).join() === sorted(position.hands[position.seat]).join();
}

translate(words);
document.title = `ump: ${room}`;
find("actions").setAttribute("aria-label", words.actions);
find("hand").setAttribute("aria-label", words.hand);
find("switches").setAttribute("aria-label", words.automatic);
find("tools").setAttribute("aria-label", words.drawers.menu);
const page = new TablePage();
page.showBanner(words.connecting);
page.teacher = Lesson?.teach(page);
if (Lesson === null || parameters.has("room")) page.start();
import("./worker_start.js");
