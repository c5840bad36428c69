"""``ump arena queue``: duels in a folder, the workers that share it, and how often the test of a duel errs."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from support.rows import each_row

from ump.arena.arena_setup import ArenaSetup, round_robin
from ump.arena.block_play import play_planned
from ump.arena.blocks import ArenaPlayer, Block, PlannedBlock
from ump.arena.duel_report import duels_data, duels_lines, duels_page
from ump.arena.duels import (
    DUEL_HYPOTHESES,
    MOST_GAMES,
    STALE_SECONDS,
    Duel,
    DuelFolder,
    DuelQueue,
    DuelState,
    QueueError,
    duel_data,
    read_duel,
)
from ump.arena.sequential import FEWEST_BLOCKS, PSEUDO_BLOCK, Hypotheses, SequentialTest, SequentialVerdict
from ump.cli.main import main
from ump.model.actions import Action
from ump.players.policy import Tsumogiri
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Length
from ump.table.clock import TimeControl

KYOKU = replace(PRESETS["tenhou"], length=Length.KYOKU)
POINTS = (90.0, 45.0, 0.0, -135.0)
BLOCKS = MOST_GAMES // 4


# How often the test errs


def verdicts(blocks: np.ndarray, test: Hypotheses) -> tuple[np.ndarray, np.ndarray]:
    """Return which duels accept H1 and which accept H0; each row has the x of one duel's blocks."""
    number = np.arange(1, blocks.shape[1] + 1)
    mean = np.cumsum(blocks, axis=1) / number
    variance = np.cumsum(blocks**2, axis=1) / number - mean**2 + PSEUDO_BLOCK**2 / number
    ratio = number / 2 * np.log((variance + (mean - test.h0) ** 2) / (variance + (mean - test.h1) ** 2))
    ratio[:, : FEWEST_BLOCKS - 1] = 0
    low, high = test.bounds
    first_high, first_low = (np.where(hit.any(1), hit.argmax(1), BLOCKS) for hit in (ratio >= high, ratio <= low))
    return first_high < first_low, first_low < first_high


@each_row(("true", "least", "most"), [(3.0, 0.95, 1.0), (0.0, 0.0, 0.05)])
def test_a_duel_errs_rarely(true: float, least: float, most: float) -> None:
    """Of simulated duels of 10,000 games at most, with a deviation of 65 placement points in a game."""
    generator = np.random.default_rng(53)
    accepted = 0
    for _ in range(10):
        accepted += verdicts(generator.normal(true, 65 / 2, (100, BLOCKS)), DUEL_HYPOTHESES)[0].sum()
    assert least <= accepted / 1_000 <= most


def test_the_simulation_is_the_test() -> None:
    """It gives the verdicts of ``SequentialTest``."""
    blocks = np.random.default_rng(1).normal(3, 20, (12, BLOCKS))
    better, worse = verdicts(blocks, DUEL_HYPOTHESES)
    for row, is_better, is_worse in zip(blocks.tolist(), better, worse, strict=True):
        test = SequentialTest(DUEL_HYPOTHESES)
        for x in row:
            if test.add(x) is not SequentialVerdict.OPEN:
                break
        assert (test.verdict is SequentialVerdict.H1, test.verdict is SequentialVerdict.H0) == (is_better, is_worse)


# The folder


def duel_of(
    first: str = "tsumogiri", second: str = "efficiency", games: int = 16, schedule: str = "round-robin"
) -> Duel:
    """Return a duel of single kyoku that plays all games."""
    entrants = (ArenaPlayer(first, first), ArenaPlayer(second, second))
    return Duel(ArenaSetup(entrants, KYOKU, "seed", POINTS, schedule), None, games, TimeControl())


def opened(folder: Path, worker: str) -> DuelFolder:
    """Return the only duel of a queue, for a worker that is alive."""
    queue = DuelQueue(folder, worker)
    queue.workers.beat()
    (duel,) = queue.duels()
    return duel


def played(duel: DuelFolder, planned: PlannedBlock) -> Block:
    """Return the block, played."""
    ((block, _),) = play_planned(duel.duel.setup.match, lambda: 0.0, [planned], with_records=False)
    return block


def test_a_duel_in_a_file() -> None:
    """It is read as it was written."""
    for duel in (duel_of(), replace(duel_of(schedule="challenge"), hypotheses=Hypotheses(1, 2, 0.1, 0.2))):
        assert read_duel(json.dumps(duel_data(duel))) == duel


