// Practice: one question after the other, its answer with the reason, the ratings, and three minutes against the clock. The
// server chooses the questions and checks the answers.

import { element } from "./elements.js";
import { factElements } from "./drill_answer.js";
import { kindRows } from "./drill_kinds.js";
import { Question } from "./drill_question.js";
import { askAboutDrills } from "./guest.js";
import { keepPosition } from "./kept_position.js";
import { preference } from "./preferences.js";
import { showNavigation, words } from "./site.js";
import { translate } from "./words/languages.js";

const { words: own } = await import(`./words/drill_${words.language}.js`);
const { words: yakuWords } = await import(`./words/yaku_${words.language}.js`);
const TIMED = ["waits", "furiten", "points"];
const FACTS = TIMED; // what is asked has one answer, and is no matter of judgement
const AT_TABLE = ["safest", "push", "call", "mistake"]; // what is asked of a whole table
const SECONDS = 180;
const PAUSE = 500; // milliseconds for which the verdict is shown when the clock runs
const DOTS = 12;
const find = (id) => document.getElementById(id);
const asked = new URLSearchParams(location.search);
const yakuName = (name) => words.yaku[name] ?? yakuWords.names[name] ?? name;

/** Returns what the server answers; throws an Error with its words. */
async function told(path, given, method = given === undefined ? "GET" : "POST") {
  const body = given === undefined ? {} : { headers: { "Content-Type": "application/json" }, body: JSON.stringify(given) };
  const response = await askAboutDrills(path, { method, ...body });
  if (!response.ok) throw Object.assign(new Error((await response.text()).trim()), { code: response.status });
  return response.json();
}

class Practice {
  question = null;
  answered = null; // what the server has said of the answer
  last = []; // whether the last answers were right
  run = null; // what belongs to three minutes against the clock
  left = []; // drills that are asked again, after the clock

  constructor(overview) {
    this.overview = overview;
    const kinds = [...overview.kinds.map(({ kind }) => kind), "mistake"];
    this.kind = kinds.includes(asked.get("kind")) ? asked.get("kind") : kinds[0];
    document.addEventListener("keydown", (event) => this.press(event));
  }

  get rating() {
    return this.overview.kinds.find(({ kind }) => kind === this.kind)?.rating ?? null;
  }

  // Questions

  async next() {
    this.answered = null;
    const again = this.left.shift();
    try {
      const { drill, difficulty = null, counts = false } = again ? { drill: again } : await told(`?kind=${this.kind}`);
      if (drill === null) this.showNone(this.kind === "mistake" ? own.nothingDue : own.noDrill);
      else this.ask(drill, { difficulty, counts });
    } catch (error) {
      this.showNone(error.code ? error.message : words.gone);
    }
  }

  ask(drill, { difficulty, counts }) {
    this.difficulty = difficulty;
    this.counts = counts;
    this.question = Object.assign(new Question(drill, words, own, (list) => this.answer(list)), { yakuName });
    this.began = performance.now();
    document.querySelector(".practice").classList.toggle("at-table", this.question.isTable);
    find("cloth").replaceChildren(
      element("div", { class: "head" }, element("h1", { id: "asked" }, own.ask[drill.kind]), ...(this.run ? [this.run.clock] : [])),
      this.question.root,
      ...(this.run ? [] : [element("div", { class: "ways" }, this.giveUp = element("button", { type: "button", class: "btn", onclick: () => this.answer(null) }, own.giveUp),
        preference("letters") ? element("small", {}, own.keys) : null)]));
    find("answer").replaceChildren();
    this.showSide();
    this.question.focus();
  }

  showNone(text) {
    this.question = null;
    find("cloth").replaceChildren(element("h1", { id: "asked" }, own.kinds[this.kind]), element("p", {}, text),
      element("p", { class: "ways" }, element("a", { class: "btn", href: "/learn" }, own.all)));
    find("answer").replaceChildren();
    this.showSide();
  }

  // Answers

  async answer(list) {
    const { question } = this;
    question.isOver = true;
    const ms = Math.round(performance.now() - this.began);
    try {
      const answered = await told(`/${question.drill.id}`, { answer: list, ms, timed: this.run !== null });
      if (question === this.question) this.showAnswer(answered, list);
    } catch (error) {
      question.isOver = false;
      find("answer").replaceChildren(element("p", {}, error.code ? error.message : words.gone));
    }
  }

