"""Figures of players: the meaning of each, its formula over sums, and its form in tables; and their intervals.

``ump records --players``, ``ump stats``, arenas and pages take them from here, and add those that they alone have.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from math import sqrt
from statistics import NormalDist
from typing import TypeAlias

from ump.model.value import value

Sums: TypeAlias = Mapping[str, float]
"""The sums of a player over games, by name: those of ``PlayerCounts``, of places and points, and those of a report."""

# Figures


class FigureForm(Enum):
    """The way a figure is written."""

    COUNT = "d"
    LARGE_COUNT = ",d"
    RATE = ".1%"
    """A share of independent cases; it has Wilson's interval."""
    MEAN = ".2f"
    SIGNED_MEAN = "+.2f"
    PLACE = ".3f"
    POINTS = ",.0f"
    SIGNED_POINTS = "+.1f"


@value
class PlayerFigure:
    """A figure of a player: a sum, or the ratio of two sums."""

    key: str
    """Its name in JSON and CSV."""
    heading: str
    """Its heading in the tables of a terminal."""
    above: str
    """The sum, or the numerator."""
    below: str
    """The denominator; empty for a sum."""
    form: FigureForm
    meaning: str = ""
    """For the documentation; empty if the heading and the sums say it."""
    scale: int = 1
    """The number by which the ratio is divided, too: results are in tenths."""

    def of(self, sums: Sums) -> float | None:
        """Return the figure; None if there is nothing to divide by."""
        if not self.below:
            return sums[self.above]
        below = sums[self.below] * self.scale
        if not below:
            return None
        return sums[self.above] / below


def count(key: str, heading: str, meaning: str = "") -> PlayerFigure:
    """Return a figure that is a sum of the same name."""
    return PlayerFigure(key, heading, key, "", FigureForm.COUNT, meaning)


def rate(key: str, heading: str, above: str, below: str, meaning: str = "") -> PlayerFigure:
    """Return a share."""
    return PlayerFigure(key, heading, above, below, FigureForm.RATE, meaning)


def points(key: str, heading: str, above: str, below: str, meaning: str = "") -> PlayerFigure:
    """Return a mean of points."""
    return PlayerFigure(key, heading, above, below, FigureForm.POINTS, meaning)


def mean(key: str, heading: str, above: str, below: str, meaning: str = "") -> PlayerFigure:
    """Return another mean."""
    return PlayerFigure(key, heading, above, below, FigureForm.MEAN, meaning)


# The figures that several reports have

COMPLETED = count("completed", "games", "the games with places")
AVERAGE_PLACE = PlayerFigure("average_place", "place", "place", "completed", FigureForm.PLACE, "the mean of the places")
AVERAGE_POINTS = points("average_points", "points", "points", "completed", "points at the end, before uma")
KYOKU = count("kyoku", "kyoku", "kyoku that came to a result")
WIN_RATE = rate("win_rate", "win", "wins", "kyoku", "wins / kyoku")
TSUMO_RATE = rate("tsumo_rate", "tsumo", "tsumo", "wins", "wins by tsumo / wins")
DEAL_IN_RATE = rate(
    "deal_in_rate",
    "deal-in",
    "deal_ins",
    "kyoku",
    "rons on the player's tiles / kyoku; both rons of a double ron count",
)
RIICHI_RATE = rate(
    "riichi_rate",
    "riichi",
    "riichi",
    "kyoku",
    "kyoku with a declared riichi / kyoku, also if its tile was ronned",
)
CALL_RATE = rate("call_rate", "call", "calls", "kyoku", "kyoku with a chi, pon or open kan / kyoku")
TENPAI_RATE = rate(
    "tenpai_rate",
    "tenpai",
    "tenpai",
    "draws",
    "declarations of tenpai / exhaustive draws, without nagashi mangan",
)
AVERAGE_WIN = points("average_win", "avg win", "win_points", "wins", "points received for a win, with honba and sticks")
AVERAGE_LOSS = points("average_loss", "avg loss", "deal_in_points", "deal_ins", "points paid for a deal-in, with honba")

PLAY = (WIN_RATE, TSUMO_RATE, DEAL_IN_RATE, RIICHI_RATE, CALL_RATE, TENPAI_RATE, AVERAGE_WIN, AVERAGE_LOSS)
"""The figures of play that both recorded games and arenas have."""


def rounded(number: float | None) -> float | None:
    """Return a number as JSON and CSV have it, with four digits after the point."""
    if number is None:
        return None
    return round(number, 4)


# Intervals


Z95 = 1.959964
"""The 97.5 % quantile of the standard normal distribution."""

LAST_PLACE = 4


def student_95(freedom: int) -> float:
    """Return the 97.5 % quantile of Student's t with so many degrees of freedom, at least 1.

    From 3 on it is the expansion of Cornish and Fisher (Abramowitz and Stegun 26.7.5), within 0.01 of the true value.
    """
    if freedom == 1:
        return 12.7062
    if freedom == 2:
        return 4.3027
    z, v = NormalDist().inv_cdf(0.975), freedom
    terms = (
        z,
        (z**3 + z) / 4 / v,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96 / v**2,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384 / v**3,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160 / v**4,
    )
    return sum(terms)


def wilson_95(successes: float, cases: float) -> tuple[float, float]:
    """Return the 95 % interval of a share (E. B. Wilson 1927)."""
    share, square = successes / cases, Z95 * Z95
    middle = (share + square / (2 * cases)) / (1 + square / cases)
    half = Z95 / (1 + square / cases) * sqrt(share * (1 - share) / cases + square / (4 * cases * cases))
    return max(0.0, middle - half), min(1.0, middle + half)


def place_interval(sums: Sums) -> tuple[float, float] | None:
    """Return the 95 % interval of the average place; None for fewer than two different places.

    It is Student's, cut at the first and the last place.
    """
    number = int(sums["completed"])
    taken = [place for place in range(1, LAST_PLACE + 1) if sums[f"place_{place}"]]
    if len(taken) < 2:
        return None
    average = sums["place"] / number
    variance = (sums["place_squares"] - number * average * average) / (number - 1)
    half = student_95(number - 1) * sqrt(variance / number)
    return max(1.0, average - half), min(float(LAST_PLACE), average + half)
