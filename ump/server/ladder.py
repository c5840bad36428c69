"""The ladder: ratings from rated games, and flags for what looks unfair."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from enum import Enum
from itertools import chain
from math import copysign, erfc, exp, sqrt
from pathlib import Path
from statistics import fmean, pvariance
from typing import TypeAlias

from twisted.logger import Logger

from ump.arena.ratings import ANCHOR_RATING, ELO, Group, fit_groups
from ump.model.events import HandWon
from ump.model.game_result import GameResult
from ump.model.value import value
from ump.record.indexed_game import ELSEWHERE, IndexedGame, IndexedPlayer
from ump.record.journal import Journal, JournalError, PlayerKind, played, read_journal
from ump.record.record_files import unpacked
from ump.record.recorded_game import RecordError
from ump.server.jobs import InThread
from ump.table.journal_entries import ActionTaken, AnswerRefused, Cause, End, Entry, SeatDropped

# Rated games, and the ratings of the ladder that follow from them.
#
# The model is Plackett-Luce with one fixed anchor. The fit is that of ``ump.arena.ratings``. Two things differ. Games
# have weights that fall with their age, those of Floodgate (shogi-server/shogi-server). And the prior compares each
# player with the anchor alone, so that a step takes time in proportion to players and games; a newcomer without games
# gets the anchor's rating from it.

# Rated games: who has played, in which places, and what players did to each other; from the index and records.

AT_ONCE = 50
"""The games that are played again for each round of a room: a hanchan takes some 30 ms in another thread."""


@value
class LadderPlayer:
    """A player of the ladder. All built-in bots of one kind are one player."""

    name: str
    """The name of a client, or the policy of a built-in bot."""
    is_builtin: bool = False


@value
class Conduct:
    """The payments and faults of the seats of a game."""

    paid: tuple[tuple[int, ...], ...]
    """By payer and winner: the points that the one paid for rons of the other, with honba."""
    faults: tuple[int, ...]
    """By seat: refused answers, timeouts and lost connections."""


@value
class RatedGame:
    """A game in a rated room."""

    file: str
    """The id of its record."""
    began: float
    """Seconds since 1970."""
    players: tuple[LadderPlayer, ...]
    """By seat; a built-in bot may have several seats."""
    result: GameResult
    """Points and places; players that share a place are not compared."""
    is_abandoned: bool = False
    """Whether all clients have left it."""
    conduct: Conduct | None = None
    """The players' payments to each other, and their faults; None if the record has not been played again yet."""


def rated_games(games: Iterable[IndexedGame]) -> Iterator[RatedGame]:
    """Yield those games that count, in the same order.

    A completed game counts, also for players that have left it: the table has played their seats to the end. A game
    that all clients have left counts by ``places_after_leaving``. Games that the server or its operator has broken off
    or annulled do not count, nor do those with programs that the server has started.
    """
    for game in games:
        places = places_for_ladder(game)
        if places is not None and not game.is_annulled:
            yield RatedGame(
                file=game.file,
                began=datetime.fromisoformat(game.began).timestamp(),
                players=tuple(map(_player, game.players)),
                result=GameResult(game.result.points, places),
                is_abandoned=game.end == End.ABANDONED.value,
            )


def places_for_ladder(game: IndexedGame) -> tuple[int, ...] | None:
    """Return the places by seat, or None if a game does not count by how it was played."""
    kinds = [player.kind for player in game.players]
    if PlayerKind.CHILD.value in kinds or PlayerKind.CLIENT.value not in kinds:
        return None
    if game.end == End.ABANDONED.value:
        return places_after_leaving(tuple(kind == PlayerKind.CLIENT.value for kind in kinds))
    return game.result.places if game.end == End.COMPLETED.value and game.result.places else None


