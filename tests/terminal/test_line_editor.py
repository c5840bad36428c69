"""The line that a person types: editing keys, history, and the part of it that fits into a row."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from support.rows import each_row

from ump.terminal.connect import LONGEST_LINE, LineEditor
from ump.text.layout import width

LEFT, RIGHT, UP, DOWN, HOME, END, DELETE = (f"\x1b[{key}" for key in ("D", "C", "A", "B", "H", "F", "3~"))
BACKSPACE, WORD, TO_START, TO_END = "\x7f", "\x17", "\x15", "\x0b"


def typed(keys: str, *history: str) -> LineEditor:
    """Return an editor after these keys, which complete no line."""
    editor = LineEditor(history)
    assert list(editor.feed(keys.encode())) == []
    return editor


@each_row(
    ("keys", "text", "cursor"),
    [
        ("sute 6z", "sute 6z", 7),
        (f"ab{LEFT}c", "acb", 2),
        (f"ab{LEFT}{LEFT}{LEFT}c", "cab", 1),
        (f"ab{LEFT}{RIGHT}{RIGHT}c", "abc", 3),
        (f"bc{HOME}a", "abc", 1),
        ("bc\x01a\x05d", "abcd", 4),
        (f"ab{HOME}\x1bOC-{END}!", "a-b!", 4),
        (f"abc{LEFT}{BACKSPACE}", "ac", 1),
        (f"{BACKSPACE}a", "a", 1),
        (f"abc{HOME}{DELETE}", "bc", 0),
        ("abc\x02\x04", "ab", 2),
        (f"chi 4m 6m{WORD}{WORD}pon", "chi pon", 7),
        (f"abc{LEFT}{TO_START}", "c", 0),
        (f"abc{HOME}{TO_END}", "", 0),
        ("山田", "山田", 2),
        ("\x1b[5~\x1b[1;5C\x1bx\x00\t\x0ca", "a", 1),
    ],
)
def test_keys(keys: str, text: str, cursor: int) -> None:
    """Each key edits the line as in a shell; unknown keys do nothing."""
    editor = typed(keys)
    assert (editor.text, editor.cursor) == (text, cursor)


@each_row(
    ("keys", "text"),
    [
        (UP, "two"),
        (UP + UP, "one"),
        (UP + UP + UP, "one"),
        (UP + UP + DOWN, "two"),
        (f"new{UP}{DOWN}", "new"),
        (f"new{UP}{UP}\x10\x0e\x0e{DOWN}", "new"),
        (f"{UP}s", "twos"),
    ],
)
def test_history(keys: str, text: str) -> None:
    """The arrows show older and newer lines, and the new line last."""
    editor = typed(keys, "one", "two")
    assert editor.text == text
    assert editor.cursor == len(text)


def test_lines() -> None:
    """Enter completes a line; the history gets each line once, and no empty one."""
    editor = LineEditor()
    assert list(editor.feed(b"ok\r\n\nok\nsute 1z\n")) == ["ok", "", "", "ok", "sute 1z"]
    assert editor.history == ["ok", "sute 1z"]
    assert list(editor.feed(b"\x1b[A\n")) == ["sute 1z"]
    assert editor.history == ["ok", "sute 1z"]


def test_the_end() -> None:
    """Ctrl-D ends the input on an empty line only."""
    assert typed("\x04").is_ended
    assert not typed("a\x04").is_ended


def test_keys_in_pieces() -> None:
    """A character or an escape sequence may arrive in several pieces."""
    editor = LineEditor()
    for byte in f"山b{LEFT}a\x1bOFc".encode():
        assert list(editor.feed(bytes([byte]))) == []
    assert editor.text == "山abc"


def test_a_line_has_a_longest_length() -> None:
    """Further characters are dropped."""
    assert typed("x" * (LONGEST_LINE + 1)).text == "x" * LONGEST_LINE


@each_row(
    ("keys", "width", "row"),
    [
        ("abc", 10, ("abc", 3)),
        ("abcdef", 4, ("def", 3)),
        (f"abcdef{HOME}", 4, ("abcd", 0)),
        ("山田太郎", 5, ("太郎", 4)),
        (f"山田太郎{HOME}", 5, ("山田", 0)),
        ("e\u0301", 5, ("e\u0301", 1)),
    ],
)
def test_rows(keys: str, width: int, row: tuple[str, int]) -> None:
    """The row shows the part of the line around the cursor; wide characters take two columns."""
    assert typed(keys).row(width) == row


@given(st.lists(st.one_of(st.binary(), st.text().map(str.encode), st.sampled_from([b"\x1b[A", b"\x1b[D", b"\x04"]))))
def test_any_bytes_keep_the_cursor_in_the_line(pieces: list[bytes]) -> None:
    """No bytes raise; the cursor stays in the line, and the row in its width."""
    editor = LineEditor(["history"])
    for piece in pieces:
        for line in editor.feed(piece):
            assert "\n" not in line
        assert 0 <= editor.cursor <= len(editor.text) <= LONGEST_LINE
        row, column = editor.row(7)
        assert 0 <= column < 7
        assert width(row) <= 7
