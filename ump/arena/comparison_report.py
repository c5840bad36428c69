"""The report of a comparison: lines for a terminal, and data for JSON and CSV. docs/arena.md defines each value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ump.arena.comparison import Comparison
from ump.arena.sequential import Verdict
from ump.arena.statistics import Estimate, PlayerResult
from ump.text.layout import printable, shortened
from ump.text.text import columns

VERDICTS = {
    Verdict.OPEN: "undecided",
    Verdict.BETTER: "H1: {first} is better",
    Verdict.NOT_BETTER: "H0: {first} is not better",
    Verdict.SAME_PLAY: "both play the same: every block is 0",
}
"""What a verdict says on a terminal."""

_TABLES: tuple[tuple[tuple[str, str, str, float], ...], ...] = (
    (
        ("place", "average_place", ".3f", 1),
        ("pt", "average_points", "+.1f", 1),
        *(
            (f"{place}{suffix}", f"place_{place}", ".1f", 100)
            for place, suffix in enumerate(("st", "nd", "rd", "th"), 1)
        ),
        ("tobi", "tobi", ".1f", 100),
    ),
    (
        ("win", "win_rate", ".1f", 100),
        ("tsumo", "tsumo_rate", ".1f", 100),
        ("deal-in", "deal_in_rate", ".1f", 100),
        ("riichi", "riichi_rate", ".1f", 100),
        ("call", "call_rate", ".1f", 100),
        ("tenpai", "tenpai_rate", ".1f", 100),
        ("avg win", "average_win", ",.0f", 1),
        ("avg loss", "average_loss", ",.0f", 1),
    ),
)
"""The columns of the tables: heading, name in ``RATIOS``, format, and factor. Shares are in percent."""

_FAULTS = ("crashes", "refused", "timeouts", "answers", "avg ms", "50 % ms", "99 % ms", "longest ms")
"""The columns of the table of faults and answer times."""


def comparison_data(comparison: Comparison, *, is_fixed: bool) -> dict[str, object]:
    """Return the report for JSON; ``is_fixed`` says that the number of games was fixed beforehand."""
    test = comparison.test
    low, high = test.hypotheses.bounds
    half = test.interval() if is_fixed else test.anytime_interval()
    return {
        "rules": comparison.setup.ruleset.name,
        "seed": comparison.setup.seed,
        "placement_points": list(comparison.setup.points),
        "blocks": test.blocks,
        "games": comparison.games,
        "advantage": _rounded(test.mean),
        "advantage_half_width": _rounded(half),
        "interval": "fixed" if is_fixed else "anytime",
        "first_as_challenger": _rounded(comparison.one_way(0)),
        "second_as_challenger": _rounded(_negated(comparison.one_way(1))),
        "test": {
            "h0": test.hypotheses.h0,
            "h1": test.hypotheses.h1,
            "alpha": test.hypotheses.alpha,
            "beta": test.hypotheses.beta,
            "ratio": _rounded(test.ratio),
            "bounds": [_rounded(low), _rounded(high)],
            "verdict": test.verdict.value,
        },
        "players": [player_data(player) for player in comparison.players()],
    }


def player_data(player: PlayerResult) -> dict[str, object]:
    """Return the statistics of a player as a flat object, for JSON and CSV."""
    estimates: dict[str, object] = {}
    for name, estimate in player.estimates.items():
        estimates[name] = _rounded(estimate.mean)
        estimates[f"{name}_half_width"] = _rounded(estimate.half_width)
    return {
        "name": player.name,
        **estimates,
        "crashes": player.crashes,
        "refusals": player.refusals,
        "timeouts": player.timeouts,
        "answers": player.answers,
        "average_answer_milliseconds": _rounded(player.average_answer),
        "answer_p50_milliseconds": _rounded(player.answer_p50),
        "answer_p99_milliseconds": _rounded(player.answer_p99),
        "longest_answer_milliseconds": _rounded(player.longest_answer),
        "first_error": player.first_error,
    }


def comparison_lines(comparison: Comparison, *, is_fixed: bool) -> Iterator[str]:
    """Yield the report for a terminal: tables, faults, and the verdict; arguments as in ``comparison_data``."""
    if not comparison.games:
        yield "no block was played to its end"
        return
    setup, players = comparison.setup, comparison.players()
    first, second = (shortened(printable(player.name), 30) for player in players)
    yield f"{first} against {second}, both ways, {setup.ruleset.name} {setup.ruleset.length.value}"
    yield f"{comparison.test.blocks} blocks, {comparison.games} games; intervals are 95 %, shares in percent"
    yield from statistics_lines(players)
    yield ""
    yield from _verdict_lines(comparison, first, second, is_fixed=is_fixed)


def statistics_lines(players: Sequence[PlayerResult]) -> Iterator[str]:
    """Yield three tables with a row for each player, and the first fault of each."""
    names = [shortened(printable(player.name), 30) for player in players]
    for table in _TABLES:
        yield ""
        head = ("", *(heading for heading, _, _, _ in table))
        rows = [(name, *_cells(player, table)) for name, player in zip(names, players, strict=True)]
        yield from columns([head, *rows], right=range(1, len(head)))
    yield ""
    rows = [(name, *_fault_cells(player)) for name, player in zip(names, players, strict=True)]
    yield from columns([("", *_FAULTS), *rows], right=range(1, len(_FAULTS) + 1))
    for name, player in zip(names, players, strict=True):
        if player.first_error:
            yield f"{name}: the first fault: {printable(player.first_error)}"


def progress_text(comparison: Comparison) -> str:
    """Return what a progress line says of a comparison."""
    test = comparison.test
    half = test.anytime_interval()
    width = "" if half is None else f" ±{half:.1f}"
    low, high = test.hypotheses.bounds
    return f"{comparison.games} games: {test.mean:+.1f}{width} pt, LLR {test.ratio:.2f} ({low:.2f}, {high:.2f})"


def _cells(player: PlayerResult, table: Sequence[tuple[str, str, str, float]]) -> Iterator[str]:
    for _, name, written, factor in table:
        yield _cell(player.estimates[name], written, factor)


def _cell(estimate: Estimate, written: str, factor: float) -> str:
    if estimate.mean is None:
        return "-"
    half = "" if estimate.half_width is None else f" ±{format(estimate.half_width * factor, written.lstrip('+'))}"
    return f"{format(estimate.mean * factor, written)}{half}"


def _fault_cells(player: PlayerResult) -> Iterator[str]:
    yield from map(str, (player.crashes, player.refusals, player.timeouts, player.answers))
    for milliseconds in (player.average_answer, player.answer_p50, player.answer_p99, player.longest_answer):
        yield "-" if milliseconds is None else f"{milliseconds:,.{0 if milliseconds >= 100 else 2}f}"


def _verdict_lines(comparison: Comparison, first: str, second: str, *, is_fixed: bool) -> Iterator[str]:
    test, points = comparison.test, comparison.test.hypotheses
    half = test.interval() if is_fixed else test.anytime_interval()
    width = "" if half is None else f" ±{half:.1f}"
    kind = "" if half is None or is_fixed else " (anytime)"
    yield f"{first} is ahead by {test.mean:+.1f}{width} pt per game{kind}"
    one, other = comparison.one_way(0), _negated(comparison.one_way(1))
    if one is not None and other is not None:
        yield f"{first} among copies of {second} {one:+.1f}, {second} among copies of {first} {other:+.1f}"
    if not is_fixed:
        low, high = points.bounds
        said = VERDICTS[test.verdict].format(first=first)
        given = f"{points.h0:g} against {points.h1:g} pt, {points.alpha:.0%} / {points.beta:.0%}"
        yield f"LLR {test.ratio:.2f} ({low:.2f}, {high:.2f}): {said} ({given})"


def _negated(number: float | None) -> float | None:
    return None if number is None else 0.0 - number  # not -0.0


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(number, 4)
