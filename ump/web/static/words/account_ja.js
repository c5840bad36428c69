// Japanese words of the page of an account, with the keys of account_en.js.

export const words = {
  title: "アカウント", user: "ユーザー名", password: "パスワード", logIn: "ログイン", logOut: "ログアウト",
  begin: "はじめての方はアカウント登録", name: "表示される名前", newPassword: "新しいパスワード（12文字以上）", guestNote: "このブラウザでこれまでに打った対局は、アカウントの対局になります。", register: "登録する",
  provider: (name) => `${name} でログイン`, choose: "ここで使う名前を決めてください。", refused: "外部サービスでログインできませんでした。",
  noUsers: "このサーバーにアカウントはありません。誰でもゲストとして対局できます。",
  sessions: "ログイン中の端末", here: "このブラウザ", since: (when) => `${when} から`, until: (when) => `${when} まで`, end: "ログアウトさせる", program: "プログラム",
  changePassword: "パスワード", oldPassword: "現在のパスワード", change: "パスワードを変更", changed: "パスワードを変更し、ほかの端末をログアウトさせました。",
  identities: "ほかのログイン方法", noIdentities: "まだありません。", addIdentity: (name) => `${name} でのログインを追加`, linked: "追加しました。これからはこの方法でもログインできます。",
  addSure: (name) => `${name} のIDをこのアカウントに追加しますか？ 以後、そのIDの持ち主はあなたとしてログインできます。`,
  tokens: "アクセストークン", tokensNote: "トークンがあれば、プログラムはパスワードなしであなたとしてログインできます。", noTokens: "トークンはありません。", revoke: "無効にする",
  label: "用途", bot: "この名前のボット専用", makeToken: "トークンを発行", madeNote: "トークンは今だけ表示されます。控えてください。",
  deletion: "アカウントの削除", deletionNote: "牌譜は残り、あなたの名前は「deleted user」に置き換わります。その名前はもう誰も使えません。",
  nameAgain: "確認のためユーザー名を入力", delete: "完全に削除", deleted: "アカウントを削除しました。",
};
