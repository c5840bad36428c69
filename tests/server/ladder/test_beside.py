"""What a player does beside another one: points dealt in and faults, by permutation tests without permutations."""

from __future__ import annotations

from itertools import combinations
from random import Random
from statistics import fmean

import pytest

from ump.server.ladder.beside import Beside, Moments, Sign, deal_in_tests, fault_tests, tail
from ump.server.ladder.conduct import Conduct
from ump.server.ladder.flags import flags, significant
from ump.server.ladder.rated_game import Player, RatedGame
from ump.server.ladder.ratings import fit

PLAYERS = [Player(f"p{number}") for number in range(8)]
GIVER, TAKER = PLAYERS[0], PLAYERS[1]
VALUES = (1_000, 1_300, 2_000, 2_600, 3_900, 5_200, 8_000, 8_000, 12_000, 32_000)


def played(given: float = 0.0, faults: float = 0.0, games: int = 1_000) -> list[RatedGame]:
    """Return games of players of which some win and some deal in twice as often as others.

    The giver deals in to the taker that much more often than to others, and has a fault with a probability of
    ``faults`` more beside the taker.
    """
    random = Random(3)
    wins = {player: 1.5 - number / 8 for number, player in enumerate(PLAYERS)}
    deals_in = {player: 0.5 + number / 8 for number, player in enumerate(PLAYERS)}
    found = []
    for number in range(games):
        table = random.sample(PLAYERS, 4)
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
        found.append(RatedGame(f"g{number}", 0.0, tuple(table), places, conduct=conduct))
    return found


def found(games: list[RatedGame]) -> list[Beside]:
    """Return the flags beside other players."""
    return [flag for flag in flags(games, fit(games, 0.0)) if isinstance(flag, Beside)]


def test_honest_players_get_no_flag() -> None:
    """A player that deals in often beside one that wins often is no pair that helps each other."""
    assert found(played()) == []


def test_a_player_that_deals_in_to_another() -> None:
    """The giver is flagged with the taker, and nobody else."""
    (flag,) = found(played(given=4.0))
    assert (flag.sign, flag.player, flag.other) == (Sign.DEAL_INS, GIVER, TAKER)
    assert flag.excess > 1_000
    assert "points a game more dealt in beside p1" in flag.text


def test_faults_beside_another() -> None:
    """The giver has faults beside the taker."""
    (flag,) = found(played(faults=0.5))
    assert (flag.sign, flag.player, flag.other) == (Sign.FAULTS, GIVER, TAKER)
    assert flag.excess == pytest.approx(0.5, abs=0.1)
    assert "faults a game more beside p1" in flag.text


def test_unknown_conduct_is_left_out() -> None:
    """Games whose records have not been read give no test."""
    games = [RatedGame(f"g{number}", 0.0, tuple(PLAYERS[:4]), (1, 2, 3, 4)) for number in range(200)]
    assert not [*deal_in_tests(games), *fault_tests(games)]


def test_built_in_bots_are_not_tested() -> None:
    """A built-in bot has no flag, and nobody has one beside it; what it pays still counts for the others."""
    house = Player("efficiency", is_builtin=True)
    games = [
        RatedGame(game.file, 0.0, tuple(house if each == GIVER else each for each in game.players), game.places,
                  conduct=game.conduct)
        for game in played(given=9.0, faults=0.9)
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
