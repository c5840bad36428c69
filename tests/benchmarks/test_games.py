"""The games of scripts/bench: they are the intended ones, and repeatable. Nothing is timed."""

from __future__ import annotations

import pytest
from support.scripted_server import ROOT

from scripts.benchmarks import games, replays
from scripts.benchmarks.engine import RecordedGames
from scripts.benchmarks.games import PARTS, SHARES, WITH_EXTRA_ROUND, WITHOUT_EXTRA_ROUND, cost_alone, shares


def test_games_of_tsumogiri() -> None:
    """Without an extra round a game has 8 kyoku, with it 12; each has 70 discards, and questions about calls."""
    short = cost_alone(WITHOUT_EXTRA_ROUND, "bench/1", games.tsumogiri)
    assert short.kyoku == 8
    assert short.questions > 8 * 70
    assert cost_alone(WITH_EXTRA_ROUND, "bench/1", games.tsumogiri).kyoku == 12
    assert short.questions == cost_alone(WITHOUT_EXTRA_ROUND, "bench/1", games.tsumogiri).questions


def test_random_games_repeat() -> None:
    """The same number gives the same game."""
    first, again = (cost_alone(WITH_EXTRA_ROUND, "bench/2", games.random_legal(2)) for _ in range(2))
    assert (first.questions, first.kyoku) == (again.questions, again.kyoku)


def test_a_recorded_game_is_replayed() -> None:
    """The replay uses every move in order, and has as many kyoku as the game."""
    played = RecordedGames(with_second=False)(3)
    cost = replays.replay(played)
    assert cost.questions == len(played.moves) > 100
    assert cost.kyoku >= 4
    assert not played.kyoku, "recorded without the second engine"


def test_each_game_is_recorded_once() -> None:
    """Each run has its own game, and every call returns the same one."""
    recorded = RecordedGames(with_second=False)
    assert recorded(4) is recorded(4)
    assert recorded(4).seed != recorded(5).seed


def test_second_engine_plays_the_same_walls() -> None:
    """A recorded kyoku contains its wall, its standing and all answers."""
    riichienv_games = pytest.importorskip("scripts.benchmarks.riichienv_games", reason="RiichiEnv is not installed")
    played = replays.Recording("bench/6", with_second=True).record()
    cost = riichienv_games.replay(played)
    assert cost.kyoku == len(played.kyoku) == replays.replay(played).kyoku
    assert all(sorted(kyoku.tiles) == list(range(136)) for kyoku in played.kyoku)


def test_shares_add_up_to_one() -> None:
    """Every sample counts for one part; very short work may have no sample."""
    found = shares(lambda number: cost_alone(WITHOUT_EXTRA_ROUND, f"bench/{number}", games.tsumogiri), range(5))
    assert set(found) == set(SHARES)
    assert sum(found.values()) == pytest.approx(1.0) or not any(found.values())


def test_parts_are_modules_that_exist() -> None:
    """A renamed module would count as the game itself."""
    assert not [module for module in PARTS if not (ROOT / module).is_file()]