def places_after_leaving(is_client: tuple[bool, ...]) -> tuple[int, ...]:
    """Return the places of a game that all clients have left: built-in bots share the first, clients the last.

    So a player that leaves a lost game beside built-in bots loses as much as by the worst result.
    """
    return tuple(len(is_client) if each else 1 for each in is_client)


def _player(player: IndexedPlayer) -> LadderPlayer:
    """Return the player of the ladder that sat at a seat."""
    if player.kind == PlayerKind.BOT.value:
        return LadderPlayer(player.speaks, is_builtin=True)
    return LadderPlayer(player.name)


def conduct_of(journal: Journal) -> Conduct:
    """Play a recorded game and return what its players did; raises JournalError if the record does not fit."""
    seats = len(journal.header.players)
    paid = [[0] * seats for _ in range(seats)]
    faults = [0] * seats
    for step, events, _ in played(journal):
        for entry in step.entries:
            seat = _seat_at_fault(entry)
            if seat is not None:
                faults[seat] += 1
        for event in events:
            if isinstance(event, HandWon) and event.loser is not None:
                paid[event.loser][event.seat] -= event.changes[event.loser]
    return Conduct(tuple(map(tuple, paid)), tuple(faults))


def _seat_at_fault(entry: Entry) -> int | None:
    """Return the seat that an entry is a fault of; None for other entries."""
    match entry:
        case AnswerRefused(seat=seat) | SeatDropped(seat=seat) | ActionTaken(seat=seat, cause=Cause.TIMEOUT):
            return seat
        case _:
            return None


class ConductReader:
    """The conduct in the games of each room that it was asked for last, as far as it is known."""

    _log = Logger()

    def __init__(self, folder: Path, at_once: int = AT_ONCE) -> None:
        """Read journals in a folder, at most ``at_once`` of them for each call."""
        self._folder = folder
        self._at_once = at_once
        self._known: dict[str, dict[str, Conduct | None]] = {}
        """By room and record; None for a record that cannot be read."""

    def added_to(self, room: str, newest_first: Iterable[RatedGame]) -> list[RatedGame]:
        """Return the games of a room, the oldest first, with their conduct; the newest unknown ones are read.

        Records that another server has are left out.

        It may be called in another thread.
        """
        before, known = self._known.get(room, {}), dict[str, Conduct | None]()
        games: list[RatedGame] = []
        left = self._at_once
        for game in newest_first:
            if game.file in before:
                known[game.file] = before[game.file]
            elif left and ELSEWHERE not in game.file:
                left -= 1
                known[game.file] = self._read(game.file)
            games.append(replace(game, conduct=known.get(game.file)))
        self._known[room] = known
        return games[::-1]

    def _read(self, file: str) -> Conduct | None:
        """Play the game of a record again; None if it cannot be read."""
        try:
            return conduct_of(read_journal(unpacked((self._folder / file).read_bytes())))
        except (OSError, JournalError, RecordError) as error:
            self._log.warn("{file} is left out of the flags: {error}", file=file, error=str(error))
            return None


ANCHOR = LadderPlayer("efficiency", is_builtin=True)
"""The player whose rating is fixed."""

FULL_WEIGHT_DAYS = 7.0
HALF_LIFE_DAYS = 60.0
"""A game counts in full for a week, and then half as much after each 60 days."""

PROVISIONAL_GAMES = 60
"""Below so many games a rating is provisional: its standard deviation is above 180 / sqrt(60) = 23 Elo."""

Weighted: TypeAlias = tuple[float, list[dict[int, float]]]
"""The weight of a game, and its choices."""

_PRIOR = 0.5
"""Wins, and as many losses, of each player against the anchor: ratings stay finite."""

_Z95 = 1.96
_DAY = 86_400.0


@value
class Rating:
    """The rating of a player in Elo points."""

    elo: float
    half_width: float
    """Half of the 95 % interval; 0 for the anchor."""


def weight_of(age: float) -> float:
    """Return how much a game counts that began ``age`` seconds ago."""
    days = max(0.0, age / _DAY - FULL_WEIGHT_DAYS)
    return float(0.5 ** (days / HALF_LIFE_DAYS))