  showAnswer(answered, given) {
    const { question, run } = this;
    this.answered = answered;
    this.last = [...this.last, answered.is_right].slice(-DOTS);
    question.reveal(answered.right, given ?? []);
    this.giveUp?.parentElement.remove();
    const before = this.rating;
    if (answered.rating !== null && this.kind !== "mistake") this.overview.kinds.find(({ kind }) => kind === this.kind).rating = answered.rating;
    if (this.kind === "mistake" && this.overview.due > 0) this.overview.due -= 1;
    const change = answered.change ? own.change(before?.rating ?? answered.rating.rating - answered.change, answered.rating.rating) : "";
    find("answer").replaceChildren(element("div", { class: answered.is_right ? "box is-right" : "box is-wrong" },
      element("div", { class: "verdict" }, element("span", { class: "sign", "aria-hidden": "true" }, answered.is_right ? "✓" : "✗"),
        element("b", {}, answered.is_right ? own.isRight : FACTS.includes(this.kind) ? own.isFalse : own.isWrong),
        ...(change ? [element("span", { class: `delta num ${answered.change > 0 ? "gain" : "loss"}` }, change)] : [])),
      ...(run ? [] : [...factElements(question, answered, given), ...this.notes(answered)]),
      ...(run ? [] : [this.ways(answered)])));
    this.showSide();
    if (run) run.note(question.drill, answered.is_right);
    else {
      this.nextButton.focus({ preventScroll: true });
      find("answer").firstElementChild.scrollIntoView({ block: "nearest" }); // the verdict, too
    }
  }

  notes({ days, rating }) {
    if (this.kind !== "mistake") return rating !== null && !this.counts && this.left.length === 0 ? [element("p", { class: "note" }, own.notCounted)] : [];
    return [element("p", { class: "note" }, days === null ? own.done : own.comesBack(days))];
  }

  ways({ days, facts }) {
    const { drill } = this.question;
    const box = element("div", { class: "ways" });
    const said = (text) => { quiet.replaceWith(element("span", { class: "note" }, text)); };
    const isOwn = this.kind === "mistake";
    const quiet = element("button", { type: "button", class: "quiet", onclick: async () => {
      try {
        if (isOwn) await told(`/${drill.id}`, undefined, "DELETE");
        else await told(`/${drill.id}/report`, {});
        said(isOwn ? own.leftOut : own.reported);
      } catch (error) {
        said(error.message);
      }
      this.nextButton.focus();
    } }, isOwn ? own.leaveOut : own.report);
    this.nextButton = element("button", { type: "button", class: "btn main", onclick: () => this.next() }, `${own.next} ↵`);
    box.append(this.nextButton, ...this.atTable(facts), ...(isOwn && days === null ? [] : [quiet]));
    return box;
  }

  /** Returns the way to the position on the page of replays; none for a hand alone. */
  atTable({ at }) {
    const { question: { drill, isTable } } = this;
    if (!isTable) return [];
    if (at?.game) return [element("a", { class: "btn", href: `/replay?game=${encodeURIComponent(at.game)}&review=1#k=${at.k}&n=${at.n}&v=${at.seat}` }, own.atTable)];
    return [element("button", { type: "button", class: "btn", onclick: () => location.assign(keepPosition(drill, words)) }, own.atTable)];
  }

  // The clock

  start() {
    this.run = new Run(() => this.next(), (run) => this.finish(run));
    this.last = [];
    this.question = null; // what was asked without the clock is not answered any more
    showLoading();
    this.next();
  }

  finish({ wrong, right, count }) {
    this.run = null;
    this.question = null;
    const on = () => this.next();
    find("cloth").replaceChildren(element("h1", { id: "asked" }, own.timeUp(right, count)),
      element("p", {}, wrong.length ? "" : own.allRight),
      element("p", { class: "ways" }, ...(wrong.length ? [element("button", { type: "button", class: "btn main", onclick: () => {
        this.left = [...wrong];
        on();
      } }, own.again)] : []), element("button", { type: "button", class: wrong.length ? "btn" : "btn main", onclick: on }, own.back)));
    find("answer").replaceChildren();
    this.showSide();
    find("cloth").querySelector(".btn.main").focus();
  }

