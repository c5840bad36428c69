// Chinese words of the page of an account, with the keys of account_en.js.

export const words = {
  title: "账号", user: "用户名", password: "密码", logIn: "登录", logOut: "在此退出",
  begin: "新用户？注册账号", name: "显示的名字", newPassword: "新密码（至少 12 个字符）", guestNote: "你在此浏览器中打过的对局将归入该账号。", register: "注册",
  provider: (name) => `使用 ${name} 登录`, choose: "请选择你在这里使用的名字。", refused: "外部服务未能让你登录。",
  noUsers: "此服务器没有账号，所有人都以游客身份对局。",
  sessions: "已登录的设备", here: "此浏览器", since: (when) => `自 ${when}`, until: (when) => `至 ${when}`, end: "退出", program: "程序",
  changePassword: "密码", oldPassword: "当前密码", change: "修改密码", changed: "密码已修改，其他设备均已退出。",
  identities: "其他登录方式", noIdentities: "还没有。", addIdentity: (name) => `添加 ${name} 登录`, linked: "已添加，今后可以用它登录。",
  addSure: (name) => `要把 ${name} 的身份添加到你的账号吗？此后拥有该身份的人都能以你的名义登录。`,
  tokens: "访问令牌", tokensNote: "程序可以凭令牌以你的身份登录，不需要密码。", noTokens: "没有令牌。", revoke: "吊销",
  label: "用途", bot: "仅限此名字的机器人", makeToken: "生成令牌", madeNote: "令牌只显示这一次，请立即复制。",
  deletion: "删除账号", deletionNote: "牌谱会保留，你的名字改为“deleted user”，他人不能再使用你的名字。",
  nameAgain: "再次输入用户名以确认", delete: "永久删除", deleted: "账号已删除。",
};