def fit(
    games: Sequence[RatedGame], now: float, begin: Mapping[LadderPlayer, Rating] | None = None
) -> dict[LadderPlayer, Rating]:
    """Return the ratings of all players in these games, and of the anchor, at an instant in seconds since 1970.

    ``begin`` are earlier ratings, which only save time.
    """
    players = list(dict.fromkeys(chain([ANCHOR], *(game.players for game in games))))
    index = {player: number for number, player in enumerate(players)}
    results = [(weight_of(now - game.began), _groups(game, index)) for game in games]
    weighted = [(weight, _choices(groups)) for weight, groups in results]
    known = begin or {}
    s = [(known[each].elo - ANCHOR_RATING) / ELO if each in known else 0.0 for each in players]
    won = [_PRIOR] * len(players)
    won[0] += _PRIOR * (len(players) - 2)
    for weight, groups in results:
        for group in groups[:-1]:
            for player in group:
                won[player] += weight
    prior: list[Group] = [(((0, 1), (player, 1)), 2 * _PRIOR) for player in range(1, len(players))]
    chosen_from: list[Group] = []
    for weight, choices in weighted:
        chosen_from += [(tuple(left.items()), weight) for left in choices]
    s = fit_groups(won, [*prior, *chosen_from], s) if prior else [0.0]
    widths = _half_widths(s, weighted)
    return {
        player: Rating(ANCHOR_RATING + ELO * (s[number] - s[0]), ELO * widths[number])
        for player, number in index.items()
    }


def _groups(game: RatedGame, index: Mapping[LadderPlayer, int]) -> list[list[int]]:
    """Return the players of a game from the first place to the last; those that share a place are one group."""
    groups: dict[int, list[int]] = {place: [] for place in sorted(set(game.result.places))}
    for player, place in zip(game.players, game.result.places, strict=True):
        groups[place].append(index[player])
    return list(groups.values())


def _choices(groups: Sequence[Sequence[int]]) -> list[dict[int, float]]:
    """Return the choices that a result consists of: each player that was left, with how many times.

    Of players that share a place each is chosen once, in an unknown order; so those of them that are left count in
    part (B. Efron 1977). The last ones are no choice.
    """
    found = []
    for number, group in enumerate(groups[:-1]):
        for chosen in range(len(group)):
            left: dict[int, float] = {}
            for player in group:
                left[player] = left.get(player, 0.0) + 1 - chosen / len(group)
            for player in chain(*groups[number + 1 :]):
                left[player] = left.get(player, 0.0) + 1
            found.append(left)
    return found


def _half_widths(s: Sequence[float], games: Sequence[Weighted]) -> list[float]:
    """Return half of the 95 % interval of the difference between each s and that of the anchor.

    Both variances are those of one s while all others are known. A game of weight w adds w of its
    information, but w² to the variance of the score (H. White 1982).
    """
    strengths = [exp(each) for each in s]
    prior = [2 * _PRIOR * own * strengths[0] / (own + strengths[0]) ** 2 for own in strengths]
    information, variance = list(prior), list(prior)
    for weight, choices in games:
        for left in choices:
            total = sum(strengths[player] * times for player, times in left.items())
            for player, times in left.items():
                share = strengths[player] * times / total
                information[player] += weight * share * (1 - share)
                variance[player] += weight * weight * share * (1 - share)
    each = [own / known**2 if known else 0.0 for own, known in zip(variance, information, strict=True)]
    return [0.0, *(_Z95 * sqrt(own + each[0]) for own in each[1:])]


