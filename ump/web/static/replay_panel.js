// The panel beside the board of a replay: controls, what happened, offers, the texts of bots, results and rounds.

import { infoElements } from "./board.js";
import { Box, element, svg, tileElement } from "./elements.js";
import { icon } from "./pictures.js";
import { ReviewTab, courseMarks, scrubberMarks } from "./replay_review.js";

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

  /** Draws what happened into ``root``, scores and time into ``time``. */
  constructor(root, time, words, page) {
    this.root = root;
    this.time = time;
    this.words = words;
    this.page = page;
    this.happening = new Box(element("div", { class: "happening" }));
    this.dialog = element("dialog", { "aria-label": words.replay.rounds });
    document.body.append(this.dialog);
  }

  get isDialogOpen() {
    return this.dialog.open;
  }

  /** Shows where to drop a record, with a message; with `isWaiting` a sign that it is being read. */
  showDrop(message = "", { isWaiting = false } = {}) {
    const { replay } = this.words;
    const input = element("input", { type: "file", "aria-label": replay.choose, onchange: () => this.page.open(input.files[0]) });
    this.message = element("p", { role: "status", class: "message" }, message);
    this.root.replaceChildren(element("div", { class: "drop" },
      ...(isWaiting ? [element("progress", { "aria-label": replay.loading })] : [element("p", {}, this.page.isAlone ? replay.dropOwn : replay.drop), input]),
      this.message, element("div", { class: "controls" }, ...this.#back())));
  }

  say(message) {
    this.message.textContent = message;
  }

  /** Says whether the server makes a table that plays on from here: one press is enough. */
  setBusy(isBusy) {
    this.onwards.disabled = isBusy;
    this.onwards.setAttribute("aria-busy", isBusy);
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
    this.onwards = button(replay.playOn, replay.playOn, () => this.page.playOn(), "play-on");
    this.info = new Box(element("div", { class: "info" }));
    this.counter = element("p", { class: "counter" });
    this.message = element("p", { role: "status", class: "message" });
    this.review = new ReviewTab(this.words, this.page, { canAsk: this.page.canAsk });
    this.review.begin(game.review);
    this.log = element("section", { class: "log" }, this.counter, this.happening.root);
    this.tabs = [["log", this.log], ["title", this.review.root]].map(([name, pane]) => (
      { pane, button: button(this.review.own[name], this.review.own[name], () => this.#open(pane), `tab-${name}`) }));
    this.root.replaceChildren(
      element("header", {}, this.info.root, element("div", { class: "controls back" }, ...this.#back()), element("div", { class: "controls" }, ...(games > 1 ? [choice] : []), this.kyoku,
        ...(this.page.drill ? [] : [button(replay.rounds, "☰", () => this.page.rounds(), "rounds")]),
        ...(this.page.canAsk ? [this.onwards] : [])),
      element("div", { class: "controls", hidden: Boolean(this.page.drill) }, ...Object.values(this.switches))),
      this.message,
      element("div", { class: "tabs", role: "group", hidden: Boolean(this.page.drill) }, ...this.tabs.map((tab) => tab.button)),
      this.log, this.review.root,
      element("details", {}, element("summary", {}, replay.keys), element("ul", {}, ...replay.help.map(([key, act]) => (
        element("li", {}, element("kbd", {}, key), ` ${act}`))))),
    );
    this.#beginTime(game, button);
    this.#open(game.review === null ? this.log : this.review.root);
  }

  /** Returns the way back to the drills or to the lobby; none from a page that has no server. */
  #back() {
    const { drill, isAlone } = this.page;
    if (isAlone) return [];
    return [drill ? element("a", { href: `/drill?kind=${encodeURIComponent(drill)}` }, this.words.replay.toDrills)
      : element("a", { href: "/" }, this.words.lobby)];
  }

  /** Shows the review, or the button that asks for it. */
  openReview() {
    this.#open(this.review.root);
  }

  /** Shows one of the tabs. */
  #open(pane) {
    for (const tab of this.tabs) {
      tab.pane.hidden = tab.pane !== pane;
      tab.button.setAttribute("aria-pressed", tab.pane === pane);
    }
  }

  /** Shows the scores over the game and the controls of time. */
  #beginTime(game, button) {
    const { replay } = this.words;
    const picture = (label, name, act, id = null) => button(label, icon(name), act, id);
    this.player = picture(replay.play, "play", () => this.page.play(), "play");
    this.player.classList.add("main");
    this.speed = button(replay.speed, "", () => this.page.speed(), "speed");
    this.scrubber = element("input", {
      type: "range", min: 0, "aria-label": replay.event(""), oninput: () => this.page.event(Number(this.scrubber.value)),
    });
    this.where = element("span", { class: "where num", "aria-hidden": "true" });
    this.course = element("div", { class: "course" }, ...this.#course(game));
    this.ticks = new Box(element("div", { class: "ticks" }));
    this.time.replaceChildren(this.course, element("div", { class: "ctl" },
      picture(replay.first, "prev", () => this.page.kyoku(-1)), picture(replay.back, "back", () => this.page.step(-1), "back"), this.player,
      picture(replay.forward, "step", () => this.page.step(1), "forward"), picture(replay.last, "next", () => this.page.kyoku(1)),
      button(replay.nextDecision, "?", () => this.page.decide(1), "decision"),
      element("div", { class: "track" }, this.ticks.root, this.scrubber), this.where, this.speed));
  }

  /** Returns the scores of all seats over the game, as lines with the names at their ends; a click chooses a kyoku. */
  #course(game) {
    const scores = [...game.kyoku.map(({ events: [first] }) => first.scores), game.end?.scores].filter(Boolean);
    if (scores.length < 2) return [];
    const [low, high] = [Math.min(...scores.flat()), Math.max(...scores.flat())];
    const y = (score) => 6 + (62 * (high - score)) / (high - low || 1);
    const width = 1000 / (scores.length - 1);
    const bands = game.kyoku.slice(0, scores.length - 1).map((kyoku, k) => svg("rect", { x: k * width, y: 0, width, height: 74 },
      svg("title", {}, this.words.round(kyoku.events[0].bakaze, kyoku.events[0].kyoku))));
    bands.forEach((band, k) => band.addEventListener("click", () => this.page.move(k)));
    const lines = game.names.map((_, seat) => svg("polyline", {
      class: `course-line line-${seat}`, points: scores.map((each, place) => `${place * width},${y(each[seat]).toFixed(1)}`).join(" "),
    }));
    const picture = svg("svg", { viewBox: "0 0 1000 74", preserveAspectRatio: "none", role: "img", "aria-label": this.words.replay.points }, ...bands, ...lines);
    const order = game.names.map((_, seat) => seat).sort((one, other) => y(scores.at(-1)[one]) - y(scores.at(-1)[other]));
    const names = order.map((seat, place) => element("span", { class: `key-${seat}`, "--y": place, "aria-hidden": "true" },
      element("bdi", {}, this.#name(seat)), element("em", {}, this.words.points(scores.at(-1)[seat]))));
    this.bands = bands;
    this.courseTicks = svg("g", { class: "course-ticks" });
    this.courseWidth = width;
    picture.append(this.courseTicks);
    return [picture, ...names];
  }

  /** Shows the notes about a place. */
  show(game, { k, n }, view, { isSeen, isPlaying, speed, ...switches }) {
    const { replay } = this.words;
    const kyoku = game.kyoku[k];
    this.kyoku.value = String(k);
    for (const [index, option] of [...this.kyoku.options].entries()) option.hidden = switches.hidden && index > k;
    for (const name of SWITCHES) this.switches[name].setAttribute("aria-pressed", switches[name]);
    this.player.setAttribute("aria-pressed", isPlaying);
    this.player.replaceChildren(icon(isPlaying ? "pause" : "play"));
    this.scrubber.max = kyoku.last;
    this.scrubber.value = n;
    this.where.textContent = `${this.words.round(kyoku.events[0].bakaze, kyoku.events[0].kyoku)} · ${n} / ${kyoku.last}`;
    this.where.hidden = switches.hidden;
    this.scrubber.hidden = switches.hidden;
    this.course.hidden = switches.hidden;
    this.bands?.forEach((band, place) => band.classList.toggle("current", place === k));
    const position = game.position({ k, n });
    this.info.show([k, position.honba, position.kyotaku, position.doraMarkers], () => infoElements(position, this.words));
    this.speed.textContent = `${speed} s`;
    this.review.show({ k, n }, view, switches.hidden);
    const marked = switches.hidden ? [] : this.review.marks;
    this.ticks.show([k, view, marked.length, marked.map(({ event }) => event)], () => (switches.hidden ? [] : scrubberMarks(this.review, { k }, kyoku.last, (place) => this.page.go(place))));
    this.courseTicks?.replaceChildren(...(switches.hidden ? [] : courseMarks(this.review, game, this.courseWidth, 74)));
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
      if (event.type === "ryukyoku") return element("div", {}, element("p", {}, this.words.draw(event.reason)), this.#changes(event));
      const from = event.actor === event.target ? "" : this.#name(event.target);
      return element("div", { class: "result" },
        element("p", {}, replay.wins(this.#name(event.actor), from)), this.#tiles([...(event.hora_tehais ?? []), ...(from ? [event.pai] : [])]),
        element("ul", {}, ...(event.yakus ?? []).map(([yaku, han]) => element("li", {}, `${yaku[this.words.language]} ${this.words.han(han)}`))),
        element("p", {}, replay.worth(event.fan, event.fu, event.hora_points)), this.#changes(event));
    });
  }

  #changes({ deltas, scores }) {
    return element("ul", {}, ...(deltas ?? []).map((change, seat) => element("li", {},
      element("bdi", {}, this.#name(seat)), ` ${this.words.change(change)} → ${scores === undefined ? "" : this.words.points(scores[seat])}`)));
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
    const end = isAll && game.end ? [element("tr", {}, element("th", { scope: "row" }, replay.end), ...cells(game.end.scores))] : [];
    this.dialog.replaceChildren(
      element("table", {}, element("thead", {}, element("tr", {}, element("td", {}),
        ...game.names.map((_, seat) => element("th", { scope: "col" }, element("bdi", {}, this.#name(seat)))))),
      element("tbody", {}, ...rows, ...end)),
      element("p", {}, element("button", { type: "button", class: "btn", onclick: () => this.dialog.close() }, replay.close)));
    this.dialog.showModal();
  }
}
