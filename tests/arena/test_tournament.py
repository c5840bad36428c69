"""Tournaments: schedules, drawn rounds, winds, and standings with their tie-breaks."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.rows import each_row

from ump.arena import tournament
from ump.arena.tournament import (
    PERFECT,
    PlanError,
    Round,
    fixed_schedule,
    meetings,
    random_round,
    standings,
    swiss_round,
)
from ump.model.game_result import SeatResult


def assert_complete(rounds: tuple[Round, ...], players: int, seats: int = 4) -> None:
    """Everybody sits at one table of each round."""
    for each in rounds:
        assert sorted(player for table in each for player in table) == list(range(players))
        assert {len(table) for table in each} == {seats}


def most_winds(rounds: tuple[Round, ...]) -> int:
    """Return how often a player has had one wind at most."""
    return max(
        Counter((player, wind) for each in rounds for table in each for wind, player in enumerate(table)).values()
    )


@each_row(("players", "rounds", "most"), [(8, 7, 3), (12, 11, 3), (16, 5, 1), (20, 19, 3), (24, 7, 1), (28, 9, 1)])
def test_perfect_schedules(players: int, rounds: int, most: int) -> None:
    """All pairs meet equally often, of 24 players at most once."""
    assert PERFECT[players][0] == rounds
    schedule = fixed_schedule(players, rounds, Random(1))
    assert_complete(schedule, players)
    met = meetings(schedule)
    assert set(met.values()) == {most}
    assert players == 24 or len(met) == players * (players - 1) // 2
    assert most_winds(schedule) == -(-rounds // 4)


@given(tables=st.integers(1, 6), rounds=st.integers(1, 9), seats=st.sampled_from([3, 4]), seed=st.integers(0, 99))
def test_schedules_are_complete(tables: int, rounds: int, seats: int, seed: int) -> None:
    """For any number of tables and rounds; nobody has a wind again before every other one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tournament, "STEPS", 20)
        schedule = fixed_schedule(tables * seats, rounds, Random(seed), seats)
    assert len(schedule) == rounds
    assert_complete(schedule, tables * seats, seats)
    assert most_winds(schedule) == -(-rounds // seats)


def test_a_schedule_is_found_where_none_is_known() -> None:
    """Of 40 players in five rounds nobody meets anybody twice."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tournament, "STEPS", 8_000)
        schedule = fixed_schedule(40, 5, Random(3))
    assert max(meetings(schedule).values()) == 1


def test_a_schedule_goes_on_after_earlier_rounds() -> None:
    """Of 16 players nobody meets anybody in two more rounds whom they have met in the first two."""
    before = fixed_schedule(16, 2, Random(1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tournament, "STEPS", 8_000)
        schedule = fixed_schedule(16, 2, Random(2), before=before)
    assert_complete(schedule, 16)
    assert max(meetings([*before, *schedule]).values()) == 1


def test_players_who_fill_no_table() -> None:
    """The error says how many bots help."""
    with pytest.raises(PlanError, match="18 players leave 2 without a table; add 2 bots of the server"):
        fixed_schedule(18, 4, Random(1))
    for draw in (swiss_round, random_round):
        with pytest.raises(PlanError, match="a tournament needs players"):
            draw([], [], Random(1))


def test_swiss_rounds() -> None:
    """The first of the standings meet, but not those whom they have met; winds differ by two at most."""
    first = tuple(tuple(range(start, start + 4)) for start in range(0, 32, 4))
    chance = Random(5)
    rounds: list[Round] = [first]
    for _ in range(5):
        rounds.append(swiss_round(range(32), rounds, chance))
    assert_complete(tuple(rounds), 32)
    assert max(meetings(rounds[:4]).values()) == 1
    near = [max(table) - min(table) for table in rounds[1] if 0 in table]
    assert near[0] < 20
    winds = Counter((player, wind) for each in rounds for table in each for wind, player in enumerate(table))
    assert max(winds.values()) - min(winds[player, wind] for player in range(32) for wind in range(4)) <= 3


def test_teams_are_kept_apart() -> None:
    """Players of one team meet only if there is no other way."""
    teams = {player: f"team {player % 4}" for player in range(16)}
    for draw in (swiss_round, random_round):
        for table in draw(sorted(range(16), key=lambda player: player % 4), [], Random(2), 4, teams):
            assert len({teams[player] for player in table}) == 4


def of_seats(*columns: tuple[int, ...]) -> list[SeatResult]:
    """Return points, places and results as each player has them."""
    return [SeatResult(*own) for own in zip(*columns, strict=True)]


def test_standings() -> None:
    """By total, then first places, second places, points, the best game; bots that fill tables have none."""
    games = [
        ((0, 1, 2, 9), of_seats((40_000, 30_000, 20_000, 10_000), (1, 2, 3, 4), (500, 100, -200, -400))),
        ((1, 0, 9, 2), of_seats((30_000, 20_000, 30_000, 20_000), (1, 2, 3, 4), (400, 0, -300, -100))),
    ]
    found = standings([0, 1, 2, 3], games, {0: 30}, Random(1))
    assert [(each.player, each.total) for each in found] == [(1, 500), (0, 470), (3, 0), (2, -300)]
    assert (found[1].penalties, found[1].places, found[1].points, found[1].best) == (30, (1, 1, 0, 0), 60_000, 500)
    tied = standings([0, 1], games, {}, Random(1))
    assert [each.player for each in tied] == [1, 0] or tied[0].points >= tied[1].points
    assert standings([0, 1, 2, 3], games, {}, Random(7)) == standings([3, 2, 1, 0], games, {}, Random(7))


def test_a_game_that_somebody_else_played() -> None:
    """The stated result counts, without place and points, also for ties."""
    played = of_seats((40_000, 30_000, 20_000, 10_000), (1, 2, 3, 4), (500, 100, -200, -400))
    found = {
        each.player: each
        for each in standings(range(4), [((0, 1, 2, 3), [SeatResult(result=-300), *played[1:]])], {}, Random(1))
    }
    assert (found[0].total, found[0].places, found[0].points) == (-300, (0, 0, 0, 0), 0)
    assert (found[1].total, found[1].places, found[1].points) == (100, (0, 1, 0, 0), 30_000)


def test_ties_are_broken_in_order() -> None:
    """Each criterion decides only if all before it are equal."""
    equal = ((0, 1, 2, 3), of_seats((25_000,) * 4, (1, 1, 2, 2), (0,) * 4))
    more_points = ((4, 5, 6, 7), of_seats((26_000, 25_000, 25_000, 24_000), (1, 1, 2, 2), (0,) * 4))
    found = [each.player for each in standings(range(8), [equal, more_points], {}, Random(1))]
    assert found[0] == 4
    assert set(found[1:4]) == {0, 1, 5}
    assert found[7] == 7
