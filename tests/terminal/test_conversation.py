"""A person's conversation in UMP 0.1, line by line."""

from __future__ import annotations

import pytest
from support.rows import each_row

from ump.bots.conversations import ClientFacts
from ump.model.actions import Discard, Pass, Pon, Ron
from ump.model.notation import parse_ump_face as tile
from ump.terminal.canvas import Look, TileForm
from ump.terminal.conversation import TableConversation
from ump.terminal.play_app import gathering_text
from ump.terminal.table_text import results_canvas
from ump.terminal.words import WORDS
from ump.wire.session import PHRASES, ServerRefusal, TableWish

TOKEN = "0123456789abcdef0123456789abcdef"

GAME = """\
gamestart B carol alice bob dave
ready?
kyokustart 1z A 0 0
point A =25000
point B =25000
point C =25000
point D =25000
haipai A
haipai B 1m3m4m5M2p2p4p5p6p6s7s6z6z
haipai C
haipai D
dora 3p
tsumo A 69
sutehai A 6z
naku? 6z pon=6z6z _time=10+20.5"""
"""The lines up to the first question."""

WIN = """\
sutehai B 1m
tsumo C 68
sutehai C 7z tsumogiri
tsumo D 67
say D richi
sutehai D 4z tsumogiri
point D -1000
tsumo A 66
sutehai A 8s tsumogiri
naku? 8s chi=6s7s ron"""

RESULT = """\
say B ron
open B 3m4m5M2p2p4p5p6p6s7s<6z6z6z>
agari B 30 hatsu 1 dora 1 akadora 1
point A -3900
point B +4900
ready?"""

END = """\
kyokuend
gameend 21100 29900 25000 24000
bye"""


def lines_of(text: str, start: int) -> list[str]:
    """Return lines with ids from ``start`` on."""
    return [f"{number} {line}" for number, line in enumerate(text.splitlines(), start)]


def say(conversation: TableConversation, text: str, start: int) -> list[str]:
    """Let the server say lines, and return what is answered at once."""
    return [answer for line in lines_of(text, start) for answer in conversation.receive(line)]


def shown(conversation: TableConversation, look: Look | None = None) -> list[str]:
    """Return the results as they are drawn."""
    assert conversation.position is not None
    return [
        line for line in results_canvas(conversation.results, conversation.position, look or Look()).lines() if line
    ]


def at_first_question(look: Look | None = None) -> TableConversation:
    """Return a conversation after the lines of GAME."""
    conversation = TableConversation(ClientFacts("alice", "east"), look=look)
    hello = conversation.receive("0 hello ump=0.1 name=ump _rule=ump")
    assert hello == [
        "0 hello ump=0.1 _explain=1 _results=1 _ping=1 _person=1 "
        "name=alice _room=east _games=1 _offer=1 _hand=1 _time=1 _waits=1 _resume=1"
    ]
    assert say(conversation, f"_waiting 3 4\n_resume {TOKEN}", 1) == []
    assert conversation.waiting is not None
    assert say(conversation, GAME, 3) == ["4 ok"]
    return conversation


def test_game_to_its_end() -> None:
    """Questions wait for answers; the result waits for ``go_on``; the end names places and uma."""
    conversation = at_first_question()
    question = conversation.question
    assert question is not None
    assert question.time is not None
    assert (question.time.move, question.time.bank) == (10, 20.5)
    pon = Pon((tile("6z"), tile("6z")))
    assert set(question.legal()) == {pon, Pass()}
    assert conversation.answer(pon) == "17 pon 6z 6z"
    say(conversation, "say B pon\nopen B <6z6z> 6z\nsutehai? sute=1m3m4m5M2p4p5p6p6s7s", 18)
    assert conversation.answer(Discard(tile("1m"))) == "20 sute 1m"
    say(conversation, WIN, 21)
    assert conversation.answer(Ron()) == "30 ron"
    assert say(conversation, RESULT, 31) == []
    assert shown(conversation) == [
        "  Ron: you, from carol",
        "  3m 4m 5M 2p 2p 4p 5p 6p 6s 7s  8s  6z6z<6z",
        "  dora 4p",
        "  Green Dragon  1 han                  W  bob    25,000",
        "  Dora          1 han                  N  dave   24,000",
        "  Red Five      1 han                  E  carol  21,100  -3,900",
        "                                     > S  alice  29,900  +4,900",
        "  3 han 30 fu  3,900 points  1,000 from sticks",
    ]
    assert conversation.go_on() == ["36 ok"]
    assert conversation.results == []
    assert say(conversation, END, 37) == ["39 bye"]
    assert conversation.is_over
    assert not conversation.has_seat
    assert shown(conversation) == [
        "  The game is over",
        "  place 1  alice  29,900  +39.9",
        "  place 2  bob    25,000   +5.0",
        "  place 3  dave   24,000  -16.0",
        "  place 4  carol  21,100  -28.9",
    ]


