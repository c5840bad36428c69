// The words of the page for replays, by language.

export const REPLAY_WORDS = {
  en: {
    title: "Replay", playOn: "Play on from here", toDrills: "Back to the drills", drop: "Drop a record here, or choose a file: our journals, mjai, tenhou.net/6, mjlog, paipu.",
    dropOwn: "Drop a replay page here, or choose one. Other formats need a server: ump serve.",
    choose: "Choose a file", loading: "Reading the record",
    waiting: (ahead) => `Waiting for ${ahead} other ${ahead === 1 ? "record" : "records"}`, failed: (why) => `This record cannot be shown: ${why}`,
    noKyoku: "This game was left before its first hand: there is nothing to show.",
    onlyOwn: "this page alone opens only replay pages; for other formats start ump serve, or use ump convert --to html",
    kyoku: "Kyoku", game: "Game", first: "Previous kyoku", back: "Step back", forward: "Step on", last: "Next kyoku",
    play: "Play", speed: "Seconds for each step", openHands: "All hands", joined: "Draw and discard in one step",
    marks: "Marks", hidden: "No spoilers", rounds: "Rounds", nextDecision: "Next decision", keys: "Keys",
    view: "Seat", shanten: (number) => `${number}-shanten`, complete: "complete", furiten: "furiten", tenpai: "tenpai",
    waits: (tiles, left) => `waits ${tiles} (${left} left)`, offered: "could", chose: "did", refusedAll: "passed",
    danger: "These tiles would deal in:", step: (n, most) => `Event ${n} of ${most}`, event: (n) => `Event ${n}`,
    points: "Points", result: "Result", drawGame: "Draw", wins: (name, from) => (from ? `${name} wins from ${from}` : `${name} wins by tsumo`),
    worth: (fan, fu, points) => stated([fan, " han"], [fu, " fu"], [points, " points"]).join(", "), end: "The game is over", close: "Close",
    remark: { log: "says", refused: "answer refused", late: "answered too late", default: "default played" },
    acts: {
      start_kyoku: "deal", tsumo: "draws", dahai: "discards", chi: "chi", pon: "pon", daiminkan: "kan", ankan: "closed kan",
      kakan: "added kan", kita: "north aside", nukidora: "north aside", dora: "new dora", reach: "riichi", reach_accepted: "pays the stick",
      hora: "wins", ryukyoku: "nine terminals", end_kyoku: "end of the kyoku",
    },
    help: [["← → wheel", "step"], ["↑ ↓", "decision of the seat"], ["PgUp PgDn", "kyoku"], ["Space", "play"], ["1-4", "seat"],
      ["O", "all hands"], ["J", "draw and discard together"], ["M", "marks"], ["Z", "no spoilers"], ["R", "rounds"], ["N P", "next, previous mistake of the review"]],
  },
  ja: {
    title: "牌譜", playOn: "ここから打つ", toDrills: "問題に戻る", drop: "牌譜をここにドロップするか、ファイルを選んでください(journal、mjai、tenhou.net/6、mjlog、paipu)。",
    dropOwn: "牌譜ページをドロップするか選んでください。他の形式にはサーバー(ump serve)が必要です。",
    choose: "ファイルを選ぶ", loading: "読み込み中",
    waiting: (ahead) => `順番を待っています(前に${ahead}件)`, failed: (why) => `この牌譜は表示できません: ${why}`,
    noKyoku: "この対局は最初の配牌の前に中断されたため、表示する局がありません。",
    onlyOwn: "このページだけでは牌譜ページしか開けません。他の形式は ump serve か ump convert --to html をお使いください",
    kyoku: "局", game: "対局", first: "前の局", back: "一つ戻る", forward: "一つ進む", last: "次の局",
    play: "再生", speed: "一手の秒数", openHands: "全員の手牌", joined: "ツモと打牌を一度に",
    marks: "印", hidden: "結果を隠す", rounds: "局一覧", nextDecision: "次の選択", keys: "キー",
    view: "視点", shanten: (number) => `${number}向聴`, complete: "和了形", furiten: "振聴", tenpai: "聴牌",
    waits: (tiles, left) => `待ち ${tiles} (残り${left})`, offered: "選択肢", chose: "選択", refusedAll: "見送り",
    danger: "放銃になる牌:", step: (n, most) => `${n} / ${most}`, event: (n) => `${n}`,
    points: "点数", result: "結果", drawGame: "流局", wins: (name, from) => (from ? `${name} ロン(${from})` : `${name} ツモ`),
    worth: (fan, fu, points) => stated([fan, "翻"], [fu, "符"], [points, "点"]).join(" "), end: "対局終了", close: "閉じる",
    remark: { log: "ログ", refused: "無効な応答", late: "時間切れの応答", default: "既定の動作" },
    acts: {
      start_kyoku: "配牌", tsumo: "ツモ", dahai: "打", chi: "チー", pon: "ポン", daiminkan: "カン", ankan: "暗槓", kakan: "加槓",
      kita: "北抜き", nukidora: "北抜き", dora: "新ドラ", reach: "リーチ", reach_accepted: "供託", hora: "和了", ryukyoku: "九種九牌", end_kyoku: "局終了",
    },
    help: [["← → ホイール", "一手"], ["↑ ↓", "視点の選択"], ["PgUp PgDn", "局"], ["Space", "再生"], ["1-4", "視点"],
      ["O", "全員の手牌"], ["J", "ツモと打牌を一度に"], ["M", "印"], ["Z", "結果を隠す"], ["R", "局一覧"], ["N P", "検討の次と前の悪手"]],
  },
  zh: {
    title: "牌谱", playOn: "从这里继续打", toDrills: "回到练习", drop: "把牌谱拖到这里,或选择文件(journal、mjai、tenhou.net/6、mjlog、paipu)。",
    dropOwn: "把牌谱页面拖到这里,或选择一个。其他格式需要服务器:ump serve。",
    choose: "选择文件", loading: "读取中",
    waiting: (ahead) => `正在排队(前面还有${ahead}个)`, failed: (why) => `无法显示此牌谱:${why}`,
    noKyoku: "这场对局在第一局开始前就被放弃,没有可以显示的内容。",
    onlyOwn: "此页面只能打开牌谱页面;其他格式请用 ump serve 或 ump convert --to html",
    kyoku: "局", game: "对局", first: "上一局", back: "后退", forward: "前进", last: "下一局",
    play: "播放", speed: "每步秒数", openHands: "所有手牌", joined: "摸切合为一步",
    marks: "标记", hidden: "不剧透", rounds: "各局", nextDecision: "下一个选择", keys: "按键",
    view: "视角", shanten: (number) => `${number}向听`, complete: "和牌形", furiten: "振听", tenpai: "听牌",
    waits: (tiles, left) => `听 ${tiles}(剩${left})`, offered: "可以", chose: "选择", refusedAll: "放弃",
    danger: "会放铳的牌:", step: (n, most) => `${n} / ${most}`, event: (n) => `${n}`,
    points: "点数", result: "结果", drawGame: "流局", wins: (name, from) => (from ? `${name} 荣和(${from})` : `${name} 自摸`),
    worth: (fan, fu, points) => stated([fan, "番"], [fu, "符"], [points, "点"]).join(" "), end: "对局结束", close: "关闭",
    remark: { log: "日志", refused: "无效回答", late: "超时回答", default: "默认动作" },
    acts: {
      start_kyoku: "配牌", tsumo: "摸", dahai: "打", chi: "吃", pon: "碰", daiminkan: "杠", ankan: "暗杠", kakan: "加杠",
      kita: "拔北", nukidora: "拔北", dora: "新宝牌", reach: "立直", reach_accepted: "立直棒", hora: "和", ryukyoku: "九种九牌", end_kyoku: "本局结束",
    },
    help: [["← → 滚轮", "一步"], ["↑ ↓", "该家的选择"], ["PgUp PgDn", "局"], ["Space", "播放"], ["1-4", "视角"],
      ["O", "所有手牌"], ["J", "摸切合为一步"], ["M", "标记"], ["Z", "不剧透"], ["R", "各局"], ["N P", "检讨的下一个、上一个失误"]],
  },
};

/** Returns what a record states of a win: numbers with their units, without those that it does not have. */
function stated(...pairs) {
  return pairs.filter(([number]) => number).map(([number, unit]) => `${number}${unit}`);
}
