"""Columns align on a terminal, where Japanese characters take two places."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st
from support.rows import each_row
from support.told_events import lines_of, position_after

from ump.model.events import Event, GameStarted, HandWon, KyokuStarted, TileDiscarded
from ump.model.yaku import HandValue, Yaku
from ump.text.board import board_lines, score_lines
from ump.text.layout import LINE, NAME, columns, printable, shortened, width, wrapped


def test_wide_characters_take_two_places() -> None:
    """East Asian wide and full-width characters count two, combining marks none, all others one."""
    assert [width(text) for text in ("", "abc", "平和", "全A", "か\u3099", "\uff71", "\u0e01\u0e34")] == [
        0,
        3,
        4,
        3,
        2,
        1,
        1,
    ]


def test_columns_align() -> None:
    """There are two places between columns, numbers are aligned right, and lines have no trailing spaces."""
    rows = [("門前清自摸和", "1", "x"), ("dora", "12", "")]
    assert columns(rows, right=(1,)) == ["門前清自摸和   1  x", "dora          12"]


NAMES = st.text(max_size=40)


@each_row(
    ("text", "safe"),
    [
        ("Ann", "Ann"),
        ("山田 太郎", "山田 太郎"),
        ("  two \t\n words\u3000", "two words"),
        ("\x1b[2J\x07", "?[2J?"),
        ("a\u202eb\u200bc\ud800d", "a?b?c?d"),
        ("", "?"),
        (" ", "?"),
    ],
)
def test_printable(text: str, safe: str) -> None:
    """Control, format and lone surrogate characters become question marks, white space single spaces."""
    assert printable(text) == safe


@each_row(
    ("text", "short"),
    [
        ("x" * 20, "x" * 20),
        ("x" * 21, "x" * 18 + ".."),
        ("東" * 10, "東" * 10),
        ("東" * 11, "東" * 9 + ".."),
        ("x" + "東" * 10, "x" + "東" * 8 + ".."),
    ],
)
def test_shortened(text: str, short: str) -> None:
    """A wide character takes two columns; one that does not fit is left out whole."""
    assert shortened(text) == short


@given(st.text(), st.integers(2, 40))
def test_shortened_fits(text: str, places: int) -> None:
    """Any text fits after shortening, and a short one stays as it is."""
    short = shortened(text, places)
    assert width(short) <= places
    assert short == text or width(text) > places


@given(st.text("ab ", max_size=30).map(lambda label: f"{label} "), st.lists(st.text("xy", min_size=1, max_size=40)))
def test_wrapped_keeps_all_words(label: str, words: list[str]) -> None:
    """All words follow the label in order, in lines that fit."""
    lines = wrapped(label, words)
    assert all(width(line) <= LINE for line in lines)
    assert " ".join(lines).split() == [*label.split(), *words]
    assert all(line.startswith(" " * width(label)) for line in lines[1:])


@given(st.lists(NAMES, min_size=4, max_size=4), st.sampled_from([0, 1, 2, 3, None]))
@example(["東" * 32, "\ud800", "", "x" * 32], 0)
@example(["e" + "\u0301" * 31, "\u202e", "a\nb", "👩‍👩‍👧‍👧" * 4], None)
def test_any_name_is_safe(names: list[str], reader: int | None) -> None:
    """Lines fit and hold only printable characters, whatever the names are."""
    value = HandValue(((Yaku.RIICHI, 1),), 1, 30, 0, 240)
    events: list[Event] = [
        GameStarted(tuple(names)),
        KyokuStarted(0, 0, 0, 0, (25_000,) * 4, (1, 1)),
        TileDiscarded(1 if reader != 1 else 2, 0, tsumogiri=True),
        HandWon(1, 3, 0, tuple(range(13)), (), True, (), value, (0, 1_000, 0, -1_000)),
    ]
    position = position_after(events, reader, names=names)
    told = lines_of(events, (GameStarted, KyokuStarted, TileDiscarded, HandWon), reader, names=names)
    for line in [*told, *board_lines(position), *score_lines(position)]:
        assert line.isprintable()
        assert width(line) <= LINE
        line.encode()


def test_longest_place_and_names_fit() -> None:
    """The widest sentence, a ron, holds two names of full width."""
    value = HandValue(((Yaku.RIICHI, 1),), 1, 30, 0, 240)
    won = HandWon(2, 1, 0, tuple(range(13)), (), True, (), value, (0, -1_000, 1_000, 0))
    line = lines_of([won], HandWon, 0, names=["x" * NAME] * 4)[1]
    assert line == f"opposite {'x' * NAME} wins by ron on 1m from right {'x' * NAME}"
    assert width(line) == LINE
