"""The report of an arena: lines for a terminal, and data for JSON and CSV. docs/arena.md defines each value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ump.arena.comparison_report import player_data, statistics_lines
from ump.arena.standings import Standing, Standings
from ump.report.layout import printable, shortened
from ump.report.text import columns

_BAR = 20
"""The width of the progress bar."""


def arena_data(standings: Standings, table: Sequence[Standing]) -> dict[str, object]:
    """Return the report for JSON."""
    setup = standings.setup
    return {
        "rules": setup.ruleset.name,
        "seed": setup.seed,
        "schedule": setup.schedule,
        "placement_points": list(setup.points),
        "blocks": len(standings.blocks),
        "games": standings.games,
        "anchor": setup.entrants[standings.anchor].name,
        "players": [standing_data(standings, standing) for standing in table],
    }


def standing_data(standings: Standings, standing: Standing) -> dict[str, object]:
    """Return the rating and the statistics of a player as a flat object, for JSON and CSV."""
    half = standing.rating.half_width
    statistics = player_data(standing.result)
    return {
        "name": statistics.pop("name"),
        "kind": standings.setup.entrants[standing.player].kind,
        "games": standing.games,
        "rating": round(standing.rating.elo, 1),
        "rating_half_width": None if half is None else round(half, 1),
        **statistics,
    }


def arena_lines(standings: Standings, table: Sequence[Standing]) -> Iterator[str]:
    """Yield the report for a terminal: ratings, statistics and faults."""
    if not standings.games:
        yield "no block was played to its end"
        return
    setup = standings.setup
    yield f"{len(setup.entrants)} players, {setup.schedule}, {setup.ruleset.name} {setup.ruleset.length.value}"
    yield (
        f"{len(standings.blocks)} blocks, {standings.games} games; intervals are 95 %, shares in percent; "
        f"{shortened(printable(setup.entrants[standings.anchor].name), 30)} is the anchor"
    )
    yield ""
    rows = [("", "", "rating", "games")]
    for place, standing in enumerate(table, 1):
        name = shortened(printable(standing.result.name), 30)
        rows.append((str(place), name, _rating_cell(standings, standing), str(standing.games)))
    yield from columns(rows, right=(0, 2, 3))
    yield from statistics_lines([standing.result for standing in table])


def arena_progress(standings: Standings, games: int, width: int) -> str:
    """Return a progress line of at most ``width`` characters: a bar, and the players by their ratings."""
    done = min(_BAR, _BAR * standings.games // games)
    listed = ", ".join(f"{shortened(printable(name), 20)} {rating:.0f}" for name, rating in standings.leaders())
    return f"[{'#' * done}{'.' * (_BAR - done)}] {standings.games} of {games} games: {listed}"[:width]


def _rating_cell(standings: Standings, standing: Standing) -> str:
    half = standing.rating.half_width
    is_fixed = standing.player == standings.anchor or half is None
    return f"{standing.rating.elo:.0f}" if is_fixed else f"{standing.rating.elo:.0f} ±{half:.0f}"
