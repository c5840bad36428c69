"""The block bootstrap."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from statistics import stdev

from ump.arena.tally import Z95

RESAMPLES = 500
"""Resamples of a bootstrap."""


def bootstrap_half_widths(
    ratios: Sequence[tuple[Sequence[float], Sequence[float]]], generator: Random, resamples: int = RESAMPLES
) -> list[float | None]:
    """Return half of the 95 % interval of each ratio of two sums over blocks, by the bootstrap over whole blocks.

    Each ratio has a list of numerators and one of denominators, an entry for each block, all of the same length. All
    ratios are computed from the same resamples. The half width is that of a normal interval with the standard deviation
    of the resampled ratios (B. Efron 1979). It is None if there are fewer than two blocks, or nothing in a denominator.
    """
    blocks = len(ratios[0][0]) if ratios else 0
    found: list[list[float]] = [[] for _ in ratios]
    for _ in range(resamples if blocks > 1 else 0):
        drawn = generator.choices(range(blocks), k=blocks)
        for (numerators, denominators), values in zip(ratios, found, strict=True):
            total = sum(map(denominators.__getitem__, drawn))
            if total:
                values.append(sum(map(numerators.__getitem__, drawn)) / total)
    return [Z95 * stdev(values) if len(values) > resamples // 2 else None for values in found]
