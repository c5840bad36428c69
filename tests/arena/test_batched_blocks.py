"""Batched policies in arenas: the same blocks as one table at a time, few calls, and faults that are contained."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from typing import Any

import pytest
from click.testing import CliRunner
from support.rows import each_row

from ump.arena.block_play import ContestantError, Match, batch_policy, play_planned, policy_factory
from ump.arena.blocks import ArenaPlayer, PlannedBlock
from ump.arena.play import OneTable, TableQuestion
from ump.cli.main import main
from ump.model.actions import Action, Discard
from ump.players.efficiency import Efficiency
from ump.rules.options import read_ruleset

EAST = read_ruleset("tenhou", ["length=tonpu"])
HERE = "arena.test_batched_blocks"
BLOCKS = [PlannedBlock(0, (0, 1, 1, 1)), PlannedBlock(1, (1, 0, 0, 0)), PlannedBlock(2, (0, 1, 1, 1))]


class Network:
    """Plays like ``efficiency``, at many tables."""

    calls = 0

    def choose_all(self, questions: Sequence[TableQuestion]) -> list[Action]:
        """Return its answers."""
        self.calls += 1
        policy = Efficiency()
        return [policy.choose(each.seen, each.phase, each.tile, each.offers) for each in questions]


class Crashing:
    """A network with an error."""

    def choose_all(self, questions: Sequence[TableQuestion]) -> list[Action]:
        """Raise it."""
        raise RuntimeError("out of memory")


class Short:
    """A network that forgets a table."""

    def choose_all(self, questions: Sequence[TableQuestion]) -> list[Action]:
        """Leave the last answer out."""
        return Network().choose_all(questions[:-1])


class Illegal:
    """A network that discards a tile of the last kind, which is rarely legal."""

    def choose_all(self, questions: Sequence[TableQuestion]) -> list[Action]:
        """Return the same action for all tables."""
        return [Discard(33)] * len(questions)


class Stillborn(Network):
    """A network without weights."""

    def __init__(self) -> None:
        raise OSError("no weights")


def match(first: str, second: str = "tsumogiri") -> Match:
    """Return a comparison in short games."""
    return Match((ArenaPlayer("first", first), ArenaPlayer("second", second)), EAST, "test")


def no_time() -> float:
    """Stand for a clock."""
    return 0.0


@pytest.mark.no_cover
def test_blocks_are_those_of_one_table() -> None:
    """The records are equal, whether blocks are played one by one or side by side; the calls become few."""
    alone = play_planned(match("efficiency"), no_time, BLOCKS)
    network: Any = batch_policy(f"{HERE}:Network")
    network.calls = 0
    assert play_planned(match(f"{HERE}:Network"), no_time, BLOCKS) == alone
    together = network.calls
    one_by_one = [played for block in BLOCKS for played in play_planned(match(f"{HERE}:Network"), no_time, [block])]
    assert one_by_one == alone
    assert network.calls - together > 1.5 * together
    without = play_planned(match("efficiency"), no_time, BLOCKS, with_records=False)
    assert [block for block, _ in without] == [block for block, _ in alone]
    assert all(records == () for _, records in without)


@each_row(
    ("policy", "fault", "error"),
    [
        ("Crashing", "crashes", "RuntimeError: out of memory"),
        ("Short", "crashes", "answers to "),
        ("Illegal", "refusals", "it answered Discard face 7z, which is not legal"),
        ("Stillborn", "crashes", "OSError: no weights"),
    ],
)
def test_faults_are_counted_and_the_games_go_on(policy: str, fault: str, error: str) -> None:
    """A network that fails plays on like an absent player; the others have no faults."""
    for block, _ in play_planned(match(f"{HERE}:{policy}"), no_time, BLOCKS[:2]):
        assert error in block.errors[0]
        assert block.errors[1] == ""
        for game in block.games:
            faults = [bool(counts.get(fault)) for counts in game.counts]
            assert faults == [player == 0 for player in game.seating]
            answers = [counts.get("answers", 0) for counts in game.counts]
            assert (answers[game.seating.index(0)] > 0) == (policy == "Illegal")


@pytest.mark.no_cover
@each_row(
    ("command", "options"),
    [
        (("compare",), ("--tables", "1")),
        (("compare",), ("--jobs", "2")),
        (("arena", "run"), ("--tables", "7")),
        (("arena", "run"), ()),
    ],
)
def test_commands(command: tuple[str, ...], options: tuple[str, ...]) -> None:
    """``ump compare`` and ``ump arena run`` have the same results with a network, whatever plays together."""
    assert points(*command, f"{HERE}:Network", "tsumogiri", *options) == points(*command, "efficiency", "tsumogiri")


@cache
def points(*command: str) -> list[object]:
    """Return the results of a command with short games."""
    done = CliRunner().invoke(main, [*command, "--set", "length=kyoku", "--games", "12", "--json"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)["players"]
    return [player[key] for player in found for key in ("average_place", "average_points", "win_rate")]


def test_a_network_is_created_once() -> None:
    """All tables of a process share it, also a table of the server."""
    assert batch_policy(f"{HERE}:Network") is batch_policy(f"{HERE}:Network")
    alone = policy_factory(f"{HERE}:Network")
    assert isinstance(alone("seed"), OneTable)
    with pytest.raises(ContestantError, match="neither choose nor choose_all"):
        policy_factory(f"{HERE}:EAST")
