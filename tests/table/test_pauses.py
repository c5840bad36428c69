"""The pauses at a table with ``ask_all`` reveal nothing, whatever a client speaks, and however it thinks."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import count
from math import sqrt

import pytest
from support.budgets import few, some
from support.dialect_clients import EVERY_DIALECT
from support.paced_table import PacedTable, Pacing, Pause, hasty, thoughtful
from support.rows import each_row
from support.swapped_tiles import DialectUnderTest

ENOUGH = max(20, few(60))
"""The pauses with a choice after which no further game is played."""

CHANCE = 3.5
"""The standard deviations that chance stays within, but for one test in two thousand; the seeds are fixed."""


def pauses(dialect: DialectUnderTest, pacing: Pacing, *, holds: bool = True) -> list[Pause]:
    """Return the pauses of as many games as it takes."""
    measured: list[Pause] = []
    for number in count():
        table = PacedTable(dialect, f"pause/{number}", pacing, holds=holds)
        table.play()
        measured += table.pauses
        if sum(pause.had_choice for pause in measured) >= ENOUGH:
            break
    return measured


def evidence(measured: list[Pause]) -> float:
    """Return how well an observer who knows only the pauses can tell who had a choice.

    It is the rank sum of the pauses with a choice, in standard deviations from what chance gives: any rule of the
    form "a long pause means a choice" does better than guessing only as far as this is above 0.
    """
    chosen = [pause.length for pause in measured if pause.had_choice]
    forced = sorted(pause.length for pause in measured if not pause.had_choice)
    one, other = len(chosen), len(forced)
    ranks = sum(bisect_left(forced, each) + bisect_right(forced, each) for each in chosen) / 2
    return (ranks - one * other / 2) / sqrt(one * other * (one + other + 1) / 12)


@pytest.mark.no_cover
@each_row("dialect", some(EVERY_DIALECT, 4))
@each_row("pacing", some([hasty, thoughtful]))
def test_pauses_do_not_tell_who_could_have_called(dialect: DialectUnderTest, pacing: Pacing) -> None:
    """A client that thinks only where it has a choice, and one that always thinks, pause alike with and without one."""
    assert abs(evidence(pauses(dialect, pacing))) < CHANCE


@pytest.mark.no_cover
@each_row("dialect", some(EVERY_DIALECT))
def test_pauses_tell_it_without_held_passes(dialect: DialectUnderTest) -> None:
    """The measure finds clients that pass at once, where the table does not hold their passes."""
    assert evidence(pauses(dialect, hasty, holds=False)) > 3 * CHANCE
