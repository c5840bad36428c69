"""Flags of the ladder: tests beside another player, by permutations, and changes of strength."""

from __future__ import annotations

from itertools import combinations
from math import exp
from random import Random
from statistics import fmean

import pytest

from ump.arena.ratings import ELO
from ump.model.game_result import GameResult
from ump.server.ladder import (
    Beside,
    Conduct,
    LadderPlayer,
    Moments,
    RatedGame,
    Sign,
    StrengthChange,
    cusum,
    deal_in_tests,
    expected_places,
    fault_tests,
    fit,
    flags,
    significant,
    tail,
)

PLAYERS = [LadderPlayer(f"p{number}") for number in range(8)]
CHEAT, ACCOMPLICE = PLAYERS[:2]


def played(bonus: float, change: float, games: int = 900) -> list[RatedGame]:
    """Return games of equal players, but the cheat gains ``bonus`` Elo beside its accomplice.

    Another player, the last, gains ``change`` Elo in the last third of the games.
    """
    random, found = Random(7), []
    for number in range(games):
        players = random.sample(PLAYERS, 4)
        strengths = dict.fromkeys(players, 0.0)
        if CHEAT in players and ACCOMPLICE in players:
            strengths[CHEAT] += bonus
        if PLAYERS[-1] in players and number > games * 2 / 3:
            strengths[PLAYERS[-1]] += change
        left, places = list(players), dict[LadderPlayer, int]()
        while left:
            player = random.choices(left, [exp(strengths[each] / ELO) for each in left])[0]
            left.remove(player)
            places[player] = len(places) + 1
        found.append(
            RatedGame(f"g{number}", 0.0, tuple(players), GameResult((), tuple(places[each] for each in players)))
        )
    return found


def test_honest_players_get_no_flag() -> None:
    """Nothing is found among equal players."""
    games = played(0.0, 0.0)
    assert flags(games, fit(games, 0.0)) == []


def test_a_player_that_is_helped() -> None:
    """The cheat is flagged beside its accomplice, and nobody else."""
    games = played(500.0, 0.0)
    found = [flag for flag in flags(games, fit(games, 0.0)) if isinstance(flag, Beside)]
    assert [(flag.player, flag.other) for flag in found] == [(CHEAT, ACCOMPLICE)]
    assert found[0].excess > 0.5
    assert "places better beside p1" in found[0].text


def test_a_player_that_held_back() -> None:
    """A player that plays much better from some game on is flagged, with about that game."""
    games = played(0.0, 500.0)
    (found,) = [flag for flag in flags(games, fit(games, 0.0)) if isinstance(flag, StrengthChange) and flag.is_above]
    assert found.player == PLAYERS[-1]
    assert 500 < int(found.since.removeprefix("g")) < 700
    assert found.text == f"plays above its usual strength since {found.since}"


def test_a_player_that_the_model_does_not_fit() -> None:
    """A player that is nearly always the last, more often than its rating says, has not changed."""
    random = Random(5)
    own = [(RatedGame(f"g{number}", 0.0, (), GameResult()), random.gauss(-0.2, 0.55)) for number in range(400)]
    assert cusum(CHEAT, own) is None
    changed = [*own, *((game, residual + 0.6) for game, residual in own)]
    assert isinstance(cusum(CHEAT, changed), StrengthChange)


def test_few_games_are_not_tested() -> None:
    """Below 50 games nothing is flagged, however clear it looks."""
    games = [RatedGame(f"g{number}", 0.0, tuple(PLAYERS[:4]), GameResult((), (1, 4, 3, 2))) for number in range(49)]
    assert cusum(CHEAT, [(game, 3.0) for game in games]) is None
    assert flags(games, fit(games, 0.0)) == []


def test_false_flags_are_bounded_together() -> None:
    """Of several tests, those below the line of Benjamini and Hochberg are kept (their table 1, for 5 %)."""
    published = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240]
    published += [0.4262, 0.5719, 0.6528, 0.7590, 1.0000]
    tests = [Beside(Sign.HELP, CHEAT, ACCOMPLICE, 50, 0.1, p) for p in reversed(published)]
    assert [test.p for test in significant(tests, 0.05)] == published[:4]


def test_expected_places() -> None:
    """Equal players expect the middle place; 400 points are odds of 10 to 1."""
    assert expected_places([1500.0] * 4) == [2.5] * 4
    assert expected_places([1900.0, 1500.0]) == pytest.approx([1 + 1 / 11, 1 + 10 / 11])


PAIRED = [LadderPlayer(f"p{number}") for number in range(8)]
GIVER, TAKER = PAIRED[0], PAIRED[1]
VALUES = (1_000, 1_300, 2_000, 2_600, 3_900, 5_200, 8_000, 8_000, 12_000, 32_000)


