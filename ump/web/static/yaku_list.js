// The yaku in groups, each with its han in a closed and in an open hand (null: it needs a closed one), an example whose last
// tile wins, and what a room's rules change.

const YAKUMAN = 13;

const yaku = (name, closed, open, example) => ({ name, closed, open, example });
const yakuman = (name, example, isClosed = false) => yaku(name, YAKUMAN, isClosed ? null : YAKUMAN, example);

/** The yaku by group. Examples have no characters from 2 to 8 where they can do without: tables of three have none. */
export const YAKU = {
  hand: [
    yaku("riichi", 1, null, "123p456p789s4455s 5s"), yaku("menzentsumo", 1, null, "123p456p789s4455s 5s"),
    yaku("tanyao", 1, 1, "234p567p345s678s2p 2p"), yaku("pinfu", 1, null, "234p567p34s678s99p 5s"),
    yaku("haku", 1, 1, "234p567p99p45s555z 6s"), yaku("hatsu", 1, 1, "234p567p99p45s666z 6s"),
    yaku("chun", 1, 1, "234p567p99p45s777z 6s"), yaku("jikaze", 1, 1, "234p567p99p45s222z 6s"),
    yaku("bakaze", 1, 1, "234p567p99p45s111z 6s"), yaku("iipeikou", 1, null, "223344p567p999s1z 1z"),
    yaku("ippatsu", 1, null, "123p456p789s4455s 5s"), yaku("doubleriichi", 2, null, "123p456p789s4455s 5s"),
    yaku("openriichi", 2, null, "123p456p789s4455s 5s"),
  ],
  luck: [
    yaku("rinshankaihou", 1, 1, "234p567p99p46s<3333z> 5s"), yaku("chankan", 1, 1, "234p567p99p46s888s 5s"),
    yaku("haitei", 1, 1, "234p567p99p46s888s 5s"), yaku("houtei", 1, 1, "234p567p99p46s888s 5s"),
  ],
  two: [
    yaku("chiitoitsu", 2, null, "1199m2288p4477s5z 5z"), yaku("toitoi", 2, 2, "222p555p77s99m<111s> 7s"),
    yaku("sanankou", 2, 2, "222p555p999s67s11z 8s"), yaku("sanshokudoujun", 2, 1, "345m345p34s99p678p 5s"),
    yaku("ittsu", 2, 1, "123456p78p99s345s 9p"), yaku("chanta", 2, 1, "123p789p99s12s777z 3s"),
    yaku("sanshokudoukou", 2, 2, "111m111p111s67s22z 8s"), yaku("shousangen", 2, 2, "234p567s555z666z7z 7z"),
    yaku("honroutou", 2, 2, "1199m1199p11s22z7z 7z"), yaku("sankantsu", 2, 2, "67s11z(2222p)(5555p)(9999s) 8s"),
  ],
  more: [
    yaku("honitsu", 3, 2, "234678p11p56p777z 7p"), yaku("junchan", 3, 2, "123p789p99s12s789s 3s"),
    yaku("ryanpeikou", 3, null, "223344p55667s99p 7s"), yaku("chinitsu", 6, 5, "123345p567p99p78p 6p"),
    yaku("renhou", 5, null, "123p456p789s4455s 5s"),
  ],
  yakuman: [
    yakuman("kokushimusou", "19m19p19s123456z1m 7z", true), yakuman("suuankou", "222p555p999s77p11z 7p", true),
    yakuman("daisangen", "234p99p555z666z77z 7z"), yakuman("shousuushii", "234p111z222z333z4z 4z"),
    yakuman("daisuushii", "11m111z222z333z44z 4z"), yakuman("tsuuiisou", "1122334455667z 7z"),
    yakuman("ryuuiisou", "223344s66s888s66z 6z"), yakuman("chinroutou", "111m999m111p99p11s 9p"),
    yakuman("chuurenpoutou", "1112345678999p 9p", true), yakuman("suukantsu", "1z(2222p)(5555p)(9999s)(7777p) 1z"),
    yakuman("tenhou", "123p456p789s4455s 5s", true), yakuman("chihou", "123p456p789s4455s 5s", true),
  ],
  dora: [yaku("dora", 1, 1, null), yaku("uradora", 1, null, null), yaku("akadora", 1, 1, null)],
};

/** The rule that lets a yaku count, with the value that does not. */
const NEEDS = {
  ippatsu: ["ippatsu", "no"], openriichi: ["open-riichi", "no"], renhou: ["renhou", "none"], uradora: ["ura-dora", "no"],
  akadora: ["red-fives", "0,0,0"],
};

/** The rule that lets a form of a yakuman count twice. */
const DOUBLE = {
  suuankou: "double-suuankou-tanki", kokushimusou: "double-kokushi-13", chuurenpoutou: "double-junsei-chuuren", daisuushii: "double-daisuushii",
};

/**
 * Returns the groups with the yaku that some rules have; ``rules`` are their values by name. A yakuman that may count
 * twice has ``isDouble``.
 */
export function yakuOf(rules, seats) {
  const isThere = ({ name }) => {
    if (name === "sanshokudoujun" && seats === 3) return false;
    const [rule, never] = NEEDS[name] ?? [];
    return rule === undefined || rules[rule] !== never;
  };
  const adapted = (each) => {
    if (each.name === "tanyao" && rules.kuitan === "no") return { ...each, open: null };
    if (each.name === "renhou" && rules.renhou === "yakuman") return { ...each, closed: YAKUMAN };
    return { ...each, isDouble: rules[DOUBLE[each.name]] === "yes" };
  };
  return Object.fromEntries(Object.entries(YAKU).map(([group, all]) => [group, all.filter(isThere).map(adapted)]));
}

// Points

const FU = [20, 25, 30, 40, 50, 60, 70];
export const HAN = [1, 2, 3, 4];
const MANGAN = 2000;
const KIRIAGE = 1920; // base points that become a mangan where the rules say so

const upToHundreds = (points) => 100 * Math.ceil(points / 100);

/** Returns what is paid for so many base points: a ron, and the shares of a tsumo, those of the dealer last. */
const paymentsOf = (base) => ({
  ron: upToHundreds(4 * base), tsumo: [upToHundreds(base), upToHundreds(2 * base)],
  dealerRon: upToHundreds(6 * base), dealerTsumo: [upToHundreds(2 * base)],
});

/** Returns for each number of fu the payments by han. A hand of 20 fu is a pinfu that was drawn, one of 25 has seven pairs. */
export function pointTable(rules) {
  return FU.map((fu) => ({ fu, cells: HAN.map((han) => {
    const base = fu * 2 ** (2 + han);
    const isMangan = base >= MANGAN || (base === KIRIAGE && rules.kiriage === "yes");
    const paid = paymentsOf(isMangan ? MANGAN : base);
    const least = { 20: 2, 25: 2 }[fu] ?? 1;
    if (han < least) return null;
    if (fu === 20) return { ...paid, ron: null, dealerRon: null };
    return fu === 25 && han === 2 ? { ...paid, tsumo: null, dealerTsumo: null } : paid;
  }) }));
}

/** Returns the limits: the han from which they count, and what is paid. */
export const limitsOf = (rules) => [
  [5, 2000], [6, 3000], [8, 4000], [11, 6000], ...(rules["kazoe-yakuman"] === "no" ? [] : [[13, 8000]]),
].map(([han, base]) => ({ han, base, ...paymentsOf(base) }));
