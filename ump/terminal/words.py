"""The words of the terminal program in English, Japanese and Chinese; yaku come from ``ump.text``."""

from __future__ import annotations

from collections.abc import Mapping

from ump.model.claims import Reason
from ump.model.value import value
from ump.web import server_words
from ump.wire.human.answers import SENTENCES
from ump.wire.session import PHRASES


@value
class Words:
    """Everything that the screen itself says in one language. Braces stand for what is filled in."""

    language: str
    winds: str
    """The letters of the four winds."""
    rounds: tuple[str, ...]
    """The winds of rounds."""
    round: str
    tiles_left: str
    honba: str
    sticks: str
    dora: str
    indicators: str
    riichi: str
    numbers: str
    """The numbers 1 to 9 on tiles of several rows, and in kyoku."""
    suits: str
    """The letters of characters, circles and bamboo on a tile."""
    honours: tuple[str, ...]
    """East, south, west, north, white, green, red on a tile, at most two columns wide."""

    calls: Mapping[str, str]
    """The words beside the keys of calls."""
    switches: Mapping[str, str]
    """The switches that are on."""
    room: str
    seconds: str
    discard: str
    riichi_begun: str
    way_begun: str

    seated: str
    friends: str
    """The table among friends, with its code."""
    states: Mapping[str, str]
    """The states of its players."""
    free: str
    is_away: str
    is_back: str
    says: str
    phrases: tuple[str, ...]
    """The phrases of players, in the order of ``ump.wire.session.PHRASES``."""
    begins: str
    to_begin: str
    to_be_ready: str
    to_table: str
    waiting: str
    no_game: str
    leave_sure: str
    no_hints: str
    no_advice: str
    folds: str
    """The effect of an answer after which the hand gives up."""
    risk: str
    any_key: str
    another_game: str
    go_on: str
    to_result: str
    reconnecting: str
    try_again: str
    late: str
    refused: str
    server_says: str
    not_your_turn: str
    no_call: str
    no_tile: str
    no_discard: str
    no_choice: str
    key_unknown: str
    report: str
    """The parts of a report."""
    connecting: str
    shanten: str
    waits: str
    furiten: str
    leaves_tenpai: str
    tenpai_after: str
    too_small: str
    help: str

    you: str
    win_tsumo: str
    win_ron: str
    ura: str
    han: str
    expected: str
    points: str
    each: str
    honba_points: str
    stick_points: str
    liable: str
    draws: Mapping[str, str]
    """The reasons of draws, by their names in ``DrawReason``."""
    tenpai: str
    noten: str
    game_over: str
    place: str

    title: str
    name: str
    rooms: str
    tables: str
    servers: str
    this_computer: str
    lengths: Mapping[str, str]
    bots: str
    people: str
    waiting_there: str
    rated: str
    access: Mapping[str, str]
    rules: str
    pauses: str
    looking: str
    nobody_plays: str
    no_rooms: str
    no_server: str
    to_play: str
    to_watch: str
    to_look: str
    to_name: str
    lobby_keys: str

    def round_name(self, bakaze: int, dealer: int) -> str:
        """Return the name of a kyoku."""
        number = str(dealer + 1) if self.numbers.isascii() else self.numbers[dealer]
        return self.round.format(wind=self.rounds[bakaze], number=number)

    def error(self, text: str) -> str:
        """Return an error of the server in this language, as far as the pages for browsers have words for it."""
        errors = server_words(self.language).errors
        for start, said in errors.items():
            if text.startswith(start):
                when, _, why = text.removeprefix(start).partition(": ")  # as of a ban
                return said.replace("{when}", when).replace("{why}", why)
        return text

    def refusal(self, reason: Reason) -> str:
        """Return why the server has refused an answer."""
        said = server_words(self.language).reasons.get(reason.value)
        return SENTENCES[reason] if said is None else self.refused.format(reason=said)


