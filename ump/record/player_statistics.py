"""Averages and rates of players over many games, from the sums that the index returns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict

from ump.model.value import value
from ump.record.figures import (
    AVERAGE_PLACE,
    AVERAGE_POINTS,
    COMPLETED,
    KYOKU,
    LAST_PLACE,
    PLAY,
    FigureForm,
    PlayerFigure,
    count,
    place_interval,
    points,
    rounded,
)
from ump.record.player_counts import COUNTED, PlayerCounts
from ump.text.layout import columns, printable, shortened

_DASH = "-"
"""Stands for a number that does not exist, such as the average of no win."""


@value
class PlayerSums:
    """The sums of one player over the games of a report."""

    name: str
    games: int
    completed: int
    """The games that have places and results; ``places`` to ``result`` are of these."""
    places: tuple[int, ...]
    """The number of times that the player came first, second, third and fourth."""
    place: int
    """The sum of the places."""
    place_squares: int
    """The sum of the squares of the places."""
    points: int
    result: int
    """With uma and oka, in tenths of a thousand points."""
    counted: int
    """The games that ``counts`` is of."""
    counts: PlayerCounts
    """The sums of the counts; ``longest_answer`` is the greatest."""

    @classmethod
    def of_row(cls, row: Sequence[int | str | None]) -> PlayerSums:
        """Return the sums in a row of the index, in which None is the sum of nothing."""
        name, *sums = row
        games, completed, *rest = [int(number or 0) for number in sums]
        places, (place, squares, points, result, counted, *counts) = tuple(rest[:4]), rest[4:]
        named = dict(zip(COUNTED, counts, strict=True))
        return cls(str(name), games, completed, places, place, squares, points, result, counted, PlayerCounts(**named))

    def numbers(self) -> dict[str, int]:
        """Return all sums by name, those of the counts too."""
        places = {f"place_{place}": times for place, times in enumerate(self.places, 1)}
        others = {name: getattr(self, name) for name in _SUMS}
        return {**others, **places, **asdict(self.counts)}


_SUMS = ("games", "completed", "place", "place_squares", "points", "result", "counted")
"""The sums that are neither places nor counts."""

_RESULT = "with uma and oka, in thousands of points"
_INTERVAL = "its 95 % interval: Student's, cut at 1 and 4; rough below 30 games"
_PLACE = "how often the player took this place"
_TIMES = "from question to answer, by the journal's clock"

FIGURES: tuple[PlayerFigure, ...] = (
    count("games", "games", "the chosen games"),
    COMPLETED,
    count("place_1", "1st", _PLACE),
    count("place_2", "2nd", _PLACE),
    count("place_3", "3rd", _PLACE),
    count("place_4", "4th", _PLACE),
    AVERAGE_PLACE,
    PlayerFigure("average_place_low", "from", "", "", FigureForm.PLACE, _INTERVAL),
    PlayerFigure("average_place_high", "to", "", "", FigureForm.PLACE, _INTERVAL),
    AVERAGE_POINTS,
    PlayerFigure("average_result", "result", "result", "completed", FigureForm.SIGNED_MEAN, _RESULT, scale=10),
    count("counted", "counted", "the games that all following rows are of"),
    KYOKU,
    *PLAY,
    count("answers", "answers", "questions that the player answered itself, apart from `ready?`"),
    points("average_answer_milliseconds", "avg ms", "answer_milliseconds", "answers", _TIMES),
    PlayerFigure("longest_answer_milliseconds", "longest ms", "longest_answer", "", FigureForm.LARGE_COUNT, _TIMES),
    count("refusals", "refusals", "answers that were not legal"),
    count("timeouts", "timeouts", "questions whose time ran out"),
)
"""The figures of ``ump records --players`` and of a player's history, in the order of JSON and CSV."""

MEANINGS = {"name": "the player: a name, whoever used it", **{figure.key: figure.meaning for figure in FIGURES}}
"""The meanings of the keys of ``statistics_data``, in its order."""

_PLACES = tuple(f"place_{place}" for place in range(1, LAST_PLACE + 1))
_SHOWN: tuple[tuple[str, ...], ...] = (
    (
        *("games", "average_place", "average_place_low", "average_place_high", *_PLACES),
        *("average_points", "average_result"),
    ),
    (
        *("kyoku", "win_rate", "deal_in_rate", "riichi_rate", "call_rate", "tenpai_rate"),
        *("average_win", "average_loss"),
    ),
    ("answers", "average_answer_milliseconds", "longest_answer_milliseconds", "refusals", "timeouts"),
)
"""The keys of the figures in each table that a terminal shows."""


def statistics_data(sums: PlayerSums) -> dict[str, object]:
    """Return the statistics of a player as a flat object, for JSON and CSV; ``FIGURES`` defines each key."""
    numbers = sums.numbers()
    low, high = place_interval(numbers) or (None, None)
    bounds = {"average_place_low": low, "average_place_high": high}
    data: dict[str, object] = {"name": sums.name}
    for figure in FIGURES:
        if figure.key in bounds:
            data[figure.key] = rounded(bounds[figure.key])
        else:
            data[figure.key] = rounded(figure.of(numbers))
    return data


def statistics_lines(players: Sequence[PlayerSums]) -> Iterator[str]:
    """Yield three tables: places and results, play, and answers."""
    if not players:
        yield "no such games"
        return
    figures = {figure.key: figure for figure in FIGURES}
    listed = [statistics_data(sums) for sums in players]
    for number, keys in enumerate(_SHOWN):
        if number:
            yield ""
        table = [figures[key] for key in keys]
        rows = [["player", *(figure.heading for figure in table)]]
        for data in listed:
            rows.append([shortened(printable(str(data["name"]))), *_cells(data, table)])
        yield from columns(rows, right=range(1, len(rows[0])))


def _cells(data: dict[str, object], table: Sequence[PlayerFigure]) -> Iterator[str]:
    for figure in table:
        number = data[figure.key]
        if number is None:
            yield _DASH
        else:
            yield format(number, figure.form.value)
