// Chinese words of the pages, with the keys of en.js.

import { said } from "./server_zh.js";

const NUMBERS = ["", "一", "二", "三", "四", "五", "六", "七", "八", "九"];
const SUITS = { m: "万", p: "筒", s: "索" };
const HONOURS = { E: "东", S: "南", W: "西", N: "北", P: "白", F: "发", C: "中" };

function tile(name) {
  if (name === "?") return "暗牌";
  if (name in HONOURS) return HONOURS[name];
  return `${name.endsWith("r") ? "赤" : ""}${NUMBERS[Number(name[0])]}${SUITS[name[1]]}`;
}

export const words = {
  language: "zh",
  tile,
  states: { tsumogiri: "摸切", called: "被鸣的牌", riichi: "立直", last: "最后的弃牌", drawn: "摸到的牌", tenpai: "打出即听牌", advised: "建议", furiten: "振听", dora: "宝牌", safe: "现物" },
  winds: { E: "东", S: "南", W: "西", N: "北" },
  round: (wind, kyoku) => `${words.winds[wind]}${kyoku}局`,
  tilesLeft: (count) => `余${count}张`,
  sticks: (honba, kyotaku) => `${honba}本场 供托${kyotaku}`,
  doraIndicators: "宝牌指示牌",
  points: (points) => points.toLocaleString("zh"),
  change: (points) => (points > 0 ? `+${words.points(points)}` : words.points(points)),
  seat: (name, wind, points, isRiichi) => `${words.winds[wind]}家 ${name} ${words.points(points)}点${isRiichi ? " 立直" : ""}`,
  meld: (type) => ({ chi: "吃", pon: "碰", daiminkan: "大明杠", kakan: "加杠", ankan: "暗杠" })[type],
  norths: (count) => `拔北${count}张`,
  calls: {
    chi: "吃", pon: "碰", kan: "杠", ron: "荣和", tsumo: "自摸", riichi: "立直", openriichi: "开立直", kita: "拔北",
    ryukyoku: "九种九牌", pass: "跳过", tenpai: "听牌", noten: "未听牌", yes: "亮牌", no: "不亮",
  },
  said: (name, call) => `${name}：${call}`,
  discards: (wind, name) => `${words.winds[wind]} ${name}`,
  yourTurn: (drawn) => (drawn ? `轮到你了。摸到${tile(drawn)}。` : "轮到你了。"),
  yourCall: (name) => `可以鸣牌：${name}`,
  seconds: (count) => `${count}秒`,
  switches: { win: "自动和了", calls: "不吃碰杠", discard: "自动摸切", sort: "自动理牌" },
  hint: (tile, waits, isFuriten) => `${tile === null ? "" : `打${words.tile(tile)}：`}${isFuriten ? "振听，" : ""}听 ${waits}`,
  shanten: (count) => (count ? `${count}向听` : "能和的牌全在自己手里。"),
  furiten: "振听",
  noHints: "这个房间没有提示。",
  unseen: (count) => `余${count}张`,
  letterKeys: "使用字母键",
  lobby: "大厅",
  playAgain: "再来一局",
  watching: "观战中",
  connecting: "正在连接…",
  waitingForPlayers: (there, needed) => `需要${needed}人，已有${there}人。`,
  lost: "正在重连…",
  gone: "无法连接服务器。",
  tryAgain: "重试",
  gameOver: "终局",
  goOn: "下一局",
  nextWinner: "下一家和牌",
  toResult: "终局结果",
  draw: (reason) => ({
    fanpai: "荒牌流局", kyushukyuhai: "九种九牌", sufonrenta: "四风连打", suchareach: "四家立直",
    sukaikan: "四杠散了", sanchaho: "三家和了", nagashimangan: "流局满贯", chombo: "错和",
  })[reason] ?? reason,
  han: (count) => `${count}番`,
  fuHan: (fu, han) => `${fu}符${han}番`,
  place: (place) => `${"一二三四"[place - 1]}位`,
  yaku: {},
  bots: {
    tsumogiri: "摸切", efficiency: "牌效率", defensive: "防守型", beginner: "入门", easy: "初级", medium: "中级", hard: "高级", expert: "达人",
    "expert-aggressive": "达人·进攻", "expert-defensive": "达人·防守", "expert-calling": "达人·鸣牌",
  },
  sheet: {
    aside: "看牌桌",
    ron: (from) => `荣和 ${from}`, dora: "宝牌", ura: "里宝牌", honba: "本场", sticks: "供托", you: "自己",
    limits: { 2000: "满贯", 3000: "跳满", 4000: "倍满", 6000: "三倍满", 8000: "累计役满" },
    yakuman: (times) => (times === 1 ? "役满" : `${times}倍役满`),
    points: (points) => `${points}点`, each: (points) => `每家${points}`, liable: (name) => `${name}包牌`,
    results: "最终点数，以及含马点与头名赏的成绩", replay: "牌谱",
  },
  refused: (reason) => `服务器拒绝了该操作（${words.reasons[reason] ?? reason}）。`,
  notInHand: (tile) => `手牌中没有${tile}。`,
  late: "时间已到，服务器已代为回答。",
  error: (text) => `服务器：${text}`,
  serverSays: said.errors,
  keys: "按键",
  log: "记录",
  table: "牌桌",
  hand: "手牌",
  actions: "可选操作",
  language_: "语言",
  keyHelp: [
    ["← →, End", "选牌"], ["Enter, Space", "打出"], ["4z, 0m", "输入牌名，再按 Enter"], ["R T", "荣和、自摸"], ["L", "立直，再选牌（再按取消）"],
    ["C P K", "吃、碰、杠"], ["N", "拔北"], ["Q", "九种九牌"], ["X, Esc", "跳过"], ["A N G H E", "自动和了、不吃碰杠、摸切、提示、建议"], ["S D V B", "朗读点数、宝牌、牌河、全部"], ["?", "按键一览"],
  ],

  // The page of a table
  windLetters: { E: "东", S: "南", W: "西", N: "北" },
  left: ["余", ""],
  cancel: "取消立直",
  drawers: { yaku: "役种", scores: "点数", report: "举报", talk: "短语", advice: "建议", log: "记录", sound: "声音", settings: "设置", menu: "菜单", keys: "按键", full: "全屏", close: "关闭" },
  settings: {
    table: "牌桌", felt: "桌布", felts: { green: "绿", blue: "蓝", wine: "酒红", grey: "灰" }, tiles: "牌面", theme: "界面",
    rows: "手机手牌", play: "操作", discard: "出牌", hints: "提示（听牌、振听）", safe: "标记安全牌", alike: "高亮相同牌",
    letters: "字母键", volume: "音量", tick: "最后5秒提示", notify: "轮到我时发系统通知", voice: "报牌语音（吃、碰、立直等）",
    values: {
      ivory: "象牙", black: "黑色", dark: "深色", light: "浅色", two: "两行", one: "一行", click: "单击", double: "双击", drag: "上拖",
    },
  },
  summons: { turn: "轮到你了", game: "对局开始了", full: "人已到齐", round: "你的下一桌已公布" },
  notDiscarded: {
    in_riichi: "立直后只能摸切。", not_tenpai: "打出它就不听牌了。", kuikae: "食替，不能打出。", other: "现在不能打出。",
  },
  advice: {
    note: "电脑“expert”的估计：每个选择在本局平均会赢或输多少点。", points: (points) => `预期 ${points} 点`, none: "下次需要选择时显示。", missing: "这个房间没有建议。",
    folds: "弃和", tenpai: (left) => `听牌，余${left}张`, near: (shanten, left) => `${shanten}向听，进张${left}张`,
    risk: (percent) => `，放铳率${percent}%`,
  },
  waits: "听牌",
  seatKept: "座位为你保留。",
  elsewhere: "你的对局在另一个标签页中进行。",
  playHere: "在这里继续",
  bot: "电脑",
  away: "离开",
  botsIn: (seconds) => `${seconds} 秒后由电脑补位。`,
  river: "牌河",
  automatic: "自动操作",
  copyLink: "复制链接",
  copied: "已复制",
  leave: "离开",
  pause: "暂停",
  faster: "加速",
  toLive: "跳到最新",
  startOne: "开一局",
  noGame: "现在没有对局，开始后会显示在这里。",
  reasons: said.reasons,
};
