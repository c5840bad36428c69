"""The registry of record formats: one line for each. Nothing above knows more of a format than its ``RecordFormat``.

To add a format, write its module in ``ump/record`` with a value of the class ``RecordFormat``, and list that value
here.
"""

from __future__ import annotations

from ump.model.choices import unknown
from ump.record.html import HTML
from ump.record.journal import JOURNAL_FORMAT
from ump.record.majsoul import MAJSOUL_RECORD
from ump.record.mjai import MJAI, MORTAL
from ump.record.mjlog import MJLOG
from ump.record.mleague import MLEAGUE_RECORD
from ump.record.paipu import PAIPU
from ump.record.record_format import RecordFormat
from ump.record.recorded_game import RecordedGame, RecordError
from ump.record.tables import CSV, PARQUET
from ump.record.tenhou6 import TENHOU6, TENHOU6_URLS
from ump.record.text import TEXT
from ump.record.transcript import UMP01, UMP02

FORMATS: tuple[RecordFormat, ...] = (
    JOURNAL_FORMAT,
    MJAI,
    MORTAL,
    TENHOU6,
    TENHOU6_URLS,
    PAIPU,
    MJLOG,
    UMP01,
    UMP02,
    MLEAGUE_RECORD,
    MAJSOUL_RECORD,
    TEXT,
    CSV,
    PARQUET,
    HTML,
)
"""All formats, in the order of the documentation. ``sniffed`` asks them in this order."""

BOM = b"\xef\xbb\xbf"
"""The mark that some editors put before UTF-8."""


def named(key: str) -> RecordFormat:
    """Return the format of this key; raise RecordError if there is none."""
    for each in FORMATS:
        if each.key == key:
            return each
    raise RecordError(unknown("format", key, [each.key for each in FORMATS]))


UTF16 = (b"\xff\xfe", b"\xfe\xff")
"""The marks at the start of UTF-16, as some editors of Windows save it."""


def in_utf8(data: bytes) -> bytes:
    """Return unpacked data in UTF-8, without a BOM; raise RecordError for damaged UTF-16."""
    if not data.startswith(UTF16):
        return data.removeprefix(BOM)
    try:
        return data.decode("utf-16").encode()
    except UnicodeError as error:
        raise RecordError(f"damaged UTF-16: {error}") from None


def content(data: bytes) -> bytes:
    """Return unpacked data in UTF-8 without leading blanks, as ``RecordFormat.sniff`` and ``read`` take it."""
    return in_utf8(data).lstrip()


def sniffed(data: bytes) -> RecordFormat:
    """Return the format that unpacked data looks like; raise RecordError if it looks like none."""
    start = content(data)
    if not start:
        raise RecordError("empty")
    for each in FORMATS:
        if each.sniff(start):
            return each
    raise RecordError(f"not a record: expected {', '.join(each.name for each in FORMATS if each.read is not None)}")


def read_games(data: bytes, record_format: RecordFormat | None = None) -> tuple[RecordedGame, ...]:
    """Return the games in unpacked data, of this format or of the one that it looks like; raise RecordError."""
    chosen = record_format or sniffed(data)
    if chosen.read is None:
        raise RecordError(f"{chosen.name} is only written")
    return chosen.read(content(data))
