// A position without a record: what a seat has seen of one kyoku. A drill keeps it for the page of replays in the same tab.

const KEY = "ump-position";

/** Keeps the question of a drill as a game of one kyoku; returns the address at which the page of replays shows it. */
export function keepPosition({ kind, shown: { seat, events: [{ names }, ...events] } }, words) {
  const winds = names.map((name) => words.winds[{ East: "E", South: "S", West: "W", North: "N" }[name]]);
  const game = { version: 1, names: winds, rules: "", open: false, end: null, kyoku: [{ events }] };
  sessionStorage.setItem(KEY, JSON.stringify({ games: [game] }));
  return `/replay?drill=${kind}#k=0&n=${events.length - 1}&v=${"ABCD"[seat]}`;
}

/** Returns what was kept last in this tab, as the page of replays reads games; without any, there are no games. */
export const keptPosition = () => sessionStorage.getItem(KEY) ?? '{"games":[]}';
