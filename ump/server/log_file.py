"""The server's own log file (``--log-file``): rotated by its size, and readable by the server's user only."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TextIO

from twisted.logger import FilteringLogObserver, ILogObserver, LogLevel, LogLevelFilterPredicate
from twisted.python.logfile import LogFile

from ump.model.setting import setting
from ump.model.value import value
from ump.server.log_format import LogFormat

MEBIBYTE = 1024 * 1024


@value
class LogFileOptions:
    """Where the log goes besides standard output, when its file is rotated, and the form of both."""

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


class RotatedLog:
    """A log file. A write that fails, as on a full disk, raises nothing that would harm the server."""

    def __init__(self, options: LogFileOptions) -> None:
        """Open the file, which has a path; raises OSError."""
        assert options.path is not None
        self._form = options.form
        os.close(os.open(options.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600))
        self._file = LogFile(
            options.path.name,
            str(options.path.parent),
            rotateLength=options.size * MEBIBYTE,
            defaultMode=0o600,
            maxRotatedFiles=options.files,
        )

    def observer(self) -> ILogObserver:
        """Return an observer that writes all events from ``info`` on to the file."""
        level = LogLevelFilterPredicate(LogLevel.info)
        lines: TextIO = self  # type: ignore[assignment]
        return FilteringLogObserver(self._form.observer(lines), [level])

    def write(self, text: str) -> None:
        """Write a line."""
        self._file.write(text.encode("utf-8", "backslashreplace"))

    def flush(self) -> None:
        """Write what waits to the disk's cache."""
        self._file.flush()

    def rotate(self) -> None:
        """Begin a new file."""
        self._file.rotate()

    def close(self) -> None:
        """Close the file."""
        self._file.close()
