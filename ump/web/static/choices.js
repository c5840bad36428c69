// The legal answers to a question as choices: a key, a label, the tiles that belong to it, and the line to send.

import { toUmp } from "./ump_sentences.js";

const KEYS = {
  ron: "r", tsumo: "t", richi: "l", openrichi: "o", chi: "c", pon: "p", kan: "k", ankan: "k", kakan: "k", kita: "n",
  ryukyoku: "q", no: "x",
};

const choice = (command, label, tiles, answer) => ({ command, key: KEYS[command] ?? "", label, tiles, answer });

/** Returns the choices besides a plain discard, in the order in which the buttons stand. */
export function choicesOf(question, calls) {
  const { command, tile } = question;
  if (command === "tenpai?") {
    return [choice("yes", calls.yes, [], "yes"), choice("no", calls.no, [], "no")];
  }
  const found = [];
  if (question.ron) found.push(choice("ron", calls.ron, [tile], "ron"));
  if (question.tsumo) found.push(choice("tsumo", calls.tsumo, [], "tsumo"));
  for (const each of question.richi) found.push(choice("richi", calls.riichi, [each], `richi ${toUmp(each)}`));
  for (const each of question.openrichi) found.push(choice("openrichi", calls.openriichi, [each], `openrichi ${toUmp(each)}`));
  for (const pair of question.chi) found.push(choice("chi", calls.chi, [...pair, tile], `chi ${pair.map(toUmp).join(" ")}`));
  for (const pair of question.pon) found.push(choice("pon", calls.pon, [...pair, tile], `pon ${pair.map(toUmp).join(" ")}`));
  if (question.kan) found.push(choice("kan", calls.kan, [tile, tile, tile, tile], "kan"));
  for (const each of question.ankan) found.push(choice("ankan", calls.kan, [each, each, each, each], `ankan ${toUmp(each)}`));
  for (const each of question.kakan) found.push(choice("kakan", calls.kan, [each], `kakan ${toUmp(each)}`));
  if (question.kita) found.push(choice("kita", calls.kita, ["N"], "kita"));
  if (question.ryukyoku) found.push(choice("ryukyoku", calls.ryukyoku, [], "ryukyoku"));
  if (command === "naku?") found.push(choice("no", calls.pass, [], "no"));
  return found;
}

/** Returns the line that discards a tile, or null if it must not be discarded. */
export function discardOf(question, tile, isDrawn) {
  if (!question.sute.includes(tile)) return null;
  return `sute ${toUmp(tile)}${isDrawn ? " tsumogiri" : ""}`;
}

/** Returns the answer that the player's switches give, or null if the player must choose. */
export function automaticAnswer(question, switches, isRiichi) {
  if (switches.win && question.ron) return "ron";
  if (switches.win && question.tsumo) return "tsumo";
  if (question.command === "naku?") return switches.calls && !question.ron ? "no" : null;
  if (question.command !== "sutehai?" || question.drawn === null || question.tsumo) return null;
  const isForced = isRiichi && question.ankan.length === 0 && !question.kita;
  const drops = isForced || switches.discard;
  return drops && question.sute.includes(question.drawn) ? `sute ${toUmp(question.drawn)} tsumogiri` : null;
}
