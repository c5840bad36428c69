"""Tests the server's side of a connection in 0.2: its start, its questions, and the meaning of lines."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.rows import each_row
from support.session_table import FakeQuestion, ump02

from ump.model.actions import Ankan, Chi, Discard, Pass, Pon, Riichi, Ron, Tsumo
from ump.model.claims import Claim, Reason, Verb
from ump.model.events import DoraRevealed, Event, GameStarted, HandDealt, KyokuStarted, RiichiDeclared, RiichiPaid
from ump.model.notation import parse_ump_face, parse_ump_faces
from ump.model.phases import Phase
from ump.rules.presets import PRESETS
from ump.table.receivers import Rendering
from ump.wire.session import (
    Answered,
    Farewell,
    InStep,
    Introduced,
    Introduction,
    Received,
    Session,
    Stale,
    Staleness,
    TableInfo,
    Unreadable,
    Violated,
)
from ump.wire.text import MAX_LINE, MAX_WRITTEN
from ump.wire.ump.sentences01 import Hello
from ump.wire.ump.session import UmpSession

F, FACES = parse_ump_face, parse_ump_faces
SETTING = TableInfo("main-1", PRESETS["ump"])

TURN = (Discard(F("1m")), Riichi(F("5z")), Ankan(F("1m")), Tsumo())
CALL = (Pass(), Chi((F("4m"), F("6m"))), Pon((F("5m"), F("5M"))), Ron())

QUESTIONS: dict[str, FakeQuestion | None] = {
    "turn": FakeQuestion(Phase.TURN, F("1m"), TURN),
    "after call": FakeQuestion(Phase.TURN, None, (Discard(F("1m")),)),
    "call": FakeQuestion(Phase.CALL, F("5m"), CALL),
    "chankan": FakeQuestion(Phase.CHANKAN, F("5m"), (Pass(), Ron())),
    "declare": FakeQuestion(Phase.DECLARE),
    "ready": None,
}


def seated(options: Mapping[str, str] | None = None) -> Session:
    """Return a session at seat C."""
    session = ump02(options)
    session.sit(2, SETTING)
    return session


def asked(question: str, options: Mapping[str, str] | None = None) -> Session:
    """Return a session in which question number 7 is open, with id 1."""
    session = seated(options)
    session.ask(7, QUESTIONS[question], 10, 20, 0.0)
    (line,) = session.take()
    assert line.startswith("1 ")
    return session


# Taking over


def test_a_hello_chooses_0_2() -> None:
    """The hello of 0.1 has id 0; after ``ump=0.2`` the connection goes on in 0.2 with id 1."""
    session = UmpSession(Hello((("ump", "0.1"),)))
    session.greet()
    assert session.take() == ["0 hello ump=0.1"]
    assert session.receive(b"0 hello name=bot0 ump=0.2", 0.0) == Introduced(Introduction(name="bot0"))
    assert session.DIALECT == "UMP 0.2"
    assert session.take() == []
    session.sit(2, SETTING)
    session.tell(Rendering(GameStarted(("a", "b", "c", "d"))), 0.0)
    assert session.take()[0] == "1 seat gameid=main-1 C0"


def test_limits_are_those_of_0_1() -> None:
    """Line length and retries are those of 0.1; there is no farewell to wait for."""
    session = seated()
    assert (session.MAX_MESSAGE, session.RETRIES, session.LINGER) == (MAX_LINE, 2, 0)
    assert session.due() is None
    session.bye()
    assert session.take() == []


# Events


def told(session: Session, *events: Event) -> list[str]:
    """Send these events, and return the lines."""
    for event in events:
        session.tell(Rendering(event), 0.0)
    return session.take()


HAND = FACES("1m2m3m4m5M6m7m8m9m1p2p3p4p")
START = KyokuStarted(0, 1, 0, 0, (25000,) * 4, (2, 6))
DEALT = [HandDealt(seat, HAND) for seat in (1, 2, 3, 0)]


def test_the_dora_is_sent_before_the_hands() -> None:
    """Hands wait for the dora; other players' tiles are hidden."""
    session = seated()
    assert len(told(session, START)) == 6
    assert told(session, *DEALT) == []
    lines = told(session, DoraRevealed(F("8p")))
    assert [line.split(" ", 1)[1] for line in lines[:5]] == [
        "dora 9p 8p",
        "haipai B0 xxxxxxxx",
        "haipai C0 1m2m3m4m",
        "haipai D0 xxxxxxxx",
        "haipai A0 xxxxxxxx",
    ]
    assert [line.split(" ", 1)[1] for line in lines[-4:]] == [
        "haipai B0 xx",
        "haipai C0 4p",
        "haipai D0 xx",
        "haipai A0 xx",
    ]
    assert [int(line.split()[0]) for line in lines] == list(range(7, 24))
    assert told(session, DoraRevealed(F("1m"))) == ["24 dora 2m 1m"]


