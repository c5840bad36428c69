"""Tests that no seat learns hidden tiles: each dialect sends the same bytes for any hidden tiles."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from statistics import mean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.budgets import few, some
from support.dialect_clients import EVERY_DIALECT, UMP01
from support.rows import each_row
from support.seat_knowledge import Swap, shuffle_all, swap_two
from support.swapped_tiles import Comparison, DialectUnderTest, GamePair

from ump.game.board import Board, PlayerBoard
from ump.model.actions import Action
from ump.model.claims import Reason
from ump.model.events import Event, HandDealt, TileDrawn
from ump.model.seats import LETTERS, Seat
from ump.model.tiles import KIND_OF
from ump.rules.call_question import CallQuestion, Rank, TileQuestion
from ump.rules.presets import PRESETS
from ump.rules.questions import Question
from ump.rules.turn_question import TurnQuestion
from ump.table import receivers
from ump.table.view import view
from ump.wire.session import QuestionView
from ump.wire.ump.sentences01 import Hello
from ump.wire.ump.session import UmpSession

SHARES = some((0.5, 0.25, 0.75, 1.0), 3)
"""The time that swapped tiles stay hidden from the seat, as shares of all events."""

OF_EACH_KIND = [each for each in EVERY_DIALECT if each.name in ("ump 0.1", "plain words", "mjai in lock-step")]


def comparisons(
    dialect: DialectUnderTest, preset: str, seed: str, seat: Seat, *, ask_all: bool = False
) -> list[Comparison]:
    """Play a game, and compare it with twins in which hidden tiles are swapped; the longer hidden, the fewer tiles."""
    pair = GamePair(dialect, PRESETS[preset], seed, seat, ask_all=ask_all)
    swaps: tuple[Swap, ...] = (swap_two, shuffle_all)
    return [pair.swapped(until, swap, Random(f"{seed}/{until}")) for until in SHARES for swap in swaps]


@pytest.mark.no_cover
@each_row("dialect", EVERY_DIALECT)
@settings(max_examples=few(8))
@given(
    preset=st.sampled_from(sorted(PRESETS)),
    seed=st.integers(0, 2**32),
    seat=st.integers(0, len(LETTERS) - 1),
    ask_all=st.booleans(),
)
def test_hidden_tiles_change_nothing(
    dialect: DialectUnderTest, preset: str, seed: int, seat: Seat, ask_all: bool
) -> None:
    """All that the seat receives is the same: words, offers, refusals and times."""
    seats = PRESETS[preset].seats
    if seats not in dialect.session().PLAYERS:
        return
    for comparison in comparisons(dialect, preset, str(seed), seat % seats, ask_all=ask_all):
        assert comparison.difference is None, comparison


@pytest.mark.no_cover
@each_row("dialect", some(OF_EACH_KIND))
def test_the_twins_differ_enough(dialect: DialectUnderTest) -> None:
    """The twins differ for long in other players' draws and questions, and some answers of the seat are refused."""
    made = [each for seed in range(6) for each in comparisons(dialect, "tenhou", f"much/{seed}", seed % 4)]
    assert mean(each.alike for each in made) > 60
    assert mean(each.hidden for each in made) > 5
    assert sum(each.asked > 0 for each in made) > len(made) / 3
    if dialect.is_person:
        assert all(each.refused == 0 for each in made)
    else:
        assert sum(each.refused > 0 for each in made) > len(made) / 4


# Every leak is found


def everything(event: Event, seat: Seat | None) -> Event:
    """Hide nothing."""
    return event


def all_but_replacement_tiles(event: Event, seat: Seat | None) -> Event:
    """Hide everything but the replacement tiles of kans."""
    return event if isinstance(event, TileDrawn) and event.rinshan else view(event, seat)


def all_but_the_last_draw(event: Event, seat: Seat | None) -> Event:
    """Hide everything but the last tile of the wall."""
    return event if isinstance(event, TileDrawn) and not event.left else view(event, seat)


