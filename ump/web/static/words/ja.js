// Japanese words of the pages, with the keys of en.js.

import { said } from "./server_ja.js";

const NUMBERS = ["", "一", "二", "三", "四", "五", "六", "七", "八", "九"];
const SUITS = { m: "萬", p: "筒", s: "索" };
const HONOURS = { E: "東", S: "南", W: "西", N: "北", P: "白", F: "發", C: "中" };

function tile(name) {
  if (name === "?") return "伏せ牌";
  if (name in HONOURS) return HONOURS[name];
  return `${name.endsWith("r") ? "赤" : ""}${NUMBERS[Number(name[0])]}${SUITS[name[1]]}`;
}

export const words = {
  language: "ja",
  tile,
  states: { tsumogiri: "ツモ切り", called: "鳴かれた牌", riichi: "リーチ", last: "直前の打牌", drawn: "ツモ牌", tenpai: "切るとテンパイ", advised: "おすすめ", furiten: "フリテン", dora: "ドラ", safe: "現物" },
  winds: { E: "東", S: "南", W: "西", N: "北" },
  round: (wind, kyoku) => `${words.winds[wind]}${kyoku}局`,
  tilesLeft: (count) => `残り${count}枚`,
  sticks: (honba, kyotaku) => `${honba}本場 供託${kyotaku}`,
  doraIndicators: "ドラ表示牌",
  points: (points) => points.toLocaleString("ja"),
  change: (points) => (points > 0 ? `+${words.points(points)}` : words.points(points)),
  seat: (name, wind, points, isRiichi) => `${words.winds[wind]}家 ${name} ${words.points(points)}点${isRiichi ? " リーチ" : ""}`,
  meld: (type) => ({ chi: "チー", pon: "ポン", daiminkan: "大明槓", kakan: "加槓", ankan: "暗槓" })[type],
  norths: (count) => `北抜き${count}枚`,
  calls: {
    chi: "チー", pon: "ポン", kan: "カン", ron: "ロン", tsumo: "ツモ", riichi: "リーチ", openriichi: "オープンリーチ", kita: "北抜き",
    ryukyoku: "九種九牌", pass: "スキップ", tenpai: "テンパイ", noten: "ノーテン", yes: "手牌を見せる", no: "伏せる",
  },
  said: (name, call) => `${name}：${call}`,
  discards: (wind, name) => `${words.winds[wind]} ${name}`,
  yourTurn: (drawn) => (drawn ? `あなたの番です。ツモ ${tile(drawn)}。` : "あなたの番です。"),
  yourCall: (name) => `鳴けます：${name}`,
  seconds: (count) => `${count}秒`,
  switches: { win: "自動和了", calls: "鳴きなし", discard: "ツモ切り", sort: "自動理牌" },
  hint: (tile, waits, isFuriten) => `${tile === null ? "" : `打${words.tile(tile)}：`}${isFuriten ? "フリテン、" : ""}待ち ${waits}`,
  shanten: (count) => (count ? `${count}向聴` : "和了牌はすべて自分の手の内です。"),
  furiten: "フリテン",
  noHints: "このルームにヒントはありません。",
  unseen: (count) => `残り${count}枚`,
  letterKeys: "文字キーを使う",
  lobby: "ロビー",
  playAgain: "もう一局",
  watching: "観戦中",
  connecting: "接続中…",
  waitingForPlayers: (there, needed) => `${needed}人中${there}人が着席しています。`,
  lost: "再接続中…",
  gone: "サーバーに接続できません。",
  tryAgain: "再接続",
  gameOver: "終局",
  goOn: "次局へ",
  nextWinner: "次の和了",
  toResult: "最終結果へ",
  draw: (reason) => ({
    fanpai: "流局", kyushukyuhai: "九種九牌", sufonrenta: "四風連打", suchareach: "四家立直",
    sukaikan: "四開槓", sanchaho: "三家和", nagashimangan: "流し満貫", chombo: "チョンボ",
  })[reason] ?? reason,
  han: (count) => `${count}翻`,
  fuHan: (fu, han) => `${fu}符${han}翻`,
  place: (place) => `${"一二三四"[place - 1]}位`,
  yaku: {},
  bots: {
    tsumogiri: "ツモ切り", efficiency: "牌効率", defensive: "守備型", beginner: "入門", easy: "初級", medium: "中級", hard: "上級", expert: "達人",
    "expert-aggressive": "達人・攻撃", "expert-defensive": "達人・守備", "expert-calling": "達人・鳴き",
  },
  sheet: {
    aside: "卓を見る",
    ron: (from) => `ロン ${from}から`, dora: "ドラ", ura: "裏ドラ", honba: "本場", sticks: "供託", you: "あなた",
    limits: { 2000: "満貫", 3000: "跳満", 4000: "倍満", 6000: "三倍満", 8000: "数え役満" },
    yakuman: (times) => (times === 1 ? "役満" : `${times}倍役満`),
    points: (points) => `${points}点`, each: (points) => `${points}オール`, liable: (name) => `${name}の責任払い（パオ）`,
    results: "最終得点と、ウマ・オカを含む成績", replay: "牌譜",
  },
  refused: (reason) => `その操作はできません（${words.reasons[reason] ?? reason}）。`,
  notInHand: (tile) => `手牌に${tile}はありません。`,
  late: "時間切れのため、サーバーが代わりに答えました。",
  error: (text) => `サーバー：${text}`,
  serverSays: said.errors,
  keys: "キー操作",
  log: "経過",
  table: "卓",
  hand: "手牌",
  actions: "できること",
  language_: "言語",
  keyHelp: [
    ["← →, End", "牌を選ぶ"], ["Enter, Space", "切る"], ["4z, 0m", "牌を入力し、Enter"], ["R T", "ロン、ツモ"], ["L", "リーチ、続いて牌（もう一度で取消）"],
    ["C P K", "チー、ポン、カン"], ["N", "北抜き"], ["Q", "九種九牌"], ["X, Esc", "スキップ"], ["A N G H E", "自動和了、鳴きなし、ツモ切り、ヒント、おすすめ"], ["S D V B", "点数、ドラ、河、全体を読み上げる"], ["?", "この一覧"],
  ],

  // The page of a table
  windLetters: { E: "東", S: "南", W: "西", N: "北" },
  left: ["残", ""],
  cancel: "リーチ取消",
  drawers: { yaku: "役", scores: "点数", report: "通報", talk: "定型文", advice: "おすすめ", log: "ログ", sound: "音", settings: "設定", menu: "メニュー", keys: "キー操作", full: "全画面", close: "閉じる" },
  settings: {
    table: "卓", felt: "マット", felts: { green: "緑", blue: "青", wine: "えんじ", grey: "灰" }, tiles: "牌", theme: "画面",
    rows: "スマホの手牌", play: "操作", discard: "打牌", hints: "ヒント（待ち・フリテン）", safe: "現物を表示", alike: "同じ牌を強調",
    letters: "文字キー", volume: "音量", tick: "残り5秒で知らせる", notify: "自分の番をシステムで通知", voice: "発声（チー、ポン、リーチなど）",
    values: {
      ivory: "アイボリー", black: "黒", dark: "ダーク", light: "ライト", two: "二段", one: "一段", click: "ワンクリック",
      double: "ダブルクリック", drag: "上にドラッグ",
    },
  },
  summons: { turn: "あなたの番です", game: "対局が始まります", full: "卓がそろいました", round: "次の卓が公開されました" },
  notDiscarded: {
    in_riichi: "リーチ中はツモ切りだけです。", not_tenpai: "これを切るとテンパイしません。",
    kuikae: "喰い替えになるので切れません。", other: "今は切れません。",
  },
  advice: {
    note: "CPU「expert」の見込みです。選択ごとに、この局で平均して何点得る（失う）か。", points: (points) => `期待 ${points}点`, none: "次に選ぶときに表示します。", missing: "このルームにおすすめはありません。",
    folds: "オリ", tenpai: (left) => `テンパイ、待ち${left}枚`, near: (shanten, left) => `${shanten}向聴、受け入れ${left}枚`,
    risk: (percent) => `、放銃率${percent}%`,
  },
  waits: "待ち",
  seatKept: "席はそのままです。",
  elsewhere: "対局は別のタブで続いています。",
  playHere: "ここで打つ",
  bot: "CPU",
  away: "離席中",
  botsIn: (seconds) => `あと${seconds}秒で空席にCPUが入ります。`,
  river: "河",
  automatic: "自動操作",
  copyLink: "リンクをコピー",
  copied: "コピーしました",
  leave: "退席",
  pause: "一時停止",
  faster: "速く",
  toLive: "最新まで進む",
  startOne: "対局をはじめる",
  noGame: "対局はありません。始まるとここに表示します。",
  reasons: said.reasons,
};
