// The words of reviews, by language. A reason is a sentence with places for tiles, players and facts, {tiles.0} for the
// first of a pair.

const percent = (share) => (share < 0.01 ? "<1 %" : `${Math.round(100 * share)} %`);
const points = (value) => Math.round(value).toLocaleString("en");

/** Writes a value of a candidate in its unit; tiles stand with the facts already. */
const value = (number, unit) => (unit === "tiles" ? "" : unit === "points" ? points(number) : unit === "probability" ? percent(number) : number.toFixed(2));

export const REVIEW_WORDS = {
  en: {
    title: "Review", log: "Course", ask: "Review this seat", reviewer: "Reviewer", size: "Size", kind: "Kind", all: "All kinds",
    none: "Nobody has reviewed this seat. This makes a page with a review:", noAnswer: "The reviewer has no answer.",
    failed: "That did not work:", making: "Working", waiting: (ahead) => `Waiting for ${ahead} other ${ahead === 1 ? "job" : "jobs"}`,
    sizes: ["All differences", "?! and worse", "? mistakes", "?? blunders"],
    kinds: { efficiency: "Efficiency", fold: "Push or fold", call: "Calls", riichi: "Riichi", kan: "Kans", win: "Wins" },
    previous: "Previous mistake", next: "Next mistake", differs: "the reviewer differs",
    figures: (share, free, signs) => `agrees in ${share} % of ${free} · ${signs}`,
    score: "Score", worst: "Worst", scoreOf: (score) => `${score} of 100`,
    kyokuScore: (name, { score, good, free, loss }) => `${name}: score ${score}, ${good} of ${free} good, ${points(loss)} points lost`,
    turn: (turn) => `Turn ${turn}`, choice: "reviewer", done: "done", more: (count) => `and ${count} more`, colon: ": ",
    verbs: { sute: "", richi: "riichi", chi: "chi", pon: "pon", kan: "kan", ankan: "closed kan", kakan: "added kan", kita: "north aside", no: "pass", ron: "ron", tsumo: "tsumo", ryukyoku: "nine terminals" },
    facts: ({ shanten, tiles, risk, win }) => [
      shanten === undefined ? "" : shanten > 0 ? `${shanten}-shanten` : "tenpai", tiles === undefined ? "" : `${tiles} tiles`,
      risk ? `deals in ${percent(risk)}` : "", win === undefined ? "" : `wins ${percent(win)}`,
    ].filter(Boolean).join(", "),
    value,
    verdicts: { agrees: "The reviewer would do the same.", equal: "As good as what the reviewer would do.", unknown: "Another seat was faster: nobody knows what this one wanted." },
    noReason: "no reason that we can name", against: " (against its own values)",
    threat: (wind, isRiichi) => `${wind}'s ${isRiichi ? "riichi" : "open hand"}`,
    said: {
      shanten: (number) => (number > 0 ? `${number}-shanten` : "tenpai"), tiles: (number) => `${number} ${number === 1 ? "tile" : "tiles"}`,
      kinds: (number) => `${number} ${number === 1 ? "kind" : "kinds"}`, others: (number) => `${number} ${number === 1 ? "terminal or honour" : "terminals and honours"}`,
      points: (number) => `${points(number)} points`, chance: (number) => (number ? String(number) : "under 1"),
    },
    reasons: {
      tiles: "{best} leaves {tiles.0} of {kinds} that help, {done} leaves {tiles.1}.", lost_kinds: "After {done} the hand no longer uses {lost}.",
      back: "{done} goes back to {shanten.1}, {best} keeps {shanten.0}.", alone: "{tile} touches nothing in the hand.",
      wait: "{best} waits for {tiles.0}, {done} for {tiles.1}.",
      furiten: "After {done} the hand waits for {tile}, which lies in its own river: no ron.", dora: "{done} is a dora: worth {han} han.",
      value: "The cheapest ron pays {points.0} after {best}, {points.1} after {done}.", genbutsu: "{seat} discarded {tile}: it is safe there.",
      passed: "{tile} passed after the riichi of {seat}: it is safe there.", suji: "{seat} discarded {by}: no two-sided wait takes {tile}.",
      risk: "Against {who}, {best} deals in {risk.0} of 100 times, {done} {risk.1}.",
      fold: "After {done} the hand is {shanten.1}, and wins {win} of 100 times.",
      push: "After {best} the hand wins {win} of 100 times; the risk is {risk} of 100.",
      push_value: "After {best} the hand wins {win} of 100 times, {value} or more by ron; the risk is {risk} of 100.",
      riichi: "Riichi raises a ron on {tile} from {points.1} to {points.0}.",
      riichi_yaku: "Without riichi there is no yaku for a ron on {tile}, with it {points}.",
      dama: "A ron on {tile} pays {points.0} without riichi, {points.1} with it.", call: "{best} brings the hand from {shanten.1} to {shanten.0}.",
      triplet: "Its triplet of {tile} is a yaku.", tanyao: "All melds are simples; for tanyao {others} must go.",
      all_simples: "All tiles are simples: tanyao.", no_yaku: "After {done}, {tile} rules out tanyao, and the hand has no pair of yakuhai.",
      not_nearer: "With {done} or without it the hand is {shanten.0}.", closed: "{done} opens the hand: no riichi.",
      kan: "{best} keeps {shanten.0}, and draws once more.", win: "This win pays {points} or more.", place: "Place {place} is {points} away.",
      lead: "The lead is {points}.",
    },
  },
  ja: {
    title: "検討", log: "経過", ask: "この席を検討する", reviewer: "検討者", size: "大きさ", kind: "種類", all: "すべての種類",
    none: "この席の検討はまだありません。検討つきのページは次のコマンドで作れます:", noAnswer: "検討者の答えがありません。",
    failed: "できませんでした:", making: "処理中", waiting: (ahead) => `順番を待っています(前に${ahead}件)`,
    sizes: ["すべての違い", "?! 以上", "? 悪手", "?? 大悪手"],
    kinds: { efficiency: "牌効率", fold: "押し引き", call: "鳴き", riichi: "リーチ", kan: "カン", win: "和了" },
    previous: "前の悪手", next: "次の悪手", differs: "検討者と違う",
    figures: (share, free, signs) => `一致率 ${share} %(${free}手)· ${signs}`,
    score: "得点", worst: "大悪手", scoreOf: (score) => `100点中${score}点`,
    kyokuScore: (name, { score, good, free, loss }) => `${name}: 得点 ${score}、${free}手中${good}手が良好、損失 ${points(loss)}点`,
    turn: (turn) => `${turn}巡目`, choice: "検討者", done: "実際", more: (count) => `ほか${count}`, colon: ":",
    verbs: { sute: "", richi: "リーチ", chi: "チー", pon: "ポン", kan: "カン", ankan: "暗槓", kakan: "加槓", kita: "北抜き", no: "スルー", ron: "ロン", tsumo: "ツモ", ryukyoku: "九種九牌" },
    facts: ({ shanten, tiles, risk, win }) => [
      shanten === undefined ? "" : shanten > 0 ? `${shanten}向聴` : "聴牌", tiles === undefined ? "" : `${tiles}枚`,
      risk ? `放銃 ${percent(risk)}` : "", win === undefined ? "" : `和了 ${percent(win)}`,
    ].filter(Boolean).join("、"),
    value,
    verdicts: { agrees: "検討者と同じです。", equal: "検討者の選択と同等です。", unknown: "他家が先に動いたため、この席の意思はわかりません。" },
    noReason: "理由は挙げられません", against: "(自身の評価値とは違う選択)",
    threat: (wind, isRiichi) => `${wind}家の${isRiichi ? "リーチ" : "仕掛け"}`,
    said: {
      shanten: (number) => (number > 0 ? `${number}向聴` : "聴牌"), tiles: (number) => `${number}枚`, kinds: (number) => `${number}種`,
      others: (number) => `幺九牌${number}枚`, points: (number) => `${points(number)}点`, chance: (number) => (number ? `${number}回` : "1回未満"),
    },
    reasons: {
      tiles: "{best}なら{kinds}{tiles.0}、{done}なら{tiles.1}を受け入れます。", lost_kinds: "{done}の後は{lost}を使えません。",
      back: "{done}だと{shanten.1}に戻り、{best}なら{shanten.0}のままです。", alone: "{tile}は手の中で孤立しています。", wait: "{best}なら{tiles.0}待ち、{done}なら{tiles.1}待ちです。",
      furiten: "{done}の後の待ち{tile}は自分の河にあり、フリテンです。", dora: "{done}はドラで{han}翻です。", value: "最も安いロンは{best}なら{points.0}、{done}なら{points.1}です。",
      genbutsu: "{seat}家は{tile}を捨てていて安全です。", passed: "{tile}は{seat}家のリーチ後に通っていて安全です。", suji: "{seat}家は{by}を捨てていて、{tile}は両面待ちに当たりません。",
      risk: "{who}への放銃は100回中、{best}が{risk.0}、{done}が{risk.1}です。", fold: "{done}の後は{shanten.1}で、和了は100回中{win}です。",
      push: "{best}の後の和了は100回中{win}、放銃は100回中{risk}です。", push_value: "{best}の後の和了は100回中{win}、ロンなら{value}以上、放銃は100回中{risk}です。",
      riichi: "リーチすると{tile}のロンは{points.1}から{points.0}になります。", riichi_yaku: "リーチしないと{tile}のロンに役がなく、すれば{points}です。",
      dama: "{tile}のロンはダマで{points.0}、リーチで{points.1}です。", call: "{best}で{shanten.1}から{shanten.0}になります。", triplet: "{tile}の刻子は役です。",
      tanyao: "副露はすべて中張牌で、タンヤオには{others}が余ります。", all_simples: "すべて中張牌でタンヤオです。", no_yaku: "{done}の後は{tile}のためタンヤオにならず、役牌の対子もありません。",
      not_nearer: "{done}をしてもしなくても{shanten.0}です。", closed: "{done}で門前でなくなり、リーチできません。", kan: "{best}でも{shanten.0}のままで、もう一度ツモれます。",
      win: "この和了は{points}以上です。", place: "{place}位まで{points}です。", lead: "リードは{points}です。",
    },
  },
  zh: {
    title: "检讨", log: "经过", ask: "检讨此家", reviewer: "检讨者", size: "大小", kind: "种类", all: "所有种类",
    none: "此家尚未检讨。用下面的命令生成带检讨的页面:", noAnswer: "检讨者没有回答。",
    failed: "没有成功:", making: "处理中", waiting: (ahead) => `正在排队(前面还有${ahead}个)`,
    sizes: ["所有不同", "?! 以上", "? 失误", "?? 大失误"],
    kinds: { efficiency: "牌效率", fold: "攻守", call: "副露", riichi: "立直", kan: "杠", win: "和牌" },
    previous: "上一个失误", next: "下一个失误", differs: "与检讨者不同",
    figures: (share, free, signs) => `一致率 ${share} %(${free}手)· ${signs}`,
    score: "评分", worst: "大失误", scoreOf: (score) => `满分100,得${score}`,
    kyokuScore: (name, { score, good, free, loss }) => `${name}:评分 ${score},${free}手中${good}手好,损失 ${points(loss)}点`,
    turn: (turn) => `第${turn}巡`, choice: "检讨者", done: "实际", more: (count) => `还有${count}个`, colon: ":",
    verbs: { sute: "", richi: "立直", chi: "吃", pon: "碰", kan: "杠", ankan: "暗杠", kakan: "加杠", kita: "拔北", no: "跳过", ron: "荣和", tsumo: "自摸", ryukyoku: "九种九牌" },
    facts: ({ shanten, tiles, risk, win }) => [
      shanten === undefined ? "" : shanten > 0 ? `${shanten}向听` : "听牌", tiles === undefined ? "" : `${tiles}张`,
      risk ? `放铳 ${percent(risk)}` : "", win === undefined ? "" : `和牌 ${percent(win)}`,
    ].filter(Boolean).join(","),
    value,
    verdicts: { agrees: "与检讨者相同。", equal: "与检讨者的选择一样好。", unknown: "别家先行动,不知道此家的意图。" },
    noReason: "说不出理由", against: "(与自己的估值不符)",
    threat: (wind, isRiichi) => `${wind}家的${isRiichi ? "立直" : "副露"}`,
    said: {
      shanten: (number) => (number > 0 ? `${number}向听` : "听牌"), tiles: (number) => `${number}张`, kinds: (number) => `${number}种`,
      others: (number) => `${number}张幺九牌`, points: (number) => `${points(number)}点`, chance: (number) => (number ? `${number}次` : "不到1次"),
    },
    reasons: {
      tiles: "{best}后有{kinds}{tiles.0}进张,{done}后有{tiles.1}。", lost_kinds: "{done}后不再需要{lost}。", back: "{done}退回{shanten.1},{best}保持{shanten.0}。",
      alone: "{tile}在手牌里是孤张。", wait: "{best}听{tiles.0},{done}听{tiles.1}。", furiten: "{done}后听的{tile}在自己的牌河里:振听。", dora: "{done}是宝牌,值{han}番。",
      value: "最便宜的荣和:{best}后{points.0},{done}后{points.1}。", genbutsu: "{seat}家打过{tile},对其安全。", passed: "{tile}在{seat}家立直后通过,对其安全。",
      suji: "{seat}家打过{by},两面听不会和{tile}。", risk: "对{who},每100次里{best}放铳{risk.0},{done}{risk.1}。", fold: "{done}后是{shanten.1},100次里和{win}。",
      push: "{best}后100次里和{win},100次里放铳{risk}。", push_value: "{best}后100次里和{win},荣和至少{value},100次里放铳{risk}。",
      riichi: "立直使荣和{tile}从{points.1}升到{points.0}。", riichi_yaku: "不立直荣和{tile}没有役,立直则是{points}。", dama: "荣和{tile}默听{points.0},立直{points.1}。",
      call: "{best}使手牌从{shanten.1}进到{shanten.0}。", triplet: "{tile}的刻子是役。", tanyao: "副露都是中张;要断幺还须打掉{others}。", all_simples: "全是中张:断幺。",
      no_yaku: "{done}后因为有{tile}不成断幺,也没有役牌对子。", not_nearer: "{done}与否都是{shanten.0}。", closed: "{done}后不再门前清,不能立直。", kan: "{best}保持{shanten.0},并再摸一张。",
      win: "这次和牌至少{points}。", place: "离第{place}位还差{points}。", lead: "领先{points}。",
    },
  },
};

const CHANCES = ["risk", "win"];
const SHOWN = ["best", "done", "who", "seat", "tile", "lost", "by"];

/** Returns a reason as parts of a sentence: texts, and { token, fact } for what is shown by tiles or names a player. */
export function sentenceOf(own, { code, ...facts }) {
  return own.reasons[code].split(/[{}]/).map((part, at) => {
    if (at % 2 === 0) return part;
    const [name, place] = part.split(".");
    const fact = place === undefined ? facts[name] : facts[name][place];
    if (SHOWN.includes(name)) return { token: name, fact };
    const write = own.said[CHANCES.includes(name) ? "chance" : name === "value" ? "points" : name];
    return write === undefined ? String(fact) : write(fact);
  }).filter((part) => part !== "");
}
