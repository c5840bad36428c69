// Chinese words of seats that are kept, and of tables among friends.

export const words = {
  seats: {
    goesOn: () => "你的对局仍在进行。", back: (game) => `回到 ${game}`, both: "再开一局",
    leaveThem: () => "放弃那一局，在这里对局",
    leaving: "对局仍在进行。座位会保留一段时间，可从大厅返回。", stay: "留下", keep: "保留座位，回大厅", giveUp: "放弃本局",
  },
  company: {
    watching: (count) => `${count} 人观战`, mute: "不显示他人的短语",
    phrases: ["你好！", "祝你好运！", "好牌！", "打得好！", "谢谢！", "抱歉！", "糟了！", "哇！", "差一点！", "请稍等。", "辛苦了！", "再见！"],
  },
  again: { play: "与同一桌人再来一局", join: (names) => `${names} 在等你：再来一局` },
  rated: { rating: "等级分", counting: "正在计算等级分…", later: "等级分将在下一轮计入本局。" },
  report: {
    title: "举报玩家", player: "玩家", choose: "请选择", reason: "原因", send: "举报", close: "关闭", thanks: "谢谢，管理员会查看你的举报。",
    reasons: { program: "使用程序代打", collusion: "与他人串通", sabotage: "故意输牌或拖延", name: "不当名字" },
    note: "管理员会查看整局对局。每天最多举报十人。",
  },
  friends: {
    title: "友人桌", invites: (name) => `${name} 邀请你`, name: "你的名字", sit: "坐下", watch: "观战", full: "座位已满。",
    playing: "对局进行中，你可以参加下一局。", free: "空位", you: "你", code: "房号", link: "邀请链接", kick: (name) => `请 ${name} 离开`,
    states: { host: "桌主", ready: "已准备", here: "在座", away: "离开" },
    start: "开始", ready: "准备", notReady: "取消准备", again: "再来一局", close: "关闭牌桌", leave: "离开", sameAgain: "用相同设置重新开桌",
    begins: (seconds) => `${seconds} 秒后开始。`, waitForHost: "由桌主开始对局。", askAgain: "所有人都同意后开始下一局。",
    startWithBots: "朋友到齐后即可开始，空位由电脑补上。", startNow: "人已到齐。", needsAll: (seats) => `${seats} 人到齐后可以开始。`,
    lengths: { kyoku: "一局", tonpu: "东风战", hanchan: "半庄战" }, clock: (clock) => `${clock.replace("+", " + ")} 秒`,
    bots: "电脑补位", noBots: "没有电脑", watchers: "可观战", noWatchers: "不可观战",
  },
};
