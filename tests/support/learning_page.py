"""The tables of docs/learning.md: the rows of the observation, the action ids, and the columns of a data set.

.venv/bin/python tests/support/learning_page.py      # writes them anew
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from ump.env.action_ids import ACTION_NAMES
from ump.env.dataset import COLUMNS
from ump.env.rows import OWN_ROWS, ROWS, ROWS_OF_PLAYER, TABLE_ROWS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "learning.md"


def rows_table() -> Iterator[str]:
    """Yield the lines of the table of rows: of the players, those about the seat itself."""
    yield "| row | name | maximum | kinds | number |"
    yield "|---|---|---|---|---|"
    for place, row in enumerate(ROWS[: len(OWN_ROWS) + len(TABLE_ROWS) + ROWS_OF_PLAYER]):
        yield f"| {place} | `{row.name}` | {row.most} | {'all' if row.is_even else 'each'} | {row.meaning} |"


def actions_table() -> Iterator[str]:
    """Yield the lines of the table of action ids: actions of the same class whose names end in tiles share a line."""
    yield "| ids | actions |"
    yield "|---|---|"
    groups: dict[str, list[int]] = {}
    for number, name in enumerate(ACTION_NAMES):
        groups.setdefault(re.sub(r" \d[mpszMPS]$", "", name), []).append(number)
    for numbers in groups.values():
        first, last = numbers[0], numbers[-1]
        names = f"`{ACTION_NAMES[first]}`"
        yield f"| {first} | {names} |" if first == last else f"| {first}..{last} | {names} to `{ACTION_NAMES[last]}` |"


def columns_table() -> Iterator[str]:
    """Yield the lines of the table of the columns of a data set."""
    yield "| column | type | content |"
    yield "|---|---|---|"
    yield from (f"| `{name}` | {kind} | {meaning} |" for name, kind, meaning in COLUMNS)


TABLES: dict[str, Callable[[], Iterator[str]]] = {
    "rows": rows_table,
    "actions": actions_table,
    "columns": columns_table,
}
"""The tables by the name between their marks."""


def with_tables(page: str) -> str:
    """Return the page with the lines between each pair of marks updated."""
    for name, lines in TABLES.items():
        begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
        before, _, rest = page.partition(begin)
        _, found, after = rest.partition(end)
        assert found, f"docs/learning.md has no place for the table {name}"
        page = "\n".join([f"{before}{begin}", *lines(), f"{end}{after}"])
    return page


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
