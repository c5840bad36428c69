"""Pairing: who plays whom in the next round of a rated room.

Players are sorted by their ratings with some noise, so that the same neighbours do not meet in each round, and are cut
into tables. Then players change places while that makes the tables cheaper. A table never has two players of one owner;
where the players are too few or their owners too alike, built-in bots fill the seats, so that nobody waits for long.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from random import Random

from ump.model.value import value
from ump.wire.names import owner_of

NOISE = 50.0
"""The standard deviation in Elo points of what is added to each rating before sorting."""

REPEATED = 400.0
"""The cost of a pair that met in the last round, in Elo points; two rounds ago it is two thirds, before one third."""

REMEMBERED = 3
"""The rounds in which a meeting costs something."""

_FORBIDDEN = 1e9
_MOST_SWEEPS = 20
"""The swaps end after so many looks at all tables, if they have not before."""


@value
class Candidate:
    """A player who is free for the next round."""

    name: str
    rating: float


Table = list[Candidate]


def pair(
    candidates: Sequence[Candidate], seats: int, recent: Sequence[Sequence[frozenset[str]]], generator: Random
) -> list[tuple[Candidate, ...]]:
    """Return tables of at most ``seats`` players, none of them empty; built-in bots take the seats that are left.

    ``recent`` are the tables of the last rounds as names, the newest first.
    """
    if not candidates:
        return []
    owners = Counter(owner_of(each.name) for each in candidates)
    count = max(-(-len(candidates) // seats), *owners.values())
    noisy = {each.name: each.rating + generator.gauss(0, NOISE) for each in candidates}
    queue = sorted(candidates, key=lambda each: -noisy[each.name])
    tables = _seated(queue, owners, count, seats)
    cost = Costs(recent)
    for _ in range(_MOST_SWEEPS):
        if not sum(_improve(one, other, cost) for one, other in _near(tables)):  # any() would end at the first
            break
    return [tuple(table) for table in tables if table]


def _seated(queue: Sequence[Candidate], owners: Counter[str], count: int, seats: int) -> list[Table]:
    """Return ``count`` tables, filled in the order of the queue, without two players of one owner at a table.

    An owner with many players could find no table at the end of the queue. So the owners with the most players choose
    first: each of their players goes to the free table that is nearest to its place in the queue.
    """
    place = {each.name: number * count // len(queue) for number, each in enumerate(queue)}
    tables: list[Table] = [[] for _ in range(count)]
    for player in sorted(queue, key=lambda each: -owners[owner_of(each.name)]):
        own = owner_of(player.name)
        free = [
            number
            for number, table in enumerate(tables)
            if len(table) < seats and all(owner_of(each.name) != own for each in table)
        ]
        if not free:  # the others of its owner sit at every table with a free seat
            tables.append([player])
            continue
        tables[min(free, key=lambda number: (abs(number - place[player.name]), len(tables[number])))].append(player)
    return tables


class Costs:
    """The costs of tables."""

    def __init__(self, recent: Sequence[Sequence[frozenset[str]]]) -> None:
        """``recent`` are the tables of the last rounds as names, the newest first."""
        self._met: Counter[frozenset[str]] = Counter()
        for age, tables in enumerate(recent[:REMEMBERED]):
            for table in tables:
                for pair_ in combinations(sorted(table), 2):
                    self._met[frozenset(pair_)] += REMEMBERED - age

    def of(self, table: Sequence[Candidate]) -> float:
        """Return the sum over all pairs: the difference of their ratings, and more if they have met lately."""
        return sum(self._of_pair(one, other) for one, other in combinations(table, 2))

    def _of_pair(self, one: Candidate, other: Candidate) -> float:
        if owner_of(one.name) == owner_of(other.name):
            return _FORBIDDEN
        met = self._met[frozenset((one.name, other.name))]
        return abs(one.rating - other.rating) + REPEATED * met / REMEMBERED


def _near(tables: Sequence[Table]) -> Iterator[tuple[Table, Table]]:
    """Yield each pair of tables between which swaps are tried: neighbours, and those two apart."""
    for distance in (1, 2):
        yield from zip(tables, tables[distance:], strict=False)


def _improve(one: Table, other: Table, cost: Costs) -> bool:
    """Swap the two players of two tables whose swap saves most; return whether there are such."""
    best, found = cost.of(one) + cost.of(other) - 1e-6, None
    for here in range(len(one)):
        for there in range(len(other)):
            one[here], other[there] = other[there], one[here]
            total = cost.of(one) + cost.of(other)
            one[here], other[there] = other[there], one[here]
            if total < best:
                best, found = total, (here, there)
    if found is None:
        return False
    here, there = found
    one[here], other[there] = other[there], one[here]
    return True
