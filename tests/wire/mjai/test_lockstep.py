"""Lock-step: one message out, one reply awaited; clients that are late, early, silent or wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.mjai_session_driver import BANK, GRACE, MOVE, MjaiSessionDriver
from support.rows import each_row
from support.scenario import Scenario

from ump.model.actions import Chi, Discard, Pass, Pon, Riichi, Ron
from ump.model.claims import Claim, Reason, Verb
from ump.model.events import DoraRevealed, GameEnded
from ump.model.notation import parse_mjai_face
from ump.rules.presets import PRESETS
from ump.wire.mjai.lockstep_session import MAX_WAITING, LockstepSession, read_join
from ump.wire.outbox import REPLY_SECONDS
from ump.wire.session import (
    Answered,
    Farewell,
    InStep,
    Introduced,
    Introduction,
    Stale,
    Staleness,
    TableInfo,
    Unreadable,
    Violated,
)
from ump.wire.text import WireError

F = parse_mjai_face
Said = dict[str, Any]

NONE: Said = {"type": "none"}
JOIN: Said = {"type": "join", "name": "alice", "room": "default"}
QUIET = {"A": "19m159p19s123456z", "B": "46p147s12347z258m", "C": "55p369m258s12356z", "D": "147m279p369s1467z"}
ONE_OFF = "234m678m345s68p8p1z"
ENDED = GameEnded((40_000, 30_000, 20_000, 10_000), (1, 2, 3, 4), (500, 100, -200, -400))


def driver(letter: str = "A", draws: str = "8m", **hands: str) -> MjaiSessionDriver:
    """Seat a client that is ready for the deal."""
    game = MjaiSessionDriver(LockstepSession(), Scenario(hands or QUIET, draws), letter, JOIN).begin()
    (start,) = game.hear()
    assert start["type"] == "start_game"
    assert isinstance(game.say(NONE), Answered)
    assert game.is_ready
    return game


def at_turn(draws: str = "8m", **hands: str) -> MjaiSessionDriver:
    """Let A draw and receive its tile."""
    game = driver("A", draws, **hands).deal()
    assert [said["type"] for said in game.hear()] == ["start_kyoku"]
    game.say(NONE)
    assert [said["type"] for said in game.hear()] == ["tsumo"]
    return game


def at_riichi() -> MjaiSessionDriver:
    """Let A declare riichi and receive its echo."""
    game = at_turn("4p", A=ONE_OFF)
    assert game.say({"type": "reach", "actor": 0}) == InStep()
    (echo,) = game.hear()
    assert echo == {
        "type": "reach",
        "actor": 0,
        "cannot_dahai": ["2m", "3m", "4m", "6m", "7m", "8m", "4p", "6p", "8p", "3s", "4s", "5s"],
    }
    return game


# Joining


@each_row(
    ("join", "introduction"),
    [
        (JOIN, Introduction(name="alice")),
        ({"type": "join", "name": "alice", "room": ""}, Introduction(name="alice")),
        ({"type": "join", "name": "alice"}, Introduction(name="alice")),
        ({"room": "east", "name": "牌", "type": "join", "x": 1}, Introduction(name="牌", room="east")),
    ],
)
def test_join_introduces_the_client(join: Said, introduction: Introduction) -> None:
    """The server speaks first; the name of gimite's only room means our first room."""
    session = LockstepSession()
    session.greet()
    assert session.take() == ['{"type":"hello","protocol":"mjsonp","protocol_version":3}']
    assert session.receive(b" ", 0.0) == Stale(Staleness.EMPTY)
    assert session.receive(json.dumps(join).encode(), 0.0) == Introduced(introduction)
    assert session.receive(b'{"type":"none"}', 0.0) == Stale(Staleness.NO_QUESTION)
    assert session.take() == []
    assert session.due() is None


