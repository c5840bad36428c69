"""The common settings of the games of an arena, and the players of each block."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations, permutations
from typing import Any

from ump.arena.block_play import Match
from ump.arena.blocks import ArenaPlayer, Lineup
from ump.model.value import value
from ump.record.record_format import written_rules
from ump.rules.ruleset import Ruleset

SWISS = "swiss"
"""The schedule whose lineups follow from the ratings."""


@value
class ArenaSetup:
    """An arena of two or more players, or a comparison of two."""

    entrants: tuple[ArenaPlayer, ...]
    ruleset: Ruleset
    seed: str
    points: tuple[float, ...]
    """The placement points of each place, the first one first."""
    schedule: str
    """One of ``SCHEDULES``."""
    until: float | None = None
    """The lead in placement points per game that the tests of all pairs look for; None: a fixed number of games."""

    @property
    def match(self) -> Match:
        """The players, rules and seed of its blocks."""
        return Match(self.entrants, self.ruleset, self.seed)


def round_robin(players: int, seats: int) -> list[Lineup]:
    """Return each player alone among copies of each other player: both directions of every pair."""
    listed = []
    for alone, other in permutations(range(players), 2):
        listed.append((alone, *[other] * (seats - 1)))
    return listed


def gauntlet(players: int, seats: int) -> list[Lineup]:
    """Return the directions of ``round_robin`` in which the first player takes part."""
    return [lineup for lineup in round_robin(players, seats) if 0 in lineup]


def challenge(players: int, seats: int) -> list[Lineup]:
    """Return each other player alone among copies of the first one: a slow player has few seats to think for."""
    return [lineup for lineup in gauntlet(players, seats) if lineup.count(0) > 1]


def duplicate(players: int, seats: int) -> list[Lineup]:
    """Return each choice of as many different players as there are seats; none if there are fewer players."""
    return list(combinations(range(players), seats))


SCHEDULES: dict[str, Callable[[int, int], list[Lineup]]] = {
    "round-robin": round_robin,
    "gauntlet": gauntlet,
    "challenge": challenge,
    "duplicate": duplicate,
    SWISS: duplicate,
}
"""The lineups of each schedule, for a number of players and of seats: blocks take them in turns, or choose (Swiss)."""


def lineups(setup: ArenaSetup) -> list[Lineup]:
    """Return the lineups of an arena; empty if the schedule needs more players."""
    return SCHEDULES[setup.schedule](len(setup.entrants), setup.ruleset.seats)


def names_of(entrants: Iterable[ArenaPlayer]) -> list[str]:
    """Return the names of players."""
    return [entrant.name for entrant in entrants]


def anchor(entrants: Sequence[ArenaPlayer]) -> int:
    """Return the player whose rating is fixed: the built-in ``efficiency`` if it plays, otherwise the first one."""
    kinds = [entrant.kind for entrant in entrants]
    return kinds.index("efficiency") if "efficiency" in kinds else 0


def comparison_setup_data(setup: ArenaSetup) -> dict[str, Any]:
    """Return the setup of a comparison as JSON, with all rules."""
    return {
        "players": [entrant.kind for entrant in setup.entrants],
        "rules": written_rules(setup.ruleset),
        "seed": setup.seed,
        "points": list(setup.points),
    }


def arena_setup_data(setup: ArenaSetup) -> dict[str, Any]:
    """Return the setup of an arena as JSON, with all rules."""
    until = {} if setup.until is None else {"until_decided": setup.until}
    return until | {
        "entrants": [{"name": entrant.name, "kind": entrant.kind} for entrant in setup.entrants],
        "rules": written_rules(setup.ruleset),
        "seed": setup.seed,
        "points": list(setup.points),
        "schedule": setup.schedule,
    }
