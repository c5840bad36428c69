"""Blocks of games: every seat once, the same games from the same setup, faults that are contained and counted."""

from __future__ import annotations

import pytest

from ump.arena.blocks import Block, BlockGame, Setup, placement_points, play_block
from ump.arena.contestants import ContestantError, policy_factory
from ump.model.actions import Action, Discard
from ump.players.policy import Tsumogiri
from ump.record.mjai.record_reader import read_mjai
from ump.record.verify import Outcome, verify
from ump.rules.options import read_ruleset

POINTS = (90.0, 45.0, 0.0, -135.0)
EAST = read_ruleset("tenhou", ["length=tonpu"])


class Crashing:
    """A policy with an error."""

    def choose(self, *_asked: object) -> Action:
        """Raise it."""
        raise RuntimeError("no idea")


class Illegal:
    """A policy that always discards a tile of the last kind, which it rarely has."""

    def choose(self, *_asked: object) -> Action:
        """Return what is hardly ever legal."""
        return Discard(33)


class Stillborn(Tsumogiri):
    """A policy that cannot be created."""

    def __init__(self) -> None:
        raise OSError("no weights")


def setup(first: str, second: str) -> Setup:
    """Return a setup of short games."""
    return Setup((first, second), EAST, "test", POINTS)


def no_time() -> float:
    """Stand for a clock."""
    return 0.0


def test_the_challenger_takes_each_seat_once() -> None:
    """In even blocks it is the first player, in odd ones the second; the same setup gives the same block."""
    given = setup("tsumogiri", "random")
    for number in (0, 1):
        block, records = play_block(given, no_time, number)
        alone = [game.seating.index(number) for game in block.games]
        assert alone == [0, 1, 2, 3]
        assert all(game.seating.count(number) == 1 for game in block.games)
        assert play_block(given, no_time, number) == (block, records)
    assert play_block(setup("tsumogiri", "random"), no_time, 2)[0].games != block.games


def test_equal_players_are_equal_in_every_block() -> None:
    """Four games between the same deterministic policies are the same game, and each seat counts once."""
    block, _ = play_block(setup("tsumogiri", "tsumogiri"), no_time, 0)
    assert block.advantage(POINTS) == 0


def test_records_agree_with_the_rules() -> None:
    """Each record is a log of mjai's that a verification accepts, with its rules and its results."""
    _, records = play_block(setup("random", "tsumogiri"), no_time, 0)
    verdict = verify("game", records[0])
    assert (verdict.outcome, verdict.damage) == (Outcome.EQUAL, "")
    (game,) = read_mjai(records[0])
    assert game.ruleset == EAST
    assert game.ended is not None


@pytest.mark.parametrize(
    ("policy", "fault", "error"),
    [
        ("Crashing", "crashes", "RuntimeError: no idea"),
        ("Illegal", "refusals", ""),
        ("Stillborn", "crashes", "OSError: no weights"),
    ],
)
def test_faults_are_counted_and_the_game_goes_on(policy: str, fault: str, error: str) -> None:
    """A policy that fails plays on like an absent player; the others have no faults."""
    block, _ = play_block(setup(f"arena.test_blocks:{policy}", "tsumogiri"), no_time, 0)
    assert len(block.games) == 4
    assert block.errors == (error, "")
    for game in block.games:
        faults = [bool(counts.get(fault)) for counts in game.counts]
        assert faults == [player == 0 for player in game.seating]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("mortal", "unknown player 'mortal'"),
        ("no_such_module:Bot", "ModuleNotFoundError"),
        ("arena.test_blocks:Nothing", "AttributeError"),
        ("arena.test_blocks:POINTS", "no method choose"),
    ],
)
def test_unknown_players_are_refused(name: str, message: str) -> None:
    """The message says what is wrong."""
    with pytest.raises(ContestantError, match=message):
        policy_factory(name)


def test_shared_places_share_their_points() -> None:
    """Two seats in second place get half of the second and third place each."""
    assert [placement_points((1, 2, 2, 4), seat, POINTS) for seat in range(4)] == [90, 22.5, 22.5, -135]


def test_the_advantage_is_that_of_the_first_player() -> None:
    """In odd blocks the challenger is the second player, so its lead counts against the first one."""
    won = BlockGame((0, 1, 1, 1), (1, 2, 3, 4), (25_000,) * 4, ({},) * 4)
    lost = BlockGame((1, 0, 0, 0), (1, 2, 3, 4), (25_000,) * 4, ({},) * 4)
    assert Block(0, (won,), ("", "")).advantage(POINTS) == 90
    assert Block(1, (lost,), ("", "")).advantage(POINTS) == -90
    assert Block(0, (won,), ("", "")).advantage((10.0, 10.0, 10.0, 10.0)) == 0
