"""The elements of an mjlog file, plain or gzip: a flat list under one root.

Files come from anywhere: sizes are bounded before anything is unpacked or parsed, and whatever has a document type
(only there can entities be declared) is refused.
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
"""Bytes of a file, packed and unpacked: forty times the longest of some thousand records."""

MOST_ELEMENTS = 20_000
"""Elements of a record; the longest known has 2,000."""

DEPTH = 2
"""The root and its elements: there is nothing below."""

GZIP = b"\x1f\x8b"
"""How a gzip file begins."""

ROOT = "mjloggm"


@value
class Element:
    """One element: its name and its attributes."""

    tag: str
    fields: Mapping[str, str]


def read_elements(data: bytes) -> tuple[Element, ...]:
    """Return the elements under the root; raises RecordError for anything but a whole, reasonable mjlog file."""
    return _Parse().elements_of(_text(_unpacked(data)))


def _unpacked(data: bytes) -> bytes:
    """Unpack gzip, if it is that, never beyond the limit."""
    if len(data) > MOST_BYTES:
        raise RecordError(f"more than {MOST_BYTES} bytes")
    if not data.startswith(GZIP):
        return data
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
            unpacked = packed.read(MOST_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise RecordError(f"damaged gzip: {error}") from None
    if len(unpacked) > MOST_BYTES:
        raise RecordError(f"unpacks to more than {MOST_BYTES} bytes")
    return unpacked


def _text(data: bytes) -> str:
    if not data.strip():
        raise RecordError("empty")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RecordError(f"not UTF-8: byte {error.start}") from None


class _Parse:
    """One pass over a document."""

    def __init__(self) -> None:
        self.elements: list[Element] = []
        self.depth = 0
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.StartDoctypeDeclHandler = self.refuse_doctype

    def elements_of(self, text: str) -> tuple[Element, ...]:
        """Parse the whole text."""
        try:
            self.parser.Parse(text, True)
        except expat.ExpatError as error:
            raise RecordError(f"not well-formed XML: {error}") from None
        return tuple(self.elements)

    def start(self, tag: str, fields: dict[str, str]) -> None:
        """Take an element; its end says nothing new."""
        self.depth += 1
        if self.depth == 1:
            if tag != ROOT:
                raise RecordError(f"no Tenhou record: the root element is {tag[:40]}, not {ROOT}")
            return
        if self.depth > DEPTH:
            raise RecordError(f"an element within {self.elements[-1].tag[:40]}")
        if len(self.elements) == MOST_ELEMENTS:
            raise RecordError(f"more than {MOST_ELEMENTS} elements")
        self.elements.append(Element(tag, fields))

    def end(self, tag: str) -> None:
        """Leave an element."""
        self.depth -= 1

    def refuse_doctype(self, *declared: object) -> None:
        """Refuse the document: no record has a document type."""
        raise RecordError("a document type is declared")
