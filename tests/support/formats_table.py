"""The tables of record formats in docs/records.md, made from the registry. Run it to write them anew."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ump.record.facts import Carried, Fact
from ump.record.formats import FORMATS

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "records.md"

BEGIN, END = "<!-- formats: begin -->", "<!-- formats: end -->"

_MARKS = {Carried.YES: "yes", Carried.OWN: "own field", Carried.PARTLY: "partly", Carried.NO: "-"}


def table() -> str:
    """Return both tables as Markdown."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield "| format | files | key | read | written | for games of | needs |"
    yield "|---|---|---|---|---|---|---|"
    for each in FORMATS:
        needs = "; ".join(fact.value for fact in Fact if fact in each.needs) or "-"
        players = " or ".join(map(str, each.players)) if each.write else "-"
        read, written = ("yes" if able else "-" for able in (each.read, each.write))
        yield f"| {each.name} | `{each.suffix}` | `{each.key}` | {read} | {written} | {players} | {needs} |"
    yield ""
    yield f"| | {' | '.join(each.key for each in FORMATS)} |"
    yield f"|---|{'---|' * len(FORMATS)}"
    for fact in Fact:
        yield f"| {fact.value} | {' | '.join(_MARKS[each.carried(fact)] for each in FORMATS)} |"


def page_with_table(text: str) -> str:
    """Return the page with the tables between its two marks."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table()}\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(page_with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