def paired_games(given: float = 0.0, faults: float = 0.0, games: int = 1_000) -> list[RatedGame]:
    """Return games of players of which some win and some deal in twice as often as others.

    The giver deals in to the taker that much more often than to others, and has a fault with a probability of
    ``faults`` more beside the taker.
    """
    random = Random(3)
    wins = {player: 1.5 - number / 8 for number, player in enumerate(PAIRED)}
    deals_in = {player: 0.5 + number / 8 for number, player in enumerate(PAIRED)}
    found = []
    for number in range(games):
        table = random.sample(PAIRED, 4)
        paid = [[0] * 4 for _ in table]
        for _ in range(random.randint(0, 5)):
            (winner,) = random.choices(range(4), [wins[player] for player in table])
            losers = [seat for seat in range(4) if seat != winner]
            weights = [
                deals_in[table[seat]] * (1 + given * (table[seat] == GIVER and table[winner] == TAKER))
                for seat in losers
            ]
            (loser,) = random.choices(losers, weights)
            paid[loser][winner] += random.choice(VALUES)
        at_fault = [random.random() < 0.05 + faults * (player == GIVER and TAKER in table) for player in table]
        conduct = Conduct(tuple(map(tuple, paid)), tuple(map(int, at_fault)))
        places = tuple(random.sample((1, 2, 3, 4), 4))
        found.append(RatedGame(f"g{number}", 0.0, tuple(table), GameResult((), places), conduct=conduct))
    return found


def found(games: list[RatedGame]) -> list[Beside]:
    """Return the flags beside other players."""
    return [flag for flag in flags(games, fit(games, 0.0)) if isinstance(flag, Beside)]


def test_honest_pairs_get_no_flag() -> None:
    """A player that deals in often beside one that wins often is no pair that helps each other."""
    assert found(paired_games()) == []


def test_a_player_that_deals_in_to_another() -> None:
    """The giver is flagged with the taker, and nobody else."""
    (flag,) = found(paired_games(given=4.0))
    assert (flag.sign, flag.player, flag.other) == (Sign.DEAL_INS, GIVER, TAKER)
    assert flag.excess > 1_000
    assert "points a game more dealt in beside p1" in flag.text


def test_faults_beside_another() -> None:
    """The giver has faults beside the taker."""
    (flag,) = found(paired_games(faults=0.5))
    assert (flag.sign, flag.player, flag.other) == (Sign.FAULTS, GIVER, TAKER)
    assert flag.excess == pytest.approx(0.5, abs=0.1)
    assert "faults a game more beside p1" in flag.text


def test_unknown_conduct_is_left_out() -> None:
    """Games whose records have not been read give no test."""
    games = [RatedGame(f"g{number}", 0.0, tuple(PAIRED[:4]), GameResult((), (1, 2, 3, 4))) for number in range(200)]
    assert not [*deal_in_tests(games), *fault_tests(games)]


def test_built_in_bots_are_not_tested() -> None:
    """A built-in bot has no flag, and nobody has one beside it; what it pays still counts for the others."""
    house = LadderPlayer("efficiency", is_builtin=True)
    games = [
        RatedGame(game.file, 0.0, tuple(house if each == GIVER else each for each in game.players), game.result,
                  conduct=game.conduct)
        for game in paired_games(given=9.0, faults=0.9)
    ]  # fmt: skip
    tests = [*deal_in_tests(games), *fault_tests(games)]
    assert tests
    assert not [test for test in tests if house in (test.player, test.other)]
    assert not significant(tests)


def test_the_tail_is_that_of_all_draws() -> None:
    """Of few skewed values all draws can be counted; the moments give nearly the same tail."""
    values = [0.0] * 14 + [1.0, 1.0, 2.0, 3.0, 5.0, 8.0]
    everything = Moments(values)
    means = [fmean(draw) for draw in combinations(values, 6)]
    for drawn in ([0, 0, 1, 2, 5, 8], [0, 0, 0, 1, 5, 8], [0, 0, 0, 0, 5, 8], [0, 0, 1, 2, 3, 5], [0, 0, 0, 0, 2, 3]):
        mean = fmean(drawn)
        exact = (sum(each > mean for each in means) + sum(each >= mean for each in means)) / 2 / len(means)
        assert tail(Moments(map(float, drawn)), everything) == pytest.approx(exact, rel=0.3)
    assert tail(everything, everything) == 1.0
    assert tail(Moments([2.0, 2.0]), Moments([2.0] * 9)) == 1.0
