"""docs/evidence.md: what it names exists, defaults are those of the server, and no limit is missing."""

from __future__ import annotations

import re

import pytest
from support.scripted_server import ROOT

from ump.server.option import Group
from ump.server.settings import all_options

pytestmark = pytest.mark.once

PAGE = (ROOT / "docs" / "evidence.md").read_text("utf-8")
DEFENCES = PAGE.partition("\n## Defences\n")[2]
OPTIONS = {option.name: option for option in all_options()}
NAMED = re.findall(r"`--([a-z-]+)`(?: ([^\s|,]+))?", DEFENCES)


def test_files_exist() -> None:
    """Each script and test is there."""
    named = set(re.findall(r"`((?:tests|scripts)/[\w/.-]+)", PAGE))
    assert len(named) > 10
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []


def test_each_option_has_its_default() -> None:
    """Each option is one of the server."""
    wrong = [name for name, default in NAMED if default not in ("", OPTIONS[name].shown_default)]
    assert wrong == []


def test_every_limit_has_a_row() -> None:
    """A limit that is added needs a row."""
    limits = {option.name for option in OPTIONS.values() if option.group is Group.LIMITS}
    assert limits <= {option for option, _ in NAMED}
