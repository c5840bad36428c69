"""Words on the wire: what is percent-encoded, and what may never be written.

Text that is not plain ASCII travels as UTF-8, each byte up to 0x20 and from 0x7f on as ``%XX``, and ``%`` itself; in
names and option values ``=`` too, because a reader splits words there.
"""

from __future__ import annotations

import re

MAX_LINE = 1_024
"""Bytes of the longest line that we read or write: the longest sentence has some 150."""

_PLAIN = frozenset(range(0x21, 0x7F)) - {ord("%")}
_ESCAPE = re.compile(rb"%(..?)?", re.DOTALL)


class WireError(ValueError):
    """What was read is no sentence: the peer's fault, with a message for the log."""


class UnwritableError(ValueError):
    """What was to be written is no sentence: our own fault."""


def encode(text: str, *, is_value: bool = False) -> str:
    """Encode a text as one word; ``is_value``: a name or an option's value, in which ``=`` may not stand."""
    plain = _PLAIN - {ord("=")} if is_value else _PLAIN
    return "".join(chr(byte) if byte in plain else f"%{byte:02X}" for byte in text.encode())


def decode(word: str) -> str:
    """Decode one word; raises WireError where an escape is not two hex digits or the bytes are not UTF-8."""
    try:
        return _ESCAPE.sub(_unescaped, word.encode()).decode()
    except ValueError as error:
        raise WireError(f"{word[:80]!r} is not percent-encoded UTF-8") from error


def _unescaped(match: re.Match[bytes]) -> bytes:
    digits = match[1] or b""
    if re.fullmatch(rb"[0-9A-Fa-f]{2}", digits) is None:
        raise WireError("no two hex digits after %")
    return bytes((int(digits, 16),))


def words_of(line: str) -> list[str]:
    """Split a line into words; runs of spaces and tabs count as one space, because people type."""
    return line.split()


def checked(line: str) -> str:
    """Return a line that is about to be written; raises UnwritableError if it could be read as something else."""
    if len(line) > MAX_LINE or not line.isascii() or not line.isprintable():
        raise UnwritableError(f"{line[:80]!r} must not be written")
    return line
