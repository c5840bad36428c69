"""Reading files as elements, and refusing damaged or hostile files."""

from __future__ import annotations

import gzip

import pytest
from support.rows import each_row

from ump.record.mjlog.elements import MOST_BYTES, MOST_ELEMENTS, Element, read_elements
from ump.record.recorded_game import RecordError

ONE = b'<mjloggm ver="2.3"><GO type="9" lobby="0"/></mjloggm>'
PACKED = gzip.compress(ONE, mtime=0)  # without a time stamp, which would change the names of the tests


@pytest.mark.parametrize("data", [ONE, PACKED, b"\xef\xbb\xbf" + ONE, b'<?xml version="1.0"?>\n' + ONE])
def test_plain_and_packed_are_the_same(data: bytes) -> None:
    """A record is the list of the elements under its root, with or without gzip."""
    assert read_elements(data) == (Element("GO", {"type": "9", "lobby": "0"}),)


BOMB = gzip.compress(b"<mjloggm>" + b" " * (50 * MOST_BYTES) + b"</mjloggm>", mtime=0)


@each_row(
    ("data", "why"),
    [
        (b"", "empty"),
        (b" \n", "empty"),
        (b"no record", "not well-formed XML: syntax error: line 1, column 0"),
        (ONE[:-3], "not well-formed XML: unclosed token: line 1, column 43"),
        (ONE + ONE, "not well-formed XML: junk after document element: line 1, column 53"),
        (b"<html/>", "not a Tenhou record: the root element is html, not mjloggm"),
        (b"<mjloggm><GO><UN/></GO></mjloggm>", "unexpected element inside GO"),
        (b"<mjloggm>\xff</mjloggm>", "not UTF-8: byte 9"),
        (b"<mjloggm>" + b"<UN/>" * (MOST_ELEMENTS + 1) + b"</mjloggm>", f"more than {MOST_ELEMENTS} elements"),
        (b" " * (MOST_BYTES + 1), f"more than {MOST_BYTES} bytes"),
        (BOMB, f"unpacks to more than {MOST_BYTES} bytes"),
        (PACKED[:-9], "damaged gzip: Compressed file ended before the end-of-stream marker was reached"),
        (PACKED[:4] + b"\xff" * 30, "damaged gzip"),
        (b'<!DOCTYPE mjloggm [<!ENTITY a "b">]><mjloggm>&a;</mjloggm>', "a document type is not allowed"),
        (b'<!DOCTYPE mjloggm SYSTEM "file:///etc/passwd"><mjloggm/>', "a document type is not allowed"),
        (b"<mjloggm>&a;</mjloggm>", "not well-formed XML: undefined entity"),
    ],
)
def test_anything_else_is_refused_in_one_line(data: bytes, why: str) -> None:
    """Damaged or large files, other XML, and files that declare entities raise a RecordError with the reason."""
    with pytest.raises(RecordError) as caught:
        read_elements(data)
    assert str(caught.value).startswith(why)
    assert "\n" not in str(caught.value)
