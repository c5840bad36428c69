"""Blocks of games: every seat once, the same games from the same setup, faults that are contained and counted."""

from __future__ import annotations

import sys

import pytest
from support.rows import each_row

from ump.arena.arena_setup import round_robin
from ump.arena.block_play import ContestantError, Match, play_planned, policy_factory
from ump.arena.blocks import ArenaPlayer, Block, BlockGame, PlannedBlock, PlayedBlock, placement_points
from ump.model.actions import Action, Discard, Kita
from ump.model.game_result import GameResult
from ump.players.policy import Tsumogiri
from ump.record.mjai import read_mjai
from ump.record.verify import Verification, verify
from ump.rules.options import read_ruleset
from ump.rules.questions import Question

POINTS = (90.0, 45.0, 0.0, -135.0)
EAST = read_ruleset("tenhou", ["length=tonpu"])


class Crashing:
    """A policy with an error."""

    def choose(self, *_asked: object) -> Action:
        """Raise it."""
        raise RuntimeError("no idea")


class Quitting:
    """A policy that would end the process."""

    def choose(self, *_asked: object) -> Action:
        """End it."""
        sys.exit(3)


class Illegal:
    """A policy that always discards a tile of the last kind, which it rarely has."""

    def choose(self, *_asked: object) -> Action:
        """Return what is hardly ever legal."""
        return Discard(33)


class Stillborn(Tsumogiri):
    """A policy that cannot be created."""

    def __init__(self) -> None:
        raise OSError("no weights")


def match(first: str, second: str) -> Match:
    """Return a comparison in short games."""
    return Match((ArenaPlayer("first", first), ArenaPlayer("second", second)), EAST, "test")


def no_time() -> float:
    """Stand for a clock."""
    return 0.0


def play_block(given: Match, number: int) -> PlayedBlock:
    """Play one block of a comparison."""
    (played,) = play_planned(given, no_time, [PlannedBlock(number, round_robin(2, 4)[number % 2])])
    return played


def test_the_challenger_takes_each_seat_once() -> None:
    """In even blocks it is the first player, in odd ones the second; the same setup gives the same block."""
    given = match("tsumogiri", "random")
    for number in (0, 1):
        block, records = play_block(given, number)
        alone = [game.seating.index(number) for game in block.games]
        assert alone == [0, 1, 2, 3]
        assert all(game.seating.count(number) == 1 for game in block.games)
        assert play_block(given, number) == (block, records)
    assert play_block(match("tsumogiri", "random"), 2)[0].games != block.games


def test_equal_players_are_equal_in_every_block() -> None:
    """Four games between the same deterministic policies are the same game, and each seat counts once."""
    block, _ = play_block(match("tsumogiri", "tsumogiri"), 0)
    assert block.advantage(POINTS) == 0


def test_records_agree_with_the_rules() -> None:
    """Each record is a log of mjai's that a verification accepts, with its rules and its results."""
    _, records = play_block(match("random", "tsumogiri"), 0)
    verdict = verify("game", records[0])
    assert (verdict.outcome, verdict.damage) == (Verification.EQUAL, "")
    (game,) = read_mjai(records[0])
    assert game.ruleset == EAST
    assert game.ended is not None


@each_row(
    ("policy", "fault", "error"),
    [
        ("Crashing", "crashes", "RuntimeError: no idea"),
        ("Quitting", "crashes", "SystemExit: 3"),
        ("Illegal", "refusals", "it answered Discard face 7z, which is not legal"),
        ("Stillborn", "crashes", "OSError: no weights"),
    ],
)
def test_faults_are_counted_and_the_game_goes_on(policy: str, fault: str, error: str) -> None:
    """A policy that fails plays on like an absent player; the others have no faults."""
    block, _ = play_block(match(f"arena.test_blocks:{policy}", "tsumogiri"), 0)
    assert len(block.games) == 4
    assert block.errors == (error, "")
    for game in block.games:
        faults = [bool(counts.get(fault)) for counts in game.counts]
        assert faults == [player == 0 for player in game.seating]


@each_row(
    ("name", "message"),
    [
        ("mortal", "unknown player 'mortal'"),
        ("no_such_module:Bot", "ModuleNotFoundError"),
        ("arena.test_blocks:Nothing", "AttributeError"),
        ("arena.test_blocks:POINTS", "neither choose nor choose_all"),
        ("ump.bots:Bot", "plays in 'ump arena run', as 'mjai:python3 FILE -'"),
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
    won = BlockGame((0, 1, 1, 1), GameResult((25_000,) * 4, (1, 2, 3, 4)), ({},) * 4)
    lost = BlockGame((1, 0, 0, 0), GameResult((25_000,) * 4, (1, 2, 3, 4)), ({},) * 4)
    assert Block(0, (won,), ("", "")).advantage(POINTS) == 90
    assert Block(1, (lost,), ("", "")).advantage(POINTS) == -90
    assert Block(0, (won,), ("", "")).advantage((10.0, 10.0, 10.0, 10.0)) == 0


class Blind(Tsumogiri):
    """Answers by the question alone, and is mistaken: with an illegal action, with none at all, or with an error."""

    def __init__(self) -> None:
        self.answers = 0

    def answer(self, question: Question) -> Action:
        """Return three kinds of nonsense in turns."""
        self.answers += 1
        if self.answers % 3 == 0:
            raise RuntimeError("no idea")
        return Kita() if self.answers % 3 == 1 else 5  # type: ignore[return-value]


def test_wrong_answers_by_the_question_alone() -> None:
    """They are counted, too, and the games are those of players that discard what they draw."""
    (blind, records), (_, expected) = (
        play_block(match("arena.test_blocks:Blind", "tsumogiri"), 0),
        play_block(match("tsumogiri", "tsumogiri"), 0),
    )
    assert [events_of(record) for record in records] == [events_of(record) for record in expected]
    for game in blind.games:
        counts = game.counts[game.seating.index(0)]
        assert counts["crashes"] == (counts["crashes"] + counts["refusals"]) // 3
        assert "answers" not in counts


def events_of(record: bytes) -> list[bytes]:
    """Return the lines of a record without the first one, which has the names."""
    return record.splitlines()[1:]
