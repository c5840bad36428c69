"""Our offers compared with those of Tenhou's server to its clients, at every draw, discard and kan.

A dozen captures take some seconds; UMP_TEST_GAMES=420 compares all 146.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from support.capture_replay import Point, comparable_points
from support.rows import each_row
from support.tenhou_captures import capture_files, read_capture

from ump.rules.presets import PRESETS
from ump.rules.ruleset import Kuikae, Ruleset

pytestmark = pytest.mark.interpreted  # plays on with a subclass of Kyoku

CAPTURES = 146
SAMPLE = min(int(os.environ.get("UMP_TEST_GAMES", "12")), CAPTURES)

SEEN_IN = 10
"""The first captures, which contain a case of each of the rules that are changed here."""


def differences(path: Path, ruleset: Ruleset) -> list[Point]:
    """Return all points of a capture at which our question offers other actions."""
    return [point for kyoku in read_capture(path) for point in comparable_points(kyoku, ruleset) if point.differs]


@pytest.mark.no_cover
@each_row("number", range(SAMPLE))
def test_offers_are_those_of_tenhou(data: Path, number: int) -> None:
    """Chi, pon, kan, ron, tsumo, riichi and nine terminals agree everywhere."""
    assert not differences(capture_files(data)[number], PRESETS["tenhou"])


@pytest.mark.no_cover
@each_row(
    "ruleset",
    [
        replace(PRESETS["tenhou"], kuitan=False),
        replace(PRESETS["tenhou"], riichi_tiles=0),
        replace(PRESETS["tenhou"], kuikae=Kuikae.ALLOWED),
    ],
)
def test_a_changed_rule_is_found(data: Path, ruleset: Ruleset) -> None:
    """The comparison finds a ron that lacks a yaku, a riichi that is too late, and a chi against kuikae."""
    assert any(differences(path, ruleset) for path in capture_files(data)[:SEEN_IN])
