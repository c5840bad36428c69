"""The games that the bench plays: the right ones, the same each time, those recorded to their end. Nothing is timed."""

from __future__ import annotations

import pytest

from scripts.benchmarks import games, replays
from scripts.benchmarks.engine import Recorded
from scripts.benchmarks.games import SHARES, WITH_EXTRA_ROUND, WITHOUT_EXTRA_ROUND, cost_alone, shares


def test_games_of_tsumogiri() -> None:
    """Without an extra round it is 8 kyoku, with one 12, of 70 discards each and the calls that could be made."""
    short = cost_alone(WITHOUT_EXTRA_ROUND, "bench/1", games.tsumogiri)
    assert short.kyoku == 8
    assert short.questions > 8 * 70
    assert cost_alone(WITH_EXTRA_ROUND, "bench/1", games.tsumogiri).kyoku == 12
    assert short.questions == cost_alone(WITHOUT_EXTRA_ROUND, "bench/1", games.tsumogiri).questions


def test_random_games_repeat() -> None:
    """The same number is the same game."""
    first, again = (cost_alone(WITH_EXTRA_ROUND, "bench/2", games.random_legal(2)) for _ in range(2))
    assert (first.questions, first.kyoku) == (again.questions, again.kyoku)


def test_what_was_recorded_is_played_again() -> None:
    """Every move is taken, in order, and the game has as many kyoku as there were."""
    played = Recorded(with_second=False)(3)
    cost = replays.replay(played)
    assert cost.questions == len(played.moves) > 100
    assert cost.kyoku >= 4
    assert not played.kyoku, "no second engine was asked for"


def test_each_game_is_recorded_once() -> None:
    """Runs share nothing, and one run plays one game."""
    recorded = Recorded(with_second=False)
    assert recorded(4) is recorded(4)
    assert recorded(4).seed != recorded(5).seed


def test_second_engine_plays_the_same_walls() -> None:
    """Each kyoku is kept with its wall, its standing and what every asked seat answered."""
    riichienv_games = pytest.importorskip("scripts.benchmarks.riichienv_games", reason="RiichiEnv is not installed")
    played = replays.Recording("bench/6", with_second=True).record()
    cost = riichienv_games.replay(played)
    assert cost.kyoku == len(played.kyoku) == replays.replay(played).kyoku
    assert all(sorted(kyoku.tiles) == list(range(136)) for kyoku in played.kyoku)


def test_shares_are_parts_of_a_whole() -> None:
    """However short the work: of what was seen, every look counts for one part."""
    found = shares(lambda number: cost_alone(WITHOUT_EXTRA_ROUND, f"bench/{number}", games.tsumogiri), range(5))
    assert set(found) == set(SHARES)
    assert sum(found.values()) == pytest.approx(1.0) or not any(found.values())
