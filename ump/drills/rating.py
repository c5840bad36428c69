"""Ratings of learners and drills: Glicko-2, with each answer as a game between the two.

The numbers and the steps are those of Mark Glickman, "Example of the Glicko-2 system" (2013, glicko.net). An answer
is a rating period of one game.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log, pi, sqrt

from ump.model.value import value

_SCALE = 173.7178
"""Points of a rating for one unit of the model."""

_CENTRE = 1_500.0

_TAU = 0.5
"""The bound on changes of the volatility (step 1)."""

_NEAR = 1e-6
"""The accuracy of the volatility (step 5)."""

LEAST_DEVIATION = 45.0
"""The deviation does not fall below this, so that a rating can always follow a learner."""


@value
class DrillRating:
    """The strength of a learner, or the difficulty of a drill."""

    rating: float = _CENTRE
    deviation: float = 350.0
    volatility: float = 0.06


NEWCOMER = DrillRating()

DRILL_DEVIATION = 150.0
"""The deviation with which a drill begins: its first rating is an estimate."""


def rated(learner: DrillRating, drill: DrillRating, *, is_right: bool) -> tuple[DrillRating, DrillRating]:
    """Return both ratings after an answer."""
    score = 1.0 if is_right else 0.0
    return after_games(learner, [(drill, score)]), after_games(drill, [(learner, 1.0 - score)])


def after_games(one: DrillRating, games: Sequence[tuple[DrillRating, float]]) -> DrillRating:
    """Return a rating after a period of games: opponents, and scores from 0 to 1."""
    mu, phi = (one.rating - _CENTRE) / _SCALE, one.deviation / _SCALE
    certainty, surprise = 0.0, 0.0
    for other, score in games:
        phi_other = other.deviation / _SCALE
        weight = 1 / sqrt(1 + 3 * phi_other**2 / pi**2)
        expected = 1 / (1 + exp(-weight * (mu - (other.rating - _CENTRE) / _SCALE)))
        certainty += weight**2 * expected * (1 - expected)  # step 3
        surprise += weight * (score - expected)
    variance = 1 / certainty
    volatility = _volatility(one.volatility, phi, variance, variance * surprise)
    phi_new = 1 / sqrt(1 / (phi**2 + volatility**2) + certainty)  # steps 6 and 7
    rating = _CENTRE + _SCALE * (mu + phi_new**2 * surprise)
    return DrillRating(rating, max(LEAST_DEVIATION, _SCALE * phi_new), volatility)


def _volatility(sigma: float, phi: float, variance: float, change: float) -> float:
    """Return the volatility after a period (step 5: the Illinois algorithm)."""
    start = log(sigma**2)

    def gain(x: float) -> float:
        """Return what is 0 for the logarithm of the new variance of the volatility."""
        spread = phi**2 + variance + exp(x)
        return exp(x) * (change**2 - spread) / (2 * spread**2) - (x - start) / _TAU**2

    low, high = start, log(max(change**2 - phi**2 - variance, _NEAR))
    if change**2 <= phi**2 + variance:
        steps = 1
        while gain(start - steps * _TAU) < 0:
            steps += 1
        high = start - steps * _TAU
    at_low, at_high = gain(low), gain(high)
    while abs(high - low) > _NEAR:
        between = low + (low - high) * at_low / (at_high - at_low)
        at_between = gain(between)
        if at_between * at_high <= 0:
            low, at_low = high, at_high
        else:
            at_low /= 2
        high, at_high = between, at_between
    return exp(low / 2)
