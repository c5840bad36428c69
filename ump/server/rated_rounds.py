"""The rounds of a rated room: who plays whom, at instants that the clock alone decides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import combinations
from math import ceil, floor
from random import Random
from typing import TypeAlias
from weakref import WeakKeyDictionary

from twisted.internet.interfaces import IDelayedCall
from twisted.logger import Logger
from twisted.python.failure import Failure

from ump.arena.ratings import ANCHOR_RATING
from ump.model.value import value
from ump.net.wall_clock import wall_seconds
from ump.server.gathering import Gathering
from ump.server.ladder import NO_STANDINGS, Ladder, LadderPlayer, LadderSource, RatedGame, Standings, standings_of
from ump.server.player_connection import PlayerConnection
from ump.server.room import Room
from ump.server.table_runner import TableRunner
from ump.wire.names import logged_name, owner_of

# Pairing: who plays whom in the next round of a rated room.
#
# Players are sorted by their ratings with some noise, so that the same neighbours do not meet in each round, and are
# cut into tables. Then players change places while that makes the tables cheaper. A table never has two players of
# one owner; where the players are too few or their owners too alike, built-in bots fill the seats, so that nobody
# waits for long.

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
class FreePlayer:
    """A player who is free for the next round."""

    name: str
    rating: float


Table = list[FreePlayer]


def pair(
    candidates: Sequence[FreePlayer], seats: int, recent: Sequence[Sequence[frozenset[str]]], generator: Random
) -> list[tuple[FreePlayer, ...]]:
    """Return tables of at most ``seats`` players, none of them empty; built-in bots take the seats that are left.

    ``recent`` are the tables of the last rounds as names, the newest first.
    """
    if not candidates:
        return []
    owners = Counter(owner_of(player.name) for player in candidates)
    count = max(ceil(len(candidates) / seats), *owners.values())
    noisy = {player: player.rating + generator.gauss(0, NOISE) for player in candidates}
    queue = sorted(candidates, key=noisy.__getitem__, reverse=True)
    tables = _seated(queue, owners, count, seats)
    cost = Costs(recent)
    for _ in range(_MOST_SWEEPS):
        if not sum(_improve(one, other, cost) for one, other in _near(tables)):  # any() would end at the first
            break
    return [tuple(table) for table in tables if table]


def _seated(queue: Sequence[FreePlayer], owners: Counter[str], count: int, seats: int) -> list[Table]:
    """Return ``count`` tables, filled in the order of the queue, without two players of one owner at a table.

    An owner with many players could find no table at the end of the queue. So the owners with the most players choose
    first: each of their players goes to the free table that is nearest to its place in the queue.
    """
    place = {player.name: number * count // len(queue) for number, player in enumerate(queue)}
    tables: list[Table] = [[] for _ in range(count)]
    for player in sorted(queue, key=lambda player: owners[owner_of(player.name)], reverse=True):
        own = owner_of(player.name)
        free = []
        for number, table in enumerate(tables):
            if len(table) < seats and own not in {owner_of(other.name) for other in table}:
                free.append((abs(number - place[player.name]), len(table), number))
        if free:
            _, _, number = min(free)
            tables[number].append(player)
        else:  # the others of its owner sit at every table with a free seat
            tables.append([player])
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

    def of(self, table: Sequence[FreePlayer]) -> float:
        """Return the sum over all pairs: the difference of their ratings, and more if they have met lately."""
        return sum(self._of_pair(one, other) for one, other in combinations(table, 2))

    def _of_pair(self, one: FreePlayer, other: FreePlayer) -> float:
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


# The rounds

Recent: TypeAlias = tuple[tuple[frozenset[str], ...], ...]
"""The tables of the last rounds, as names, the newest first."""


@value
class RoundPlan:
    """A round, as another thread has computed it."""

    standings: Standings
    tables: tuple[tuple[str, ...], ...]
    """The names of the players of each table; built-in bots take the seats that are left."""


NEXT_ROUND = "This room is rated. The next round begins in "
"""The beginning of the message to players in line."""

RATE_SECONDS = 3.0
"""Seconds after a game until it is rated: the index has it by then."""

LOOK_SECONDS = 30.0
"""Seconds between two looks at the wall clock, which may be set while a round is awaited."""


class RatedRounds(Gathering):
    """The rounds of one room, and its ladder. Built-in bots take the seats that are left.

    A round begins at each instant that is a multiple of the interval, so also a restart does not move it.
    """

    _log = Logger()

    def __init__(self, room: Room, source: LadderSource) -> None:
        """Begin a round of a room at fixed intervals, paired by ratings from its games in ``source``."""
        self._standings = NO_STANDINGS
        self._every = room.settings.rated_every
        self._room = room
        self._clock = room.parts.clock
        self._source = source
        self._recent: Recent = ()
        self._told: WeakKeyDictionary[PlayerConnection, float] = WeakKeyDictionary()
        """The round of which each player has been told."""
        self._is_busy = False
        """Whether a plan is being computed."""
        self._is_outdated = False
        """Whether the standings have games that do not count any more, or lack some that do."""
        self._is_stopped = False
        self._awaited = 0.0
        """When the next round begins, by the wall clock."""
        self._timer: IDelayedCall = self._clock.callLater(0, self._rate)
        self._soon = self._timer
        """The next look at games that have just ended."""

    @property
    def ladder(self) -> Ladder:
        """The ladder at this moment."""
        return Ladder(self._standings, self._every, self._next_round)

    @property
    def _next_round(self) -> float:
        return (floor(wall_seconds(self._clock) / self._every) + 1) * self._every

    def stop(self) -> None:
        """Begin no more rounds."""
        self._is_stopped = True
        for call in (self._timer, self._soon):
            if call.active():
                call.cancel()

    def rate_again(self) -> None:
        """Compute the standings anew, also what they were before."""
        self._is_outdated = True
        if not self._is_busy and not self._is_stopped:
            self._compute({})

    def look(self) -> None:
        """Tell everybody in line who is here, and, once for each round, when it begins."""
        instant = self._next_round
        for player in self._room.line:
            player.connection.tell_waiting(len(self._room.line), self._room.players)
            if self._told.get(player) != instant:
                self._told[player] = instant
                self._tell(player, instant)

    def after(self, table: TableRunner) -> None:
        """Rate the game soon if people have played it, who want to see what it has changed; others wait for a round."""
        people = any(player.is_client and player.connection.session.is_person for player in table.players.values())
        if people and not self._is_stopped and not self._soon.active():
            self._soon = self._clock.callLater(RATE_SECONDS, self._rate_soon)

    def _rate_soon(self) -> None:
        if not self._is_busy and not self._is_stopped:
            self._compute({})

    def _tell(self, player: PlayerConnection, instant: float) -> None:
        """Tell a player when the next round begins, as far as its protocol has a place for it."""
        try:
            player.connection.session.count_down(ceil(instant - wall_seconds(self._clock)))
            player.connection.session.announce(self._text(instant))
            player.connection.flush()
        except Exception:  # a bug of the server must not affect the players after this one
            self._log.failure("{room}: {name} failed in line", room=self._room.name, name=logged_name(player.name))
            player.connection.cut()

    def _text(self, instant: float) -> str:
        seconds = round(instant - wall_seconds(self._clock))
        left = f"{seconds} seconds" if seconds < 120 else f"{seconds // 60} minutes"
        at = datetime.fromtimestamp(instant, UTC)
        return f"{NEXT_ROUND}{left}, at {at:%H:%M:%S} UTC; you need not do anything."

    def _rate(self) -> None:
        """Compute the ratings when the server starts, without a round."""
        self._arm()
        self._compute({})

    def _arm(self) -> None:
        """Wait for the next round."""
        self._awaited = self._next_round
        self._wait()

    def _wait(self) -> None:
        left = self._awaited - wall_seconds(self._clock)
        self._timer = self._clock.callLater(max(0.001, min(left, LOOK_SECONDS)), self._look_at_time)

    def _look_at_time(self) -> None:
        """Begin the round if its time has come; wait for another one if the wall clock was set back."""
        left = self._awaited - wall_seconds(self._clock)
        if left <= 0:
            self._round()
        elif left > self._every:
            self._arm()
        else:
            self._wait()

    def _round(self) -> None:
        """Pair everybody in line; of several guests with the same name only the one that has waited the longest."""
        self._arm()
        self._compute({player.name: player for player in reversed(self._room.line)})

    def _compute(self, players: Mapping[str, PlayerConnection]) -> None:
        """Compute ratings and pairs in another thread; if the last ones are not ready yet, this round is left out."""
        if self._is_busy:
            self._log.warn(
                "{room}: the ratings of the last round are not ready, so a round is left out", room=self._room
            )
            return
        self._is_busy = True
        now = wall_seconds(self._clock)
        room = self._room.name
        before = NO_STANDINGS if self._is_outdated else self._standings
        self._is_outdated = False
        planned = self._source.in_thread(
            plan_round,
            partial(self._source.games, room),
            now,
            before,
            tuple(players),
            self._room.players,
            self._recent,
            f"{room} {now}",
        )
        planned.addCallback(self._play, players)
        planned.addErrback(self._failed)

    def _play(self, plan: RoundPlan, players: Mapping[str, PlayerConnection]) -> None:
        """Seat the players that are still here."""
        self._is_busy = False
        self._standings = plan.standings
        if self._is_outdated:
            self.rate_again()
        if self._is_stopped or not players:
            return
        self._recent = (tuple(map(frozenset, plan.tables)), *self._recent)[:REMEMBERED]
        for names in plan.tables:
            present = [players[name] for name in names if players[name] in self._room.line]
            if present:
                self._room.begin_game(present)
        self._log.info(
            "{room}: a round with {players} players at {tables} tables",
            room=self._room.name,
            players=len(players),
            tables=len(plan.tables),
        )
        self.look()

    def _failed(self, failure: Failure) -> None:
        """Log why there is no round; the next one tries again."""
        self._is_busy = False
        self._log.failure("{room}: no round", failure, room=self._room.name)


def plan_round(
    games: Callable[[], Sequence[RatedGame]],
    now: float,
    before: Standings,
    names: Sequence[str],
    seats: int,
    recent: Recent,
    seed: str,
) -> RoundPlan:
    """Return the ratings at an instant, and the tables of these players. Runs in another thread."""
    standings = standings_of(games(), now, before)
    known = standings.ratings
    candidates = []
    for name in names:
        rating = known.get(LadderPlayer(name))
        candidates.append(FreePlayer(name, ANCHOR_RATING if rating is None else rating.elo))
    tables = []
    for table in pair(candidates, seats, recent, Random(seed)):
        tables.append(tuple(player.name for player in table))
    return RoundPlan(standings, tuple(tables))
