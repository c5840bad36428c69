"""Tests of the names that are allowed, and of the way a log shows them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.memory_server import memory_server
from support.rows import each_row
from twisted.logger import capturedLogs, formatEvent

from ump.wire.names import check_name, logged_name
from ump.wire.text import WireError, encode

UNSEEN = "name= must have no invisible characters, no space at its ends, and at most 2 marks in a row"


@each_row("name", ["alice", "Zoë the 2nd", "東風\u3000太郎", "이순신", "Nguyễn", "Nguye\u0302\u0303n", "🀄", "x" * 32])
def test_names_that_can_be_seen(name: str) -> None:
    """Letters, digits, signs and pictures of all languages, with single spaces between them."""
    assert check_name(name, "name=") == name


@each_row(
    "name",
    [
        "ali\u200bce",  # zero-width space
        "ali\u200dce",  # zero-width joiner
        "alice\u202eecila",  # right-to-left override, a control of older versions too
        "a\u2066b",  # isolate
        "a\u00adb",  # soft hyphen
        "a\U000e0041",  # tag
        "a\ufe0f",  # variation selector
        "a\U000e0100",
        "\u3164",  # Hangul filler
        "a\u115f",
        "\u2800",  # Braille blank
        "a\u034fb",  # combining grapheme joiner
        "a\u00a0b",
        " alice",
        "alice ",
        "alice\u3000",
        "a\u0301\u0301\u0301",
        "\u0301a",
        "\ue000",  # private use
        "\u0378",  # not assigned
    ],
)
def test_names_that_mislead(name: str) -> None:
    """Characters that nobody sees, or that change the place of others, and towers of marks are refused."""
    with pytest.raises(WireError, match=UNSEEN):
        check_name(name, "name=")


@each_row("name", ["", " ", "x" * 33, "a\nb", "a\x85", "a\u2028", "\ud800"])
def test_names_that_are_none(name: str) -> None:
    """Names that are empty, too long, or break a line."""
    with pytest.raises(WireError, match="name= must have 1 to 32 characters, and no control characters"):
        check_name(name, "name=")


@given(st.text(max_size=40))
def test_any_name(name: str) -> None:
    """Any text is a name or refused, and never breaks a line of a log."""
    try:
        assert check_name(name, "name=") == name
    except WireError:
        return
    assert len(logged_name(name).splitlines()) == 1


@each_row(
    ("name", "shown"),
    [("alice", "alice"), ("efficiency-2", "efficiency-2"), ("東", "東"), ("a b", "'a b'"), ("a:", "'a:'")],
)
def test_names_in_logs(name: str, shown: str) -> None:
    """A name that is more than one word stands in quotes."""
    assert logged_name(name) == shown


def test_a_name_cannot_forge_a_line() -> None:
    """A name that looks like another line of the log is quoted in every line of a game."""
    forged = "bob joins, from 192.0.2.66"
    with memory_server() as server, capturedLogs() as events:
        first = server.enter(encode(forged, is_value=True))
        server.robots("b", "c", "d")
        first.hang_up()
        said = [formatEvent(event) for event in events]
    naming = [line for line in said if forged in line]
    assert len(naming) >= 3
    assert all(repr(forged) in line for line in naming)


def test_a_name_with_invisible_characters_is_refused() -> None:
    """The client of UMP receives the reason."""
    with memory_server() as server:
        assert "invisible%20characters" in server.enter("a%E2%80%8Bb").heard()[-1]
