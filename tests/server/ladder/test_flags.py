"""Flags: helpers and sandbaggers are found, honest players are not."""

from __future__ import annotations

from math import exp
from random import Random

import pytest

from ump.arena.ratings import ELO
from ump.server.ladder.beside import Beside, Sign
from ump.server.ladder.flags import Change, cusum, expected_places, flags, significant
from ump.server.ladder.rated_game import Player, RatedGame
from ump.server.ladder.ratings import fit

PLAYERS = [Player(f"p{number}") for number in range(8)]
CHEAT, ACCOMPLICE = PLAYERS[:2]


def played(bonus: float, change: float, games: int = 900) -> list[RatedGame]:
    """Return games of equal players, but the cheat gains ``bonus`` Elo beside its accomplice.

    Another player, the last, gains ``change`` Elo in the last third of the games.
    """
    random, found = Random(7), []
    for number in range(games):
        players = random.sample(PLAYERS, 4)
        strengths = dict.fromkeys(players, 0.0)
        if CHEAT in players and ACCOMPLICE in players:
            strengths[CHEAT] += bonus
        if PLAYERS[-1] in players and number > games * 2 / 3:
            strengths[PLAYERS[-1]] += change
        left, places = list(players), dict[Player, int]()
        while left:
            player = random.choices(left, [exp(strengths[each] / ELO) for each in left])[0]
            left.remove(player)
            places[player] = len(places) + 1
        found.append(RatedGame(f"g{number}", 0.0, tuple(players), tuple(places[each] for each in players)))
    return found


def test_honest_players_get_no_flag() -> None:
    """Nothing is found among equal players."""
    games = played(0.0, 0.0)
    assert flags(games, fit(games, 0.0)) == []


def test_a_player_that_is_helped() -> None:
    """The cheat is flagged beside its accomplice, and nobody else."""
    games = played(500.0, 0.0)
    found = [flag for flag in flags(games, fit(games, 0.0)) if isinstance(flag, Beside)]
    assert [(flag.player, flag.other) for flag in found] == [(CHEAT, ACCOMPLICE)]
    assert found[0].excess > 0.5
    assert "places better beside p1" in found[0].text


def test_a_player_that_held_back() -> None:
    """A player that plays much better from some game on is flagged, with about that game."""
    games = played(0.0, 500.0)
    (found,) = [flag for flag in flags(games, fit(games, 0.0)) if isinstance(flag, Change) and flag.is_above]
    assert found.player == PLAYERS[-1]
    assert 500 < int(found.since.removeprefix("g")) < 700
    assert found.text == f"plays above its usual strength since {found.since}"


def test_a_player_that_the_model_does_not_fit() -> None:
    """A player that is nearly always the last, more often than its rating says, has not changed."""
    random = Random(5)
    own = [(RatedGame(f"g{number}", 0.0, (), ()), random.gauss(-0.2, 0.55)) for number in range(400)]
    assert cusum(CHEAT, own) is None
    changed = [*own, *((game, residual + 0.6) for game, residual in own)]
    assert isinstance(cusum(CHEAT, changed), Change)


def test_few_games_are_not_tested() -> None:
    """Below 50 games nothing is flagged, however clear it looks."""
    games = [RatedGame(f"g{number}", 0.0, tuple(PLAYERS[:4]), (1, 4, 3, 2)) for number in range(49)]
    assert cusum(CHEAT, [(game, 3.0) for game in games]) is None
    assert flags(games, fit(games, 0.0)) == []


def test_false_flags_are_bounded_together() -> None:
    """Of several tests, those below the line of Benjamini and Hochberg are kept (their table 1, for 5 %)."""
    published = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240]
    published += [0.4262, 0.5719, 0.6528, 0.7590, 1.0000]
    tests = [Beside(Sign.HELP, CHEAT, ACCOMPLICE, 50, 0.1, p) for p in reversed(published)]
    assert [test.p for test in significant(tests, 0.05)] == published[:4]


def test_expected_places() -> None:
    """Equal players expect the middle place; 400 points are odds of 10 to 1."""
    assert expected_places([1500.0] * 4) == [2.5] * 4
    assert expected_places([1900.0, 1500.0]) == pytest.approx([1 + 1 / 11, 1 + 10 / 11])
