"""The player that answers anything it may."""

from __future__ import annotations

from random import Random

from support.positions import face, position

from ump.arena.environment import play_game
from ump.model.events import Event
from ump.model.phases import Phase
from ump.players.claimable import claimable
from ump.players.random_legal import RandomLegal
from ump.rules.ruleset import Length, Ruleset


def test_the_same_seed_plays_the_same_game() -> None:
    """All chance is in the generator that it is given."""

    def game(seed: int) -> tuple[Event, ...]:
        policies = [RandomLegal(Random(seed + seat)) for seat in range(4)]
        return play_game(policies, Ruleset(length=Length.TONPU), seed="random").events

    assert game(1) == game(1) != game(2)


def test_without_offers_it_takes_anything_it_may_claim() -> None:
    """Every action that the seat knows to be legal comes up, and no other."""
    seen, tile = position("123m456p789s1155z", drawn="9m"), face("9m")
    policy = RandomLegal(Random(0))
    chosen = {policy.choose(seen, Phase.TURN, tile, None) for _ in range(500)}
    assert chosen == set(claimable(seen, Phase.TURN, tile))