def test_workers_take_different_blocks(tmp_path: Path) -> None:
    """Blocks are counted in order, each once, even if it was played twice."""
    DuelQueue(tmp_path).add("duel", duel_of())
    one, other = opened(tmp_path, "one"), opened(tmp_path, "other")
    mine, theirs = one.claims(), other.claims()
    first, second = next(mine), next(theirs)
    assert (first.number, second.number) == (0, 1)
    assert other.keep(played(other, second))
    third = next(theirs)
    assert (third.number, other.comparison.games, one.claimed()) == (2, 0, 2)
    block = played(one, first)
    assert one.keep(block)
    assert not other.keep(block)
    assert next(mine).number == 3
    assert one.comparison.games == 8
    theirs.close()
    assert one.claimed() == 1
    assert one.state is DuelState.PLAYING


def test_a_killed_worker_loses_its_block_alone(tmp_path: Path) -> None:
    """Others wait for a worker that is alive, and take the block of one that has been silent for a while."""
    DuelQueue(tmp_path).add("duel", duel_of(games=8))
    killed, other = opened(tmp_path, "killed"), opened(tmp_path, "other")
    claims = killed.claims()
    killed.keep(played(killed, next(claims)))
    lost = next(claims)
    assert next(other.claims(), None) is None
    silent = (tmp_path / "workers" / "other").stat().st_mtime - STALE_SECONDS - 1
    os.utime(tmp_path / "workers" / "killed", (silent, silent))
    taken = next(other.claims())
    assert taken == lost
    other.keep(played(other, taken))
    other.update()
    assert (other.state, other.comparison.games) == (DuelState.ENDED, 8)
    assert not killed.keep(played(killed, lost))


def test_a_worker_that_leaves_gives_its_claims_back(tmp_path: Path) -> None:
    """Nobody waits for it."""
    DuelQueue(tmp_path).add("duel", duel_of())
    one, other = opened(tmp_path, "one"), opened(tmp_path, "other")
    claims = one.claims()
    assert next(claims).number == 0
    DuelQueue(tmp_path, "one").workers.leave()
    assert next(other.claims()).number == 0


def test_the_second_player_can_sit_alone_always(tmp_path: Path) -> None:
    """Its points count against the first one in every block."""
    DuelQueue(tmp_path).add("duel", duel_of("efficiency", "tsumogiri", schedule="challenge"))
    duel = opened(tmp_path, "one")
    for planned in duel.claims():
        assert planned.lineup == (1, 0, 0, 0)
        duel.keep(played(duel, planned))
    assert duel.comparison.test.mean > 0
    assert duel.comparison.one_way(0) is None


def test_a_duel_ends_when_it_is_decided(tmp_path: Path) -> None:
    """Blocks after the verdict are kept, and not counted."""
    DuelQueue(tmp_path).add("duel", replace(duel_of(games=1_000), hypotheses=Hypotheses(-200, -100)))
    duel = opened(tmp_path, "one")
    blocks = [played(duel, PlannedBlock(number, duel_lineup)) for number, duel_lineup in enumerate(round_robin(2, 4))]
    for number in range(FEWEST_BLOCKS + 2):
        duel.keep(replace(blocks[number % 2], number=number))
    duel.update()
    assert (duel.state, duel.comparison.test.blocks) == (DuelState.DECIDED, FEWEST_BLOCKS)
    assert next(duel.claims(), None) is None
    assert "H1: tsumogiri is ahead by more than -200 pt" in "".join(duels_lines([duel]))
    assert "duel: tsumogiri against efficiency" in duels_page([duel])


def broken(queue: Path, what: str, text: str) -> str:
    """Return the complaint about a queue in which one file has this content."""
    path = queue / "duels" / "duel" / what
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, "utf-8")
    with pytest.raises(QueueError) as caught:
        DuelQueue(queue).duels()
    return str(caught.value)


def test_damaged_files(tmp_path: Path) -> None:
    """One line says which one."""
    DuelQueue(tmp_path).add("duel", duel_of())
    duel = opened(tmp_path, "one")
    other = played(duel, PlannedBlock(1, (1, 0, 0, 0)))
    duel.keep(other)
    second = (tmp_path / "duels" / "duel" / "blocks" / "000001").read_text("utf-8")
    assert "another block than its name says" in broken(tmp_path, "blocks/000000", second)
    assert "000000: " in broken(tmp_path, "blocks/000000", "{}")
    assert "more than 1,000,000 bytes" in broken(tmp_path, "blocks/000000", " " * 1_000_001)
    data = duel_data(duel_of())
    assert "no duel: KeyError" in broken(tmp_path, "duel.json", "{}")
    assert "unknown schedule" in broken(tmp_path, "duel.json", json.dumps(data | {"schedule": "swiss"}))
    assert "points for each place" in broken(tmp_path, "duel.json", json.dumps(data | {"points": [1, 2]}))
    assert "cannot be printed" in broken(tmp_path, "duel.json", json.dumps(data | {"names": ["one", "\x1b[2J"]}))
    assert "expected numbers" in broken(tmp_path, "duel.json", json.dumps(data | {"points": [1, 2, 3, float("nan")]}))
    for test in ([0, 0, 0.1, 0.1], [0, 1, 0, 0.1], [0, 1, 0.1, float("nan")]):
        assert "a test with h0 below h1" in broken(tmp_path, "duel.json", json.dumps(data | {"test": test}))


