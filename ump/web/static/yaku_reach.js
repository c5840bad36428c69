// The yaku that a hand may still reach: how many tiles it lacks to be complete with each of them. The others' discards
// are not looked at. A hand is {counts, melds, winds}: the number of concealed tiles of each kind from 0 to 33, the
// melds as {kind, isRun, isOpen} with their lowest kind, and the kinds of the winds of the round and of the seat.

const KINDS = 34;
const COPIES = 4;
const SETS = 4;
const MOST_KNOWN = 5000; // tables that are remembered
const HONOURS = 27;
const SUITS = [[0, 9], [9, 9], [18, 9], [HONOURS, 7]]; // the first kind and the number of kinds
const DRAGONS = [31, 32, 33];
const WINDS = [27, 28, 29, 30];
const GREEN = [19, 20, 21, 23, 25, 32];

const numberOf = (kind) => (kind < HONOURS ? (kind % 9) + 1 : null);
const isHonour = (kind) => kind >= HONOURS;
const isTerminal = (kind) => numberOf(kind) === 1 || numberOf(kind) === 9;
const isOuter = (kind) => isHonour(kind) || isTerminal(kind);
const tilesOf = ({ kind, isRun }) => (isRun ? [kind, kind + 1, kind + 2] : [kind, kind, kind]);
const run = (kind) => ({ kind, isRun: true });
const triplet = (kind) => ({ kind, isRun: false });
const all = () => true;
const none = () => false;
const range = (count) => [...Array(count).keys()];
const RUNS = [0, 9, 18].flatMap((suit) => range(7).map((place) => suit + place));

// Shapes: which runs, triplets and pairs a hand may have, and one of several lists of sets that it must have

const ANY = { runs: all, triplets: all, pairs: all };
const shape = (allowed, more = {}) => ({ allowed: { ...ANY, ...allowed }, fixed: [[]], isClosed: false, ...more });
const made = (fits) => shape({ runs: (kind) => tilesOf(run(kind)).every(fits), triplets: fits, pairs: fits });
const having = (fixed, more = {}) => ({ allowed: ANY, fixed, isClosed: false, ...more });
const inSuits = (fits) => range(3).map((suit) => (kind) => fits(kind) || Math.floor(kind / 9) === suit);
const little = (kinds, pair) => shape({ pairs: (kind) => kind === pair }, { fixed: [kinds.filter((kind) => kind !== pair).map(triplet)] });
const outside = (fits) => shape({ runs: (kind) => tilesOf(run(kind)).some(isTerminal), triplets: fits, pairs: fits });

/** Returns the three kinds of which a hand has most. */
const fullest = ({ counts }) => range(KINDS).sort((one, other) => counts[other] - counts[one]).slice(0, 3);

/** For each yaku of four sets and a pair, what makes its shapes from a hand. */
const SHAPES = {
  riichi: () => [having([[]], { isClosed: true })],
  pinfu: ({ winds }) => [shape({ triplets: none, pairs: (kind) => !DRAGONS.includes(kind) && !winds.includes(kind) }, { isClosed: true })],
  iipeikou: () => [having(RUNS.map((kind) => [run(kind), run(kind)]), { isClosed: true })],
  ryanpeikou: () => [having(RUNS.flatMap((one, place) => RUNS.slice(place).map((other) => [run(one), run(one), run(other), run(other)])), { isClosed: true })],
  tanyao: () => [made((kind) => !isOuter(kind))],
  haku: () => [having([[triplet(31)]])],
  hatsu: () => [having([[triplet(32)]])],
  chun: () => [having([[triplet(33)]])],
  bakaze: ({ winds }) => [having([[triplet(winds[0])]])],
  jikaze: ({ winds }) => [having([[triplet(winds[1])]])],
  toitoi: () => [shape({ runs: none })],
  sanankou: (hand) => [having([fullest(hand).map((kind) => ({ ...triplet(kind), isConcealed: true }))])],
  sanshokudoujun: () => [having(range(7).map((place) => [run(place), run(place + 9), run(place + 18)]))],
  sanshokudoukou: () => [having(range(9).map((place) => [triplet(place), triplet(place + 9), triplet(place + 18)]))],
  ittsu: () => [having([0, 9, 18].map((suit) => [run(suit), run(suit + 3), run(suit + 6)]))],
  chanta: () => [outside(isOuter)],
  junchan: () => [outside(isTerminal)],
  honitsu: () => inSuits(isHonour).map(made),
  chinitsu: () => inSuits(none).map(made),
  honroutou: () => [made(isOuter)],
  shousangen: () => DRAGONS.map((pair) => little(DRAGONS, pair)),
  daisangen: () => [having([DRAGONS.map(triplet)])],
  shousuushii: () => WINDS.map((pair) => little(WINDS, pair)),
  daisuushii: () => [having([WINDS.map(triplet)])],
  suuankou: () => [shape({ runs: none }, { isClosed: true })],
  tsuuiisou: () => [made(isHonour)],
  chinroutou: () => [made(isTerminal)],
  ryuuiisou: () => [made((kind) => GREEN.includes(kind))],
};

