"""Schedules of several rounds: Swiss tables, and pairs that play until a test decides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import combinations

import pytest
from support.rows import each_row

from ump.arena.arena_setup import ArenaSetup
from ump.arena.blocks import ArenaPlayer, Block, BlockGame, Lineup, PlannedBlock
from ump.arena.plan import ArenaStandings, ForeignBlockError, OpenBlocks
from ump.arena.sequential import PairTests, PairVerdict, pairs_of
from ump.model.game_result import GameResult
from ump.rules.presets import PRESETS

POINTS = (90.0, 45.0, 0.0, -135.0)


def setup_of(players: int, schedule: str, preset: str = "tenhou") -> ArenaSetup:
    """Return the setup of an arena of so many players."""
    entrants = tuple(ArenaPlayer(f"p{number}", "tsumogiri") for number in range(players))
    return ArenaSetup(entrants, PRESETS[preset], "s", POINTS, schedule)


def block_of(planned: PlannedBlock, strength: Callable[[int], float]) -> Block:
    """Return a block in which players with more strength come first; copies of a player are placed by seat."""
    games = []
    for game in range(len(planned.lineup)):
        seating = (*planned.lineup[-game:], *planned.lineup[:-game]) if game else planned.lineup
        order = sorted(range(len(seating)), key=lambda seat: -strength(seating[seat]))
        places = tuple(order.index(seat) + 1 for seat in range(len(seating)))
        games.append(BlockGame(seating, GameResult(tuple(-place for place in places), places), ({},) * len(seating)))
    return Block(planned.number, tuple(games), ("",) * 16)


def play(plan: OpenBlocks, standings: ArenaStandings, strength: Callable[[int], float]) -> list[list[Lineup]]:
    """Play to the end, and return the lineups of each round."""
    rounds = []
    while plan.needs_more():
        pending = plan.pending()
        rounds.append([planned.lineup for planned in pending])
        for planned in pending:
            block = block_of(planned, strength)
            standings.add(block)
            plan.add(block)
    return rounds


@each_row(("players", "preset", "tables"), [(8, "tenhou", 2), (10, "tenhou", 2), (4, "tenhou", 1), (7, "tenhou3", 2)])
def test_swiss_rounds(players: int, preset: str, tables: int) -> None:
    """In each round nobody plays twice; those who sit out take turns; similar strengths meet."""
    setup = setup_of(players, "swiss", preset)
    standings = ArenaStandings(setup, 0)
    rounds = play(OpenBlocks(setup, standings, 6 * tables, None), standings, lambda player: player)
    assert [len(lineups) for lineups in rounds] == [tables] * 6
    played: Counter[int] = Counter()
    for lineups in rounds:
        seated = [player for lineup in lineups for player in lineup]
        assert len(seated) == len(set(seated)) == tables * setup.ruleset.seats
        played.update(seated)
    assert max(played.values()) - min(played.values()) <= 1
    met = Counter(pair for lineups in rounds for lineup in lineups for pair in combinations(sorted(lineup), 2))
    assert len(met) > 0.9 * players * (players - 1) / 2  # nearly all have met


def test_swiss_rounds_follow_from_the_blocks_before() -> None:
    """The same blocks give the same next round, also in the middle of one; the ratings matter."""
    setup = setup_of(8, "swiss")

    def after(blocks: int, strength: Callable[[int], float]) -> list[Lineup]:
        standings = ArenaStandings(setup, 0)
        plan = OpenBlocks(setup, standings, 100, None)
        for _ in range(blocks):
            block = block_of(plan.pending()[0], strength)
            standings.add(block)
            standings.leaders()  # the progress line asks for ratings, which must not matter
            plan.add(block)
        return [planned.lineup for planned in plan.pending()]

    assert after(2, float) == after(2, float) != after(2, lambda player: -player)
    assert after(3, float) == after(2, float)[1:]


def test_a_block_of_another_schedule() -> None:
    """A file with other lineups than the schedule is refused."""
    setup = setup_of(4, "swiss")
    plan = OpenBlocks(setup, ArenaStandings(setup, 0), 9, None)
    with pytest.raises(ForeignBlockError, match="block 0 has another lineup"):
        plan.add(block_of(PlannedBlock(0, (0, 0, 0, 1)), float))


def test_pairs_play_until_they_are_decided() -> None:
    """A pair that is decided leaves; equal players, whose blocks are all 0, end with neither; a limit ends all."""
    setup = setup_of(3, "round-robin")
    standings, tests = ArenaStandings(setup, 0), PairTests(pairs_of("round-robin", 3), 5.0, POINTS)
    strengths = {0: 0.0, 1: 0.0, 2: 1.0}
    rounds = play(OpenBlocks(setup, standings, None, tests), standings, lambda player: strengths[player])
    assert [result.verdict for result in tests.results()] == [
        PairVerdict.NEITHER,
        PairVerdict.SECOND,
        PairVerdict.SECOND,
    ]
    first, last = ({pair for lineup in lineups for pair in [frozenset(lineup)]} for lineups in (rounds[0], rounds[-1]))
    assert (len(first), last) == (3, {frozenset((0, 1))})
    limited = PairTests(pairs_of("gauntlet", 3), 5.0, POINTS)
    assert (
        sum(map(len, play(OpenBlocks(setup, ArenaStandings(setup, 0), 7, limited), ArenaStandings(setup, 0), float)))
        == 7
    )
    assert [result.verdict for result in limited.results()] == [PairVerdict.OPEN, PairVerdict.OPEN]


@each_row(("challenger", "other"), [(0, 1), (1, 0)])
def test_a_lead_has_the_sign_of_the_first_player(challenger: int, other: int) -> None:
    """A positive lead is that of the first player, whichever of the two is alone at the table."""
    tests = PairTests([(0, 1)], 5.0, POINTS)
    for number in range(100):
        tests.add(block_of(PlannedBlock(number, (challenger, other, other, other)), lambda player: -player))
    (result,) = tests.results()
    assert (result.verdict, result.blocks, tests.undecided) == (PairVerdict.FIRST, 100, [])
    assert result.lead == pytest.approx(90 if challenger == 0 else 135)
    assert result.half_width == 0
