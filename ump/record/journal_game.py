"""The game of a journal as a recorded game, its verification, and the counts of its players."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import assert_never

from ump.game.deals import Deal
from ump.model import events as ev
from ump.model.seats import Seat
from ump.record.journal import JOURNAL, Journal, JournalError, JournalStep, check_journal, played, read_journal
from ump.record.physical_tiles import with_copies
from ump.record.player_counts import GameCounter, PlayerCounts
from ump.record.record_format import Carried, Fact, RecordFormat
from ump.record.recorded_game import RecordedGame, RecordedKyoku, RecordError, Remark
from ump.record.replay import Mismatch, Replayed, count_name
from ump.rules.questions import Question
from ump.table.journal_entries import (
    ActionTaken,
    AnswerLate,
    AnswerRefused,
    Began,
    Cause,
    End,
    Ended,
    Entry,
    FaultCommitted,
    PassHeld,
    SeatDropped,
    SeatLeft,
    SeatReady,
    SeatReturned,
    SilenceBroken,
    TimePassed,
)


def read_game(data: bytes) -> tuple[RecordedGame]:
    """Return the game of a journal; raise RecordError if it is unreadable, or if a line does not follow."""
    try:
        journal = read_journal(data)
        kyoku: list[_TimedKyoku] = []
        ended: ev.GameEnded | None = None
        for step, events, game in played(journal):
            if kyoku:
                kyoku[-1].remark(step.entries)
            for event in events:
                match event:
                    case ev.KyokuStarted():
                        assert game.deal is not None
                        kyoku.append(_TimedKyoku(game.deal))
                        kyoku[-1].add(event, step.now)
                    case ev.GameEnded():
                        ended = event
                    case ev.GameStarted() | ev.KyokuEnded():
                        pass
                    case _:
                        kyoku[-1].add(event, step.now)
    except JournalError as error:
        raise RecordError(str(error)) from error
    if not kyoku:
        raise RecordError("no kyoku")
    opening, room = journal.header.opening, journal.header.room
    built = tuple(with_copies(each.kyoku(), opening.ruleset) for each in kyoku)
    rules = opening.ruleset
    return (RecordedGame(opening.players, rules, built, ended, from_start=True, own_counting=False, room=room),)


class _TimedKyoku:
    """The events of one kyoku, with their times."""

    def __init__(self, deal: Deal) -> None:
        self.deal = deal
        self.events: list[ev.Event] = []
        self.times: list[int] = []
        self.remarks: list[Remark] = []

    def add(self, event: ev.Event, now: int) -> None:
        self.events.append(event)
        self.times.append(now)

    def remark(self, entries: Iterable[Entry]) -> None:
        """Note the answers that did not count, and the defaults that were played instead."""
        for entry in entries:
            match entry:
                case AnswerRefused(seat, reason):
                    self.remarks.append(Remark(len(self.events), seat, "refused", reason.value))
                case AnswerLate(seat):
                    self.remarks.append(Remark(len(self.events), seat, "late", ""))
                case ActionTaken(seat, _, cause) if cause not in (Cause.ANSWER, Cause.HELD):
                    self.remarks.append(Remark(len(self.events), seat, "default", cause.value))
                case _:
                    pass

    def kyoku(self) -> RecordedKyoku:
        complete = any(isinstance(event, ev.HandWon | ev.KyokuDrawn) for event in self.events)
        kyoku = RecordedKyoku(tuple(self.events), None, {}, self.deal.dice, self.deal, complete)
        return replace(kyoku, times=tuple(self.times), remarks=tuple(self.remarks))


def check(data: bytes) -> Replayed:
    """Play the game of a journal again, and check each line; raise RecordError if it is unreadable.

    That is more than a replay of its events: questions, times, faults and defaults are compared, too.
    """
    try:
        journal = read_journal(data)
    except JournalError as error:
        raise RecordError(str(error)) from error
    mismatches: tuple[Mismatch, ...] = ()
    events: list[ev.Event] = []
    try:
        events = check_journal(journal)
    except JournalError as error:
        mismatches = (Mismatch(0, 0, "journal", "a line that follows from those before it", str(error)),)
    kyoku = sum(isinstance(event, ev.KyokuStarted) for event in events)
    counts = Counter(count_name(event) for event in events)
    missing = "" if journal.end is End.COMPLETED else "the end of the game"
    return Replayed(mismatches, (), counts, kyoku, kyoku, 0, missing)


# The format


JOURNAL_FORMAT = RecordFormat(
    key="journal",
    name="journal of ump",
    suffix=".journal",
    sniff=lambda data: data.startswith(JOURNAL),
    read=read_game,
    write=None,
    carries={fact: Carried.YES for fact in Fact if fact is not Fact.TEXTS},
    check=check,
)
"""Only a server writes it: it has what no other format has, such as each question's answer and its time."""


# Counts, with answers, refusals and timeouts


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