ENGLISH = Words(
    language="en",
    winds="ESWN",
    rounds=("East", "South", "West", "North"),
    round="{wind} {number}",
    tiles_left="{count} tiles left",
    honba="honba {count}",
    sticks="sticks {count}",
    dora="dora",
    indicators="(from {tiles})",
    riichi="RIICHI",
    numbers="123456789",
    suits="mps",
    honours=("E", "S", "W", "N", "Wh", "Gr", "Rd"),
    calls={
        "r": "ron",
        "t": "tsumo",
        "l": "riichi",
        "c": "chi",
        "p": "pon",
        "k": "kan",
        "f": "north aside",
        "q": "nine terminals",
        "y": "tenpai",
        "x": "pass",
    },
    switches={"win": "auto win", "pass": "no calls", "discard": "auto discard", "hints": "hints"},
    room="room {room}",
    seconds="{time} s",
    discard="discard",
    riichi_begun="choose a tile, Enter; Esc takes riichi back",
    way_begun="Enter, or the key again for the next",
    friends="Table {code}:",
    states={"host": "host", "ready": "ready", "here": "here", "away": "away"},
    free="free seats: {count}",
    is_away="{name} is away.",
    is_back="{name} is back.",
    says="{name}: {said}",
    phrases=PHRASES,
    begins="The game begins in {seconds} seconds.",
    to_begin="Enter: begin, bots take the free seats. q: leave.",
    to_be_ready="Enter: ready. q: leave.",
    to_table="Type a code, or new, or new tenhou tonpu; then Enter. Escape: back.",
    seated="{seated} of {needed} players are here.",
    waiting="Waiting for a table.",
    no_game="No game is on in this room; the next one will be shown.",
    leave_sure="Press q again to leave; your seat waits for you.",
    no_hints="This room gives no hints, or has not yet.",
    no_advice="There is no advice now.",
    folds="gives up the hand",
    risk="{percent} to deal in",
    any_key="Any key: back to the table.",
    another_game="Enter: another game. q: leave.",
    go_on="Enter: go on.",
    to_result="Enter: result.",
    reconnecting="Reconnecting …",
    try_again="Enter: try again. q: leave.",
    late="Your time ran out; the server has answered for you.",
    refused="That is not possible: {reason}.",
    server_says="The server says: {text}",
    not_your_turn="It is not your turn.",
    no_call="No {call} is possible now.",
    no_tile="You hold no {tile}.",
    no_discard="{tile} cannot be discarded now.",
    no_choice="Choose a tile first: left and right, or its name.",
    key_unknown="{key} does nothing here; ? shows the keys.",
    report="""\
 Report a player to the moderators: type the seat and the reason, such as
 B program, then Enter. Escape: back.

 program    plays with a program, or is one
 collusion  plays together with somebody
 sabotage   loses on purpose, or holds up the game
 name       offensive name
""",
    connecting="Connecting to {address}.",
    shanten="{count}-shanten",
    waits="waits {tiles}",
    furiten=", furiten ({kind})",
    leaves_tenpai="{tile} leaves tenpai: {waits}",
    tenpai_after="tenpai after {tiles}",
    too_small="ump needs a terminal of 80x24 characters; this one has {columns}x{rows}.\n"
    "Make the window larger or the letters smaller; the game goes on meanwhile.",
    help="""\
 left right End  choose a tile, the drawn one   Enter   discard it
 4z Enter        choose a tile by its name; 0m or 5M is the red five
 R T             ron, tsumo                     L       riichi, then a tile
 C P K           chi, pon, kan; again: next     F       set a north aside
 Q               nine terminals                 X Esc   pass, or take back
 Y               show a tenpai hand             Enter   go on after a result
 A N G           win by itself, no calls, discard what is drawn; for this kyoku
 H               hints of the server: waits, furiten, shanten
 E               advice of the server, in rooms that give it
 S ? !           scores and differences, these keys, report a player
 q q, Ctrl-C     leave; your seat waits for you

 Marks: 5z. as drawn  8p* riichi  7m> called  -- can be chosen  ^^ chosen
 Melds: an arrow before the called tile shows from where: < > ^ v
""",
    you="you",
    win_tsumo="Tsumo: {who}",
    win_ron="Ron: {who}, from {loser}",
    ura="ura dora",
    han="{han} han",
    expected="{points} points expected",
    points="{points} points",
    each="{points} all",
    honba_points="{points} for honba",
    stick_points="{points} from sticks",
    liable="{who} liable (pao)",
    draws={
        "EXHAUSTED": "Exhaustive draw",
        "KYUSHU_KYUHAI": "Abortive draw: nine terminals and honours",
        "SUUFON_RENDA": "Abortive draw: four times the same wind",
        "SUUCHA_RIICHI": "Abortive draw: riichi of all players",
        "SUUKAIKAN": "Abortive draw: four kans",
        "SANCHAHO": "Abortive draw: three rons",
        "NAGASHI_MANGAN": "Nagashi mangan",
        "CHOMBO": "Chombo",
    },
    tenpai="tenpai",
    noten="noten",
    game_over="The game is over",
    place="place {place}",
    title="ump, riichi mahjong",
    name="Name",
    rooms="Rooms",
    tables="Running games",
    servers="Servers",
    this_computer="this computer",
    lengths={"kyoku": "one kyoku", "tonpu": "East", "hanchan": "East and South"},
    bots="with bots",
    people="{seats} players",
    waiting_there="{count} waiting",
    rated="rated",
    access={"users": "for users", "code": "by invitation", "users+code": "users, by invitation"},
    rules="rules {rules}",
    pauses="{move}+{bank} s",
    looking="Looking for rooms and games.",
    nobody_plays="nobody plays now",
    no_rooms="This server does not list its rooms; Enter plays in its first one.",
    no_server="Start a server with scripts/serve or ump serve, then press R.",
    to_play="Enter: play in {room} as {name}.",
    to_watch="Enter: watch this game.",
    to_look="Enter: see the rooms of this server.",
    to_name="Type your name; up and down choose what to play.",
    lobby_keys="Up, down: choose.  N: name.  T: table.  W: watch.  R: look again.  Q: leave.",
)

