// The review of a game: what reviewers would have done at each decision of a seat, with its list, its candidates, and
// the marks on the timeline. The server, or ump review, works all of it out; this page only shows it.

import { Box, element, svg, tileElement } from "./elements.js";
import { REVIEW_WORDS, sentenceOf } from "./review_words.js";

const LARGE_LOSS = 500; // points lost in a hand from which its bar is as long as that of the worst one
const HONOURS = "ESWNPFC";
const SIGNS = ["", "?!", "?", "??"];
const KINDS = ["efficiency", "fold", "call", "riichi", "kan", "win"];

/** Returns a tile of a journal or of MPSZ ("5M", "0p", "7z") as mjai names it. */
export function mjaiTile(text) {
  const [number, suit] = [text[0], text[1]];
  if (suit === "z") return HONOURS[Number(number) - 1];
  const isRed = number === "0" || suit !== suit.toLowerCase();
  return `${number === "0" ? 5 : number}${suit.toLowerCase()}${isRed ? "r" : ""}`;
}

/** Returns an action in the words of a journal as its verb and its tiles. */
function readAction(text) {
  const [verb, ...rest] = text.split(" ");
  return { verb, tiles: rest.filter((word) => word !== "tsumogiri").map(mjaiTile) };
}

const plainAction = (text) => text.replace(/ tsumogiri$/, "");

/** The decisions of the reviewed seats; more seats may be added. */
export class Review {
  constructor(data) {
    this.reviewers = data.reviewers.map(({ id }) => id);
    this.versions = data.reviewers.map(({ version = "" }) => version);
    this.figures = new Map();
    this.decisions = [];
    this.add(data);
  }

  add(data) {
    for (const { seat, by } of data.seats) this.figures.set(seat, by);
    this.decisions.push(...data.decisions.filter(({ by }) => by.length));
    this.decisions.sort((one, other) => one.kyoku - other.kyoku || one.event - other.event);
  }

  has(seat) {
    return this.figures.has(seat);
  }

  of(seat) {
    return this.decisions.filter((each) => each.seat === seat);
  }

  /** Returns the differences of a seat that a filter lets through. */
  differences(seat, { reviewer, least, kind }) {
    return this.of(seat).filter(({ by }) => by[reviewer]?.verdict === "differs" && by[reviewer].size >= least
      && (kind === "" || by[reviewer].kind === kind));
  }

  /** Returns the decision at a place, or the last one before it in the same kyoku. */
  near(seat, { k, n }) {
    return this.of(seat).findLast((each) => each.kyoku === k && each.event <= n);
  }
}

/** The tab of the panel. ``page`` goes to places, and asks the server for a review. */
export class ReviewTab {
  #review = null;
  #seat = 0;
  #place = { k: 0, n: 0 };
  #filter = { reviewer: 0, least: 1, kind: "" };

  constructor(words, page, { canAsk }) {
    this.words = words;
    this.own = REVIEW_WORDS[words.language];
    this.page = page;
    this.canAsk = canAsk;
    this.root = element("section", { class: "review", "aria-label": this.own.title });
    this.head = new Box(element("div", { class: "review-head" }));
    this.list = new Box(element("ol", { class: "decisions" }));
    this.detail = new Box(element("div", { class: "detail", "aria-live": "polite" }));
    this.root.append(this.head.root, this.list.root, this.detail.root);
  }

  /** Takes the review of a game, or null. */
  begin(review) {
    this.#review = review;
    this.#filter = { reviewer: 0, least: 1, kind: "" };
    this.said = "";
  }

  say(text) {
    this.said = text;
    this.#draw();
  }

  get hasReview() {
    return this.#review !== null && this.#review.has(this.#seat);
  }

  /** Returns the differences that the filter lets through, for the marks on the timeline. */
  get marks() {
    return this.hasReview ? this.#review.differences(this.#seat, this.#filter) : [];
  }

