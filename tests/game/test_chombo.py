"""Chombo: a foul ends the kyoku. Payments, the next kyoku, and conservation of tiles and points."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.balance_check import BalanceCheck
from support.budgets import few
from support.rows import each_row
from support.scenario import Scenario, game_of
from support.table_positions import CHANKAN_HANDS, QUIET, TENPAI

from ump.game.arranged_wall import build_wall
from ump.game.deals import seeded_deals
from ump.game.game import Game, GameState
from ump.model.actions import Discard
from ump.model.claims import IllegalAction, Reason
from ump.model.events import DrawReason, Event, GameEnded, KyokuDrawn, KyokuEnded, KyokuStarted, RiichiPaid
from ump.model.phases import Phase
from ump.model.seats import LETTERS
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Length, Renchan, Ruleset

A, B, C, D = range(4)

READY = {**TENPAI, "A": "123456789m11z2z3z"}
"""A is tenpai with its first draw, 3z."""

LONGEST = 20_000
"""The most answers in a game; a longer game would never end."""


@each_row(
    ("dealer", "seat", "changes"),
    [
        ("A", A, (-12_000, 4_000, 4_000, 4_000)),
        ("A", B, (4_000, -8_000, 2_000, 2_000)),
        ("A", D, (4_000, 2_000, 2_000, -8_000)),
        ("C", C, (4_000, 4_000, -12_000, 4_000)),
        ("C", A, (-8_000, 2_000, 4_000, 2_000)),
    ],
)
def test_payments(dealer: str, seat: int, changes: tuple[int, ...]) -> None:
    """A dealer pays 4,000 to each player, others 4,000 to the dealer and 2,000 to the others. Honba do not count."""
    game = Scenario(QUIET, "8m", dealer=dealer, honba=3, kyotaku=2)
    events = game.kyoku.chombo(seat)
    assert events == [KyokuDrawn(DrawReason.CHOMBO, changes)]
    assert game.points == [25_000 + change for change in changes]


def test_sticks_stay_on_the_table() -> None:
    """The riichi sticks are left for the next winner."""
    game = Scenario(QUIET, "8m", kyotaku=2)
    game.kyoku.chombo(B)
    assert game.kyoku.result is not None
    assert game.kyoku.result.kyotaku == 2


@each_row(
    ("orders", "phase"),
    [
        ([], Phase.TURN),
        (["A sute 5p"], Phase.CALL),
        (["A sute 5p", "B no"], Phase.CALL),
        (["A sute 5p", "C pon 5p 5p"], Phase.TURN),
    ],
)
def test_chombo_during_any_question(orders: list[str], phase: Phase) -> None:
    """All questions close, earlier answers are discarded, and later answers are refused."""
    game = Scenario(QUIET, "8m")(*orders)
    assert game.phase is phase
    game.kyoku.chombo(B)
    assert not game.kyoku.questions
    assert game.kyoku.over
    for seat in range(4):
        with pytest.raises(IllegalAction):
            game.kyoku.answer(seat, Discard(7))
    with pytest.raises(ValueError, match="over"):
        game.kyoku.chombo(B)


def test_chombo_while_a_kan_can_be_robbed() -> None:
    """The kan reveals no dora and draws no replacement tile."""
    game = Scenario(CHANKAN_HANDS, "77432z0m")
    game("A sute 7z", "B sute 5m", "A pon 5m 5m", "A sute 6z", "B sute 4z", "C sute 3z", "D sute 2z", "A kakan 5M")
    assert game.phase is Phase.CHANKAN
    assert [type(event) for event in game.kyoku.chombo(C)] == [KyokuDrawn]


def test_chombo_while_tenpai_is_declared() -> None:
    """The noten payments are not made."""
    game = Scenario(TENPAI).to_the_end()
    assert (game.phase, game.asked) == (Phase.DECLARE, "A")
    game("A yes")
    game.kyoku.chombo(B)
    assert game.points == [29_000, 17_000, 27_000, 27_000]


def test_pending_riichi_is_not_paid() -> None:
    """A riichi whose discard can still be called costs no stick."""
    game = Scenario({**QUIET, "A": "123456789m1p99s1z", "B": "2358p158m46s2347z"}, "1z")("A richi 1p")
    assert game.asked == "B"
    game.kyoku.chombo(B)
    assert not game.events_of(RiichiPaid)
    assert game.points == [29_000, 17_000, 27_000, 27_000]


def begun(**changes: object) -> Game:
    """Return a game of quiet hands in its first kyoku."""
    game = game_of(replace(Ruleset(), **changes), build_wall(QUIET, "8m"))  # type: ignore[arg-type]
    game.begin()
    game.proceed()
    return game


@each_row("renchan", Renchan)
@each_row("seat", [A, B])
def test_the_deal_passes_with_a_honba(renchan: Renchan, seat: int) -> None:
    """The deal passes after a foul of any player, under every renchan rule."""
    game = begun(renchan=renchan)
    game.chombo(seat)
    assert game.between_kyoku
    ended, started, *_ = game.proceed()
    assert ended == KyokuEnded()
    assert isinstance(started, KyokuStarted)
    assert (started.bakaze, started.dealer, started.honba, started.kyotaku) == (0, B, 1, 0)
    assert started.points == game.points


def test_chombo_needs_a_kyoku() -> None:
    """Before the first kyoku and between two kyoku, chombo raises ValueError."""
    game = game_of(Ruleset(), build_wall(QUIET, "8m"))
    with pytest.raises(ValueError, match="no kyoku"):
        game.chombo(A)
    game.begin()
    game.proceed()
    game.chombo(A)
    with pytest.raises(ValueError, match="over"):
        game.chombo(A)
    with pytest.raises(IllegalAction) as refusal:
        game.answer(A, Discard(7))
    assert refusal.value.reason is Reason.NOT_ASKED


def test_score_below_zero_after_a_chombo_ends_the_game() -> None:
    """A player that cannot pay falls below zero (tobi)."""
    game = Game(Ruleset(), LETTERS, seeded_deals("tobi"), standing=GameState((7_900, 30_000, 31_000, 31_100), dealer=B))
    game.begin()
    game.proceed()
    game.chombo(A)
    assert game.points == (-100, 34_000, 33_000, 33_100)
    assert isinstance(game.proceed()[-1], GameEnded)


def test_chombo_ends_a_game_of_one_kyoku() -> None:
    """A game of one kyoku ends after a chombo, as after any other result."""
    game = begun(length=Length.KYOKU)
    game.chombo(A)
    assert isinstance(game.proceed()[-1], GameEnded)


@each_row("preset", PRESETS)
@pytest.mark.parametrize("renchan", Renchan)
@pytest.mark.parametrize("seats", [(A,), (A, B, C, D)])
def test_repeated_chombo_ends_the_game(preset: str, renchan: Renchan, seats: tuple[int, ...]) -> None:
    """Under every ruleset, even without tobi, there are at most three rounds of kyoku."""
    ruleset = replace(PRESETS[preset], tobi=False, renchan=renchan)
    game = Game(ruleset, LETTERS[: ruleset.seats], seeded_deals("fouls", ruleset.seats))
    game.begin()
    for kyoku in range(13):
        game.proceed()
        if game.over:
            break
        game.chombo(seats[kyoku % len(seats)] % ruleset.seats)
    assert game.over
    assert sum(game.points) == ruleset.seats * ruleset.start_points


def fouled(preset: str, seed: int) -> list[Event]:
    """Play a game of random legal actions with an occasional foul, and check the balance of tiles and points."""
    ruleset = PRESETS[preset]
    game = Game(ruleset, LETTERS[: ruleset.seats], seeded_deals(str(seed), ruleset.seats))
    balance, chance = BalanceCheck(ruleset), Random(seed)
    told = game.begin()
    for _ in range(LONGEST):
        if game.over:
            break
        if game.between_kyoku:
            events = game.proceed()
        elif chance.random() < 0.02:
            events = game.chombo(chance.randrange(ruleset.seats))
        else:
            seat = chance.choice(list(game.questions))
            events = game.answer(seat, chance.choice(game.questions[seat].legal()))
        for event in events:
            balance.note(event)
        told += events
    assert game.over, "the game ends"
    return told


@each_row("preset", PRESETS)
@settings(max_examples=few(4))
@given(seed=st.integers(0, 2**32))
def test_tiles_and_points_are_conserved(preset: str, seed: int) -> None:
    """No tile and no point is lost by a foul at any moment."""
    assert isinstance(fouled(preset, seed)[-1], GameEnded)
