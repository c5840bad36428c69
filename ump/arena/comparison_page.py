"""The report of a comparison as one page of HTML: tables and plots in SVG, without scripts and without requests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from ump.arena.comparison import Comparison
from ump.arena.comparison_report import comparison_lines
from ump.arena.plots import Line, histogram, line_plot, stacked_bars
from ump.model.value import value

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222;
  background: #fff }
pre { overflow-x: auto; font-size: 14px }
svg { width: 100%; height: auto; display: block }
td, th { padding: 0 1rem 0 0; text-align: right }
"""

_LARGEST = 10
"""Blocks with the greatest differences that the page lists."""


@value
class _Figure:
    title: str
    svg: str


def comparison_page(comparison: Comparison, *, is_fixed: bool) -> str:
    """Return the page; ``is_fixed`` says that the number of games was fixed beforehand."""
    first, second = map(escape, comparison.setup.players)
    report = escape("\n".join(comparison_lines(comparison, is_fixed=is_fixed)))
    figures = _figures(comparison) if comparison.games else []
    plots = "".join(f"<h2>{escape(each.title)}</h2>\n{each.svg}\n" for each in figures)
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width">\n<title>{first} against {second}</title>\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{first} against {second}</h1>\n<pre>{report}</pre>\n"
        f"{plots}{_largest(comparison)}</body>\n</html>\n"
    )


def _figures(comparison: Comparison) -> list[_Figure]:
    low, high = comparison.test.hypotheses.bounds
    means = [mean for mean, _ in comparison.anytime]
    upper = [None if half is None else mean + half for mean, half in comparison.anytime]
    lower = [None if half is None else mean - half for mean, half in comparison.anytime]
    players = comparison.players()
    shares = [[player.estimates[f"place_{place}"].mean or 0.0 for place in range(1, 5)] for player in players]
    return [
        _Figure(
            "Log-likelihood ratio, and the bounds at which the test decides",
            line_plot([Line("#1f5fa8", comparison.ratios)], (low, high)),
        ),
        _Figure(
            "Mean advantage of the first player in placement points per game, with the anytime interval",
            line_plot([Line("#1f5fa8", means), Line("#9bbbe0", upper), Line("#9bbbe0", lower)], (0.0,)),
        ),
        _Figure("Places", stacked_bars([player.name for player in players], shares)),
        _Figure("Advantage by block", histogram(comparison.advantages)),
    ]


def _largest(comparison: Comparison) -> str:
    """Return a table of the blocks with the greatest differences."""
    order = sorted(range(comparison.test.blocks), key=lambda number: -abs(comparison.advantages[number]))[:_LARGEST]
    rows = [(f"{number}", f"{comparison.advantages[number]:+.2f}") for number in order]
    return f"<h2>Blocks with the greatest differences</h2>\n{_table(('block', 'pt per game'), rows)}\n"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>\n" for row in rows)
    return f"<table>\n<tr>{''.join(f'<th>{escape(cell)}</th>' for cell in head)}</tr>\n{body}</table>"