def all_but_a_dealt_hand(event: Event, seat: Seat | None) -> Event:
    """Hide everything but the hand dealt to seat A."""
    return event if isinstance(event, HandDealt) and not event.seat else view(event, seat)


def is_found(dialect: DialectUnderTest) -> bool:
    """Tell whether some games differ in what the seat receives."""
    for seed in range(20):
        made = comparisons(dialect, "majsoul", f"leak/{seed}", seed % len(LETTERS))
        if any(each.difference is not None for each in made):
            return True
    return False


@pytest.mark.no_cover
@each_row("dialect", some(EVERY_DIALECT, 4))
def test_a_view_that_hides_nothing_is_found(dialect: DialectUnderTest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison finds it in every dialect."""
    monkeypatch.setattr(receivers, "view", everything)
    assert is_found(dialect)


@pytest.mark.no_cover
@each_row("leak", [all_but_replacement_tiles, all_but_the_last_draw, all_but_a_dealt_hand])
def test_a_leak_of_the_view_is_found(
    leak: Callable[[Event, Seat | None], Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The comparison finds even a single tile."""
    monkeypatch.setattr(receivers, "view", leak)
    assert is_found(UMP01)


class SendsNumbers(UmpSession):
    """Sends the table's number of each question, which counts the questions to the other players."""

    __slots__ = ()

    def ask(
        self, number: int, question: QuestionView | None, move: float, bank: float, now: float, *, is_last: bool = False
    ) -> None:
        """Ask the question with the leak at its end."""
        super().ask(number, question, move, bank, now, is_last=is_last)
        self._out[-1] += f" _number={number}"


class SendsTenpai(UmpSession):
    """Sends how many players are tenpai, which a session must not look up."""

    __slots__ = ()

    def ask(
        self, number: int, question: QuestionView | None, move: float, bank: float, now: float, *, is_last: bool = False
    ) -> None:
        """Ask the question with the leak at its end."""
        super().ask(number, question, move, bank, now, is_last=is_last)
        if isinstance(question, Question):
            self._out[-1] += f" _others={sum(bool(player.waits) for player in _players(question))}"


def _players(question: Question) -> tuple[PlayerBoard, ...]:
    """Return all players at the table, with their hidden hands."""
    board = question.board
    assert isinstance(board, Board)
    return board.players


@each_row("session", [SendsNumbers, SendsTenpai])
def test_a_leak_of_a_question_is_found(session: type[UmpSession]) -> None:
    """The comparison finds a dialect that adds hidden facts to its questions."""
    greeting = Hello((("ump", "0.1"), ("name", "ump")))
    assert is_found(DialectUnderTest("leaking", lambda: session(greeting), UMP01.client))


@pytest.mark.interpreted
def test_a_leak_of_a_refusal_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison finds a reason that depends on another player's hand."""
    honest = TurnQuestion.refusal

    def refusal(question: TurnQuestion, action: Action) -> Reason | None:
        reason = honest(question, action)
        others = [player for player in _players(question) if player is not question.player]
        return Reason.FURITEN if reason and any(player.hand.kinds[0] for player in others) else reason

    monkeypatch.setattr(TurnQuestion, "refusal", refusal)
    assert is_found(UMP01)


@pytest.mark.interpreted
def test_a_leak_by_being_asked_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison finds a question that depends on the other players' hands."""
    honest: Callable[[TileQuestion], Rank] = vars(TileQuestion)["rank"].fget

    def rank(question: CallQuestion) -> Rank:
        others = [player for player in _players(question) if player is not question.player]
        assert question.tile is not None
        kind = KIND_OF[question.tile]
        return Rank.PASS if any(player.hand.kinds[kind] for player in others) else honest(question)

    monkeypatch.setattr(CallQuestion, "rank", property(rank))
    assert is_found(UMP01)
