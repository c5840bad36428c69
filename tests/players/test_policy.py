"""The two simplest policies: tsumogiri, and a random legal action."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from support.positions import face, position

from ump.arena.play import play_game
from ump.model.actions import Action, DeclareNoten, DeclareTenpai, Discard, Pass, Pon, Ron, Tsumo
from ump.model.events import Event
from ump.model.phases import Phase
from ump.players.claimable import claimable
from ump.players.efficiency import Efficiency
from ump.players.policy import Fallible, RandomLegal, Tsumogiri
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


def test_mistakes() -> None:
    """A discard that is nearly as good may seem the best, a bad one never; a position has always the same errors."""
    careless = Fallible(Efficiency(), 4.0, 0.5)
    seen = [position("234567m3p46s1177z", drawn="9p", left=left) for left in range(1, 41)]
    answers = [careless.choose(each, Phase.TURN, each.drawn, None) for each in seen]
    assert answers == [careless.choose(each, Phase.TURN, each.drawn, None) for each in seen]
    discarded = Counter(answer.face for answer in answers if isinstance(answer, Discard))
    assert set(discarded) <= {face(each) for each in ("3p", "9p", "4s", "6s")}
    assert 5 <= discarded[face("3p")] <= 35


def test_random_legal_without_offers_takes_every_legal_action() -> None:
    """It chooses each action that the seat knows to be legal, and no other."""
    seen, tile = position("123m456p789s1155z", drawn="9m"), face("9m")
    policy = RandomLegal(Random(0))
    chosen = {policy.choose(seen, Phase.TURN, tile, None) for _ in range(500)}
    assert chosen == set(claimable(seen, Phase.TURN, tile))
