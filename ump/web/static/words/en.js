// English words of the pages. ja.js and zh.js have the same keys.

const NUMBERS = ["", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
const SUITS = { m: "characters", p: "circles", s: "bamboo" };
const HONOURS = { E: "east", S: "south", W: "west", N: "north", P: "white dragon", F: "green dragon", C: "red dragon" };

function tile(name) {
  if (name === "?") return "hidden tile";
  if (name in HONOURS) return HONOURS[name];
  return `${name.endsWith("r") ? "red " : ""}${NUMBERS[Number(name[0])]} ${SUITS[name[1]]}`;
}

const LIMITS = { 5: "mangan", 6: "haneman", 8: "baiman", 11: "sanbaiman", 13: "yakuman" };

export const words = {
  language: "en",
  languageName: "English",
  tile,
  states: { tsumogiri: "as drawn", called: "called", sideways: "riichi", last: "last discard", drawn: "drawn", tenpai: "leaves tenpai", furiten: "furiten" },
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
  switches: { win: "Win by itself", calls: "No calls", discard: "Discard what is drawn", hints: "Hints" },
  hint: (tile, waits, isFuriten) => `${tile === null ? "" : `${words.tile(tile)}: `}${isFuriten ? "furiten, " : ""}waits ${waits}`,
  shanten: (count) => (count ? `${count}-shanten` : "You hold every tile that would complete the hand."),
  furiten: "Furiten",
  noHints: "This room gives no hints.",
  unseen: (count) => `${count} left`,
  uma: "uma",
  letterKeys: "Letters are keys",
  welcome: "Riichi mahjong for people and bots",
  lobby: "Lobby",
  play: "Play",
  watch: "Watch",
  playAgain: "Play again",
  watching: "You are watching",
  yourName: "Your name",
  password: "Password, for users of this server",
  invitationCode: "Invitation code",
  forUsers: "For users",
  ladder: "Ladder",
  ratings: {
    room: (name) => `Room ${name}`,
    rounds: (games, every, next) => `${games} rated games. A round begins every ${words.ratings.span(every)}, the next at ${next}.`,
    span: (seconds) => (seconds % 60 ? `${seconds} s` : `${seconds / 60} min`),
    score: (rating, margin) => `Rating ${rating} ${margin}`,
    rating: "rating", games: "games", flags: "flags", fixed: "fixed", provisional: "provisional",
    builtin: (name) => `${name} (built-in)`,
    count: (games) => (games === 1 ? "1 game" : `${games} games`),
    legend: "±: half of the 95 % interval; ?: provisional, below 60 games.",
    flagLegend: "A flag is a reason for a person to look, not a verdict.",
    flag: (text) => `Flag: ${text}`,
    beside: {
      help: (other, games, excess) => `${excess} places better beside ${other} in ${games} games`,
      "deal-ins": (other, games, excess) => `deals in ${excess} points a game more to ${other} in ${games} games`,
      faults: (other, games, excess) => `${excess} faults a game more beside ${other} in ${games} games`,
    },
    change: (isAbove, since) => `plays ${isAbove ? "above" : "below"} its usual strength since ${since}`,
    graph: "Rating over time", noGraph: "The graph begins after a few games.", lastGames: "Last games",
    noRoom: "This server has no rated room.", noPlayer: "There is no such player.",
  },
  rooms: "Rooms",
  recentGames: "Recent games",
  noGames: "No game is over yet.",
  noRooms: "This server has no rooms.",
  rules: "Rules",
  tables: (count) => (count === 1 ? "1 table" : `${count} tables`),
  waiting: (names) => (names.length ? `waiting: ${names.join(", ")}` : "nobody waits"),
  time: (move, bank) => `${move} s a move, ${bank} s more a kyoku`,
  lengths: { kyoku: "one kyoku", tonpu: "east only", hanchan: "hanchan" },
  botsJoin: "Bots take the free seats.",
  openReplay: "Open a record",
  connecting: "Connecting …",
  waitingForPlayers: (there, needed) => `${there} of ${needed} players are here.`,
  lost: "The connection is lost. Trying again …",
  gone: "The server cannot be reached.",
  tryAgain: "Try again",
  gameOver: "The game is over",
  goOn: "Go on",
  draw: (reason) => ({
    fanpai: "Exhausted wall", kyushukyuhai: "Nine terminals", sufonrenta: "Four winds", suchareach: "Four riichi",
    sukaikan: "Four kans", sanchaho: "Three rons", nagashimangan: "Nagashi mangan", chombo: "Chombo",
  })[reason] ?? reason,
  win: (name, from) => (from === null ? `${name} wins by tsumo` : `${name} wins by ron from ${from}`),
  han: (count) => `${count} han`,
  value: (fu, fan) => {
    const limit = Object.entries(LIMITS).filter(([least]) => fan >= Number(least)).at(-1)?.[1];
    return `${fu ? `${fu} fu ` : ""}${fan} han${limit ? `, ${limit}` : ""}`;
  },
  place: (place) => ["1st", "2nd", "3rd", "4th"][place - 1],
  player: "player",
  change_: "change",
  score: "score",
  refused: (reason) => `The server refuses that: ${reason.replaceAll("_", " ")}.`,
  notInHand: (tile) => `There is no ${tile} in your hand.`,
  late: "Your time ran out; the server has answered for you.",
  error: (text) => `The server says: ${text}`,
  keys: "Keys",
  log: "Log",
  table: "Table",
  hand: "Your hand",
  actions: "What you may do",
  language_: "Language",
  keyHelp: [
    ["← →, End", "choose a tile"], ["Enter, Space", "discard it"], ["4z, 0m", "type a tile, then Enter"], ["R T", "ron, tsumo"], ["L", "riichi, then a tile"],
    ["C P K", "chi, pon, kan"], ["N", "set north aside"], ["Q", "nine terminals"], ["X, Esc", "pass"], ["A N G H", "win by itself, no calls, discard what is drawn, hints"], ["S D V B", "say scores, dora, rivers, everything"], ["?", "these keys"],
  ],
};