@each_row(
    "first",
    [
        b"hello name=alice",
        b"[]",
        b"\xff",
        b'{"type":"none"}',
        b'{"type":"join","room":"default"}',
        b'{"type":"join","name":"","room":"default"}',
        b'{"type":"join","name":"a\\u0000","room":"default"}',
        b'{"type":"join","name":"\\ud800","room":"default"}',
        b'{"type":"join","name":["a"],"room":"default"}',
        b'{"type":"join","name":"a","room":1}',
        b'{"type":"join","name":"a","room":"default?game=tonpu"}',
        b'{"type":"join","name":"a","room":"' + b"x" * 40 + b'"}',
        b'{"type":"join","name":"' + b"x" * 40 + b'"}',
    ],
)
def test_a_wrong_first_message_ends_the_connection(first: bytes) -> None:
    """A wrong first message ends the connection, with an error that names the fault."""
    session = LockstepSession()
    received = session.receive(first, 0.0)
    assert isinstance(received, Violated)
    session.error(received.message)
    (text,) = session.take()
    assert json.loads(text) == {"type": "error", "message": received.message}
    assert session.receive(b'{"type":"join","name":"a","room":"default"}', 0.0) == Stale(Staleness.CLOSING)
    with pytest.raises(WireError):
        read_join(first)


# One at a time


def test_nothing_is_sent_before_the_reply() -> None:
    """One line is out, and the next follows its reply, however much happens."""
    game = driver("D").deal()
    assert [said["type"] for said in game.hear()] == ["start_kyoku"]
    game("A sute 1m")
    assert game.hear() == []
    heard = []
    for _ in range(3):
        assert game.say(NONE) == InStep()
        heard += game.hear()
    assert [said["type"] for said in heard] == ["tsumo", "dahai", "tsumo"]
    assert heard[1]["possible_actions"] == []
    assert "possible_actions" not in heard[0]


def test_an_extra_line_is_dropped() -> None:
    """It does not count as the reply to a later message."""
    game = at_turn()
    discard = {"type": "dahai", "actor": 0, "pai": "8m", "tsumogiri": True}
    assert isinstance(game.say(discard), Answered)
    assert game.say(discard) == Stale(Staleness.NO_QUESTION)
    assert game.say(NONE) == Stale(Staleness.NO_QUESTION)


def test_the_event_of_the_own_discard_needs_a_reply() -> None:
    """It lists no possible actions."""
    game = at_turn()
    game.say({"type": "dahai", "actor": 0, "pai": "1m", "tsumogiri": False})
    assert game.hear() == [{"type": "dahai", "actor": 0, "pai": "1m", "tsumogiri": False}]
    assert game.say(NONE) == InStep()
    assert game.hear() == [{"type": "tsumo", "actor": 1, "pai": "?"}]


def test_offers_stand_in_the_event_that_asks() -> None:
    """The event asks the question, and the reply to it decides."""
    game = driver("C").deal()("A sute 5p")
    game.hear()
    game.say(NONE)
    game.hear()
    game.say(NONE)
    (discard,) = game.hear()
    assert discard["possible_actions"] == [
        {"type": "pon", "actor": 2, "target": 0, "pai": "5p", "consumed": ["5p", "5p"]}
    ]
    assert game.say({"type": "pon", "consumed": ["5p", "5p"]}) == Answered(2, Claim(Verb.PON, (F("5p"), F("5p"))))


def test_a_call_is_answered_by_a_discard() -> None:
    """The event of the call lists the tiles that kuikae forbids."""
    game = driver("C").deal()("A sute 5p", "B no")
    for _ in range(3):
        (said,) = game.hear()
        game.say({"type": "pon"} if said["type"] == "dahai" else NONE)
    assert game.played == [Pon((F("5p"), F("5p")))]
    (echo,) = game.hear()
    assert echo == {
        "type": "pon",
        "actor": 2,
        "target": 0,
        "pai": "5p",
        "consumed": ["5p", "5p"],
        "cannot_dahai": [],
    }
    assert isinstance(game.say({"type": "dahai", "actor": 2, "pai": "3m", "tsumogiri": False}), Answered)
    assert game.played[-1] == Discard(F("3m"))


# Wrong replies

