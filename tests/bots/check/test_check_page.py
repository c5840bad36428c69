"""docs/check-client.md: its results, options and times are those of the code."""

from __future__ import annotations

import re

from support.rows import each_row
from support.scripted_server import ROOT

from ump.bots.check.run import END_SECONDS, HELD_MOVE, LAST_WORDS_SECONDS, RETURN_SECONDS, SituationResult
from ump.cli.bot import check_client

TEXT = (ROOT / "docs" / "check-client.md").read_text(encoding="utf-8")


@each_row("result", [result.value for result in SituationResult])
def test_results(result: str) -> None:
    """The page explains every result."""
    assert f"\n| {result} | " in TEXT


def test_options() -> None:
    """The page names no unknown option."""
    options = {option for param in check_client.params for option in param.opts if option.startswith("--")}
    assert set(re.findall(r"`(--[a-z-]+)", TEXT)) <= options


def test_seconds() -> None:
    """The times of the page are those of the code."""
    assert f"keeps the seat for {RETURN_SECONDS:.0f} seconds" in TEXT
    assert f"up to {HELD_MOVE:.0f} seconds" in TEXT
    assert f"waits up to {LAST_WORDS_SECONDS:.0f} seconds" in TEXT
    assert f"end within {END_SECONDS:.0f} seconds" in TEXT
