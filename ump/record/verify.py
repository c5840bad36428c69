"""Verify a record by replaying it, and count the verdicts of many. Pure: bytes in, values out.

A record is one of Tenhou's, or a journal of a server.
"""

from __future__ import annotations

from collections import Counter
from enum import Enum

from ump.model.events import Event, KyokuStarted
from ump.model.value import value
from ump.record.journal.journal_error import JournalError
from ump.record.journal.journal_file import JOURNAL, read_journal
from ump.record.journal.journal_replay import check_journal
from ump.record.mjlog.elements import read_elements, unpacked
from ump.record.mjlog.game_reader import read_game
from ump.record.recorded_game import RecordError
from ump.record.replay import Mismatch, Replay, Replayed, count_name
from ump.table.outcomes import End


class Outcome(Enum):
    """The result of verifying one record."""

    EQUAL = "equal"
    """Everything in the record agrees with our rules."""
    DIFFERENT = "different"
    """At least one mismatch."""
    DAMAGED = "damaged"
    """The record is unreadable."""


@value
class Verdict:
    """The outcome of one record, with its details."""

    file: str
    outcome: Outcome
    replayed: Replayed | None = None
    """None if the record was not replayed."""
    damage: str = ""
    """Why the record is unreadable, in one line; empty if it is readable."""


def verify(file: str, data: bytes) -> Verdict:
    """Read and replay a record; ``file`` is its name in the verdict."""
    try:
        data = unpacked(data)
        if data.startswith(JOURNAL):
            return _verify_journal(file, data)
        elements = read_elements(data)
        replayed = Replay(read_game(elements)).run()
    except RecordError as error:
        return Verdict(file, Outcome.DAMAGED, damage=str(error))
    return Verdict(file, Outcome.DIFFERENT if replayed.mismatches else Outcome.EQUAL, replayed)


def _verify_journal(file: str, data: bytes) -> Verdict:
    """Play the game of a journal again; raise RecordError if it is unreadable."""
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
    replayed = Replayed(mismatches, (), counts, kyoku, kyoku, 0, incomplete=journal.end is not End.COMPLETED)
    return Verdict(file, Outcome.DIFFERENT if mismatches else Outcome.EQUAL, replayed)


class Totals:
    """The sums over many verdicts."""

    def __init__(self) -> None:
        self.outcomes: Counter[Outcome] = Counter()
        self.events: Counter[str] = Counter()
        self.kyoku = 0
        self.from_seed = 0
        self.left_out = 0
        self.incomplete = 0
        self.findings: list[Verdict] = []
        """The verdicts with damage, mismatches or notes."""

    def add(self, verdict: Verdict) -> None:
        """Count one verdict."""
        self.outcomes[verdict.outcome] += 1
        replayed = verdict.replayed
        if replayed is not None:
            self.events += replayed.events
            self.kyoku += replayed.kyoku
            self.from_seed += replayed.from_seed
            self.left_out += replayed.left_out
            self.incomplete += replayed.incomplete
        if verdict.damage or (replayed is not None and (replayed.mismatches or replayed.notes)):
            self.findings.append(verdict)

    @property
    def files(self) -> int:
        """The number of records."""
        return self.outcomes.total()

    @property
    def games(self) -> int:
        """The number of replayed games."""
        return self.outcomes[Outcome.EQUAL] + self.outcomes[Outcome.DIFFERENT]

    @property
    def unreadable(self) -> int:
        """The number of unreadable records."""
        return self.outcomes[Outcome.DAMAGED]

    @property
    def different(self) -> int:
        """The number of records that differ."""
        return self.outcomes[Outcome.DIFFERENT]