WRONG: dict[str, tuple[Said | bytes, Reason]] = {
    "no JSON": (b"dahai", Reason.UNREADABLE),
    "an array": (b"[1]", Reason.UNREADABLE),
    "not UTF-8": (b"\xff\xfe", Reason.UNREADABLE),
    "none": (NONE, Reason.NOT_ASKED),
    "another's action": ({"type": "dahai", "actor": 3, "pai": "8m", "tsumogiri": True}, Reason.UNREADABLE),
    "a tile that is not held": ({"type": "dahai", "actor": 0, "pai": "C", "tsumogiri": False}, Reason.NOT_HELD),
    "a win with an incomplete hand": ({"type": "hora", "actor": 0, "target": 0, "pai": "8m"}, Reason.NOT_COMPLETE),
    "riichi without tenpai": ({"type": "reach", "actor": 0}, Reason.NOT_TENPAI),
    "a call on the own turn": ({"type": "chi", "actor": 0, "consumed": ["1m", "2m"]}, Reason.NOT_ASKED),
    "no type that we know": ({"type": "sing"}, Reason.UNREADABLE),
}


@each_row("wrong", WRONG)
def test_a_wrong_decision_becomes_the_default(wrong: str) -> None:
    """Nobody receives a message about it; the drawn tile is discarded, and the client stays in step."""
    reply, reason = WRONG[wrong]
    game = at_turn()
    assert isinstance(game.say(reply), (Answered, Unreadable))
    assert game.refused == [reason]
    assert game.played == [Discard(F("8m"), tsumogiri=True)]
    assert game.hear() == [{"type": "dahai", "actor": 0, "pai": "8m", "tsumogiri": True}]
    assert game.say(NONE) == InStep()
    assert [said["type"] for said in game.hear()] == ["tsumo"]


def test_a_question_asked_again_is_given_up_at_once() -> None:
    """No message is left that the repeated question could belong to."""
    game = at_turn()
    game.ask_again()
    assert [type(each) for each in game.wait(0.0)] == [Unreadable]
    assert game.played == [Discard(F("8m"), tsumogiri=True)]


@each_row(
    ("reply", "received"),
    [
        (b"{", Stale(Staleness.UNREADABLE)),
        ({"type": "dahai", "actor": 0, "pai": "1m", "tsumogiri": False}, Stale(Staleness.NO_QUESTION)),
        ({"type": "none", "log": "x"}, InStep()),
    ],
)
def test_a_wrong_reply_that_decides_nothing_is_a_reply(reply: Said | bytes, received: object) -> None:
    """It counts as a fault, and the next message goes out."""
    game = driver("D").deal()
    game.hear()
    assert game.say(reply) == received
    assert [said["type"] for said in game.hear()] == ["tsumo"]


# Late replies


def test_a_reply_that_decides_nothing_has_a_deadline() -> None:
    """After the deadline the next message goes out, and one late line is dropped."""
    game = driver("D").deal()
    game.hear()
    assert game.session.due() == game.now + REPLY_SECONDS
    assert game.wait(REPLY_SECONDS - 0.1) == []
    assert game.hear() == []
    assert game.wait(0.1) == []
    assert [said["type"] for said in game.hear()] == ["tsumo"]
    assert game.say(NONE) == Stale(Staleness.LATE)
    assert game.say(NONE) == InStep()
    assert game.say(NONE) == Stale(Staleness.NO_QUESTION)


def test_a_decision_has_the_tables_time() -> None:
    """It is overdue when the table lapses the question; then its late answer is dropped."""
    game = at_turn()
    assert game.session.due() is None
    assert game.time_out() == []
    assert game.played == [Discard(F("8m"), tsumogiri=True)]
    assert [said["type"] for said in game.hear()] == ["dahai"]
    late = {"type": "dahai", "actor": 0, "pai": "1m", "tsumogiri": False}
    assert game.say(late) == Stale(Staleness.LATE)
    assert game.say(NONE) == InStep()
    assert [said["type"] for said in game.hear()] == ["tsumo"]


def test_when_others_decide_the_reply_decides_nothing_any_more() -> None:
    """The reply is still awaited, with a deadline of its own, and never counts as a fault."""
    hands = {**QUIET, "D": "234m678m345s46p88p"}
    game = driver("C", **hands).deal()
    for _ in range(2):
        game.hear()
        game.say(NONE)
    game("A sute 5p")
    game.hear()
    game.say(NONE) if not game.is_asked else None
    game.hear()
    assert game.is_asked
    game("B no", "D ron")
    assert not game.is_asked
    assert game.session.due() == game.now + REPLY_SECONDS
    assert game.say({"type": "pon", "actor": 2, "target": 0, "pai": "5p", "consumed": ["5p", "5p"]}) == InStep()
    assert [said["type"] for said in game.hear()] == ["hora"]


