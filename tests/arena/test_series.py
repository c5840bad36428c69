"""Games and series between policies."""

from __future__ import annotations

import pytest

from ump.arena.series import play_game, play_series, seating
from ump.game.deals import seeded_deals
from ump.model.actions import Action
from ump.model.events import GameEnded, GameStarted, HandDealt, TileDrawn
from ump.model.phases import Phase
from ump.model.tiles import KINDS, Face
from ump.players.observation import Observation
from ump.players.policy import Policy
from ump.players.tsumogiri import Tsumogiri
from ump.rules.ruleset import Length, Ruleset

ONE_KYOKU = Ruleset(length=Length.KYOKU)


class Attentive(Tsumogiri):
    """Checks what it can see before it discards."""

    def __init__(self, seat: int) -> None:
        self.seat = seat

    def choose(self, seen: Observation, phase: Phase, tile: Face | None, offers: tuple[Action, ...] | None) -> Action:
        """Check that this is the own seat, and that 13 tiles of each other hand and the wall are unseen."""
        assert seen.seat == self.seat
        assert offers
        hidden = sum(seen.unseen(kind) for kind in range(KINDS))
        dead_wall = 14 - len(seen.indicators)
        assert hidden == seen.left + dead_wall + 3 * 13
        return super().choose(seen, phase, tile, offers)


def test_each_policy_sees_only_its_own_seat() -> None:
    """A policy does not see the other hands and the wall; the yielded events show everything."""
    policies: list[Policy] = [Attentive(seat) for seat in range(4)]
    events = list(play_game(policies, ONE_KYOKU, seeded_deals("memory")))
    assert isinstance(events[0], GameStarted)
    assert isinstance(events[-1], GameEnded)
    assert all(event.faces for event in events if isinstance(event, HandDealt))
    assert sum(isinstance(event, TileDrawn) and event.face is not None for event in events) == 70


def test_every_player_sits_in_every_seat() -> None:
    """After as many games as there are players, each player has had each seat once."""
    seatings = [seating(number, 4) for number in range(4)]
    assert seatings[:2] == [(0, 1, 2, 3), (1, 2, 3, 0)]
    assert all(sorted(column) == [0, 1, 2, 3] for column in zip(*seatings, strict=True))


def test_the_same_seed_gives_the_same_series() -> None:
    """Walls and random choices follow from the seed and the number of the game."""
    players = ("random", "tsumogiri", "random", "tsumogiri")
    first, again = (list(play_series(players, ONE_KYOKU, 2, "series")) for _ in range(2))
    assert first == again
    assert [game.number for game in first] == [0, 1]
    assert first[0].events != first[1].events
    assert next(play_series(players, ONE_KYOKU, 1, "other")).events != first[0].events


def test_a_series_needs_a_player_for_each_seat() -> None:
    """The error names both numbers."""
    with pytest.raises(ValueError, match="expected 4 players, got 1"):
        next(play_series(["tsumogiri"], ONE_KYOKU, 1, "series"))
