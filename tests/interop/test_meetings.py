"""Other people's bots at our server, where their packages are: what scripts/interop runs, one test for each.

They are looked for where UMP_NPM, UMP_MJAI_PYTHON, UMP_MJAI_BOTS and NODE_PATH say; what is not there is skipped.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.interoperation.everybody import MEETINGS, Place
from scripts.interoperation.meetings import Verdict, hold
from scripts.interoperation.packages import Missing, Wanted

SECONDS = 60.0


@pytest.mark.parametrize("name", MEETINGS)
def test_they_play_a_game_to_its_end(name: str, tmp_path: Path) -> None:
    """Nobody commits a fault but those who are meant to."""
    try:
        meeting = MEETINGS[name](Place(Wanted.by_environment(), tmp_path))
    except Missing as missing:
        pytest.skip(str(missing))
    outcome = hold(meeting, SECONDS)
    assert (outcome.name, outcome.verdict) == (name, Verdict.PASS), outcome.remark
