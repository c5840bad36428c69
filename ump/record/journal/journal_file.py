"""A whole journal: its header and its steps."""

from __future__ import annotations

from ump.model.value import value
from ump.record.journal.header import JournalHeader, read_header
from ump.record.journal.journal_error import JournalError
from ump.record.journal.journal_lines import JournalStep, read_step
from ump.table.journal_entries import Ended
from ump.table.outcomes import End

JOURNAL = b'{"journal":'
"""The first bytes of every journal."""

_KYOKU = b'"kyoku":{'
"""Stands only in the lines of steps that start a kyoku."""


@value
class Journal:
    """The content of a journal."""

    header: JournalHeader
    steps: list[JournalStep]
    torn: int
    """The bytes of an unfinished last line, which the death of the server or a loss of power has cut off; else 0."""

    @property
    def end(self) -> End | None:
        """How the game ended; None if it goes on."""
        last = self.steps[-1].entries[-1] if self.steps else None
        return last.end if isinstance(last, Ended) else None

    @property
    def last_start(self) -> int | None:
        """The place of the last step that starts a kyoku, or None."""
        places = range(len(self.steps) - 1, -1, -1)
        return next((place for place in places if self.steps[place].start is not None), None)


def read_journal(data: bytes) -> Journal:
    """Read a journal. Raises JournalError with the number of the line that is damaged.

    An unfinished last line is not an error: nothing of it had been sent. It is left out.
    """
    *lines, rest = data.split(b"\n")
    if not lines:
        raise JournalError("line 1: no header")
    return _read(lines[0], lines[1:], 2, len(rest))


def read_last_kyoku(data: bytes) -> Journal:
    """Read a journal without the steps before its last kyoku; raises JournalError like ``read_journal``.

    The rest is enough to go on with the game, or to learn how it ended, and is read in a tenth of the time.
    """
    header_end, end = data.find(b"\n") + 1, data.rfind(b"\n") + 1
    place = data.rfind(_KYOKU, header_end, end)
    if place < 0:
        return read_journal(data)
    start = data.rfind(b"\n", 0, place) + 1
    number = 2 + data.count(b"\n", header_end, start)
    return _read(data[: header_end - 1], data[start:end].split(b"\n")[:-1], number, len(data) - end)


def _read(first: bytes, lines: list[bytes], number: int, torn: int) -> Journal:
    """Read the header, and the lines of steps from the line with this number on."""
    header = read_header(_decoded(first, 1))
    seats = header.opening.ruleset.seats
    steps: list[JournalStep] = []
    for at, line in enumerate(lines, number):
        try:
            step = read_step(_decoded(line, at), seats)
        except JournalError as error:
            raise JournalError(f"line {at}: {error}") from error
        if steps and step.now < steps[-1].now:
            raise JournalError(f"line {at}: the instant {step.now} is before that of the line above")
        steps.append(step)
    return Journal(header, steps, torn)


def _decoded(line: bytes, number: int) -> str:
    try:
        return line.decode("ascii")
    except UnicodeDecodeError as error:
        raise JournalError(f"line {number}: not ASCII") from error
