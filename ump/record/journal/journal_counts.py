"""Counts of the deeds of each player in the game of a journal, with its answers, refusals and timeouts."""

from __future__ import annotations

from typing import assert_never

from ump.model.seats import Seat
from ump.record.journal.journal_file import Journal
from ump.record.journal.journal_lines import JournalStep
from ump.record.journal.journal_replay import played
from ump.record.player_counts import GameCounter, PlayerCounts
from ump.rules.questions import Question
from ump.table.journal_entries import (
    ActionTaken,
    AnswerLate,
    AnswerRefused,
    Began,
    Ended,
    FaultCommitted,
    PassHeld,
    SeatDropped,
    SeatLeft,
    SeatReady,
    SeatReturned,
    SilenceBroken,
    TimePassed,
)
from ump.table.outcomes import Cause


def journal_counts(journal: Journal) -> tuple[PlayerCounts, ...]:
    """Play a recorded game and return the counts of its players, by seat; raise JournalError like ``check_journal``."""
    counter = GameCounter(journal.header.opening.ruleset.seats)
    asked: dict[Seat, tuple[Question, int]] = {}
    for step, events, game in played(journal):
        _count_entries(step, asked, counter)
        for event in events:
            counter.see(event)
        asked = {
            seat: asked[seat] if seat in asked and asked[seat][0] is question else (question, step.now)
            for seat, question in game.questions.items()
        }
    return counter.counts()


def _count_entries(step: JournalStep, asked: dict[Seat, tuple[Question, int]], counter: GameCounter) -> None:
    """Count answers with their times since the seat was asked, refusals and timeouts."""
    for entry in step.entries:
        match entry:
            case ActionTaken(seat=seat, cause=Cause.ANSWER) | PassHeld(seat=seat):
                if seat in asked:
                    counter.note_answer(seat, step.now - asked[seat][1])
            case ActionTaken(seat=seat, cause=Cause.TIMEOUT):
                counter.count(seat, "timeouts")
            case AnswerRefused(seat=seat):
                counter.count(seat, "refusals")
            case ActionTaken() | Began() | SeatReady() | AnswerLate() | SilenceBroken() | TimePassed():
                pass
            case SeatLeft() | SeatDropped() | SeatReturned() | FaultCommitted() | Ended():
                pass
            case _:
                assert_never(entry)
