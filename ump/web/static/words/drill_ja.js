// 問題の日本語。キーは drill_en.js と同じ。

const points = (count) => count.toLocaleString("ja");
const percent = (share) => `${(100 * share).toFixed(1)}%`;

export const words = {
  title: "問題", all: "学ぶ", loading: "読み込み中…", kindsTitle: "種類", you: "あなた", unrated: "レートなし",
  kinds: { discard: "何切る", waits: "待ち", furiten: "フリテン?", points: "点数", safest: "安全牌", push: "押し引き", call: "鳴き判断", mistake: "自分のミス" },
  about: { discard: "有効牌が最も多い打牌", waits: "待ちをすべて選ぶ", furiten: "はい・いいえ", points: "翻・符・点", safest: "リーチに対して", push: "攻めるか降りるか", call: "チー・ポン・スルー", mistake: "自分の対局の局面" },
  ask: {
    discard: "有効牌が最も多く残る打牌は?", waits: "和了牌は? すべて選んでください。", furiten: "フリテンですか?",
    points: "この和了は何点?", safest: "最も安全な打牌は?", push: "押す? 降りる?", call: "鳴く? 鳴かない?", mistake: "ここで損をしました。より良いのは?",
  },
  own: "自分のミス", due: () => "局面が今日の復習です。", repeat: "復習する",
  noneDue: (waiting) => (waiting ? `今日の復習はありません。${waiting}局面が待っています。` : "「自分の対局」か牌譜を開いて検討し、ミスを保存すると、ここに戻ってきます。"),
  hand: "手牌", river: "自分の捨て牌", indicator: "表示牌", uraIndicator: "裏表示牌", choices: "選択肢", tiles: "牌",
  place: (bakaze, wind) => `${bakaze}場・自風${wind}`, turn: (turn) => `${turn}巡目`, riichi: "リーチ", ron: "ロン", tsumo: "ツモ",
  yes: "はい", no: "いいえ", push: "押す", fold: "降りる", check: "答える", giveUp: "答えを見る", next: "次へ", keys: "キー: 矢印か 4z のような牌、Enter。選択肢は数字",
  difficulty: (rating) => `この問題: ${rating}`, notCounted: "以前に答えた問題です。レートは変わりません。",
  isRight: "正解", isWrong: "最善ではありません", isFalse: "不正解", change: (from, to) => `${from} → ${to}`, last: (right, count) => `直近${count}問: 正解${right}`,
  fullStop: "。", or: "か", and: "、",
  leaves: (count, kinds) => ` は有効牌${kinds}種${count}枚`, leavesToo: (count) => ` は${count}枚`, farther: (shanten) => (shanten ? ` は${shanten}向聴に戻る` : " は聴牌のまま"),
  waitsFor: (count) => ` で和了: 残り${count}枚。`, waitsForOne: (count) => ` で和了: 残り${count}枚。`, missed: "見逃し: ", notWait: "待ちではない: ",
  inRiver: " が河にある: どの待ちでもロンできません。", notInRiver: "待ちは河にありません: ",
  worth: (han, fu, paid) => `${han}翻${fu}符: ${paid}。`, option: (han, fu) => `${han}翻${fu}符`, paid: (text) => text.replace(/\d+/g, (count) => points(Number(count))).replace(" all", "オール"),
  isSafe: " は安全", dealsIn: (risk) => ` の放銃率は${percent(risk)}`, safe: "安全", risk: percent,
  better: (count) => ` の方が${points(count)}点得`, isBest: "が最善です", best: "最善", less: (count) => `−${points(count)}`, deals: (risk) => `放銃 ${percent(risk)}`, wins: (share) => `和了 ${percent(share)}`,
  played: "実際の選択: ", lost: (count) => `、${points(count)}点の損。`, useful: (count) => `${count}枚`, left: (count) => `×${count}`, shanten: (count) => (count ? `${count}向聴` : "聴牌"),
  han: (count) => `${count}翻`, fu: (count) => `${count}符`,
  comesBack: (days) => (days === 1 ? "明日また出ます。" : `${days}日後にまた出ます。`), done: "5回続けて正解: 卒業です。", leaveOut: "外す", leftOut: "もう出ません。",
  atTable: "卓で見る", report: "報告", reported: "ありがとうございます。ほかの人も報告すると出なくなります。",
  timed: "3分間", timedLead: "できるだけ多く", clock: (seconds) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`, stop: "終える",
  timeUp: (right, count) => `時間です: ${count}問中${right}問正解。`, again: "間違えた問題をもう一度", allRight: "間違いはありませんでした。", back: "時計なしで続ける",
  forget: "練習の記録をすべて消す", sure: "レート、解答、自分のミスを消します。よろしいですか?",
  untilStop: "このサーバーは記録を残しません。進み具合はサーバーが止まるまでです。", noDrill: "その問題は今ありません。", nothingDue: "今日の復習は終わりです。",
  keep: "自分のミスを保存", keeping: "ミスを探しています …", kept: (found, fresh) => (found === 0 ? "二人の検討者が一致するミスはありません。" : fresh === 0 ? "すでに保存されています。" : `${fresh}局面を保存しました。明日からここに出ます: `), keptWhere: "問題", keepFailed: "保存できません:",
  fuReasons: {
    base: "副底", tsumo: "ツモ", hand_without_fu: "喰い平和形", valued_pair: "役牌の雀頭", double_valued_pair: "連風牌の雀頭", pair_wait: "単騎待ち", kanchan: "嵌張待ち",
    penchan: "辺張待ち", open_pon: "中張牌の明刻", closed_pon: "中張牌の暗刻", open_terminal_pon: "幺九牌の明刻", closed_terminal_pon: "幺九牌の暗刻", open_kan: "中張牌の明槓",
    closed_kan: "中張牌の暗槓", open_terminal_kan: "幺九牌の明槓", closed_terminal_kan: "幺九牌の暗槓",
  },
};
