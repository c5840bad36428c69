"""When the server of a soak is killed: often at first, then not at all, so that its memory can be judged."""

from __future__ import annotations

from random import Random

CALM_SHARE = 3 / 8
"""The last part of the time, without kills of the server."""

CALM_SECONDS = 30 * 60.0
"""The least time without kills that is enough to judge memory; short soaks have half of their time."""

MEAN_SECONDS = 75.0
"""The mean time between two kills."""

FIRST_SECONDS = 20.0
"""The least time between two kills. Some come while the server still takes players back."""


def calm_seconds(total: float) -> float:
    """Return how long the last part of a soak is, in which nobody kills the server."""
    return max(CALM_SHARE * total, min(CALM_SECONDS, total / 2))


def draw_kills(total: float, chance: Random) -> list[float]:
    """Return the instants of the kills in seconds from the beginning of a soak, in order."""
    instants: list[float] = []
    last = total - calm_seconds(total)
    instant = FIRST_SECONDS
    while (instant := instant + chance.expovariate(1 / MEAN_SECONDS)) < last:
        instants.append(instant)
    return [*instants, last]
