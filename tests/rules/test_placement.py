"""The end of a game: left-over sticks, places, uma, oka, rounding."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from support.rows import each_row

from ump.model.events import GameEnded
from ump.rules.placement import final_points, placement
from ump.rules.presets import PRESETS, rounded_as
from ump.rules.ruleset import EqualScores, LeftSticks, Rounding, Ruleset

UMP, TENHOU, MLEAGUE, MAJSOUL, WRC = (PRESETS[name] for name in ("ump", "tenhou", "mleague", "majsoul", "wrc"))
WHOLE = replace(TENHOU, rounding=Rounding.WHOLE)
"""Tenhou's rules until January 2022."""

STICKS = [
    ("ump", (25_000, 26_000, 24_000, 23_000), 2, (25_000, 28_000, 24_000, 23_000)),
    ("ump", (24_500, 24_500, 24_500, 24_500), 2, (26_500, 24_500, 24_500, 24_500)),
    ("ump", (20_000, 30_000, 20_000, 30_000), 0, (20_000, 30_000, 20_000, 30_000)),
    ("wrc", (33_000, 30_000, 29_000, 26_000), 2, (33_000, 30_000, 29_000, 26_000)),
    ("mleague", (19_000, 40_000, 0, 40_000), 1, (19_000, 40_500, 0, 40_500)),
    ("mleague", (30_000, 9_000, 30_000, 30_000), 1, (30_400, 9_000, 30_300, 30_300)),
    ("mleague", (30_000, 8_000, 30_000, 30_000), 2, (30_800, 8_000, 30_600, 30_600)),
    ("mleague", (24_500, 24_500, 24_500, 24_500), 2, (25_000, 25_000, 25_000, 25_000)),
]


@each_row(("preset", "points", "kyotaku", "final"), STICKS)
def test_left_over_sticks(preset: str, points: tuple[int, ...], kyotaku: int, final: tuple[int, ...]) -> None:
    """Sticks on the table go to the first place, are shared by those who share it, or go to nobody."""
    assert final_points(PRESETS[preset], points, kyotaku) == final


RESULTS = [
    # Oka 20 and uma 20 to the first.
    ("ump", (45_300, 25_000, 20_100, 9_600), (1, 2, 3, 4), (553, 50, -199, -404)),
    # Equal: seat 1 is nearer to the first dealer than seat 3.
    ("ump", (20_000, 30_000, 20_000, 30_000), (3, 1, 4, 2), (-200, 400, -300, 100)),
    # No oka.
    ("majsoul", (35_000, 30_000, 20_000, 15_000), (1, 2, 3, 4), (250, 100, -100, -250)),
    # Equal, uma shared: (15 + 5) / 2, (-5 - 15) / 2.
    ("wrc", (20_000, 40_000, 20_000, 40_000), (3, 1, 3, 1), (-200, 200, -200, 200)),
    # Shared second place.
    ("wrc", (30_000, 40_000, 30_000, 20_000), (2, 1, 2, 4), (0, 250, 0, -250)),
    # Oka and uma shared: (50 + 10) / 2 on top of each 40 - 30.
    ("mleague", (40_000, 40_000, 15_000, 5_000), (1, 1, 3, 4), (400, 400, -250, -550)),
    # 50 / 3 does not divide: 16.7, 16.7, 16.6.
    ("mleague", (30_000, 10_000, 30_000, 30_000), (1, 4, 1, 1), (167, -500, 167, 166)),
    ("mleague", (25_000, 25_000, 25_000, 25_000), (1, 1, 1, 1), (0, 0, 0, 0)),
    # Whole thousands: halves away from zero, the first gets minus the rest.
    ("tenhou 2021", (22_500, 23_700, 18_100, 35_700), (3, 2, 4, 1), (-170, 40, -320, 450)),
    ("tenhou 2021", (41_400, 28_800, 33_300, -3_500), (1, 3, 2, 4), (520, -110, 130, -540)),
    # Since January 2022: 1 place = uma + (points - 30,000) / 1,000, and the oka for the first.
    ("tenhou", (22_500, 23_700, 18_100, 35_700), (3, 2, 4, 1), (-175, 37, -319, 457)),
    ("tenhou", (-13_700, 31_400, 57_300, 25_000), (4, 2, 1, 3), (-637, 114, 673, -150)),
]


