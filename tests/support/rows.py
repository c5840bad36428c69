"""Tests of tables: one test for all rows."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest

Test = Callable[..., None]


def each_row(names: str | tuple[str, ...], table: Iterable[Any]) -> Callable[[Test], Test]:
    """Run a test with each row of a table, as ``pytest.mark.parametrize`` does, but as a single test.

    Each row is a subtest: a failing row is named by its values and does not hide the others. The rows share the
    fixtures of the test.
    """
    table = [dict(zip(names, row, strict=True)) if isinstance(names, tuple) else {names: row} for row in table]
    assert table, f"no rows of {names}"

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def run(subtests: pytest.Subtests, **fixtures: Any) -> None:
            for row in table:
                with subtests.test(**row):
                    test(**row, **fixtures)

        fixtures = [each for each in inspect.signature(test).parameters.values() if each.name not in table[0]]
        request = inspect.Parameter("subtests", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        run.__signature__ = inspect.Signature([request, *fixtures])  # type: ignore[attr-defined]
        return run

    return decorate
