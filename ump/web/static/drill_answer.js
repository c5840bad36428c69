// What is told after an answer: the verdict, one sentence, and all candidates with their tiles or risks.

import { element, tileElement } from "./elements.js";
import { actionElements } from "./drill_question.js";
import { tilesOf } from "./tile_text.js";

const MANY = 6; // candidates that are listed

/** Returns the sentence and the list of an answer. ``given`` is what was answered; null: nothing. */
export function factElements(question, { right, facts }, given) {
  const told = TOLD[question.drill.kind](question, facts, right, given);
  return [element("p", { class: "sentence" }, ...told.sentence.flat(2)), ...(told.list.length ? [element("ol", { class: "facts" }, ...told.list)] : [])];
}

const tiles = (names, words) => element("span", { class: "tiles" }, ...names.flatMap(tilesOf).map((tile) => tileElement(tile, words)));
const bar = (share) => element("span", { class: "bar", "--v": Math.max(0.03, Math.min(1, share)).toFixed(3) }, element("i"));
const row = (classes, ...children) => element("li", { class: classes }, ...children);

function joined(parts, between) {
  return parts.flatMap((part, place) => (place === 0 ? [part] : [between, part]));
}

function discard({ words, own }, { candidates }, right, given) {
  const [best] = candidates;
  const done = candidates.find(({ tile }) => given?.includes(tile));
  const bests = joined(right.map((each) => tiles([each], words)), own.or);
  const sentence = [...bests, own.leaves(best.tiles, best.helpful.length)];
  if (done && !right.includes(done.tile)) {
    sentence.push(own.and, tiles([done.tile], words), done.shanten > best.shanten ? own.farther(done.shanten) : own.leavesToo(done.tiles));
  }
  const most = best.tiles;
  const listed = shortened(candidates, (each) => each === done);
  return { sentence: [...sentence, own.fullStop], list: listed.map((each) => row(classOf(each.tile, right, given),
    tiles([each.tile], words), each.shanten > best.shanten ? element("span") : bar(each.tiles / most), element("b", { class: "num" }, own.useful(each.tiles)),
    element("span", { class: "more" }, ...(each.shanten > best.shanten ? [element("span", {}, own.shanten(each.shanten))] : [tiles(each.helpful, words)])))) };
}

/** Returns the first candidates, and the one that was chosen. */
function shortened(candidates, isDone) {
  const first = candidates.slice(0, MANY);
  const done = candidates.find(isDone);
  return done === undefined || first.includes(done) ? first : [...first, done];
}

const classOf = (name, right, given) => (right.includes(name) ? "right" : given?.includes(name) ? "wrong" : null);

function waits({ words, own }, { waits: found }, right, given) {
  const count = found.reduce((sum, { left }) => sum + left, 0);
  const sentence = [tiles(right, words), right.length === 1 ? own.waitsForOne(count) : own.waitsFor(count)];
  const missed = right.filter((each) => !(given ?? right).includes(each));
  const extra = (given ?? []).filter((each) => !right.includes(each));
  if (missed.length) sentence.push(" ", own.missed, tiles(missed, words));
  if (extra.length) sentence.push(" ", own.notWait, tiles(extra, words));
  return { sentence, list: found.map(({ tile, left }) => row("right", tiles([tile], words), bar(left / 4), element("b", { class: "num" }, own.left(left)))) };
}

function furiten({ words, own }, { waits: found, inRiver }) {
  const sentence = inRiver.length ? [tiles(inRiver, words), own.inRiver] : [own.notInRiver, tiles(found.map(({ tile }) => tile), words)];
  return { sentence, list: found.map(({ tile, left }) => row(null, tiles([tile], words), bar(left / 4), element("b", { class: "num" }, own.left(left)), element("span", { class: "more" }, inRiver.includes(tile) ? own.river : ""))) };
}

function points({ words, own, yakuName }, { yaku, fu, han, total }, right) {
  const list = [
    ...yaku.map(([name, count]) => row(null, element("span", { class: "name" }, yakuName(name)), element("b", { class: "num" }, own.han(count)))),
    ...fu.map(([reason, count]) => row(null, element("span", { class: "name" }, own.fuReasons[reason] ?? reason), element("b", { class: "num" }, own.fu(count)))),
  ];
  return { sentence: [own.worth(han, total, own.paid(right[0].split("-")[2]))], list };
}

function safest({ words, own }, { candidates }, right, given) {
  const [best] = candidates;
  const done = candidates.find(({ tile }) => given?.includes(tile));
  const said = ({ tile, risk, safe }) => [tiles([tile], words), safe ? own.isSafe : own.dealsIn(risk)];
  const sentence = [...said(best), ...(done && !right.includes(done.tile) ? [own.and, ...said(done)] : []), own.fullStop];
  const most = Math.max(...candidates.map(({ risk }) => risk), 0.01);
  return { sentence, list: shortened(candidates, (each) => each === done).map((each) => row(classOf(each.tile, right, given),
    tiles([each.tile], words), bar(each.risk / most), element("b", { class: "num" }, each.safe ? own.safe : own.risk(each.risk)))) };
}

function valued(question, { candidates, done, loss }, right, given) {
  const { words, own } = question;
  const ordered = [...candidates].sort((one, other) => other.value - one.value);
  const [best] = ordered;
  const other = ordered.find(({ choice }) => given?.includes(choice) && choice !== best.choice) ?? (ordered.length === 2 ? ordered[1] : null);
  const named = (choice) => element("span", { class: "in-text" }, ...question.optionElements(choice));
  const gap = Math.round(best.value - (other ?? best).value);
  const sentence = [named(best.choice), gap > 0 ? own.better(gap) : own.isBest, own.fullStop];
  if (done) sentence.push(" ", own.played, element("span", { class: "in-text" }, ...actionElements(done, words)), own.lost(loss));
  const list = shortened(ordered, ({ choice }) => given?.includes(choice)).map((each) => row(classOf(each.choice, right, given),
    named(each.choice), element("b", { class: "num" }, each === best ? own.best : own.less(Math.round(best.value - each.value))),
    element("span", { class: "more" }, [each.shanten === undefined || each.shanten === null ? "" : own.shanten(each.shanten), each.risk ? own.deals(each.risk) : "", each.win ? own.wins(each.win) : ""].filter(Boolean).join(" · "))));
  return { sentence, list };
}

const TOLD = { discard, waits, furiten, points, safest, push: valued, call: valued, mistake: valued };
