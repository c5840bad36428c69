"""The server's log: text for people, or JSON for programs, in a file that is rotated by its size (``--log-file``)."""

from __future__ import annotations

import json
import os
import re
import sys
from datetime import UTC, datetime
from enum import Enum
from math import isfinite
from pathlib import Path
from typing import Any, TextIO

from twisted.logger import (
    FileLogObserver,
    FilteringLogObserver,
    ILogFilterPredicate,
    ILogObserver,
    LogEvent,
    Logger,
    LogLevel,
    LogLevelFilterPredicate,
    PredicateResult,
    formatEvent,
    textFileLogObserver,
)
from twisted.python.failure import Failure
from twisted.python.logfile import LogFile
from zope.interface import implementer, provider

from ump.model.setting import setting
from ump.model.value import value

MEBIBYTE = 1024 * 1024

_OF_THE_OLDER_LOG = frozenset({"message", "system", "isError", "format"})
"""Fields of lines that Twisted itself writes through its older log; their text says the same."""


_START = re.compile(r".+ starting on \S+")


class LogFormat(Enum):
    """The form of the lines of the log."""

    TEXT = "text"
    JSON = "json"

    def observer(self, stream: TextIO) -> ILogObserver:
        """Return an observer that writes lines of this form to a stream."""
        if self is LogFormat.TEXT:
            return textFileLogObserver(stream)
        return FileLogObserver(stream, json_line)


def json_line(event: LogEvent) -> str | None:
    """Return an event as a line of JSON; None for an event without a text, which observers leave out.

    ``text`` is the line as the text form has it. The fields of the line follow under their own names.
    """
    text = formatEvent(event)
    failure = event.get("log_failure")
    if not text and failure is None:
        return None
    level = event.get("log_level")
    line: dict[str, object] = {
        "time": datetime.fromtimestamp(event.get("log_time", 0.0), UTC).isoformat(timespec="milliseconds"),
        "level": "info" if level is None else level.name,
        "logger": event.get("log_namespace", "-"),
        "text": text,
    }
    line |= {key: _plain(field) for key, field in event.items() if _is_own(key) and key not in line}
    if isinstance(failure, Failure):
        line["traceback"] = failure.getTraceback()
    return json.dumps(line, ensure_ascii=True) + "\n"


def _is_own(key: str) -> bool:
    """Return whether a key is a field of the line, and not one of the logger's."""
    return not key.startswith("log_") and key.isidentifier() and key not in _OF_THE_OLDER_LOG


def _plain(field: object) -> object:
    """Return a field as JSON can hold it: not every number is one in JSON."""
    if isinstance(field, float):
        return field if isfinite(field) else str(field)
    return field if isinstance(field, str | int | None) else str(field)


@value
class LogFileOptions:
    """The destination of the log besides standard output, the rotation of its file, and the form of both."""

    path: Path | None = setting(
        None,
        "File for the server's log from info on, besides the log of the program that starts it.",
        name="log-file",
        shown="none",
        metavar="FILE",
        read=Path,
        prepare=Path.absolute,
        section="the-log",
    )
    size: int = setting(
        10, "MiB after which --log-file begins a new file.", name="log-size", section="the-log", needs="log_file"
    )
    files: int = setting(
        8, "Older files of --log-file that are kept.", name="log-files", section="the-log", needs="log_file"
    )
    """FILE.1 is the newest of them."""
    form: LogFormat = setting(
        LogFormat.TEXT,
        "Form of --log-file, and of the standard output of ump serve: text, or json with the fields of each line.",
        name="log-format",
        metavar="FORMAT",
        noun="log format",
        section="the-log",
    )


@implementer(ILogObserver)
class Once:
    """A log observer that passes each event on once, to another observer.

    When the log begins, Twisted repeats the events of before to all observers, also to those that have had them.
    """

    def __init__(self, observer: ILogObserver) -> None:
        self._observer = observer
        self._early: list[LogEvent] | None = []
        """The events that may come again; None: the log has begun."""

    def __call__(self, event: LogEvent) -> None:
        """Pass an event on, unless it is repeated."""
        if self._early is not None:
            if any(event is each for each in self._early):
                return
            self._early.append(event)
        self._observer(event)

    def begin(self) -> None:
        """Forget the events so far, because the log has begun."""
        self._early = None


