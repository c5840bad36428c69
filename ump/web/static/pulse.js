// When to ask a silent server for a sign of life, and when to take the connection for lost. Instants are arguments.

const ANSWER = 2000; // milliseconds in which a sign of life must come
const WOKEN = 1200; // the same after a sleep, when somebody waits for the page
const SLEPT = 3500; // milliseconds between two looks that mean a sleep, or a tab in the background

export class Pulse {
  #heard = 0;
  #looked = 0;
  #asked = null; // when the server was asked and has not answered yet
  #patience = ANSWER;
  #isSecond = false; // whether it was asked twice

  /** Notes that the server has said something. */
  hear(now) {
    this.#heard = now;
    this.#asked = null;
    this.#isSecond = false;
  }

  /** Begins a connection. */
  begin(now) {
    this.#looked = now;
    this.hear(now);
  }

  /**
   * Returns "ask", "lost", or "" if there is nothing to do, after ``most`` milliseconds of silence. What came during a
   * sleep may still wait behind this look, so after a sleep the server is asked once more.
   */
  look(now, most) {
    const hasSlept = Math.abs(now - this.#looked) > SLEPT;
    this.#looked = now;
    if (this.#asked === null) return hasSlept || now - this.#heard >= most ? this.ask(now, hasSlept) : "";
    if (hasSlept && !this.#isSecond) {
      this.#isSecond = true;
      return this.ask(now, true);
    }
    return now - this.#asked >= this.#patience ? "lost" : "";
  }

  /** Asks for a sign of life, with less patience if somebody waits. */
  ask(now, isWoken) {
    this.#asked = now;
    this.#patience = isWoken ? WOKEN : ANSWER;
    return "ask";
  }
}