JAPANESE = Words(
    language="ja",
    winds="東南西北",
    rounds=("東", "南", "西", "北"),
    round="{wind}{number}局",
    tiles_left="残り{count}枚",
    honba="{count}本場",
    sticks="供託{count}",
    dora="ドラ",
    indicators="(表示 {tiles})",
    riichi="リーチ",
    numbers="一二三四五六七八九",
    suits="萬筒索",
    honours=("東", "南", "西", "北", "白", "發", "中"),
    calls={
        "r": "ロン",
        "t": "ツモ",
        "l": "リーチ",
        "c": "チー",
        "p": "ポン",
        "k": "カン",
        "f": "北抜き",
        "q": "九種九牌",
        "y": "テンパイ",
        "x": "スキップ",
    },
    switches={"win": "自動和了", "pass": "鳴きなし", "discard": "ツモ切り", "hints": "ヒント"},
    room="部屋 {room}",
    seconds="{time} 秒",
    discard="打牌",
    riichi_begun="リーチの宣言牌を選んで Enter、Esc で取り消し",
    way_begun="Enter で決定、同じキーで次の候補",
    friends="友人卓 {code}:",
    states={"host": "主催", "ready": "準備完了", "here": "着席", "away": "離席"},
    free="空席 {count}",
    is_away="{name}さんが離席しました。",
    is_back="{name}さんが戻りました。",
    says="{name}: {said}",
    phrases=(
        *("こんにちは", "よろしくお願いします", "いい手ですね", "うまい！", "ありがとう", "すみません"),
        *("しまった！", "すごい！", "惜しい！", "少し待ってください", "お疲れさまでした", "またね"),
    ),
    begins="あと{seconds}秒で始まります。",
    to_begin="Enter: 開始（空席にはCPU） q: 退席",
    to_be_ready="Enter: 準備完了 q: 退席",
    to_table="コード、new、または new tenhou tonpu と入力して Enter  Escape: 戻る",
    seated="{needed}人中{seated}人が待っています。",
    waiting="卓を待っています。",
    no_game="この部屋では対局がありません。始まり次第表示します。",
    leave_sure="もう一度 q で退席します。席は残ります。",
    no_hints="この部屋ではヒントがまだ、または全くありません。",
    no_advice="今、おすすめはありません。",
    folds="オリ",
    risk="放銃率{percent}",
    any_key="何かキーを押すと卓に戻ります。",
    another_game="Enter: もう一局  q: 退席",
    go_on="Enter: 次局へ",
    to_result="Enter: 最終結果へ",
    reconnecting="再接続中…",
    try_again="Enter: 再接続  q: 退席",
    late="時間切れのため、サーバーが代わりに答えました。",
    refused="その操作はできません（{reason}）。",
    server_says="サーバー：{text}",
    not_your_turn="あなたの番ではありません。",
    no_call="今は{call}できません。",
    no_tile="{tile} は手牌にありません。",
    no_discard="今 {tile} は切れません。",
    no_choice="先に左右キーか名前で牌を選んでください。",
    key_unknown="{key} はここでは使えません。? でキー一覧。",
    report="""\
 プレイヤーの通報: 席と理由を B program のように入力して Enter。Esc で戻る。

 program    プログラムの使用
 collusion  複数人での共謀
 sabotage   故意の負け・遅延
 name       不適切な名前
""",
    connecting="{address} に接続しています。",
    shanten="{count}向聴",
    waits="待ち {tiles}",
    furiten="、フリテン",
    leaves_tenpai="{tile} 切りでテンパイ、{waits}",
    tenpai_after="{tiles} 切りでテンパイ",
    too_small="ump には 80x24 文字の端末が必要です (現在 {columns}x{rows})。\n"
    "ウィンドウを広げるか文字を小さくしてください。対局は続いています。",
    help="""\
 ← → End         牌を選ぶ、ツモ牌を選ぶ        Enter   切る
 4z Enter        名前で牌を選ぶ。0m か 5M は赤五
 R T             ロン、ツモ                    L       リーチ、次に牌
 C P K           チー、ポン、カン、再度で次    F       北抜き
 Q               九種九牌                      X Esc   スキップ、取り消し
 Y               テンパイを見せる              Enter   結果の後に進む
 A N G           自動和了、鳴きなし、ツモ切り (この局だけ)
 H               ヒント: 待ち、フリテン、向聴数
 E               おすすめの打牌 (部屋による)
 S ? !           点差、このキー一覧、プレイヤーの通報
 q q, Ctrl-C     退席。席は残ります

 印: 5z. ツモ切り  8p* リーチ  7m> 鳴かれた牌  -- 選べる牌  ^^ 選んだ牌
 副露の矢印 < > ^ v は鳴いた牌の出どころを示します
""",
    you="あなた",
    win_tsumo="ツモ: {who}",
    win_ron="ロン: {who} ({loser} から)",
    ura="裏ドラ",
    han="{han}翻",
    expected="期待{points}点",
    points="{points}点",
    each="{points}オール",
    honba_points="本場 {points}点",
    stick_points="供託 {points}点",
    liable="{who} の責任払い",
    draws={
        "EXHAUSTED": "流局",
        "KYUSHU_KYUHAI": "九種九牌",
        "SUUFON_RENDA": "四風連打",
        "SUUCHA_RIICHI": "四家立直",
        "SUUKAIKAN": "四開槓",
        "SANCHAHO": "三家和",
        "NAGASHI_MANGAN": "流し満貫",
        "CHOMBO": "チョンボ",
    },
    tenpai="テンパイ",
    noten="ノーテン",
    game_over="終局",
    place="{place}位",
    title="ump 立直麻雀",
    name="名前",
    rooms="部屋",
    tables="対局中",
    servers="サーバー",
    this_computer="このコンピューター",
    lengths={"kyoku": "一局戦", "tonpu": "東風戦", "hanchan": "半荘戦"},
    bots="CPU戦",
    people="{seats}人",
    waiting_there="{count}人待ち",
    rated="レート戦",
    access={"users": "登録者のみ", "code": "招待制", "users+code": "登録者、招待制"},
    rules="ルール {rules}",
    pauses="{move}+{bank} 秒",
    looking="部屋と対局を調べています。",
    nobody_plays="対局はありません",
    no_rooms="部屋の一覧がありません。Enter で最初の部屋に入ります。",
    no_server="scripts/serve か ump serve でサーバーを起動し、R を押してください。",
    to_play="Enter: {room} で {name} として対局",
    to_watch="Enter: この対局を観戦",
    to_look="Enter: このサーバーの部屋を見る",
    to_name="名前を入力してください。上下キーで対局を選びます。",
    lobby_keys="上下: 選ぶ  N: 名前  T: 友人卓  W: 観戦  R: 更新  Q: 終了",
)

