"""The tables of record formats and of columns in docs/records.md, made from the code. Run it to write them anew."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ump.record.formats import FORMATS
from ump.record.record_format import Carried, Fact
from ump.record.tables import TABLES

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "records.md"

BEGIN, END = "<!-- formats: begin -->", "<!-- formats: end -->"

BEGIN_COLUMNS, END_COLUMNS = "<!-- columns: begin -->", "<!-- columns: end -->"

_MARKS = {Carried.YES: "yes", Carried.OWN: "own field", Carried.PARTLY: "partly", Carried.NO: "-"}


def table() -> str:
    """Return both tables as Markdown."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield "| format | files | key | read | written | for games of | needs |"
    yield "|---|---|---|---|---|---|---|"
    for each in FORMATS:
        needs = "; ".join(fact.value for fact in Fact if fact in each.needs) or "-"
        players = " or ".join(map(str, each.players)) if each.is_written else "-"
        read, written = ("yes" if able else "-" for able in (each.read, each.is_written))
        yield f"| {each.name} | `{each.suffix}` | `{each.key}` | {read} | {written} | {players} | {needs} |"
    yield ""
    yield f"| | {' | '.join(each.key for each in FORMATS)} |"
    yield f"|---|{'---|' * len(FORMATS)}"
    for fact in Fact:
        yield f"| {fact.value} | {' | '.join(_MARKS[each.carried(fact)] for each in FORMATS)} |"


def columns() -> str:
    """Return the columns of each table as Markdown; those of the four seats are one row."""
    return "\n".join(_column_lines())


def _column_lines() -> Iterator[str]:
    for name, listed in TABLES.items():
        yield from ("", f"| `{name}` | type | content |", "|---|---|---|")
        for column in listed:
            stem, _, letter = column.name.rpartition("_")
            if letter in ("b", "c", "d") and stem:
                continue
            shown = f"`{stem}_a` to `{stem}_d`" if letter == "a" and stem else f"`{column.name}`"
            yield f"| {shown} | {column.kind.value} | {column.meaning} |"


def page_with_table(text: str) -> str:
    """Return the page with the tables between their marks."""
    text = _between(text, BEGIN, END, table())
    return _between(text, BEGIN_COLUMNS, END_COLUMNS, columns())


def _between(text: str, begin: str, end: str, content: str) -> str:
    before, _, rest = text.partition(begin)
    _, _, after = rest.partition(end)
    return f"{before}{begin}\n{content}\n{end}{after}"


if __name__ == "__main__":
    PAGE.write_text(page_with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