def test_hands_of_a_broken_kyoku_are_dropped() -> None:
    """A kyoku that ends before the dora leaves nothing behind."""
    session = seated()
    told(session, START, *DEALT)
    told(session, START, *DEALT[:1])
    assert len(told(session, DoraRevealed(F("8p")))) == 5


def test_spectators_have_no_seat() -> None:
    """A spectator receives no ``seat`` and only hidden hands."""
    session = ump02()
    session.watch()
    assert told(session, GameStarted(("a", "b")))[0] == "1 player A0 a"
    lines = told(session, START, *DEALT, DoraRevealed(F("8p")))
    assert {line.split()[3] for line in lines if " haipai " in line} == {"xxxxxxxx", "xx"}


def test_a_second_game_has_its_own_seat() -> None:
    """Ids go on in the second game; everything else starts again."""
    session = seated()
    told(session, GameStarted(("a", "b", "c", "d")))
    session.stand()
    session.sit(0, TableInfo("main-2", PRESETS["ump"]))
    assert told(session, GameStarted(("a", "b", "c", "d")))[0] == "7 seat gameid=main-2 A0"


# Questions

ASKED = [
    ("turn", "sutehai? richi=5z tsumo ankan"),
    ("after call", "sutehai?"),
    ("call", "naki? 5m ron pon chi"),
    ("chankan", "naki? 5m ron"),
    ("declare", "tenpai?"),
    ("ready", "ready?"),
]


@each_row(("question", "text"), ASKED)
@pytest.mark.parametrize("options", [{}, {"_offer": "1", "_hand": "1", "_time": "1"}])
def test_questions_carry_offers(question: str, text: str, options: Mapping[str, str]) -> None:
    """Offers are always sent; the extensions of 0.1 are ignored."""
    session = seated(options)
    session.ask(7, QUESTIONS[question], 10, 20, 0.0)
    assert session.take() == [f"1 {text}"]


def test_explain_sends_refusals_and_waiting() -> None:
    """``_illegal`` and ``_waiting`` are sent with ``_explain=1`` only."""
    for options, lines in (({"_explain": "1"}, ["2 _illegal 1 furiten", "3 _waiting 2 4"]), ({}, [])):
        session = asked("call", options)
        session.receive(b"1 ron", 0.0)
        session.refuse(6, Reason.FURITEN, 0.0)
        session.refuse(7, Reason.FURITEN, 0.0)
        session.wait(2, 4)
        assert session.take() == lines


@each_row("message", ["no such=room", "a\r\n5 bye", "\U0001f004" * 5000, "="])
def test_an_error_is_one_short_word(message: str) -> None:
    """Any message becomes one word without ``=``, after which the connection is closing."""
    session = asked("turn")
    session.error(message)
    (line,) = session.take()
    assert line.startswith("2 error ")
    assert line.isprintable()
    assert "=" not in line
    assert len(line) <= MAX_WRITTEN
    assert session.receive(b"1 sutehai 5m", 0.0) == Stale(Staleness.CLOSING)
    assert session.receive(b"1 x datasize=5", 0.0) == Stale(Staleness.CLOSING)


# Answers

