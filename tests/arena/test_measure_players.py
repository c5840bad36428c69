"""``scripts/measure-players``, run as a process."""

from __future__ import annotations

import json
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

from support.programs import run

SCRIPT = Path(__file__).resolve().parent.parent.parent / "scripts" / "measure-players"


def measured(*options: str) -> CompletedProcess[str]:
    """Run the script to its end."""
    return run(str(SCRIPT), *options)


def figures(*options: str) -> dict[str, Any]:
    """Run the script and return its JSON without the time."""
    ended = measured("--json", *options)
    assert (ended.stderr, ended.returncode) == ("", 0)
    found: dict[str, Any] = json.loads(ended.stdout)
    del found["cpu_seconds"]
    return found


def test_the_same_command_measures_the_same_games() -> None:
    """Walls and random choices follow from the seed; every kyoku was won or drawn."""
    players = ("efficiency", "random", "efficiency", "tsumogiri")
    found = figures("--hanchan", "2", "--seed", "test", *players)
    assert found == figures("--hanchan", "2", "--seed", "test", *players)
    assert [player["kind"] for player in found["players"]] == list(players)
    assert found["hanchan"] == sum(player["first"]["count"] for player in found["players"]) == 2
    wins = sum(player["won"]["count"] for player in found["players"])
    assert wins + found["drawn"]["count"] >= found["kyoku"] > 0
