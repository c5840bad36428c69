"""Tests that valid JSON is read, and that all other input is refused at little cost."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.rows import each_row

from ump.wire.json_text import JSON, MAX_BRACKETS, MAX_DEPTH, MAX_OBJECT, read_array, read_object, write
from ump.wire.text import WireError

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@pytest.mark.no_cover
@given(st.dictionaries(st.text(), VALUES, max_size=3))
def test_written_objects_are_read_back(content: dict[str, JSON]) -> None:
    """The text is one line of ASCII."""
    text = write(content)
    assert text.isascii()
    assert "\n" not in text
    assert read_object(text.encode()) == content


@each_row(
    ("message", "complaint"),
    [
        (b"", "is not JSON"),
        (b"{", "is not JSON"),
        (b"[]", "is not a JSON object"),
        (b"7", "is not a JSON object"),
        (b"null", "is not a JSON object"),
        (b'{"a":NaN}', "is not JSON"),
        (b'{"a":-Infinity}', "is not JSON"),
        (b'{"a":' + b"1" * 5_000 + b"}", "is not JSON"),
        (b'{"a":"\xff"}', "is not JSON"),
        (b'{"a":1}{"b":2}', "is not JSON"),
        (b'{"a":' + b"[" * MAX_BRACKETS + b"]" * MAX_BRACKETS + b"}", "too many brackets"),
        (b'{"a":[' + b"[]," * MAX_BRACKETS + b"[]]}", "too many brackets"),
        (b"{" + b" " * MAX_OBJECT + b"}", "too long"),
    ],
)
def test_invalid_messages_are_refused(message: bytes, complaint: str) -> None:
    """The error is a short ASCII message, however long the input is."""
    with pytest.raises(WireError) as caught:
        read_object(message)
    assert complaint in str(caught.value)
    assert str(caught.value).isascii()
    assert len(str(caught.value)) < 500


@each_row("inner", [b"[%b]", b'{"b":%b}', b'[1,"[",%b,{"c":[]}]'])
def test_depth_is_limited(inner: bytes) -> None:
    """The limit holds for any mix of arrays and objects."""

    def nested(depth: int) -> bytes:
        text = b"[]"
        for _ in range(depth - 2):
            text = inner % text
        return b'{"a":%b}' % text

    for depth in (2, 10, MAX_DEPTH - 1):
        assert read_object(nested(depth))
    for depth in (MAX_DEPTH + 2, 50, 300, 1_300):
        with pytest.raises(WireError, match=r"too deep|not JSON|too many brackets"):
            read_object(nested(depth))


def test_brackets_in_texts_are_accepted() -> None:
    """A bot's log may have many of them."""
    assert read_object(json.dumps({"log": "[" * 4_000}).encode()) == {"log": "[" * 4_000}


def test_arrays_are_read() -> None:
    """An object is refused where an array is expected."""
    assert read_array(b'["GAME",{}]') == ["GAME", {}]
    with pytest.raises(WireError, match="is not a JSON array"):
        read_array(b"{}")
