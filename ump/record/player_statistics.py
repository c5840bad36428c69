"""Averages and rates of players over many games, from the sums that the index returns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import sqrt
from statistics import NormalDist

from ump.model.value import value
from ump.record.player_counts import COUNTED, PlayerCounts
from ump.text.layout import columns, printable, shortened

# Quantiles for 95 % intervals


Z95 = 1.959964
"""The 97.5 % quantile of the standard normal distribution."""


def student_95(freedom: int) -> float:
    """Return the 97.5 % quantile of Student's t with so many degrees of freedom, at least 1.

    From 3 on it is the expansion of Cornish and Fisher (Abramowitz and Stegun 26.7.5), within 0.01 of the true value.
    """
    if freedom <= 2:
        return (12.7062, 4.3027)[freedom - 1]
    z, v = NormalDist().inv_cdf(0.975), freedom
    terms = (
        z,
        (z**3 + z) / 4 / v,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96 / v**2,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384 / v**3,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160 / v**4,
    )
    return sum(terms)


# Sums and rates


LAST_PLACE = 4

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
        name, *given = row
        numbers = [int(number or 0) for number in given]
        games, completed, *rest = numbers
        places, (place, squares, points, result, counted, *counts) = tuple(rest[:4]), rest[4:]
        named = dict(zip(COUNTED, counts, strict=True))
        return cls(str(name), games, completed, places, place, squares, points, result, counted, PlayerCounts(**named))

    def interval(self) -> tuple[float, float] | None:
        """Return the 95 % interval of the average place; None for fewer than two different places.

        It is Student's, cut at the first and the last place.
        """
        number = self.completed
        if sum(times > 0 for times in self.places) < 2:
            return None
        mean = self.place / number
        variance = (self.place_squares - number * mean * mean) / (number - 1)
        half = student_95(number - 1) * sqrt(variance / number)
        return max(1.0, mean - half), min(float(LAST_PLACE), mean + half)


MEANINGS: Mapping[str, str] = {
    "name": "the player: a name, whoever used it",
    "games": "the chosen games",
    "completed": "the games with places",
    "place_1 place_2 place_3 place_4": "how often the player took this place",
    "average_place": "the mean of the places",
    "average_place_low average_place_high": "its 95 % interval: Student's, cut at 1 and 4; rough below 30 games",
    "average_points": "points at the end, before uma",
    "average_result": "with uma and oka, in thousands of points",
    "counted": "the games that all following rows are of",
    "kyoku": "kyoku that came to a result",
    "win_rate": "wins / kyoku",
    "tsumo_rate": "wins by tsumo / wins",
    "deal_in_rate": "rons on the player's tiles / kyoku; both rons of a double ron count",
    "riichi_rate": "kyoku with a declared riichi / kyoku, also if its tile was ronned",
    "call_rate": "kyoku with a chi, pon or open kan / kyoku",
    "tenpai_rate": "declarations of tenpai / exhaustive draws, without nagashi mangan",
    "average_win": "points received for a win, with honba and sticks",
    "average_loss": "points paid for a deal-in, with honba",
    "answers": "questions that the player answered itself, apart from `ready?`",
    "average_answer_milliseconds longest_answer_milliseconds": "from question to answer, by the journal's clock",
    "refusals": "answers that were not legal",
    "timeouts": "questions whose time ran out",
}
"""The meanings of the keys of ``statistics_data``, in its order; some share one."""


def statistics_data(sums: PlayerSums) -> dict[str, object]:
    """Return the statistics of a player as a flat object, for JSON and CSV; ``MEANINGS`` defines each key."""
    counts, number = sums.counts, sums.completed
    low, high = sums.interval() or (None, None)
    return {
        "name": sums.name,
        "games": sums.games,
        "completed": number,
        **{f"place_{place}": times for place, times in enumerate(sums.places, 1)},
        "average_place": _ratio(sums.place, number),
        "average_place_low": _rounded(low),
        "average_place_high": _rounded(high),
        "average_points": _ratio(sums.points, number),
        "average_result": _ratio(sums.result, number * 10),
        "counted": sums.counted,
        "kyoku": counts.kyoku,
        "win_rate": _ratio(counts.wins, counts.kyoku),
        "tsumo_rate": _ratio(counts.tsumo, counts.wins),
        "deal_in_rate": _ratio(counts.deal_ins, counts.kyoku),
        "riichi_rate": _ratio(counts.riichi, counts.kyoku),
        "call_rate": _ratio(counts.calls, counts.kyoku),
        "tenpai_rate": _ratio(counts.tenpai, counts.draws),
        "average_win": _ratio(counts.win_points, counts.wins),
        "average_loss": _ratio(counts.deal_in_points, counts.deal_ins),
        "answers": counts.answers,
        "average_answer_milliseconds": _ratio(counts.answer_milliseconds, counts.answers),
        "longest_answer_milliseconds": counts.longest_answer,
        "refusals": counts.refusals,
        "timeouts": counts.timeouts,
    }


def _ratio(total: int, number: int) -> float | None:
    """Return an average; None of nothing."""
    return _rounded(total / number) if number else None


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(number, 4)


_TABLES: tuple[tuple[tuple[str, str, str], ...], ...] = (
    (
        ("games", "games", "d"),
        ("place", "average_place", ".3f"),
        ("from", "average_place_low", ".3f"),
        ("to", "average_place_high", ".3f"),
        ("1st", "place_1", "d"),
        ("2nd", "place_2", "d"),
        ("3rd", "place_3", "d"),
        ("4th", "place_4", "d"),
        ("points", "average_points", ",.0f"),
        ("result", "average_result", "+.2f"),
    ),
    (
        ("kyoku", "kyoku", "d"),
        ("win", "win_rate", ".1%"),
        ("deal-in", "deal_in_rate", ".1%"),
        ("riichi", "riichi_rate", ".1%"),
        ("call", "call_rate", ".1%"),
        ("tenpai", "tenpai_rate", ".1%"),
        ("avg win", "average_win", ",.0f"),
        ("avg loss", "average_loss", ",.0f"),
    ),
    (
        ("answers", "answers", "d"),
        ("avg ms", "average_answer_milliseconds", ",.0f"),
        ("longest ms", "longest_answer_milliseconds", ",d"),
        ("refusals", "refusals", "d"),
        ("timeouts", "timeouts", "d"),
    ),
)
"""The columns of the tables that a terminal shows: heading, key of ``statistics_data``, and format."""


def statistics_lines(players: Sequence[PlayerSums]) -> Iterator[str]:
    """Yield three tables: places and results, play, and answers."""
    if not players:
        yield "no such games"
        return
    data = [statistics_data(sums) for sums in players]
    for number, table in enumerate(_TABLES):
        if number:
            yield ""
        head = ("player", *(name for name, _, _ in table))
        rows = [(shortened(printable(str(each["name"]))), *_cells(each, table)) for each in data]
        yield from columns([head, *rows], right=range(1, len(head)))


def _cells(data: dict[str, object], table: Sequence[tuple[str, str, str]]) -> Iterator[str]:
    for _, key, written in table:
        yield _DASH if data[key] is None else format(data[key], written)
