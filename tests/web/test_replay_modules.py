"""The modules of the replay page: their own tests, which node runs on a game of our bots."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from support.own_games import own_games

from ump.record.html import document
from ump.record.review_sentences import SENTENCES

pytestmark = pytest.mark.once

HERE = Path(__file__).resolve().parent


@pytest.mark.parametrize("which", [0, 3], ids=["four players", "a seat of many calls"])
def test_the_modules_in_node(which: int, tmp_path: Path) -> None:
    """Places, steps, decisions, hashes, words and scores are right."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node; apt-get install nodejs")
    record = tmp_path / "record.json"
    record.write_text(json.dumps({"games": [document(own_games()[which])]}), encoding="utf-8")
    ran = subprocess.run(
        [node, "--test", str(HERE / "replay_game.test.mjs")],
        env=os.environ | {"UMP_REPLAY": str(record), "UMP_REASONS": " ".join(sorted(SENTENCES))},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
