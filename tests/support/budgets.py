"""The budget of the tests: a tenth of the random games, inputs and cases, or all of them with ``--long``.

``tests/conftest.py`` sets the budget before it collects tests, because tables of cases are made at import.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from hypothesis import HealthCheck, settings

Case = TypeVar("Case")

SHARE = 10
"""Without ``--long``, one of this many is tried."""

UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""A busy machine must not make a test fail."""

_is_long = False


def set_long(is_long: bool) -> None:
    """Set the budget of all tests, and the profile of hypothesis for those that do not say how many inputs they try.

    Without ``--long`` each run tries the same inputs, so that nobody's change fails by chance.
    """
    global _is_long
    _is_long = is_long
    settings.register_profile("budget", parent=UNHURRIED, max_examples=200 if is_long else 25, derandomize=not is_long)
    settings.load_profile("budget")


def few(count: int) -> int:
    """Return a count with ``--long``, else a tenth of it, but at least 2: hypothesis begins with the simplest input."""
    return count if _is_long else max(2, count // SHARE)


def some(cases: Sequence[Case], share: int = SHARE) -> Sequence[Case]:
    """Return all cases with ``--long``, else one of so many, the first included."""
    return cases if _is_long else cases[::share]
