// Reads UMP 0.1 as the server sends it to a browser, and tells it in the events of mjai. Context decides what some
// sentences mean: an "open" of one bracket is a meld, of anything else a hand; a "dora" after a winner's hand is ura.

const HONOURS = ["E", "S", "W", "N", "P", "F", "C"];
const HIDDEN_HAND = Array(13).fill("?");
const SEATS = "ABCD";
const PERCENT = /%[0-9A-F]{2}/gi;

/** Returns a tile of UMP in mjai's notation: 5M is 5mr, 1z is E. */
export function toMjai(tile) {
  if (tile[1] === "z") return HONOURS[Number(tile[0]) - 1];
  return tile[1] === tile[1].toUpperCase() ? `5${tile[1].toLowerCase()}r` : tile;
}

/** Returns a tile of mjai in UMP's notation. */
export function toUmp(tile) {
  const honour = HONOURS.indexOf(tile);
  if (honour >= 0) return `${honour + 1}z`;
  return tile.endsWith("r") ? `5${tile[1].toUpperCase()}` : tile;
}

/** Returns the tiles of a text without spaces, as 1m5Z. */
export const tilesOf = (text) => (text?.match(/../g) ?? []).map(toMjai);

/** Returns the concealed tiles of a hand with melds. */
const concealedOf = (text) => tilesOf(text.replace(/[<(][^>)]*[>)]/g, ""));

/** The words of the extension _waits=1, which hints.js reads. */
const HINTS = ["_shanten", "_waits", "_furiten", "_tenpai", "_safe", "_advise"];

const seatOf = (letter) => SEATS.indexOf(letter);

function decoded(text) {
  try {
    return text.replace(/(?:%[0-9A-F]{2})+/gi, decodeURIComponent);
  } catch {
    return text.replace(PERCENT, "\uFFFD");
  }
}

/** Returns the words "name=value" at the end of a question, by name; words without a value are true. */
function optionsOf(words) {
  return Object.fromEntries(words.map((word) => {
    const cut = word.indexOf("=");
    return cut < 0 ? [word, true] : [word.slice(0, cut), word.slice(cut + 1)];
  }));
}

/** Splits a line of the server into its id, its command and its words. */
export function split(line) {
  const [id, command = "", ...words] = line.trim().split(" ");
  return { id: Number(id), command, words };
}

/** What a client knows of the game so far, as far as later sentences depend on it. */
export class Sentences {
  constructor() {
    this.names = [];
    this.seat = null;
    this.end = {}; // places, results and the record, which come before the end of a game
    this.#forget();
  }

