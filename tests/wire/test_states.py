"""The states of connections: every state with every step, and sessions that take them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from itertools import product
from typing import Any

import pytest
from support.dialect_clients import ump01
from support.rows import each_row

from ump.model import events as ev
from ump.model.notation import parse_mpsz
from ump.model.seats import Seat
from ump.rules.ruleset import Ruleset
from ump.wire.connection_state import TRANSITIONS, ConnectionState, ConnectionStep
from ump.wire.dialect import LoggedIn
from ump.wire.human.session import HumanSession
from ump.wire.majiang.session import MajiangSession, SocketIOMajiangSession
from ump.wire.mjai.lockstep_session import LockstepSession
from ump.wire.mjai.piped_session import BatchSession, LineSession
from ump.wire.mjai.request_session import RequestSession
from ump.wire.mjai.session_base import GAME_TRANSITIONS, GameProgress, GameStep, MjaiSession
from ump.wire.session import Introduced, Introduction, Render, Session, TableInfo

Table = Mapping[Any, Mapping[Any, Any]]

BOT = Introduction(name="bot")
TABLE = TableInfo("table", Ruleset())
HAND = parse_mpsz("19m055p2346s1177z")
DEAL: list[ev.Event] = [
    ev.GameStarted(("a", "b", "c", "d")),
    ev.KyokuStarted(0, 0, 0, 0, (25_000,) * 4, (1, 1)),
    ev.HandDealt(0, HAND),
    ev.DoraRevealed(HAND[0]),
    ev.TileDrawn(0, 69, HAND[1]),
]
ENDED = ev.GameEnded((25_000,) * 4, (1, 2, 3, 4), (150, 50, -50, -150))

TABLES: dict[str, tuple[type[Enum], type[Enum], Table]] = {
    "connection": (ConnectionState, ConnectionStep, TRANSITIONS),
    "game of mjai": (GameProgress, GameStep, GAME_TRANSITIONS),
}

SESSIONS: dict[str, Callable[[], MjaiSession | MajiangSession]] = {
    "lockstep": LockstepSession,
    "batch": lambda: BatchSession(BOT),
    "lines": lambda: LineSession(BOT),
    "request": lambda: RequestSession("a", None),
    "majiang": MajiangSession,
    "socketio": lambda: SocketIOMajiangSession(LoggedIn("a", "1")),
}
MJAI = ("lockstep", "batch", "lines", "request")
EVERY_SESSION: dict[str, Callable[[], Session]] = {**SESSIONS, "ump": ump01, "person": HumanSession}


@pytest.mark.no_cover
@each_row(("dialect", "state", "step"), list(product(EVERY_SESSION, ConnectionState, ConnectionStep)))
def test_steps_that_are_not_listed_raise(dialect: str, state: ConnectionState, step: ConnectionStep) -> None:
    """A listed step leads to its state; any other one raises, and the state stays."""
    session = EVERY_SESSION[dialect]()
    session.state = state
    expected = TRANSITIONS[state].get(step)
    if expected is None:
        with pytest.raises(KeyError):
            session._step(step)
        assert session.state is state
    else:
        session._step(step)
        assert session.state is expected


@pytest.mark.no_cover
@each_row(("dialect", "progress", "step"), list(product(MJAI, GameProgress, GameStep)))
def test_steps_of_a_game_that_are_not_listed_raise(dialect: str, progress: GameProgress, step: GameStep) -> None:
    """The same holds for the progress of a game of mjai."""
    session = SESSIONS[dialect]()
    assert isinstance(session, MjaiSession)
    session.progress = progress
    expected = GAME_TRANSITIONS[progress].get(step)
    if expected is None:
        with pytest.raises(KeyError):
            session._go_on(step)
        assert session.progress is progress
    else:
        session._go_on(step)
        assert session.progress is expected


@each_row("family", TABLES)
def test_the_table_is_complete(family: str) -> None:
    """Every state has a row, every step occurs, and every state can be reached from the hello."""
    states, steps, transitions = TABLES[family]
    assert set(transitions) == set(states)
    assert {step for row in transitions.values() for step in row} == set(steps)
    reached = {next(iter(states))}
    for _ in states:
        reached |= {after for state in reached for after in transitions[state].values()}
    assert reached == set(states)


def test_every_connection_can_close() -> None:
    """Every state leads to CLOSING, and CLOSING to no other state."""
    for steps in TRANSITIONS.values():
        assert steps[ConnectionStep.CLOSED] is ConnectionState.CLOSING
    assert set(TRANSITIONS[ConnectionState.CLOSING].values()) == {ConnectionState.CLOSING}


class Outgoing:
    """An event that every seat sees in full."""

    def __init__(self, event: ev.Event) -> None:
        self._event = event

    def seen_by(self, seat: Seat | None) -> ev.Event:
        """Return the event."""
        return self._event

    def rendered(self, render: Render, seat: Seat | None) -> tuple[str, ...]:
        """Return the messages of the event."""
        return render(self._event, seat)


def introduced(dialect: str) -> MjaiSession | MajiangSession:
    """Return a session whose client has introduced itself."""
    session = SESSIONS[dialect]()
    session.greet()
    hello = {
        "lockstep": b'{"type":"join","name":"a"}',
        "majiang": b'{"hello":{"name":"a"}}',
        "socketio": b'["ROOM"]',
    }.get(dialect)
    received = session.tick(0.0) if hello is None else session.receive(hello, 0.0)
    assert isinstance(received, Introduced)
    return session


@each_row("dialect", SESSIONS)
def test_a_session_takes_every_step_of_a_game(dialect: str) -> None:
    """From the hello through a game to the lobby, and from a second game to the end."""
    session = introduced(dialect)
    assert session.state.name == "LOBBY"
    session.sit(0, TABLE)
    assert session.state.name == "SEATED"
    for event in DEAL:
        session.tell(Outgoing(event), 0.0)
    if isinstance(session, MjaiSession):
        assert session.progress.name == "IN_KYOKU"
        session.tell(Outgoing(ev.KyokuEnded()), 0.0)
        assert session.progress.name == "BETWEEN_KYOKU"
        session.tell(Outgoing(ENDED), 0.0)
        assert session.progress.name == "OVER"
    session.stand()
    assert session.state.name == "LOBBY"
    session.sit(2, TABLE)
    if isinstance(session, MjaiSession):
        assert session.progress.name == "BETWEEN_KYOKU"
    session.bye()
    assert session.state.name == "LEAVING"
    session.close()
    session.close()
    assert session.state.name == "CLOSING"


ILLEGAL: list[tuple[str, list[Callable[[Any], None]]]] = [
    ("sit twice", [lambda session: session.sit(0, TABLE)] * 2),
    ("stand in the lobby", [lambda session: session.stand()]),
    ("sit after the end", [lambda session: session.bye(), lambda session: session.sit(0, TABLE)]),
    ("sit after closing", [lambda session: session.close(), lambda session: session.sit(0, TABLE)]),
]


@each_row("dialect", SESSIONS)
@pytest.mark.parametrize(("what", "calls"), ILLEGAL, ids=[what for what, _ in ILLEGAL])
def test_an_illegal_step_raises(dialect: str, what: str, calls: list[Callable[[Any], None]]) -> None:
    """An illegal step is a bug in the server, and raises KeyError."""
    session = introduced(dialect)
    *legal, illegal = calls
    for call in legal:
        call(session)
    with pytest.raises(KeyError):
        illegal(session)
