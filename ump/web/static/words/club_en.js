// English words of seats that are kept, and of tables among friends. club_ja.js and club_zh.js have the same keys.

export const words = {
  seats: {
    goesOn: (count) => (count === 1 ? "Your game goes on." : "Your games go on."), back: (game) => `Return to ${game}`, both: "Play one more game",
    leaveThem: (count) => (count === 1 ? "Leave that game, and play here" : "Leave those games, and play here"),
    leaving: "The game goes on. Your seat is kept for some time, and the lobby leads back to it.", stay: "Stay", keep: "To the lobby, keep my seat", giveUp: "Leave the game for good",
  },
  company: {
    watching: (count) => (count === 1 ? "1 spectator" : `${count} spectators`), mute: "Show no phrases of others",
    phrases: ["Hello!", "Good luck!", "Nice hand!", "Well played!", "Thank you!", "Sorry!", "Oops!", "Wow!", "That was close!", "One moment, please.", "Good game!", "See you!"],
  },
  again: { play: "Play again with these people", join: (names) => `${names} waits: play again` },
  rated: { rating: "Rating", counting: "The rating is being counted …", later: "The rating counts this game in the next round." },
  report: {
    title: "Report a player", player: "Player", choose: "choose", reason: "Reason", send: "Report", close: "Close", thanks: "Thank you. A moderator will look at your report.",
    reasons: { program: "plays with a program, or is one", collusion: "plays together with somebody", sabotage: "loses on purpose, or holds up the game", name: "offensive name" },
    note: "A moderator looks at the whole game. You may report ten players a day.",
  },
  friends: {
    title: "Table among friends", invites: (name) => `${name} invites you`, name: "Your name", sit: "Sit down", watch: "Watch", full: "All seats are taken.",
    playing: "A game goes on; you play in the next one.", free: "free seat", you: "you", code: "Code", link: "Link for friends", kick: (name) => `Remove ${name}`,
    states: { host: "host", ready: "ready", here: "here", away: "away" },
    start: "Start", ready: "Ready", notReady: "Not ready", again: "Play again", close: "Close table", leave: "Leave", sameAgain: "Make the same table again",
    begins: (seconds) => `The game begins in ${seconds} s.`, waitForHost: "The host begins the game.", askAgain: "The next game begins when all want it.",
    startWithBots: "Start when your friends are here; bots take the free seats.", startNow: "All are here.", needsAll: (seats) => `The game begins with ${seats} players.`,
    lengths: { kyoku: "one hand", tonpu: "east round", hanchan: "east and south" }, clock: (clock) => `${clock.replace("+", " + ")} s`,
    bots: "with bots", noBots: "without bots", watchers: "may be watched", noWatchers: "no spectators",
  },
};