# Flags: what looks like help among players, or like play below one's strength. A person decides what it is.
#
# Three tests compare what a player does beside one other player with what it does elsewhere: its places, the points
# that it deals in to the other, and its faults. Y. Benjamini and Y. Hochberg (1995) bound the share of false flags
# among all of them. A fourth one finds a change: a player that for many games plays better, or worse, than it usually
# does, by a CUSUM (E. S. Page 1954). A player that holds back and wins later does this; one that has been improved
# under its old name does it too.
#
# Each test beside a player has a number for each game, and asks whether the mean over some of the games, those with
# the other player, is higher than that of as many games drawn by lot. The moments of all draws are known (sampling
# without replacement), so nothing is drawn. Points paid and faults are mostly 0 and sometimes large; their means over
# some 50 games are not normal yet. So the tail is that of the Pearson type III distribution with the same three
# moments (P. W. Mielke and K. J. Berry, Permutation Methods, 2001), by the transformation of E. B. Wilson and M. M.
# Hilferty (1931).
#
# Places are looked at as residuals: the expected place of a player in a game, by the ratings of all, minus its real
# place. In the Plackett-Luce model a player comes before another with the odds of their strengths, so the expected
# place is 1 plus the probabilities of the others to come before.

FALSE_SHARE = 0.01
"""The share of false flags among those of the tests beside another player."""

COMMON_GAMES = 50
"""Pairs with fewer common games are not tested, nor players with fewer others."""

USUAL_GAMES = 10
"""Games with the average payments that are added to those of a player, so that few games make no factor."""

SLACK = 0.25
"""The number that the CUSUM takes off each residual, in standard deviations: half of the change that it looks for."""

LIMIT = 16.0
"""The CUSUM that flags: an even player reaches it once in 40,000 games, one that gains 0.5 in 64 (D. Siegmund 1985)."""

Numbered: TypeAlias = Mapping[LadderPlayer, Sequence[tuple[RatedGame, float]]]
"""The games of each player, each with a number."""


class Sign(Enum):
    """A quantity that is greater beside one other player than elsewhere."""

    HELP = "help"
    """The places that the player gains, against those that the ratings predict."""
    DEAL_INS = "deal-ins"
    """The points that the player pays for the other's rons, against what everybody pays to either."""
    FAULTS = "faults"
    """The refused answers, timeouts and lost connections of the player."""


_TEXTS = {
    Sign.HELP: "{excess:.2f} places better",
    Sign.DEAL_INS: "{excess:.0f} points a game more dealt in",
    Sign.FAULTS: "{excess:.2f} faults a game more",
}


@value
class Beside:
    """A player does something more beside another one."""

    sign: Sign
    player: LadderPlayer
    other: LadderPlayer
    games: int
    """Games of both."""
    excess: float
    """The excess in each of these games."""
    p: float
    """The one-sided p-value."""

    @property
    def text(self) -> str:
        """The flag in English."""
        what = _TEXTS[self.sign].format(excess=self.excess)
        return f"{what} beside {self.other.name} in {self.games} games (p = {self.p:.1g})"


@value
class StrengthChange:
    """The player plays above or below its usual strength."""

    player: LadderPlayer
    is_above: bool
    since: str
    """The record of the game with which it began."""

    @property
    def text(self) -> str:
        """The flag as the pages show it."""
        return f"plays {'above' if self.is_above else 'below'} its usual strength since {self.since}"


def flags(games: Sequence[RatedGame], ratings: Mapping[LadderPlayer, Rating]) -> list[Beside | StrengthChange]:
    """Return all flags of clients; ``games`` are in the order of their time."""
    residuals = {player: own for player, own in residuals_of(games, ratings).items() if not player.is_builtin}
    tests = [*tests_of(Sign.HELP, residuals), *deal_in_tests(games), *fault_tests(games)]
    changes = [change for player, own in residuals.items() if (change := cusum(player, own)) is not None]
    return [*significant(tests), *changes]


def significant(tests: Sequence[Beside], share: float = FALSE_SHARE) -> list[Beside]:
    """Return the tests that the procedure of Benjamini and Hochberg keeps, the clearest first."""
    ordered = sorted(tests, key=lambda test: test.p)
    last = max((rank for rank, test in enumerate(ordered, 1) if test.p <= share * rank / len(tests)), default=0)
    return ordered[:last]


