"""A series of games between policies in changing seats, without table, network or clock, and a tally of its results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import sqrt
from random import Random

from ump.arena.play import play_game
from ump.model.events import Event, GameEnded, HandWon, KyokuDrawn, KyokuStarted
from ump.model.value import value
from ump.players.policy import POLICIES, Policy, RandomLegal
from ump.rules.ruleset import Ruleset
from ump.text.student import Z95

RANDOM = "random"

PLAYERS = (*POLICIES, RANDOM)
"""The names of the players that a series can have."""


def create_policy(name: str, generator: Random) -> Policy:
    """Return a new policy of one of ``PLAYERS``; only ``random`` draws from the generator."""
    return RandomLegal(generator) if name == RANDOM else POLICIES[name]()


@value
class SeriesGame:
    """One played game of a series."""

    number: int
    """Its place in the series, from 0."""
    seating: tuple[int, ...]
    """Which player sat in each seat, as an index into the series' players."""
    events: tuple[Event, ...]


def seating(number: int, players: int) -> tuple[int, ...]:
    """Return the player index of each seat in the game with this number: all move by one seat from game to game."""
    return tuple((seat + number) % players for seat in range(players))


def play_series(players: Sequence[str], ruleset: Ruleset, games: int, seed: str) -> Iterator[SeriesGame]:
    """Play games between these ``PLAYERS``, one for each seat, and yield each game when it is over.

    Walls and random choices follow from ``seed`` and the number of the game: the same arguments, the same games.
    Raise KeyError for an unknown player, and ValueError unless there is one player for each seat.
    """
    if len(players) != ruleset.seats:
        raise ValueError(f"expected {ruleset.seats} players, got {len(players)}")
    for number in range(games):
        seats = seating(number, len(players))
        generator = Random(f"{seed}/{number}")
        policies = [create_policy(players[player], generator) for player in seats]
        played = play_game(policies, ruleset, seed=f"{seed}/{number}")
        yield SeriesGame(number, seats, played.events)


@value
class Share:
    """A count out of a total."""

    count: int
    total: int

    @property
    def rate(self) -> float:
        """The count divided by the total, 0..1; 0 if the total is 0."""
        return self.count / self.total if self.total else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % Wilson score interval (E. B. Wilson 1927), also valid near 0 and 1; (0, 1) if the total is 0."""
        if not self.total:
            return 0.0, 1.0
        scale = 1 + Z95**2 / self.total
        middle = (self.rate + Z95**2 / (2 * self.total)) / scale
        half_width = Z95 / scale * sqrt(self.rate * (1 - self.rate) / self.total + (Z95 / (2 * self.total)) ** 2)
        return max(0.0, middle - half_width), min(1.0, middle + half_width)


class Tally:
    """Counts over many games in which the same players sit in changing seats."""

    def __init__(self, players: int) -> None:
        self.games = 0
        """Games that were played to their end."""
        self.kyoku = 0
        self.drawn = 0
        """Kyoku without a winner."""
        self._firsts = [0] * players
        self._won = [0] * players

    def add(self, events: Iterable[Event], seating: Sequence[int]) -> None:
        """Count one game; ``seating`` holds the index of the player in each seat."""
        for event in events:
            match event:
                case KyokuStarted():
                    self.kyoku += 1
                case HandWon(seat=seat):
                    self._won[seating[seat]] += 1
                case KyokuDrawn():
                    self.drawn += 1
                case GameEnded(places=places):
                    self.games += 1
                    for seat, place in enumerate(places):
                        if place == 1:
                            self._firsts[seating[seat]] += 1
                case _:
                    pass  # other events count for nothing here

    def firsts(self, player: int) -> Share:
        """Return the share of games in which the player came first; a shared first place counts for all who share."""
        return Share(self._firsts[player], self.games)

    def won(self, player: int) -> Share:
        """Return the share of kyoku that the player won; after a double ron both winners count."""
        return Share(self._won[player], self.kyoku)

    def draws(self) -> Share:
        """Return the share of kyoku without a winner."""
        return Share(self.drawn, self.kyoku)
