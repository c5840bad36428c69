// The own rating in a rated room: what a game has changed, and its course.

import { element } from "./elements.js";
import { chosenWords } from "./words/languages.js";

const LOOKS = 12; // looks at the ladder after a game, which counts it soon
const LOOK = 2000; // milliseconds from one to the next

const { words: { rated } } = await import(`./words/club_${chosenWords().language}.js`);

/** Returns the rows of people and bots in the ladder of a room; null: the server does not answer, or has no such ladder. */
async function rowsOf(room) {
  try {
    const response = await fetch("/api/ladder", { cache: "no-cache" });
    const { rooms } = response.ok ? await response.json() : { rooms: [] };
    return rooms.find(({ name }) => name === room)?.players ?? null;
  } catch {
    return null;
  }
}

const rowOf = (rows, name) => rows?.find((row) => row.name === name && !row.builtin) ?? null;

/** The ladder of a room as it is before a game. */
export class RatingBefore {
  #before;

  constructor(room) {
    this.room = room;
    this.#before = rowsOf(room);
  }

  /** Shows in ``box`` what the game has changed for the player of this name, as soon as it counts. */
  async showChange(box, name) {
    const before = rowOf(await this.#before, name);
    const line = element("p", { class: "rated", role: "status" }, rated.counting);
    box.append(line);
    for (let looks = 0; looks < LOOKS; looks += 1) {
      const now = rowOf(await rowsOf(this.room), name);
      if (now !== null && now.games > (before?.games ?? 0)) {
        line.replaceChildren(...changeOf(before, now));
        return;
      }
      await new Promise((done) => setTimeout(done, LOOK));
    }
    line.textContent = rated.later;
  }
}

function changeOf(before, now) {
  const rating = Math.round(now.rating);
  const margin = now.provisional ? ` ±${Math.round(now.interval)}` : "";
  const change = rating - Math.round(before?.rating ?? 1500);
  return [`${rated.rating} `, element("b", { class: "num" }, `${rating}${margin}`), " ",
    element("span", { class: `num ${change < 0 ? "loss" : "gain"}` }, `${change < 0 ? "−" : "+"}${Math.abs(change)}`)];
}
