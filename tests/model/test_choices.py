"""Errors about unknown words: the closest known word, and the list of all."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from support.rows import each_row

from ump.model.choices import closest, either, quoted, unknown

PRESETS = ("ump", "tenhou", "mleague")


@each_row(
    ("word", "error"),
    [
        ("tenho", "unknown preset 'tenho' (did you mean tenhou?); choose ump, tenhou or mleague"),
        ("M-League", "unknown preset 'M-League' (did you mean mleague?); choose ump, tenhou or mleague"),
        ("x", "unknown preset 'x'; choose ump, tenhou or mleague"),
        ("麻雀", "unknown preset '\\u9ebb\\u96c0'; choose ump, tenhou or mleague"),
    ],
)
def test_an_unknown_word(word: str, error: str) -> None:
    """The error has the word, the closest known word if one is close, and all of them."""
    assert unknown("preset", word, PRESETS) == error


def test_a_long_list() -> None:
    """A long list is left out where one of its words is close."""
    words = [f"word-{number}-{'x' * number}" for number in range(30)]
    assert unknown("key", "word_3_xx", words).endswith("'word_3_xx' (did you mean word-3-xxx?)")
    assert unknown("key", "abc", words).endswith(f"{words[28]} or {words[29]}")


@each_row(("words", "text"), [("a", "a"), ("ab", "a or b"), ("abc", "a, b or c")])
def test_a_list_in_english(words: str, text: str) -> None:
    """The last word follows an ``or``."""
    assert either(words) == text


def test_the_closest_word_is_written_as_it_is_known() -> None:
    """Case, hyphens and underscores of the input do not count."""
    assert closest("HOUSE-AFTER", ("house", "house_after")) == "house_after"


@given(st.text())
def test_any_input_fits_into_one_line(text: str) -> None:
    """Quoted input is printable ASCII."""
    assert quoted(text).isprintable()
    assert quoted(text).isascii()
    assert len(quoted(text)) < 500