CHINESE = Words(
    language="zh",
    winds="东南西北",
    rounds=("东", "南", "西", "北"),
    round="{wind}{number}局",
    tiles_left="剩余{count}张",
    honba="{count}本场",
    sticks="立直棒{count}",
    dora="宝牌",
    indicators="(指示 {tiles})",
    riichi="立直",
    numbers="一二三四五六七八九",
    suits="万筒索",
    honours=("东", "南", "西", "北", "白", "发", "中"),
    calls={
        "r": "荣和",
        "t": "自摸",
        "l": "立直",
        "c": "吃",
        "p": "碰",
        "k": "杠",
        "f": "拔北",
        "q": "九种九牌",
        "y": "听牌",
        "x": "跳过",
    },
    switches={"win": "自动和了", "pass": "不吃碰杠", "discard": "自动摸切", "hints": "提示"},
    room="房间 {room}",
    seconds="{time} 秒",
    discard="打牌",
    riichi_begun="选择立直宣言牌后按 Enter，Esc 取消",
    way_begun="Enter 确定，再按同一键换下一种",
    friends="友人桌 {code}:",
    states={"host": "桌主", "ready": "已准备", "here": "在座", "away": "离开"},
    free="空位 {count}",
    is_away="{name} 离开了。",
    is_back="{name} 回来了。",
    says="{name}: {said}",
    phrases=(
        *("你好！", "祝你好运！", "好牌！", "打得好！", "谢谢！", "抱歉！"),
        *("糟了！", "哇！", "差一点！", "请稍等。", "辛苦了！", "再见！"),
    ),
    begins="{seconds} 秒后开始。",
    to_begin="Enter: 开始（空位由电脑补上） q: 离开",
    to_be_ready="Enter: 准备 q: 离开",
    to_table="输入房号、new 或 new tenhou tonpu，再按 Enter  Escape: 返回",
    seated="{needed}人中已有{seated}人。",
    waiting="正在等待开局。",
    no_game="这个房间没有对局，开始后会显示。",
    leave_sure="再按一次 q 离开，座位会保留。",
    no_hints="这个房间没有提示，或者还没有。",
    no_advice="现在没有建议。",
    folds="弃和",
    risk="放铳率{percent}",
    any_key="按任意键回到牌桌。",
    another_game="Enter: 再来一局  q: 离开",
    go_on="Enter: 下一局",
    to_result="Enter: 终局结果",
    reconnecting="正在重连…",
    try_again="Enter: 重新连接  q: 离开",
    late="时间已到，服务器已代为应答。",
    refused="服务器拒绝了该操作（{reason}）。",
    server_says="服务器：{text}",
    not_your_turn="还没轮到你。",
    no_call="现在不能{call}。",
    no_tile="手里没有 {tile}。",
    no_discard="现在不能打 {tile}。",
    no_choice="请先用左右键或名字选牌。",
    key_unknown="{key} 在这里没有作用，按 ? 查看按键。",
    report="""\
 举报玩家: 输入座位和理由，如 B program，再按 Enter。Esc 返回。

 program    使用程序代打
 collusion  与他人串通
 sabotage   故意输牌或拖延
 name       不当名字
""",
    connecting="正在连接 {address}。",
    shanten="{count}向听",
    waits="听 {tiles}",
    furiten="，振听",
    leaves_tenpai="打 {tile} 听牌，{waits}",
    tenpai_after="打 {tiles} 听牌",
    too_small="ump 需要 80x24 字符的终端，现在是 {columns}x{rows}。\n请放大窗口或缩小字体，对局仍在继续。",
    help="""\
 ← → End         选牌，选摸到的牌              Enter   打出
 4z Enter        按名字选牌，0m 或 5M 是赤五
 R T             荣和、自摸                    L       立直，再选牌
 C P K           吃、碰、杠，再按换下一种      F       拔北
 Q               九种九牌                      X Esc   跳过，取消
 Y               亮出听牌                      Enter   看完结果继续
 A N G           自动和了、不吃碰杠、自动摸切 (只限本局)
 H               提示: 听的牌、振听、向听数
 E               建议 (视房间而定)
 S ? !           点数与差距，这些按键，举报玩家
 q q, Ctrl-C     离开，座位会保留

 标记: 5z. 摸切  8p* 立直  7m> 被鸣的牌  -- 可选  ^^ 已选
 副露的箭头 < > ^ v 表示牌来自哪一家
""",
    you="自己",
    win_tsumo="自摸: {who}",
    win_ron="荣和: {who} (来自 {loser})",
    ura="里宝牌",
    han="{han}番",
    expected="预期{points}点",
    points="{points}点",
    each="每家{points}",
    honba_points="本场 {points}点",
    stick_points="供托 {points}点",
    liable="{who} 包牌",
    draws={
        "EXHAUSTED": "荒牌流局",
        "KYUSHU_KYUHAI": "九种九牌",
        "SUUFON_RENDA": "四风连打",
        "SUUCHA_RIICHI": "四家立直",
        "SUUKAIKAN": "四杠散了",
        "SANCHAHO": "三家和了",
        "NAGASHI_MANGAN": "流局满贯",
        "CHOMBO": "错和",
    },
    tenpai="听牌",
    noten="未听牌",
    game_over="终局",
    place="第{place}名",
    title="ump 立直麻将",
    name="名字",
    rooms="房间",
    tables="正在进行的对局",
    servers="服务器",
    this_computer="这台电脑",
    lengths={"kyoku": "一局", "tonpu": "东风战", "hanchan": "半庄战"},
    bots="与电脑对战",
    people="{seats}人",
    waiting_there="{count}人等待",
    rated="段位",
    access={"users": "仅限用户", "code": "需邀请", "users+code": "用户，需邀请"},
    rules="规则 {rules}",
    pauses="{move}+{bank} 秒",
    looking="正在查找房间和对局。",
    nobody_plays="现在没有对局",
    no_rooms="这个服务器没有列出房间，Enter 进入第一个房间。",
    no_server="用 scripts/serve 或 ump serve 启动服务器，再按 R。",
    to_play="Enter: 以 {name} 进入 {room}",
    to_watch="Enter: 观看这场对局",
    to_look="Enter: 查看这个服务器的房间",
    to_name="输入名字，用上下键选择。",
    lobby_keys="上下: 选择  N: 名字  T: 友人桌  W: 观战  R: 刷新  Q: 退出",
)

WORDS: Mapping[str, Words] = {"en": ENGLISH, "ja": JAPANESE, "zh": CHINESE}
"""The words of each language."""


def language_of(environment: Mapping[str, str]) -> str:
    """Return the language that the locale of a terminal asks for; English unless there are words for it."""
    locale = environment.get("LC_ALL") or environment.get("LC_MESSAGES") or environment.get("LANG") or ""
    language = locale[:2].lower()
    return language if language in WORDS else "en"
