"""A series of games between policies in changing seats, without table, network or clock."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from ump.arena.play import play_game
from ump.model.events import Event
from ump.model.value import value
from ump.players.policy import POLICIES, Policy, RandomLegal
from ump.rules.ruleset import Ruleset

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
