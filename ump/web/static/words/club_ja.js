// Japanese words of seats that are kept, and of tables among friends.

export const words = {
  seats: {
    goesOn: () => "対局が続いています。", back: (game) => `${game} に戻る`, both: "もう一局打つ",
    leaveThem: () => "その対局をやめて、ここで打つ",
    leaving: "対局は続きます。席はしばらく残り、ロビーから戻れます。", stay: "席に残る", keep: "席を残してロビーへ", giveUp: "対局をやめる",
  },
  company: {
    watching: (count) => `観戦者${count}人`, mute: "ほかの人の定型文を表示しない",
    phrases: ["こんにちは", "よろしくお願いします", "いい手ですね", "うまい！", "ありがとう", "すみません", "しまった！", "すごい！", "惜しい！", "少し待ってください", "お疲れさまでした", "またね"],
  },
  again: { play: "同じ人ともう一局", join: (names) => `${names} さんが待っています：もう一局` },
  rated: { rating: "レート", counting: "レートを計算しています…", later: "次の回までにレートに反映されます。" },
  report: {
    title: "プレイヤーを通報", player: "プレイヤー", choose: "選択してください", reason: "理由", send: "通報する", close: "閉じる", thanks: "ありがとうございます。運営が確認します。",
    reasons: { program: "プログラムの使用", collusion: "複数人での共謀", sabotage: "故意の負け・遅延", name: "不適切な名前" },
    note: "運営が対局全体を確認します。通報は一日十人までです。",
  },
  friends: {
    title: "友人卓", invites: (name) => `${name} さんからの招待`, name: "あなたの名前", sit: "着席する", watch: "観戦する", full: "満席です。",
    playing: "対局中です。次の対局から参加できます。", free: "空席", you: "あなた", code: "コード", link: "招待リンク", kick: (name) => `${name} を退席させる`,
    states: { host: "主催", ready: "準備完了", here: "着席", away: "離席" },
    start: "開始する", ready: "準備完了", notReady: "準備を取り消す", again: "もう一局", close: "卓を閉じる", leave: "退席する", sameAgain: "同じ設定で卓を作り直す",
    begins: (seconds) => `あと${seconds}秒で始まります。`, waitForHost: "主催者が対局を始めます。", askAgain: "全員が希望すると次の対局が始まります。",
    startWithBots: "揃ったら開始してください。空席にはCPUが入ります。", startNow: "全員揃いました。", needsAll: (seats) => `${seats}人揃うと始められます。`,
    lengths: { kyoku: "一局", tonpu: "東風戦", hanchan: "東南戦" }, clock: (clock) => `${clock.replace("+", " + ")} 秒`,
    bots: "CPUあり", noBots: "CPUなし", watchers: "観戦可", noWatchers: "観戦不可",
  },
};
