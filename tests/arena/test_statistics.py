"""Shares and their intervals, against numbers from outside."""

from __future__ import annotations

import pytest

from ump.arena.statistics import Share


@pytest.mark.parametrize(
    ("count", "total", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),  # R. G. Newcombe, Statistics in Medicine 17 (1998), table I, method 3
        (15, 148, 0.0624, 0.1605),  # the same
        (0, 20, 0.0000, 0.1611),  # the same
        (1, 29, 0.0061, 0.1718),  # the same
        (0, 0, 0.0, 1.0),
        (20, 20, 0.8389, 1.0),
    ],
)
def test_wilson_interval(count: int, total: int, low: float, high: float) -> None:
    """The interval is Wilson's; of nothing nothing is known."""
    assert Share(count, total).interval == pytest.approx((low, high), abs=5e-5)


def test_a_share_of_nothing_is_none() -> None:
    """Dividing by no games is no error."""
    assert (Share(0, 0).rate, Share(3, 4).rate) == (0.0, 0.75)
