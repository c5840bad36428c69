// English words of the course. {123m} are tiles. lessons_ja.js and lessons_zh.js have the same keys.

export const words = {
  page: {
    text: "The game in ten minutes, in one text",
    title: "Learn riichi in sixteen short lessons", lead: "Three minutes each, on the table of the game. No account is needed: this browser keeps your place.",
    lessons: "lessons", begin: "Begin with the tiles", goOn: (title) => `Go on: ${title}`, done: "done", lesson: "Lesson", task: "Task", all: "All lessons",
    place: (lesson, task, count) => `Lesson ${lesson} · ${task} of ${count}`, tiles: "Tiles", check: "Check", next: "Next", nextLesson: (title) => `Next: ${title}`,
    sit: "Sit down", wrong: "✗ Not right.", answer: "The answer:", or: "or", discard: "Discard", noTable: "The server has no table for you now. Try again later.",
  },
  names: ["You", "Right", "Opposite", "Left"],
  groups: { hand: "The hand", win: "To win", value: "Value and traps", others: "The others" },
  options: { yes: "Yes", no: "No", ron: "ron", tsumo: "tsumo", river: "own discards:", dora: "indicator:" },
  lessons: {
    tiles: {
      title: "The tiles", before: "Three suits go from 1 to 9: characters {1m5m9m}, circles {1p5p9p} and bamboo {1s5s9s}. Winds {1234z} and dragons {567z} are honours. There are four of each tile.",
      tasks: [
        { ask: "Tap every honour.", right: "Honours have no numbers, so they never make a run.", wrong: "Honours belong to no suit: the winds {1234z} and the dragons {567z}." },
        { ask: "Tap every 1 and every 9. These are the terminals.", right: "A terminal has a neighbour on one side only.", wrong: "Look for the lowest and the highest number of each suit." },
        { ask: "A run is three numbers in a row of one suit. Tap every tile that makes a run with {67p}.", right: "Below {67p} it is {5p}, above it is {8p}.", wrong: "Only circles fit, and only those next to {67p}." },
      ],
    },
    shape: {
      title: "Four sets and a pair", before: "You hold thirteen tiles, draw one and discard one. Fourteen tiles win when they are four sets and a pair. A set is a run like {234m}, or three of a kind like {555s}.",
      tasks: [
        { ask: "One tile is missing. Tap every tile that completes the hand.", right: "One pair becomes three of a kind, the other one stays the pair.", wrong: "Three sets are finished: {234m}, {678p}, {555s}. What do {11p} and {77z} need?" },
        { ask: "This hand is complete. Tap its pair.", right: "{55p} is the pair, and {678p} is a run.", wrong: "Take away the runs and the three of a kind." },
        { ask: "Which of these hands have won?", right: "Seven different pairs win, too.", wrong: "Look for four sets and a pair, or for seven different pairs." },
      ],
    },
    waits: {
      title: "One tile away", before: "A hand that lacks one tile is tenpai. The tiles that complete it are its waits.", wrong: "Take away the finished sets and the pair. What does the rest need?",
      tasks: [
        { ask: "Tap every wait.", right: "{23s} waits at both ends: for eight tiles." },
        { ask: "Tap every wait.", right: "{46s} waits for the middle: for four tiles." },
        { ask: "Tap every wait.", right: "Two pairs: each of them may become three of a kind. That is four tiles." },
        { ask: "Tap every wait.", right: "{34567m} has three waits: it is a run and two tiles, in more than one way." },
      ],
    },
    discard: {
      title: "What to discard", before: "Keep tiles that touch each other, and discard those that stand alone. The more tiles help, the faster the hand.", wrong: "After another discard more tiles would help.",
      tasks: [
        { ask: "Which discard leaves the most tiles that help?", right: "A lone wind makes no run, so it goes first." },
        { ask: "Which discard leaves the most tiles that help?", right: "{34s} waits for {25s}, eight tiles. {46s} would wait for four." },
        { ask: "Which discard leaves the most tiles that help?", right: "{9m} touches nothing." },
        { ask: "Which discard leaves the most tiles that help?", right: "Even {12p}, which needs {3p}, is worth more than a lone honour." },
      ],
    },
    yaku: {
      title: "No yaku, no win", before: "A complete hand wins only with a yaku, a pattern that has a value. Riichi is one, for closed hands. A hand that has called needs another one.",
      tasks: [
        { ask: "These hands have called. Which of them may win?", right: "The second hand has no 1, 9 or honour: all simples. The third one has three red dragons.", wrong: "Look for three dragons, or for a hand without 1, 9 and honours." },
        { ask: "Nobody has declared riichi. Which of these hands may win?", right: "To draw the winning tile with a closed hand is a yaku by itself.", wrong: "On a discard this complete hand has no yaku." },
      ],
    },
    riichi: {
      title: "Riichi", before: "With a closed hand that is tenpai you may declare riichi. You pay 1,000 points, the hand stays as it is, and it has a yaku.",
      tasks: [
        { ask: "Your draw makes the hand tenpai without {9m}. Declare riichi with it.", right: "From now on you discard what you draw, until somebody wins.", wrong: "Press Riichi, and then {9m}." },
        { ask: "One turn later you have drawn {2p}. Win!", right: "Riichi, a win within one turn, tsumo, pinfu and all simples: five han, 4,000 points from each.", wrong: "Tsumo is the button for a win by your own draw." },
      ],
    },
    calls: {
      title: "Chi and pon", before: "You may take a tile that somebody has just discarded. Pon makes three of a kind, from anybody. Chi makes a run, from the player on your left only.",
      tasks: [
        { ask: "Right discards {6z}, and you hold two. Take it.", right: "Three dragons are a yaku in every hand.", wrong: "Press Pon." },
        { ask: "Left discards {3m}, and you hold {24m}. Make a run.", right: "What you have called lies open. This hand can no longer declare riichi.", wrong: "Press Chi." },
        { ask: "Right discards {3m}, and you hold {24m}. May you chi?", right: "You may chi only what the player on your left discards.", wrong: "Look who has discarded it." },
      ],
    },
    open: {
      title: "Yaku for open hands", before: "Two yaku make most open hands: three of a dragon, of your own wind or of the round's; and all simples, a hand without 1, 9 and honours.",
      tasks: [
        { ask: "Right discards {7z}. Call it, or pass?", right: "Now the hand has its yaku, whatever comes.", wrong: "Three red dragons would be a yaku." },
        { ask: "Left discards {1s}. All your tiles are simples. Call it, or pass?", right: "With {1s} the hand would have no yaku.", wrong: "Which yaku would the hand have after this call?" },
      ],
    },
    dora: {
      title: "Dora", before: "The indicator shows the tile before the dora. Each dora in a winning hand is a han, and so is each red five {0p}. Dora are no yaku: they only make a win bigger.", wrong: "It is the next tile of the same kind. After the last one comes the first.",
      tasks: [
        { ask: "Tap the dora.", right: "After {4p} comes {5p}." },
        { ask: "Tap the dora.", right: "After 9 comes 1." },
        { ask: "The winds go round: east, south, west, north. Tap the dora.", right: "After north comes east." },
        { ask: "The dragons go round, too: white, green, red. Tap the dora.", right: "After red comes white." },
        { ask: "How many han do the dora of this hand count?", right: "Three tiles are {5p}, and one of them is also red: four han. They lift a riichi from 3,900 points to 12,000.", wrong: "Count each {5p}, and the red one twice." },
      ],
    },
    furiten: {
      title: "Furiten", before: "If one of your waits lies among your own discards, you are furiten: you cannot win on any discard, not even on another wait. Your own draw still wins.",
      tasks: [
        { ask: "Which of these hands are furiten?", right: "One wait among the own discards is enough.", wrong: "Find all waits first. Is one of them among the own discards?" },
        { ask: "Right discards {4s}. What now?", right: "You wait for {14s}, and have discarded neither.", wrong: "You wait for {14s}, and have discarded neither." },
        { ask: "You have discarded {1s}. Now Right has discarded {4s}. May you win?", right: "{1s} is one of your waits. You can still draw {1s} or {4s} yourself.", wrong: "You wait for {14s}. Look at your own discards." },
        { ask: "You have discarded {2p} before. Stay tenpai without furiten.", right: "{46p} waits for {5p} alone. {34p} would wait for {25p}, and {2p} is discarded.", wrong: "With that discard the hand is furiten, or not tenpai." },
      ],
    },
    passing: {
      title: "A win that you let pass", before: "If you let a winning tile pass, you are furiten until your next draw. In riichi it lasts until the hand ends.",
      tasks: [
        { ask: "You have let the {4s} of Right pass. Then Opposite has discarded {1s}. May you win?", right: "You have not drawn since then.", wrong: "You have passed, and not drawn since." },
        { ask: "You have drawn and discarded {9m}. Now Right discards another {4s}. What now?", right: "With your draw it was over, so you may win again.", wrong: "You have drawn since you passed." },
      ],
    },
    points: {
      title: "What a hand is worth", before: "Han decide. One han is about 1,000 points, and each further one doubles it, up to a mangan of 8,000. The dealer gets half as much again. Fu, which count sets and waits, make small differences.", wrong: "Count the han first.",
      tasks: [
        { ask: "You win in riichi, and are not the dealer. How many points?", right: "Riichi and pinfu are 2 han. With 30 fu they are 2,000 points." },
        { ask: "You win in riichi, and are not the dealer. How many points?", right: "Riichi and three red dragons are 2 han, too. Three of a kind has more fu: 40, so 2,600 points." },
        { ask: "You win in riichi, and are not the dealer. How many points?", right: "Riichi, pinfu, all simples and two dora are 5 han: a mangan." },
        { ask: "The same hand, and you are the dealer. How many points?", right: "Half as much again: 12,000. From five han on nobody counts fu." },
      ],
    },
    defence: {
      title: "Somebody declares riichi", before: "A player in riichi waits for a win. If you are far from one, discard what this player has discarded, or what has passed since the riichi: nobody can win on that.",
      tasks: [
        { ask: "Right is in riichi. Discard a tile that is safe.", right: "On this tile Right cannot win: it would be furiten.", wrong: "Right could wait for this tile." },
        { ask: "Two tiles that are not safe: which one is less dangerous?", right: "A 1 is at the edge of a suit and fits fewer waits than a 5.", wrong: "Which of them fits fewer runs?" },
      ],
    },
    push: {
      title: "Push or fold", before: "Ask three things: how far is my hand, how much is it worth, and how dangerous is the tile? Tenpai with a big hand is worth a risk. A cheap hand that is far away is not.",
      tasks: [
        { ask: "Right is in riichi. Your hand is tenpai without {1m}, and is worth a lot.", right: "Tenpai with all simples, two dora and a red five: go on.", wrong: "Stay tenpai, and keep all simples." },
        { ask: "Right is in riichi. Your hand is far from a win.", right: "Give the hand up, and discard safe tiles from now on.", wrong: "That risks points for a hand that hardly wins." },
      ],
    },
    end: {
      title: "The end of a hand", before: "When the wall is empty, those who are not tenpai pay 3,000 points in all to those who are. The dealer deals again after a win or tenpai of their own; otherwise the next player deals.", wrong: "3,000 points come in, and all who are tenpai share them.",
      tasks: [
        { ask: "Only you are tenpai. How many points do you get?", right: "The three others pay 1,000 each." },
        { ask: "Two are tenpai, and you are one of them. How many points do you get?", right: "Two pay 1,500 each, and two get 1,500 each." },
        { ask: "Three are tenpai, and you are one of them. How many points do you get?", right: "One player pays 1,000 to each of the three." },
      ],
    },
    first: {
      title: "Your first hand", before: "Play one hand against three bots that make mistakes. You are the dealer. The page shows how far your hand is, what it waits for, and in the menu, under Advice, the best answers.",
      wrong: "", right: "That was a hand of riichi. Quick match in the lobby finds you the next one.",
      tasks: [{ ask: "Play this hand to its end. A button comes when you can win." }],
    },
  },
};