def test_a_question_that_lapses_before_it_is_sent_offers_nothing() -> None:
    """A client that lags behind receives no offers that are gone."""
    hands = {**QUIET, "D": "234m678m345s46p88p"}
    game = driver("C", **hands).deal()("A sute 5p", "B no", "D ron")
    heard = game.hear()
    while len(heard) < 4:
        assert game.say(NONE) == InStep()
        heard += game.hear()
    assert [said["type"] for said in heard] == ["start_kyoku", "tsumo", "dahai", "hora"]
    assert heard[2]["possible_actions"] == []


def test_the_clock_of_a_decision_runs_while_the_client_owes_other_replies() -> None:
    """The question lapses before it is sent; the client catches up and stays in step."""
    game = driver().deal()
    game.hear()
    game.wait(REPLY_SECONDS - 1)
    game.time_out()
    assert game.played == [Discard(F("8m"), tsumogiri=True)]
    heard: list[Any] = []
    for _ in range(4):
        heard += game.hear()
        game.say(NONE)
    assert [said["type"] for said in heard] == ["tsumo", "dahai", "tsumo"]
    assert game.played == [Discard(F("8m"), tsumogiri=True)]


def test_the_outbox_is_bounded() -> None:
    """A client that replies to nothing while hundreds of messages wait is given up."""
    game = driver("D").deal()
    game.hear()
    game.tell(*[DoraRevealed(0)] * (MAX_WAITING - 2))
    assert game.session.due() == game.now + REPLY_SECONDS
    game.tell(DoraRevealed(0), DoraRevealed(0))
    assert game.session.due() == game.now
    assert isinstance(game.session.tick(game.now), Violated)
    assert isinstance(game.say(NONE), Violated)


# Ready


def test_the_reply_to_start_game_says_ready() -> None:
    """Any reply does."""
    game = MjaiSessionDriver(LockstepSession(), Scenario(QUIET), "B", JOIN).begin()
    assert game.hear() == [{"type": "start_game", "id": 1, "names": ["A", "B", "C", "D"]}]
    assert game.session.due() is None
    assert isinstance(game.say(b"garbage"), Answered)
    assert game.is_ready


def won() -> MjaiSessionDriver:
    """Let A win with its first tile and receive the win."""
    game = at_turn("5p", A="234m678m345s46p88p")
    game.say({"type": "hora"})
    game.ask_ready()
    assert [said["type"] for said in game.hear()] == ["hora"]
    return game


def test_the_reply_to_end_kyoku_says_ready() -> None:
    """It is sent after the replies to all earlier messages, and only once."""
    game = won()
    assert not game.is_ready
    assert game.say(NONE) == InStep()
    assert game.hear() == [{"type": "end_kyoku"}]
    assert not game.is_ready
    assert isinstance(game.say(NONE), Answered)
    assert game.is_ready
    game.end_kyoku()
    assert game.hear() == []


def test_a_missing_reply_to_end_kyoku_delays_nobody() -> None:
    """The table's time runs for it and the table counts it as silence; the late line is dropped."""
    game = won()
    game.say(NONE)
    game.hear()
    assert game.session.due() is None
    game.session.lapse(game._number, game.now, by_time=True)
    game.end_kyoku()
    game.tell(ENDED)
    assert [said["type"] for said in game.hear()] == ["end_game"]
    assert game.say(NONE) == Stale(Staleness.LATE)


def test_tenpai_is_automatic() -> None:
    """The session answers the question at once, and the client does not receive it."""
    hands = {"A": "123456789m111z2z", "B": "123456789p222z3z", "C": "123456789s333z4z", "D": "234m234p234s555z7z"}
    game = driver("A", **hands).deal()
    scenario = game.scenario.to_the_end()
    game._pass_on([])
    assert [type(each) for each in game.wait(0.0)] == [Answered]
    assert game.scenario is scenario
    assert len(game.played) == 1


# Riichi in two steps


