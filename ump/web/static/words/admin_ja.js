// Japanese words of the page of whoever keeps order, with the keys of admin_en.js.

export const words = {
  noUsers: "このサーバーにはユーザーがいないため、ここから操作できません。--users を付けて起動し、ump users role ユーザー名 admin で権限を与えてください。",
  title: "運営", logIn: "ログイン",
  tables: "対局中の卓", players: "プレイヤー", announce: "お知らせ", text: "対局中・待機中・観戦中の全員へ", send: "送信",
  bans: "利用停止", banNew: "利用停止にする", log: "操作の記録", older: "以前の操作",
  banTitle: "利用停止", target: "ユーザー名、アドレス、ネットワーク", until: "期限（UTC）", reason: "理由（本人に表示されます）", ban: "停止", cancel: "やめる",
  untilNote: "期限がなければ、ユーザーは無期限、アドレスは一週間です。",
  reports: "通報", replay: "牌譜", annul: "対局を無効に", annulSure: (game) => `${game}をランキングから除きますか？`, annulled: (game) => `${game}は無効になりました。`,
  restore: "無効を取り消す", restored: (game) => `${game}は再び有効です。`, verdicts: { upheld: "認める", dismissed: "却下" }, judged: (player) => `${player}への通報を処理しました。`,
  reasons: { program: "プログラムの使用", collusion: "複数人での共謀", sabotage: "故意の負け・遅延", name: "不適切な名前" },
  upheldBefore: (count) => `以前に認めた通報：${count}件`,
  notCompared: "プログラムとの比較はありません（打牌が少ないか、まだ計算していません）。",
  likeness: (player, share, discards, games, [low, high]) => `プログラム${player}に最も近く、${games}局の打牌${discards}回のうち${share}%が一致（人は${low}～${high}%）。`,
  oneIn: (count, isMost) => (isMost ? `これほど似る人は${count}人に一人未満です。` : `これほど似る人は${count}人に一人です。`),
  none: { reports: "未処理の通報はありません。", tables: "対局はありません。", players: "待機中・対局中の人はいません。", bans: "利用停止はありません。", log: "操作はまだありません。" },
  watch: "観戦", close: "終了", closeSure: (table) => `${table}の対局を結果なしで終了しますか？`, closed: (table) => `${table}の対局を終了しました。`,
  waits: "待機中", guest: "ゲスト", kick: "退出", kickSure: (player) => `${player}を退出させますか？対局は続きます。`, kicked: (player) => `${player}を退出させました。`,
  banned: (target, count) => `${target}を利用停止にしました。切断：${count}件`, lift: "解除", lifted: (target) => `${target}の利用停止を解除しました。`,
  forGood: "無期限", by: (name) => (name ? `担当：${name}` : ""), via: { socket: "ump admin", http: "このページ", command: "ump users" },
  told: (count) => `${count}人に伝えました。`,
};