class Moments:
    """The number of some values, their sum, and the sums of their squares and cubes."""

    def __init__(self, values: Iterable[float] = ()) -> None:
        """Begin with some values."""
        self.count = 0
        self.sums = [0.0, 0.0, 0.0]
        for each in values:
            self.add(each)

    def add(self, number: float) -> None:
        """Take one more value."""
        self.count += 1
        self.sums[0] += number
        self.sums[1] += number * number
        self.sums[2] += number * number * number

    @property
    def mean(self) -> float:
        """The mean of the values."""
        return self.sums[0] / self.count

    @property
    def variance(self) -> float:
        """The variance of the values."""
        return self.sums[1] / self.count - self.mean**2


def tail(drawn: Moments, everything: Moments, doubt: float = 0.0) -> float:
    """Return the probability that a mean of so many values, drawn by lot from all, is as high as this or higher.

    ``doubt`` is more variance of the mean, if its values are themselves estimates.
    """
    total, count = everything.count, drawn.count
    mean, square, cube = (each / total for each in everything.sums)
    spread = square - mean**2
    if total <= count or spread <= 1e-9 * square:
        return 1.0
    third = cube - 3 * mean * square + 2 * mean**3
    # the second and the third central moment of a mean of values drawn without replacement
    variance = spread / count * (total - count) / (total - 1) + doubt
    moment = third / count**2 * (total - count) * (total - 2 * count) / ((total - 1) * (total - 2))
    return _upper_tail((drawn.mean - mean) / sqrt(variance), moment / variance**1.5)


def _upper_tail(z: float, skewness: float) -> float:
    """Return the upper tail of the Pearson type III distribution with mean 0 and variance 1."""
    if abs(skewness) > 1e-6:
        inner = 1 + skewness * z / 2
        root = copysign(abs(inner) ** (1 / 3), inner)
        z = 6 / skewness * (root - 1) + skewness / 6
    return erfc(z / sqrt(2)) / 2


def tests_of(sign: Sign, numbered: Numbered) -> Iterator[Beside]:
    """Yield a test for each client and each other one with enough games beside it, and enough without it."""
    for player, own in numbered.items():
        everything = Moments(each for _, each in own)
        beside: dict[LadderPlayer, Moments] = defaultdict(Moments)
        for game, number in own:
            for other in set(game.players) - {player}:
                if not other.is_builtin:
                    beside[other].add(number)
        for other, common in beside.items():
            rest = everything.count - common.count
            if min(common.count, rest) >= COMMON_GAMES:
                without = (everything.sums[0] - common.sums[0]) / rest
                yield Beside(sign, player, other, common.count, common.mean - without, tail(common, everything))


def fault_tests(games: Iterable[RatedGame]) -> Iterator[Beside]:
    """Yield the tests of faults, from the games whose conduct is known."""
    numbered: dict[LadderPlayer, list[tuple[RatedGame, float]]] = defaultdict(list)
    for game in games:
        for seat, player in enumerate(game.players):
            if game.conduct is not None and not player.is_builtin:
                numbered[player].append((game, float(game.conduct.faults[seat])))
    return tests_of(Sign.FAULTS, numbered)


def deal_in_tests(games: Iterable[RatedGame]) -> Iterator[Beside]:
    """Yield the tests of points paid for rons, from the games whose conduct is known.

    Some players deal in often, and some win often. So what a player pays to another one in a game is divided by what
    the same player pays to others on average, and compared with the same ratios of everybody who met that winner.
    """
    payments: dict[LadderPlayer, list[tuple[LadderPlayer, int]]] = defaultdict(list)  # by winner
    for payer, winner, points in _payments(games):
        payments[winner].append((payer, points))
    sums: dict[LadderPlayer, Moments] = defaultdict(Moments)
    to_winner: dict[tuple[LadderPlayer, LadderPlayer], Moments] = defaultdict(Moments)
    for winner, paid in payments.items():
        for payer, points in paid:
            sums[payer].add(points)
            to_winner[payer, winner].add(points)
    count = sum(each.count for each in sums.values())
    usual = sum(each.sums[0] for each in sums.values()) / count if count else 0.0
    for winner, paid in payments.items():
        if not winner.is_builtin and usual:
            yield from _deal_ins_to(winner, paid, sums, to_winner, usual)