# The commands


def run(*words: str) -> tuple[int, str, str]:
    """Run the command; return its status, output and errors."""
    result = CliRunner().invoke(main, ["arena", "queue", *words])
    return result.exit_code, result.stdout, result.stderr


def add(folder: Path, *words: str) -> tuple[int, str, str]:
    """Add a duel of single kyoku."""
    return run("add", str(folder), *words, "--set", "length=kyoku")


def test_a_queue_is_worked_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A test ends without a verdict after its games. The page has both duels."""
    monkeypatch.setattr("ump.cli.arena_queue.LOOK_SECONDS", 0.01)  # processes inherit it
    assert add(tmp_path, "tsumogiri", "random", "--most", "16")[0] == 0
    assert add(tmp_path, "efficiency", "tsumogiri", "--games", "8", "--name", "few")[0] == 0
    status, lines, _ = run("show", str(tmp_path))
    assert (status, lines.count("waiting")) == (0, 2)
    status, lines, errors = run("work", str(tmp_path), "--jobs", "2")
    assert (status, errors) == (0, "")
    assert "undecided" in lines
    page = tmp_path / "page.html"
    few, tested = json.loads(run("show", str(tmp_path), "--json", "--html", str(page))[1])["duels"]
    assert (few["state"], few["games"], few["playing"], few["verdict"]) == ("ended", 8, 0, None)
    assert (tested["state"], tested["games"], tested["verdict"]) == ("ended", 16, None)
    assert "tsumogiri-random: tsumogiri against random" in page.read_text("utf-8")
    assert not list((tmp_path / "workers").iterdir())


class Failing(Tsumogiri):
    """Has no answer."""

    def choose(self, *_asked: object) -> Action:
        """Raise an error."""
        raise RuntimeError("no idea")


class Exiting(Tsumogiri):
    """Ends its process at once."""

    def choose(self, *_asked: object) -> Action:
        """End it."""
        os._exit(3)


@each_row(
    ("player", "error"),
    [("Failing", "Failing fails in block"), ("Exiting", "a process ended in the middle of a block")],
)
def test_a_process_that_fails_ends_the_work(tmp_path: Path, player: str, error: str) -> None:
    """All processes end, and the block is free again."""
    folder = tmp_path / player
    assert add(folder, "tsumogiri", f"{__name__}:{player}", "--games", "8", "--name", "duel")[0] == 0
    status, _, errors = run("work", str(folder), "--jobs", "2")
    assert status == 1
    assert error in errors
    assert next(opened(folder, "other").claims()).number <= 1


def test_reports_of_an_empty_queue(tmp_path: Path) -> None:
    """There is nothing to show."""
    (tmp_path / "duels").mkdir()
    duels: Sequence[DuelFolder] = DuelQueue(tmp_path).duels()
    assert [*duels_lines(duels)] == ["no duels"]
    assert duels_data(duels) == {"duels": []}
    assert "no duels" in duels_page(duels)


@each_row(
    ("words", "error"),
    [
        (("tsumogiri", "tsumogiri"), "have the same name"),
        (("tsumogiri", "nobody"), "unknown player 'nobody'"),
        (("tsumogiri", "efficiency", "--h0", "3"), "--h1 must be greater"),
        (("tsumogiri", "efficiency", "--name", "../up"), "is no name of a duel"),
        (("tsumogiri", "efficiency", "--name", "taken"), "there is a duel taken"),
    ],
)
def test_duels_that_cannot_be(tmp_path: Path, words: tuple[str, ...], error: str) -> None:
    """One line says why."""
    if not tmp_path.joinpath("duels").exists():
        DuelQueue(tmp_path).add("taken", duel_of())
    status, _, errors = add(tmp_path, *words)
    assert status == 2
    assert error in errors


def test_a_folder_that_is_no_queue(tmp_path: Path) -> None:
    """Neither shown nor worked on."""
    for command in ("show", "work"):
        status, _, errors = run(command, str(tmp_path))
        assert status == 2
        assert "is no queue" in errors