/** For each yaku of another shape, or of seven pairs too, how many tiles a closed hand lacks. */
const OTHERS = {
  chiitoitsu: ({ counts }) => lackingPairs(counts, all),
  tanyao: ({ counts }) => lackingPairs(counts, (kind) => !isOuter(kind)),
  honroutou: ({ counts }) => lackingPairs(counts, isOuter),
  tsuuiisou: ({ counts }) => lackingPairs(counts, isHonour),
  honitsu: ({ counts }) => Math.min(...inSuits(isHonour).map((fits) => lackingPairs(counts, fits))),
  chinitsu: ({ counts }) => Math.min(...inSuits(none).map((fits) => lackingPairs(counts, fits))),
  kokushimusou: ({ counts }) => 13 - used(counts, isOuter, 1) + (counts.some((count, kind) => count > 1 && isOuter(kind)) ? 0 : 1),
  chuurenpoutou: ({ counts }) => Math.min(...[0, 9, 18].map((suit) => lackingGates(counts.slice(suit, suit + 9)))),
};

/** Returns how many tiles of some kinds a hand can use, if at most so many of each count. */
const used = (counts, fits, most) => counts.reduce((sum, count, kind) => sum + (fits(kind) ? Math.min(count, most) : 0), 0);

function lackingPairs(counts, fits) {
  const pairs = counts.filter((count, kind) => count > 1 && fits(kind)).length;
  const kinds = counts.filter((count, kind) => count > 0 && fits(kind)).length;
  return 7 - pairs + Math.max(0, 7 - kinds);
}

function lackingGates(counts) {
  const needed = [3, 1, 1, 1, 1, 1, 1, 1, 3];
  const missing = needed.reduce((sum, count, place) => sum + Math.max(0, count - counts[place]), 0);
  const hasMore = counts.some((count, place) => count > needed[place]);
  return missing + (hasMore ? 0 : 1);
}

/** Returns how many tiles a hand lacks to be complete in any way: one more than its shanten. */
export function lackingAtAll(hand) {
  const ways = [lacking(hand, having([[]]))];
  if (isClosed(hand)) ways.push(OTHERS.chiitoitsu(hand), OTHERS.kokushimusou(hand));
  return Math.min(...ways);
}

/** Returns how many tiles a hand lacks to be complete with a yaku; null: its shape says nothing of it, or it is out of reach. */
export function lackingFor(yaku, hand) {
  const found = [];
  if (yaku in OTHERS && isClosed(hand)) found.push(OTHERS[yaku](hand));
  for (const each of SHAPES[yaku]?.(hand) ?? []) found.push(lacking(hand, each));
  const least = Math.min(...found);
  return least < Infinity ? least : null;
}

const isClosed = ({ melds }) => melds.every(({ isOpen }) => !isOpen);

/** Returns how many tiles a hand lacks for a shape, or Infinity. */
function lacking(hand, wanted) {
  if (wanted.isClosed && !isClosed(hand)) return Infinity;
  const { runs, triplets } = wanted.allowed;
  const isAllowed = ({ kind, isRun }) => (isRun ? runs(kind) : triplets(kind));
  if (!hand.melds.every(isAllowed)) return Infinity;
  return Math.min(...wanted.fixed.map((sets) => lackingWith(hand, wanted, sets)));
}

