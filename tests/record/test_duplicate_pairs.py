"""Differences between players of duplicate games, against sums by hand."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from ump.model.commitments import DuplicateGame
from ump.model.game_result import GameResult
from ump.record.indexed_game import (
    DuplicatePlayed,
    IndexedGame,
    IndexedPlayer,
    PlayerPair,
    pair_data,
    pair_lines,
    pairs,
)

PLACES = ((1, 2, 3, 4), (1, 3, 2, 4), (2, 1, 3, 4), (1, 2, 4, 3))
"""The places of alice, bob, carol and dave in the four games of a group."""

NAMES = ("alice", "bob", "carol", "dave")


def indexed(file: str, names: Sequence[str], result: GameResult) -> IndexedGame:
    """Return a game of these players with this result."""
    players = tuple(map(IndexedPlayer, names))
    return IndexedGame(
        file, file, "main", "2026-11-01T10:00:00Z", 1_000, "completed", "ump", "hanchan", players, result
    )


def group(name: str, places: tuple[tuple[int, ...], ...] = PLACES, games: int = 4) -> list[DuplicatePlayed]:
    """Return the games of a group in which a place is worth 10,000 points and 20.0 of the result."""
    found = []
    for number, own in enumerate(places):
        points = tuple(50_000 - 10_000 * place for place in own)
        result = GameResult(points, own, tuple(500 - 200 * place for place in own))
        found.append((DuplicateGame(name, number + 1, games), indexed(f"{name}-{number}", NAMES, result)))
    return found


def pair_of(found: list[PlayerPair], first: str, second: str) -> PlayerPair:
    """Return the pair of these players."""
    (pair,) = (each for each in found if (each.first, each.second) == (first, second))
    return pair


def test_a_group_is_one_sample() -> None:
    """The means of a single group; there is no interval yet."""
    found = pairs(group("g"))
    assert len(found) == 6
    pair = pair_of(found, "alice", "bob")
    assert (pair.groups, pair.games) == (1, 4)
    assert (pair.place.mean, pair.points.mean, pair.result.mean) == (-0.75, 7_500, 15.0)
    assert pair.place.half is None


def test_the_interval_is_students() -> None:
    """Two groups with the differences -0.75 and -0.25: mean -0.5, deviation 0.354, t of one degree 12.71."""
    other = ((1, 2, 3, 4), (2, 1, 3, 4), (2, 1, 3, 4), (1, 2, 4, 3))
    found = pairs([*group("g"), *group("h", ((1, 2, 3, 4), *other[1:3], (1, 3, 4, 2)))])
    pair = pair_of(found, "alice", "bob")
    assert pair.groups == 2
    assert pair.place.mean == pytest.approx(-0.5)
    assert pair.place.half == pytest.approx(12.7062 * 0.25, rel=1e-3)


def test_groups_that_are_not_complete_do_not_count() -> None:
    """Without all rotations the seats would not cancel out."""
    assert pairs(group("g", PLACES[:3])) == []
    assert pairs([*group("g", PLACES[:3]), *group("h")]) == pairs(group("h"))


def test_the_better_player_stands_first() -> None:
    """Unless one player is asked for, who then stands first in all pairs."""
    assert all(pair.result.mean >= 0 for pair in pairs(group("g")))
    found = pairs(group("g"), "dave")
    assert [(pair.first, pair.second) for pair in found] == [("dave", "alice"), ("dave", "bob"), ("dave", "carol")]
    assert pair_of(found, "dave", "alice").place.mean == 2.5


def test_two_seats_of_one_name_are_averaged() -> None:
    """Two bots of one program count as one player."""
    game = indexed("g-0", "aabc", GameResult((0,) * 4, (1, 4, 2, 3), (0,) * 4))
    assert pair_of(pairs([(DuplicateGame("g", 1, 1), game)], "a"), "a", "b").place.mean == 0.5


def test_text_and_data() -> None:
    """The table and the flat object have the same numbers; what does not exist is a dash or null."""
    pair = pair_of(pairs(group("g")), "alice", "bob")
    data = pair_data(pair)
    assert data["place"] == -0.75
    assert data["place_low"] is None
    head, row = pair_lines([pair])
    assert head.split()[:5] == ["player", "against", "groups", "games", "place"]
    assert row.split() == ["alice", "bob", "1", "4", "-0.750", "-", "-", "+7,500", "-", "-", "+15.00", "-", "-"]
    assert list(pair_lines([])) == ["no complete groups of duplicate games"]
