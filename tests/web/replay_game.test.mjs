// Tests of replay_game.js, without a browser. Run by test_replay_modules.py, or with: node --test tests/web

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { madeText } from "../../ump/web/static/jobs.js";
import { expanded, gamesIn, hashOf, placeOf } from "../../ump/web/static/replay_game.js";
import { wordsIn } from "../../ump/web/static/replay_language.js";
import { noteText } from "../../ump/web/static/replay_panel.js";
import { Review, mjaiTile } from "../../ump/web/static/replay_review.js";
import { REPLAY_WORDS } from "../../ump/web/static/replay_words.js";
import { REVIEW_WORDS, sentenceOf } from "../../ump/web/static/review_words.js";

const record = process.env.UMP_REPLAY ? readFileSync(process.env.UMP_REPLAY, "utf8") : null;

test("short events mean what mjai says", () => {
  assert.deepEqual(expanded("T05m"), { type: "tsumo", actor: 0, pai: "5m" });
  assert.deepEqual(expanded("G25pr"), { type: "dahai", actor: 2, pai: "5pr", tsumogiri: true });
  assert.deepEqual(expanded("D3E"), { type: "dahai", actor: 3, pai: "E", tsumogiri: false });
  assert.deepEqual(expanded({ type: "reach", actor: 1 }), { type: "reach", actor: 1 });
});

test("a page waits for its turn, asks again where it is told to, and throws what the server says", async () => {
  const retry = { "Retry-After": "0" };
  const answers = [["busy", 503, retry], ['{"ahead":3}', 202, { Location: "/job" }], ['{"ahead":0}', 202], ["made", 200], ["no record\n", 400]];
  const [asked, told] = [[], []];
  globalThis.fetch = async (path, { method = "GET", headers }) => {
    asked.push([path, method, headers.Prefer]);
    const [text, status, extra = {}] = answers.shift();
    return new Response(text, { status, headers: extra });
  };
  assert.equal(await madeText("/api/convert", { method: "POST" }, (ahead) => told.push(ahead)), "made");
  assert.deepEqual(told, [null, null, 3, 0]);
  const post = ["/api/convert", "POST", "respond-async"];
  assert.deepEqual(asked, [post, post, ...Array(2).fill(["/job", "GET", "respond-async"])]);
  await assert.rejects(madeText("/api/convert", {}, () => {}), /^Error: no record$/);
});

test("a record without a kyoku has no games", () => {
  assert.deepEqual(gamesIn('{"games":[]}'), []);
});

test("a hash names a place and a seat, and any other text the start", () => {
  assert.deepEqual(placeOf("#k=3&n=104&v=B"), { k: 3, n: 104, view: 1 });
  assert.equal(hashOf({ k: 3, n: 104 }, 1), "#k=3&n=104&v=B");
  for (const text of ["", "#", "#k=-1&n=x&v=Z", "#k=1e9&n=99999999"]) assert.deepEqual(placeOf(text), { k: 0, n: 0, view: 0 });
});

test("tiles of journals and of MPSZ are mjai's", () => {
  assert.deepEqual(["5M", "0p", "7z", "1z", "3s"].map(mjaiTile), ["5mr", "5pr", "C", "E", "3s"]);
});

test("every language has the words of every reason", () => {
  for (const own of Object.values(REVIEW_WORDS)) {
    assert.deepEqual(Object.keys(own).sort(), Object.keys(REVIEW_WORDS.en).sort());
    assert.deepEqual(Object.keys(own.reasons).sort().join(" "), process.env.UMP_REASONS ?? Object.keys(own.reasons).sort().join(" "));
  }
});

test("a reason has the same tiles, players and numbers in every language", () => {
  const single = { points: 5200, risk: 3, win: 12, value: 3900 };
  const pairs = { shanten: [1, 2], tiles: [15, 11], points: [5200, 2600], risk: [3, 12] };
  const facts = { seat: 1, riichi: true, tile: "4p", lost: ["1m", "0p"], by: ["7p"], kinds: 5, han: 1, others: 2, place: 2 };
  const numbers = (parts) => parts.filter((part) => !part.token).join(" ").replaceAll(/100|two/g, "").match(/[\d,]*\d/g)?.sort() ?? [];
  for (const [code, template] of Object.entries(REVIEW_WORDS.en.reasons)) {
    const hasPairs = (name) => template.includes(`{${name}.0}`) || template.includes(`{${name}.1}`);
    const own = Object.fromEntries(Object.keys(pairs).map((name) => [name, hasPairs(name) ? pairs[name] : single[name] ?? pairs[name]]));
    const written = ["en", "ja", "zh"].map((language) => sentenceOf(REVIEW_WORDS[language], { code, ...single, ...facts, ...own }));
    const [english, ...others] = written;
    for (const parts of others) {
      assert.deepEqual(new Set(parts.map(({ token }) => token)), new Set(english.map(({ token }) => token)), code);
      assert.deepEqual(numbers(parts), numbers(english), code);
      assert.ok(parts.every((part) => part.token || !/undefined|NaN|[{}]/.test(part)), code);
    }
  }
});

