// 大会の日本語。tournament_en.js と同じ項目です。

export const words = {
  none: "この大会はありません。", list: "大会", noList: "このサーバーに大会はありません。", wrongKey: "このリンクは無効になりました。",
  states: { draft: "開始前", running: "開催中", finished: "終了" },
  formats: { fixed: "固定日程", swiss: "スイス方式", random: "抽選", list: "主催者の席割" },
  rounds: (done, all) => `全${all}回戦中${done}回戦終了`, players: (count) => `${count}名`, duplicate: "全卓同じ牌山",
  round: (number) => `${number}回戦`, table: (number) => `${number}卓`,
  roundStates: { planned: "予定", published: "公開", running: "対局中", done: "終了" },
  tableStates: { ready: "開始前", called: "全員そろうと開始", running: "対局中", paused: "中断中", done: "終了" },
  watch: "観戦", replay: "牌譜", bot: "ボットが代打", plays: (name) => `${name}が自分で打つ`, by: (name) => `代打 ${name}`, here: "着席", attempt: (number) => `${number}回目`, voided: (reason) => `無効になった対局: ${reason}`,
  sit: "着席する", wait: "次の卓は、席割の公開後にここに表示されます。", waitHere: "卓で待つ",
  standings: "順位表", noRound: "まだ席割は公開されていません。", name: "選手", total: "合計", places: ["1着", "2着", "3着", "4着"], points: "素点", best: "最高", penalty: "罰点", withdrawn: "棄権",
  director: "主催者", plan: (number) => `${number}回戦の席割を作る`, planAgain: "作り直す", publish: (number) => `${number}回戦の席割を公開`, start: (number) => `${number}回戦を開始`, fill: "不在者をボットにして今すぐ開始", pause: "全卓を中断", goOn: "全卓を再開", finish: "大会を終了",
  missing: (names) => `不在: ${names}`, allHere: "全員そろっています。",
  startOne: "開始", fillOne: "ボットを入れて開始", pauseOne: "中断", goOnOne: "再開", voidOne: "無効にして再戦", reason: "理由", substitute: (name) => `${name}の代打をボットに`, orders: "操作",
  time: "時間を追加", seconds: "各局に加える秒数", extra: (seconds) => `各選手の持ち時間は毎局${seconds}秒長くなっています。`, reseat: "席を変更",
  correct: "結果を訂正", uncorrect: "訂正を取り消す", corrected: (reason) => `結果を訂正しました: ${reason}`, unvoid: (number) => `${number}回目を有効に戻す`,
  byes: (names, result) => `この回戦は卓なし: ${names}（${result}）`, rests: (names) => `休み: ${names}`, readmit: "復帰", missed: "欠席した回戦ごとの得点", log: "これまでの操作",
  add: "選手を追加", kinds: { guest: "ゲスト（コード）", user: "登録ユーザー", bot: "内蔵ボット" }, added: (name, code) => `${name}: コード ${code}`, link: "選手用リンク",
  withdraw: "棄権", penalise: "罰点", tenths: "点", who: "選手", penalties: "罰点", revoked: "取消済み", revoke: "取り消す",
  export: "書き出し", commitment: "全牌山と抽選のコミットメント", secret: "全牌山と抽選のシークレット",
};
