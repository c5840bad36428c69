"""The Majiang session: the hello, lock-step, deadlines, and results that need no reply."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.rows import each_row

from ump.model import events as ev
from ump.model.actions import Action, Riichi
from ump.model.claims import Claim, Reason, Verb
from ump.model.events import DrawReason as Why
from ump.model.hand import Hand
from ump.model.notation import parse_majiang_face, parse_majiang_meld, parse_mpsz
from ump.model.phases import Phase
from ump.model.tiles import Face
from ump.rules.ruleset import Ruleset
from ump.table.receivers import Rendering
from ump.wire.majiang.session import MAX_WAITING, READING, MajiangSession
from ump.wire.outbox import REPLY_SECONDS
from ump.wire.session import (
    Answered,
    Farewell,
    InStep,
    Introduced,
    Introduction,
    Received,
    Stale,
    Staleness,
    TableInfo,
    Unreadable,
    Violated,
)
from ump.wire.text import MAX_ERROR

F = parse_majiang_face
NOW = 100.0
HAND = parse_mpsz("19m055p2346s1177z")
STARTED = ev.GameStarted(("a", "b", "c", "d"))
DEAL: list[ev.Event] = [
    ev.KyokuStarted(0, 0, 0, 0, (25_000,) * 4, (1, 1)),
    ev.HandDealt(0, HAND),
    ev.DoraRevealed(F("s0")),
]
DRAW = ev.TileDrawn(0, 69, F("m8"))
DISCARD = ev.TileDiscarded(1, F("m3"), False)
DRAWN = ev.KyokuDrawn(Why.SUUFON_RENDA, (0,) * 4)
ENDED = ev.GameEnded((25_000,) * 4, (1, 2, 3, 4), (150, 50, -50, -150))


class Ask:
    """A question as a session sees it."""

    def __init__(self, phase: Phase, tile: str | None = None, legal: tuple[Action, ...] = ()) -> None:
        self.phase = phase
        self.tile: Face | None = None if tile is None else F(tile)
        self.hand = Hand(HAND)
        self._legal = legal

    def legal(self) -> tuple[Action, ...]:
        """Return every legal action."""
        return self._legal

    def check(self, action: Action) -> None:
        """Accept the action."""


TURN = Ask(Phase.TURN, "m8")
CALL = Ask(Phase.CALL, "m3")


class Seat:
    """One session at seat 0, with a clock that is set by hand."""

    def __init__(self, **hello: Any) -> None:
        self.session = MajiangSession()
        self.now = NOW
        said = self.session.receive(json.dumps({"hello": hello}).encode(), self.now)
        assert isinstance(said, Introduced)
        self.session.sit(0, TableInfo("table", Ruleset()))

    def tell(self, *events: ev.Event) -> Seat:
        """Tell events, without sending anything yet."""
        for event in events:
            self.session.tell(Rendering(event), self.now)
        return self

    def ask(self, number: int, question: Ask | None, move: float = 10.0, bank: float = 20.0) -> Seat:
        """Ask a question."""
        self.session.ask(number, question, move, bank, self.now)
        return self

    def take(self) -> list[Any]:
        """Return the messages that are sent now."""
        return [json.loads(text) for text in self.session.take()]

    def say(self, reply: Any) -> Received:
        """Let the client send a message."""
        message = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
        return self.session.receive(message, self.now)

    def step(self, *events: ev.Event) -> Seat:
        """Tell events and reply to all of them."""
        self.tell(*events)
        while said := self.take():
            for message in said:
                if "seq" in message:
                    assert isinstance(self.say({"seq": message["seq"]}), InStep)
        return self

    def playing(self) -> Seat:
        """Begin a kyoku: the client replies to two messages."""
        return self.step(STARTED, *DEAL)


def types(messages: list[Any]) -> list[str]:
    """Return the types of messages."""
    return [next(iter(message)) for message in messages]


# Hello


def test_a_hello_introduces_the_client() -> None:
    """The hello becomes an introduction."""
    hello = {"name": "ち", "room": "main", "user": "u", "password": "p", "games": 3, "explain": True, "more": [1]}
    said = MajiangSession().receive(json.dumps({"hello": hello}).encode(), NOW)
    assert said == Introduced(Introduction("ち", "u", "p", "main", 3))


def test_a_hello_may_have_the_form_of_2015() -> None:
    """The hello may come in the form of 2015 itself."""
    said = MajiangSession().receive(b'{"type":"hello","data":{"name":"a"}}', NOW)
    assert said == Introduced(Introduction("a"))


BAD_HELLOS = [
    b"",
    b"hello",
    b"{}",
    b'{"hello":1}',
    b'{"seq":1}',
    b'["hello"]',
    b'{"hello":{"name":""}}',
    b'{"hello":{"name":"a\\nb"}}',
    b'{"hello":{"name":"\\ud800"}}',
    b'{"hello":{"name":7}}',
    b'{"hello":{"name":"' + b"x" * 33 + b'"}}',
    b'{"hello":{"room":"' + b"x" * 33 + b'"}}',
    b'{"hello":{"password":"' + b"x" * 257 + b'"}}',
    b'{"hello":{"games":-1}}',
    b'{"hello":{"games":true}}',
    b'{"hello":{"games":10001}}',
    b"\xff\xfe",
    b"[" * 1000,
]


@each_row("hello", BAD_HELLOS)
def test_a_bad_hello_ends_the_connection(hello: bytes) -> None:
    """A bad hello ends the connection with a message in ASCII."""
    said = MajiangSession().receive(hello, NOW)
    assert isinstance(said, Violated)
    assert said.message.isascii()


def test_a_second_hello_is_no_reply() -> None:
    """A hello has no seq."""
    seat = Seat().tell(STARTED)
    assert types(seat.take()) == ["kaiju"]
    assert seat.say({"hello": {}}) == Stale(Staleness.OTHER_ID)


# Lock-step


def test_one_message_is_out_at_a_time() -> None:
    """The next message goes out when the reply to the last one has come; the numbers have no gap."""
    seat = Seat().tell(STARTED, *DEAL, DRAW)
    (kaiju,) = seat.take()
    assert (kaiju["seq"], kaiju["timer"]) == (1, [5])
    assert seat.take() == []
    assert seat.say({"seq": 1}) == InStep()
    (qipai,) = seat.take()
    assert (types([qipai]), qipai["seq"]) == (["qipai"], 2)
    assert seat.say({"seq": 2}) == InStep()
    assert seat.take() == [{"zimo": {"l": 0, "p": "m8"}, "seq": 3, "timer": [5]}]


def test_an_indicator_has_no_number_and_waits_for_nothing() -> None:
    """An indicator goes out with the message after it."""
    seat = Seat().playing()
    meld = parse_majiang_meld("z1111", 1)
    seat.tell(ev.KanDeclared(1, meld))
    (gang,) = seat.take()
    seat.tell(ev.DoraRevealed(F("m1")), ev.TileDrawn(1, 60, None, True))
    assert seat.take() == []
    seat.say({"seq": gang["seq"]})
    kaigang, gangzimo = seat.take()
    assert kaigang == {"kaigang": {"baopai": "m1"}}
    assert gangzimo["seq"] == gang["seq"] + 1


def test_an_indicator_that_is_owed_overtakes_the_kan() -> None:
    """An owed indicator goes out before the kan, if the kan still waits."""
    seat = Seat().playing()
    seat.step(ev.TileCalled(1, parse_majiang_meld("z1111=", 1)), ev.TileDrawn(1, 60, None, True))
    seat.tell(ev.KanDeclared(1, parse_majiang_meld("z2222", 1)), ev.DoraRevealed(F("m1")), ev.DoraRevealed(F("m2")))
    kaigang, gang = seat.take()
    assert (kaigang, types([gang])) == ({"kaigang": {"baopai": "m1"}}, ["gang"])
    seat.say({"seq": gang["seq"]})
    assert seat.take() == [{"kaigang": {"baopai": "m2"}}]


STALE: list[tuple[Any, Staleness]] = [
    ({"seq": 2}, Staleness.OTHER_ID),
    ({"seq": 4, "dapai": "m8_"}, Staleness.OTHER_ID),
    ({"dapai": "m8_"}, Staleness.OTHER_ID),
    ({"seq": "3"}, Staleness.OTHER_ID),
    (b"  ", Staleness.EMPTY),
]


@each_row(("reply", "why"), STALE)
def test_another_seq_is_dropped(reply: Any, why: Staleness) -> None:
    """The right reply still counts after it."""
    seat = Seat().playing().tell(DRAW).ask(7, TURN)
    assert [message["seq"] for message in seat.take()] == [3]
    assert seat.say(reply) == Stale(why)
    assert seat.say({"seq": 3, "dapai": "m8_"}) == Answered(7, Claim(Verb.DISCARD, (F("m8"),), True))
    assert seat.say({"seq": 3, "dapai": "m8_"}) == Stale(Staleness.NO_QUESTION)


def test_nonsense_answers_a_question_and_nothing_else() -> None:
    """Nonsense has no seq, so it counts as the answer to an open question."""
    seat = Seat().playing().tell(DRAW)
    seat.take()
    assert seat.say(b"nonsense") == Stale(Staleness.UNREADABLE)
    assert seat.say({"seq": 3}) == InStep()
    seat.tell(ev.TileDiscarded(0, F("m8"), True), DISCARD).ask(7, CALL)
    seat.take()
    assert seat.say(b"nonsense") == Stale(Staleness.UNREADABLE), "the question hangs on the next message"
    assert seat.say({"seq": 4}) == InStep()
    seat.take()
    assert seat.say(b"nonsense") == Unreadable(7)
    assert seat.say({"seq": 5}) == Stale(Staleness.NO_QUESTION)


def test_a_reply_without_a_question_is_in_step() -> None:
    """Bots reply hule to every tile that completes them, asked or not; the reply does not count as a fault."""
    seat = Seat().playing().tell(DISCARD)
    seat.take()
    assert seat.say({"seq": 3, "hule": "-"}) == InStep()


def test_an_overdue_reply_is_given_up() -> None:
    """After the deadline the next message goes out, and the late reply is dropped."""
    seat = Seat().playing().tell(DISCARD, DRAW)
    seat.take()
    assert seat.session.due() == NOW + REPLY_SECONDS
    seat.now += REPLY_SECONDS - 0.1
    assert seat.session.tick(seat.now) is None
    assert seat.take() == []
    seat.now += 0.1
    assert seat.session.tick(seat.now) is None
    assert types(seat.take()) == ["zimo"]
    assert seat.say({"seq": 3}) == Stale(Staleness.LATE)
    assert seat.say({"seq": 4}) == InStep()


def test_a_decision_has_the_tables_time() -> None:
    """The session sets no deadline of its own."""
    seat = Seat().playing().tell(DRAW).ask(7, TURN)
    seat.take()
    assert seat.session.due() is None


def test_a_timeout_ends_the_wait_for_the_reply() -> None:
    """The reply is no longer awaited, and late when it comes."""
    seat = Seat().playing().tell(DRAW).ask(7, TURN)
    seat.take()
    seat.now += 30
    seat.session.lapse(7, seat.now, by_time=True)
    seat.tell(ev.TileDiscarded(0, F("m8"), True))
    assert types(seat.take()) == ["dapai"]
    assert seat.say({"seq": 3, "dapai": "m8_"}) == Stale(Staleness.LATE)
    assert seat.say({"seq": 4}) == InStep()


def test_a_reply_decides_nothing_after_others_decided() -> None:
    """The reply decides nothing any more, and has the deadline of such a reply."""
    seat = Seat().playing().tell(DISCARD).ask(7, CALL)
    seat.take()
    seat.now += 3
    seat.session.lapse(7, seat.now, by_time=False)
    assert seat.session.due() == seat.now + REPLY_SECONDS
    assert seat.say({"seq": 3, "fulou": "m333-"}) == InStep()


def test_a_message_is_sent_even_if_its_question_has_lapsed() -> None:
    """Its message still goes out, and the reply decides nothing."""
    seat = Seat().playing().tell(ev.TileDiscarded(3, F("z1"), False), DISCARD).ask(7, CALL)
    seat.take()
    seat.session.lapse(7, seat.now, by_time=False)
    seat.say({"seq": 3})
    assert [message["timer"] for message in seat.take()] == [[5]]
    assert seat.say({"seq": 4, "hule": "-"}) == InStep()


TIMERS = [(0.0, [10, 20]), (2.5, [7.5, 20]), (4.0, [6, 20]), (12.0, [0, 18]), (40.0, [0, 0])]


@each_row(("waited", "timer"), TIMERS)
def test_the_timer_of_a_delayed_message_has_the_time_left(waited: float, timer: list[float]) -> None:
    """The timer has the time that is left: the clock runs from the moment of the question."""
    seat = Seat().playing().tell(DISCARD, DRAW).ask(7, TURN)
    seat.take()
    seat.now += waited
    seat.say({"seq": 3})
    assert [message["timer"] for message in seat.take()] == [timer]


# Ready and tenpai


@each_row("reply", [{}, {"dapai": "x"}])
def test_ready_is_the_reply_to_the_result_of_a_kyoku(reply: dict[str, str]) -> None:
    """The replies to the first message of the game and to the last of each kyoku say ready."""
    seat = Seat().tell(STARTED).ask(1, None)
    assert [message["timer"] for message in seat.take()] == [[10]]
    assert seat.say(reply | {"seq": 1}) == Answered(1, Claim(Verb.YES))
    seat.step(*DEAL).tell(DRAWN).ask(2, None, move=3.0)
    assert [message["timer"] for message in seat.take()] == [[3]]
    assert seat.say(reply | {"seq": 3}) == Answered(2, Claim(Verb.YES))


def test_a_client_counts_as_ready_after_a_while() -> None:
    """A client that has replied before counts as ready after a while; for another the table decides."""
    seat = Seat().playing().tell(DRAWN).ask(2, None, move=60.0)
    seat.take()
    assert seat.session.due() == NOW + READING
    seat.now += READING
    assert seat.session.tick(seat.now) == Answered(2, Claim(Verb.YES))
    seat.tell(*DEAL)
    seat.take()
    seat.now += REPLY_SECONDS
    seat.session.tick(seat.now)
    seat.tell(DRAWN).ask(3, None, move=60.0)
    seat.take()
    assert seat.session.due() is None


DECLARED = [({"daopai": "-"}, Verb.YES), ({}, Verb.NO), ({"daopai": ""}, Verb.NO)]


@each_row(("reply", "verb"), DECLARED)
def test_the_reply_to_the_last_discard_declares_tenpai(reply: dict[str, str], verb: Verb) -> None:
    """The reply decides, before the question or after it."""
    seat = Seat().playing().tell(DISCARD)
    seat.take()
    assert seat.say(reply | {"seq": 3}) == InStep()
    seat.ask(7, Ask(Phase.DECLARE))
    due = seat.session.due()
    assert due is not None
    assert due <= seat.now
    assert seat.session.tick(seat.now) == Answered(7, Claim(verb), is_automatic=True)
    assert seat.session.tick(seat.now) is None
    seat.tell(DISCARD).ask(8, Ask(Phase.DECLARE))
    seat.take()
    assert seat.session.due() == seat.now + REPLY_SECONDS
    assert seat.say(reply | {"seq": 4}) == Answered(8, Claim(verb), is_automatic=True)


def test_one_reply_answers_call_and_tenpai() -> None:
    """One reply answers both questions: the call at once, tenpai when the table asks."""
    seat = Seat().playing().tell(DISCARD).ask(7, CALL)
    seat.take()
    assert seat.say({"seq": 3, "daopai": "-"}) == Answered(7, Claim(Verb.NO))
    seat.ask(8, Ask(Phase.DECLARE))
    assert seat.session.tick(seat.now) == Answered(8, Claim(Verb.YES), is_automatic=True)


def test_silence_declares_tenpai() -> None:
    """Silence declares tenpai, so that it costs no points."""
    seat = Seat().playing().tell(DISCARD).ask(7, Ask(Phase.DECLARE))
    seat.take()
    seat.now += REPLY_SECONDS
    assert seat.session.tick(seat.now) == Answered(7, Claim(Verb.YES), is_automatic=True)
    seat.tell(DISCARD)
    seat.take()
    seat.now += REPLY_SECONDS
    assert seat.session.tick(seat.now) is None
    seat.ask(8, Ask(Phase.DECLARE))
    assert seat.session.tick(seat.now) == Answered(8, Claim(Verb.YES), is_automatic=True)


def test_a_lapsed_tenpai_question_is_not_answered() -> None:
    """After the lapse the session answers nothing."""
    seat = Seat().playing().tell(DISCARD).ask(7, Ask(Phase.DECLARE))
    seat.take()
    seat.session.lapse(7, seat.now, by_time=True)
    assert seat.say({"seq": 3, "daopai": "-"}) == InStep()
    assert seat.session.due() is None


# Answers


RIICHI = [(("m8",), Verb.RIICHI), (("m1",), Verb.DISCARD), ((), Verb.DISCARD)]


@each_row(("legal", "verb"), RIICHI)
def test_an_illegal_mark_of_riichi_is_dropped(legal: tuple[str, ...], verb: Verb) -> None:
    """The tile is still discarded."""
    question = Ask(Phase.TURN, "m8", tuple(Riichi(F(tile)) for tile in legal))
    seat = Seat().playing().tell(DRAW).ask(7, question)
    seat.take()
    assert seat.say({"seq": 3, "dapai": "m8_*"}) == Answered(7, Claim(verb, (F("m8"),), True))


def test_refusals_go_to_clients_that_ask_for_reasons() -> None:
    """A client that asked for reasons receives them at once, without a number."""
    for explain in (False, True):
        seat = Seat(explain=explain).playing().tell(DRAW).ask(7, TURN)
        seat.take()
        assert isinstance(seat.say({"seq": 3, "gang": "m1111"}), Answered)
        seat.session.refuse(6, Reason.NOT_HELD, seat.now)
        seat.session.refuse(7, Reason.NOT_HELD, seat.now)
        assert seat.take() == [{"refused": {"seq": 3, "reason": "not_held"}}] * explain


def test_messages_of_2015_have_type_and_data() -> None:
    """Messages have type and data, with the number beside them."""
    seat = Seat(form="type-data", explain=True).playing().tell(DRAW).ask(7, TURN)
    assert seat.take() == [{"type": "zimo", "data": {"l": 0, "p": "m8"}, "seq": 3, "timer": [10, 20]}]
    assert seat.say({"type": "fule", "data": None, "seq": 3}) == Answered(7, Claim(Verb.TSUMO))
    seat.session.refuse(7, Reason.NOT_COMPLETE, seat.now)
    seat.session.error("no")
    assert seat.take() == [
        {"type": "refused", "data": {"seq": 3, "reason": "not_complete"}},
        {"type": "error", "data": {"message": "no"}},
    ]


# The end


def test_the_reply_to_jieju_is_the_farewell() -> None:
    """The reply to jieju ends the connection."""
    seat = Seat().playing().tell(ENDED)
    seat.session.bye()
    (jieju,) = seat.take()
    assert "timer" not in jieju
    assert seat.say({"seq": jieju["seq"]}) == Farewell()


def test_a_missing_reply_to_jieju_is_the_farewell() -> None:
    """Without a reply the session ends before the linger time is over."""
    seat = Seat().playing().tell(ENDED)
    seat.session.bye()
    seat.take()
    seat.now += REPLY_SECONDS
    assert REPLY_SECONDS < MajiangSession.LINGER
    assert seat.session.tick(seat.now) == Farewell()


def test_waiting_messages_go_out_with_the_farewell() -> None:
    """All messages go out, and only the reply to the last one is awaited."""
    seat = Seat().playing().tell(DISCARD, DRAWN, ENDED)
    assert types(seat.take()) == ["dapai"]
    seat.session.bye()
    assert types(seat.take()) == ["pingju", "jieju"]
    assert seat.say({"seq": 3}) == Stale(Staleness.OTHER_ID)
    assert seat.say({"seq": 5}) == Farewell()


def test_a_session_in_the_lobby_ends_at_once() -> None:
    """The session ends at once, because no reply is awaited."""
    seat = Seat()
    seat.session.bye()
    assert seat.take() == []
    due = seat.session.due()
    assert due is not None
    assert due <= seat.now
    assert seat.session.tick(seat.now) == Farewell()


def test_another_game_begins_with_number_1() -> None:
    """Another game begins with number 1, after the reply to the end of the last one."""
    seat = Seat().playing().tell(ENDED)
    (jieju,) = seat.take()
    seat.session.stand()
    seat.session.sit(2, TableInfo("next", Ruleset()))
    seat.tell(STARTED)
    assert seat.take() == []
    assert seat.say({"seq": jieju["seq"]}) == InStep()
    (kaiju,) = seat.take()
    assert (kaiju["seq"], kaiju["kaiju"]["id"], kaiju["kaiju"]["title"]) == (1, 2, "next")


def test_a_client_too_far_behind_is_closed() -> None:
    """The number of waiting messages is bounded."""
    seat = Seat().playing()
    for _ in range(MAX_WAITING + 2):
        seat.tell(DISCARD)
    seat.take()
    assert seat.session.due() == seat.now
    assert isinstance(seat.session.tick(seat.now), Violated)
    for _ in range(MAX_WAITING + 2):
        seat.tell(DISCARD)
    assert isinstance(seat.say({"seq": 3}), Violated)


def test_an_error_ends_the_session() -> None:
    """The text of an error is bounded, and the session drops everything after it."""
    seat = Seat().playing().tell(DRAW).ask(7, TURN)
    seat.take()
    seat.session.error("ü" * 1_000)
    assert seat.take() == [{"error": {"message": "ü" * MAX_ERROR}}]
    assert seat.say({"seq": 3, "dapai": "m8_"}) == Stale(Staleness.CLOSING)
    assert seat.session.due() is None
    assert seat.session.tick(seat.now) is None


# Anything

JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
WORDS = st.sampled_from(("hello", "seq", "daopai", "hule", "gang", "dapai", "fulou", "type", "data", "form"))
TILES = st.text(alphabet="mpsz0123456789_*-=+,", max_size=8)
REPLIES = st.dictionaries(WORDS, TILES | JSONS | st.integers(0, 9), max_size=4).map(
    lambda said: json.dumps(said).encode()
)
ANYTHING = st.binary(max_size=60) | REPLIES | JSONS.map(lambda said: json.dumps(said).encode())
EVENTS: list[ev.Event] = [DRAW, DISCARD, DRAWN, ev.DoraRevealed(F("m1")), ENDED, STARTED]
ASKS: list[Ask | None] = [TURN, CALL, Ask(Phase.TURN), Ask(Phase.CHANKAN, "m3"), Ask(Phase.DECLARE), None]
DEEDS = st.one_of(
    ANYTHING,
    st.sampled_from(EVENTS),
    st.tuples(st.sampled_from(EVENTS), st.sampled_from(ASKS)),
    st.floats(0, 10),
    st.booleans(),
)


@pytest.mark.no_cover
@given(st.lists(DEEDS, max_size=30), st.booleans())
def test_any_message_becomes_a_received_value(deeds: list[Any], is_old: bool) -> None:
    """Any message at any time is one value of ``Received``; everything sent is one object a line."""
    seat = Seat(form="type-data" if is_old else "", explain=True).playing()
    number = 0
    for deed in deeds:
        match deed:
            case bytes():
                assert isinstance(seat.say(deed), Received)
            case bool():
                seat.session.lapse(number, seat.now, by_time=deed)
            case float():
                seat.now += deed
                assert isinstance(seat.session.tick(seat.now), Received | None)
            case (event, question):
                number += 1
                seat.tell(event).ask(number, question)
                seat.session.refuse(number - 1, Reason.NOT_HELD, seat.now)
            case event:
                seat.tell(event)
        assert all(isinstance(message, dict) for message in seat.take())


@pytest.mark.no_cover
@given(st.lists(ANYTHING, max_size=5))
def test_any_message_before_the_hello_becomes_a_received_value(messages: list[bytes]) -> None:
    """Any message before the hello is an introduction, a violation or stale."""
    session = MajiangSession()
    session.greet()
    for message in messages:
        assert isinstance(session.receive(message, NOW), Introduced | Violated | Stale)
        assert session.take() == []