STANDARD_STREAMS = (1, 2)
"""Descriptors to which programs print."""

MODE = 0o640
"""The rights of a log file. Lines name no hidden tiles, but who has come from where."""


class RotatedLog:
    """A log file. A line that cannot be written, as on a full disk, is lost, and the log says so when it can.

    If a rotation fails, the same file goes on, and the next one is tried after as many bytes.
    """

    _log = Logger()

    def __init__(self, path: Path, options: LogFileOptions) -> None:
        """Open the file of this path, after creating its folder if necessary; raises OSError."""
        path.parent.mkdir(0o750, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, MODE))
        self._path = path
        self._options = options
        self._file: LogFile | None = self._opened()
        """None after a rotation that has failed, until the next line."""
        self._lost = 0

    def _opened(self) -> LogFile:
        path, options = self._path, self._options
        return LogFile(
            path.name,
            str(path.parent),
            rotateLength=options.size * MEBIBYTE,
            defaultMode=MODE,
            maxRotatedFiles=options.files,
        )

    @property
    def lines(self) -> TextIO:
        """The file, as observers write to it."""
        return self  # type: ignore[return-value]

    def write(self, text: str) -> None:
        """Write a line."""
        if self._file is not None and self._file.shouldRotate():
            self.rotate()
        try:
            if self._file is None:
                self._file = self._opened()
                self._file.size = 0
            self._file.write(text.encode("utf-8", "backslashreplace"))
        except OSError:
            self._lost += 1
            return
        if self._lost:
            lost, self._lost = self._lost, 0
            self._log.error("{count} lines before the last one are lost: the log could not be written", count=lost)

    def flush(self) -> None:
        """Write what waits to the disk's cache."""
        if self._file is not None:
            self._file.flush()

    def rotate(self) -> None:
        """Begin a new file."""
        if self._file is None:
            return
        try:
            self._file.rotate()
        except OSError as error:
            self._file.close()
            self._file = None
            self._log.error("the log could not be rotated: {error}", error=error.strerror or error)

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()


def from_level(level: LogLevel, observer: ILogObserver) -> ILogObserver:
    """Return an observer that passes on events of a level and those above it, but for Twisted's line on an open port.

    The line of ``Listener`` names the address, too.
    """
    return FilteringLogObserver(observer, [_without_starts, LogLevelFilterPredicate(level)])


@provider(ILogFilterPredicate)
def _without_starts(event: LogEvent) -> Any:
    is_start = _START.fullmatch("".join(map(str, event.get("message", ()))))
    return PredicateResult.maybe if is_start is None else PredicateResult.no


def bounded_log(starter: Any, options: LogFileOptions) -> tuple[RotatedLog | None, ILogObserver | None]:
    """Bound the log of ``twist`` or ``twistd``, whose options ``starter`` has; raises OSError.

    Both write a file that grows for ever and that everybody can read, and ``twistd`` writes debug lines, too. Return
    the file that is rotated now, None if there is none, and the observer that ``twistd`` needs instead of its own.
    """
    if "logFile" in starter:  # twist: its options name a level, and its runner writes to this file
        stream = starter["logFile"]
        log = None if stream.fileno() in STANDARD_STREAMS else _rotated(Path(stream.name).absolute(), options)
        if log is not None:
            stream.close()
            starter["logFile"] = log
        return log, None
    if starter["logger"] or starter["syslog"]:
        return None, None
    name = starter["logfile"]
    if name == "-" or (starter["nodaemon"] and not name):
        return None, from_level(LogLevel.info, textFileLogObserver(sys.stdout))
    path = Path(name or "twistd.log").absolute()
    log = _rotated(path, options)
    lines = path.open("a", encoding="utf-8") if log is None else log.lines
    return log, from_level(LogLevel.info, textFileLogObserver(lines))


def _rotated(path: Path, options: LogFileOptions) -> RotatedLog | None:
    """Return the log of a path; None if it is no file that can be rotated, as ``/dev/null``."""
    return None if path.exists() and not path.is_file() else RotatedLog(path, options)
