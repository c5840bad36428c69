// The panel beside the board of a replay: controls, what happened, offers, the texts of bots, results and rounds.

import { Box, element, tileElement } from "./elements.js";
import { lineGraph } from "./graph.js";

const SWITCHES = ["openHands", "joined", "marks", "hidden"];

/** Returns a note about a hand in a few words: "2-shanten", or "waits 4m 7m (5 left) furiten". */
export function noteText({ shanten, waits, left, furiten }, words) {
  const own = words.replay;
  if (shanten < 0) return own.complete;
  if (shanten > 0) return own.shanten(shanten);
  if (!waits.length) return own.tenpai;
  const text = own.waits(waits.join(" "), left.reduce((sum, count) => sum + count, 0));
  return furiten ? `${text} ${own.furiten}` : text;
}

export class Panel {
  #game = null;

  constructor(root, words, page) {
    this.root = root;
    this.words = words;
    this.page = page;
    this.happening = new Box(element("div", { class: "happening" }));
    this.dialog = element("dialog", { "aria-label": words.replay.rounds });
    document.body.append(this.dialog);
  }

  get isDialogOpen() {
    return this.dialog.open;
  }

  /** Shows where a file can be dropped, and perhaps why the last one was refused. */
  showDrop(message = "") {
    const { replay } = this.words;
    const isAlone = document.getElementById("record") !== null;
    const input = element("input", { type: "file", "aria-label": replay.choose, onchange: () => this.page.open(input.files[0]) });
    this.root.replaceChildren(element("div", { class: "drop" },
      element("p", {}, isAlone ? replay.dropOwn : replay.drop), input,
      element("p", { role: "status", class: "message" }, message)));
  }

  say(message) {
    this.message.textContent = message;
  }

  /** Shows the controls for a game. */
  begin(game, games, number) {
    const { replay, round } = this.words;
    this.#game = game;
    const button = (label, text, act, name = null) => element("button", {
      type: "button", title: label, "aria-label": label, "data-name": name, onclick: act,
    }, text);
    this.kyoku = element("select", { "aria-label": replay.kyoku, onchange: () => this.page.move(Number(this.kyoku.value)) });
    this.kyoku.append(...game.kyoku.map(({ events: [first] }, index) => element("option", { value: index },
      `${round(first.bakaze, first.kyoku)} · ${first.honba}`)));
    const choice = element("select", { "aria-label": replay.game, onchange: () => this.page.choose(Number(choice.value)) },
      ...Array.from({ length: games }, (_, index) => element("option", { value: index, selected: index === number }, `${replay.game} ${index + 1}`)));
    this.switches = Object.fromEntries(SWITCHES.map((name) => [
      name, button(replay[name], replay[name], () => this.page.turn(name), name),
    ]));
    this.player = button(replay.play, "▶", () => this.page.play(), "play");
    this.speed = button(replay.speed, "", () => this.page.speed(), "speed");
    this.counter = element("p", { class: "counter" });
    this.message = element("p", { role: "status", class: "message" });
    this.root.replaceChildren(
      element("div", { class: "controls" }, ...(games > 1 ? [choice] : []), this.kyoku,
        button(replay.rounds, "☰", () => this.page.rounds(), "rounds")),
      element("div", { class: "controls" }, button(replay.first, "«", () => this.page.kyoku(-1)),
        button(replay.back, "‹", () => this.page.step(-1), "back"), this.player,
        button(replay.forward, "›", () => this.page.step(1), "forward"), button(replay.last, "»", () => this.page.kyoku(1)),
        button(replay.nextDecision, "?›", () => this.page.decide(1), "decision"), this.speed),
      element("div", { class: "controls" }, ...Object.values(this.switches)),
      this.counter, this.message, this.happening.root,
      element("details", {}, element("summary", {}, replay.keys), element("ul", {}, ...replay.help.map(([key, act]) => (
        element("li", {}, element("kbd", {}, key), ` ${act}`))))),
    );
  }

  /** Shows the notes about a place. */
  show(game, { k, n }, view, { isSeen, isPlaying, speed, ...switches }) {
    const { replay } = this.words;
    const kyoku = game.kyoku[k];
    this.kyoku.value = String(k);
    for (const [index, option] of [...this.kyoku.options].entries()) option.hidden = switches.hidden && index > k;
    for (const name of SWITCHES) this.switches[name].setAttribute("aria-pressed", switches[name]);
    this.player.setAttribute("aria-pressed", isPlaying);
    this.speed.textContent = `${speed} s`;
    this.counter.textContent = switches.hidden ? replay.event(n) : replay.step(n, kyoku.last);
    this.happening.show([k, n, view, switches, game.names, isSeen(0), isSeen(1)], () => [
      element("p", { class: "event" }, this.sentence(kyoku.events[n], isSeen)),
      ...this.#offers(kyoku, n, isSeen, switches.hidden),
      ...this.#dangers(kyoku, n, isSeen, switches.marks),
      ...this.#remarks(kyoku, n, isSeen),
      ...(switches.hidden ? [] : this.#results(kyoku, n)),
    ]);
  }

  #name(seat) {
    return this.#game.names[seat] || `${seat + 1}`;
  }

