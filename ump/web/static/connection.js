// A connection to the server's UMP port over WebSocket, which comes back by itself after it is lost.

const DELAYS = [100, 500, 1000, 2000, 4000, 8000];
const MOST_TRIES = 75; // ten minutes, as long as a site says that the server of the room is away

export class ServerConnection {
  #socket = null;
  #tries = 0;
  #isOver = false;

  /**
   * ``room`` is in the address, and ``at``, the letter of the server of a table, so that each server of a site knows
   * whose the connection is.
   * ``hello()`` returns the first line to send; ``lines(lines)`` takes the lines of one frame; ``state(state)`` takes
   * "open", "lost" while it tries again, "gone" when it has given up, and "over" after the server's goodbye.
   */
  constructor({ room, at = "", hello, lines, state }) {
    this.room = room;
    this.place = `room=${encodeURIComponent(room)}${at && `&at=${encodeURIComponent(at)}`}`;
    this.hello = hello;
    this.lines = lines;
    this.state = state;
  }

  open() {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(`${scheme}//${location.host}/ump?${this.place}`, "ump.0.1");
    this.#socket = socket;
    let isGreeted = false;
    socket.onmessage = ({ data }) => {
      const lines = String(data).split(/\r?\n/).filter(Boolean);
      if (!isGreeted) {
        isGreeted = true;
        lines.shift();
        this.#tries = 0;
        this.say(this.hello());
        this.state("open");
      }
      if (lines.length) this.lines(lines);
    };
    socket.onclose = () => {
      if (socket === this.#socket) this.#lost();
    };
  }

  say(line) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(line);
  }

  /** Expects no more: the game is over, so a closed connection is not lost. */
  finish() {
    this.#isOver = true;
  }

  /** Drops the connection and opens another one at once: what it says does not fit what came before. */
  again() {
    const old = this.#socket;
    this.#socket = null;
    old?.close();
    this.open();
  }

  /** Tries again from the beginning, when somebody asks for it. */
  retry() {
    this.#tries = 0;
    this.#isOver = false;
    this.open();
  }

  /** Returns whether another server of the site answers, and says that ours is away. */
  async #isAway() {
    const response = await fetch("/api/lobby").catch(() => null);
    const { rooms = [] } = response?.ok ? await response.json() : {};
    return rooms.some(({ name, state }) => name === this.room && state === "away");
  }

  async #lost() {
    if (this.#isOver) {
      this.state("over");
      return;
    }
    if (this.#tries >= DELAYS.length && !(this.#tries < MOST_TRIES && await this.#isAway())) {
      this.state("gone");
      return;
    }
    const delay = (DELAYS[this.#tries] ?? 8000) * (0.75 + Math.random() / 2);
    this.#tries += 1;
    this.state("lost");
    setTimeout(() => this.open(), delay);
  }
}
