"""The notes that bots add to their replies."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.rows import each_row

from ump.wire.json_text import MAX_DEPTH, read_object
from ump.wire.mjai.session_base import MAX_NOTE, read_note
from ump.wire.session import Note


@each_row(
    ("reply", "note"),
    [
        (b'{"type":"none"}', None),
        (b'{"type":"none","log":"why"}', Note("why", None)),
        (b'{"type":"none","log":null,"meta":null}', None),
        (b'{"type":"none","log":5,"meta":[1]}', None),
        (b'{"type":"none","meta":{"q": [0.5, -1e-9], "b":true}}', Note(None, '{"q":[0.5,-1e-09],"b":true}')),
        ('{"type":"none","log":"雀","meta":{"a":"雀"}}'.encode(), Note("雀", '{"a":"\\u96c0"}')),
        (b'{"type":"none","log":"%s"}' % (b"x" * (MAX_NOTE + 9)), Note("x" * MAX_NOTE, None)),
        (b'{"type":"none","log":"kept","meta":{"a":"%s"}}' % (b"x" * MAX_NOTE), Note("kept", None)),
        (b'{"type":"none","log":"kept","meta":{"a":[1e999]}}', Note("kept", None)),
        (b'{"type":"none","log":"kept","meta":{"a":1%s}}' % (b"0" * 400), Note("kept", None)),
        (b'{"type":"none","log":"kept","meta":{"\\ud800":1}}', Note("kept", None)),
        (b'{"type":"none","log":"\\ud800","meta":{}}', Note(None, "{}")),
    ],
)  # fmt: skip
def test_a_note(reply: bytes, note: Note | None) -> None:
    """Text is cut, and objects that are too long or that some readers refuse are left out."""
    assert read_note(read_object(reply)) == note


CONTENT = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=MAX_DEPTH,
)


@given(st.dictionaries(st.text(), CONTENT, max_size=4) | CONTENT, CONTENT)
def test_any_note_can_be_written(meta: object, log: object) -> None:
    """The parts are short, and every strict reader accepts them."""
    reply = json.loads(json.dumps({"type": "none", "meta": meta, "log": log}))
    note = read_note(reply)
    if note is None:
        return
    for part in (note.log, note.meta):
        if part is not None:
            assert len(part) <= MAX_NOTE
            part.encode("utf-8")
    if note.meta is not None:
        json.loads(note.meta, parse_constant=pytest.fail)
