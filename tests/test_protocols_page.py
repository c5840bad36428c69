"""docs/protocols/README.md: each event, question, reason and error has a row; ports and figures."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import get_args

import pytest
from support.protocol_page import coded, read_page, rows, section

import ump
from ump.model.claims import Reason
from ump.model.events import DrawReason, Event
from ump.model.phases import Phase
from ump.net.dialects import over, port_options
from ump.net.limits import HELLO_SECONDS, IDLE_PER_SECOND, MAX_UNPOLLED, MAX_UNSENT
from ump.server.users.bans import CLOSED
from ump.table.clock import TimeControl
from ump.wire.dialect import DefaultPort, WebSocketPath
from ump.wire.json_text import MAX_BRACKETS, MAX_DEPTH, MAX_OBJECT
from ump.wire.majiang import session
from ump.wire.majiang.events import PINGJU
from ump.wire.mjai import lockstep_session, piped_session
from ump.wire.mjai.events import GIMITE, MORTAL, RIICHILAB
from ump.wire.outbox import REPLY_SECONDS
from ump.wire.text import MAX_ERROR, MAX_LINE, MAX_NAME
from ump.wire.ump.answers import read_claim, read_claim_02, write_claim
from ump.wire.ump.sentence import DRAWS

pytestmark = pytest.mark.once

PAGE = read_page("README.md")

UMP = Path(ump.__file__).parent

SHORTEST = len("secrets need TLS")
"""The characters of the shortest error: shorter texts of the sources are parts of others."""


def test_every_event_has_a_row() -> None:
    """The rows are exactly the events, and each row has a cell for each of the four protocols."""
    told = rows(section(PAGE, "Events"))
    named = {found[1] for row in told if (found := re.match(r"`(\w+)`", row[0])) is not None}
    assert named == {event.__name__ for event in get_args(Event)}
    assert all(len(row) == 5 and all(row) for row in told)


def test_every_question_has_a_row() -> None:
    """The questions of the game have one each, and so has ``ready?``."""
    asked = [row for row in rows(section(PAGE, "Questions")) if row[0].startswith("`")]
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
    assert "after five seconds the next message goes out" in section(PAGE, "Answers that do not count")
    assert str(TimeControl()) == "10+20"
    assert "10 seconds and 20" in section(PAGE, "Time")
    limits = section(PAGE, "Limits")
    figures = (
        f"| {MAX_LINE:,} bytes | {MAX_OBJECT // 1024} KiB, {MAX_BRACKETS:,} opening brackets, {MAX_DEPTH} levels",
        f"| {HELLO_SECONDS} seconds |",
        f"| {MAX_NAME} characters |",
        f"| {IDLE_PER_SECOND:,} in a second;",
        f"A {lockstep_session.MAX_WAITING}, B in batches {piped_session.MAX_WAITING:,}, Majiang {session.MAX_WAITING};",
        f"| {MAX_UNSENT // 1024} KiB;",
        f"in net play {MAX_UNPOLLED // 1024} KiB",
    )
    assert [figure for figure in figures if figure not in limits] == []


def test_every_draw_has_a_row() -> None:
    """The reasons are those that each dialect writes, in the order of UMP."""
    written = [
        (GIMITE.draws[reason], RIICHILAB.draws[reason], PINGJU[reason])
        for reason in (DrawReason.EXHAUSTED, *DRAWS.values())
    ]
    assert {tuple(coded(cell)[0] for cell in row[1:]) for row in rows(section(PAGE, "Draws"))} == set(written)
    assert all(MORTAL.draws[reason] == GIMITE.draws[reason] for reason in DrawReason)
    assert all(GIMITE.draws[reason] == name for name, reason in DRAWS.items())


def test_every_reason_is_explained() -> None:
    """The table lists all reasons in their order."""
    assert [coded(row[0])[0] for row in rows(section(PAGE, "Reasons"))] == [reason.value for reason in Reason]


def _made_texts() -> tuple[set[object], list[re.Pattern[str]]]:
    """Return the texts of the network side and of sessions, and patterns of those with parts that differ."""
    plain: set[object] = set()
    patterns = [re.compile(f"{CLOSED} until .*: .*")]
    for path in (path for package in ("wire", "net", "server") for path in (UMP / package).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant):
                plain.add(node.value)
            if not isinstance(node, ast.JoinedStr):
                continue
            texts = [part.value if isinstance(part, ast.Constant) else None for part in node.values]
            if sum(len(text) for text in texts if isinstance(text, str)) >= SHORTEST:
                pattern = "".join(re.escape(text) if isinstance(text, str) else ".*" for text in texts)
                patterns.append(re.compile(pattern))
    return plain, patterns


def test_every_error_that_is_explained_is_sent() -> None:
    """The table of errors has texts of the code."""
    plain, patterns = _made_texts()
    listed = {text for row in rows(section(PAGE, "Errors")) for text in coded(row[0])}
    assert [text for text in listed - plain if not any(pattern.fullmatch(text) for pattern in patterns)] == []
    assert len(listed) > 10
    assert f"at most {MAX_ERROR} characters" in section(PAGE, "Errors")


def test_answers_of_ump_are_read() -> None:
    """Every answer of UMP in the table is read, and written the same."""
    answers = [row for row in rows(section(PAGE, "Questions")) if not row[0].startswith("`")]
    assert len(answers) > 6
    for old, new in (pair for row in answers for pair in zip(coded(row[1]), coded(row[2]), strict=True)):
        claim = read_claim(tuple(old.split()))
        assert write_claim(claim) == old
        assert read_claim_02(tuple(new.split())).verb is claim.verb
