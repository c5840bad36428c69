"""The sequential test and its intervals, against values computed by hand and against simulated truth."""

from __future__ import annotations

from math import log, sqrt
from random import Random

import pytest
from support.rows import each_row

from ump.arena.sequential import SAME_PLAY_BLOCKS, Hypotheses, SequentialTest, SequentialVerdict


def seen(values: list[float], hypotheses: Hypotheses | None = None) -> SequentialTest:
    """Return a test that has seen these blocks."""
    test = SequentialTest(hypotheses or Hypotheses())
    for each in values:
        test.add(each)
    return test


def test_the_bounds_are_those_of_wald() -> None:
    """They are ln(beta / (1 - alpha)) and ln((1 - beta) / alpha)."""
    assert Hypotheses().bounds == pytest.approx((-2.9444, 2.9444), abs=1e-4)
    assert Hypotheses(alpha=0.01, beta=0.1).bounds == pytest.approx((log(0.1 / 0.99), log(0.9 / 0.01)))


def test_the_ratio_has_the_variance_of_each_hypothesis() -> None:
    """Four blocks with mean 10 and variance 500, and the pseudo-block: computed by hand."""
    test = seen([-20.0, 10.0, 10.0, 40.0])
    variance = 450 + 45**2 / 4
    assert test.mean == 10
    assert test.ratio == pytest.approx(2 * log((variance + 100) / (variance + 25)))


@pytest.mark.parametrize(
    ("values", "verdict", "blocks"),
    [
        ([0.0] * SAME_PLAY_BLOCKS, SequentialVerdict.SAME_PLAY, SAME_PLAY_BLOCKS),
        ([0.0] * (SAME_PLAY_BLOCKS - 1), SequentialVerdict.OPEN, SAME_PLAY_BLOCKS - 1),
        ([20.0] * 31, SequentialVerdict.OPEN, 31),
        ([20.0] * 32, SequentialVerdict.H1, 32),
        ([-20.0] * 32, SequentialVerdict.H0, 32),
        ([0.0] * 31 + [20.0] * 9, SequentialVerdict.OPEN, 40),
    ],
    ids=["same", "not yet same", "too few", "better", "worse", "few different"],
)
def test_verdicts(values: list[float], verdict: SequentialVerdict, blocks: int) -> None:
    """The test waits for enough blocks, and for enough that differ."""
    test = seen(values)
    assert (test.verdict, test.blocks) == (verdict, blocks)


def test_a_verdict_stays() -> None:
    """Blocks after the decision do not change it."""
    assert seen([20.0] * 32 + [-20.0] * 100).verdict is SequentialVerdict.H1


@each_row(("true", "least", "most"), [(0.0, 0, 12), (5.0, 88, 100), (10.0, 98, 100)])
def test_errors_are_rare(true: float, least: int, most: int) -> None:
    """Out of 100 simulated tests; a wrong bound or a wrong variance gives many more errors."""
    found = 0
    for run in range(100):
        generator, test = Random(f"{true}/{run}"), SequentialTest(Hypotheses())
        while test.add(generator.gauss(true, 20)) is SequentialVerdict.OPEN:
            pass
        found += test.verdict is SequentialVerdict.H1
    assert least <= found <= most


def test_intervals() -> None:
    """The fixed one has Student's quantile; the anytime one is wider, and begins at block 25."""
    assert seen([1.0]).interval() is None
    assert seen([-1.0, 1.0]).interval() == pytest.approx(12.7062, abs=1e-4)
    assert seen([-1.0, 1.0] * 12).anytime_interval() is None
    test = seen([-1.0, 1.0] * 50)
    spread = 100 * 0.053 + 1
    expected = test.deviation * sqrt(2 * spread / (100**2 * 0.053) * log(sqrt(spread) / 0.05))
    assert test.anytime_interval() == pytest.approx(expected)
    assert (test.anytime_interval() or 0) > (test.interval() or 0)
