// English words of the page of whoever keeps order. admin_ja.js and admin_zh.js have the same keys.

export const words = {
  noUsers: "This server has no users, so nobody can give orders here. Start it with --users, and give a user the role: ump users role NAME admin.",
  title: "Keeping order", logIn: "Log in",
  tables: "Tables", players: "Players", announce: "Announce", text: "To all who play, wait or watch", send: "Send",
  bans: "Bans", banNew: "Ban somebody", log: "Log of orders", older: "Older orders",
  banTitle: "Ban", target: "User, address or network", until: "Until (UTC)", reason: "Reason, which the user reads", ban: "Ban", cancel: "Cancel",
  untilNote: "Without a date a user is banned for good, an address for a week.",
  reports: "Reports", replay: "Replay", annul: "Annul game", annulSure: (game) => `Let ${game} not count for the ladder?`, annulled: (game) => `${game} does not count any more.`,
  restore: "Restore", restored: (game) => `${game} counts again.`, verdicts: { upheld: "Uphold", dismissed: "Dismiss" }, judged: (player) => `The report of ${player} is settled.`,
  reasons: { program: "plays with a program, or is one", collusion: "plays together with somebody", sabotage: "loses on purpose, or holds up the game", name: "offensive name" },
  upheldBefore: (count) => `upheld before: ${count}`,
  notCompared: "Not compared with programs yet, or too few discards.",
  likeness: (player, share, discards, games, [low, high]) => `Plays like the program ${player}: the same choice in ${share} % of ${discards} discards (${games === 1 ? "1 game" : `${games} games`}); people ${low} to ${high} %.`,
  oneIn: (count, isMost) => (isMost ? `Fewer than 1 in ${count} people are so like a program.` : `1 in ${count} people is so like a program.`),
  none: { reports: "No report waits for a verdict.", tables: "No game is being played.", players: "Nobody waits or plays.", bans: "Nobody is banned.", log: "No orders yet." },
  watch: "Watch", close: "End", closeSure: (table) => `End the game at ${table} without a result?`, closed: (table) => `The game at ${table} has ended.`,
  waits: "waits", guest: "guest", kick: "Remove", kickSure: (player) => `Remove ${player}? The game goes on without them.`, kicked: (player) => `${player} has been removed.`,
  banned: (target, count) => `${target} is banned; connections closed: ${count}.`, lift: "Lift", lifted: (target) => `${target} may come back.`,
  forGood: "for good", by: (name) => (name ? `by ${name}` : ""), via: { socket: "ump admin", http: "this page", command: "ump users" },
  told: (count) => (count === 1 ? "1 person was told." : `${count} were told.`),
};
