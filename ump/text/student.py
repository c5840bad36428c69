"""Quantiles for 95 % intervals: of the normal distribution, and of Student's t for means over few samples."""

from __future__ import annotations

from statistics import NormalDist

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
