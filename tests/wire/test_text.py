"""Tests percent-encoding, and the check of written lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.rows import each_row

from ump.wire.text import MAX_WRITTEN, UnwritableError, WireError, decode, encode, written

ENCODED = [
    ("alice", "alice"),
    ("a b", "a%20b"),
    ("100%", "100%25"),
    ("小林", "%E5%B0%8F%E6%9E%97"),
    ("é", "%C3%A9"),
    ("a\r\n1 bye", "a%0D%0A1%20bye"),
    ("\x7f", "%7F"),
    ("~!/", "~!/"),
    ("", ""),
]


@each_row(("text", "word"), ENCODED)
def test_text_is_percent_encoded_utf_8(text: str, word: str) -> None:
    """Bytes up to 0x20, from 0x7f on, and ``%`` become two capital hex digits; other bytes stay."""
    assert encode(text) == word
    assert decode(word) == text


def test_values_do_not_hold_an_equals_sign() -> None:
    """``=`` is encoded in names and option values only."""
    assert (encode("a=b"), encode("a=b", is_value=True)) == ("a=b", "a%3Db")


@given(st.text(), st.booleans())
def test_encoded_text_is_decoded(text: str, is_value: bool) -> None:
    """Any text is read back, and is one printable ASCII word in between."""
    word = encode(text, is_value=is_value)
    assert decode(word) == text
    assert word.isascii()
    assert all(0x20 < ord(character) < 0x7F for character in word)


@each_row("word", ["%", "a%2", "%G0", "%%", "%E5%B0", "%FF", "% 1", "%\n1", "\ud800"])
def test_other_escapes_are_refused(word: str) -> None:
    """An escape is two hex digits, and the bytes are UTF-8."""
    with pytest.raises(WireError):
        decode(word)


@given(st.text())
def test_decoding_never_fails_otherwise(word: str) -> None:
    """Any word is decoded or raises WireError, with an ASCII message of one line."""
    try:
        decode(word)
    except WireError as error:
        assert str(error).isascii()
        assert str(error).isprintable()


@each_row("word", ["", " ", "a b", "a\n", "a\r", "\t", "é", "\x7f", "\x00"])
def test_only_single_words_are_written(word: str) -> None:
    """A word that a reader would misunderstand raises UnwritableError."""
    with pytest.raises(UnwritableError):
        written("say", word)


def test_no_line_is_over_long() -> None:
    """A line of the maximum length is written; one more character is refused."""
    assert len(written("error", "x" * (MAX_WRITTEN - 6))) == MAX_WRITTEN
    with pytest.raises(UnwritableError):
        written("error", "x" * (MAX_WRITTEN - 5))
