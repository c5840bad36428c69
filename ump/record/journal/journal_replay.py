"""Plays the game of a journal again: to check every line of it, or to learn how it ended."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ump.game.game import Game
from ump.model.events import Event, GameEnded, KyokuStarted
from ump.model.value import value
from ump.record.journal.header import JournalHeader
from ump.record.journal.journal_error import JournalError
from ump.record.journal.journal_file import Journal
from ump.record.journal.journal_lines import JournalStep
from ump.table.journal_entries import Ended
from ump.table.messages import Message, Tell
from ump.table.outcomes import End
from ump.table.table import Table


@value
class GameSummary:
    """How a recorded game ended."""

    header: JournalHeader
    end: End | None
    """None if the game is not over."""
    duration: int
    """Milliseconds from the beginning to the last step."""
    points: tuple[int, ...] | None
    """The points of the seats at the end; None if the game is not over."""
    result: GameEnded | None
    """Places and results; None if the game was not completed."""


def check_journal(journal: Journal) -> list[Event]:
    """Play a recorded game from its beginning, and return its events, hidden tiles included.

    Every input must be legal, and have just the recorded consequences: defaults, faults, points before each kyoku and
    at the end. Raises JournalError with the number of the line that does not fit.
    """
    return [event for _, events, _ in played(journal) for event in events]


def played(journal: Journal) -> Iterator[tuple[JournalStep, list[Event], Game]]:
    """Play a recorded game from its beginning; yield each step with its events, and the game after it.

    Raises JournalError like ``check_journal``.
    """
    table = journal.header.opening.table()
    for number, step in enumerate(journal.steps, 2):
        try:
            told = _told(_replayed(table, step))
            if any(isinstance(event, KyokuStarted) for event in told) and table.kyoku_start != step.start:
                raise JournalError(f"the kyoku starts with {table.kyoku_start}, recorded is {step.start}")
        except JournalError as error:
            raise JournalError(f"line {number}: {error}") from error
        yield step, told, table.game


def summary_of(journal: Journal) -> GameSummary:
    """Return how a recorded game ended. Only its last kyoku is played; raises JournalError if that does not fit."""
    events: list[Event] = []
    if journal.end is End.COMPLETED:
        first = journal.last_start
        start = None if first is None else journal.steps[first].start
        table = journal.header.opening.table(None if start is None else start.standing)
        rest = journal.steps
        if first is not None and start is not None:
            table.resume(start, journal.steps[first].now)
            rest = journal.steps[first + 1 :]
        for step in rest:
            events += _told(_replayed(table, step))
    ended = next((event for event in events if isinstance(event, GameEnded)), None)
    return ended_summary(journal.header, journal.steps[-1] if journal.steps else None, ended)


def ended_summary(header: JournalHeader, last: JournalStep | None, ended: GameEnded | None) -> GameSummary:
    """Return the summary of a game from its last step, and the event of its end if it was completed."""
    entry = None if last is None else last.entries[-1]
    return GameSummary(
        header=header,
        end=entry.end if isinstance(entry, Ended) else None,
        duration=0 if last is None else last.now,
        points=entry.points if isinstance(entry, Ended) else None,
        result=ended,
    )


def _replayed(table: Table, step: JournalStep) -> list[Message]:
    """Let a table take a recorded step, and return its messages; raises JournalError if anything else follows."""
    given = step.entries[0]
    try:
        again = table.apply(given, step.now)
    except ValueError as error:
        raise JournalError(f"{given} is not possible: {error}") from error
    if again.entries != step.entries:
        raise JournalError(f"{given} came to {again.entries[1:]}, recorded is {step.entries[1:]}")
    return again.messages


def _told(messages: Iterable[Message]) -> list[Event]:
    return [message.event for message in messages if isinstance(message, Tell)]
