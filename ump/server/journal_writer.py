"""Writes the journal of a running game, step by step."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from enum import Enum
from pathlib import Path

from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from ump.model.events import GameEnded
from ump.record.journal import GameSummary, Journal, JournalHeader, JournalStep, ended_summary, write_header, write_step
from ump.table.chair import KyokuStart
from ump.table.journal_entries import Entry

_log = Logger()

RUNNING = ".journal"
"""The end of the name of a journal whose game may go on. The name begins with a dot, so that no web server lists it."""

DAMAGED = ".journal.damaged"
"""The end of the name of a journal that cannot be read, so that its game cannot go on."""


class Sync(Enum):
    """When journals are brought to the disk, so that they survive a loss of power."""

    ALWAYS = "always"
    """Before anything of a step is sent. Only the table of that step waits for the disk."""
    KYOKU = "kyoku"
    """At the start of each kyoku, without waiting for the disk."""
    NEVER = "never"
    """When the operating system does it."""


class JournalFile:
    """The journal of a running game. Each step is one write, so the death of the process loses nothing."""

    _log = Logger()

    def __init__(
        self,
        path: Path,
        descriptor: int,
        header: JournalHeader,
        sync: Sync,
        in_thread: Callable[..., Deferred[None]],
        finished: Callable[[Path, GameSummary], object],
    ) -> None:
        """Append to an open file; call ``finished`` with its path and the summary when the game is over.

        ``in_thread`` calls a function with its arguments in another thread, and returns a Deferred with its result.
        """
        self.path = path
        self._header = header
        self._descriptor = descriptor
        self._sync = sync
        self._in_thread = in_thread
        self._finished = finished
        self._last: JournalStep | None = None
        """The last step that was recorded."""
        self._failure: BaseException | None = None
        """The error of a sync in another thread."""

    def record(self, entries: list[Entry], now: int, start: KyokuStart | None) -> Deferred[None] | None:
        """Append a step, and the state before the kyoku that it starts; raises OSError if that fails.

        With ``Sync.ALWAYS`` the Deferred fires when the step is on the disk.
        """
        if self._failure is not None:
            raise self._failure
        self._last = JournalStep(now, entries, start)
        self._write(write_step(self._last))
        if self._sync is Sync.ALWAYS:
            return self._in_thread(_sync_copy, os.dup(self._descriptor))
        if self._sync is Sync.KYOKU and start is not None:
            self._in_thread(_sync_copy, os.dup(self._descriptor)).addErrback(self._note_failure)
        return None

    def begin(self) -> None:
        """Write the first line; raises OSError if that fails."""
        self._write(write_header(self._header))

    def finish(self, ended: GameEnded | None) -> None:
        """Close the file, and compress it: the game is over."""
        self.suspend()
        self._finished(self.path, ended_summary(self._header, self._last, ended))

    def give_up(self) -> None:
        """Close the file, and rename it: its game is over without an end in the journal. Raises nothing."""
        self.suspend()
        try:
            self.path.rename(aside(self.path))
        except OSError as error:
            self._log.error("{path}: {error}", path=str(self.path), error=error.strerror or error)

    def suspend(self) -> None:
        """Close the file; its game may go on later."""
        try:
            os.close(self._descriptor)
        except OSError as error:
            self._log.error("{path}: {error}", path=str(self.path), error=error.strerror or error)

    def _write(self, line: str) -> None:
        data = f"{line}\n".encode("ascii")
        if os.write(self._descriptor, data) != len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def _note_failure(self, failure: Failure) -> None:
        """Make the next step fail after a failed sync for which no step has waited."""
        self._failure = failure.value


def reopened(
    path: Path,
    journal: Journal,
    sync: Sync,
    in_thread: Callable[..., Deferred[None]],
    finished: Callable[[Path, GameSummary], object],
) -> JournalFile:
    """Go on with the journal of a game; an unfinished last line is cut off. Raises OSError.

    The other arguments are those of ``JournalFile``.
    """
    if journal.torn:
        _log.warn("{path}: {bytes} bytes of an unfinished line are cut off", path=str(path), bytes=journal.torn)
        os.truncate(path, path.stat().st_size - journal.torn)
    return JournalFile(path, os.open(path, os.O_WRONLY | os.O_APPEND), journal.header, sync, in_thread, finished)


def _sync_copy(descriptor: int) -> None:
    """Bring a file to the disk, in another thread, and close this descriptor of it; raises OSError."""
    try:
        os.fdatasync(descriptor)
    finally:
        os.close(descriptor)


def aside(path: Path) -> Path:
    """Return the name of a journal whose game cannot go on."""
    return path.with_name(path.name.removeprefix(".").removesuffix(RUNNING) + DAMAGED)
