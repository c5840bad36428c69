// English words of tournaments. tournament_ja.js and tournament_zh.js have the same keys.

export const words = {
  none: "There is no such tournament.", list: "Tournaments", noList: "This server has no tournament.", wrongKey: "This link is not valid any more.",
  states: { draft: "not begun", running: "running", finished: "finished" },
  formats: { fixed: "fixed schedule", swiss: "Swiss", random: "by lot", list: "seating by the director" },
  rounds: (done, all) => `${done} of ${all} rounds`, players: (count) => `${count} players`, duplicate: "same walls at all tables",
  round: (number) => `Round ${number}`, table: (number) => `Table ${number}`,
  roundStates: { planned: "planned", published: "published", running: "running", done: "done" },
  tableStates: { ready: "not started", called: "begins when all are here", running: "plays", paused: "paused", done: "done" },
  watch: "Watch", replay: "Replay", bot: "a bot plays", plays: (name) => `${name} plays again`, by: (name) => `${name} plays`, here: "is here", attempt: (number) => `game ${number}`, voided: (reason) => `An earlier game does not count: ${reason}`,
  sit: "Take your seat", wait: "Your next table is shown here when the round is published.", waitHere: "Wait at the table",
  standings: "Standings", noRound: "No round is published yet.", name: "Player", total: "Total", places: ["1st", "2nd", "3rd", "4th"], points: "Points", best: "Best", penalty: "Penalty", withdrawn: "withdrawn",
  director: "Director", plan: (number) => `Plan round ${number}`, planAgain: "Plan anew", publish: (number) => `Publish round ${number}`, start: (number) => `Start round ${number}`, fill: "Start now, with bots for the missing", pause: "Pause all games", goOn: "Let all games go on", finish: "Finish the tournament",
  missing: (names) => `Missing: ${names}`, allHere: "All players are here.",
  startOne: "Start", fillOne: "Start with bots", pauseOne: "Pause", goOnOne: "Go on", voidOne: "Void, and play again", reason: "Reason", substitute: (name) => `Bot for ${name}`, orders: "Orders",
  time: "More time", seconds: "Seconds more in each hand", extra: (seconds) => `Each player has ${seconds} seconds more in each hand.`, reseat: "Change the seats",
  correct: "Correct the result", uncorrect: "Take the correction back", corrected: (reason) => `The result is corrected: ${reason}`, unvoid: (number) => `Let game ${number} count again`,
  byes: (names, result) => `No table in this round: ${names} (${result})`, rests: (names) => `These players pause: ${names}`, readmit: "Let back in", missed: "Points for each missed round", log: "Orders so far",
  add: "Add a player", kinds: { guest: "guest with a code", user: "user of the server", bot: "built-in bot" }, added: (name, code) => `${name}: code ${code}`, link: "Link for this player",
  withdraw: "Withdraw", penalise: "Penalty", tenths: "Points", who: "Player", penalties: "Penalties", revoked: "revoked", revoke: "Revoke",
  export: "Export", commitment: "Commitment to all walls and lots", secret: "Secret of all walls and lots",
};
