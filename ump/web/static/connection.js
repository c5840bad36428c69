// A connection to the server's UMP port over WebSocket, which comes back by itself after it is lost.

import { Pulse } from "./pulse.js";

const FIRST = 100; // milliseconds until the first attempt after a loss
const NEXT = 1400; // from an attempt to the next, at least, whether or not it has failed: a network may swallow it
const LATER = 8000; // the same at most, and after QUICK attempts
const QUICK = 40;
const MOST = QUICK + 75; // ten minutes more
const LONG = 12; // each twelfth attempt has three times as long, in case the network has become slow
const LOOK = 250; // between two looks for a sign of life
const TENSE = 2000; // milliseconds of silence, in a game
const CALM = 15000; // and elsewhere
const KNOWS_PING = /\b_ext=\S*\b_ping\b/;
const PONG = /^\d+ _pong$/;

export class ServerConnection {
  #socket = null; // the one whose server has said hello
  #opening = null; // an attempt; browsers allow one at a time to a server
  #began = 0; // its instant
  #pause = LATER; // from an attempt to the next
  #tries = 0;
  #timer = null;
  #isOver = true;
  #hasPulse = false;
  #pulse = new Pulse();

  /**
   * ``room`` is in the address, and ``at``, the letter of the server of a table, so that each server of a site knows
   * whose the connection is.
   * ``hello()`` returns the first line to send; ``lines(lines)`` takes the lines of one frame; ``isTense()`` tells
   * whether a loss must be noticed within seconds; ``state(state)`` takes "open", "lost" while it tries again, "gone"
   * when there is little hope, and "over" after the server's goodbye.
   */
  constructor({ room, at = "", hello, lines, isTense, state }) {
    this.place = `room=${encodeURIComponent(room)}${at && `&at=${encodeURIComponent(at)}`}`;
    Object.assign(this, { hello, lines, isTense, state });
    setInterval(() => this.#look(), LOOK);
    addEventListener("offline", () => this.#lose());
    addEventListener("online", () => this.#wake());
    document.addEventListener("visibilitychange", () => document.hidden || this.#wake());
    document.addEventListener("resume", () => this.#wake());
  }

  /** Sends a line; returns whether there is a connection. */
  say(line) {
    const isOpen = this.#socket?.readyState === WebSocket.OPEN;
    if (isOpen) this.#socket.send(line);
    return isOpen;
  }

  /** Expects no more: the game is over, so a closed connection is not lost. */
  finish() {
    this.#isOver = true;
  }

  /** Drops the connection and opens another one at once: what it says does not fit what came before. */
  again() {
    this.#drop();
    this.#attempt();
  }

  /** Tries again from the beginning, when somebody asks for it. */
  retry() {
    this.#tries = 0;
    this.#isOver = false;
    this.again();
  }

  /** Opens a connection, and another one after a while unless a server has said hello. */
  #attempt() {
    release(this.#opening);
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(`${scheme}//${location.host}/ump?${this.place}`, "ump.0.1");
    [this.#opening, this.#began] = [socket, performance.now()];
    socket.onmessage = ({ data }) => this.#take(socket, String(data).split(/\r?\n/).filter(Boolean));
    socket.onclose = () => socket === this.#socket && this.#lose();
    this.#tries += 1;
    if (this.#tries === QUICK) this.state("gone");
    if (this.#tries < MOST) this.#attemptIn(this.#pauseNow());
  }

  #pauseNow() {
    if (this.#tries >= QUICK) return LATER;
    return this.#tries % LONG === 0 ? 3 * this.#pause : this.#pause;
  }

  #attemptIn(milliseconds) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#attempt(), milliseconds * (0.75 + Math.random() / 2));
  }

  #take(socket, lines) {
    if (socket !== this.#socket) this.#greet(socket, lines.shift());
    this.#pulse.hear(Date.now());
    const told = lines.filter((line) => !PONG.test(line));
    if (told.length) this.lines(told);
  }

  /** Answers the hello of a server. */
  #greet(socket, hello) {
    clearTimeout(this.#timer);
    [this.#socket, this.#opening] = [socket, null];
    this.#pause = Math.max(NEXT, Math.min(LATER, 3 * (performance.now() - this.#began)));
    this.#tries = 0;
    this.#hasPulse = KNOWS_PING.test(hello);
    this.#pulse.begin(Date.now());
    this.say(this.hello());
    this.state("open");
  }

  #drop() {
    clearTimeout(this.#timer);
    for (const each of [this.#socket, this.#opening]) release(each);
    [this.#socket, this.#opening] = [null, null];
  }

  #lose() {
    if (this.#socket === null) return;
    this.#drop();
    this.state(this.#isOver ? "over" : "lost");
    if (!this.#isOver) this.#attemptIn(FIRST);
  }

  #look() {
    if (this.#isOver || this.#socket === null || !this.#hasPulse) return;
    const now = this.#pulse.look(Date.now(), this.isTense() ? TENSE : CALM);
    if (now === "ask") this.say("0 _ping");
    if (now === "lost") this.#lose();
  }

  /** Finds out at once whether the connection is still there: the page is seen again, or the network is back. */
  #wake() {
    if (this.#isOver) return;
    if (this.#socket === null) {
      this.state("lost");
      this.retry();
    } else if (this.#hasPulse) {
      this.#pulse.ask(Date.now(), true);
      this.say("0 _ping");
    }
  }
}

/** Forgets a socket, and closes it. */
function release(socket) {
  if (socket === null) return;
  [socket.onmessage, socket.onclose] = [null, null];
  socket.close();
}
