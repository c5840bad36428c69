// The clock of the own questions: the seconds of the move, then those of the bank, and a ring that runs down.

import { element } from "./elements.js";

const SHORT = 5; // seconds at the end that are red, and heard
const ANNOUNCED = [10, SHORT]; // seconds that a screen reader says

export class Clock {
  #question = null;
  #hasBank = false; // whether the clock of the room has a bank, used up or not
  #announced = null;
  #ticked = 0;

  /** ``announce(seconds)`` is called at some seconds for screen readers, ``hurry()`` at each of the last ones. */
  constructor({ announce, hurry }) {
    this.move = document.createTextNode("");
    this.bank = element("small", {});
    this.root = element("output", { class: "clock", "aria-live": "off", id: "clock" }, this.move, this.bank);
    Object.assign(this, { announce, hurry });
    setInterval(() => this.#tick(), 100);
  }

  /** Follows a question, with ``time`` and ``askedAt``; null stops the clock. */
  follow(question) {
    this.#question = question?.time ? question : null;
    this.#announced = null;
    this.#hasBank ||= (question?.time?.bank ?? 0) > 0;
    this.#ticked = SHORT + 1;
    this.#tick();
  }

  #tick() {
    const plate = this.root.closest(".plate");
    if (this.#question === null) {
      this.#write("", "");
      plate?.classList.remove("asked", "short");
      return;
    }
    const { time, askedAt } = this.#question;
    const spent = (performance.now() - askedAt) / 1000;
    const move = Math.max(0, time.move - spent);
    const bank = Math.max(0, time.bank - Math.max(0, spent - time.move));
    if (move > 0 && this.#hasBank) this.#write(`${Math.ceil(move)}`, ` + ${Math.ceil(bank)}`);
    else this.#write(`${Math.ceil(move + bank)}`, "");
    plate?.classList.add("asked");
    plate?.classList.toggle("short", move + bank < SHORT);
    plate?.style.setProperty("--left", ((move + bank) / (time.move + time.bank || 1)).toFixed(3));
    this.#say(move + bank);
  }

  #write(move, bank) {
    if (this.move.data !== move) this.move.data = move;
    if (this.bank.textContent !== bank) this.bank.textContent = bank;
  }

  /** Says the seconds that are left, once at each of ANNOUNCED. */
  #say(left) {
    const passed = ANNOUNCED.filter((each) => left <= each).at(-1);
    if (passed !== undefined && passed !== this.#announced) {
      if (this.#announced !== null || left > passed - 1) this.announce(passed);
      this.#announced = passed;
    }
    if (Math.ceil(left) < this.#ticked && left > 0) {
      this.#ticked = Math.ceil(left);
      this.hurry();
    }
  }
}
