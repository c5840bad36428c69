"""Quantiles of Student's t against a table."""

from __future__ import annotations

import pytest
from support.rows import each_row

from ump.record.figures import student_95


@each_row(
    ("freedom", "quantile"),
    [(1, 12.706), (2, 4.303), (3, 3.182), (5, 2.571), (10, 2.228), (30, 2.042), (120, 1.980), (10_000, 1.960)],
)
def test_students_t(freedom: int, quantile: float) -> None:
    """The values of the usual table."""
    assert student_95(freedom) == pytest.approx(quantile, abs=0.005)
