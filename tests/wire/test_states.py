"""The states of the JSON dialects: every state with every step, and sessions that take them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any

import pytest
from support.rows import each_row

from ump.model import events as ev
from ump.model.notation import parse_mpsz
from ump.model.seats import Seat
from ump.rules.ruleset import Ruleset
from ump.wire.dialect import LoggedIn
from ump.wire.majiang import session as majiang
from ump.wire.majiang.session import MajiangSession, SocketIOMajiangSession
from ump.wire.mjai import session_base as mjai
from ump.wire.mjai.lockstep_session import LockstepSession
from ump.wire.mjai.piped_session import BatchSession, LineSession
from ump.wire.mjai.request_session import RequestSession
from ump.wire.mjai.session_base import MjaiSession
from ump.wire.session import Introduced, Introduction, Render, TableInfo

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
    "mjai": (mjai.MjaiState, mjai.MjaiCause, mjai.TRANSITIONS),
    "majiang": (majiang.MajiangState, majiang.MajiangCause, majiang.TRANSITIONS),
}


def take(session: MjaiSession | MajiangSession, state: Enum, step: Enum) -> None:
    """Let a session take one step from a state."""
    session.state = state  # type: ignore[assignment]
    session._step(step)  # type: ignore[arg-type]


SESSIONS: dict[str, Callable[[], MjaiSession | MajiangSession]] = {
    "lockstep": LockstepSession,
    "batch": lambda: BatchSession(BOT),
    "lines": lambda: LineSession(BOT),
    "request": lambda: RequestSession("a", None),
    "majiang": MajiangSession,
    "socketio": lambda: SocketIOMajiangSession(LoggedIn("a", "1")),
}
FAMILY = dict.fromkeys(("lockstep", "batch", "lines", "request"), "mjai") | dict.fromkeys(
    ("majiang", "socketio"), "majiang"
)
PRODUCT = [
    (dialect, state, step)
    for dialect, family in FAMILY.items()
    for state in TABLES[family][0]
    for step in TABLES[family][1]
]


@pytest.mark.no_cover
@each_row(("dialect", "state", "step"), PRODUCT)
def test_steps_that_are_not_listed_raise(dialect: str, state: Enum, step: Enum) -> None:
    """A listed step leads to its state; any other one raises, and the state stays."""
    session = SESSIONS[dialect]()
    expected = TABLES[FAMILY[dialect]][2][state].get(step)
    if expected is None:
        with pytest.raises(KeyError):
            take(session, state, step)
        assert session.state is state
    else:
        take(session, state, step)
        assert session.state is expected


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


@each_row("family", TABLES)
def test_every_connection_can_close(family: str) -> None:
    """Every state leads to CLOSING, and CLOSING to no other state."""
    states, steps, transitions = TABLES[family]
    closing = next(state for state in states if state.name == "CLOSING")
    closed = next(step for step in steps if step.name == "CLOSED")
    assert all(row[closed] is closing for row in transitions.values())
    assert set(transitions[closing].values()) == {closing}


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
        assert session.state.name == "IN_KYOKU"
        session.tell(Outgoing(ev.KyokuEnded()), 0.0)
        assert session.state.name == "SEATED"
        session.tell(Outgoing(ENDED), 0.0)
        assert session.state.name == "GAME_OVER"
    session.stand()
    assert session.state.name == "LOBBY"
    session.sit(2, TABLE)
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
