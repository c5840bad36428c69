// English words of the drills. {123m} are tiles. drill_ja.js and drill_zh.js have the same keys.

const points = (count) => count.toLocaleString("en");
const percent = (share) => `${(100 * share).toFixed(1)} %`;

export const words = {
  title: "Drills", all: "Learn", loading: "Loading…", kindsTitle: "Kinds", you: "you", unrated: "not rated yet",
  kinds: { discard: "Best discard", waits: "Waits", furiten: "Furiten?", points: "Points", safest: "Safest tile", push: "Push or fold", call: "Call or pass", mistake: "Own mistakes" },
  about: { discard: "most useful tiles", waits: "tap every wait", furiten: "yes or no", points: "han, fu, points", safest: "against a riichi", push: "go on or give up", call: "chi, pon or nothing", mistake: "positions of your games" },
  ask: {
    discard: "Which discard leaves the most useful tiles?", waits: "Which tiles complete the hand? Tap all of them.", furiten: "Is the hand furiten?",
    points: "What is this win worth?", safest: "Which discard is the safest?", push: "Push or fold?", call: "Call or pass?", mistake: "You lost points here. What is better?",
  },
  own: "Your own mistakes", due: (count) => (count === 1 ? "position of your games is due today." : "positions of your games are due today."), repeat: "Repeat them",
  noneDue: (waiting) => (waiting ? `Nothing is due today. ${waiting} wait for their day.` : "Open a game in My games or a record, let it be reviewed, and keep your mistakes: they come back here."),
  hand: "Your hand", river: "own discards", indicator: "indicator", uraIndicator: "ura indicator", choices: "Answers", tiles: "Tiles",
  place: (bakaze, wind) => `Round ${bakaze} · you ${wind}`, turn: (turn) => `turn ${turn}`, riichi: "riichi", ron: "ron", tsumo: "tsumo",
  yes: "Yes", no: "No", push: "Push", fold: "Fold", check: "Check", giveUp: "Show the answer", next: "Next", keys: "Keys: arrows or a tile as in 4z, Enter; numbers for answers",
  difficulty: (rating) => `This drill: ${rating}`, notCounted: "You have seen this one before: it does not change your rating.",
  isRight: "Right", isWrong: "Not the best one", isFalse: "Wrong", change: (from, to) => `${from} → ${to}`, last: (right, count) => `The last ${count}: ${right} right`,
  fullStop: ".", or: " or ", and: ", ",
  leaves: (count, kinds) => ` leaves ${count} useful ${count === 1 ? "tile" : "tiles"} of ${kinds} ${kinds === 1 ? "kind" : "kinds"}`, leavesToo: (count) => ` leaves ${count}`, farther: (shanten) => (shanten ? ` goes back to ${shanten}-shanten` : " stays tenpai"),
  waitsFor: (count) => ` complete it: ${count} tiles are left.`, waitsForOne: (count) => ` completes it: ${count} tiles are left.`, missed: "Missed: ", notWait: "No wait: ",
  inRiver: " lies in the river: no ron with any wait.", notInRiver: "None of its waits lies in the river: ",
  worth: (han, fu, paid) => `${han} han ${fu} fu: ${paid}.`, option: (han, fu) => `${han} han ${fu} fu`, paid: (text) => text.replace(/\d+/g, (count) => points(Number(count))).replace(" all", " from all"),
  isSafe: " is safe", dealsIn: (risk) => ` deals in ${percent(risk)} of the time`, safe: "safe", risk: percent,
  better: (count) => ` is worth ${points(count)} points more`, isBest: " is best", best: "best", less: (count) => `−${points(count)}`, deals: (risk) => `deals in ${percent(risk)}`, wins: (share) => `wins ${percent(share)}`,
  played: "You played ", lost: (count) => `: ${points(count)} points less.`, useful: (count) => (count === 1 ? "1 tile" : `${count} tiles`), left: (count) => `×${count}`, shanten: (count) => (count ? `${count}-shanten` : "tenpai"),
  han: (count) => `${count} han`, fu: (count) => `${count} fu`,
  comesBack: (days) => (days === 1 ? "It comes back tomorrow." : `It comes back in ${days} days.`), done: "Five times right: done.", leaveOut: "Leave it out", leftOut: "It comes back no more.",
  atTable: "Open at the table", report: "Report", reported: "Thank you. It is asked no more once others think so, too.",
  timed: "Three minutes", timedLead: "as many as you can", clock: (seconds) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`, stop: "End",
  timeUp: (right, count) => `Time is up: ${right} of ${count} right.`, again: "The wrong ones again", allRight: "Nothing was wrong.", back: "On without the clock",
  forget: "Forget all that I have practised", sure: "Ratings, answers and own mistakes are deleted. Go on?",
  untilStop: "This server keeps nothing: your progress lasts until it stops.", noDrill: "There is no such drill now.", nothingDue: "Nothing more is due today.",
  keep: "Keep my mistakes", keeping: "Looking for mistakes …", kept: (found, fresh) => (found === 0 ? "No mistake on which both reviewers agree." : fresh === 0 ? "They are kept already." : `${fresh} kept: ${fresh === 1 ? "it comes" : "they come"} back from tomorrow on, at `), keptWhere: "Drills", keepFailed: "Not kept:",
  fuReasons: {
    base: "winning", tsumo: "tsumo", hand_without_fu: "open hand without fu", valued_pair: "pair of an honour with a yaku",
    double_valued_pair: "pair of the seat and round wind", pair_wait: "wait for the pair", kanchan: "closed wait", penchan: "edge wait",
    open_pon: "open triplet of simples", closed_pon: "closed triplet of simples", open_terminal_pon: "open triplet of terminals or honours",
    closed_terminal_pon: "closed triplet of terminals or honours", open_kan: "open kan of simples", closed_kan: "closed kan of simples",
    open_terminal_kan: "open kan of terminals or honours", closed_terminal_kan: "closed kan of terminals or honours",
  },
};
