// Shows what the server tells one thing after another, also if it came at once: the eye can follow, and nothing jumps.

const QUICK = 150; // milliseconds after which an own question is on the screen, whatever still waits before it
const CROWD = 3; // messages that may wait before everything goes faster
const CATCH_UP = 24; // messages after which a player is shown the end at once: the connection was lost, or the tab hidden
const MOST = 6000; // messages that wait at most, for a spectator of quick games
const QUESTIONS = ["sutehai?", "naku?", "tenpai?"];

/** Milliseconds to look at an event or at the word of a call, for a player. Others take no time. */
const PAUSES = {
  start_kyoku: 500, tsumo: 120, dahai: 300, chi: 320, pon: 320, daiminkan: 320, ankan: 400, kakan: 400, kita: 300, dora: 200,
  said: 400, hora: 400, ryukyoku: 400,
};
/** The same for a spectator, for whom results go away by themselves. A turn, draw and discard, takes half a second. */
const WATCHED = { ...PAUSES, tsumo: 150, dahai: 350, hora: 5000, ryukyoku: 4000, end_game: 8000 };

export class Playback {
  #waiting = [];
  #timer = null;
  #isPaused = false;
  speed = 1;

  /** ``tell(told, at)`` takes each message, with the instant at which it came; ``draw()`` shows what it has changed. */
  constructor({ tell, draw }, { isWatching = false } = {}) {
    this.tell = tell;
    this.draw = draw;
    this.pauses = isWatching ? WATCHED : PAUSES;
    this.isWatching = isWatching;
  }

  /** The number of messages that wait. */
  get length() {
    return this.#waiting.length;
  }

  get isPaused() {
    return this.#isPaused;
  }

  /** Takes messages that came together. What a spectator sees first, or a player after a break, is shown at once. */
  add(messages) {
    const at = performance.now();
    const isBeginning = this.isWatching && messages.some(({ event }) => event?.type === "start_game") && !this.#waiting.length;
    this.#waiting.push(...messages.map((told) => ({ told, at })));
    const isTooMuch = this.#waiting.length > (this.isWatching ? MOST : CATCH_UP);
    if (isBeginning || isTooMuch) this.catchUp();
    else if (this.#timer === null) this.#next();
  }

  /** Shows all that waits. */
  catchUp() {
    this.clear(false);
    while (this.#waiting.length) {
      const { told, at } = this.#waiting.shift();
      this.tell(told, at);
    }
    this.draw();
  }

  /** Forgets the time that is left for what is shown now. */
  hurry() {
    if (this.#isPaused || this.#timer === null) return;
    this.clear(false);
    this.#next();
  }

  /** Stops, or goes on. */
  pause(isPaused) {
    this.#isPaused = isPaused;
    this.clear(false);
    if (!isPaused) this.#next();
  }

  /** Stops the clock, and forgets what waits. */
  clear(isAll = true) {
    clearTimeout(this.#timer);
    this.#timer = null;
    if (isAll) this.#waiting = [];
  }

  #next() {
    this.#timer = null;
    while (this.#waiting.length && !this.#isPaused) {
      const { told, at } = this.#waiting.shift();
      this.tell(told, at);
      const pause = this.#pauseAfter(told);
      if (pause <= 0) continue;
      this.#timer = setTimeout(() => this.#next(), pause);
      break;
    }
    this.draw();
  }

  #pauseAfter(told) {
    if (told.event?.type === "hora" && this.#waiting[0]?.told.event?.type === "hora") return 0; // one result, of several winners
    const pause = this.#base(told) / this.speed;
    const question = this.#waiting.findIndex((each) => QUESTIONS.includes(each.told.question?.command));
    if (question < 0) return this.isWatching ? pause : pause * Math.max(0.5, Math.min(1, CROWD / this.#waiting.length));
    const left = this.#waiting[question].at + QUICK - performance.now();
    const all = pause + this.#waiting.slice(0, question).reduce((sum, each) => sum + this.#base(each.told), 0);
    return all <= left ? pause : Math.max(0, (pause / all) * left);
  }

  #base({ event, said }) {
    return this.pauses[said ? "said" : event?.type] ?? 0;
  }
}
