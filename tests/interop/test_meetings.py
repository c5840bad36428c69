"""Games of the server with bots of other projects: one test for each game of scripts/interop.

UMP_NPM, UMP_MJAI_PYTHON, UMP_MJAI_BOTS and NODE_PATH name the folders of the bots; tests of missing bots are skipped.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.interoperation.meetings import Verdict, hold
from scripts.interoperation.packages import Locations, Missing
from scripts.interoperation.participants import MEETINGS, Place

pytestmark = [pytest.mark.once, pytest.mark.usefixtures("prepared_starts")]

SECONDS = 60.0


@pytest.mark.parametrize("name", MEETINGS)
def test_a_game_is_completed(name: str, tmp_path: Path) -> None:
    """The bots complete a game, and only bots that are faulty on purpose commit faults."""
    try:
        meeting = MEETINGS[name](Place(Locations.from_environment(), tmp_path))
    except Missing as missing:
        pytest.skip(str(missing))
    outcome = hold(meeting, SECONDS)
    assert (outcome.name, outcome.verdict) == (name, Verdict.PASS), outcome.remark
