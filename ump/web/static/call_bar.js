// The calls that a player may make: buttons at a fixed place, each with the tiles that result.

import { Box, element, tileElement } from "./elements.js";
import { sorted } from "./position.js";

const RIICHI = ["richi", "openrichi"];
const CLASSES = { richi: "riichi", openrichi: "riichi", ankan: "kan", kakan: "kan", no: "pass", kita: "kan" };
const MANY = 3; // choices above which they are smaller on a phone
const WITH_TILES = ["chi", "pon", "kan", "ankan", "kakan"];

export class CallBar {
  #box;

  /** Draws into ``root``; ``choose(choice)`` is called with the choice that somebody makes. */
  constructor(root, words, choose) {
    this.root = root;
    this.words = words;
    this.choose = choose;
    this.#box = new Box(root);
  }

  /** Shows the choices of a question; while a riichi waits for its tile (``pending``), only the way out of it. */
  show(question, pending) {
    const choices = question?.choices ?? [];
    const shown = choices.filter((each, place) => (pending
      ? each.command === pending && isFirst(choices, place)
      : !RIICHI.includes(each.command) || isFirst(choices, place)));
    this.root.classList.toggle("many", shown.length > MANY);
    this.#box.show([shown, question?.id ?? null, pending], () => shown.map((each) => this.#button(each, pending, shown.length)));
  }

  #button(choice, pending, count) {
    const { words } = this;
    const kind = CLASSES[choice.command] ?? choice.command;
    const key = pending ? "X" : choice.key.toUpperCase();
    return element("button", {
      type: "button", class: `call ${kind}${count < 3 ? " wide" : ""}${pending ? " pass" : ""}`, "data-answer": choice.answer, title: key,
      onclick: () => this.choose(choice),
    }, pending ? words.cancel : choice.label,
    WITH_TILES.includes(choice.command) ? tilesOf(choice, words) : element("kbd", { "aria-hidden": "true" }, key));
  }
}

const isFirst = (choices, place) => choices.findIndex((other) => other.command === choices[place].command) === place;

/** Returns the tiles of a meld as it would lie, with a frame around the called one. */
function tilesOf({ tiles, command }, words) {
  const called = ["chi", "pon"].includes(command) ? tiles.at(-1) : null;
  const shown = sorted(tiles);
  const taken = called === null ? -1 : shown.lastIndexOf(called);
  return element("span", { class: "set" }, ...shown.map((each, place) => tileElement(each, words, place === taken ? ["taken"] : [])));
}
