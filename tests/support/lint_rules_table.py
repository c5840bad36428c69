"""Writes the table of the linter's rules in docs/records.md anew. Run it after a change to ``Rule``."""

from __future__ import annotations

import re
from pathlib import Path

from ump.record.lint.findings import Rule

PAGE = Path(__file__).resolve().parents[2] / "docs" / "records.md"
BEGIN, END = "<!-- lint rules: begin -->", "<!-- lint rules: end -->"


def table() -> str:
    """Return the table of all rules."""
    rows = "".join(f"| `{rule.key}` | {rule.sentence} |\n" for rule in Rule)
    return f"| rule | what a record must fulfil |\n|---|---|\n{rows}"


def with_table(page: str) -> str:
    """Return the page with the table between its marks."""
    return re.sub(f"{BEGIN}.*?{END}", lambda _: f"{BEGIN}\n{table()}{END}", page, flags=re.DOTALL)


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
