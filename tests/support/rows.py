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

    The failure names each failing row by its values. The rows share the fixtures of the test. They are no subtests of
    pytest, whose reports cost more than most rows.
    """
    table = [dict(zip(names, row, strict=True)) if isinstance(names, tuple) else {names: row} for row in table]
    assert table, f"no rows of {names}"

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def run(**fixtures: Any) -> None:
            failures = []
            for number, row in enumerate(table):
                try:
                    test(**row, **fixtures)
                except (Exception, BaseExceptionGroup, pytest.fail.Exception) as failure:
                    failure.add_note(f"row {number}: {row}")
                    failures.append(failure)
            if failures:
                raise BaseExceptionGroup(f"{len(failures)} of {len(table)} rows", failures)

        fixtures = [each for each in inspect.signature(test).parameters.values() if each.name not in table[0]]
        run.__signature__ = inspect.Signature(fixtures)  # type: ignore[attr-defined]
        return run

    return decorate