ANSWERED: list[tuple[str, str, Received]] = [
    ("turn", "1 sutehai 5m", Answered(7, Claim(Verb.DISCARD, (F("5m"),)))),
    ("turn", "sutehai 5m", Answered(7, Claim(Verb.DISCARD, (F("5m"),)))),
    ("turn", "01 sutehai 5m", Answered(7, Claim(Verb.DISCARD, (F("5m"),)))),
    ("turn", " 1\tsutehai   5m  tsumogiri ", Answered(7, Claim(Verb.DISCARD, (F("5m"),), tsumogiri=True))),
    ("turn", "1 a=1 sutehai b=2 5m c=%20", Answered(7, Claim(Verb.DISCARD, (F("5m"),)))),
    ("turn", "1 sutehai 5z richi", Answered(7, Claim(Verb.RIICHI, (F("5z"),)))),
    ("turn", "1 sutehai 5m richi", Answered(7, Claim(Verb.DISCARD, (F("5m"),)))),
    ("after call", "1 sutehai 1m richi", Answered(7, Claim(Verb.DISCARD, (F("1m"),)))),
    ("turn", "1 ankan 1m1m1m1m", Answered(7, Claim(Verb.ANKAN, FACES("1m1m1m1m")))),
    ("turn", "1 no", Answered(7, Claim(Verb.NO))),
    ("turn", "1 sute 5m", Unreadable(7)),
    ("turn", "1 sutehai", Unreadable(7)),
    ("turn", "1 sutehai xx", Unreadable(7)),
    ("turn", "1 sutehai %", Unreadable(7)),
    ("turn", "1 sutehai 5m x=%", Unreadable(7)),
    ("turn", "1", Unreadable(7)),
    ("turn", "what?", Unreadable(7)),
    ("turn", "5m", Unreadable(7)),
    ("turn", "\x1b[A", Unreadable(7)),
    ("turn", "1 café", Unreadable(7)),
    ("turn", "no", Stale(Staleness.OTHER_QUESTION)),
    ("turn", "tenpai", Stale(Staleness.OTHER_QUESTION)),
    ("turn", "x=1 pon", Stale(Staleness.OTHER_QUESTION)),
    ("turn", "2 sutehai 5m", Stale(Staleness.OTHER_ID)),
    ("turn", "0 hello name=again ump=0.2", Stale(Staleness.OTHER_ID)),
    ("turn", "hello name=again", Stale(Staleness.OTHER_QUESTION)),
    ("turn", "", Stale(Staleness.EMPTY)),
    ("turn", "0 ack", Stale(Staleness.EMPTY)),
    ("turn", "1 ack", Stale(Staleness.EMPTY)),
    ("turn", "ack", Stale(Staleness.EMPTY)),
    ("turn", "0 x=1 ack", Stale(Staleness.EMPTY)),
    ("turn", "bye", Farewell()),
    ("turn", "99 bye", Farewell()),
    ("turn", "1 x datasize=5", Violated("datasize= is not supported")),
    ("turn", "0 hello datasize=5", Violated("datasize= is not supported")),
    ("turn", "datasize=", Violated("datasize= is not supported")),
    ("turn", "1 x _datasize=5", Unreadable(7)),
    ("call", "1 no", Answered(7, Claim(Verb.NO))),
    ("call", "1 ron", Answered(7, Claim(Verb.RON))),
    ("call", "1 pon 5m5M", Answered(7, Claim(Verb.PON, FACES("5m5M")))),
    ("call", "1 chi 4m6m", Answered(7, Claim(Verb.CHI, FACES("4m6m")))),
    ("call", "1 kan 5m5m5M", Answered(7, Claim(Verb.KAN, FACES("5m5m5M")))),
    ("call", "1 chi 4m", Unreadable(7)),
    ("call", "sutehai 5m", Stale(Staleness.OTHER_QUESTION)),
    ("chankan", "ron", Answered(7, Claim(Verb.RON))),
    ("declare", "1 tenpai", Answered(7, Claim(Verb.YES))),
    ("declare", "1 x=1 tenpai", Answered(7, Claim(Verb.YES))),
    ("declare", "tenpai", Answered(7, Claim(Verb.YES))),
    ("declare", "1 noten", Answered(7, Claim(Verb.NO))),
    ("declare", "1 no", Answered(7, Claim(Verb.NO))),
    ("declare", "1 yes", Answered(7, Claim(Verb.NO))),
    ("declare", "1 whatever it is", Answered(7, Claim(Verb.NO))),
    ("declare", "noten", Answered(7, Claim(Verb.NO))),
    ("declare", "no", Answered(7, Claim(Verb.NO))),
    ("declare", "1", Unreadable(7)),
    ("declare", "1 %", Unreadable(7)),
    ("declare", "tenpay", Unreadable(7)),
    ("declare", "yes", Stale(Staleness.OTHER_QUESTION)),
    ("ready", "1 yes", Answered(7, Claim(Verb.YES))),
    ("ready", "yes", Answered(7, Claim(Verb.YES))),
    ("ready", "1 ok", Answered(7, Claim(Verb.YES))),
    ("ready", "no", Stale(Staleness.OTHER_QUESTION)),
]


@each_row(("question", "line", "received"), ANSWERED)
def test_lines_answer_by_id_or_without(question: str, line: str, received: Received) -> None:
    """Lines answer by the id of the question or, from people, without id; other lines leave it open."""
    session = asked(question)
    assert session.receive(line.encode("latin-1"), 0.0) == received
    again = session.receive(b"1 yes", 0.0)
    assert isinstance(again, Answered) == isinstance(received, Stale | Farewell | Violated)
    assert session.take() == []


