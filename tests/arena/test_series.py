"""Series of games between policies."""

from __future__ import annotations

import pytest

from ump.arena.series import Share, Tally, play_series, seating
from ump.model.events import DrawReason, GameEnded, HandWon, KyokuDrawn, KyokuStarted
from ump.model.seats import Seat
from ump.model.yaku import HandValue, Yaku
from ump.rules.ruleset import Length, Ruleset

ONE_KYOKU = Ruleset(length=Length.KYOKU)


def test_every_player_sits_in_every_seat() -> None:
    """After as many games as there are players, each player has had each seat once."""
    seatings = [seating(number, 4) for number in range(4)]
    assert seatings[:2] == [(0, 1, 2, 3), (1, 2, 3, 0)]
    assert all(sorted(column) == [0, 1, 2, 3] for column in zip(*seatings, strict=True))


def test_the_same_seed_gives_the_same_series() -> None:
    """Walls and random choices follow from the seed and the number of the game."""
    players = ("random", "tsumogiri", "random", "tsumogiri")
    first, again = (list(play_series(players, ONE_KYOKU, 2, "series")) for _ in range(2))
    assert first == again
    assert [game.number for game in first] == [0, 1]
    assert first[0].events != first[1].events
    assert next(play_series(players, ONE_KYOKU, 1, "other")).events != first[0].events


def test_a_series_needs_a_player_for_each_seat() -> None:
    """The error names both numbers."""
    with pytest.raises(ValueError, match="expected 4 players, got 1"):
        next(play_series(["tsumogiri"], ONE_KYOKU, 1, "series"))


START = KyokuStarted(0, 0, 0, 0, (25_000,) * 4, (1, 1))
DRAW = KyokuDrawn(DrawReason.EXHAUSTED, (0,) * 4)


def won(seat: Seat) -> HandWon:
    """Return a win of any value."""
    return HandWon(seat, None, 0, (), (), False, (), HandValue(((Yaku.TANYAO, 1),), 1, 30, 0, 240), (0,) * 4)


def end(*places: int) -> GameEnded:
    """Return the end of a game, with the place of each seat."""
    return GameEnded((25_000,) * 4, places, (0,) * 4)


def test_players_are_counted_and_not_seats() -> None:
    """A player keeps its wins when it changes seats."""
    tally = Tally(4)
    tally.add([START, won(0), START, DRAW, end(1, 2, 3, 4)], (0, 1, 2, 3))
    tally.add([START, won(0), START, won(3), won(1), end(4, 3, 2, 1)], (1, 2, 3, 0))
    assert [tally.won(player) for player in range(4)] == [Share(2, 4), Share(1, 4), Share(1, 4), Share(0, 4)]
    assert [tally.firsts(player) for player in range(4)] == [Share(2, 2), Share(0, 2), Share(0, 2), Share(0, 2)]
    assert (tally.games, tally.kyoku, tally.draws()) == (2, 4, Share(1, 4))


def test_a_shared_first_place_counts_for_both() -> None:
    """A ruleset may share places, so a game can have two firsts."""
    tally = Tally(4)
    tally.add([START, DRAW, end(1, 1, 3, 4)], (0, 1, 2, 3))
    assert [tally.firsts(player).count for player in range(4)] == [1, 1, 0, 0]


@pytest.mark.parametrize(
    ("count", "total", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),  # R. G. Newcombe, Statistics in Medicine 17 (1998), table I, method 3
        (15, 148, 0.0624, 0.1605),  # the same
        (0, 20, 0.0000, 0.1611),  # the same
        (1, 29, 0.0061, 0.1718),  # the same
        (0, 0, 0.0, 1.0),
        (20, 20, 0.8389, 1.0),
    ],
)
def test_wilson_interval(count: int, total: int, low: float, high: float) -> None:
    """The interval is Wilson's; without games it covers everything."""
    assert Share(count, total).interval == pytest.approx((low, high), abs=5e-5)


def test_the_rate_of_an_empty_share_is_zero() -> None:
    """A total of 0 does not divide by zero."""
    assert (Share(0, 0).rate, Share(3, 4).rate) == (0.0, 0.75)
