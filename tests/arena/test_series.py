"""Games in memory."""

from __future__ import annotations

from ump.arena.series import play_game
from ump.game.deals import seeded_deals
from ump.model.actions import Action
from ump.model.events import GameEnded, GameStarted, HandDealt, TileDrawn
from ump.model.phases import Phase
from ump.model.tiles import KINDS, Face
from ump.players.observation import Observation
from ump.players.policy import Policy
from ump.players.tsumogiri import Tsumogiri
from ump.rules.ruleset import Length, Ruleset


class Attentive(Tsumogiri):
    """Looks at what it is shown before it discards."""

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


def test_each_policy_sees_its_own_seat_only() -> None:
    """What it is shown leaves the other hands and the wall unseen; who reads the events sees everything."""
    policies: list[Policy] = [Attentive(seat) for seat in range(4)]
    events = list(play_game(policies, Ruleset(length=Length.KYOKU), seeded_deals("memory")))
    assert isinstance(events[0], GameStarted)
    assert isinstance(events[-1], GameEnded)
    assert all(event.faces for event in events if isinstance(event, HandDealt))
    assert sum(isinstance(event, TileDrawn) and event.face is not None for event in events) == 70