/** Returns how many tiles a hand lacks for a shape with some sets, which may be among its melds. */
function lackingWith({ counts, melds }, wanted, sets) {
  const left = [...melds];
  const missing = sets.filter((set) => {
    const place = left.findIndex(({ kind, isRun, isOpen }) => kind === set.kind && isRun === set.isRun && !(isOpen && set.isConcealed));
    if (place >= 0) left.splice(place, 1);
    return place < 0;
  });
  const free = SETS - melds.length - missing.length;
  if (free < 0) return Infinity;
  const rest = [...counts];
  const room = Array(KINDS).fill(COPIES);
  for (const kind of melds.flatMap(tilesOf)) room[kind] -= 1;
  let lacks = 0;
  for (const kind of missing.flatMap(tilesOf)) {
    room[kind] -= 1;
    if (rest[kind] > 0) rest[kind] -= 1;
    else lacks += 1;
  }
  if (room.some((count) => count < 0)) return Infinity;
  return lacks + 3 * free + 2 - mostUsed(rest, room, wanted.allowed, free);
}

/** Returns how many tiles so many sets and a pair can use of concealed tiles, or -Infinity. */
function mostUsed(counts, room, allowed, sets) {
  let best = table(); // by the number of sets, and whether there is the pair
  best[0][0] = 0;
  for (const [first, size] of SUITS) {
    const own = remembered(counts.slice(first, first + size), room.slice(first, first + size), first, allowed, sets);
    const next = table();
    each(best, sets, (done, hasPair, use) => each(own, sets - done, (more, isPair, further) => {
      if (hasPair + isPair < 2) raise(next, done + more, hasPair + isPair, use + further);
    }));
    best = next;
  }
  return best[sets][1];
}

const table = () => range(SETS + 1).map(() => [-Infinity, -Infinity]);

function raise(found, sets, pairs, use) {
  found[sets][pairs] = Math.max(found[sets][pairs], use);
}

/** Calls ``act`` for each entry of a table that has at most so many sets. */
function each(found, sets, act) {
  for (let done = 0; done <= sets; done += 1) {
    for (const hasPair of [0, 1]) if (found[done][hasPair] > -Infinity) act(done, hasPair, found[done][hasPair]);
  }
}

const memory = new WeakMap(); // for what is allowed, the tables that were found: most shapes differ in one suit alone

function remembered(counts, room, first, allowed, sets) {
  if (!memory.has(allowed)) memory.set(allowed, new Map());
  const known = memory.get(allowed);
  const key = `${first} ${sets} ${counts} ${room}`;
  if (known.size > MOST_KNOWN) known.clear();
  if (!known.has(key)) known.set(key, usedInSuit(counts, room, first, allowed, sets));
  return known.get(key);
}

/** Returns how many tiles of a suit sets and a pair can use. It goes from kind to kind, and remembers which runs go on. */
function usedInSuit(counts, room, first, allowed, sets) {
  let states = [{ open: 0, older: 0, done: 0, hasPair: 0, use: 0 }]; // runs that began one kind before, and two before
  for (const [place, count] of counts.entries()) {
    const next = new Map();
    for (const state of states) {
      for (const { begun, has3, has2 } of choicesAt(first + place, place, state, allowed, sets)) {
        const needed = state.open + state.older + begun + 3 * has3 + 2 * has2;
        if (needed > room[place]) continue;
        const use = state.use + Math.min(count, needed);
        keep(next, { open: begun, older: state.open, done: state.done + begun + has3, hasPair: state.hasPair + has2, use });
      }
    }
    states = [...next.values()];
  }
  const best = table();
  for (const { open, older, done, hasPair, use } of states) if (open + older === 0) raise(best, done, hasPair, use);
  return best;
}

/** Keeps a state, unless an equal one uses more tiles. */
function keep(states, state) {
  const key = ((5 * state.open + state.older) * 5 + state.done) * 2 + state.hasPair;
  if ((states.get(key)?.use ?? -1) < state.use) states.set(key, state);
}

/** Returns what may begin at a kind: runs, a triplet, the pair. */
function choicesAt(kind, place, { done, hasPair }, { runs, triplets, pairs }, sets) {
  const mostRuns = kind < HONOURS && place < 7 && runs(kind) ? sets - done : 0;
  const choices = [];
  for (let begun = 0; begun <= mostRuns; begun += 1) {
    for (const has3 of triplets(kind) && done + begun < sets ? [0, 1] : [0]) {
      for (const has2 of pairs(kind) && !hasPair ? [0, 1] : [0]) choices.push({ begun, has3, has2 });
    }
  }
  return choices;
}
