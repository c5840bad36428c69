"""Read an mjlog file, plain or gzip, as a flat list of XML elements.

Files may be hostile. Sizes are checked before unpacking and parsing, and a document type is refused, because only it
can declare entities.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Mapping
from xml.parsers import expat

from ump.model.value import value
from ump.record.recorded_game import RecordError

MOST_BYTES = 1 << 20
"""Limit of bytes of a file, packed and unpacked: forty times the longest of some thousand records."""

MOST_ELEMENTS = 20_000
"""Limit of elements of a record; the longest known has 2,000."""

DEPTH = 2
"""Levels of elements: the root and its children."""

GZIP = b"\x1f\x8b"
"""The first bytes of a gzip file."""

ROOT = "mjloggm"


@value
class Element:
    """One XML element: its name and its attributes."""

    tag: str
    fields: Mapping[str, str]


def read_elements(data: bytes) -> tuple[Element, ...]:
    """Return the elements under the root; raise RecordError unless this is a complete mjlog file within the limits."""
    return _Parser().parse(_text(unpacked(data)))


def unpacked(data: bytes) -> bytes:
    """Return the data, unpacked if it is gzip; raise RecordError beyond the limit or for damaged gzip."""
    if len(data) > MOST_BYTES:
        raise RecordError(f"more than {MOST_BYTES} bytes")
    if not data.startswith(GZIP):
        return data
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
            content = packed.read(MOST_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise RecordError(f"damaged gzip: {error}") from None
    if len(content) > MOST_BYTES:
        raise RecordError(f"unpacks to more than {MOST_BYTES} bytes")
    return content


def _text(data: bytes) -> str:
    if not data.strip():
        raise RecordError("empty")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RecordError(f"not UTF-8: byte {error.start}") from None


class _Parser:
    """Collects the elements of one document."""

    def __init__(self) -> None:
        self.elements: list[Element] = []
        self.depth = 0
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.StartDoctypeDeclHandler = self.refuse_doctype

    def parse(self, text: str) -> tuple[Element, ...]:
        """Return the elements of the text; raise RecordError unless it is a well-formed record."""
        try:
            self.parser.Parse(text, True)
        except expat.ExpatError as error:
            raise RecordError(f"not well-formed XML: {error}") from None
        return tuple(self.elements)

    def start(self, tag: str, fields: dict[str, str]) -> None:
        """Add an element."""
        self.depth += 1
        if self.depth == 1:
            if tag != ROOT:
                raise RecordError(f"not a Tenhou record: the root element is {tag[:40]}, not {ROOT}")
            return
        if self.depth > DEPTH:
            raise RecordError(f"unexpected element inside {self.elements[-1].tag[:40]}")
        if len(self.elements) == MOST_ELEMENTS:
            raise RecordError(f"more than {MOST_ELEMENTS} elements")
        self.elements.append(Element(tag, fields))

    def end(self, tag: str) -> None:
        """Go up one level."""
        self.depth -= 1

    def refuse_doctype(self, *declared: object) -> None:
        """Raise RecordError: no record has a document type."""
        raise RecordError("a document type is not allowed")
