"""The report of an arena: lines for a terminal, data for JSON and CSV, and a page of HTML.

docs/arena.md defines each value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import itemgetter

from ump.arena.arena_setup import ArenaSetup
from ump.arena.blocks import BlockGame, placement_points
from ump.arena.page import (
    HOW_TO_SHOW,
    Axes,
    Figure,
    PlotPoint,
    forest,
    page,
    record_link,
    scatter,
    stacked_bars,
    table,
    text_cell,
)
from ump.arena.plan import ArenaStanding, ArenaStandings
from ump.arena.sequential import PairResult, PairTests, PairVerdict
from ump.arena.statistics import place_shares, player_data, short_name, statistics_lines
from ump.text.layout import columns

_MOST_IN_PAIRS = 8
"""Without verdicts, the report lists the pairs of so many players; more have too many."""

_BAR = 20
"""The width of the progress bar."""


def arena_data(
    standings: ArenaStandings, table: Sequence[ArenaStanding], tests: PairTests | None = None
) -> dict[str, object]:
    """Return the report for JSON; ``tests`` are those that decide when the arena is over."""
    setup = standings.setup
    pairs: dict[str, object] = {}
    if tests is not None:
        pairs["pairs"] = [_pair_data(setup, result) for result in tests.results()]
    return pairs | {
        "rules": setup.ruleset.name,
        "seed": setup.seed,
        "schedule": setup.schedule,
        "placement_points": list(setup.points),
        "blocks": len(standings.blocks),
        "games": standings.games,
        "anchor": setup.entrants[standings.anchor].name,
        "players": [standing_data(standings, standing) for standing in table],
    }


def standing_data(standings: ArenaStandings, standing: ArenaStanding) -> dict[str, object]:
    """Return the rating and the statistics of a player as a flat object, for JSON and CSV."""
    half = standing.rating.half_width
    statistics = player_data(standing.figures)
    return {
        "name": statistics.pop("name"),
        "kind": standings.setup.entrants[standing.player].kind,
        "games": standing.games,
        "rating": round(standing.rating.elo, 1),
        "rating_half_width": None if half is None else round(half, 1),
        **statistics,
    }


def _names(setup: ArenaSetup, result: PairResult) -> tuple[str, str]:
    first, second = result.pair
    return setup.entrants[first].name, setup.entrants[second].name


def _pair_data(setup: ArenaSetup, result: PairResult) -> dict[str, object]:
    first, second = _names(setup, result)
    half = result.half_width
    return {
        "first": first,
        "second": second,
        "verdict": result.verdict.value,
        "blocks": result.blocks,
        "lead": round(result.lead, 4),
        "lead_half_width": None if half is None else round(half, 4),
    }


def arena_lines(
    standings: ArenaStandings, table: Sequence[ArenaStanding], tests: PairTests | None = None
) -> Iterator[str]:
    """Yield the report for a terminal: ratings, leads of pairs, statistics and faults."""
    if not standings.games:
        yield "no block was played to its end"
        return
    setup = standings.setup
    yield f"{len(setup.entrants)} players, {setup.schedule}, {setup.ruleset.name} {setup.ruleset.length.value}"
    yield (
        f"{len(standings.blocks)} blocks, {standings.games} games; intervals are 95 %, shares in percent; "
        f"{short_name(setup.entrants[standings.anchor].name)} is the anchor"
    )
    yield ""
    rows = [("", "", "rating", "games")]
    for place, standing in enumerate(table, 1):
        name = short_name(standing.figures.name)
        rows.append((str(place), name, _rating_cell(standings, standing), str(standing.games)))
    yield from columns(rows, right=(0, 2, 3))
    if tests is not None and (not tests.is_fixed or len(table) <= _MOST_IN_PAIRS):
        yield ""
        yield from columns(_pair_rows(setup, tests), right=(1, 2))
    yield from statistics_lines([standing.figures for standing in table])


def _pair_rows(setup: ArenaSetup, tests: PairTests) -> Iterator[tuple[str, ...]]:
    """Yield a row for each pair: how many points per game the first one is ahead, and the verdict of the tests."""
    yield "", "blocks", "lead", "" if tests.is_fixed else "verdict"
    for result in tests.results():
        first, second = map(short_name, _names(setup, result))
        half = "" if result.half_width is None else f" ±{result.half_width:.1f}"
        said = {PairVerdict.FIRST: f"{first} is better", PairVerdict.SECOND: f"{second} is better"}
        verdict = "" if tests.is_fixed else said.get(result.verdict, result.verdict.value)
        yield f"{first} - {second}", str(result.blocks), f"{result.lead:+.1f}{half}", verdict


def arena_progress(standings: ArenaStandings, games: int | None, width: int, height: int) -> str:
    """Return lines of at most ``width`` characters: a bar (if ``games`` is known), and a table of players by rating.

    They are at most ``height`` lines: the players behind are left out.
    """
    bar = f"{standings.games} games"
    if games is not None:
        done = min(_BAR, _BAR * standings.games // games)
        bar = f"[{'#' * done}{'.' * (_BAR - done)}] {standings.games} of {games} games"
    rows = [("", "rating", "games", "place", "pt", "faults"), *_running_rows(standings)]
    lines = [bar, *columns(rows[: max(0, height - 1)], right=(1, 2, 3, 4, 5))]
    return "\n".join(line[:width] for line in lines[:height])


def _running_rows(standings: ArenaStandings) -> Iterator[tuple[str, ...]]:
    for name, rating, games, running in standings.leaders():
        place = "-" if running.place is None else f"{running.place:.2f}"
        points = "-" if running.points is None else f"{running.points:+.1f}"
        yield short_name(name), f"{rating:.0f}", str(games), place, points, str(running.faults)


def _rating_cell(standings: ArenaStandings, standing: ArenaStanding) -> str:
    half = standing.rating.half_width
    is_fixed = standing.player == standings.anchor or half is None
    return f"{standing.rating.elo:.0f}" if is_fixed else f"{standing.rating.elo:.0f} ±{half:.0f}"


_SURPRISES = 10
"""Games that the page lists."""


def arena_page(
    standings: ArenaStandings, listed: Sequence[ArenaStanding], records: str | None, tests: PairTests | None = None
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


def _figures(listed: Sequence[ArenaStanding]) -> Iterator[Figure]:
    names, ratings, places = [], [], []
    for standing in listed:
        names.append(standing.figures.name)
        ratings.append((standing.rating.elo, standing.rating.half_width or 0.0))
        places.append(place_shares(standing.figures))
    yield Figure("Ratings with 95 % intervals", forest(names, ratings, "Elo points"))
    yield Figure("Places", stacked_bars(names, places))
    wins = Axes("deal-ins, % of kyoku", "wins, % of kyoku")
    yield Figure("Wins and deal-ins", _shares(listed, "deal_in_rate", "win_rate", wins))
    calls = Axes("kyoku with calls, %", "kyoku with riichi, %")
    yield Figure("Riichi and calls", _shares(listed, "call_rate", "riichi_rate", calls))


def _shares(listed: Sequence[ArenaStanding], across: str, up: str, axes: Axes) -> str:
    points = []
    for standing in listed:
        estimates = standing.figures.estimates
        x, y = estimates[across].mean, estimates[up].mean
        points.append(PlotPoint(standing.figures.name, 100 * (x or 0.0), 100 * (y or 0.0)))
    return scatter(points, axes)


def _meetings(standings: ArenaStandings, listed: Sequence[ArenaStanding]) -> str:
    """Return a table of how often the player of a row came before the one of a column in their common games."""
    head = [""]
    rows = []
    for place, row in enumerate(listed, 1):
        head.append(str(place))
        cells = [text_cell(f"{place} {row.figures.name}")]
        for column in listed:
            cells.append(text_cell(_meeting(standings, row.player, column.player)))
        rows.append(cells)
    return f"<h2>How often a row is placed before a column, percent</h2>\n{table(head, rows)}\n"


def _meeting(standings: ArenaStandings, player: int, other: int) -> str:
    share = standings.share_ahead(player, other) if player != other else None
    return "" if share is None else f"{100 * share[0]:.0f} ±{100 * share[1]:.0f}"


def _surprises(standings: ArenaStandings, listed: Sequence[ArenaStanding], records: str | None) -> str:
    """Return the games in which low ratings gained the most placement points, with links to their records."""
    elo = {standing.player: standing.rating.elo for standing in listed}
    games = []
    for block in standings.blocks:
        for number, game in enumerate(block.games):
            games.append((-_surprise(game, elo, standings.setup.points), block.number, number, game))
    games.sort(key=itemgetter(0, 1, 2))
    rows = []
    for _, block_number, number, game in games[:_SURPRISES]:
        result = game.result
        players = []
        for seat in sorted(range(len(game.seating)), key=result.places.__getitem__):
            name = standings.setup.entrants[game.seating[seat]].name
            players.append(f"{name} {result.points[seat]:,}")
        rows.append((f"<td>{record_link(records, block_number, number)}</td>", text_cell(", ".join(players))))
    said = HOW_TO_SHOW if records else ""
    return f"<h2>Games in which low ratings were ahead of high ones</h2>\n{table(('game', 'result'), rows)}\n{said}"


def _surprise(game: BlockGame, elo: dict[int, float], points: Sequence[float]) -> float:
    mean = sum(elo[player] for player in game.seating) / len(game.seating)
    surprise = 0.0
    for seat, player in enumerate(game.seating):
        surprise += (mean - elo[player]) * placement_points(game.result.places, seat, points)
    return surprise
