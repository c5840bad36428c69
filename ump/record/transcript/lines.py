"""The lines of a transcript: which of them the server has sent, and our own field in a comment.

A line is a sentence with its id. Before it may stand an instant, as in the traces of our server, and a sign for its
direction. Servers and clients use the signs the other way round, so the sign of ``kyokustart`` is the server's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ump.record.own_fields import FIELD
from ump.record.recorded_game import RecordError
from ump.wire.json_text import JSON, read_object
from ump.wire.text import WireError

MOST_LINES = 200_000
"""Limit of lines in a transcript; a hanchan with all questions and answers has 6,000."""

OWN_FIELD = f"# {FIELD} ".encode("ascii")
"""The start of the comment with our own field."""

_LINE = re.compile(rb"(?:[0-9T:.-]{8,30}Z? )?(?:([<>]) ?)?([0-9]{1,9} .*)")
"""An instant, a sign, and a sentence with its id."""

_PREFIX = rb"^(?:[0-9T:.-]{8,30}Z? )?(?:([<>]) ?)?[0-9]{1,9} kyokustart "

_STARTS = {
    "0.1": re.compile(_PREFIX + rb"[1-4]z [A-D] ", re.MULTILINE),
    "0.2": re.compile(_PREFIX + rb"(?:[^ =\r\n]+=[^ \r\n]* )*[0-9]+ [A-D]0 ", re.MULTILINE),
}
"""The start of a kyoku in each version of UMP."""


def has_kyoku(data: bytes, version: str) -> bool:
    """Tell whether these are lines in which a kyoku of this version of UMP begins."""
    return data[:1] in b"#<>0123456789" and _STARTS[version].search(data) is not None


def server_lines(data: bytes, version: str) -> Iterator[tuple[int, str]]:
    """Yield the sentences of the server, each with the number of its line; raise RecordError if there is none."""
    start = _STARTS[version].search(data)
    if start is None:
        raise RecordError(f"no kyoku of UMP {version} begins")
    sign = start[1]
    for number, line in enumerate(data.split(b"\n"), 1):
        if number > MOST_LINES:
            raise RecordError(f"more than {MOST_LINES} lines")
        match = _LINE.fullmatch(line.rstrip(b"\r"))
        if match is not None and match[1] == sign:
            yield number, match[2].decode("utf-8", "backslashreplace")


def own_field(data: bytes) -> JSON:
    """Return the content of our own field, None if there is none; raise RecordError if it is malformed."""
    for line in data.split(b"\n", 1)[:1]:
        if line.startswith(OWN_FIELD):
            try:
                return read_object(line.removeprefix(OWN_FIELD))
            except WireError as error:
                raise RecordError(f"line 1: {error}") from None
    return None
