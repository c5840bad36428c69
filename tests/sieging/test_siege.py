"""``scripts/siege``: its rooms and its attacks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.scripted_server import ROOT

from scripts.sieging.attacks import ATTACKS
from scripts.sieging.siege import rooms_file
from ump.server.config import read_command_line, server_settings
from ump.server.settings import all_options

pytestmark = pytest.mark.once

PAGE = ROOT / "docs" / "performance.md"


def test_the_plan_of_a_siege(tmp_path: Path) -> None:
    """The server reads the file of rooms, and docs/performance.md describes each attack."""
    file = tmp_path / "rooms.toml"
    file.write_text(rooms_file(), encoding="utf-8")
    settings = server_settings(read_command_line({"config": [str(file)], "record-dir": ["none"]}, all_options()))
    assert [room.name for room in settings.rooms] == ["main", "pit", "hang", "write", "fork"]
    section = PAGE.read_text(encoding="utf-8").split("## Siege")[1].split("\n## ")[0]
    assert re.findall(r"^\| `([a-z-]+)` ", section, re.M) == list(ATTACKS)
