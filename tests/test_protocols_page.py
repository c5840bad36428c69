"""docs/protocols/README.md: each event and question has a row, each row a cell for each dialect; ports and links."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from ump.model.events import DrawReason, Event
from ump.model.phases import Phase
from ump.net.dialects import over, port_options
from ump.wire.dialect import DefaultPort, WebSocketPath
from ump.wire.mjai.events import GIMITE, MORTAL, RIICHILAB
from ump.wire.mjai.lockstep_session import REPLY_SECONDS

WORDINGS = (GIMITE, MORTAL, RIICHILAB)
"""The names in mjai, in the order of the page's columns."""

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "protocols" / "README.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    """Return the text under a heading."""
    return PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]


def rows(title: str) -> list[list[str]]:
    """Return the cells of all tables under a heading, without their heads."""
    lines = [line for line in section(title).splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
    rules = [place for place, row in enumerate(cells) if set("".join(row)) <= {"-"}]
    heads = {place - 1 for place in rules}
    return [row for place, row in enumerate(cells) if place not in heads and place not in rules]


def test_every_event_has_a_row() -> None:
    """The rows are exactly the events, and each row has a cell for each of the four protocols."""
    told = rows("Events")
    named = {found[1] for row in told if (found := re.match(r"`(\w+)`", row[0])) is not None}
    assert named == {event.__name__ for event in get_args(Event)}
    assert all(len(row) == 5 and all(row) for row in told)


def test_every_question_has_a_row() -> None:
    """The questions of the game have one each, and so has ``ready?``."""
    asked = [row for row in rows("Questions") if len(row) == 7]
    assert [row[0].split(":")[0] for row in asked] == [*(f"`{phase.name}`" for phase in Phase), "`ready?`"]
    assert all(all(row) for row in asked)


def test_the_names_in_mjai_are_those_of_the_code() -> None:
    """Each reason of a draw, and the name of the ura indicators, is the one that the dialect writes."""
    told = rows("Names that differ in mjai")
    assert [row[1:] for row in told if "ura indicators" in row[0]] == [
        [f"`{wording.ura_markers}`" for wording in WORDINGS]
    ]
    draws = {tuple(f"`{wording.draws[reason]}`" for wording in WORDINGS) for reason in DrawReason}
    assert {tuple(row[1:]) for row in told[2:-1]} == draws


def test_ports_and_paths_are_those_of_the_code() -> None:
    """The page names the default ports, and the paths on the web port."""
    where = section("Where")
    for option in port_options():
        if option.default is not DefaultPort.CLOSED:
            assert str(option.number) in where
    for path in (*(path.path for _, path in over(WebSocketPath)), "server"):
        assert f"`/{path}`" in where


def test_figures_are_those_of_the_code() -> None:
    """The figures on the page are the constants of the code."""
    assert REPLY_SECONDS == 5
    assert "after five seconds the next message goes out" in section("Faults")


PAGES = sorted(path.name for path in (ROOT / "docs" / "protocols").glob("*.md"))


@pytest.mark.parametrize("page", [*(f"protocols/{name}" for name in PAGES), "server.md", "README.md", "../README.md"])
def test_links_lead_somewhere(page: str) -> None:
    """Each link leads to an existing file and heading."""
    path = ROOT / "docs" / page
    for target in re.findall(r"\]\(([^)\s]+)\)", path.read_text(encoding="utf-8")):
        if re.match(r"https?:", target):
            continue
        name, _, anchor = target.partition("#")
        file = path.parent / name if name else path
        assert file.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.+)$", file.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in headings}, (
                target
            )