  #forget() {
    this.dealt = null; // the start of a kyoku, until its indicator is known
    this.said = null; // the last call that was said, with its seat
    this.discarded = null; // the tile that can be called or won with, and its seat
    this.drawn = null;
    this.pons = [];
    this.winner = null;
    this.worth = null; // the parts of what the winner receives, in points
    this.ura = [];
    this.shown = {};
    this.tenpais = {};
    this.result = null; // a result whose payments are still coming
    this.declared = null; // who has declared riichi and not paid the stick
  }

  /** Takes the lines of one frame. Returns messages in order: {event} or {command, id, words, ..}. */
  take(lines) {
    const told = [];
    for (const line of lines) {
      const sentence = split(line);
      if (sentence.command !== "point") this.#finish(told);
      const read = READERS[sentence.command];
      if (read === undefined) told.push(sentence);
      else read.call(this, sentence.words, told, sentence);
    }
    this.#finish(told);
    return told;
  }

  /** Tells a result when all of its payments have come. */
  #finish(told) {
    if (this.result === null) return;
    told.push({ event: this.result });
    this.result = null;
  }

  _start([receiver, ...names], told) {
    this.#forget();
    this.names = names.map(decoded);
    this.seat = receiver === "-" ? null : seatOf(receiver);
    told.push({ event: { type: "start_game", id: this.seat, names: this.names } });
  }

  _deal([wind, dealer, honba, sticks]) {
    this.#forget();
    const oya = seatOf(dealer);
    this.dealt = {
      type: "start_kyoku", bakaze: toMjai(wind), kyoku: oya + 1, honba: Number(honba), kyotaku: Number(sticks) / 1000,
      oya, dora_marker: null, scores: this.names.map(() => 0), tehais: this.names.map(() => HIDDEN_HAND),
    };
  }

  _point([letter, change], told) {
    const seat = seatOf(letter);
    const points = Number(change.replace("=", ""));
    if (this.dealt !== null) this.dealt.scores[seat] = points;
    else if (this.result !== null) this.result.deltas[seat] += points;
    else if (this.declared === seat) {
      told.push({ event: { type: "reach_accepted", actor: seat } });
      this.declared = null;
    }
  }

  _haipai([letter, tiles]) {
    if (this.dealt !== null && tiles) this.dealt.tehais[seatOf(letter)] = tilesOf(tiles);
  }

  _dora([tile], told) {
    if (this.dealt !== null) {
      told.push({ event: { ...this.dealt, dora_marker: toMjai(tile) } });
      this.dealt = null;
    } else if (this.winner !== null) this.ura.push(toMjai(tile));
    else told.push({ event: { type: "dora", dora_marker: toMjai(tile) } });
  }

  _tsumo([letter, left, tile], told) {
    this.drawn = tile ? toMjai(tile) : "?";
    this.discarded = null;
    told.push({ event: { type: "tsumo", actor: seatOf(letter), pai: this.drawn, left: Number(left) } });
  }

  _sutehai([letter, tile, flag], told) {
    this.discarded = { seat: seatOf(letter), tile: toMjai(tile) };
    told.push({ event: { type: "dahai", actor: this.discarded.seat, pai: this.discarded.tile, tsumogiri: flag === "tsumogiri" } });
  }

  _say([letter, call], told) {
    const actor = seatOf(letter);
    this.said = { actor, call };
    told.push({ said: call, actor });
    if (call === "richi") {
      this.declared = actor;
      told.push({ event: { type: "reach", actor } });
    } else if (call === "kita") {
      this.discarded = { seat: actor, tile: "N" };
      told.push({ event: { type: "kita", actor, pai: "N" } });
    } else if (call === "ron" || call === "tsumo") {
      this.winner = actor;
      this.ura = [];
      if (this.declared !== actor) this.declared = call === "ron" ? null : this.declared;
    } else if (call === "tenpai" || call === "noten") this.tenpais[actor] = call === "tenpai";
  }

  _open([letter, tiles, added], told) {
    const actor = seatOf(letter);
    const isOpenMeld = /^<[^<>()]*>$/.test(tiles) && added !== undefined;
    const isClosedKan = /^\([^<>()]*\)$/.test(tiles) && this.said?.call === "kan" && this.said.actor === actor;
    if (isOpenMeld) told.push({ event: this.#meld(actor, tilesOf(tiles.slice(1, -1)), toMjai(added)) });
    else if (isClosedKan) {
      const consumed = tilesOf(tiles.slice(1, -1));
      this.discarded = { seat: actor, tile: consumed[0] };
      told.push({ event: { type: "ankan", actor, consumed } });
    } else this.shown[actor] = concealedOf(tiles);
    this.said = isOpenMeld || isClosedKan ? null : this.said;
  }

  #meld(actor, consumed, pai) {
    const face = pai.slice(0, 2);
    const isAdded = consumed.length === 3 && this.pons.some((pon) => pon.actor === actor && pon.face === face);
    if (isAdded) {
      this.discarded = { seat: actor, tile: pai };
      return { type: "kakan", actor, pai, consumed };
    }
    const target = this.discarded.seat;
    if (consumed.length === 3) return { type: "daiminkan", actor, target, pai, consumed };
    const isPon = consumed.every((tile) => tile.slice(0, 2) === face);
    if (isPon) this.pons.push({ actor, face });
    return { type: isPon ? "pon" : "chi", actor, target, pai, consumed };
  }

  _worth([, base, points, honba, sticks, shares, liable = null]) {
    this.worth = {
      base: Number(base), points: Number(points), honba: Number(honba), sticks: Number(sticks),
      shares: shares.split("/").map(Number), liable: liable && seatOf(liable),
    };
  }

  _agari([letter, fu, ...yaku]) {
    const actor = seatOf(letter);
    const isTsumo = this.said?.call === "tsumo";
    const hand = this.shown[actor] ?? [];
    const pai = isTsumo ? hand.at(-1) : this.discarded?.tile ?? "?";
    const yakus = [];
    for (let place = 0; place + 1 < yaku.length; place += 2) yakus.push([decoded(yaku[place]), Number(yaku[place + 1])]);
    this.result = {
      type: "hora", actor, target: isTsumo ? actor : this.discarded?.seat ?? actor, pai, uradora_markers: this.ura,
      hora_tehais: isTsumo ? hand.slice(0, -1) : hand, yakus, fu: Number(fu),
      fan: yakus.reduce((sum, [, han]) => sum + han, 0), deltas: this.names.map(() => 0), worth: this.worth,
    };
    this.winner = this.worth = null;
  }

  _ryukyoku([reason = "fanpai"]) {
    this.result = {
      type: "ryukyoku", reason, tehais: this.names.map((_, seat) => this.shown[seat] ?? HIDDEN_HAND),
      tenpais: this.names.map((_, seat) => this.tenpais[seat] ?? false), deltas: this.names.map(() => 0),
    };
  }

  _kyokuend(_, told) {
    told.push({ event: { type: "end_kyoku" } });
  }

  _places(words) {
    this.end.places = words.filter((_, index) => index % 2 === 0).map(Number);
    this.end.results = words.filter((_, index) => index % 2 === 1).map(Number);
  }

  _record([name]) {
    this.end.record = name;
  }

  _gameend(points, told) {
    told.push({ event: { type: "end_game", scores: points.map(Number), ...this.end } });
    this.end = {};
  }

  _ask(words, told, { id, command }) {
    const isCall = command === "naku?";
    const options = optionsOf(isCall ? words.slice(1) : words);
    told.push({ question: questionOf(id, command, isCall ? toMjai(words[0]) : null, options) });
  }
}