IN_RIICHI: list[tuple[str, Claim]] = [
    ("1 sutehai 5m", Claim(Verb.DISCARD, (F("1m"),), tsumogiri=True)),
    ("1 sutehai 5m richi", Claim(Verb.DISCARD, (F("1m"),), tsumogiri=True)),
    ("1 sutehai 1m tsumogiri", Claim(Verb.DISCARD, (F("1m"),), tsumogiri=True)),
    ("1 ankan 1m1m1m1m", Claim(Verb.ANKAN, FACES("1m1m1m1m"))),
    ("1 tsumo", Claim(Verb.TSUMO)),
]


@each_row(("line", "claim"), IN_RIICHI)
def test_in_riichi_the_drawn_tile_is_discarded(line: str, claim: Claim) -> None:
    """It does not matter which tile is named: libump's server does the same for its own bot."""
    session = seated()
    told(session, START, *DEALT, DoraRevealed(F("8p")), RiichiDeclared(2))
    session.ask(7, FakeQuestion(Phase.TURN, F("1m"), (Discard(F("1m"), tsumogiri=True), Tsumo())), 10, 20, 0.0)
    (asking,) = session.take()
    number = asking.split()[0]
    assert session.receive(line.replace("1", number, 1).encode(), 0.0) == Answered(7, claim)


@each_row("events", [(RiichiDeclared(1),), (RiichiDeclared(2), START)])
def test_without_riichi_the_named_tile_is_discarded(events: tuple[Event, ...]) -> None:
    """Another player's riichi does not count, and a riichi ends with the kyoku."""
    session = seated()
    told(session, START, *events)
    session.ask(7, QUESTIONS["turn"], 10, 20, 0.0)
    session.take()
    assert session.receive(b"sutehai 5m", 0.0) == Answered(7, Claim(Verb.DISCARD, (F("5m"),)))


@each_row("line", [b"0 ack", b"ack", b"sutehai 5m", b"0 hello", b"1 yes", b"x"])
def test_without_a_question_nothing_is_answered(line: bytes) -> None:
    """All lines are stale, in the lobby and at the table."""
    for session in (ump02(), seated()):
        assert isinstance(session.receive(line, 0.0), Stale)


def test_lines_without_id_are_late_after_a_timeout() -> None:
    """As in 0.1, for one second they answer nothing, although the next question is open."""
    session = asked("turn")
    session.lapse(7, 100.0, by_time=True)
    session.ask(8, QUESTIONS["turn"], 10, 20, 100.0)
    assert session.receive(b"sutehai 5m", 100.9) == Stale(Staleness.LATE)
    assert session.receive(b"1 sutehai 5m", 100.9) == Stale(Staleness.TIMED_OUT)
    assert isinstance(session.receive(b"sutehai 5m", 101.0), Answered)


def test_a_lapsed_question_is_closed() -> None:
    """After a lapse without timeout a late answer is stale at once."""
    session = asked("call")
    session.lapse(7, 0.0, by_time=False)
    assert session.receive(b"1 ron", 0.0) == Stale(Staleness.DECIDED)


def test_events_do_not_close_a_question() -> None:
    """The id of the question counts, not that of the last sentence."""
    session = asked("call")
    told(session, RiichiPaid(0))
    assert session.receive(b"1 ron", 0.0) == Answered(7, Claim(Verb.RON))


# Anything

WORDS = [
    "0",
    "1",
    "2",
    "hello",
    "ack",
    "sutehai",
    "5m",
    "xx",
    "no",
    "tenpai",
    "richi",
    "bye",
    "x=%20",
    "%",
    "%zz",
    "=1",
]
LINES = st.one_of(
    st.binary(max_size=40),
    st.text(max_size=20).map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.lists(st.sampled_from([*WORDS, "datasize=1", "\t", "é"]), max_size=6).map(
        lambda words: " ".join(words).encode()
    ),
)
KINDS = (Introduced, Answered, Unreadable, InStep, Stale, Farewell, Violated)


@pytest.mark.no_cover
@given(st.sampled_from([None, *QUESTIONS]), st.lists(st.tuples(LINES, st.floats(0, 3)), max_size=4))
def test_any_line_becomes_a_received_value(question: str | None, lines: list[tuple[bytes, float]]) -> None:
    """No bytes in any state raise an error or cause a reply; a question is answered once at most."""
    session = ump02() if question is None else asked(question)
    received = [session.receive(line, now) for line, now in lines]
    assert all(isinstance(each, KINDS) for each in received)
    assert sum(isinstance(each, Answered | Unreadable) for each in received) <= (question is not None)
    assert session.take() == []
