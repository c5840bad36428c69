"""Tournaments: who sits where in each round, and the standings. Nothing here knows a server or a clock.

Players are numbers from 0. A seating has the players of a table by seat, the first dealer first. A schedule is fixed
beforehand, so that everybody meets as many others as possible; or each round is drawn by the standings before it
(Swiss), or by lot. Repeated meetings are dear, never forbidden: so there is always a next round.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import combinations, permutations
from math import exp
from operator import itemgetter
from random import Random
from typing import TypeAlias

from ump.model.game_result import SeatResult
from ump.model.value import value

Seating: TypeAlias = tuple[int, ...]
Round: TypeAlias = tuple[Seating, ...]

PERFECT: Mapping[int, tuple[int, str]] = {
    8: (7, "1.0.2.5 7.3.4.6"),
    12: (11, "2.11.4.10 5.1.9.0 8.6.3.7"),
    16: (5, "6.0.12.15 11.8.13.9 1.4.14.10 5.7.3.2"),
    20: (19, "9.1.13.3 7.8.15.10 11.12.18.19 16.2.5.6 17.14.4.0"),
    24: (7, "9.14.3.22 0.11.21.15 19.6.18.16 13.12.20.10 7.4.2.5 8.1.17.23"),
    28: (9, "8.27.26.9 17.21.15.12 10.6.22.1 24.14.13.7 0.20.23.19 16.4.2.5 3.25.11.18"),
}
"""The first of as many rounds as the number says, in which all players meet equally often (24: at most once).

