"""The report of a comparison as one page of HTML: tables and plots in SVG, without scripts and without requests."""

from __future__ import annotations

from ump.arena.comparison import Comparison
from ump.arena.comparison_report import comparison_lines
from ump.arena.page import Figure, page, table, text_cell
from ump.arena.plots import Line, histogram, line_plot, stacked_bars

_LARGEST = 10
"""Blocks with the greatest differences that the page lists."""


def comparison_page(comparison: Comparison, *, is_fixed: bool) -> str:
    """Return the page; ``is_fixed`` says that the number of games was fixed beforehand."""
    first, second = comparison.setup.players
    figures = _figures(comparison) if comparison.games else []
    lines = comparison_lines(comparison, is_fixed=is_fixed)
    return page(f"{first} against {second}", lines, figures, _largest(comparison))


def _figures(comparison: Comparison) -> list[Figure]:
    low, high = comparison.test.hypotheses.bounds
    means = [mean for mean, _ in comparison.anytime]
    upper = [None if half is None else mean + half for mean, half in comparison.anytime]
    lower = [None if half is None else mean - half for mean, half in comparison.anytime]
    players = comparison.players()
    shares = [[player.estimates[f"place_{place}"].mean or 0.0 for place in range(1, 5)] for player in players]
    return [
        Figure(
            "Log-likelihood ratio, and the bounds at which the test decides",
            line_plot([Line("#1f5fa8", comparison.ratios)], (low, high)),
        ),
        Figure(
            "Mean advantage of the first player in placement points per game, with the anytime interval",
            line_plot([Line("#1f5fa8", means), Line("#9bbbe0", upper), Line("#9bbbe0", lower)], (0.0,)),
        ),
        Figure("Places", stacked_bars([player.name for player in players], shares)),
        Figure("Advantage by block", histogram(comparison.advantages)),
    ]


def _largest(comparison: Comparison) -> str:
    """Return a table of the blocks with the greatest differences."""
    order = sorted(range(comparison.test.blocks), key=lambda number: -abs(comparison.advantages[number]))[:_LARGEST]
    rows = [(text_cell(f"{number}"), text_cell(f"{comparison.advantages[number]:+.2f}")) for number in order]
    return f"<h2>Blocks with the greatest differences</h2>\n{table(('block', 'pt per game'), rows)}\n"
