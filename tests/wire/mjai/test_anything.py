"""Any message at any moment has exactly one result, and nothing grows without bound."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.budgets import few
from support.hosted_table import Client, HostedTable, SessionSeat
from support.mjai_bots import BatchBot, LinesBot, LockstepBot, RequestBot
from support.mjai_session_driver import MjaiSessionDriver
from support.rows import each_row
from support.scenario import Scenario

from ump.game.deals import seeded_deals
from ump.game.game import Game
from ump.model.notation import MJAI_FACES
from ump.rules.ruleset import Length, Ruleset
from ump.table.journal_entries import Faults
from ump.wire.connection_state import ConnectionState
from ump.wire.json_text import MAX_OBJECT
from ump.wire.mjai.lockstep_session import MAX_WAITING, LockstepSession
from ump.wire.mjai.piped_session import BatchSession, LineSession
from ump.wire.mjai.request_session import RequestSession
from ump.wire.mjai.session_base import MjaiSession
from ump.wire.session import Introduction, Received, Stale, Violated

RECEIVED = get_args(Received)
BOT = Introduction(name="bot")
JOIN = {"type": "join", "name": "a", "room": "default"}

QUIET = {"A": "19m159p19s123456z", "B": "46p147s12347z258m", "C": "55p369m258s12356z", "D": "147m279p369s1467z"}
ONE_OFF = {"A": "234m678m345s68p8p1z"}

SESSIONS: dict[str, Callable[[], MjaiSession]] = {
    "lockstep": LockstepSession,
    "batch": lambda: BatchSession(BOT),
    "lines": lambda: LineSession(BOT),
    "request": lambda: RequestSession("a", None, is_validation=True),
}


def ready(dialect: str, letter: str = "A", hands: dict[str, str] = QUIET, draws: str = "8m") -> MjaiSessionDriver:
    """Seat a client of this dialect that is ready for the deal."""
    session = SESSIONS[dialect]()
    game = MjaiSessionDriver(session, Scenario(hands, draws), letter, JOIN if dialect == "lockstep" else None).begin()
    game.hear()
    game.say({"type": "none"})
    game.wait(0.0)
    return game


def driver(dialect: str, letter: str = "A", hands: dict[str, str] = QUIET, draws: str = "8m") -> MjaiSessionDriver:
    """Seat a client of this dialect, and deal."""
    return ready(dialect, letter, hands, draws).deal()


def lobby(dialect: str) -> MjaiSessionDriver:
    """Leave the table again."""
    game = ready(dialect)
    game.session.stand()
    return game


def closed(dialect: str) -> MjaiSessionDriver:
    """Close the connection."""
    game = driver(dialect)
    game.session.close()
    return game


def riichi(dialect: str) -> MjaiSessionDriver:
    """Let the client declare riichi, so that it is asked for the tile."""
    game = driver(dialect, "A", ONE_OFF, "4p")
    for _ in range(2):
        game.hear()
        if not game.session._open:
            break
        game.say({"type": "reach"} if game.session.due() is None else {"type": "none"})
    return game


def lapsed(dialect: str) -> MjaiSessionDriver:
    """Let the time for the question run out."""
    game = driver(dialect)
    game.hear()
    game.time_out()
    return game


STATES: dict[str, Callable[[str], MjaiSessionDriver]] = {
    "lobby": lobby,
    "own turn": driver,
    "another's tile": lambda dialect: driver(dialect, "B")("A sute 5p"),
    "riichi": riichi,
    "lapsed": lapsed,
    "closed": closed,
}

_KEYS = st.sampled_from(
    ("type", "actor", "target", "pai", "consumed", "tsumogiri", "reason", "request_id", "log", "meta")
)
_TYPES = ("none", "dahai", "reach", "chi", "pon", "daiminkan", "ankan", "kakan", "kan", "hora", "ryukyoku", "join", "x")
_TILES = st.sampled_from((*MJAI_FACES, "?", "", "5sr5"))
_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-5, 5),
        st.integers(),
        st.floats(),
        st.text(max_size=5),
        _TILES,
        st.sampled_from(_TYPES),
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=5), st.dictionaries(st.text(max_size=3), inner, max_size=3)),
    max_leaves=6,
)
_REPLIES = st.builds(
    lambda name, more: json.dumps({"type": name, **more}).encode(),
    st.sampled_from(_TYPES),
    st.dictionaries(_KEYS, st.one_of(_VALUES, _TILES, st.lists(_TILES, max_size=4), st.integers(0, 3)), max_size=5),
)
_MESSAGES = st.lists(st.one_of(st.binary(max_size=60), _REPLIES, st.just(b'{"type":"none"}'), st.none()), max_size=12)
"""The messages that a client sends one after another; None lets time pass."""


@pytest.mark.no_cover
@each_row("dialect", SESSIONS)
@settings(max_examples=few(120))
@given(st.sampled_from(sorted(STATES)), _MESSAGES)
def test_every_message_has_one_result(dialect: str, state: str, messages: list[bytes | None]) -> None:
    """No message raises in any state; everything sent is one line of ASCII."""
    game = STATES[state](dialect)
    for message in messages:
        if message is None:
            game.time_out()
        else:
            assert isinstance(game.say(message), RECEIVED)
        game.hear()
        if game.scenario.kyoku.over:
            break


@pytest.mark.no_cover
@each_row("dialect", SESSIONS)
@settings(max_examples=few(60))
@given(st.lists(st.one_of(st.binary(max_size=60), _REPLIES), max_size=5))
def test_every_message_before_a_seat_has_one_result(dialect: str, messages: list[bytes]) -> None:
    """The same holds before a client has introduced itself."""
    session = SESSIONS[dialect]()
    session.greet()
    for message in messages:
        received = session.receive(message, 1.0)
        assert isinstance(received, RECEIVED)
        if isinstance(received, Violated):
            session.error(received.message)
            assert session.state is ConnectionState.CLOSING
        assert all(text.isascii() for text in session.take())


@each_row(
    "message",
    [
        b"[" * 1_000,
        b'{"a":' * 1_000,
        b'{"type":"none","log":"' + b"[" * 500 + b'"}',
        b'{"type":"dahai","actor":0,"pai":"8m","n":' + b"9" * 5_000 + b"}",
        b'{"type":"none","x":1e999}',
        b'{"type":"none","x":NaN}',
        b'{"type":"none","x":"' + b"y" * MAX_OBJECT + b'"}',
        b'{"type":"dahai","pai":"' + b"1" * 5_000 + b'"}',
        b'{"type":"chi","consumed":[' + b'"1m",' * 2_000 + b'"1m"]}',
        b'{"type":"none","type":"dahai"}',
        b'{"type":null}',
        b'{"type":"\\ud800"}',
        b"\xef\xbb\xbf{}",
    ],
)
@pytest.mark.parametrize("dialect", SESSIONS)
def test_hostile_messages_are_read_or_refused(dialect: str, message: bytes) -> None:
    """Deep, long, huge and malformed messages are read or refused, and the default is played."""
    game = driver(dialect)
    game.hear()
    if dialect == "lockstep":
        game.say({"type": "none"})
        game.hear()
    assert isinstance(game.say(message), RECEIVED)
    assert len(game.played) == 1


class Unruly:
    """A client that is sometimes late, silent, wrong or talkative."""

    def __init__(self, client: Client, chance: Random) -> None:
        self._client = client
        self._chance = chance

    def hear(self, message: str) -> Sequence[str | bytes]:
        """Reply correctly or, by chance, wrongly."""
        replies: list[str | bytes] = list(self._client.hear(message))
        odds = self._chance.random()
        if '"hello"' in message or odds > 0.12:
            return replies
        if odds > 0.09:
            return []
        if odds > 0.06:
            return [*replies, '{"type":"none"}']
        if odds > 0.04:
            return [b"\x00\xff{"]
        if odds > 0.02:
            return ['{"type":"dahai","actor":9,"pai":"1m","tsumogiri":false}']
        return ['{"type":"hora"}', *replies]


def unruly(chance: Random) -> list[SessionSeat]:
    """Seat an unruly client of each dialect but the last, which is an honest one in lock-step."""
    batch, lines = BatchSession(BOT), LineSession(BOT)
    return [
        SessionSeat(LockstepSession(), Unruly(LockstepBot(chance), chance)),
        chance.choice(
            [
                SessionSeat(batch, Unruly(BatchBot(chance, batch), chance)),
                SessionSeat(lines, Unruly(LinesBot(chance, lines), chance)),
            ]
        ),
        SessionSeat(RequestSession("u", None), Unruly(RequestBot(chance, with_id=chance.random() < 0.5), chance)),
        SessionSeat(LockstepSession(), LockstepBot(chance)),
    ]


@each_row("faults", [Faults.DEFAULT, Faults.CHOMBO])
@each_row("seed", range(4))
def test_unruly_clients_do_not_affect_others(seed: int, faults: Faults) -> None:
    """The game ends, the client that follows the rules has no fault, and outboxes stay bounded."""
    chance = Random(seed)
    seats = unruly(chance)
    game = Game(Ruleset(length=Length.TONPU), "ABCD", seeded_deals(f"unruly {seed}"))
    table = HostedTable(game, seats, faults=faults).begin().play()
    assert table.is_over
    assert not seats[3].faults()
    assert not any(refused.seat == 3 for refused in table.refused)
    assert any(isinstance(each, Stale) for seat in seats[:3] for each in seat.received)
    for seat in seats:
        if isinstance(seat.session, LockstepSession):
            assert len(seat.session._outbox) <= MAX_WAITING + 50
