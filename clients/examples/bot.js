#!/usr/bin/env node
// A UMP 0.1 bot that wins when it can and otherwise discards what it draws. Standard library only: copy it.
//   node bot.js localhost:19000 NAME
// The server speaks first. Each line is "<id> <command> [<argument> ...]"; an answer repeats the id of its question.
const net = require("net");

const [address = "localhost:19000", name = "node"] = process.argv.slice(2);
const colon = address.lastIndexOf(":");
const socket = net.connect(Number(address.slice(colon + 1)), address.slice(0, colon));
let drawn = "";
let names = [];
let greeted = false;
let over = false;

function fail(text) {
  console.error(text);
  process.exit(1);
}

function answer(command, words) {
  switch (command) {
    case "hello":
      return `hello ump=0.1 name=${encodeURIComponent(name)} _offer=1`;
    case "ready?":
      return "ok";
    case "sutehai?": // the legal actions follow: sute=1m2m tsumo richi=.. ankan=.. kakan=..
      return words.includes("tsumo") ? "tsumo" : `sute ${drawn} tsumogiri`;
    case "naku?": // the tile, then the legal actions: ron chi=2m3m pon=1m1m kan
      return words.includes("ron") ? "ron" : "no";
    case "tenpai?":
      return "yes";
    case "bye":
      over = true;
      return "bye";
  }
  return "";
}

function take(line) {
  const [id, command, ...words] = line.split(" ");
  if (!/^\d+$/.test(id) || !command) fail(`${address} does not speak UMP: ${line}`);
  greeted = true;
  if (command === "error") fail(`the server says: ${decodeURIComponent(words[0] || "")}`);
  if (command === "gamestart") names = words.slice(1).map(decodeURIComponent);
  if (command === "tsumo" && words.length === 3) drawn = words[2]; // only own draws show the tile
  if (command === "gameend") console.log(words.map((points, seat) => `${names[seat]} ${points}`).join(", "));
  const said = answer(command, words);
  if (said) socket.write(`${id} ${said}\r\n`);
}

let rest = "";
socket.setNoDelay(true);
socket.setEncoding("ascii");
socket.on("data", (data) => {
  const lines = (rest + data).split("\n");
  rest = lines.pop();
  for (const line of lines) if (line.trim()) take(line.trim());
});
socket.on("error", (error) => fail(`no connection to ${address}: ${error.message}`));
socket.on("close", () => (over ? process.exit(0) : fail("the server has closed the connection")));
setTimeout(() => greeted || fail(`${address} sends no hello; UMP is usually on port 19000`), 5000).unref();