  // Beside the question

  showSide() {
    const { rating, overview } = this;
    const right = this.last.filter(Boolean).length;
    find("side").replaceChildren(
      element("section", { class: "panel rate" }, element("h2", { class: "unseen" }, own.kinds[this.kind]),
        element("small", {}, `${own.kinds[this.kind]} · ${this.kind === "mistake" ? own.about.mistake : own.you}`),
        this.kind === "mistake" ? element("div", { class: "big num" }, String(overview.due)) : ratingElement(rating),
        ...(this.difficulty && this.question ? [element("small", {}, own.difficulty(this.difficulty))] : []),
        ...(this.last.length ? [element("div", { class: "dots", role: "img", "aria-label": own.last(right, this.last.length) }, ...this.last.map((each) => element("i", { class: each ? null : "no" })))] : []),
        ...(TIMED.includes(this.kind) ? [this.clockWay()] : [])),
      element("nav", { class: "panel kinds", "aria-label": own.kindsTitle }, element("ul", {}, ...kindRows(overview, own, this.kind))),
      ...(overview.lasts ? [] : [element("p", { class: "note" }, own.untilStop)]),
      element("p", {}, element("button", { type: "button", class: "quiet", onclick: () => this.forget() }, own.forget)));
  }

  clockWay() {
    if (this.run) return element("button", { type: "button", class: "btn", onclick: () => this.run.end() }, own.stop);
    return element("button", { type: "button", class: "btn", onclick: () => this.start() }, own.timed, element("small", {}, own.timedLead));
  }

  async forget() {
    if (!confirm(own.sure)) return;
    await told("", undefined, "DELETE").catch(() => null);
    location.assign("/drill");
  }

  // Keys

  press(event) {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || ["SELECT", "INPUT"].includes(target.tagName)) return;
    if (key === "Enter" && this.answered && !this.run && !target.closest("a, button, summary")) {
      event.preventDefault();
      this.next();
      return;
    }
    if (this.question === null || (/^[a-z]$/i.test(key) && !preference("letters"))) return;
    const { check, chosen } = this.question;
    if (key === "Enter" && check && chosen.size > 0 && !this.question.isOver) {
      event.preventDefault(); // a tile of waits is chosen with the space bar
      check.click();
    } else if (this.question.press(key)) event.preventDefault();
  }
}

/** Three minutes against the clock. */
class Run {
  wrong = [];
  right = 0;
  count = 0;

  constructor(next, finish) {
    this.next = next;
    this.finish = finish;
    this.until = performance.now() + 1000 * SECONDS;
    this.clock = element("span", { class: "clock num", role: "timer" });
    this.timer = setInterval(() => this.tick(), 200);
    this.tick();
  }

  tick() {
    const left = Math.ceil((this.until - performance.now()) / 1000);
    this.clock.textContent = own.clock(Math.max(0, left));
    if (left <= 0) this.end();
  }

  note(drill, isRight) {
    this.count += 1;
    if (isRight) this.right += 1;
    else this.wrong.push(drill);
    setTimeout(() => this.isOver || this.next(), PAUSE);
  }

  end() {
    if (this.isOver) return;
    this.isOver = true;
    clearInterval(this.timer);
    this.finish(this);
  }
}

/** Says that a question is on its way, in a cloth about as large as with it. */
function showLoading() {
  find("cloth").replaceChildren(element("p", { class: "loading" }, own.loading));
}

function ratingElement(rating) {
  if (rating === null) return element("div", { class: "big none" }, own.unrated);
  return element("div", { class: "big num" }, String(rating.rating), element("small", {}, ` ± ${rating.margin}`));
}

translate(words);
showNavigation(find("nav"), "learn");
document.title = `ump: ${own.title}`;
document.querySelector(".practice").classList.toggle("at-table", AT_TABLE.includes(asked.get("kind")));
showLoading();
try {
  const practice = new Practice(await told(""));
  practice.showSide();
  await practice.next();
} catch {
  find("cloth").replaceChildren(element("h1", { id: "asked" }, own.title), element("p", {}, words.gone));
}
document.body.dataset.ready = "true";
