// 比赛的中文。各项与 tournament_en.js 相同。

export const words = {
  none: "没有这场比赛。", list: "比赛", noList: "此服务器没有比赛。", wrongKey: "此链接已失效。",
  states: { draft: "未开始", running: "进行中", finished: "已结束" },
  formats: { fixed: "固定赛程", swiss: "瑞士制", random: "抽签", list: "主办者排座" },
  rounds: (done, all) => `${all} 轮中已完成 ${done} 轮`, players: (count) => `${count} 人`, duplicate: "各桌牌山相同",
  round: (number) => `第 ${number} 轮`, table: (number) => `第 ${number} 桌`,
  roundStates: { planned: "已排座", published: "已公布", running: "进行中", done: "已结束" },
  tableStates: { ready: "未开始", called: "到齐即开始", running: "对局中", paused: "已暂停", done: "已结束" },
  watch: "观战", replay: "牌谱", bot: "机器人代打", plays: (name) => `${name} 自己上场`, by: (name) => `${name} 代打`, here: "已到", attempt: (number) => `第 ${number} 次`, voided: (reason) => `作废的对局：${reason}`,
  sit: "入座", wait: "公布座位后，你的下一桌会显示在这里。", waitHere: "到桌边等候",
  standings: "排名", noRound: "尚未公布座位。", name: "选手", total: "总分", places: ["一位", "二位", "三位", "四位"], points: "素点", best: "最佳", penalty: "罚分", withdrawn: "退赛",
  director: "主办者", plan: (number) => `排第 ${number} 轮座位`, planAgain: "重新排座", publish: (number) => `公布第 ${number} 轮`, start: (number) => `开始第 ${number} 轮`, fill: "立即开始，缺席者由机器人代打", pause: "全部暂停", goOn: "全部继续", finish: "结束比赛",
  missing: (names) => `缺席：${names}`, allHere: "选手已到齐。",
  startOne: "开始", fillOne: "加机器人开始", pauseOne: "暂停", goOnOne: "继续", voidOne: "作废并重打", reason: "理由", substitute: (name) => `机器人代替 ${name}`, orders: "操作",
  time: "加时", seconds: "每局增加的秒数", extra: (seconds) => `每位选手每局多 ${seconds} 秒。`, reseat: "更换座位",
  correct: "更正结果", uncorrect: "撤销更正", corrected: (reason) => `结果已更正：${reason}`, unvoid: (number) => `恢复第 ${number} 次对局`,
  byes: (names, result) => `本轮没有桌次：${names}（${result}）`, rests: (names) => `本轮休息：${names}`, readmit: "恢复参赛", missed: "每个缺席轮次的得分", log: "已执行的操作",
  add: "添加选手", kinds: { guest: "访客（凭代码）", user: "注册用户", bot: "内置机器人" }, added: (name, code) => `${name}：代码 ${code}`, link: "选手链接",
  withdraw: "退赛", penalise: "罚分", tenths: "分", who: "选手", penalties: "罚分", revoked: "已撤销", revoke: "撤销",
  export: "导出", commitment: "全部牌山与抽签的承诺", secret: "全部牌山与抽签的密钥",
};