def test_riichi_takes_two_replies() -> None:
    """The client receives its echo at once; with the tile it becomes one answer."""
    game = at_riichi()
    assert game.played == []
    received = game.say({"type": "dahai", "actor": 0, "pai": "E", "tsumogiri": False})
    assert isinstance(received, Answered)
    assert game.played == [Riichi(F("E"))]
    heard = game.hear()
    while len(heard) < 3:
        game.say(NONE)
        heard += game.hear()
    assert [said["type"] for said in heard] == ["dahai", "reach_accepted", "tsumo"]


def test_the_others_receive_riichi_as_two_messages() -> None:
    """Each of the two messages needs a reply."""
    game = driver("D", "4p", A=ONE_OFF).deal()("A richi 1z")
    heard = game.hear()
    for _ in range(4):
        assert game.say(NONE) == InStep()
        heard += game.hear()
    assert [said["type"] for said in heard] == ["start_kyoku", "tsumo", "reach", "dahai", "reach_accepted"]
    assert "cannot_dahai" not in heard[2]


WRONG_TILES: list[Said | bytes] = [
    {"type": "dahai", "actor": 0, "pai": "2m", "tsumogiri": False},
    {"type": "dahai", "actor": 0, "pai": "4p", "tsumogiri": True},
    {"type": "dahai", "actor": 1, "pai": "E", "tsumogiri": False},
    {"type": "reach", "actor": 0},
    NONE,
    b"{}",
    b"\x00",
]


@each_row("reply", WRONG_TILES)
def test_a_wrong_tile_does_not_take_riichi_back(reply: Said | bytes) -> None:
    """The drawn tile would break the hand, so the rightmost legal tile is discarded."""
    game = at_riichi()
    assert isinstance(game.say(reply), Answered)
    assert game.played == [Riichi(F("E"))]
    assert [said["type"] for said in game.hear()] == ["dahai"]


def test_a_missing_tile_does_not_take_riichi_back() -> None:
    """Shortly before the table's deadline the session names a tile; the late line is dropped."""
    game = at_riichi()
    assert game.session.due() == game.now + MOVE + BANK
    assert game.wait(MOVE + BANK - 0.1) == []
    assert [type(each) for each in game.wait(0.1)] == [Answered]
    assert game.played == [Riichi(F("E"))]
    assert [said["type"] for said in game.hear()] == ["dahai"]
    assert game.say({"type": "dahai", "actor": 0, "pai": "E", "tsumogiri": False}) == Stale(Staleness.LATE)
    assert game.say(NONE) == InStep()
    assert GRACE > 0


def test_the_drawn_tile_goes_if_it_is_legal() -> None:
    """The drawn tile is discarded if the hand stays tenpai without it."""
    game = at_turn("1z", A="234m678m345s4688p")
    game.say({"type": "reach", "actor": 0})
    game.hear()
    game.say(NONE)
    assert game.played == [Riichi(F("E"), tsumogiri=True)]


def test_a_lapsed_riichi_leaves_the_client_in_step() -> None:
    """After a standstill of the server, the drawn tile is discarded without riichi."""
    game = at_riichi()
    game.session.lapse(game._number, game.now + 60, by_time=True)
    question, game._question = game._question, None
    assert question is not None
    game._play(question, question.default())
    assert game.hear() == [{"type": "dahai", "actor": 0, "pai": "4p", "tsumogiri": True}]
    assert game.say(NONE) == Stale(Staleness.LATE)
    assert game.say(NONE) == InStep()
    assert [said["type"] for said in game.hear()] == ["tsumo"]


# The end


def ended() -> MjaiSessionDriver:
    """Let the game end and the client receive the end."""
    game = won()
    game.say(NONE)
    game.hear()
    game.say(NONE)
    game.end_kyoku()
    game.tell(ENDED)
    game.session.bye()
    deltas = [-33_000, 21_000, 11_000, 1_000]
    assert game.hear() == [{"type": "end_game", "deltas": deltas, "scores": list(ENDED.points)}]
    return game


def test_the_reply_to_end_game_is_the_farewell() -> None:
    """The client may leave it out, and no later line is dropped."""
    game = ended()
    assert game.say(NONE) == Farewell()
    game = ended()
    game.wait(REPLY_SECONDS)
    assert game.say(NONE) == Stale(Staleness.NO_QUESTION)
    assert game.session.LINGER == 1.0


