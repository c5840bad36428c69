"""How sure a measured share is."""

from __future__ import annotations

from math import sqrt

from ump.model.value import value

Z95 = 1.959964
"""Standard normal quantile of a 95 % interval."""


@value
class Share:
    """How many of how many."""

    count: int
    total: int

    @property
    def rate(self) -> float:
        """The share itself, 0..1; 0 of nothing is 0."""
        return self.count / self.total if self.total else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % Wilson score interval (E. B. Wilson 1927); it also holds near 0 and 1, and of nothing it is all."""
        if not self.total:
            return 0.0, 1.0
        scale = 1 + Z95**2 / self.total
        middle = (self.rate + Z95**2 / (2 * self.total)) / scale
        reach = Z95 / scale * sqrt(self.rate * (1 - self.rate) / self.total + (Z95 / (2 * self.total)) ** 2)
        return max(0.0, middle - reach), min(1.0, middle + reach)
