"""The tables of docs/server.md that describe the options and the endpoints.

python tests/support/options_page.py      # writes the tables anew after an option has changed
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from ump.net.endpoints import EXAMPLES
from ump.server.option import Group, Scope
from ump.server.settings import all_options

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "server.md"

IN_FILE = {Scope.ROOM: "for all rooms, or in each", Scope.SERVER: "once", Scope.COMMAND: "no"}
"""The places in the file where an option may stand."""


def options_table(group: Group) -> Iterator[str]:
    """Yield the lines of the table of a group of options."""
    yield "| option | what it does | default | in the file |"
    yield "|---|---|---|---|"
    for option in all_options():
        if option.group is group:
            written = f"`{f'--{option.name} {option.kind.metavar}'.strip()}`"
            linked = f"[{written}](#{option.section})" if option.section else written
            repeatable = " Repeatable." if option.kind.is_repeatable else ""
            cells = linked, f"{option.help}{repeatable}", option.shown_default, IN_FILE[option.scope]
            yield f"| {' | '.join(cells)} |"


def endpoints_table() -> Iterator[str]:
    """Yield the lines of the table of endpoints."""
    yield "| endpoint | where it listens |"
    yield "|---|---|"
    for example in EXAMPLES:
        yield f"| `{example.endpoint}` | {example.meaning} |"


TABLES: dict[str, Callable[[], Iterator[str]]] = {
    **{group.value: partial(options_table, group) for group in Group},
    "Endpoints": endpoints_table,
}
"""The tables by the name between their marks."""


def with_tables(page: str) -> str:
    """Return the page with the lines between each pair of marks updated."""
    for name, lines in TABLES.items():
        begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
        before, _, rest = page.partition(begin)
        _, found, after = rest.partition(end)
        assert found, f"docs/server.md has no place for the table {name}"
        page = "\n".join([f"{before}{begin}", "", *lines(), "", f"{end}{after}"])
    return page


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