@each_row(("preset", "points", "places", "results"), RESULTS)
def test_places_and_results(
    preset: str, points: tuple[int, ...], places: tuple[int, ...], results: tuple[int, ...]
) -> None:
    """Uma, oka, equal scores and rounding give each seat its place and result, as the preset says."""
    assert placement({**PRESETS, "tenhou 2021": WHOLE}[preset], points) == (places, results)


def test_indivisible_sticks_leave_the_place_shared() -> None:
    """Three players share the first place and its uma, though one of them gets a hundred points more."""
    places, results = placement(MLEAGUE, (30_000, 9_000, 30_000, 30_000), 1)
    assert places == (1, 4, 1, 1)
    assert results == (171, -510, 170, 169)


def test_shared_first_places_share_the_rounding() -> None:
    """With whole thousands, players that share the first place share minus the sum of the others."""
    shared = replace(WHOLE, equal_scores=EqualScores.SHARE)
    assert placement(shared, (35_400, 35_400, 20_600, 8_600)) == ((1, 1, 3, 4), (300, 300, -190, -410))


scores = st.lists(st.integers(-300, 900), min_size=4, max_size=4).map(lambda hundreds: tuple(100 * h for h in hundreds))


@each_row("equal", EqualScores)
@each_row("rounding", Rounding)
@given(points=scores, kyotaku=st.integers(0, 5))
def test_results_add_up_to_zero(points: tuple[int, ...], kyotaku: int, equal: EqualScores, rounding: Rounding) -> None:
    """If no points are lost, the results add up to zero; places follow the scores, then the seats."""
    missing = 100_000 - sum(points) - 1000 * kyotaku
    points = (*points[:3], points[3] + missing)
    ruleset = replace(UMP, equal_scores=equal, rounding=rounding)
    assert sum(final_points(ruleset, points, kyotaku)) == 100_000
    places, results = placement(ruleset, points, kyotaku)
    assert sum(results) == 0
    assert sorted(range(4), key=lambda seat: (places[seat], seat)) == sorted(range(4), key=lambda seat: -points[seat])


def test_lost_sticks_are_missing_in_the_results() -> None:
    """The results add up to less than zero by the sticks that nobody gets."""
    _, results = placement(WRC, (40_000, 30_000, 29_000, 19_000), 2)
    assert WRC.left_sticks is LeftSticks.LOST
    assert sum(results) == -20


SANMA = replace(TENHOU, start_points=35_000, return_points=40_000, uma=(20, 0, -20))
"""The end of the game with three players."""


def recorded_results(folder: Path, seats: int) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Yield final scores and results, in tenths, of Tenhou's records."""
    for path in sorted(folder.glob("*.xml.gz")):
        found = re.search(rb'owari="([^"]*)"', gzip.decompress(path.read_bytes()))
        if found:
            pairs = [part.split(",") for part in re.findall(r"[^,]+,[^,]+", found[1].decode())][:seats]
            yield tuple(100 * int(score) for score, _ in pairs), tuple(round(10 * float(result)) for _, result in pairs)


@each_row(("folder", "ruleset", "games"), [("games", TENHOU, 420), ("sanma", SANMA, 140)])
def test_recorded_results(data: Path, folder: str, ruleset: Ruleset, games: int) -> None:
    """The final scores of every recorded game of Tenhou give the recorded results."""
    recorded = list(recorded_results(data / "tenhou" / folder, ruleset.seats))
    assert len(recorded) == games
    wrong = [
        (points, results)
        for points, results in recorded
        if placement(rounded_as(ruleset, GameEnded(points, (), results)), points)[1] != results
    ]
    assert wrong == []
