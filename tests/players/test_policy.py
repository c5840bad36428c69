"""The two simplest policies: tsumogiri, and a random legal action."""

from __future__ import annotations

from random import Random

import pytest
from support.positions import face, position

from ump.arena.play import play_game
from ump.model.actions import Action, DeclareNoten, DeclareTenpai, Discard, Pass, Pon, Ron, Tsumo
from ump.model.events import Event
from ump.model.phases import Phase
from ump.players.claimable import claimable
from ump.players.policy import RandomLegal, Slipping, Tsumogiri
from ump.rules.ruleset import Length, Ruleset

TENPAI = "234m567m34p456s88s"


@pytest.mark.parametrize(
    ("phase", "tile", "offers", "answer"),
    [
        (Phase.TURN, "5p", (Discard(face("2m")), Discard(face("5p"), True), Tsumo()), Discard(face("5p"), True)),
        (Phase.TURN, "0p", None, Discard(face("0p"), True)),
        (Phase.CALL, "8s", (Pass(), Pon((face("8s"), face("8s")))), Pass()),
        (Phase.CALL, "5p", (Pass(), Ron()), Pass()),
        (Phase.CHANKAN, "5p", (Pass(), Ron()), Pass()),
        (Phase.DECLARE, "", (DeclareTenpai(), DeclareNoten()), DeclareTenpai()),
    ],
)
def test_tsumogiri_discards_the_drawn_tile(
    phase: Phase, tile: str, offers: tuple[Action, ...] | None, answer: Action
) -> None:
    """It takes no other offer, not even a win."""
    drawn = face(tile) if tile else None
    assert Tsumogiri().choose(position(TENPAI, drawn=tile), phase, drawn, offers) == answer


def test_random_legal_repeats_a_game_with_the_same_seed() -> None:
    """All randomness comes from the generator."""

    def game(seed: int) -> tuple[Event, ...]:
        policies = [RandomLegal(Random(seed + seat)) for seat in range(4)]
        return play_game(policies, Ruleset(length=Length.TONPU), seed="random").events

    assert game(1) == game(1) != game(2)


def test_slips() -> None:
    """A share of the discards are others than the policy's own, always the same in one position."""
    careless = Slipping(Tsumogiri(), 0.3)
    seen = [position("234m567m34p456s88s", drawn="9p", left=left) for left in range(1, 61)]
    answers = [careless.choose(each, Phase.TURN, each.drawn, None) for each in seen]
    assert answers == [careless.choose(each, Phase.TURN, each.drawn, None) for each in seen]
    slips = sum(answer != Discard(face("9p"), tsumogiri=True) for answer in answers)
    assert 10 <= slips <= 26


def test_random_legal_without_offers_takes_every_legal_action() -> None:
    """It chooses each action that the seat knows to be legal, and no other."""
    seen, tile = position("123m456p789s1155z", drawn="9m"), face("9m")
    policy = RandomLegal(Random(0))
    chosen = {policy.choose(seen, Phase.TURN, tile, None) for _ in range(500)}
    assert chosen == set(claimable(seen, Phase.TURN, tile))
