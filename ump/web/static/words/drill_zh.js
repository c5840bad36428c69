// 练习的中文。键与 drill_en.js 相同。

const points = (count) => count.toLocaleString("zh");
const percent = (share) => `${(100 * share).toFixed(1)}%`;

export const words = {
  title: "练习", all: "学习", loading: "加载中…", kindsTitle: "种类", you: "你", unrated: "尚无等级分",
  kinds: { discard: "最佳打牌", waits: "听牌", furiten: "振听?", points: "点数", safest: "最安全的牌", push: "攻守", call: "鸣牌与否", mistake: "自己的失误" },
  about: { discard: "有效牌最多", waits: "点出所有听的牌", furiten: "是或否", points: "番、符、点", safest: "面对立直", push: "进攻还是弃和", call: "吃、碰或跳过", mistake: "自己对局中的局面" },
  ask: {
    discard: "打哪张留下的有效牌最多?", waits: "哪些牌能和?请全部点出。", furiten: "这手牌振听吗?",
    points: "这个和牌值多少?", safest: "打哪张最安全?", push: "进攻还是弃和?", call: "鸣牌还是跳过?", mistake: "这里有损失。怎样更好?",
  },
  own: "自己的失误", due: () => "个局面今天要复习。", repeat: "复习",
  noneDue: (waiting) => (waiting ? `今天没有要复习的。还有${waiting}个局面在等待。` : "在“我的对局”里打开一局,或打开牌谱,检讨后保存失误:它们会回到这里。"),
  hand: "手牌", river: "自己的弃牌", indicator: "指示牌", uraIndicator: "里指示牌", choices: "答案", tiles: "牌",
  place: (bakaze, wind) => `${bakaze}场 · 自风${wind}`, turn: (turn) => `第${turn}巡`, riichi: "立直", ron: "荣和", tsumo: "自摸",
  yes: "是", no: "否", push: "进攻", fold: "弃和", check: "回答", giveUp: "看答案", next: "下一题", keys: "按键:方向键或如 4z 的牌,Enter;数字选答案",
  difficulty: (rating) => `本题:${rating}`, notCounted: "这题以前答过,不改变等级分。",
  isRight: "正确", isWrong: "不是最好的", isFalse: "错误", change: (from, to) => `${from} → ${to}`, last: (right, count) => `最近${count}题:答对${right}`,
  fullStop: "。", or: "或", and: "、",
  leaves: (count, kinds) => ` 留下${kinds}种${count}张有效牌`, leavesToo: (count) => ` 留下${count}张`, farther: (shanten) => (shanten ? ` 退回${shanten}向听` : " 仍然听牌"),
  waitsFor: (count) => ` 可以和:还剩${count}张。`, waitsForOne: (count) => ` 可以和:还剩${count}张。`, missed: "漏掉:", notWait: "不是听的牌:",
  inRiver: " 在牌河里:任何听牌都不能荣和。", notInRiver: "听的牌都不在牌河里:",
  worth: (han, fu, paid) => `${han}番${fu}符:${paid}。`, option: (han, fu) => `${han}番${fu}符`, paid: (text) => text.replace(/\d+/g, (count) => points(Number(count))).replace(" all", " 每家"),
  isSafe: " 是安全的", dealsIn: (risk) => ` 放铳率${percent(risk)}`, safe: "安全", risk: percent,
  better: (count) => ` 多值${points(count)}点`, isBest: "最好", best: "最好", less: (count) => `−${points(count)}`, deals: (risk) => `放铳 ${percent(risk)}`, wins: (share) => `和牌 ${percent(share)}`,
  played: "你当时:", lost: (count) => `,损失${points(count)}点。`, useful: (count) => `${count}张`, left: (count) => `×${count}`, shanten: (count) => (count ? `${count}向听` : "听牌"),
  han: (count) => `${count}番`, fu: (count) => `${count}符`,
  comesBack: (days) => (days === 1 ? "明天再来。" : `${days}天后再来。`), done: "连对五次:完成。", leaveOut: "去掉", leftOut: "不再出现。",
  atTable: "在牌桌上看", report: "报告", reported: "谢谢。若其他人也这样认为,就不再出这题。",
  timed: "三分钟", timedLead: "答得越多越好", clock: (seconds) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`, stop: "结束",
  timeUp: (right, count) => `时间到:${count}题中答对${right}题。`, again: "再做答错的题", allRight: "没有答错。", back: "不计时继续",
  forget: "删除我的全部练习", sure: "等级分、答案和自己的失误都会删除。继续吗?",
  untilStop: "本服务器不保存:进度只到服务器停止为止。", noDrill: "现在没有这样的题。", nothingDue: "今天没有要复习的了。",
  keep: "保存我的失误", keeping: "正在找失误 …", kept: (found, fresh) => (found === 0 ? "没有两位检讨者一致的失误。" : fresh === 0 ? "已经保存过了。" : `保存了${fresh}个:从明天起出现在`), keptWhere: "练习", keepFailed: "没有保存:",
  fuReasons: {
    base: "底符", tsumo: "自摸", hand_without_fu: "副露平和形", valued_pair: "役牌雀头", double_valued_pair: "连风牌雀头", pair_wait: "单骑听", kanchan: "坎张听",
    penchan: "边张听", open_pon: "中张明刻", closed_pon: "中张暗刻", open_terminal_pon: "幺九明刻", closed_terminal_pon: "幺九暗刻", open_kan: "中张明杠", closed_kan: "中张暗杠",
    open_terminal_kan: "幺九明杠", closed_terminal_kan: "幺九暗杠",
  },
};
