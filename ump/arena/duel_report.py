"""The report of a queue of duels: a table as text, data, and a page with the course of each test."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ump.arena import page
from ump.arena.comparison import fixed_verdict, verdict_in_words
from ump.arena.duels import DuelFolder, DuelState
from ump.arena.sequential import SequentialVerdict
from ump.record.figures import rounded
from ump.text.layout import columns

_HEADINGS = ["duel", "first", "second", "games", "first is ahead by", "LLR", "state"]


def duels_lines(duels: Sequence[DuelFolder]) -> Iterator[str]:
    """Yield the table of all duels for a terminal."""
    if not duels:
        yield "no duels"
        return
    yield from columns([_HEADINGS, *map(_row, duels)], right=(3, 4, 5))


def _row(duel: DuelFolder) -> list[str]:
    comparison = duel.comparison
    test, half = comparison.test, comparison.half_width
    width = "" if half is None else f" ±{half:.1f}"
    low, high = test.hypotheses.bounds
    ratio = "" if comparison.is_fixed else f"{test.ratio:.2f} ({low:.2f}, {high:.2f})"
    lead = f"{test.mean:+.1f}{width} pt" if comparison.games else ""
    return [duel.name, *comparison.names, f"{comparison.games} of {duel.duel.games}", lead, ratio, state_in_words(duel)]


def state_in_words(duel: DuelFolder) -> str:
    """Return what is known of a duel, and who plays it."""
    comparison = duel.comparison
    first, second = comparison.names
    match duel.state:
        case DuelState.WAITING:
            return "waiting"
        case DuelState.PLAYING:
            return f"playing, {duel.claimed()} blocks now"
        case DuelState.DECIDED:
            return verdict_in_words(comparison.test.verdict, comparison.test.hypotheses, first)
        case DuelState.ENDED if comparison.is_fixed:
            return fixed_verdict(comparison.test.mean, comparison.half_width, first, second)
        case DuelState.ENDED:
            return "undecided"


def duels_data(duels: Sequence[DuelFolder]) -> dict[str, object]:
    """Return the table for JSON."""
    return {"duels": list(map(_data, duels))}


def _data(duel: DuelFolder) -> dict[str, object]:
    comparison, setup = duel.comparison, duel.duel.setup
    test = comparison.test
    is_open = comparison.is_fixed or test.verdict is SequentialVerdict.OPEN
    return {
        "name": duel.name,
        "players": [{"name": each.name, "kind": each.kind} for each in setup.entrants],
        "rules": setup.ruleset.name,
        "seed": setup.seed,
        "state": duel.state.value,
        "playing": duel.claimed(),
        "games": comparison.games,
        "most_games": duel.duel.games,
        "advantage": rounded(test.mean),
        "advantage_half_width": rounded(comparison.half_width),
        "ratio": None if comparison.is_fixed else rounded(test.ratio),
        "verdict": None if is_open else test.verdict.value,
    }


def duels_page(duels: Sequence[DuelFolder]) -> str:
    """Return the page."""
    figures = []
    leads, names = [], []
    for duel in duels:
        comparison = duel.comparison
        if not comparison.games:
            continue
        names.append(duel.name)
        leads.append((comparison.test.mean, comparison.half_width or 0.0))
        if not comparison.is_fixed:
            lines = [page.Line("#1f5fa8", comparison.ratios)]
            axes = page.Axes("blocks", "LLR")
            plot = page.line_plot(lines, comparison.test.hypotheses.bounds, axes)
            figures.append(page.Figure(f"{duel.name}: {' against '.join(comparison.names)}", plot))
    if names:
        plot = page.forest(names, leads, "placement points per game", "+.1f")
        figures.insert(0, page.Figure("Lead of the first player", plot))
    return page.page("Duels", duels_lines(duels), figures, "")
