"""The game of a journal as a recorded game, with its walls and times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from ump.game.deals import Deal
from ump.model.events import Event, GameEnded, GameStarted, HandWon, KyokuDrawn, KyokuEnded, KyokuStarted
from ump.record.journal.journal_error import JournalError
from ump.record.journal.journal_file import read_journal
from ump.record.journal.journal_replay import check_journal, played
from ump.record.recorded_game import RecordedGame, RecordedKyoku, RecordError, Remark
from ump.record.replay import Mismatch, Replayed, count_name
from ump.record.tile_copies import with_copies
from ump.table.journal_entries import ActionTaken, AnswerLate, AnswerRefused, Entry
from ump.table.outcomes import Cause, End


def read_game(data: bytes) -> tuple[RecordedGame]:
    """Return the game of a journal; raise RecordError if it is unreadable, or if a line does not follow."""
    try:
        journal = read_journal(data)
        kyoku: list[_Kyoku] = []
        ended: GameEnded | None = None
        for step, events, game in played(journal):
            if kyoku:
                kyoku[-1].remark(step.entries)
            for event in events:
                match event:
                    case KyokuStarted():
                        assert game.deal is not None
                        kyoku.append(_Kyoku(game.deal))
                        kyoku[-1].add(event, step.now)
                    case GameEnded():
                        ended = event
                    case GameStarted() | KyokuEnded():
                        pass
                    case _:
                        kyoku[-1].add(event, step.now)
    except JournalError as error:
        raise RecordError(str(error)) from error
    if not kyoku:
        raise RecordError("no kyoku")
    opening = journal.header.opening
    built = tuple(with_copies(each.kyoku(), opening.ruleset) for each in kyoku)
    return (RecordedGame(opening.players, opening.ruleset, built, ended, from_start=True, own_counting=False),)


class _Kyoku:
    """The events of one kyoku, with their times."""

    def __init__(self, deal: Deal) -> None:
        self.deal = deal
        self.events: list[Event] = []
        self.times: list[int] = []
        self.remarks: list[Remark] = []

    def add(self, event: Event, now: int) -> None:
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
        complete = any(isinstance(event, HandWon | KyokuDrawn) for event in self.events)
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
    events: list[Event] = []
    try:
        events = check_journal(journal)
    except JournalError as error:
        mismatches = (Mismatch(0, 0, "journal", "a line that follows from those before it", str(error)),)
    kyoku = sum(isinstance(event, KyokuStarted) for event in events)
    counts = Counter(count_name(event) for event in events)
    return Replayed(mismatches, (), counts, kyoku, kyoku, 0, incomplete=journal.end is not End.COMPLETED)
