"""The likeness of players to ours: what counts, and how rare it is among people."""

from __future__ import annotations

import json
from math import erfc, sqrt
from pathlib import Path

import pytest

from ump.model.actions import Discard
from ump.record.conversion_process import converted, likeness_target
from ump.record.decisions import decisions, read_record
from ump.record.likeness import (
    LEAST_DISCARDS,
    MOST_RARE,
    PEOPLE,
    PLAYERS,
    Agreement,
    UsualShare,
    has_choice,
    likeness_of,
)

GAME = Path(__file__).parents[1] / "data" / "games" / "classic-efficiency-1.mjlog.gz"
"""A game that four ``efficiency`` have played."""


def test_a_program_agrees_with_itself_in_all_of_its_discards() -> None:
    """Discards in riichi, and those without another one as good, do not count."""
    game = read_record(GAME)
    chosen = [each for each in decisions(game, (0,)) if has_choice(each)]
    assert all(not each.seen.in_riichi[0] and len(each.legal) > 1 for each in chosen)
    everything = [each for each in decisions(game, (0,)) if isinstance(each.done, Discard)]
    assert LEAST_DISCARDS < len(chosen) < len(everything)
    found = Agreement(**json.loads(converted(GAME.read_bytes(), likeness_target(0))))
    assert (found.seats, found.discards, found.agreed["efficiency"]) == (4, len(chosen), len(chosen))
    assert found.agreed["hard"] < len(chosen) / 2
    like = likeness_of([found])
    assert like is not None
    assert (like.player, like.agreed, like.games, like.one_in) == ("efficiency", len(chosen), 1, MOST_RARE)


def test_the_rarity_is_that_of_a_normal_tail_in_log_odds() -> None:
    """Half of all people lie above the mean; the more discards, the narrower is their range."""
    usual = UsualShare(0.0, 0.3)
    assert usual.tail(500, 1000) == pytest.approx(0.5)
    assert usual.share(0.0, 100) == pytest.approx(0.5)
    assert usual.tail(731, 1000) == pytest.approx(erfc(1 / sqrt(0.09 + 0.004) / sqrt(2)) / 2, rel=0.05)
    assert 0.5 < usual.share(2.0, 1000) < usual.share(2.0, 50) < 1.0


def test_usual_players_are_not_rare_and_few_discards_say_nothing() -> None:
    """All four players are tried, so that the most similar one is less rare by so much."""
    usual = PEOPLE[4]
    people = Agreement(4, 1000, {name: round(1000 * usual[name].share(0.0, 1000)) for name in PLAYERS})
    like = likeness_of([people])
    assert like is not None and like.one_in == 1
    assert like.usual[0] < like.agreed / like.discards < like.usual[1]
    agreed = round(1000 * usual["expert"].share(3.5, 2000))
    both = likeness_of([people, Agreement(4, 1000, {**people.agreed, "expert": 2 * agreed - people.agreed["expert"]})])
    assert both is not None
    assert (both.player, both.games, both.discards, both.agreed) == ("expert", 2, 2000, 2 * agreed)
    assert both.one_in == pytest.approx(1 / (len(PLAYERS) * 0.000233), rel=0.1)
    few = LEAST_DISCARDS - 1
    assert likeness_of([Agreement(4, few, dict.fromkeys(PLAYERS, few))]) is None
    assert likeness_of([Agreement(2, 1000, dict.fromkeys(PLAYERS, 1000))]) is None
    assert likeness_of([]) is None
