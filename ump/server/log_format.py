"""The forms of the server's log: text for people, or a JSON object on each line for programs."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from enum import Enum
from math import isfinite
from typing import TextIO

from twisted.logger import FileLogObserver, ILogObserver, LogEvent, formatEvent, textFileLogObserver
from twisted.python.failure import Failure

_OF_THE_OLDER_LOG = frozenset({"message", "system", "isError", "format"})
"""Fields of lines that Twisted itself writes through its older log; their text says the same."""


class LogFormat(Enum):
    """How lines of the log are written."""

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
