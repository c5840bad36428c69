"""``ump arena tune``: constants that follow noisy games, by SPSA."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner
from support.rows import each_row

from ump.arena.block_play import (
    ContestantError,
    Match,
    play_planned,
    policy_factory,
    split_constants,
    with_constants,
)
from ump.arena.blocks import ArenaPlayer, PlannedBlock
from ump.arena.tuning import TunedConstant, Tuning, TuningCourse, tuned_kind, tuning_page
from ump.cli.main import main
from ump.players.policy import Tsumogiri
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Length

KYOKU = replace(PRESETS["tenhou"], length=Length.KYOKU)
POINTS = (90.0, 45.0, 0.0, -135.0)
CAUTION = TunedConstant("caution", 2.4, 0.0, 3.0)
CALLS = TunedConstant("call_bonus", 0.0, -500.0, 1_000.0)


def strength(caution: float, call_bonus: float) -> float:
    """Return placement points per game: 1.0 and 100 are best, and caution 0.6 costs 3 points, as measured by forks."""
    return -18 * (caution - 1) ** 2 - 12 * ((call_bonus - 100) / 500) ** 2


def tuned(seed: str, steps: int = 300) -> TuningCourse:
    """Return the course of a tuning in which a step is as noisy as eight games."""
    course = TuningCourse(Tuning("expert", (CAUTION, CALLS), PRESETS["tenhou"], seed, POINTS))
    noise = Random(seed)
    for _ in range(steps):
        plus, minus = course.tried()
        course.take(strength(*plus) - strength(*minus) + noise.gauss(0, 23))
    return course


def test_a_bad_constant_is_repaired() -> None:
    """In ten tunings a bad caution comes near the best one, and a good bonus stays good."""
    for run in range(10):
        course = tuned(str(run))
        caution, call_bonus = course.averages()
        assert abs(caution - 1) < 0.35
        assert strength(caution, call_bonus) > -4 > strength(CAUTION.start, CALLS.start)
        assert split_constants(tuned_kind(course))[1]["caution"] == pytest.approx(caution, abs=0.001)


def test_no_difference_moves_nothing_far() -> None:
    """Without an effect a constant wanders by noise alone, and within its range."""
    course = TuningCourse(Tuning("expert", (CAUTION,), PRESETS["tenhou"], "none", POINTS))
    noise = Random(1)
    for _ in range(300):
        assert all(0 <= number <= 3 for numbers in course.tried() for number in numbers)
        course.take(noise.gauss(0, 23))
    assert abs(course.averages()[0] - CAUTION.start) < 0.9


def test_kinds_with_constants() -> None:
    """A built-in expert and a class of somebody else take them."""
    assert with_constants("expert:caution=0.5", {"call_bonus": -12.25}) == "expert:caution=0.5,call_bonus=-12.25"
    assert split_constants("wait:mjai=x") == ("wait:mjai=x", {})
    aggressive, same, expert = map(points_of, ("expert-aggressive", "expert:caution=0.6,call_bonus=0", "expert"))
    assert aggressive == same != expert
    policy = policy_factory(f"{__name__}:Numbered:number=3")("")
    assert isinstance(policy, Numbered)
    assert policy.number == 3
    for kind, error in (("tsumogiri:x=1", "has no constants"), ("expert:cautoin=1", "unknown constant 'cautoin'")):
        with pytest.raises(ContestantError, match=error):
            policy_factory(kind)


def points_of(kind: str) -> list[tuple[int, ...]]:
    """Return the points of some kyoku among copies of a policy."""
    match = Match((ArenaPlayer("all", kind),), KYOKU, "constants")
    ((block, _),) = play_planned(match, lambda: 0.0, [PlannedBlock(0, (0, 0, 0, 0))], with_records=False)
    return [game.result.points for game in block.games]


class Numbered(Tsumogiri):
    """A policy with a constant."""

    def __init__(self, number: float = 1.0) -> None:
        self.number = number


def run(*words: str) -> tuple[int, str, str]:
    """Run the command; return its status, output and errors."""
    result = CliRunner().invoke(main, ["arena", "tune", *words, "--set", "length=kyoku", "--jobs", "1"])
    return result.exit_code, result.stdout, result.stderr


def test_a_tuning_that_goes_on(tmp_path: Path) -> None:
    """It takes the same course as one in a piece, and draws it."""
    words = (f"{__name__}:Numbered", "number=1,0,2", "--json")
    whole = run(*words, "--steps", "3")
    assert whole[0] == 0
    out, page = str(tmp_path / "out"), tmp_path / "page.html"
    assert run(*words, "--steps", "2", "--out", out)[0] == 0
    assert run(*words, "--steps", "3", "--out", out, "--resume", "--html", str(page)) == whole
    data = json.loads(whole[1])
    assert (data["steps"], len(data["constants"][0]["course"]), data["leads"]) == (3, 4, [0.0, 0.0, 0.0])
    assert "number: its course" in page.read_text("utf-8")
    status, _, errors = run(*words, "--steps", "3", "--out", out, "--resume", "--rate", "0.2")
    assert status == 2
    assert "has other players" in errors


def test_the_page_lists_some_steps() -> None:
    """A long course is shortened."""
    text = tuning_page(tuned("page", 100))
    assert "tuned=expert:caution=" in text
    listed = [line.split()[0] for line in text.split("lead, pt")[1].splitlines()[1:] if line.strip()]
    assert listed[:3] == ["9", "18", "27"]


@each_row(
    ("words", "error"),
    [
        (("expert", "caution"), "expected NAME=START,LOW,HIGH"),
        (("expert", "caution=1,2,3"), "the first one is between"),
        (("expert", "caution=1,0,3", "caution=1,0,2"), "caution is given twice"),
        (("expert", "cautoin=1,0,3"), "unknown constant 'cautoin'"),
        (("random", "x=1,0,3"), "has no constants"),
    ],
)
def test_tunings_that_cannot_be(words: tuple[str, ...], error: str) -> None:
    """One line says why."""
    status, _, errors = run(*words)
    assert status == 2
    assert error in errors