/** Returns a question with its legal answers as tiles of mjai. */
function questionOf(id, command, tile, options) {
  const pairs = (text) => (text ? text.split(",").map(tilesOf) : []);
  const [move, bank] = (options._time ?? "").split("+").map(Number);
  return {
    id, command, tile,
    sute: tilesOf(options.sute), richi: tilesOf(options.richi), openrichi: tilesOf(options.openrichi),
    ankan: tilesOf(options.ankan), kakan: tilesOf(options.kakan), chi: pairs(options.chi), pon: pairs(options.pon),
    kan: options.kan === true, ron: options.ron === true, tsumo: options.tsumo === true, kita: options.kita === true,
    ryukyoku: options.ryukyoku === true,
    hand: options._hand ? concealedOf(options._hand) : null,
    drawn: options._drawn ? toMjai(options._drawn) : null,
    time: options._time ? { move, bank } : null, isLast: options._last === true,
    hints: Object.fromEntries(HINTS.filter((name) => name in options).map((name) => [name, options[name]])),
  };
}

const READERS = {
  gamestart: Sentences.prototype._start, kyokustart: Sentences.prototype._deal, point: Sentences.prototype._point,
  dice: () => {}, haipai: Sentences.prototype._haipai, dora: Sentences.prototype._dora,
  tsumo: Sentences.prototype._tsumo, sutehai: Sentences.prototype._sutehai, say: Sentences.prototype._say,
  open: Sentences.prototype._open, agari: Sentences.prototype._agari, ryukyoku: Sentences.prototype._ryukyoku,
  _worth: Sentences.prototype._worth, _places: Sentences.prototype._places, _record: Sentences.prototype._record,
  kyokuend: Sentences.prototype._kyokuend, gameend: Sentences.prototype._gameend,
  "sutehai?": Sentences.prototype._ask, "naku?": Sentences.prototype._ask, "tenpai?": Sentences.prototype._ask,
  "ready?": Sentences.prototype._ask, "bye": Sentences.prototype._ask,
};
