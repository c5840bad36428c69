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
    header = read_header(_decoded(lines[0], 1))
    steps: list[JournalStep] = []
    for number, line in enumerate(lines[1:], 2):
        try:
            step = read_step(_decoded(line, number), header.opening.ruleset.seats)
        except JournalError as error:
            raise JournalError(f"line {number}: {error}") from error
        if steps and step.now < steps[-1].now:
            raise JournalError(f"line {number}: the instant {step.now} is before that of the line above")
        steps.append(step)
    return Journal(header, steps, len(rest))


def _decoded(line: bytes, number: int) -> str:
    try:
        return line.decode("ascii")
    except UnicodeDecodeError as error:
        raise JournalError(f"line {number}: not ASCII") from error
