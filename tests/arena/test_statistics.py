"""The bootstrap against the formula for a mean."""

from __future__ import annotations

from math import sqrt
from random import Random
from statistics import stdev

import pytest
from support.rows import each_row

from ump.arena.statistics import bootstrap_half_widths


def test_the_bootstrap_of_a_mean_is_its_standard_error() -> None:
    """A ratio with equal denominators is a mean."""
    generator = Random("mean")
    values = [generator.gauss(10, 3) for _ in range(200)]
    (half,) = bootstrap_half_widths([(values, [1.0] * 200)], generator)
    assert half == pytest.approx(1.96 * stdev(values) / sqrt(200), rel=0.1)


def test_the_bootstrap_keeps_blocks_together() -> None:
    """Numerators that follow their denominators give an exact ratio, however much both vary."""
    below = [float(1 + number % 7) for number in range(50)]
    (half,) = bootstrap_half_widths([([each * 3 for each in below], below)], Random("ratio"))
    assert half == pytest.approx(0, abs=1e-9)


@each_row("pair", [([1.0], [2.0]), ([0.0, 0.0], [0.0, 0.0])])
def test_no_interval_of_nothing(pair: tuple[list[float], list[float]]) -> None:
    """One block has no spread, and a share of nothing does not exist."""
    assert bootstrap_half_widths([pair], Random("none")) == [None]
    assert bootstrap_half_widths([], Random("none")) == []