def _payments(games: Iterable[RatedGame]) -> Iterator[tuple[LadderPlayer, LadderPlayer, int]]:
    """Yield for each game, each payer and each winner what the one paid to the other, mostly 0."""
    for game in games:
        for payer, row in zip(game.players, game.conduct.paid if game.conduct else (), strict=False):
            for winner, points in zip(game.players, row, strict=True):
                if winner != payer:
                    yield payer, winner, points


def _deal_ins_to(
    winner: LadderPlayer,
    paid: Sequence[tuple[LadderPlayer, int]],
    sums: Mapping[LadderPlayer, Moments],
    to_winner: Mapping[tuple[LadderPlayer, LadderPlayer], Moments],
    usual: float,
) -> Iterator[Beside]:
    """Yield the tests of all clients that have met a winner often enough."""
    elsewhere = {}
    for payer in {payer for payer, _ in paid}:
        own, here = sums[payer], to_winner[payer, winner]
        games = own.count - here.count + USUAL_GAMES
        elsewhere[payer] = (own.sums[0] - here.sums[0] + USUAL_GAMES * usual) / games
    everything = Moments(points / elsewhere[payer] for payer, points in paid)
    for payer, mean in elsewhere.items():
        common = to_winner[payer, winner]
        rest = everything.count - common.count
        if payer.is_builtin or min(common.count, rest, sums[payer].count - common.count) < COMMON_GAMES:
            continue
        ratios = Moments()
        ratios.count = common.count
        ratios.sums = [each / mean**power for power, each in enumerate(common.sums, 1)]
        others = (everything.sums[0] - ratios.sums[0]) / rest
        excess = (ratios.mean - others) * mean
        doubt = (everything.mean / mean) ** 2 * sums[payer].variance / (sums[payer].count - common.count)
        yield Beside(Sign.DEAL_INS, payer, winner, common.count, excess, tail(ratios, everything, doubt))


def expected_places(ratings: Sequence[float]) -> list[float]:
    """Return the expected place of each seat, from the ratings of the seats in Elo points."""
    return [
        1 + sum(1 / (1 + 10 ** ((own - other) / 400)) for number, other in enumerate(ratings) if number != seat)
        for seat, own in enumerate(ratings)
    ]


Residuals: TypeAlias = dict[LadderPlayer, list[tuple[RatedGame, float]]]


def residuals_of(games: Sequence[RatedGame], ratings: Mapping[LadderPlayer, Rating]) -> Residuals:
    """Return the games of each player with its residual: the places by which it did better than expected."""
    found: Residuals = defaultdict(list)
    for game in games:
        expected = expected_places([ratings[player].elo for player in game.players])
        for player, place, mean in zip(game.players, game.result.places, expected, strict=True):
            if game.players.count(player) == 1:
                found[player].append((game, mean - place))
    return found


def cusum(player: LadderPlayer, own: Sequence[tuple[RatedGame, float]]) -> StrengthChange | None:
    """Return the last change of a player that the CUSUM finds, or None.

    Residuals are taken from their own mean: the model does not fit everybody, and a player that is nearly always the
    last has worse places than its rating says in all its games, without a change.
    """
    if len(own) < COMMON_GAMES:
        return None
    usual = fmean([each for _, each in own])
    deviation = sqrt(pvariance([each for _, each in own]))
    found = None
    for sign in (1, -1) if deviation else ():
        level, start = 0.0, own[0][0]
        for game, residual in own:
            if level <= 0:
                start = game
            level = max(0.0, level + sign * (residual - usual) / deviation - SLACK)
        if level > LIMIT:
            found = StrengthChange(player, sign > 0, start.file)
    return found


