// Japanese words of the pages, with the keys of en.js.

const NUMBERS = ["", "一", "二", "三", "四", "五", "六", "七", "八", "九"];
const SUITS = { m: "萬", p: "筒", s: "索" };
const HONOURS = { E: "東", S: "南", W: "西", N: "北", P: "白", F: "發", C: "中" };

function tile(name) {
  if (name === "?") return "伏せ牌";
  if (name in HONOURS) return HONOURS[name];
  return `${name.endsWith("r") ? "赤" : ""}${NUMBERS[Number(name[0])]}${SUITS[name[1]]}`;
}

const LIMITS = { 5: "満貫", 6: "跳満", 8: "倍満", 11: "三倍満", 13: "役満" };

export const words = {
  language: "ja",
  languageName: "日本語",
  tile,
  states: { tsumogiri: "ツモ切り", called: "鳴かれた牌", sideways: "リーチ", last: "直前の打牌", drawn: "ツモ牌", tenpai: "切るとテンパイ", furiten: "フリテン" },
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
    ryukyoku: "九種九牌", pass: "パス", tenpai: "テンパイ", noten: "ノーテン", yes: "手牌を見せる", no: "伏せる",
  },
  said: (name, call) => `${name}：${call}`,
  discards: (wind, name) => `${words.winds[wind]} ${name}`,
  yourTurn: (drawn) => (drawn ? `あなたの番です。ツモ ${tile(drawn)}。` : "あなたの番です。"),
  yourCall: (name) => `鳴けます：${name}`,
  seconds: (count) => `${count}秒`,
  switches: { win: "自動和了", calls: "鳴きなし", discard: "ツモ切り", hints: "ヒント" },
  hint: (tile, waits, isFuriten) => `${tile === null ? "" : `打${words.tile(tile)}：`}${isFuriten ? "フリテン、" : ""}待ち ${waits}`,
  shanten: (count) => (count ? `${count}向聴` : "和了牌はすべて自分の手の内です。"),
  furiten: "フリテン",
  noHints: "このルームにヒントはありません。",
  unseen: (count) => `残り${count}枚`,
  uma: "ウマ",
  letterKeys: "文字キーを使う",
  welcome: "人とボットのリーチ麻雀",
  lobby: "ロビー",
  play: "対局する",
  watch: "観戦する",
  playAgain: "もう一局",
  watching: "観戦中",
  yourName: "名前",
  password: "パスワード(登録者のみ)",
  invitationCode: "招待コード",
  forUsers: "登録者のみ",
  ladder: "ランキング",
  ratings: {
    room: (name) => `ルーム ${name}`,
    rounds: (games, every, next) => `レート戦 ${games}局。${words.ratings.span(every)}ごとに組み合わせ、次は${next}。`,
    span: (seconds) => (seconds % 60 ? `${seconds}秒` : `${seconds / 60}分`),
    score: (rating, margin) => `レート ${rating} ${margin}`,
    rating: "レート", games: "対局数", flags: "要確認", fixed: "固定", provisional: "暫定",
    builtin: (name) => `${name}(内蔵)`,
    count: (games) => `${games}局`,
    legend: "±:95%区間の半分、?:暫定(60局未満)。",
    flagLegend: "要確認は人が牌譜を見るための印で、判定ではありません。",
    flag: (text) => `要確認:${text}`,
    beside: {
      help: (other, games, excess) => `${other}と同卓の${games}局で順位が${excess}上がる`,
      "deal-ins": (other, games, excess) => `${other}への放銃が${games}局で1局あたり${excess}点多い`,
      faults: (other, games, excess) => `${other}と同卓の${games}局で失敗が1局あたり${excess}回多い`,
    },
    change: (isAbove, since) => `${since}以降いつもより${isAbove ? "強い" : "弱い"}`,
    graph: "レートの推移", noGraph: "グラフは数局後から表示します。", lastGames: "最近の対局",
    noRoom: "このサーバーにレート戦のルームはありません。", noPlayer: "そのプレイヤーはいません。",
  },
  rooms: "部屋",
  recentGames: "最近の対局",
  noGames: "終了した対局はまだありません。",
  noRooms: "部屋がありません。",
  rules: "ルール",
  tables: (count) => `${count}卓`,
  waiting: (names) => (names.length ? `待機：${names.join("、")}` : "待機なし"),
  time: (move, bank) => `1手${move}秒＋1局${bank}秒`,
  lengths: { kyoku: "一局", tonpu: "東風戦", hanchan: "半荘戦" },
  botsJoin: "空席にはボットが座ります。",
  openReplay: "牌譜を開く",
  connecting: "接続中…",
  waitingForPlayers: (there, needed) => `${needed}人中${there}人が着席しています。`,
  lost: "接続が切れました。再接続中…",
  gone: "サーバーに接続できません。",
  tryAgain: "再接続",
  gameOver: "対局終了",
  goOn: "次へ",
  draw: (reason) => ({
    fanpai: "荒牌平局", kyushukyuhai: "九種九牌", sufonrenta: "四風連打", suchareach: "四家立直",
    sukaikan: "四開槓", sanchaho: "三家和", nagashimangan: "流し満貫", chombo: "チョンボ",
  })[reason] ?? reason,
  win: (name, from) => (from === null ? `${name} ツモ和了` : `${name} ロン和了（放銃 ${from}）`),
  han: (count) => `${count}翻`,
  value: (fu, fan) => {
    const limit = Object.entries(LIMITS).filter(([least]) => fan >= Number(least)).at(-1)?.[1];
    return `${fu ? `${fu}符` : ""}${fan}翻${limit ? ` ${limit}` : ""}`;
  },
  place: (place) => `${place}位`,
  player: "プレイヤー",
  change_: "増減",
  score: "点数",
  refused: (reason) => `その操作はできません（${reason}）。`,
  notInHand: (tile) => `手牌に${tile}はありません。`,
  late: "時間切れのため、サーバーが代わりに答えました。",
  error: (text) => `サーバーからのエラー：${text}`,
  keys: "キー操作",
  log: "経過",
  table: "卓",
  hand: "手牌",
  actions: "できること",
  language_: "言語",
  keyHelp: [
    ["← →, End", "牌を選ぶ"], ["Enter, Space", "切る"], ["4z, 0m", "牌を入力し、Enter"], ["R T", "ロン、ツモ"], ["L", "リーチ、続いて牌"],
    ["C P K", "チー、ポン、カン"], ["N", "北抜き"], ["Q", "九種九牌"], ["X, Esc", "パス"], ["A N G H", "自動和了、鳴きなし、ツモ切り、ヒント"], ["S D V B", "点数、ドラ、河、全体を読み上げる"], ["?", "この一覧"],
  ],
};
