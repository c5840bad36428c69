// The profile of this guest or user: what costs it most in the games that were reviewed, the course of its loss, and the
// last of these games. The server works all of it out, and reviews more games at a press.

import { element } from "./elements.js";
import { lineGraph } from "./graph.js";
import { askAboutMe } from "./guest.js";

const AGAIN = 2000; // milliseconds until the page asks how far the reviews are
const MEAN_OF = 8; // games
const SMALL = 719; // pixels

/** Shows the profile in a section, if there are games to review. */
export async function showProfile(section, words) {
  const view = new Profile(section, words);
  await view.ask();
}

class Profile {
  constructor(section, words) {
    this.section = section;
    this.words = words;
    this.own = words.profile;
  }

  /** Asks for the profile, again and again while games are reviewed; "POST" begins that. */
  async ask(method = "GET") {
    const response = await askAboutMe("/profile", { method }).catch(() => null);
    if (response?.ok) {
      this.show(await response.json());
    } else if (method === "POST") {
      this.section.querySelector("[role=status]").textContent = this.own.busy;
    }
  }

  show(data) {
    const { games, missing, running } = data;
    this.section.hidden = games === 0 && missing === 0 && running === null;
    const hadFocus = this.section.contains(document.activeElement);
    this.section.replaceChildren(this.#head(data), ...(games ? [this.#findings(data), ...this.#all(data), this.#course(data), this.#last(data)] : []));
    if (hadFocus) (this.section.querySelector("button") ?? this.section).focus();
    if (running !== null) setTimeout(() => this.ask(), AGAIN);
  }

  #head({ games, missing, running }) {
    const { own } = this;
    const said = running === null ? own.reviewed(games) : own.running(running.done, running.of);
    return element("div", { class: "profile-head" }, element("h2", {}, own.title), element("p", { role: "status" }, said),
      ...(running === null ? [] : [element("progress", { max: Math.max(1, running.of), value: running.done, "aria-label": own.title })]),
      ...(running === null && missing ? [element("button", { type: "button", class: "btn", onclick: () => this.ask("POST") }, own.ask(missing))] : []));
  }

  #findings({ games, least, findings }) {
    const { own } = this;
    if (games < least) return element("p", { class: "note" }, own.begins(least));
    const found = findings.filter((each) => each.stands_out);
    if (!found.length) return element("p", { class: "note" }, own.nothing);
    return element("div", { class: "findings" }, ...found.map((each) => this.#card(each)));
  }

  #card({ weakness, hits, chances, rate, interval, usual, loss }) {
    const { own } = this;
    const most = Math.max(interval[1], usual[1], 0.01);
    const bar = (name, [low, high]) => element("i", { class: name, "--low": low / most, "--width": (high - low) / most });
    return element("article", { class: "panel finding" }, element("h3", {}, own.kinds[weakness][0]),
      element("div", { class: "range", role: "img", "aria-label": own.range(this.#percent(rate), ...usual.map((end) => this.#percent(end))) }, bar("usual", usual), bar("own", interval)),
      element("div", { class: "scale", "aria-hidden": "true" }, element("span", {}, "0"), element("span", { class: "usual" }, own.usual), element("span", { class: "own" }, own.you), element("span", {}, this.#percent(most))),
      element("p", {}, own.kinds[weakness][1](hits, chances)), element("p", {}, own.cost(loss.toLocaleString(this.words.language))));
  }

  /** Returns the table of all kinds, closed; none where few games say nothing. */
  #all({ findings }) {
    const { own } = this;
    if (!findings.length) return [];
    const range = ([low, high]) => `${this.#percent(low)} – ${this.#percent(high)}`;
    const rows = findings.map(({ weakness, hits, chances, rate, interval, usual, loss }) => [
      own.kinds[weakness][0], `${hits} / ${chances}`, this.#percent(rate), range(interval), range(usual), loss.toLocaleString(this.words.language)]);
    return [element("details", {}, element("summary", {}, own.all), this.#table(own.head, rows))];
  }

  #table(head, rows) {
    return element("div", { class: "panel scroll", tabindex: "0", role: "region", "aria-label": head[0] }, element("table", {},
      element("thead", {}, element("tr", {}, ...head.map((text) => element("th", { scope: "col" }, text)))),
      element("tbody", {}, ...rows.map(([first, ...others]) => element("tr", {}, element("th", { scope: "row" }, first), ...others.map((text) => element("td", {}, text)))))));
  }

  #percent(share) {
    return share.toLocaleString(this.words.language, { style: "percent", maximumFractionDigits: share < 0.1 ? 1 : 0 });
  }

  /** Returns the points lost a kyoku in each game, and their mean over eight games. */
  #course({ losses }) {
    const { own } = this;
    const mean = losses.map((_, index) => {
      const part = losses.slice(Math.max(0, index - MEAN_OF + 1), index + 1);
      return part.reduce((sum, loss) => sum + loss, 0) / part.length;
    });
    const size = innerWidth <= SMALL ? { width: 360, height: 200 } : { height: 200 };
    return element("section", {}, element("h3", {}, own.course), losses.length < 2 ? element("p", { class: "note" }, own.oneGame)
      : lineGraph([{ values: mean, name: own.mean }, { values: losses, name: own.each }], { label: own.course, ends: own.ends(losses.length), write: String, step: 100, ...size }));
  }

  #last({ last }) {
    const { own, words } = this;
    const change = (points) => (points === null ? "–" : `${points > 0 ? "+" : points < 0 ? "−" : ""}${Math.abs(points).toLocaleString(words.language)}`);
    const rows = last.kyoku.map(({ round: [wind, kyoku, honba], score, good, free, loss, change: points }) => [
      `${words.round("ESWN"[wind], kyoku)}${honba ? ` · ${honba}` : ""}`, String(score), `${good} / ${free}`, loss.toLocaleString(words.language), change(points)]);
    return element("section", {}, element("h3", {}, own.last, " ",
      last.id === null ? null : element("a", { href: `/replay?game=${encodeURIComponent(last.id)}&review=1#v=${"ABCD"[last.seat]}` }, words.sheet.replay)),
    this.#table(own.kyoku, rows));
  }
}