test("a review has the differences that its filter lets through, and takes another seat", () => {
  const decision = (seat, event, size, kind) => ({ kyoku: 0, event, seat, by: [{ verdict: size ? "differs" : "agrees", size, kind }] });
  const data = (seat, ...decisions) => ({ reviewers: [{ id: "x" }], seats: [{ seat, by: [{}] }], decisions });
  const review = new Review(data(1, decision(1, 9, 2, "call"), decision(1, 5, 1, "fold"), decision(1, 3, 0, null)));
  const found = (filter) => review.differences(1, { reviewer: 0, least: 1, kind: "", ...filter }).map(({ event }) => event);
  assert.deepEqual([found({}), found({ least: 2 }), found({ kind: "fold" })], [[5, 9], [9], [5]]);
  assert.equal(review.near(1, { k: 0, n: 7 }).event, 5);
  assert.ok(!review.has(2));
  review.add(data(2, decision(2, 4, 3, "win")));
  assert.ok(review.has(2) && review.of(2).length === 1);
});

test("other content is refused", () => {
  for (const text of ["", "{}", "[]", '{"games":[{"version":99}]}', "<html>"]) assert.throws(() => gamesIn(text));
});

test("a note says shanten, waits and furiten", () => {
  const words = wordsIn("en");
  const note = { shanten: 0, waits: ["4m", "7m"], left: [2, 3], furiten: true };
  assert.equal(noteText(note, words), "waits 4m 7m (5 left) furiten");
  assert.equal(noteText({ ...note, shanten: 2 }, words), "2-shanten");
  assert.equal(noteText({ ...note, waits: [], left: [], furiten: false }, words), "tenpai");
});

test("all languages have the same words", () => {
  const shape = (value) => (value && typeof value === "object" && !Array.isArray(value)
    ? Object.fromEntries(Object.keys(value).sort().map((key) => [key, shape(value[key])])) : Array.isArray(value) ? value.length : typeof value);
  for (const language of ["ja", "zh"]) {
    assert.deepEqual(shape(REPLAY_WORDS[language]), shape(REPLAY_WORDS.en));
    assert.deepEqual(Object.keys(wordsIn(language)).sort(), Object.keys(wordsIn("en")).sort());
  }
  assert.equal(wordsIn("en").tile("5mr"), "red 5 of characters");
});

test("a game is walked from end to end, and back", { skip: record === null }, () => {
  const [game] = gamesIn(record);
  let [place, steps] = [{ k: 0, n: 0 }, 1];
  for (let next = game.step(place, 1); next.k !== place.k || next.n !== place.n; next = game.step(place, 1)) {
    [place, steps] = [next, steps + 1];
    const { hands, melds } = game.position(place);
    assert.ok(hands.every((hand, seat) => game.position(place).result || [1, 2].includes((hand.length + 3 * melds[seat].length) % 3)));
  }
  assert.equal(steps, game.kyoku.reduce((sum, { events }) => sum + events.length, 0));
  assert.deepEqual(game.nearest({ k: 99, n: 9999 }), place);
  let joined = 1;
  for (let next = game.joinedStep(place, -1); next.k !== place.k || next.n !== place.n; next = game.joinedStep(place, -1)) {
    [place, joined] = [next, joined + 1];
  }
  assert.deepEqual(place, { k: 0, n: 0 });
  assert.ok(joined < steps);
});

test("decisions of a seat are its turns and its offers", { skip: record === null }, () => {
  const [game] = gamesIn(record);
  const seen = [];
  for (let [place, next] = [{ k: 0, n: 0 }, game.decision({ k: 0, n: 0 }, 1, 2)]; next.n !== place.n || next.k !== place.k; next = game.decision(place, 1, 2)) {
    place = next;
    seen.push(place);
    const { type, actor } = game.event(place);
    const offers = game.kyoku[place.k].offers.get(place.n) ?? [];
    assert.ok((actor === 2 && ["tsumo", "chi", "pon"].includes(type)) || offers.some(([seat]) => seat === 2));
  }
  assert.ok(seen.length > 10);
  const last = seen.at(-1);
  assert.deepEqual(game.decision(last, -1, 2), seen.at(-2));
});

test("the last scores of the fold are those of the record", { skip: record === null }, () => {
  const [game] = gamesIn(record);
  for (const [k, kyoku] of game.kyoku.entries()) {
    const next = game.kyoku[k + 1];
    if (next) assert.deepEqual(game.position({ k, n: kyoku.last }).scores, next.events[0].scores);
  }
});
