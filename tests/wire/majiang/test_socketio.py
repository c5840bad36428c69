"""The same messages as Socket.IO events, for kobalab's bots and page."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from support.rows import each_row

from ump.model.claims import Claim, Verb
from ump.model.events import DoraRevealed, Event, GameEnded, GameStarted, HandDealt, KyokuStarted, TileDrawn
from ump.model.notation import parse_majiang_face, parse_mpsz
from ump.rules.ruleset import Ruleset
from ump.table.receivers import Rendering
from ump.wire.dialect import LoggedIn
from ump.wire.majiang.session import SocketIOMajiangSession
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
LOGIN = LoggedIn("bot", "public", "bot", "*")
USER = {"name": "bot", "uid": "public"}
STARTED = GameStarted(("a", "b", "c", "d"))
DEAL: list[Event] = [
    KyokuStarted(0, 0, 0, 0, (25_000,) * 4, (1, 1)),
    HandDealt(0, parse_mpsz("19m055p2346s1177z")),
    DoraRevealed(F("s0")),
]
ENDED = GameEnded((25_000,) * 4, (1, 2, 3, 4), (150, 50, -50, -150))


def take(session: SocketIOMajiangSession) -> list[Any]:
    """Return the events that are sent now."""
    return [json.loads(text) for text in session.take()]


def say(session: SocketIOMajiangSession, *event: Any) -> Received:
    """Let the client send one event."""
    return session.receive(json.dumps(event).encode(), NOW)


def tell(session: SocketIOMajiangSession, *events: Event) -> None:
    """Tell events."""
    for event in events:
        session.tell(Rendering(event), NOW)


def greeted() -> SocketIOMajiangSession:
    """Return a session that has sent HELLO."""
    session = SocketIOMajiangSession(LOGIN)
    session.greet()
    assert take(session) == [["HELLO", USER]]
    return session


def seated() -> SocketIOMajiangSession:
    """Return a session with a seat, whose client has received that."""
    session = greeted()
    assert say(session, "ROOM", "main") == Introduced(Introduction("bot", "bot", "*", "main"))
    assert take(session) == []
    session.wait(1, 4)
    session.wait(2, 4)
    assert take(session) == [["ROOM", {"room_no": "main", "user": [USER | {"offline": False}]}]]
    session.sit(0, TableInfo("table", Ruleset()))
    return session


def test_a_game_goes_from_hello_to_end() -> None:
    """The events of a game, from HELLO to END."""
    session = seated()
    tell(session, STARTED)
    session.ask(1, None, 10.0, 0.0, NOW)
    start, kaiju = take(session)
    assert start == ["START"]
    assert (kaiju[0], kaiju[1]["seq"], kaiju[1]["kaiju"]["id"]) == ("GAME", 1, 0)
    assert say(session, "GAME", {"seq": 1}) == Answered(1, Claim(Verb.YES))
    tell(session, *DEAL, TileDrawn(0, 69, F("m8")))
    assert [event[1].keys() for event in take(session)] == [{"qipai", "seq", "timer"}]
    assert say(session, "GAME", {"seq": 2}) == InStep()
    assert take(session) == [["GAME", {"zimo": {"l": 0, "p": "m8"}, "seq": 3, "timer": [5]}]]
    assert say(session, "GAME", {"seq": 3}) == InStep()
    tell(session, ENDED)
    session.bye()
    ((_, jieju),) = take(session)
    assert say(session, "GAME", {"seq": jieju["seq"]}) == Farewell()
    assert take(session) == [["END", jieju["jieju"]]]


def test_end_is_sent_without_a_reply() -> None:
    """END is sent when the reply to jieju is overdue."""
    session = seated()
    tell(session, STARTED, ENDED)
    session.bye()
    assert [event[0] for event in take(session)] == ["START", "GAME", "GAME"]
    assert session.tick(NOW + REPLY_SECONDS) == Farewell()
    assert [event[0] for event in take(session)] == ["END"]


def test_a_game_without_a_result_ends_without_a_record() -> None:
    """END has no record, and no reply is awaited."""
    session = seated()
    tell(session, STARTED, *DEAL)
    take(session)
    session.bye()
    assert [event[0] for event in take(session)] == ["GAME", "END"]
    assert session.tick(NOW) == Farewell()


def test_a_connection_plays_one_game() -> None:
    """After END the next message is a farewell."""
    session = seated()
    tell(session, STARTED, ENDED)
    take(session)
    say(session, "GAME", {"seq": 1})
    session.stand()
    take(session)
    assert say(session, "GAME", {"seq": 2}) == Farewell()
    assert [event[0] for event in take(session)] == ["END"]


def test_an_unknown_room_becomes_error() -> None:
    """The error of the lobby becomes ERROR, and ROOM was not sent."""
    session = greeted()
    assert isinstance(say(session, "ROOM", "X1234"), Introduced)
    session.error("ルーム X1234 は存在しません")
    assert take(session) == [["ERROR", "ルーム X1234 は存在しません"]]
    session.close()
    assert say(session, "GAME", {"seq": 1}) == Stale(Staleness.CLOSING)


def test_errors_are_bounded() -> None:
    """The text of an error is bounded, as in every dialect."""
    session = greeted()
    session.error("x" * 1_000)
    assert take(session) == [["ERROR", "x" * MAX_ERROR]]


def test_a_client_without_a_login_receives_null() -> None:
    """HELLO holds null, and the session drops everything."""
    session = SocketIOMajiangSession(None)
    session.greet()
    assert take(session) == [["HELLO", None]]
    assert say(session, "ROOM", "main") == Stale(Staleness.CLOSING)


def test_room_introduces_and_leaves() -> None:
    """ROOM asks for any room or a named one, may be bad, and leaves."""
    assert say(greeted(), "ROOM") == Introduced(Introduction("bot", "bot", "*"))
    for arguments in (
        [
            "",
        ],
        ["x" * 33],
        [7],
        [None],
        ["main", "public"],
        ["a\nb"],
    ):
        assert isinstance(say(greeted(), "ROOM", *arguments), Violated)
    session = seated()
    assert say(session, "ROOM", "main") == Stale(Staleness.NO_QUESTION)
    assert say(session, "ROOM", "main", "another") == Stale(Staleness.NO_QUESTION)
    assert say(session, "ROOM", "main", "public") == Farewell()


DROPPED: list[Any] = [
    ["START", "main", {}, [5, 10, 10]],
    ["GAME"],
    ["GAME", []],
    ["GAME", 1],
    ["HELLO"],
    [],
    [[]],
    [None],
]


@each_row("event", DROPPED)
def test_other_events_are_dropped(event: list[Any]) -> None:
    """Events of kobalab's page that start games are dropped: a game begins when the room is full."""
    assert say(greeted(), *event) == Stale(Staleness.NO_QUESTION)
    assert say(seated(), *event) == Stale(Staleness.NO_QUESTION)


def test_nonsense_answers_an_open_question_only() -> None:
    """Nonsense answers an open question, and nothing else."""
    assert greeted().receive(b"nonsense", NOW) == Stale(Staleness.UNREADABLE)
    session = seated()
    tell(session, STARTED)
    session.ask(1, None, 10.0, 0.0, NOW)
    take(session)
    assert session.receive(b'{"seq":1}', NOW) == Unreadable(1)


@given(
    st.lists(st.binary(max_size=40) | st.text(alphabet='["ROMGAE,{}:seq123]', max_size=20).map(str.encode), max_size=8)
)
def test_any_message_becomes_a_received_value(messages: list[bytes]) -> None:
    """Any message is one value of ``Received``."""
    session = greeted()
    for message in messages:
        assert isinstance(session.receive(message, NOW), Received)
        take(session)
