"""Columns align on a terminal, where Japanese characters take two places."""

from __future__ import annotations

from ump.text.text import columns, width


def test_wide_characters_take_two_places() -> None:
    """East Asian wide and full-width characters count two, combining marks none, all others one."""
    assert [width(text) for text in ("", "abc", "平和", "全A", "か\u3099", "\uff71")] == [0, 3, 4, 3, 2, 1]


def test_columns_align() -> None:
    """There are two places between columns, numbers are aligned right, and lines have no trailing spaces."""
    rows = [("門前清自摸和", "1", "x"), ("dora", "12", "")]
    assert columns(rows, right=(1,)) == ["門前清自摸和   1  x", "dora          12"]
