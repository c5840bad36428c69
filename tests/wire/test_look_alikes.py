"""Names that can be taken for each other."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from support.rows import each_row

from ump.wire.names import look_alike, skeleton


@each_row(
    ("name", "other"),
    [
        ("alice", "\u0430l\u0456\u0441\u0435"),
        ("alice", "Alice"),
        ("alice", "AIice"),
        ("alice", "a1ice"),
        ("alice", "\u00e1lice"),
        ("bob", "\uff22\uff2f\uff22"),
        ("bob", "b0b"),
        ("BOB", "\u0412\u041e\u0412"),
        ("zoe", "\u0396oe"),
        ("mom", "morn"),
        ("efficiency-1", "efficiency-l"),
        ("efficiency-1", "efficiency\u20101"),
        ("\u30ab\u30a4", "\u529b\u30a4"),
        ("\u3078", "\u30d8"),
        ("x", "\u0445"),
    ],
)
def test_look_alikes(name: str, other: str) -> None:
    """Other scripts, case, accents, digits, widths, dashes, and pairs of letters."""
    assert look_alike(name, other)
    assert look_alike(other, name)


@each_row(
    ("name", "other"),
    [
        ("ann", "anne"),
        ("efficiency-1", "efficiency-2"),
        ("bot-10", "bot-11"),
        ("a-b", "a_b"),
        ("\u304b\u306a", "\u304c\u306a"),
        ("\u304b\u306a", "\u30ab\u30ca"),
        ("\u0410\u043d\u043d\u0430", "anna"),
        ("x2", "xz"),
    ],
)
def test_other_names_differ(name: str, other: str) -> None:
    """Numbers, voiced kana, hiragana and katakana, and most letters of other scripts are distinguished."""
    assert not look_alike(name, other)


@given(st.text(max_size=32))
def test_every_name_has_a_skeleton(name: str) -> None:
    """Upper and lower case and a second look change nothing; equal names are no look-alikes."""
    assert skeleton(skeleton(name)) == skeleton(skeleton(skeleton(name)))
    assert not look_alike(name, name)
