"""Games between policies without table, network or clock: a single game, or a series in changing seats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from ump.game.deals import Deals, seeded_deals
from ump.game.game import Game
from ump.model.events import Event
from ump.model.value import value
from ump.players.observation import Observation
from ump.players.policy import POLICIES, Policy
from ump.players.random_legal import RandomLegal
from ump.rules.ruleset import Ruleset
from ump.table.view import view


def play_game(policies: Sequence[Policy], ruleset: Ruleset, deals: Deals) -> Iterator[Event]:
    """Play one game and yield all its events, hidden tiles included; ``policies`` are ordered by seat.

    Each policy receives only what its own seat may see. Raises IllegalAction if a policy chooses an action that it
    was not offered.
    """
    game = Game(ruleset, [f"player-{seat + 1}" for seat in range(ruleset.seats)], deals)
    seen = [Observation(seat, ruleset) for seat in range(ruleset.seats)]
    events = game.begin()
    while True:
        for event in events:
            for observation in seen:
                observation.see(view(event, observation.seat))
            yield event
        if game.over:
            return
        if game.between_kyoku:
            events = game.proceed()
        else:
            seat, question = next(iter(game.questions.items()))
            action = policies[seat].choose(seen[seat], question.phase, question.tile, question.legal())
            events = game.answer(seat, action)


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
    Raises KeyError for an unknown player, and ValueError unless there is one player for each seat.
    """
    if len(players) != ruleset.seats:
        raise ValueError(f"expected {ruleset.seats} players, got {len(players)}")
    for number in range(games):
        seats = seating(number, len(players))
        generator = Random(f"{seed}/{number}")
        policies = [create_policy(players[player], generator) for player in seats]
        events = tuple(play_game(policies, ruleset, seeded_deals(f"{seed}/{number}")))
        yield SeriesGame(number, seats, events)