  #tiles(tiles) {
    return element("span", { class: "tiles" }, ...tiles.map((tile) => tileElement(tile, this.words)));
  }

  #word(act) {
    return this.words.replay.acts[act] ?? act;
  }

  /** Returns an event as a sentence; a hidden tile is not named. */
  sentence({ type, actor, pai }, isSeen) {
    const isSecret = type === "tsumo" && !isSeen(actor);
    const tile = pai && pai !== "?" && !isSecret ? ` ${this.words.tile(pai)}` : "";
    const act = type === "ryukyoku" ? this.words.replay.drawGame : this.#word(type);
    return actor === undefined ? act : `${this.#name(actor)} ${act}${tile}`;
  }

  /** Lists what players could do, and what they did; without spoilers, only what the seat at the bottom could do. */
  #offers(kyoku, n, isSeen, isHidden) {
    const { replay } = this.words;
    return (kyoku.offers.get(n) ?? []).filter(([seat]) => isSeen(seat)).map(([seat, actions, chosen]) => element("p", { class: "offer" },
      element("bdi", {}, this.#name(seat)), ` ${replay.offered}: `,
      ...actions.flatMap(([act, ...tiles], index) => [
        index ? " / " : "",
        element("span", { class: index === chosen && !isHidden ? "chosen" : null }, this.#word(act === "ryukyoku" ? "ryukyoku" : act), " ", ...(tiles.length ? [this.#tiles(tiles)] : [])),
      ]),
      isHidden ? "" : ` · ${chosen === null ? replay.refusedAll : `${replay.chose} ${this.#word(actions[chosen][0])}`}`));
  }

  #dangers(kyoku, n, isSeen, isMarked) {
    const [danger] = kyoku.dangers.get(n) ?? [];
    if (!isMarked || danger === undefined || !isSeen(danger[0])) return [];
    return [element("p", {}, element("bdi", {}, this.#name(danger[0])), ` · ${this.words.replay.danger} `, this.#tiles(danger[1]))];
  }

  #remarks(kyoku, n, isSeen) {
    return (kyoku.remarks.get(n) ?? []).filter(([seat]) => isSeen(seat)).map(([seat, kind, text]) => element("p", { class: "log-text" },
      element("bdi", {}, this.#name(seat)), ` ${this.words.replay.remark[kind] ?? kind}${text ? `: ${text}` : ""}`));
  }

  #results(kyoku, n) {
    const { replay } = this.words;
    return kyoku.results.filter((event) => kyoku.events.indexOf(event) <= n).map((event) => {
      if (event.type === "ryukyoku") return element("p", {}, `${replay.drawGame}: ${event.reason ?? ""} `, this.#changes(event));
      const from = event.actor === event.target ? "" : this.#name(event.target);
      return element("div", { class: "result" },
        element("p", {}, replay.wins(this.#name(event.actor), from)), this.#tiles([...(event.hora_tehais ?? []), ...(from ? [event.pai] : [])]),
        element("ul", {}, ...(event.yakus ?? []).map(([yaku, han]) => element("li", {}, `${this.words.yaku?.(yaku) ?? yaku} ${han}`))),
        element("p", {}, replay.worth(event.fan, event.fu, event.hora_points)), this.#changes(event));
    });
  }

  #changes({ deltas, scores }) {
    return element("ul", {}, ...(deltas ?? []).map((change, seat) => element("li", {},
      element("bdi", {}, this.#name(seat)), ` ${change > 0 ? "+" : ""}${change} → ${scores?.[seat] ?? ""}`)));
  }

  /** Returns a graph of the scores of all seats, by kyoku, and whose line has which colour; nothing for one kyoku. */
  #graph(scores) {
    if (scores.length < 2 || scores.some((each) => !each)) return [];
    const { replay, points } = this.words;
    const lines = scores[0].map((_, seat) => ({ name: this.#name(seat), values: scores.map((each) => each[seat]) }));
    const key = lines.map(({ name }, seat) => element("span", { class: `key-${seat}` }, element("bdi", {}, name)));
    return [
      lineGraph(lines, { label: replay.points, ends: ["", ""], write: points, width: 480, height: 220, step: 1000 }),
      element("p", { class: "keys", "aria-hidden": "true" }, ...key),
    ];
  }

  /** Shows the rounds up to one of them: their scores, and a button to go there. */
  showRounds(most) {
    const { replay, round } = this.words;
    const game = this.#game;
    const isAll = most === game.kyoku.length - 1;
    const cells = (values) => values.map((value) => element("td", {}, String(value ?? "")));
    const rows = game.kyoku.slice(0, most + 1).map((kyoku, k) => element("tr", {},
      element("th", { scope: "row" }, element("button", { type: "button", onclick: () => { this.dialog.close(); this.page.move(k); } },
        `${round(kyoku.events[0].bakaze, kyoku.events[0].kyoku)} · ${kyoku.events[0].honba}`)),
      ...cells(kyoku.events[0].scores ?? [])));
    const scores = game.kyoku.slice(0, most + 1).map((kyoku) => kyoku.events[0].scores);
    if (isAll && game.end) scores.push(game.end.scores);
    const end = isAll && game.end ? [element("tr", {}, element("th", { scope: "row" }, replay.end), ...cells(game.end.scores))] : [];
    this.dialog.replaceChildren(
      element("table", {}, element("thead", {}, element("tr", {}, element("td", {}),
        ...game.names.map((_, seat) => element("th", { scope: "col" }, element("bdi", {}, this.#name(seat)))))),
      element("tbody", {}, ...rows, ...end)),
      ...this.#graph(scores),
      element("p", {}, element("button", { type: "button", onclick: () => this.dialog.close() }, replay.close)));
    this.dialog.showModal();
  }
}
