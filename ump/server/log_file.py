"""The server's own log file (``--log-file``): rotated by its size, and readable by the server's user only."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TextIO

from twisted.logger import FilteringLogObserver, ILogObserver, LogLevel, LogLevelFilterPredicate
from twisted.python.logfile import LogFile

from ump.model.value import value
from ump.server.log_format import LogFormat

MEBIBYTE = 1024 * 1024


@value
class LogFileOptions:
    """Where the log goes, and when its file is rotated."""

    path: Path
    size: int
    """MiB after which a new file begins."""
    files: int
    """Older files that are kept: FILE.1 is the newest of them."""
    form: LogFormat = LogFormat.TEXT


class RotatedLog:
    """A log file. A write that fails, as on a full disk, raises nothing that would harm the server."""

    def __init__(self, options: LogFileOptions) -> None:
        """Open the file; raises OSError."""
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
