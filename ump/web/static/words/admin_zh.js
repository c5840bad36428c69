// Chinese words of the page of whoever keeps order, with the keys of admin_en.js.

export const words = {
  noUsers: "此服务器没有用户，因此无法在此操作。请以 --users 启动，并用 ump users role 用户名 admin 授予权限。",
  title: "管理", logIn: "登录",
  tables: "对局", players: "玩家", announce: "公告", text: "发给所有对局、等待和观战的人", send: "发送",
  bans: "封停", banNew: "封停用户或地址", log: "操作记录", older: "更早的操作",
  banTitle: "封停", target: "用户名、地址或网段", until: "截止日期（UTC）", reason: "原因（用户可见）", ban: "封停", cancel: "取消",
  untilNote: "不填日期时，用户永久封停，地址封停一周。",
  reports: "举报", replay: "牌谱", annul: "作废对局", annulSure: (game) => `要让 ${game} 不计入排行榜吗？`, annulled: (game) => `${game} 已作废。`,
  restore: "恢复", restored: (game) => `${game} 重新计分。`, verdicts: { upheld: "成立", dismissed: "驳回" }, judged: (player) => `对 ${player} 的举报已处理。`,
  reasons: { program: "使用程序代打", collusion: "与他人串通", sabotage: "故意输牌或拖延", name: "不当名字" },
  upheldBefore: (count) => `此前成立的举报：${count} 次`,
  notCompared: "未与程序比较：打牌太少，或尚未计算。",
  likeness: (player, share, discards, games, [low, high]) => `最像程序 ${player}：${games} 场中 ${discards} 次打牌有 ${share}% 相同（一般人 ${low}% 至 ${high}%）。`,
  oneIn: (count, isMost) => (isMost ? `如此相似的人不到 ${count} 分之一。` : `如此相似的人约占 ${count} 分之一。`),
  none: { reports: "没有待处理的举报。", tables: "没有对局。", players: "没有人在等待或对局。", bans: "没有封停。", log: "还没有操作。" },
  watch: "观战", close: "结束", closeSure: (table) => `要结束 ${table} 的对局吗？不会有结果。`, closed: (table) => `${table} 的对局已结束。`,
  waits: "等待中", guest: "访客", kick: "移出", kickSure: (player) => `要移出 ${player} 吗？对局会继续。`, kicked: (player) => `已移出 ${player}。`,
  banned: (target, count) => `已封停 ${target}，断开连接：${count}`, lift: "解除", lifted: (target) => `已解除 ${target} 的封停。`,
  forGood: "永久", by: (name) => (name ? `操作人：${name}` : ""), via: { socket: "ump admin", http: "本页", command: "ump users" },
  told: (count) => `已通知 ${count} 人。`,
};
