"""Whole games of mjai bots, in every dialect and mixed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

from support.hosted_table import HostedTable, PolicySeat, SessionSeat
from support.mjai_bots import BatchBot, LinesBot, LockstepBot, RequestBot, StrictBot
from support.policies import EagerPolicy, helpful_deals

from ump.game.deals import seeded_deals
from ump.game.game import Game
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Length
from ump.wire.mjai.lockstep_session import LockstepSession
from ump.wire.mjai.piped_session import BatchSession, LineSession
from ump.wire.mjai.request_session import RequestSession
from ump.wire.session import Introduction


def lockstep(chance: Random) -> SessionSeat:
    """Seat a bot that speaks in lock-step."""
    return SessionSeat(LockstepSession(), LockstepBot(chance))


def batch(chance: Random) -> SessionSeat:
    """Seat a bot that reads arrays."""
    session = BatchSession(Introduction(name="batch"))
    return SessionSeat(session, BatchBot(chance, session))


def lines(chance: Random) -> SessionSeat:
    """Seat a bot that reads lines."""
    session = LineSession(Introduction(name="lines"))
    return SessionSeat(session, LinesBot(chance, session))


def request(chance: Random) -> SessionSeat:
    """Seat a client that replies to requests."""
    return SessionSeat(RequestSession("user", None, is_validation=True), RequestBot(chance))


def request_without_ids(chance: Random) -> SessionSeat:
    """Seat a client that replies to requests without their ids."""
    return SessionSeat(RequestSession(None, "east"), RequestBot(chance, with_id=False))


def request_strictly(chance: Random) -> SessionSeat:
    """Seat a client that answers only what equals an offer."""
    return SessionSeat(RequestSession(None, "east"), StrictBot(chance))


def house(chance: Random) -> PolicySeat:
    """Seat a policy that answers with actions."""
    return PolicySeat(EagerPolicy(chance))


Seating = Callable[[Random], SessionSeat | PolicySeat]

TABLES: dict[str, tuple[Seating, ...]] = {
    "lockstep": (lockstep,) * 4,
    "batch": (batch,) * 4,
    "lines": (lines,) * 4,
    "request": (request, request_without_ids, request_strictly, request_strictly),
    "all": (lockstep, batch, lines, request),
    "mixed with others": (house, lockstep, house, batch),
}

RULES = ("ump", "tenhou", "mleague", "wrc", "classic", "majsoul")


def game(table: str, seed: int, *, ask_all: bool = False) -> tuple[HostedTable, list[SessionSeat]]:
    """Play a game; every other seed has walls that help kans and yakuman."""
    rules = RULES[seed % len(RULES)]
    ruleset = replace(PRESETS[rules], length=Length.TONPU)
    deals = helpful_deals(str(seed)) if seed % 2 else seeded_deals(str(seed))
    chance = Random(seed)
    seats = [seating(chance) for seating in TABLES[table]]
    played = HostedTable(Game(ruleset, ("ann", "bob", "cy", "dee"), deals, ask_all=ask_all), seats).begin().play()
    return played, [each for each in seats if isinstance(each, SessionSeat)]
