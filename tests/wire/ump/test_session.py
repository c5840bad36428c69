"""Tests the server's side of a connection: states, ids, the current question, lines that people type."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.rows import each_row

from ump.model.actions import Action, Ankan, Chi, Discard, Kakan, KyushuKyuhai, Pass, Pon, Riichi, Ron, Tsumo
from ump.model.claims import Claim, Reason, Verb
from ump.model.events import DoraRevealed, RiichiDeclared
from ump.model.hand import Hand
from ump.model.melds import Meld, MeldType
from ump.model.notation import parse_ump_face, parse_ump_faces
from ump.model.phases import Phase
from ump.model.tiles import Face
from ump.rules.presets import PRESETS
from ump.table.receivers import Rendering
from ump.wire.connection_state import TRANSITIONS, ConnectionState, ConnectionStep
from ump.wire.session import (
    Answered,
    Farewell,
    Introduced,
    Introduction,
    Pinged,
    QuestionView,
    Received,
    Session,
    Stale,
    Staleness,
    TableInfo,
    Unreadable,
    Violated,
)
from ump.wire.text import MAX_WRITTEN, WireError
from ump.wire.ump.hello import RequestedExtensions, read_extensions, version_of
from ump.wire.ump.render01 import Language
from ump.wire.ump.sentences01 import Hello
from ump.wire.ump.session import UmpSession

F = parse_ump_face
OWN = Hand(parse_ump_faces("5M5m5z"), [Meld(MeldType.ANKAN, parse_ump_faces("6z6z6z6z"))])


class Ask:
    """A question as a session sees it."""

    def __init__(self, phase: Phase, tile: str | None = None, legal: tuple[Action, ...] = ()) -> None:
        self.phase = phase
        self.tile: Face | None = None if tile is None else F(tile)
        self.hand = OWN
        self._legal = legal

    def legal(self) -> tuple[Action, ...]:
        """Every legal action."""
        return self._legal

    def check(self, action: Action) -> None:
        """Accept the action."""


QUESTIONS: dict[str, Ask | None] = {
    "turn": Ask(Phase.TURN),
    "call": Ask(Phase.CALL, "5m"),
    "chankan": Ask(Phase.CHANKAN, "5m"),
    "declare": Ask(Phase.DECLARE),
    "ready": None,
}


SETTING = TableInfo("main-1", PRESETS["ump"])


def greeted() -> UmpSession:
    """Return a session that has sent its hello."""
    session = UmpSession(Hello((("ump", "0.1"), ("name", "ump"))))
    session.greet()
    assert session.take() == ["0 hello ump=0.1 name=ump"]
    return session


def ask(session: Session, number: int, question: QuestionView | None, move: float = 10, bank: float = 20) -> list[str]:
    """Ask a question, and return the sent lines."""
    session.ask(number, question, move, bank, 0.0)
    return session.take()


def refuse(session: Session, number: int, reason: Reason) -> list[str]:
    """Refuse an answer, and return the sent lines."""
    session.refuse(number, reason, 0.0)
    return session.take()


def error(session: Session, message: str) -> str:
    """End with an error, and return the sent lines."""
    session.error(message)
    (text,) = session.take()
    return text


def seated(options: str = "") -> UmpSession:
    """Return a session at a table, whose client has sent a hello with these options."""
    session = greeted()
    assert isinstance(session.receive(f"0 hello name=alice {options}".encode(), 0.0), Introduced)
    session.sit(0, SETTING)
    return session


def asked(question: str, options: str = "") -> UmpSession:
    """Return a session in which question number 7 is open, with id 1."""
    session = seated(options)
    assert ask(session, 7, QUESTIONS[question])[0].startswith("1 ")
    return session


# States


def states() -> dict[ConnectionState, UmpSession]:
    """Return a session in each state."""
    sessions = {
        ConnectionState.HELLO: greeted(),
        ConnectionState.SEATED: seated(),
        ConnectionState.LOBBY: seated(),
        ConnectionState.WATCHING: seated(),
    }
    sessions[ConnectionState.LOBBY].stand()
    sessions[ConnectionState.WATCHING].stand()
    sessions[ConnectionState.WATCHING].watch()
    sessions[ConnectionState.CLOSING] = seated()
    sessions[ConnectionState.CLOSING].close()
    return sessions


STATES = tuple(states())
"""The states that a connection of this dialect can have."""

STEPS: dict[ConnectionStep, Any] = {
    ConnectionStep.INTRODUCED: lambda session: session.receive(b"0 hello", 0.0),
    ConnectionStep.SAT: lambda session: session.sit(0, SETTING),
    ConnectionStep.STOOD: UmpSession.stand,
    ConnectionStep.WATCHED: UmpSession.watch,
    ConnectionStep.CLOSED: UmpSession.close,
}


@each_row(("state", "step"), list(product(STATES, STEPS)))
def test_only_listed_steps_are_allowed(state: ConnectionState, step: ConnectionStep) -> None:
    """A step leads to the state in the table; a step that is not in the table raises KeyError."""
    session = states()[state]
    assert session.state is state
    goal = TRANSITIONS[state].get(step)
    if goal is not None:
        STEPS[step](session)
        assert session.state is goal
    elif step is ConnectionStep.INTRODUCED:
        assert STEPS[step](session) in (Stale(Staleness.NO_QUESTION), Stale(Staleness.CLOSING))
        assert session.state is state
    else:
        with pytest.raises(KeyError):
            STEPS[step](session)


RECEIVED: dict[bytes, dict[ConnectionState, Received]] = {
    b"": dict.fromkeys(ConnectionState, Stale(Staleness.EMPTY)),
    b" \t ": dict.fromkeys(ConnectionState, Stale(Staleness.EMPTY)),
    b"99 bye": dict.fromkeys(ConnectionState, Farewell()),
    b"bye": dict.fromkeys(ConnectionState, Farewell()),
    b"0 no": {
        **dict.fromkeys(ConnectionState, Stale(Staleness.NO_QUESTION)),
        ConnectionState.HELLO: Violated("expected a hello, as in: hello name=alice"),
    },
    b"ron": {
        **dict.fromkeys(ConnectionState, Stale(Staleness.NO_QUESTION)),
        ConnectionState.HELLO: Violated("expected a hello, as in: hello name=alice"),
    },
    b"5 hello": {
        **dict.fromkeys(ConnectionState, Stale(Staleness.NO_QUESTION)),
        ConnectionState.HELLO: Violated("expected the id of the server's hello, as in: 0 hello name=alice"),
    },
    b"\x1b[A": {
        **dict.fromkeys(ConnectionState, Stale(Staleness.NO_QUESTION)),
        ConnectionState.HELLO: Violated("expected a hello, as in: hello name=alice"),
    },
}


@each_row(("state", "line"), list(product(STATES, RECEIVED)))
def test_lines_without_a_question_are_bye_or_stale(state: ConnectionState, line: bytes) -> None:
    """Without a question a line is ``bye`` or stale; in HELLO it must be a hello; in CLOSING it is ignored."""
    session = states()[state]
    expected = Stale(Staleness.CLOSING) if state is ConnectionState.CLOSING else RECEIVED[line][state]
    assert session.receive(line, 5.0) == expected
    assert session.state is state


# Hello


@each_row(
    ("line", "said"),
    [
        ("hello", {}),
        ("0 hello", {}),
        ("00 hello ump=0.1", {}),
        ("  0  hello \t ump=0.1 ", {}),
        ("hello name=alice", {"name": "alice"}),
        ("hello name=%E5%B0%8F%E6%9E%97%E3%80%80%E8%81%A1", {"name": "小林　聡"}),
        ("hello name=a%3Db%20%25", {"name": "a=b %"}),
        ("0 hello name=日本", {"name": "日本"}),
        ("0\thello name=小林\u3000聡 _room=南", {"name": "小林\u3000聡", "room": "南"}),
        ("0 hello name=日%E6%9C%AC", {"name": "日本"}),
        ("hello name=" + "%F0%9F%80%84" * 32, {"name": "\U0001f004" * 32}),
        ("hello name=a name=b", {"name": "b"}),
        ("hello user=u password=p%20w", {"user": "u", "password": "p w"}),
        ("hello user= password=", {"user": "", "password": ""}),
        ("hello _games=0", {"games": 0}),
        ("hello _games=10000", {"games": 10000}),
        ("hello _room=east _watch=%E5%8D%97", {"room": "east", "watch": "南"}),
        ("hello _mine=anything _other-thing=1 x=y", {}),
    ],
)
def test_a_hello_is_read(line: str, said: dict[str, Any]) -> None:
    """Options may have any order; unknown ones are ignored."""
    session = greeted()
    assert session.receive(line.encode(), 0.0) == Introduced(Introduction(**said))
    assert session.state is ConnectionState.LOBBY


@each_row(
    ("options", "wishes"),
    [
        ("", {}),
        ("_offer=1 _explain=1 _hand=1 _time=1", {"offer": True, "explain": True, "hand": True, "time": True}),
        ("_offer=0 _explain=yes _hand= _time=2", {}),
        ("_lang=en", {"language": Language.ENGLISH}),
        ("lang=en", {"language": Language.ENGLISH}),
        ("_lang=zh", {"language": Language.CHINESE}),
        ("_lang=ja lang=en", {}),
        ("_lang=fr", {}),
    ],
)
def test_extensions_are_read(options: str, wishes: dict[str, Any]) -> None:
    """An extension with an unknown value is ignored."""
    read = read_extensions(dict(option.split("=") for option in options.split()))
    assert read == RequestedExtensions(**wishes)


@each_row(("asked", "spoken"), [("0.1", "0.1"), ("0.2", "0.2"), ("0.3", "0.2"), ("0.9", "0.2")])
def test_a_newer_version_gets_the_newest_supported_one(asked: str, spoken: str) -> None:
    """A client of a newer version knows the older ones."""
    assert version_of({"ump": asked}) == spoken


@each_row("asked", ["", "0", "0.0", "1.0", "0.10", "0.2 ", "x"])
def test_other_versions_are_refused(asked: str) -> None:
    """The error lists the supported versions."""
    with pytest.raises(WireError, match=r"choose 0\.1, 0\.2"):
        version_of({"ump": asked})


@each_row(
    ("line", "words"),
    [
        ("helo", "hello name=alice"),
        ("0", "hello name=alice"),
        ("0 sute 5m", "hello name=alice"),
        ("HELLO", "hello name=alice"),
        ("hello alice", "'alice' is not an option"),
        ("hello ump=0.0", "choose 0.1, 0.2"),
        ("hello ump=", "choose 0.1"),
        ("hello name=", "1 to 32"),
        ("hello name=%20", "1 to 32"),
        ("hello name=%E3%80%80", "1 to 32"),
        ("hello name=" + "x" * 33, "1 to 32"),
        ("hello name=a%0Ab", "control character"),
        ("hello name=a%7F", "control character"),
        ("hello name=a%C2%85", "control character"),
        ("hello name=a%E2%80%AE", "invisible character"),
        ("hello name=%FF", "UTF-8"),
        ("hello name=%4", "UTF-8"),
        ("hello _games=-1", "0 to 10000"),
        ("hello _games=10001", "0 to 10000"),
        ("hello _games=many", "0 to 10000"),
        ("hello _games=", "0 to 10000"),
        ("hello _games=%D9%A3", "0 to 10000"),
        ("hello _room=", "1 to 32"),
        ("hello _watch=%00", "control character"),
    ],
)
def test_a_hello_is_refused_with_a_message(line: str, words: str) -> None:
    """The client receives the reason, as one word on one line."""
    session = greeted()
    received = session.receive(line.encode(), 0.0)
    assert isinstance(received, Violated)
    assert words in received.message
    text = error(session, received.message)
    assert text.startswith("1 error ")
    assert len(text.split()) == 3
    assert session.state is ConnectionState.CLOSING


@each_row("line", [b"0 hello name=\xff", b"0 hello name=caf\xe9", b"\xff\xf4"])
def test_a_first_line_that_is_not_utf_8_is_refused_with_a_message(line: bytes) -> None:
    """The client does not wait for an answer that never comes."""
    assert greeted().receive(line, 0.0) == Violated("a hello must be UTF-8")


# Ids


def test_ids_count_every_sentence() -> None:
    """The hello has id 0, and each further sentence of the connection the next id."""
    session = seated("_explain=1")
    session.tell(Rendering(RiichiDeclared(2)), 0.0)
    session.tell(Rendering(DoraRevealed(F("4s"))), 0.0)
    assert session.take() == ["1 say C richi", "2 dora 4s"]
    assert session.take() == []
    assert ask(session, 1, QUESTIONS["turn"]) == ["3 sutehai?"]
    assert refuse(session, 1, Reason.KUIKAE) == ["4 _illegal 3 kuikae"]
    assert ask(session, 2, QUESTIONS["turn"]) == ["5 sutehai?"]
    session.bye()
    assert session.take() == ["6 bye"]


@each_row("given_id", ["1", "01", "0000000000000001"])
def test_the_open_question_is_answered_by_its_id(given_id: str) -> None:
    """Leading zeros do not matter."""
    assert asked("turn").receive(f"{given_id} sute 5m".encode(), 0.0) == Answered(7, Claim(Verb.DISCARD, (F("5m"),)))


@each_row("given_id", ["0", "2", "10", "11", "9" * 900])
@pytest.mark.parametrize("answer", ["sute 5m", "no", "what?", "", "caf\xe9"])
def test_an_answer_to_any_other_id_is_stale(given_id: str, answer: str) -> None:
    """Such a line is dropped, and the question stays open."""
    session = asked("turn")
    assert session.receive(f"{given_id} {answer}".encode("latin-1"), 0.0) == Stale(Staleness.OTHER_ID)
    assert isinstance(session.receive(b"1 sute 5m", 0.0), Answered)


@each_row("first", [b"1 sute 5m", b"sute 5m", b"1 what?", b"1", b"what?", b"\x1b[A", b"1 caf\xe9"])
@pytest.mark.parametrize("second", [b"1 sute 5m", b"sute 5m", b"1 what?", b"what?", b"\x1b[A"])
def test_a_question_is_answered_once(first: bytes, second: bytes) -> None:
    """The first line that answers the question closes it, readable or not."""
    session = asked("turn")
    assert isinstance(session.receive(first, 0.0), Answered | Unreadable)
    assert session.receive(second, 0.0) == Stale(Staleness.NO_QUESTION)


def test_an_id_makes_any_answer_count() -> None:
    """A program that gives the id means this question; the game checks the claim."""
    assert asked("turn").receive(b"1 no", 0.0) == Answered(7, Claim(Verb.NO))


def test_a_lapsed_question_is_closed() -> None:
    """After a lapse without timeout, or after the game, a late answer is stale at once."""
    session = asked("call")
    session.lapse(7, 0.0, by_time=False)
    assert session.receive(b"1 ron", 0.0) == Stale(Staleness.DECIDED)
    assert session.receive(b"ron", 0.0) == Stale(Staleness.NO_QUESTION)
    session = asked("call")
    session.stand()
    assert session.receive(b"1 ron", 0.0) == Stale(Staleness.NO_QUESTION)


def test_an_answer_with_the_id_of_a_question_that_ran_out_is_late() -> None:
    """The report says so, also while a later question is open; what was answered in time is not late."""
    session = asked("call")
    session.lapse(7, 0.0, by_time=True)
    assert session.receive(b"1 ron", 9.0) == Stale(Staleness.TIMED_OUT)
    ask(session, 8, QUESTIONS["turn"])
    assert session.receive(b"1 ron", 9.0) == Stale(Staleness.TIMED_OUT)
    assert session.receive(b"3 ron", 9.0) == Stale(Staleness.OTHER_ID)
    assert session.receive(b"2 sute 5m", 9.0) == Answered(8, Claim(Verb.DISCARD, (F("5m"),)))
    assert session.receive(b"2 sute 5m", 9.0) == Stale(Staleness.NO_QUESTION)


def test_only_its_own_number_closes_a_question() -> None:
    """The lapse of an earlier question does not close the open one."""
    session = asked("call")
    session.lapse(6, 0.0, by_time=True)
    assert session.receive(b"ron", 0.0) == Answered(7, Claim(Verb.RON))


# People

TYPED = [
    ("turn", b"sute 5m", Answered(7, Claim(Verb.DISCARD, (F("5m"),)))),
    ("turn", b"  sute\t5m   tsumogiri ", Answered(7, Claim(Verb.DISCARD, (F("5m"),), tsumogiri=True))),
    ("turn", b"tsumo", Answered(7, Claim(Verb.TSUMO))),
    ("turn", b"kita", Answered(7, Claim(Verb.KITA))),
    ("turn", b"sute 5", Unreadable(7)),
    ("turn", b"5m", Unreadable(7)),
    ("turn", b"sutte 5m", Unreadable(7)),
    ("turn", b"SUTE 5M", Unreadable(7)),
    ("turn", b"\x1b[A", Unreadable(7)),
    ("turn", b"sute 5m\x1b[D\x1b[C", Unreadable(7)),
    ("turn", b"sute 5m\r", Unreadable(7)),
    ("turn", "café".encode(), Unreadable(7)),
    ("turn", b"1 caf\xe9", Unreadable(7)),
    ("turn", b"\x00", Unreadable(7)),
    ("turn", b"no", Stale(Staleness.OTHER_QUESTION)),
    ("turn", b"chi 4m 6m", Stale(Staleness.OTHER_QUESTION)),
    ("turn", b"ok", Stale(Staleness.OTHER_QUESTION)),
    ("turn", b"hello name=bob", Stale(Staleness.OTHER_QUESTION)),
    ("turn", b"bye", Farewell()),
    ("turn", b"57 bye", Farewell()),
    ("call", b"no", Answered(7, Claim(Verb.NO))),
    ("call", b"chi 4m6m", Answered(7, Claim(Verb.CHI, (F("4m"), F("6m"))))),
    ("call", b"pon", Answered(7, Claim(Verb.PON))),
    ("call", b"nope", Unreadable(7)),
    ("call", b"chi 4m", Unreadable(7)),
    ("call", b"sute 5m", Stale(Staleness.OTHER_QUESTION)),
    ("call", b"kita", Stale(Staleness.OTHER_QUESTION)),
    ("chankan", b"pon 5m 5m", Answered(7, Claim(Verb.PON, (F("5m"), F("5m"))))),
    ("chankan", b"ron", Answered(7, Claim(Verb.RON))),
    ("declare", b"yes", Answered(7, Claim(Verb.YES))),
    ("declare", b"no", Answered(7, Claim(Verb.NO))),
    ("declare", b"sute 5m", Stale(Staleness.OTHER_QUESTION)),
    ("ready", b"ok", Answered(7, Claim(Verb.YES))),
    ("ready", b"yes", Answered(7, Claim(Verb.YES))),
    ("ready", b"no", Stale(Staleness.OTHER_QUESTION)),
    ("ready", b"okay", Unreadable(7)),
]


@each_row(("question", "line", "received"), TYPED)
def test_a_typed_line_answers_the_open_question(question: str, line: bytes, received: Received) -> None:
    """A line without an id answers the open question, unless it clearly answers another kind."""
    session = asked(question)
    assert session.receive(line, 0.0) == received
    if isinstance(received, Stale):
        assert isinstance(session.receive(b"1 yes", 0.0), Answered)


@each_row("line", [b"sute 5m", b"no", b"what?", b"\x1b[A"])
def test_lines_without_id_are_late_after_a_timeout(line: bytes) -> None:
    """For one second they answer nothing, although the next question is open."""
    session = asked("turn")
    session.lapse(7, 100.0, by_time=True)
    ask(session, 8, QUESTIONS["turn"])
    assert session.receive(line, 100.999) == Stale(Staleness.LATE)
    assert session.receive(line, 101.0) != Stale(Staleness.LATE)


def test_bye_is_never_late() -> None:
    """``bye`` is accepted at any time, with any id or none."""
    session = asked("turn")
    session.lapse(7, 100.0, by_time=True)
    assert session.receive(b"bye", 100.0) == Farewell()
    assert session.receive(b"57 bye", 100.0) == Farewell()


def test_lines_with_id_count_after_a_timeout() -> None:
    """A program may answer the next question at once."""
    session = asked("turn")
    session.lapse(7, 100.0, by_time=True)
    ask(session, 8, QUESTIONS["turn"])
    assert session.receive(b"2 sute 5m", 100.0) == Answered(8, Claim(Verb.DISCARD, (F("5m"),)))


# Extensions

TURN = (
    Discard(F("1m")),
    Discard(F("1m"), tsumogiri=True),
    Discard(F("2m")),
    Riichi(F("5z")),
    Riichi(F("5z"), opened=True),
    Ankan(F("1m")),
    Kakan(F("5z")),
    Tsumo(),
    KyushuKyuhai(),
)
CALL = (Pass(), Ron(), Pon((F("5M"), F("5m"))), Chi((F("4m"), F("6m"))), Chi((F("6m"), F("7m"))))
ALL = "_offer=1 _hand=1 _time=1"
ASKED: list[tuple[str, Ask | None, float, float, str]] = [
    ("", Ask(Phase.TURN, "1m", TURN), 10, 20, "sutehai?"),
    ("", Ask(Phase.CALL, "5m", CALL), 10, 20, "naku? 5m"),
    ("_offer=1", Ask(Phase.TURN, "1m", TURN), 10, 20,
     "sutehai? sute=1m2m richi=5z openrichi=5z ankan=1m kakan=5z tsumo ryukyoku"),
    ("_offer=1", Ask(Phase.CALL, "5m", CALL), 10, 20, "naku? 5m chi=4m6m,6m7m pon=5m5M ron"),
    ("_offer=1", Ask(Phase.CALL, "5m", (Pass(),)), 10, 20, "naku? 5m"),
    ("_offer=1", Ask(Phase.DECLARE), 10, 20, "tenpai?"),
    ("_hand=1", Ask(Phase.TURN, "5m", TURN), 10, 20, "sutehai? _hand=5M5z5m(6z6z6z6z) _drawn=5m"),
    ("_hand=1", Ask(Phase.TURN, "5M", TURN), 10, 20, "sutehai? _hand=5m5z5M(6z6z6z6z) _drawn=5M"),
    ("_hand=1", Ask(Phase.TURN, None, TURN), 10, 20, "sutehai? _hand=5M5m5z(6z6z6z6z)"),
    ("_hand=1", Ask(Phase.DECLARE), 10, 20, "tenpai?"),
    ("_time=1", Ask(Phase.CHANKAN, "5M", (Pass(),)), 9.96, 0.04, "naku? 5M _time=10+0"),
    ("_time=1", Ask(Phase.DECLARE), 10, 0, "tenpai? _time=10+0"),
    ("_time=1", None, 10, 0, "ready? _time=10+0"),
    (ALL, Ask(Phase.CALL, "5m", CALL), 4.25, 1.5,
     "naku? 5m chi=4m6m,6m7m pon=5m5M ron _hand=5M5m5z(6z6z6z6z) _time=4.2+1.5"),
    (ALL, None, 10, 0, "ready? _time=10+0"),
]  # fmt: skip


@each_row(("options", "question", "move", "bank", "sentence"), ASKED)
def test_questions_carry_the_requested_extensions(
    options: str, question: Ask | None, move: float, bank: float, sentence: str
) -> None:
    """Offers, hand and time stand at the end, in this order, each with its extension only."""
    assert ask(seated(options), 1, question, move, bank) == [f"1 {sentence}"]


def test_the_last_ready_says_so_with_results() -> None:
    """Nothing else changes, and nothing without the extension or in 0.2."""
    for options, said in (
        ("", ""),
        (ALL, " _time=10+20"),
        ("_results=1", " _last"),
        (f"_results=1 {ALL}", " _last _time=10+20"),
        ("ump=0.2 _results=1", ""),
    ):
        session = seated(options)
        session.ask(1, None, 10, 20, 0.0, is_last=True)
        (line,) = session.take()
        assert line.partition("ready?")[2] == said
        assert "_last" not in ask(session, 2, None)[0]


def test_refusals_are_explained_with_explain() -> None:
    """``_illegal`` has the id of the question; only the last question can be refused."""
    for options, said in (("_explain=1", ["2 _illegal 1 furiten"]), ("", [])):
        session = asked("call", options)
        session.receive(b"ron", 0.0)
        assert refuse(session, 6, Reason.FURITEN) == []
        assert refuse(session, 7, Reason.FURITEN) == said


def test_a_ping_is_answered_and_answers_nothing() -> None:
    """A client may ask for a sign of life at any time; its question stays open."""
    assert asked("turn").receive(b"_ping", 0.0) == Unreadable(7)
    session = asked("turn", "_ping=1")
    for line in (b"_ping", b"0 _ping", b"77 _ping"):
        assert session.receive(line, 0.0) == Pinged()
        assert session.take()[-1].endswith(" _pong")
    assert isinstance(session.receive(b"sute 5m", 0.0), Answered)


def test_waiting_players_are_counted_with_explain() -> None:
    """``_waiting`` is sent with ``_explain=1`` only."""
    for options, said in (("_explain=1", ["1 _waiting 2 4"]), ("", [])):
        session = seated(options)
        session.wait(2, 4)
        assert session.take() == said


@each_row("message", ["line too long", "a\r\n5 bye", "\U0001f004" * 5000, "="])
def test_an_error_is_one_short_word(message: str) -> None:
    """Any message becomes one line of limited length, after which the connection is closing."""
    session = asked("turn")
    text = error(session, message)
    assert text.startswith("2 error ")
    assert text.isprintable()
    assert len(text) <= MAX_WRITTEN
    assert session.receive(b"1 sute 5m", 0.0) == Stale(Staleness.CLOSING)


# Anything

LINES = st.one_of(
    st.binary(max_size=40),
    st.text(max_size=20).map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.builds(
        lambda words: " ".join(words).encode(),
        st.lists(
            st.sampled_from(["0", "1", "2", "hello", "name=a", "name=%00", "sute", "5m", "no", "ok", "bye", "\t", "é"]),
            max_size=5,
        ),
    ),
)
KINDS = (Introduced, Answered, Unreadable, Stale, Farewell, Violated)


@given(st.sampled_from([None, *QUESTIONS]), st.lists(st.tuples(LINES, st.floats(0, 3)), max_size=4))
def test_any_line_becomes_a_received_value(question: str | None, lines: list[tuple[bytes, float]]) -> None:
    """No bytes in any state raise an error or lead to a state outside the table."""
    session = greeted() if question is None else asked(question)
    for line, now in lines:
        assert isinstance(session.receive(line, now), KINDS)
        assert session.state in (ConnectionState.HELLO, ConnectionState.LOBBY, ConnectionState.SEATED)
