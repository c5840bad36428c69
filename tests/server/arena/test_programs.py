"""Tests of the names for programs on the command line."""

from __future__ import annotations

import sys

import pytest
from support.rows import each_row

from ump.net.bot_commands import BotCommand, CommandError
from ump.server.program_arena import ChildProgram, NetworkProgram, read_program

LOCAL = "tcp:0:interface=127.0.0.1"


@each_row(
    ("kind", "expected"),
    [
        ("efficiency", None),
        ("my_bot:Policy", None),
        ("mjai:cat {seat}", ChildProgram(BotCommand("mjai", ("cat", "{seat}")))),
        ("mjai-lines:cat", ChildProgram(BotCommand("mjai-lines", ("cat",)))),
        (
            "connect:cat {http} {listen}",
            NetworkProgram((("listen", LOCAL), ("http", LOCAL)), ("cat", "{http}", "{listen}")),
        ),
        ("wait:mjai=21801", NetworkProgram((("mjai", "tcp:21801:interface=127.0.0.1"),))),
        ("wait:http=tcp:1,mjai=2", NetworkProgram((("http", "tcp:1"), ("mjai", "tcp:2:interface=127.0.0.1")))),
    ],
)
def test_kinds(kind: str, expected: object) -> None:
    """A word before a colon says how a program takes part; everything else is a policy."""
    assert read_program(kind) == expected


@each_row(
    ("kind", "error"),
    [
        ("mjai:", "is empty"),
        ("mjai:no-such-program", "there is no program no-such-program"),
        ("connect:", "expected a command"),
        ("connect:'cat", "no closing quotation"),
        ("connect:no-such-program {http}", "there is no program no-such-program"),
        ("connect:cat", r"which port it connects to; use one of \{listen\}, \{telnet\}"),
        ("wait:mjai", "expected OPTION=PORT"),
        ("wait:mjia=1", "unknown port 'mjia' .did you mean mjai"),
        ("wait:mjai=99999", "is not a port"),
    ],
)
def test_kinds_that_cannot_be_used(kind: str, error: str) -> None:
    """An error says what is expected instead."""
    with pytest.raises(CommandError, match=error):
        read_program(kind)


def test_placeholders() -> None:
    """Ports and the name replace their placeholders; other braces stay."""
    program = NetworkProgram((), (sys.executable, "{http}:{name}", "{seat}"))
    assert program.words_at({"http": 80}, "x-1") == [sys.executable, "80:x-1", "{seat}"]