# Standings: the ratings of a room after its games.

LAST_GAMES = 50
"""The games of a player that its page lists."""

POINTS = 20
"""The most points of a course that are computed from old games."""

MOST_POINTS = 120
"""The most points of a course; of more, every second is dropped."""

_FIRST = 4
"""The games after which a course begins."""


@value
class CoursePoint:
    """The ratings after some games."""

    instant: float
    """Seconds since 1970."""
    ratings: dict[LadderPlayer, Rating]


@value
class Standings:
    """Everything about the players of a room, after some games."""

    games: tuple[RatedGame, ...]
    """The oldest first."""
    ratings: dict[LadderPlayer, Rating]
    played: Counter[LadderPlayer]
    """Games of each player."""
    flags: tuple[Beside | StrengthChange, ...]
    course: tuple[CoursePoint, ...]
    last: dict[LadderPlayer, list[RatedGame]]
    """The last games of each player, the newest first."""

    @property
    def order(self) -> list[LadderPlayer]:
        """The players, the best first."""
        return sorted(self.ratings, key=lambda player: (-self.ratings[player].elo, player.name, player.is_builtin))

    def is_provisional(self, player: LadderPlayer) -> bool:
        """Return whether a player has too few games for its rating to say much."""
        return self.played[player] < PROVISIONAL_GAMES


NO_STANDINGS = Standings((), fit((), 0.0), Counter(), (), (), {})
"""Those before the first game."""


def standings_of(games: Sequence[RatedGame], now: float, before: Standings) -> Standings:
    """Return the standings after these games, the oldest first, at an instant in seconds since 1970.

    ``before`` are earlier standings. Their course goes on; without one it is computed from the games.
    """
    course = list(before.course) or _course(games)
    ratings = fit(games, now, before.ratings)
    if len(games) >= _FIRST and (not course or len(games) != len(before.games)):
        course.append(CoursePoint(now, ratings))
    if len(course) > MOST_POINTS:
        course = [*course[-1:0:-2][::-1]]
    played: Counter[LadderPlayer] = Counter()
    for game in games:
        played.update(set(game.players))
    return Standings(tuple(games), ratings, played, tuple(flags(games, ratings)), tuple(course), _last_games(games))


def _last_games(games: Sequence[RatedGame]) -> dict[LadderPlayer, list[RatedGame]]:
    """Return the last games of each player: a page that looked for them in all games would hold up the tables."""
    found: dict[LadderPlayer, list[RatedGame]] = {}
    for game in reversed(games):
        for player in dict.fromkeys(game.players):
            own = found.setdefault(player, [])
            if len(own) < LAST_GAMES:
                own.append(game)
    return found


def _course(games: Sequence[RatedGame]) -> list[CoursePoint]:
    """Return the ratings after evenly many games, as they were then."""
    points: list[CoursePoint] = []
    ratings: dict[LadderPlayer, Rating] | None = None
    counts = dict.fromkeys(len(games) * number // POINTS for number in range(1, POINTS))
    for count in counts:
        if count >= _FIRST:
            instant = games[count - 1].began
            ratings = fit(games[:count], instant, ratings)
            points.append(CoursePoint(instant, ratings))
    return points


@value
class LadderSource:
    """The source of the games of a server's ladders."""

    games: Callable[[str], Sequence[RatedGame]]
    """Returns the rated games of a room by its name, the oldest first. Called in another thread."""
    in_thread: InThread


@value
class Ladder:
    """The ladder of a room at this moment."""

    standings: Standings
    every: float
    """Seconds from one round to the next."""
    next_round: float
    """The instant of the next round, in seconds since 1970."""
