"""The report of an arena as one page of HTML: ratings, plots, meetings, and the games with the greatest surprises."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from urllib.parse import quote

from ump.arena.arena_report import arena_lines
from ump.arena.blocks import BlockGame, placement_points
from ump.arena.page import Figure, page, table, text_cell
from ump.arena.pair_tests import PairTests
from ump.arena.plots import Point, forest, scatter, stacked_bars
from ump.arena.standings import Standing, Standings

_SURPRISES = 10
"""Games that the page lists."""


def arena_page(
    standings: Standings, listed: Sequence[Standing], records: str | None, tests: PairTests | None = None
) -> str:
    """Return the page.

    ``records`` is the folder of the records, relative to the page, for links to the games; None without records.
    ``tests`` are those of the report.
    """
    title = f"Arena of {len(listed)} players"
    lines = arena_lines(standings, listed, tests)
    if not standings.games:
        return page(title, lines, (), "")
    return page(title, lines, _figures(listed), _meetings(standings, listed) + _surprises(standings, listed, records))


def _figures(listed: Sequence[Standing]) -> Iterator[Figure]:
    names = [standing.result.name for standing in listed]
    ratings = [(standing.rating.elo, standing.rating.half_width or 0.0) for standing in listed]
    yield Figure("Ratings with 95 % intervals", forest(names, ratings))
    places = [[standing.result.estimates[f"place_{place}"].mean or 0.0 for place in range(1, 5)] for standing in listed]
    yield Figure("Places", stacked_bars(names, places))
    yield Figure("Wins (up) and deal-ins (right), percent of kyoku", _shares(listed, "deal_in_rate", "win_rate"))
    yield Figure("Riichi (up) and calls (right), percent of kyoku", _shares(listed, "call_rate", "riichi_rate"))


def _shares(listed: Sequence[Standing], across: str, up: str) -> str:
    points = []
    for standing in listed:
        estimates = standing.result.estimates
        x, y = estimates[across].mean, estimates[up].mean
        points.append(Point(standing.result.name, 100 * (x or 0.0), 100 * (y or 0.0)))
    return scatter(points)


def _meetings(standings: Standings, listed: Sequence[Standing]) -> str:
    """Return a table of how often the player of a row came before the one of a column in their common games."""
    order = [standing.player for standing in listed]
    ahead = standings.ahead()
    rows = []
    for place, (row, standing) in enumerate(zip(order, listed, strict=True), 1):
        cells = [text_cell(f"{place} {standing.result.name}")]
        for column in order:
            pairs = ahead[row, column] + ahead[column, row]
            cells.append(text_cell(f"{ahead[row, column] / pairs:.0%}" if pairs and row != column else ""))
        rows.append(cells)
    head = ("", *(str(place) for place in range(1, len(order) + 1)))
    return f"<h2>How often a row is placed before a column</h2>\n{table(head, rows)}\n"


def _surprises(standings: Standings, listed: Sequence[Standing], records: str | None) -> str:
    """Return the games in which low ratings gained the most placement points, with links to their records."""
    elo = {standing.player: standing.rating.elo for standing in listed}
    found = []
    for block in standings.blocks:
        for number, game in enumerate(block.games):
            found.append((_surprise(game, elo, standings.setup.points), block.number, number, game))
    found.sort(key=lambda each: (-each[0], each[1:3]))
    names = [entrant.name for entrant in standings.setup.entrants]
    rows = []
    for _, block_number, number, game in found[:_SURPRISES]:
        name = f"{block_number:06}-{number}"
        link = escape(name) if records is None else f'<a href="{quote(records)}/{name}.mjson">{name}</a>'
        order = sorted(range(len(game.places)), key=lambda seat: game.places[seat])
        result = ", ".join(f"{names[game.seating[seat]]} {game.points[seat]:,}" for seat in order)
        rows.append((f"<td>{link}</td>", text_cell(result)))
    said = "" if records is None else "<p>ump replay or ump show FILE shows a record.</p>\n"
    return f"<h2>Games in which low ratings were ahead of high ones</h2>\n{table(('game', 'result'), rows)}\n{said}"


def _surprise(game: BlockGame, elo: dict[int, float], points: Sequence[float]) -> float:
    mean = sum(elo[player] for player in game.seating) / len(game.seating)
    return sum(
        (mean - elo[player]) * placement_points(game.places, seat, points) for seat, player in enumerate(game.seating)
    )
