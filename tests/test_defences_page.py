"""docs/defences.md: its modules, tests and options exist, defaults are those of the server, and no limit is missing."""

from __future__ import annotations

import re

import pytest
from support.rows import each_row
from support.scripted_server import ROOT

from ump.server.option import Group
from ump.server.settings import all_options

pytestmark = pytest.mark.once

PAGE = (ROOT / "docs" / "defences.md").read_text("utf-8")
ROWS = [line.strip("|").split("|") for line in PAGE.splitlines() if line.startswith("| ") and "`tests/" in line]
OPTIONS = {option.name: option for option in all_options()}
NAMED = re.findall(r"`--([a-z-]+)`(?: ([^\s|,]+))?", PAGE)


@each_row("path", sorted(set(re.findall(r"`((?:ump|scripts)/[^`: ]+|scripts/\w+)`", PAGE))))
def test_modules_exist(path: str) -> None:
    """Each module and script is there."""
    assert (ROOT / path).is_file()


@each_row("test", sorted(set(re.findall(r"`(tests/[^`]+::\w+)`", PAGE))))
def test_tests_exist(test: str) -> None:
    """Each test is in its file."""
    path, name = test.split("::")
    assert re.search(rf"^ *(?:async )?def {name}\(", (ROOT / path).read_text("utf-8"), re.MULTILINE)


@each_row(("option", "default"), sorted(set(NAMED)))
def test_options_exist(option: str, default: str) -> None:
    """Each option is one of the server, with this default."""
    if option != "only":  # one of scripts/bench
        assert default in ("", OPTIONS[option].shown_default)


def test_every_limit_has_a_row() -> None:
    """A limit that is added needs a row."""
    limits = {option.name for option in OPTIONS.values() if option.group is Group.LIMITS}
    assert limits <= {option for option, _ in NAMED}


def test_every_row_is_complete() -> None:
    """Each row has a promise, a module and a test."""
    assert len(ROWS) > 60
    for row in ROWS:
        against, does, _, module, tests = (cell.strip() for cell in row)
        assert against
        assert does
        assert module.startswith(("`ump/", "`scripts/"))
        assert tests.startswith("`tests/")


def test_links_lead_somewhere() -> None:
    """To a file of the checkout, and to a heading of it."""
    for target in re.findall(r"\]\(([^)]+)\)", PAGE):
        name, _, heading = target.partition("#")
        path = ROOT / "docs" / name if name else ROOT / "docs" / "defences.md"
        assert path.exists(), target
        titles = re.findall(r"^#+ (.+)$", path.read_text("utf-8"), re.MULTILINE)
        anchors = {re.sub(r"[^a-z0-9 -]", "", title.lower()).replace(" ", "-") for title in titles}
        assert not heading or heading in anchors, target