DRAW = """\
open A 1m1m2m3m4m5p6p7p8p8p8s8s8s
say A tenpai
say B noten
say C noten
say D noten
ryukyoku
point A +3000
point B -1000
point C -1000
point D -1000
ready?"""


def test_results_in_every_language() -> None:
    """A win has its yaku and limit in the words of the language; at an exhaustive draw tenpai hands are shown."""
    conversation = at_first_question()
    say(conversation, DRAW, 16)
    assert any("carol  tenpai  1m1m2m3m" in line for line in shown(conversation))
    assert "  あなた  ノーテン" in shown(conversation, Look(WORDS["ja"]))
    large = Look(WORDS["zh"], TileForm.BLOCKS, columns=120, rows=40)
    assert shown(conversation, large)[0] == "  荒牌流局"
    conversation = at_first_question()
    conversation.answer(Pass())
    say(conversation, "say B tsumo\nopen B 3m4m5M2p2p4p5p6p6s7s6z6z6z\n", 18)
    say(conversation, "agari B 30 riichi 1 menzentsumo 1 dora 3\npoint A -4000\npoint C -2000\npoint D -2000", 20)
    say(conversation, "point B +8000\nready? _last", 24)
    assert conversation.ready is not None and conversation.ready.is_last
    text = "\n".join(shown(conversation, large))
    for part in ("自摸: 自己", "门前清自摸和  1番", "5番30符 满贯", "8,000点 (2,000/4,000)"):
        assert part in text


def test_refused_answer_can_be_given_again() -> None:
    """After ``_illegal`` the question is open again, until the server asks anew; the reason is a sentence."""
    conversation = at_first_question()
    question = conversation.question
    conversation.answer(Pass())
    assert conversation.question is None
    conversation.receive("18 _illegal 17 not_held")
    assert conversation.question is question
    assert conversation.notice == "You do not have the tiles for that."
    with pytest.raises(ValueError, match="not legal"):
        conversation.answer(Ron())


def test_log_and_refusals_in_other_languages() -> None:
    """The log, refused answers and the operator's words are in the language of the screen, with its tiles."""
    conversation = at_first_question(Look(WORDS["ja"], TileForm.BLOCKS))
    conversation.answer(Pass())
    conversation.receive("18 _illegal 17 not_held")
    assert conversation.notice == "その操作はできません（手牌にありません）。"
    conversation.receive("19 _notice hi")
    conversation.answer(Pon((tile("6z"), tile("6z"))))
    say(conversation, "say B pon\nopen B <6z6z> 6z\nsutehai B 5M\nsay C richi\n", 20)
    assert list(conversation.log) == [
        *("東一局  0本場  供託0", "ドラ 4筒", "東 carol: 發", "サーバー：hi"),
        *("南 あなた: ポン 發發發", "南 あなた: 0萬", "西 bob: リーチ"),
    ]
    conversation = at_first_question(Look(WORDS["zh"]))
    say(conversation, DRAW, 16)
    assert list(conversation.log)[-5:] == [
        "东 carol: 听牌",
        *(f"{who}: 未听牌" for who in ("南 自己", "西 bob", "北 dave")),
        "荒牌流局",
    ]
    assert WORDS["zh"].error("unknown room 'x'; the rooms are main") == "没有这个房间。"
    assert WORDS["en"].error("unknown room 'x'") == "unknown room 'x'"


def test_announcement() -> None:
    """The operator's words are shown and logged, without what could rearrange the terminal; the question stays."""
    conversation = at_first_question()
    question = conversation.question
    conversation.receive("18 _notice a%20%1B%5B2Jb")
    assert conversation.notice == conversation.log[-1] == "The server says: a ?[2Jb"
    assert conversation.question is question


def test_late_answer() -> None:
    """After ``_late`` nothing is to be answered."""
    conversation = at_first_question()
    conversation.receive("18 _late 17 2")
    assert conversation.question is None
    assert "time ran out" in conversation.notice
    with pytest.raises(ValueError, match="no question"):
        conversation.answer(Pass())


def test_new_connection_takes_the_seat_back() -> None:
    """The token of the seat replaces name and room; the server repeats the game."""
    conversation = at_first_question()
    conversation.begin()
    assert conversation.question is None
    assert conversation.receive("0 hello ump=0.1 name=ump _rule=ump") == [
        f"0 hello ump=0.1 _explain=1 _results=1 _ping=1 _person=1 _offer=1 _hand=1 _time=1 _waits=1 _resume={TOKEN}"
    ]
    assert say(conversation, GAME, 1) == ["2 ok"]
    assert conversation.question is not None


