"""docs/protocols/README.md: each event and question has a row, each row a cell for each dialect; ports."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import get_args

import pytest
from support.imports import sources, tree
from support.protocol_page import coded, read_page, rows, section, texts_in

from ump.model.choices import unknown
from ump.model.events import Event
from ump.model.phases import Phase
from ump.net.dialects import over, port_options
from ump.server.users.bans import CLOSED, REMOVED
from ump.server.users.gate import WRONG
from ump.wire.dialect import DefaultPort, WebSocketPath
from ump.wire.names import MOST_MARKS
from ump.wire.outbox import REPLY_SECONDS
from ump.wire.session import Interruption
from ump.wire.text import MAX_ERROR, MAX_NAME

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parent.parent
PAGE = read_page("README.md")


def test_every_event_has_a_row() -> None:
    """The rows are exactly the events, and each row has a cell for each of the four protocols."""
    told = rows(section(PAGE, "Events"))
    named = {found[1] for row in told if (found := re.match(r"`(\w+)`", row[0])) is not None}
    assert named == {event.__name__ for event in get_args(Event)}
    assert all(len(row) == 5 and all(row) for row in told)


def test_every_question_has_a_row() -> None:
    """The questions of the game have one each, and so has ``ready?``."""
    asked = [row for row in rows(section(PAGE, "Questions")) if len(row) == 7]
    assert [row[0].split(":")[0] for row in asked] == [*(f"`{phase.name}`" for phase in Phase), "`ready?`"]
    assert all(all(row) for row in asked)


def test_ports_and_paths_are_those_of_the_code() -> None:
    """The page names the default ports, and the paths on the web port."""
    where = section(PAGE, "Where")
    for option in port_options():
        if option.default is not DefaultPort.CLOSED:
            assert str(option.number) in where
    for path in (*(path.path for _, path in over(WebSocketPath)), "server"):
        assert f"`/{path}`" in where


def test_figures_are_those_of_the_code() -> None:
    """The figures on the page are the constants of the code."""
    assert REPLY_SECONDS == 5
    assert "after five seconds the next message goes out" in section(PAGE, "Faults")


ENDING = frozenset(
    (
        "fail",
        "violate",
        "fail_safely",
        "turn_away",
        "turn_back",
        "dismiss_waiting",
        "expel",
        "_break_down",
        "_reject",
        "_give_up",
    )
)
"""The methods with which the network side ends a connection with an error."""

OF_OTHERS = ("no game chosen in", "unknown token")
"""The beginnings of errors that only people, or clients of UMP, get; their pages have them."""


def errors_of_the_network() -> Iterator[str]:
    """Yield the texts of all errors in the code of the server, with ``..`` in the place of what differs."""
    for source in sources("ump/net", "ump/server"):
        module = import_module(source.removesuffix(".py").replace("/", "."))
        for node in ast.walk(tree(source)):
            for ending in _endings(node):
                yield from texts_in(ending, module)


def _endings(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the expressions that may be errors: arguments, defaults and results of the methods above."""
    if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ENDING and node.args:
        yield node.args[-1]
    if isinstance(node, ast.FunctionDef) and node.name in {*ENDING, "blame", "refusal"}:
        yield from node.args.defaults
        yield from (each.value for each in ast.walk(node) if isinstance(each, ast.Return) and each.value)


def _unlike_names(error: str) -> str:
    return re.sub("'[^']*'", "'..'", error)


def test_every_error_of_the_network_is_explained() -> None:
    """The table of errors has each text with which the network side ends a connection, and no other."""
    made = {
        *(error for error in errors_of_the_network() if not error.startswith(OF_OTHERS)),
        *(outlook.value for outlook in Interruption),
        re.sub("(?<=; choose ).*", "..", _unlike_names(unknown("room", "x", ["main"]))),
        "line too long",  # as Session.exceeded says
        WRONG,  # the next three are the texts of bans and logins
        REMOVED,
        f"{CLOSED} until ..: ..",
        f".. must have 1 to {MAX_NAME} characters, and no control characters",
        f".. must have no invisible characters, no space at its ends, and at most {MOST_MARKS} marks in a row",
    }
    listed = {text for row in rows(section(PAGE, "Errors")) for text in coded(row[0])}
    assert listed == made
    assert MAX_ERROR == 160
    assert f"at most {MAX_ERROR} characters" in section(PAGE, "Errors")