def test_another_game_may_follow() -> None:
    """The reply to the end of a game that another follows is an ordinary reply."""
    game = won()
    game.say(NONE)
    game.hear()
    game.say(NONE)
    game.end_kyoku()
    game.tell(ENDED)
    game.session.stand()
    game.hear()
    assert game.say(NONE) == InStep()
    game.session.sit(2, TableInfo("main-2", PRESETS["ump"]))
    assert game.session.due() is None


def test_a_game_without_an_end_ends_with_an_error() -> None:
    """The error names no cause, and is the same for all."""
    game = at_turn()
    game.session.bye()
    assert game.hear() == [{"type": "error", "message": "the game has ended without a result"}]


def test_a_closed_session_says_and_takes_nothing() -> None:
    """Only the error with which it was closed is sent."""
    game = at_turn()
    game.session.error("x" * 1_000)
    (text,) = game.hear()
    assert text == {"type": "error", "message": "x" * 160}
    assert game.say(NONE) == Stale(Staleness.CLOSING)
    assert game.session.due() is None
    assert game.hear() == []


def test_robbing_is_asked_with_the_kan() -> None:
    """The reply to the kakan decides, even if a dora was revealed with it."""
    hands = {"A": "1z147m258p369s235z", "B": "11z234m678m345s6p8p", "D": "19m19p19s2345677z"}
    game = driver("D", "7z9s9m9p1z", **hands).deal()
    game.scenario("A sute 1z", "D no", "B pon", "B sute 6p").pass_all().turns(3)
    game._pass_on([*game.scenario("B kakan 1z").last, DoraRevealed(0)])
    heard: list[Any] = []
    while not heard or heard[-1]["type"] != "kakan":
        heard += game.hear()
        if heard[-1]["type"] != "kakan":
            assert game.say(NONE) == InStep()
    assert heard[-1]["possible_actions"] == [{"type": "hora", "actor": 3, "target": 1, "pai": "E"}]
    assert isinstance(game.say({"type": "hora"}), Answered)
    assert game.played == [Ron()]


def test_claims_and_passes_reach_the_table() -> None:
    """A call is a claim, and none passes."""
    game = driver("B").deal()("A sute 5p")
    for _ in range(2):
        game.hear()
        game.say(NONE)
    game.hear()
    assert game.say({"type": "chi", "pai": "5p", "consumed": ["4p", "6p"]}) == Answered(
        2, Claim(Verb.CHI, (F("4p"), F("6p")))
    )
    assert game.played == [Chi((F("4p"), F("6p")))]


def test_none_passes() -> None:
    """A reply of ``none`` to a discard passes."""
    game = driver("B").deal()("A sute 5p", "C no")
    for _ in range(3):
        game.hear()
        game.say(NONE)
    assert game.played == [Pass()]


@each_row("explains", [False, True])
def test_a_client_can_ask_for_reasons(explains: bool) -> None:
    """With ``explain`` in its join, the next message says why a reply does not count; without, nothing differs."""
    join = {**JOIN, "explain": True} if explains else JOIN
    game = MjaiSessionDriver(LockstepSession(), Scenario(QUIET, "8m"), "A", join).begin()
    game.hear()
    game.say(NONE)
    game.deal().hear()
    game.say(NONE)
    game.hear()
    game.say({"type": "dahai", "actor": 0, "pai": "C", "tsumogiri": False})
    (default,) = game.hear()
    assert default["type"] == "dahai"
    assert default.pop("ack", None) == ({"status": "rejected", "reason": "not_held"} if explains else None)
    game.say(NONE)
    assert "ack" not in game.hear()[0]


def test_a_late_client_can_hear_that_it_is_late() -> None:
    """The next message says that the server has acted."""
    game = MjaiSessionDriver(LockstepSession(), Scenario(QUIET, "8m"), "A", {**JOIN, "explain": True}).begin()
    game.hear()
    game.say(NONE)
    game.deal().hear()
    game.say(NONE)
    game.hear()
    game.time_out()
    assert game.hear()[0]["ack"] == {"status": "defaulted", "reason": "late", "left": 0}