def test_hints() -> None:
    """Hints come with a question and between turns."""
    conversation = at_first_question()
    assert not conversation.gives_hints
    conversation.receive("18 _shanten 2")
    assert conversation.gives_hints


@each_row(
    ("line", "error"),
    [
        ("1 error the_room_is_full", ServerRefusal),
        ("1 sutehai? sute=1m", ValueError),
        ("1 tsumo A 69", ValueError),
        ("1 tsumo A x", ValueError),
    ],
)
def test_lines_that_do_not_fit(line: str, error: type[Exception]) -> None:
    """An error of the server, and a game without a start."""
    conversation = TableConversation(ClientFacts("alice"))
    conversation.receive("0 hello ump=0.1 name=ump")
    with pytest.raises(error):
        conversation.receive(line)


def test_spectator_says_only_what_it_watches() -> None:
    """A spectator has no seat, and asks for no offers."""
    conversation = TableConversation(ClientFacts("x"), "main")
    assert conversation.receive("0 hello ump=0.1 name=ump") == [
        "0 hello ump=0.1 _explain=1 _results=1 _ping=1 _person=1 _watch=main"
    ]
    say(
        conversation,
        GAME.replace("gamestart B", "gamestart -")
        .replace(" 1m3m4m5M2p2p4p5p6p6s7s6z6z", "")
        .rpartition("\n")[0]
        .replace("ready?\n", ""),
        1,
    )
    assert conversation.position is not None
    assert conversation.position.seen.seat is None
    assert conversation.position.seen.rivers[0]


@each_row("line", ["gamestart A alice", "gamestart A a b", "gamestart D alice bob carol"])
def test_a_game_that_nobody_plays_is_refused(line: str) -> None:
    """There are games of three and of four, and a seat must be one of theirs."""
    conversation = TableConversation(ClientFacts("alice"))
    conversation.receive("0 hello ump=0.1")
    with pytest.raises(ValueError):
        conversation.receive(f"1 {line}")


def test_a_guest_at_a_table_among_friends() -> None:
    """The hello makes a table or comes to one, Enter begins or says ready, and a lost seat is found again."""
    conversation = TableConversation(ClientFacts("Mika"), guest="k" * 22, table=TableWish(rules="tenhou"))

    def options() -> set[str]:
        """Return the options of a new hello."""
        conversation.begin()
        (said,) = conversation.receive("0 hello ump=0.1 name=ump _rule=ump")
        return {word for word in said.split() if not word.startswith("_tab=")}

    assert options() >= {"name=Mika", f"_guest={'k' * 22}", "_table=new", "_rule=tenhou"}
    conversation.receive("1 _you Mika%202")
    conversation.receive("2 _table invitation=K7MQ2XAB rule=tenhou seats=4")
    conversation.receive("3 _members Bob:host Mika%202:here - -")
    assert "K7MQ2XAB" in gathering_text(conversation, WORDS["en"])
    assert conversation.order() == ["0 _ready"]
    conversation.receive("4 _members Mika%202:host - - -")
    assert conversation.order() == ["0 _start"]
    conversation.receive("5 _you Mika%202 table-7")
    for number, line in enumerate(["gamestart A a b c d", "ready?"], 6):
        conversation.receive(f"{number} {line}")
    assert conversation.has_seat and not conversation.gathering
    conversation.receive("8 _away B")
    assert conversation.notice == "b is away."
    conversation.receive("9 _say C 3")
    assert conversation.notice == f"c: {PHRASES[2]}"
    assert {len(words.phrases) for words in WORDS.values()} == {len(PHRASES)}
    assert options() >= {"_table=K7MQ2XAB", "_seat=free:table-7"}


def test_a_user_logs_in_where_the_server_says_so() -> None:
    """User and password are in the hello, in place of a guest's secret; to any other server nothing is sent."""
    facts = ClientFacts("alice", user="alice", password="right horse")
    conversation = TableConversation(facts, guest="k" * 22)
    (said,) = conversation.receive("0 hello ump=0.1 name=ump _auth=password,token")
    assert {"name=alice", "user=alice", "password=right%20horse"} <= set(said.split())
    assert "_guest=" not in said
    conversation.begin()
    with pytest.raises(ServerRefusal, match="nothing was sent"):
        conversation.receive("0 hello ump=0.1 name=ump")


def test_a_report() -> None:
    """It has the words of the other dialects: a seat and a reason."""
    assert TableConversation(ClientFacts("alice")).report("B program") == []
    conversation = at_first_question()
    assert conversation.report(" d Sabotage ") == ["0 _report D sabotage"]
    for wrong in ("", "D", "E program", "D luck", "D program x"):
        assert conversation.report(wrong) == []
