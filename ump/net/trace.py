"""Traces: what each connection sends and receives, with instants, in a file of its own, for the authors of clients.

A trace holds the hands of its player, so nobody else may read it. It has no passwords and tokens.

A line is an instant, a sign and a text: ``>`` for a message that the server sends, ``<`` for one that it receives, and
``#`` for a remark of the server, such as the reason why it refused the message above.

Players never wait for the disk: another thread writes, and if the disk is too slow, messages are left out and counted.
If the disk fails, the trace ends; the connection goes on.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol

from twisted.internet.defer import Deferred, succeed
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger

from ump.net.limits import MAX_LOGGED_TEXT, MAX_TRACE, MAX_TRACE_BACKLOG, MAX_TRACED_TEXT, MAX_TRACES, TRACE_SECONDS
from ump.net.wall_clock import wall_datetime
from ump.wire.text import without_secrets, without_typed_codes

ENDING = ".trace"
"""The end of the name of a trace."""

OLDER = ".1"
"""The further end of the name of a trace's older part."""

_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


class ConnectionTrace(Protocol):
    """Takes what one connection sends and receives."""

    def received(self, message: bytes) -> None:
        """Take a message of the client."""

    def sent(self, messages: Iterable[str]) -> None:
        """Take messages to the client."""

    def remark(self, text: str) -> None:
        """Take a remark of the server."""

    def close(self) -> None:
        """End: the connection is gone."""


class Traces(Protocol):
    """Traces the connections of a server."""

    def open(self, peer: str) -> ConnectionTrace | None:
        """Begin the trace of a connection; None if it is not traced."""


class TraceFile:
    """The file of a trace, with its older part. Only the writing thread uses it; the methods raise OSError."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor: int | None = None
        self._size = 0

    def write(self, data: bytes) -> None:
        """Append data. A file that would become too long is renamed first, in place of the older part."""
        if self._descriptor is not None and self._size + len(data) > MAX_TRACE:
            self.close()
            self.path.rename(self.path.with_name(self.path.name + OLDER))
        if self._descriptor is None:
            self._descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            self._size = 0
        self._size += len(data)
        while data:
            data = data[os.write(self._descriptor, data) :]

    def close(self) -> None:
        """Close the file."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)


class Trace:
    """The trace of one connection."""

    def __init__(self, file: TraceFile, folder: TraceFolder, clock: IReactorTime) -> None:
        self.file = file
        self.has_failed = False
        """Whether the disk has failed, so that nothing more is written."""
        self._folder = folder
        self._clock = clock
        self._missing = 0
        """Lines that were left out because the disk is too slow."""

    def received(self, message: bytes) -> None:
        """Write down a message of the client."""
        self._add("<", [shown_message(message, MAX_TRACED_TEXT)])

    def sent(self, messages: Iterable[str]) -> None:
        """Write down messages to the client."""
        self._add(">", [shown(message, MAX_TRACED_TEXT) for message in messages])

    def remark(self, text: str) -> None:
        """Write down a remark of the server."""
        self._add("#", [shown(text, MAX_TRACED_TEXT)])

    def close(self) -> None:
        """End the trace: the connection is gone."""
        self._folder.finish(self)

    def _add(self, sign: str, texts: list[str]) -> None:
        if self.has_failed:
            return
        now = wall_datetime(self._clock)
        instant = f"{now:%Y-%m-%dT%H:%M:%S}.{now.microsecond // 1_000:03}Z"
        lines = [f"{instant} {sign} {text}\n" for text in texts]
        if self._missing:
            lines.insert(0, f"{instant} # {self._missing} lines are missing here: the disk was too slow\n")
        if self._folder.write(self, "".join(lines).encode()):
            self._missing = 0
        else:
            self._missing += len(texts)