  size(decision) {
    return decision.by[this.#filter.reviewer].size;
  }

  /** Returns the next or the previous difference, null if there is none. */
  next({ k, n }, direction) {
    const after = (each) => (each.kyoku - k || each.event - n) * direction > 0;
    const found = direction > 0 ? this.marks.find(after) : this.marks.findLast(after);
    return found === undefined ? null : { k: found.kyoku, n: found.event };
  }

  /** Shows a place from a seat; `isHidden` leaves out what comes later. */
  show(place, seat, isHidden) {
    [this.#place, this.#seat] = [place, seat];
    this.#draw();
    const isLater = ({ kyoku, event }) => kyoku > place.k || (kyoku === place.k && event > place.n);
    if (this.hasReview) this.#review.of(seat).forEach((each, at) => { this.rows[at].hidden = isHidden && isLater(each); });
  }

  #set(changes) {
    Object.assign(this.#filter, changes);
    this.page.redraw();
  }

  #draw() {
    const has = this.hasReview;
    this.list.root.hidden = this.detail.root.hidden = !has;
    this.head.show([this.#seat, has, this.#filter, this.said, this.#review?.figures.size], () => (has ? this.#heading() : this.#request()));
    if (!has) return;
    const here = this.#review.near(this.#seat, this.#place);
    const filter = [this.#seat, this.#filter, this.#review.decisions.length];
    if (this.list.show(filter, () => this.#review.of(this.#seat).map((each) => this.#row(each)))) this.rows = [...this.list.root.children];
    this.detail.show([here?.kyoku, here?.event, ...filter], () => (here === undefined ? [] : this.#details(here)));
    this.#mark(here);
  }

  /** Marks the row of a decision, and scrolls it into sight inside the list. */
  #mark(here) {
    this.list.root.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const row = here && this.rows[this.#review.of(this.#seat).indexOf(here)];
    if (!row) return;
    row.firstChild.setAttribute("aria-current", "step");
    const list = this.list.root;
    list.scrollTop = row.offsetTop - list.offsetTop - list.clientHeight / 2;
  }

  #request() {
    if (!this.canAsk) return [element("p", {}, this.own.none), element("p", {}, element("code", {}, "ump review RECORD --html FILE"))];
    const isBusy = this.said !== "" && !this.said.startsWith(this.own.failed);
    return [
      element("button", { type: "button", class: "ask", disabled: isBusy, onclick: () => this.page.askReview(this.#seat) }, this.own.ask),
      element("p", { role: "status", class: "message" }, this.said),
      ...(isBusy ? [element("progress", { "aria-label": this.own.ask })] : []),
    ];
  }

  #heading() {
    const { own } = this;
    const figures = this.#review.figures.get(this.#seat)[this.#filter.reviewer];
    const select = (label, options, value, act) => {
      const made = element("select", { "aria-label": label, onchange: () => act(made.value) },
        ...options.map(([key, text]) => element("option", { value: key, selected: String(key) === String(value) }, text)));
      return made;
    };
    const signs = figures.sizes.map((count, index) => `${count} ${SIGNS[index + 1]}`).join(" · ");
    return [
      element("div", { class: "controls" },
        ...(this.#review.reviewers.length > 1
          ? [select(own.reviewer, this.#review.reviewers.map((name, index) => [index, name]), this.#filter.reviewer, (value) => this.#set({ reviewer: Number(value) }))]
          : []),
        select(own.size, own.sizes.map((text, index) => [index, text]), this.#filter.least, (value) => this.#set({ least: Number(value) })),
        select(own.kind, [["", own.all], ...KINDS.map((kind) => [kind, own.kinds[kind]])], this.#filter.kind, (value) => this.#set({ kind: value })),
        element("button", { type: "button", title: own.previous, "aria-label": own.previous, onclick: () => this.page.mistake(-1) }, "◂ P"),
        element("button", { type: "button", title: own.next, "aria-label": own.next, onclick: () => this.page.mistake(1) }, "N ▸")),
      element("p", { class: "figures" },
        ...(this.#review.reviewers.length > 1 ? [] : [element("bdi", { title: this.#review.versions[0] ? `ump ${this.#review.versions[0]}` : null }, this.#review.reviewers[0]), ": "]),
        own.figures(Math.round(100 * (figures.agreement ?? 0)), figures.free, signs)),
      ...this.#scores(figures),
    ];
  }

  /** Returns the score of the game, the loss of each kyoku, and the worst moves; nothing if nobody counts in points. */
  #scores({ score, kyoku, worst }) {
    const { own } = this;
    if (score === null) return [];
    const most = Math.max(LARGE_LOSS, ...kyoku.map(({ loss }) => loss));
    const bars = kyoku.map((each) => {
      const label = own.kyokuScore(this.page.roundOf(each.kyoku), each);
      return element("li", {}, element("button", { type: "button", title: label, "aria-label": label, "--v": (each.loss / most).toFixed(2), onclick: () => this.page.go({ k: each.kyoku, n: 0 }) },
        element("i"), element("b", {}, String(each.score))));
    });
    return [
      element("div", { class: "scores" }, element("p", { "aria-label": `${own.score}: ${own.scoreOf(score)}` }, element("b", {}, String(score)), element("span", {}, own.score)), element("ol", {}, ...bars)),
      ...(worst.length ? [element("div", { class: "worst", role: "group", "aria-label": own.worst }, element("span", {}, own.worst), ...worst.map((place) => this.#worstMove(place)))] : []),
    ];
  }

  /** Returns a button that leads to one of the worst moves. */
  #worstMove([k, n]) {
    const decision = this.#review.near(this.#seat, { k, n });
    const { size, loss } = decision.by[this.#filter.reviewer];
    return element("button", { type: "button", "aria-label": `${this.page.roundOf(k)}, ${this.own.turn(decision.turn)}: ${this.#said(decision.done)}`, onclick: () => this.page.go({ k, n }) },
      element("b", {}, SIGNS[size]), ...this.#action(readAction(decision.done), this.own.verbs), loss ? `−${Math.round(loss).toLocaleString("en")}` : "");
  }

  #row(decision) {
    const found = decision.by[this.#filter.reviewer];
    const isShown = this.marks.includes(decision);
    const done = readAction(decision.done);
    const sign = isShown ? SIGNS[found.size] || "·" : "";
    const name = `${this.own.turn(decision.turn)}: ${this.#said(decision.done)}${isShown ? `; ${this.own.differs}` : ""}`;
    return element("li", { class: isShown ? `bad size-${found.size}` : null }, element("button", {
      type: "button", "aria-label": name, onclick: () => this.page.go({ k: decision.kyoku, n: decision.event }),
    }, element("span", { class: "n" }, `${decision.kyoku + 1}·${decision.turn}`),
    decision.tile === null ? element("span") : tileElement(mjaiTile(decision.tile), this.words),
    element("span", { class: "what" }, ...this.#action(done, this.own.verbs)),
    element("span", { class: "sign", "aria-hidden": "true" }, sign),
    this.#bar(this.#share(found, decision.done), "")));
  }

  /** Returns an action as a word and tiles; a discard is its tile alone. */
  #action({ verb, tiles }, verbs) {
    const shown = tiles.map((tile) => tileElement(tile, this.words));
    return verb === "sute" ? shown : [element("span", { class: "verb" }, verbs[verb] ?? verb), ...shown];
  }

  /** Returns an action as text for screen readers. */
  #said(text) {
    const { verb, tiles } = readAction(text);
    return [this.own.verbs[verb] ?? verb, ...tiles.map((tile) => this.words.tile(tile))].filter(Boolean).join(" ");
  }

  /** Returns where the value of an action is between the worst and the best candidate, 0..1; null without values. */
  #share(found, action) {
    const values = (found?.candidates ?? []).map(([, value]) => value).filter((value) => value !== null);
    const own = found?.candidates.find(([each]) => each === plainAction(action))?.[1];
    if (!values.length || own === undefined || own === null) return null;
    const [low, high] = [Math.min(...values), Math.max(...values)];
    return high === low ? 1 : (own - low) / (high - low);
  }

  #bar(share, classes) {
    return share === null ? element("span") : element("span", { class: `bar ${classes}`, "--v": Math.max(0.04, share).toFixed(2) }, element("i"));
  }

  #details(decision) {
    const { own } = this;
    const found = decision.by[this.#filter.reviewer];
    if (!found) return [element("p", {}, own.noAnswer)];
    const rows = found.candidates.map(([action, value, facts]) => {
      const isChoice = action === plainAction(found.choice), isDone = action === plainAction(decision.done);
      return element("tr", { class: isDone ? "done" : null },
        element("td", {}, ...this.#action(readAction(action), own.verbs)),
        element("td", { class: "facts" }, own.facts(facts)),
        element("td", { class: "num" }, value === null ? "" : own.value(value, found.unit)),
        element("td", {}, this.#bar(this.#share(found, action), isChoice ? "best" : "")),
        element("td", { class: "cut" }, [isChoice ? own.choice : "", isDone ? own.done : ""].filter(Boolean).join(" · ")));
    });
    const choice = element("p", { class: "reason" }, ...this.#verdict(decision, found));
    const said = found.candidates.find(([action]) => action === plainAction(found.choice))?.[2].reason;
    return [
      element("h2", {}, `${own.turn(decision.turn)} · ${decision.shanten > 0 ? this.words.replay.shanten(decision.shanten) : this.words.replay.tenpai}`),
      choice,
      ...(said ? [element("p", { class: "more" }, said)] : []),
      element("table", {}, element("tbody", {}, ...rows)),
      ...(found.of > rows.length ? [element("p", { class: "more" }, own.more(found.of - rows.length))] : []),
    ];
  }

  /** Returns what the reviewer says, with its reason. */
  #verdict(decision, found) {
    const { own } = this;
    if (found.verdict !== "differs") return [own.verdicts[found.verdict]];
    const [best, done] = [readAction(found.choice), readAction(decision.done)];
    const tiles = (texts) => texts.map((text) => tileElement(mjaiTile(text), this.words));
    const wind = (seat) => this.words.winds[this.page.windOf(decision.kyoku, seat)];
    const shown = {
      best: () => this.#action(best, own.verbs), done: () => this.#action(done, own.verbs),
      who: (_, { seat, riichi }) => [own.threat(wind(seat), riichi)], seat: (seat) => [wind(seat)],
      tile: (text) => tiles([text]), lost: tiles, by: tiles,
    };
    const written = found.reasons.flatMap((reason) => [" ", ...sentenceOf(own, reason).flatMap((part) => (part.token ? shown[part.token](part.fact, reason) : [part]))]);
    if (!written.length) written.push(own.noReason);
    return [element("b", {}, SIGNS[found.size], " ", ...this.#action(best, own.verbs)), own.colon, ...written, found.against_values ? own.against : ""];
  }
}

/** Returns marks above the scrubber: one for each difference of the kyoku, as high as it is bad. */
export function scrubberMarks(tab, { k }, last, onGo) {
  return tab.marks.filter(({ kyoku }) => kyoku === k).map((each) => element("button", {
    type: "button", tabindex: "-1", "aria-hidden": "true", class: `tick size-${tab.size(each)}`, "--x": last ? each.event / last : 0,
    onclick: () => onGo({ k: each.kyoku, n: each.event }),
  }));
}

/** Returns the same for the scores over the game, as bars at the foot of a picture of this width for each kyoku. */
export function courseMarks(tab, game, width, height) {
  return tab.marks.map((each) => svg("rect", {
    class: `tick size-${tab.size(each)}`, width: 3, height: 6 + 5 * tab.size(each), y: height - 6 - 5 * tab.size(each),
    x: width * (each.kyoku + each.event / Math.max(1, game.kyoku[each.kyoku].last)) - 1,
  }));
}
