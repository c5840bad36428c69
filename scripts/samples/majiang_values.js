// Replays games on the board of @kobalab/majiang-core, compares its scores with each deal, and values every win.
// Arguments: files with {rule, paipu}. Prints the numbers of kyoku, of wins, and of wins that its
// rule object cannot express: renhou, and other shares of a liable player; any other difference ends it with status 1.
"use strict";
const { readFileSync } = require("fs");
const Majiang = require("@kobalab/majiang-core");

const PLACES = { "ダブル立直": ["lizhi", 2], "立直": ["lizhi", 1], "一発": ["yifa", true], "槍槓": ["qianggang", true],
  "嶺上開花": ["lingshang", true], "海底摸月": ["haidi", 1], "河底撈魚": ["haidi", 2], "天和": ["tianhu", 1], "地和": ["tianhu", 2] };

let kyokuCount = 0, wins = 0, beyond = 0;

function differ(file, what, ours, theirs) {
  throw new Error(`${file}, kyoku ${kyokuCount}: ${what}: ${JSON.stringify(ours)}, majiang-core ${JSON.stringify(theirs)}`);
}

function value(rule, board, content, indicators, isFirst) {   // what majiang-core makes of the hand that has won
  const hand = Majiang.Shoupai.fromString(content.shoupai), tile = hand._zimo;
  let won = null;
  if (content.baojia !== null) {
    hand.dapai(tile, false);
    won = tile + "_+=-"[(4 + content.baojia - content.l) % 4];
  }
  const given = {};
  for (const { name } of content.hupai) if (PLACES[name]) given[PLACES[name][0]] = PLACES[name][1];
  return Majiang.Util.hule(hand, won, Majiang.Util.hule_param({
    rule, zhuangfeng: board.zhuangfeng, menfeng: content.l, ...given, baopai: indicators, fubaopai: content.fubaopai,
    changbang: isFirst ? board.changbang : 0, lizhibang: isFirst ? board.lizhibang : 0,
  }));
}

function replay(file) {
  const { rule, paipu } = JSON.parse(readFileSync(file));
  const board = new Majiang.Board(paipu);
  for (const kyoku of paipu.log) {
    kyokuCount++;
    let indicators = [], isFirst = true;
    for (const entry of kyoku) {
      const [type, content] = Object.entries(entry)[0];
      if (type == "qipai") {
        if (kyoku != paipu.log[0]) {
          board.last();
          const scores = content.defen.map((_, l) => board.defen[(paipu.qijia + content.jushu + l) % 4]);
          if ("" + scores != "" + content.defen) differ(file, "scores", content.defen, scores);
        }
        indicators = [content.baopai];
      }
      if (type == "kaigang") indicators.push(content.baopai);
      if (type == "hule") {
        const found = value(rule, board, content, indicators, isFirst);
        for (const key of ["fu", "fanshu", "damanguan", "defen", "fenpei"])
          if ("" + found[key] == "" + content[key] || (key == "fu" && found.damanguan)) continue;
          else if (content.hupai.some(({ name }) => name == "人和")) { beyond++; break; }
          else if (key == "fenpei" && content.hupai.some(({ baojia }) => baojia)) beyond++;
          else differ(file, key, [content[key], content], found);
        wins++;
        isFirst = false;
      }
      board[type == "gangzimo" ? "zimo" : type](content);
    }
  }
}

process.argv.slice(2).forEach(replay);
console.log(kyokuCount, wins, beyond);
