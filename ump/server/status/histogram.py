"""A histogram of durations: plain numbers, from which metrics are made when somebody asks for them."""

from __future__ import annotations

from bisect import bisect_left


class Histogram:
    """How many durations there were in each class."""

    __slots__ = ("bounds", "counts", "seconds")

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self.bounds = bounds
        """Upper bounds of the classes, in seconds; longer durations are in a last class."""
        self.counts = [0] * (len(bounds) + 1)
        """How many durations there were in each class."""
        self.seconds = 0.0
        """Their sum."""

    @property
    def total(self) -> int:
        """How many durations there were."""
        return sum(self.counts)

    def add(self, seconds: float) -> None:
        """Count a duration."""
        self.counts[bisect_left(self.bounds, seconds)] += 1
        self.seconds += seconds

    def add_all(self, other: Histogram) -> None:
        """Count the durations of another histogram with the same bounds."""
        self.counts = [own + others for own, others in zip(self.counts, other.counts, strict=True)]
        self.seconds += other.seconds

    def quantile(self, share: float) -> float | None:
        """Return the upper bound, in seconds, of the class in which this share of the durations ends.

        None: there were none. Durations beyond the last bound are infinite.
        """
        wanted = share * self.total
        so_far = 0
        for bound, count in zip((*self.bounds, float("inf")), self.counts, strict=True):
            so_far += count
            if count and so_far >= wanted:
                return bound
        return None