class TraceFolder:
    """The folder for the traces of a server. It keeps the newest, up to a number."""

    _log = Logger()

    def __init__(
        self, folder: Path, clock: IReactorTime, in_thread: Callable[..., Deferred[list[OSError | None]]]
    ) -> None:
        """``in_thread`` calls a function in another thread, and returns a Deferred with its result."""
        self._folder = folder
        self._clock = clock
        self._in_thread = in_thread
        self._open: dict[TraceFile, Trace] = {}
        """The traces of open connections, as far as the disk has not failed."""
        self._count = 0
        self._is_full = False
        """Whether the log already says that there are too many connections to trace."""
        self._waiting: list[tuple[TraceFile, bytes | None]] = []
        """Data to write, in order; None closes the file."""
        self._kept = 0
        """Bytes that wait, or are being written."""
        self._timer: IDelayedCall | None = None
        self._writing: Deferred[None] | None = None
        """Fires when the thread has written a batch."""
        self._descriptors: set[Path] = set()
        """The paths of the files that are being written; only the writing thread uses it."""

    def open(self, peer: str) -> Trace | None:
        """Begin the trace of a connection; None if MAX_TRACES connections are being traced."""
        if len(self._open) >= MAX_TRACES:
            if not self._is_full:
                self._log.warn("{count} connections are traced; further ones are not", count=MAX_TRACES)
            self._is_full = True
            return None
        self._is_full = False
        self._count += 1
        now = wall_datetime(self._clock)
        name = f"{now:%Y-%m-%d-%H%M%S}-{self._count:06}-{_UNSAFE.sub('_', peer)[:80]}{ENDING}"
        file = TraceFile(self._folder / name)
        self._open[file] = trace = Trace(file, self, self._clock)
        self._log.debug("{peer}: traced in {name}", peer=peer, name=name)
        return trace

    def write(self, trace: Trace, data: bytes) -> bool:
        """Write data soon; return False, and drop the data, if too much waits already."""
        if self._kept + len(data) > MAX_TRACE_BACKLOG:
            return False
        self._kept += len(data)
        self._waiting.append((trace.file, data))
        self._arm()
        return True

    def finish(self, trace: Trace) -> None:
        """Close the file of a trace after all that waits."""
        if self._open.pop(trace.file, None) is not None:
            self._waiting.append((trace.file, None))
            self._arm()

    def close(self) -> Deferred[None]:
        """Write everything that waits; the Deferred fires when it is on the disk."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._writing is not None:
            return self._writing.addCallback(lambda _: self.close())
        return self._write_batch() if self._waiting else succeed(None)

    def _arm(self) -> None:
        if self._timer is None and self._writing is None:
            self._timer = self._clock.callLater(TRACE_SECONDS, self._flush)

    def _flush(self) -> None:
        self._timer = None
        self._write_batch()

    def _write_batch(self) -> Deferred[None]:
        """Let the thread write all that waits."""
        batch, self._waiting = self._waiting, []
        written: Deferred[None] = Deferred()
        self._writing = written
        self._in_thread(self._write, batch).addBoth(self._written, batch, written)
        return written

    def _written(self, errors: object, batch: list[tuple[TraceFile, bytes | None]], written: Deferred[None]) -> None:
        """End the traces whose files have failed; go on with what has come meanwhile."""
        self._writing = None
        self._kept -= sum(len(data) for _, data in batch if data is not None)
        for (file, _), error in zip(batch, errors if isinstance(errors, list) else (), strict=False):
            trace = None if error is None else self._open.pop(file, None)
            if trace is not None:
                trace.has_failed = True
                self._log.error("{path}: the trace ends: {why}", path=str(file.path), why=error.strerror or str(error))
        if self._waiting:
            self._arm()
        written.callback(None)

    # In the writing thread

    def _write(self, batch: list[tuple[TraceFile, bytes | None]]) -> list[OSError | None]:
        """Write data to files; return for each piece None, or why it could not be written."""
        return [self._write_one(file, data) for file, data in batch]

    def _write_one(self, file: TraceFile, data: bytes | None) -> OSError | None:
        try:
            if data is None:
                self._descriptors.discard(file.path)
                file.close()
                return None
            if file.path not in self._descriptors:
                self._descriptors.add(file.path)
                self._remove_oldest()
            file.write(data)
        except OSError as error:
            return error
        return None

    def _remove_oldest(self) -> None:
        """Make room for one more trace, at the cost of the oldest whose connections are gone."""
        kept = MAX_TRACES - len(self._descriptors)
        finished = sorted(set(self._folder.glob(f"*{ENDING}")) - self._descriptors)
        for path in finished[: max(0, len(finished) - kept)]:
            path.unlink(missing_ok=True)
            path.with_name(path.name + OLDER).unlink(missing_ok=True)


def shown(text: str, most: int = MAX_LOGGED_TEXT) -> str:
    """Return a text from outside on one line, without secrets and control characters, cut after ``most`` characters."""
    safe = _CONTROLS.sub(lambda match: f"\\x{ord(match[0]):02x}", without_secrets(text))
    return safe if len(safe) <= most else f"{safe[:most]}.. ({len(safe) - most} characters more)"


def shown_message(message: bytes, most: int = MAX_LOGGED_TEXT) -> str:
    """Return the beginning of a client's message as a log, or a trace, may show it."""
    beginning = message[: 4 * most]  # a character may have four bytes
    return shown(without_typed_codes(beginning.decode("utf-8", "backslashreplace")), most)
