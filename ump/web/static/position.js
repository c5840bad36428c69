// The position of a game, folded from events in the vocabulary of mjai, as the server's .mjson records write them.
// Hidden tiles are "?". Nothing is ever changed in place: a replay keeps old positions.

const SUITS = "mpsz";
const HONOURS = ["E", "S", "W", "N", "P", "F", "C"];
const HAND = 13;
const DEAD_WALL = 14;
const TILES = { 3: 108, 4: 136 };

export const HIDDEN = "?";

/** Returns a number by which tiles are sorted: m p s z, a red five before plain ones, hidden tiles last. */
export function rank(tile) {
  if (tile === HIDDEN) return 1000;
  const honour = HONOURS.indexOf(tile);
  if (honour >= 0) return 300 + 10 * honour;
  return 100 * SUITS.indexOf(tile[1]) + 10 * Number(tile[0]) - (tile.endsWith("r") ? 1 : 0);
}

export const sorted = (tiles) => [...tiles].sort((one, other) => rank(one) - rank(other));

/** Returns the tile without the mark of a red five. */
export const plain = (tile) => (tile.endsWith("r") ? tile.slice(0, 2) : tile);

const WINDS_AND_DRAGONS = [["E", "S", "W", "N"], ["P", "F", "C"]];

/** Returns the dora that an indicator names: the next tile of its kind, and after the last one the first. */
export function doraOf(marker, players = 4) {
  const tile = plain(marker);
  const ring = WINDS_AND_DRAGONS.find((each) => each.includes(tile));
  if (ring) return ring[(ring.indexOf(tile) + 1) % ring.length];
  const [number, suit] = [Number(tile[0]), tile[1]];
  if (players === 3 && suit === "m") return number === 1 ? "9m" : "1m"; // there is nothing between them
  return `${(number % 9) + 1}${suit}`;
}

/** The position before a game. */
export function start() {
  return {
    players: 4, names: ["", "", "", ""], seat: null, bakaze: "E", kyoku: 1, honba: 0, kyotaku: 0, oya: 0,
    tilesLeft: 0, doraMarkers: [], scores: [0, 0, 0, 0], hands: [[], [], [], []], drawn: [null, null, null, null],
    melds: [[], [], [], []], rivers: [[], [], [], []], norths: [0, 0, 0, 0], riichi: [false, false, false, false],
    declaring: [false, false, false, false], turn: null, last: null, before: null, result: null, end: null,
  };
}

/** Returns the position after an event. Events that change nothing on the table return the same position. */
export function after(position, event) {
  const change = CHANGES[event.type];
  return change === undefined ? position : { ...position, ...change(position, event) };
}

const CHANGES = {
  start_game: (_, { names, id = null }) => ({
    ...start(), players: names.length, names, seat: id, ...empty(names.length), scores: names.map(() => 0),
  }),
  start_kyoku: (position, event) => ({
    ...empty(position.players),
    bakaze: event.bakaze, kyoku: event.kyoku, honba: event.honba, kyotaku: event.kyotaku, oya: event.oya,
    doraMarkers: [event.dora_marker],
    scores: (event.scores ?? position.scores).slice(0, position.players),
    hands: event.tehais.slice(0, position.players).map(sorted),
    tilesLeft: TILES[position.players] - DEAD_WALL - HAND * position.players,
    before: (event.scores ?? position.scores).slice(0, position.players), last: null, result: null, end: null,
  }),
  tsumo: (position, { actor, pai, left }) => ({
    hands: at(position.hands, actor, (hand) => [...hand, pai]),
    drawn: at(position.drawn, actor, () => pai),
    tilesLeft: left ?? position.tilesLeft - 1,
    turn: actor,
  }),
  dahai: discard,
  chi: call,
  pon: call,
  daiminkan: call,
  ankan: (position, { actor, consumed }) => ({
    ...kept(position, actor, consumed),
    melds: at(position.melds, actor, (melds) => [
      ...melds, { type: "ankan", tiles: sorted(consumed), called: null, from: actor, added: null },
    ]),
    turn: actor,
  }),
  kakan: (position, { actor, pai }) => ({
    ...kept(position, actor, [pai]),
    melds: at(position.melds, actor, (melds) => melds.map((meld) => (
      meld.type === "pon" && plain(meld.called) === plain(pai) ? { ...meld, type: "kakan", added: pai } : meld
    ))),
    last: null,
    turn: actor,
  }),
  kita: setNorthAside,
  nukidora: setNorthAside,
  dora: (position, { dora_marker: marker }) => ({ doraMarkers: [...position.doraMarkers, marker] }),
  reach: (position, { actor }) => ({
    riichi: at(position.riichi, actor, () => true), declaring: at(position.declaring, actor, () => true),
  }),
  reach_accepted: (position, event) => ({ ...paid(position, event, { stick: event.actor }), kyotaku: position.kyotaku + 1 }),
  hora: win,
  ryukyoku: draw,
  end_kyoku: () => ({ turn: null }),
  end_game: (position, event) => ({ ...paid(position, event), turn: null, end: endOf(event, position.scores) }),
};

