"""Positions at a table from which several tests start."""

from __future__ import annotations

from support.table_driver import TableDriver, drive_table

from ump.model.phases import Phase
from ump.rules.ruleset import Length, Ruleset
from ump.table.clock import TimeControl

QUIET = {"A": "19m159p19s123456z", "B": "258m46p147s12347z", "C": "369m55p258s12356z", "D": "147m279p369s1467z"}
"""Hands far from tenpai. When A discards 5p, B can call chi and C pon, and D is not asked."""

DRAWN = "8m"
"""A's first draw with the hands of QUIET."""

CHANKAN_HANDS = {"A": "55m19p147s123456z", "B": "59m258p369s12347z", "C": "46m123p99p234789s", "D": "147m369p258s1567z"}
"""Hands in which C waits for 5m, and has no yaku but chankan."""

TENPAI = {"A": "123456789m111z2z", "B": "123456789p222z3z", "C": "123456789s333z4z", "D": "234m234p234s555z7z"}
"""Hands that stay tenpai, because the next seat holds the tiles that each waits for."""


ONE_KYOKU = Ruleset(length=Length.KYOKU)


def at_turn(times: TimeControl | None = None, clients: str | None = None) -> TableDriver:
    """Return a table where A has drawn DRAWN, and is asked what to discard."""
    return drive_table(QUIET, DRAWN, times, clients)


def at_call(times: TimeControl | None = None, clients: str | None = None) -> TableDriver:
    """Return a table where A has discarded 5p, and B and C are asked."""
    return at_turn(times, clients)("A sute 5p")


def after_call(times: TimeControl | None = None, clients: str | None = None) -> TableDriver:
    """Return a table where C has called A's 5p, and is asked what to discard."""
    return at_call(times, clients)("C pon 5p 5p")


def at_chankan(times: TimeControl | None = None, clients: str | None = None) -> TableDriver:
    """Return a table where A adds the tile that C waits for to its pon, and C is asked."""
    driver = drive_table(CHANKAN_HANDS, "77432z0m", times, clients)
    driver("A sute 7z", "B sute 5m", "A pon 5m 5m", "A sute 6z", "B sute 4z", "C sute 3z", "D sute 2z")
    return driver("A kakan 5M")


def at_declare(times: TimeControl | None = None, clients: str | None = None) -> TableDriver:
    """Return a table where the wall is exhausted, and A, the dealer, is asked to declare tenpai or noten."""
    return drive_table(TENPAI, "", times, clients, rules=ONE_KYOKU).until(Phase.DECLARE)


def at_ready(times: TimeControl | None = None, clients: str | None = None) -> TableDriver:
    """Return a table where A has declared kyushu kyuhai, and all seats are asked ``ready?``."""
    return at_turn(times, clients)("A ryukyoku")