In each further round every block of so many players moves on by one; the players behind the last block stay.
"""

STEPS = 40_000
"""Swaps that are tried for each round of a schedule for which there is no perfect one: some 2 seconds for 8 rounds."""

NEAR_TABLES = 4
"""With more than ``MOST_FREE`` players a Swiss round looks for swaps between tables that are at most so far apart."""

MOST_FREE = 64
SWISS_STARTS = 8
REPEATED, RELATED, DISTANCE = 100.0, 1000.0, 8.0
"""The cost of a pair: each time it has met, if both are of one team or owner, and over the whole standings."""


class PlanError(ValueError):
    """Players and rounds for which there is no plan; the message is one line."""


def check(players: int, seats: int) -> None:
    """Raise PlanError if so many players do not fill tables."""
    if left := players % seats:
        raise PlanError(f"{players} players leave {left} without a table; add {seats - left} bots of the server")
    if not players:
        raise PlanError("a tournament needs players")


# Fixed schedules


def fixed_schedule(
    players: int, rounds: int, chance: Random, seats: int = 4, before: Sequence[Round] = ()
) -> tuple[Round, ...]:
    """Return a schedule in which as few players as possible meet again, and everybody has each wind equally often.

    ``before`` are earlier rounds, whose meetings count, too. Raises PlanError.
    """
    check(players, seats)
    length, text = PERFECT.get(players, (0, ""))
    if seats == 4 and rounds <= length and not before:
        tables = _perfect(length, text, players)[:rounds]
    else:
        tables = _annealed(players, rounds, chance, seats, before)
    if not before:
        _rename(tables, players, chance)
    schedule: list[Round] = []
    for start in range(0, rounds, seats):
        schedule += _with_winds(tables[start : start + seats], seats)
    return tuple(schedule)


def _rename(tables: list[list[list[int]]], players: int, chance: Random) -> None:
    """Exchange the players by lot."""
    names = list(range(players))
    chance.shuffle(names)
    for of_round in tables:
        for table in of_round:
            table[:] = [names[player] for player in table]


def _perfect(length: int, text: str, players: int) -> list[list[list[int]]]:
    """Return the rounds: in each, the players move on by one within their groups of ``length``."""
    rounds = []
    for shift in range(length):
        places = list(range(players))
        for player in range(players // length * length):
            group = player // length * length
            places[player] = group + (player + shift) % length
        tables = []
        for table in text.split():
            tables.append([places[int(player)] for player in table.split(".")])
        rounds.append(tables)
    return rounds


def _annealed(players: int, rounds: int, chance: Random, seats: int, before: Sequence[Round]) -> list[list[list[int]]]:
    """Return tables for all rounds: players of a round change places, at first also where pairs meet more often."""
    order = list(range(players))
    tables: list[list[list[int]]] = []
    for _ in range(rounds):
        chance.shuffle(order)
        tables.append(_cut(order, seats))
    met = meetings([*before, *tables])
    steps = STEPS * rounds if players > seats else 0
    for step in range(steps):
        heat = 1.0 - step / steps
        of_round = tables[chance.randrange(rounds)]
        one, other = chance.sample(of_round, 2)
        first, second = chance.randrange(seats), chance.randrange(seats)
        change = _change(one, first, other, second, met)
        if change <= 0 or chance.random() < exp(-change / max(heat, 1e-6)):
            _swap(one, first, other, second, met)
    return tables


def _cut(players: Sequence[int], seats: int) -> list[list[int]]:
    """Return tables of neighbours."""
    return [list(players[start : start + seats]) for start in range(0, len(players), seats)]


def meetings(rounds: Iterable[Iterable[Sequence[int]]]) -> Counter[frozenset[int]]:
    """Return how often each pair meets."""
    met: Counter[frozenset[int]] = Counter()
    for tables in rounds:
        for table in tables:
            met.update(map(frozenset, combinations(sorted(table), 2)))
    return met


def _change(one: list[int], first: int, other: list[int], second: int, met: Counter[frozenset[int]]) -> int:
    """Return by how much a swap raises the cost: one for each two meetings of the same pair."""
    mine, theirs = one[first], other[second]
    change = 0
    for player in one:
        if player != mine:
            change += met[frozenset((theirs, player))] - met[frozenset((mine, player))] + 1
    for player in other:
        if player != theirs:
            change += met[frozenset((mine, player))] - met[frozenset((theirs, player))] + 1
    return change


def _swap(one: list[int], first: int, other: list[int], second: int, met: Counter[frozenset[int]]) -> None:
    for table in (one, other):
        met.subtract(map(frozenset, combinations(table, 2)))
    one[first], other[second] = other[second], one[first]
    for table in (one, other):
        met.update(map(frozenset, combinations(table, 2)))


def _with_winds(rounds: Sequence[Sequence[Sequence[int]]], seats: int) -> list[Round]:
    """Return as many rounds as there are seats, or fewer, in which nobody has a wind twice.

    Players and tables are the two sides of a graph, and the winds colour its edges, by König's theorem: where a new
    edge finds no colour that is free on both sides, the path of two colours from its table changes them.
    """
    tables: list[tuple[int, int]] = []
    for number, of_round in enumerate(rounds):
        tables += [(number, place) for place in range(len(of_round))]
    of_player: dict[int, dict[int, tuple[int, int]]] = {}
    of_table: dict[tuple[int, int], dict[int, int]] = {table: {} for table in tables}
    for table in tables:
        for player in rounds[table[0]][table[1]]:
            mine, theirs = of_player.setdefault(player, {}), of_table[table]
            wind = _first_free(mine)
            if wind in theirs:
                _free(table, wind, _first_free(theirs), of_player, of_table)
            mine[wind], theirs[wind] = table, player
    seated: list[list[Seating]] = [[] for _ in rounds]
    for table in tables:
        winds = of_table[table]
        seated[table[0]].append(tuple(winds[wind] for wind in range(seats)))
    return list(map(tuple, seated))


def _first_free(taken: Container[int]) -> int:
    """Return the first wind that is not taken."""
    wind = 0
    while wind in taken:
        wind += 1
    return wind


def _free(
    table: tuple[int, int],
    wind: int,
    other: int,
    of_player: Mapping[int, dict[int, tuple[int, int]]],
    of_table: Mapping[tuple[int, int], dict[int, int]],
) -> None:
    """Exchange two winds along the path from a table, so that the first of them becomes free there."""
    path: list[tuple[tuple[int, int], int, int]] = []
    at: tuple[int, int] | None = table
    own, next_one = wind, other
    while at is not None and own in of_table[at]:
        player = of_table[at][own]
        path.append((at, player, own))
        at = of_player[player].get(next_one)
        if at is not None:
            path.append((at, player, next_one))
    for place, player, had in path:
        of_table[place].pop(had), of_player[player].pop(had)
    for place, player, had in path:
        now = next_one if had == own else own
        of_table[place][now], of_player[player][now] = player, place


# Rounds that are drawn


def swiss_round(
    ranked: Sequence[int],
    before: Sequence[Round],
    chance: Random,
    seats: int = 4,
    teams: Mapping[int, str] | None = None,
) -> Round:
    """Return the next round: neighbours in the standings meet, but rather others than those whom they have met.

    ``ranked`` are the players, the first of the standings first; ``teams`` keeps players of one team or owner apart.
    Raises PlanError.
    """
    check(len(ranked), seats)
    price = Prices(ranked, before, teams or {}, DISTANCE / len(ranked))
    rounds = [_improved(ranked, price, chance, seats) for _ in range(SWISS_STARTS)]
    return _with_fairest_winds(min(rounds, key=price.of_all), before, chance)


def random_round(
    players: Sequence[int],
    before: Sequence[Round],
    chance: Random,
    seats: int = 4,
    teams: Mapping[int, str] | None = None,
) -> Round:
    """Return a round by lot, in which as few as possible meet again. Raises PlanError."""
    check(len(players), seats)
    shuffled = list(players)
    chance.shuffle(shuffled)
    price = Prices(shuffled, before, teams or {}, 0.0)
    return _with_fairest_winds(_improved(shuffled, price, chance, seats), before, chance)


class Prices:
    """The costs of pairs at one table."""

    def __init__(
        self, ranked: Sequence[int], before: Sequence[Round], teams: Mapping[int, str], distance: float
    ) -> None:
        self._rank = {player: rank for rank, player in enumerate(ranked)}
        self._met = meetings(before)
        self._teams = teams
        self._distance = distance

    def of(self, table: Sequence[int]) -> float:
        """Return the cost of a table."""
        return sum(self._of_pair(one, other) for one, other in combinations(table, 2))

    def of_all(self, tables: Iterable[Sequence[int]]) -> float:
        """Return the cost of a round."""
        return sum(map(self.of, tables))

    def _of_pair(self, one: int, other: int) -> float:
        cost = self._distance * abs(self._rank[one] - self._rank[other])
        cost += REPEATED * self._met[frozenset((one, other))]
        team = self._teams.get(one)
        return cost + RELATED if team and team == self._teams.get(other) else cost


def _improved(ranked: Sequence[int], price: Prices, chance: Random, seats: int) -> list[list[int]]:
    """Return tables of neighbours, between which players have changed places while that made the round cheaper."""
    tables = _cut(ranked, seats)
    most = len(tables) if len(ranked) <= MOST_FREE else NEAR_TABLES
    pairs = []
    for one, other in combinations(range(len(tables)), 2):
        if other - one <= most:
            pairs.append((one, other))
    is_better = True
    while is_better:
        is_better = False
        chance.shuffle(pairs)
        for one, other in pairs:
            is_better |= _swapped(tables[one], tables[other], price)
    return tables


def _swapped(one: list[int], other: list[int], price: Prices) -> bool:
    """Exchange two players of two tables if that is cheaper; return whether it was."""
    now = price.of(one) + price.of(other)
    for first in range(len(one)):
        for second in range(len(other)):
            one[first], other[second] = other[second], one[first]
            if price.of(one) + price.of(other) < now - 1e-9:
                return True
            one[first], other[second] = other[second], one[first]
    return False


def _with_fairest_winds(tables: Iterable[Sequence[int]], before: Sequence[Round], chance: Random) -> Round:
    return tuple(_fairest_winds(table, before, chance) for table in tables)


def _fairest_winds(table: Sequence[int], before: Sequence[Round], chance: Random) -> Seating:
    """Return the players in the order in which they have had these winds least often."""
    had: Counter[tuple[int, int]] = Counter()
    for of_round in before:
        for seating in of_round:
            had.update(enumerate(seating))

    def unfairness(order: Seating) -> int:
        return sum((had[wind, player] + 1) ** 2 for wind, player in enumerate(order))

    orders = list(permutations(table))
    chance.shuffle(orders)
    return min(orders, key=unfairness)


# Standings


PlayedTable: TypeAlias = tuple[Seating, Sequence[SeatResult]]
"""The players for whom a game counts, also where a substitute has played, and what each of them gets from it."""


@value
class Standing:
    """The place of a player in the standings, and what it follows from."""

    player: int
    total: int
    """The results of all games less penalties, in tenths of a thousand points."""
    penalties: int
    """The penalty, in tenths of a thousand points."""
    places: tuple[int, ...]
    """The number of games in which the player took each place, from the first on."""
    points: int
    """The sum of the points at the end of the games."""
    best: int
    """The best result of a game, in tenths of a thousand points; 0 before the first."""


def standings(
    players: Iterable[int], tables: Iterable[PlayedTable], penalties: Mapping[int, int], lot: Random, seats: int = 4
) -> tuple[Standing, ...]:
    """Return the standings, the first player first.

    Ties are broken by first places, second places, points, the best game, and by lot. ``penalties`` are in tenths of a
    thousand points. The same games always give the same standings, if ``lot`` begins with the same state.
    """
    own: dict[int, list[SeatResult]] = {player: [] for player in players}
    for seating, results in tables:
        for player, result in zip(seating, results, strict=True):
            if player in own:  # bots that fill tables have no standing
                own[player].append(result)
    listed = []
    for player, games in sorted(own.items()):
        standing = _standing(player, games, penalties.get(player, 0), seats)
        listed.append((_rank(standing, lot.random()), standing))
    return tuple(standing for _, standing in sorted(listed, key=itemgetter(0)))


def _rank(standing: Standing, lot: float) -> tuple[float, ...]:
    """Return what decides about the order; the smallest comes first."""
    first, second = standing.places[:2]
    return -standing.total, -first, -second, -standing.points, -standing.best, lot


def _standing(player: int, games: Sequence[SeatResult], penalty: int, seats: int) -> Standing:
    """Return the standing of a player after these games, whose results are all known.

    A game that somebody else has played for a stated result has no place and no points for the player, and is not its
    best one.
    """
    places = Counter(game.place for game in games)
    tenths = [game.result or 0 for game in games]
    played = [game.result or 0 for game in games if game.place is not None]
    return Standing(
        player=player,
        total=sum(tenths) - penalty,
        penalties=penalty,
        places=tuple(places[place] for place in range(1, seats + 1)),
        points=sum(game.points or 0 for game in games),
        best=max(played, default=0),
    )