/** Places, results with uma and oka, and the name of the record are null where the server has not said them. */
function endOf({ scores, places = null, results = null, record = null }, last) {
  return { scores: scores ?? last, places, results, record };
}

function empty(players) {
  const each = (make) => Array.from({ length: players }, make);
  return {
    hands: each(() => []), drawn: each(() => null), melds: each(() => []), rivers: each(() => []),
    norths: each(() => 0), riichi: each(() => false), declaring: each(() => false), turn: null,
  };
}

/** Returns a copy of a list with another value at one seat. */
const at = (list, seat, change) => list.map((value, index) => (index === seat ? change(value) : value));

/** Returns the tiles of a hand without some; a hidden hand loses hidden tiles. */
function without(hand, tiles) {
  const rest = [...hand];
  for (const tile of tiles) {
    const index = rest.lastIndexOf(rest.includes(tile) ? tile : HIDDEN);
    if (index >= 0) rest.splice(index, 1);
  }
  return rest;
}

function kept(position, actor, tiles) {
  return {
    hands: at(position.hands, actor, (hand) => sorted(without(hand, tiles))),
    drawn: at(position.drawn, actor, () => null),
  };
}

function discard(position, { actor, pai, tsumogiri }) {
  const isSideways = position.declaring[actor];
  const drawn = position.drawn[actor];
  // A discard from the hand leaves the drawn tile where it is until the hand is sorted again.
  const hand = position.hands[actor];
  const rest = tsumogiri && drawn !== null ? hand.slice(0, -1) : without(hand, [pai]);
  return {
    hands: at(position.hands, actor, () => sorted(rest)),
    drawn: at(position.drawn, actor, () => null),
    rivers: at(position.rivers, actor, (river) => [
      ...river, { tile: pai, tsumogiri: Boolean(tsumogiri), riichi: isSideways, called: false },
    ]),
    declaring: at(position.declaring, actor, () => false),
    last: { seat: actor, index: position.rivers[actor].length },
    turn: null,
  };
}

function call(position, { type, actor, target, pai, consumed }) {
  const river = position.rivers[target];
  const wasSideways = river.at(-1)?.riichi ?? false;
  return {
    ...kept(position, actor, consumed),
    melds: at(position.melds, actor, (melds) => [
      ...melds, { type, tiles: sorted(consumed), called: pai, from: target, added: null },
    ]),
    rivers: at(position.rivers, target, () => river.map((each, index) => (
      index === river.length - 1 ? { ...each, called: true } : each
    ))),
    // The tile that showed the riichi is gone from the river, so the next discard shows it.
    declaring: at(position.declaring, target, (value) => value || wasSideways),
    last: null,
    turn: actor,
  };
}

function setNorthAside(position, { actor }) {
  return {
    ...kept(position, actor, ["N"]), norths: at(position.norths, actor, (count) => count + 1), last: null, turn: actor,
  };
}

/** Returns the scores after an event, which states them or their changes. */
function paid(position, { scores, deltas }, { stick = null } = {}) {
  if (scores) return { scores: scores.slice(0, position.players) };
  const changes = deltas ?? position.scores.map((_, seat) => (seat === stick ? -1000 : 0));
  return { scores: position.scores.map((score, seat) => score + (changes[seat] ?? 0)) };
}

function win(position, event) {
  const wins = [...(position.result?.wins ?? []), event];
  // With tsumo some writers leave the winning tile in the hand, others take it out.
  const shown = event.hora_tehais;
  const hand = shown && (shown.length % 3 === 2 ? without(shown, [event.pai]) : shown);
  return {
    ...paid(position, event),
    hands: hand ? at(position.hands, event.actor, () => [...sorted(hand), event.pai]) : position.hands,
    drawn: at(position.drawn, event.actor, () => event.pai),
    kyotaku: 0,
    result: { wins, draw: null, before: position.result?.before ?? position.before },
    turn: null,
  };
}

function draw(position, event) {
  const shown = event.tehais ?? [];
  return {
    ...paid(position, event),
    hands: position.hands.map((hand, seat) => (shown[seat]?.some((tile) => tile !== HIDDEN) ? sorted(shown[seat]) : hand)),
    result: { wins: [], draw: event, before: position.before },
    turn: null,
  };
}
