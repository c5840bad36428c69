"""Tests how a client's line is split into id and words."""

from __future__ import annotations

from support.rows import each_row

from ump.wire.ump.session import is_id, split_line

LINES: list[tuple[bytes, str | None, list[str] | None]] = [
    (b"", None, []),
    (b" \t ", None, []),
    (b"3", "3", []),
    (b"3 sute 5m", "3", ["sute", "5m"]),
    (b"sute 5m", None, ["sute", "5m"]),
    (b" 3\tsute   5m \t tsumogiri ", "3", ["sute", "5m", "tsumogiri"]),
    (b"3x sute", None, ["3x", "sute"]),
    (b"3 caf\xe9", "3", None),
    (b"\t3\tcaf\xe9", "3", None),
    (b"3\xe9", None, None),
    (b"\x1b[A", None, None),
    (b"sute 5m\x7f", None, None),
    (b"\xb2 sute", None, None),
]


@each_row(("line", "given_id", "words"), LINES)
def test_lines_are_split_at_runs_of_spaces_and_tabs(line: bytes, given_id: str | None, words: list[str] | None) -> None:
    """A first word of digits is the id; a line with other bytes than tabs and printable ASCII has no words."""
    assert split_line(line) == (given_id, words)


@each_row(("text", "number"), [("0", 0), ("00", 0), ("7", 7), ("0007", 7), ("70", 70)])
def test_ids_may_have_leading_zeros(text: str, number: int) -> None:
    """Leading zeros do not change the id."""
    assert is_id(text, number)


@each_row(("text", "number"), [("0", 7), ("7", 0), ("70", 7), ("7", 70), ("9" * 900, 7)])
def test_other_ids_differ(text: str, number: int) -> None:
    """Any other number is another id, however long it is."""
    assert not is_id(text, number)
