"""Games with other people's bots at our server: one test for each game of scripts/interop.

UMP_NPM, UMP_MJAI_PYTHON, UMP_MJAI_BOTS and NODE_PATH say where the bots are; tests of missing bots are skipped.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.interoperation.meetings import Verdict, hold
from scripts.interoperation.packages import Locations, Missing
from scripts.interoperation.participants import MEETINGS, Place

SECONDS = 60.0


@pytest.mark.parametrize("name", MEETINGS)
def test_they_play_a_game_to_its_end(name: str, tmp_path: Path) -> None:
    """The only faults are those of bots that are faulty on purpose."""
    try:
        meeting = MEETINGS[name](Place(Locations.from_environment(), tmp_path))
    except Missing as missing:
        pytest.skip(str(missing))
    outcome = hold(meeting, SECONDS)
    assert (outcome.name, outcome.verdict) == (name, Verdict.PASS), outcome.remark
