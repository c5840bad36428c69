// English words of tables and replays. ja.js and zh.js have the same keys, site_en.js has those of the other pages.

const NUMBERS = ["", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
const SUITS = { m: "characters", p: "circles", s: "bamboo" };
const HONOURS = { E: "east", S: "south", W: "west", N: "north", P: "white dragon", F: "green dragon", C: "red dragon" };

function tile(name) {
  if (name === "?") return "hidden tile";
  if (name in HONOURS) return HONOURS[name];
  return `${name.endsWith("r") ? "red " : ""}${NUMBERS[Number(name[0])]} ${SUITS[name[1]]}`;
}

export const words = {
  language: "en",
  tile,
  states: { tsumogiri: "as drawn", called: "called", riichi: "riichi", last: "last discard", drawn: "drawn", tenpai: "leaves tenpai", furiten: "furiten", dora: "dora", safe: "safe" },
  winds: { E: "East", S: "South", W: "West", N: "North" },
  round: (wind, kyoku) => `${words.winds[wind]} ${kyoku}`,
  tilesLeft: (count) => `${count} tiles left`,
  sticks: (honba, kyotaku) => `honba\u00a0${honba}, sticks\u00a0${kyotaku}`,
  doraIndicators: "dora indicators",
  points: (points) => points.toLocaleString("en"),
  change: (points) => (points > 0 ? `+${words.points(points)}` : words.points(points)),
  seat: (name, wind, points, isRiichi) => `${words.winds[wind]}, ${name}, ${words.points(points)} points${isRiichi ? ", riichi" : ""}`,
  meld: (type) => ({ chi: "chi", pon: "pon", daiminkan: "open kan", kakan: "added kan", ankan: "closed kan" })[type],
  norths: (count) => `${count} norths set aside`,
  calls: {
    chi: "Chi", pon: "Pon", kan: "Kan", ron: "Ron", tsumo: "Tsumo", riichi: "Riichi", openriichi: "Open riichi", kita: "Kita",
    ryukyoku: "Nine terminals", pass: "Pass", tenpai: "Tenpai", noten: "Noten", yes: "Show hand", no: "Hide hand",
  },
  said: (name, call) => `${name}: ${call}`,
  discards: (wind, name) => `${words.winds[wind]} ${name}`,
  yourTurn: (drawn) => (drawn ? `Your turn. Drew ${tile(drawn)}.` : "Your turn."),
  yourCall: (name) => `You may call ${name}.`,
  seconds: (count) => `${count} s`,
  switches: { win: "Auto-win", calls: "No calls", discard: "Tsumogiri", sort: "Auto-sort" },
  hint: (tile, waits, isFuriten) => `${tile === null ? "" : `${words.tile(tile)}: `}${isFuriten ? "furiten, " : ""}waits ${waits}`,
  shanten: (count) => (count ? `${count}-shanten` : "You hold every tile that would complete the hand."),
  furiten: "Furiten",
  noHints: "This room gives no hints.",
  unseen: (count) => `${count} left`,
  letterKeys: "Letters are keys",
  lobby: "Lobby",
  playAgain: "Play again",
  watching: "You are watching",
  connecting: "Connecting …",
  waitingForPlayers: (there, needed) => `${there} of ${needed} players are here.`,
  lost: "The connection is lost. Trying again …",
  gone: "The server cannot be reached.",
  tryAgain: "Try again",
  gameOver: "Final standings",
  goOn: "Next hand",
  draw: (reason) => ({
    fanpai: "Exhaustive draw", kyushukyuhai: "Nine terminals", sufonrenta: "Four winds", suchareach: "Four riichi",
    sukaikan: "Four kans", sanchaho: "Three rons", nagashimangan: "Nagashi mangan", chombo: "Chombo",
  })[reason] ?? reason,
  han: (count) => `${count} han`,
  fuHan: (fu, han) => `${han} han ${fu} fu`,
  place: (place) => ["1st", "2nd", "3rd", "4th"][place - 1],
  yaku: {
    menzentsumo: "menzen tsumo", doubleriichi: "double riichi", openriichi: "open riichi", rinshankaihou: "rinshan kaihou",
    jikaze: "seat wind", bakaze: "round wind", haku: "white dragon", hatsu: "green dragon", chun: "red dragon",
    sanshokudoujun: "sanshoku doujun", sanshokudoukou: "sanshoku doukou", uradora: "ura dora", akadora: "red dora",
    suuankoutanki: "suuankou tanki", chuurenpoutou: "chuuren poutou", junseichuurenpoutou: "junsei chuuren poutou",
    kokushimusou: "kokushi musou", kokushimusou13: "kokushi musou, 13 waits",
  },
  sheet: {
    ron: (from) => `Ron from ${from}`, dora: "Dora", ura: "Ura", honba: "honba", sticks: "riichi sticks", you: "you",
    limits: { 2000: "mangan", 3000: "haneman", 4000: "baiman", 6000: "sanbaiman", 8000: "kazoe yakuman" },
    yakuman: (times) => (times === 1 ? "yakuman" : `${times}-fold yakuman`),
    points: (points) => points, each: (points) => `${points} all`, liable: (name) => `${name} is liable (pao).`,
    results: "Points, and results with uma and oka", replay: "Replay",
  },
  refused: (reason) => `That is not possible: ${words.reasons[reason] ?? reason}.`,
  notInHand: (tile) => `There is no ${tile} in your hand.`,
  late: "Your time ran out; the server has answered for you.",
  error: (text) => `The server says: ${text}`,
  serverSays: {},
  keys: "Keys",
  log: "Log",
  table: "Table",
  hand: "Your hand",
  actions: "What you may do",
  language_: "Language",
  keyHelp: [
    ["← →, End", "choose a tile"], ["Enter, Space", "discard it"], ["4z, 0m", "type a tile, then Enter"], ["R T", "ron, tsumo"], ["L", "riichi, then a tile; again to leave it"],
    ["C P K", "chi, pon, kan"], ["N", "set north aside"], ["Q", "nine terminals"], ["X, Esc", "pass"], ["A N G H", "auto-win, no calls, tsumogiri, hints"], ["S D V B", "say scores, dora, rivers, everything"], ["?", "these keys"],
  ],

  // The page of a table
  windLetters: { E: "E", S: "S", W: "W", N: "N" },
  left: "left",
  cancel: "Cancel riichi",
  drawers: { log: "Log", sound: "Sound", settings: "Settings", menu: "Menu", keys: "Keys", full: "Full screen", close: "Close" },
  settings: {
    table: "Table", felt: "Cloth", felts: { green: "green", blue: "blue", wine: "wine red", grey: "grey" }, tiles: "Tile faces", theme: "Page",
    rows: "Hand on a phone", play: "Play", discard: "Discard with", hints: "Hints: waits and furiten", safe: "Mark safe tiles", alike: "Highlight equal tiles",
    letters: "Letter keys", volume: "Volume", tick: "Tick in the last 5 s",
    values: {
      ivory: "Ivory", black: "Black", dark: "Dark", light: "Light", two: "Two rows", one: "One row", click: "One click",
      double: "Double click", drag: "Drag upwards",
    },
  },
  notDiscarded: {
    in_riichi: "in riichi only the drawn tile can be discarded.", not_tenpai: "without it the hand would not be tenpai.",
    kuikae: "it may not follow this call (kuikae).", other: "it may not be discarded now.",
  },
  waits: "Waits",
  seatKept: "Your seat is kept.",
  seats: {
    goesOn: (count) => (count === 1 ? "Your game goes on." : "Your games go on."), back: (game) => `Return to ${game}`, both: "Play one more game",
    leaveThem: (count) => (count === 1 ? "Leave that game, and play here" : "Leave those games, and play here"),
    elsewhere: "Your game goes on in another tab.", here: "Play here",
    leaving: "The game goes on. Your seat is kept for some time, and the lobby leads back to it.", stay: "Stay", keep: "To the lobby, keep my seat", giveUp: "Leave the game for good",
  },
  river: "Discards",
  automatic: "Automatic play",
  copyLink: "Copy the link",
  copied: "Copied",
  leave: "Leave",
  pause: "Pause",
  faster: "Faster",
  toLive: "To the live end",
  noGame: "No game is being played. The next one will be shown here.",
  reasons: {
    unreadable: "it was not understood", ambiguous: "there is more than one way", not_asked: "it does not answer this question",
    not_held: "the tiles are not in your hand", kuikae: "this tile may not follow the call (kuikae)", in_riichi: "you are in riichi",
    not_tenpai: "the hand would not be tenpai", not_closed: "the hand is open", too_few_points: "too few points for riichi",
    too_few_tiles: "too few tiles are left", not_complete: "the hand is not complete", no_yaku: "the hand has no yaku", furiten: "you are furiten",
    not_next: "chi is for the next player only", not_first: "this is not your first turn", too_few_kinds: "too few kinds of terminals and honours",
    too_many_kans: "there are four kans already", wait_changes: "this kan would change the waits", no_discard: "no tile could be discarded after it",
    not_in_ruleset: "the rules of this room do not allow it",
  },
};
