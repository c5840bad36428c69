"""``scripts/siege``: its rooms."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.scenarios.siege import rooms_file
from ump.server.config import read_command_line, server_settings
from ump.server.settings import all_options

pytestmark = pytest.mark.once


def test_the_plan_of_a_siege(tmp_path: Path) -> None:
    """The server reads the file of rooms."""
    file = tmp_path / "rooms.toml"
    file.write_text(rooms_file(), encoding="utf-8")
    settings = server_settings(read_command_line({"config": [str(file)], "record-dir": ["none"]}, all_options()))
    assert [room.name for room in settings.rooms] == ["main", "pit", "hang", "write", "fork"]
