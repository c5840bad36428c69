"""The texts with which the server ends a connection, found in its sources; ``..`` stands for what differs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType

from ump.model.choices import unknown
from ump.server.users.bans import CLOSED, REMOVED
from ump.server.users.gate import WRONG
from ump.wire import json_text
from ump.wire.majiang import session as majiang_session
from ump.wire.mjai import lockstep_session, piped_session, request_session, session_base
from ump.wire.names import MOST_MARKS
from ump.wire.session import UNKNOWN_TOKEN, Interruption
from ump.wire.text import MAX_NAME
from ump.wire.ump import hello, session, speech

ROOT = Path(__file__).resolve().parent.parent

REST = ".."

ERRORS = ("Violated", "WireError")
"""The classes whose texts clients get as errors while they introduce themselves, or later."""

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

ELSEWHERE = {
    *(outlook.value for outlook in Interruption),
    re.sub("(?<=; choose ).*", REST, re.sub("'[^']*'", f"'{REST}'", unknown("room", "x", ["main"]))),
    "line too long",  # as Session.exceeded says
    WRONG,  # the next three are the texts of bans and logins
    REMOVED,
    f"{CLOSED} until ..: ..",
    f".. must have 1 to {MAX_NAME} characters, and no control characters",
    f".. must have no invisible characters, no space at its ends, and at most {MOST_MARKS} marks in a row",
}
"""Texts of the network side that are made in other places."""


def all_errors() -> Mapping[str, set[str]]:
    """Return the texts by the protocols in which they come."""
    of_json = set(_of_sessions(json_text))
    return {
        "every protocol": {*_of_the_network(), *ELSEWHERE},
        "UMP": {*_of_sessions(hello, session, speech), UNKNOWN_TOKEN},
        "mjai": {
            *_of_sessions(lockstep_session, piped_session, request_session),
            *(text for text in of_json if " must be " in text),
            session_base.NO_RESULT,
            session_base.TOO_SLOW.message,
        },
        "Majiang": {*_of_sessions(majiang_session), *(text for text in of_json if "array" not in text)},
    }


def _of_the_network() -> Iterator[str]:
    for path in sorted(path for folder in ("net", "server") for path in (ROOT / "ump" / folder).rglob("*.py")):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for ending in _endings(node):
                yield from _texts_in(ending, module)


def _endings(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the expressions that may be errors: arguments, defaults and results of the methods above."""
    if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ENDING and node.args:
        yield node.args[-1]
    if isinstance(node, ast.FunctionDef) and node.name in {*ENDING, "blame", "refusal"}:
        yield from node.args.defaults
        yield from (each.value for each in ast.walk(node) if isinstance(each, ast.Return) and each.value)


def _of_sessions(*modules: ModuleType) -> Iterator[str]:
    for module in modules:
        assert module.__file__ is not None
        for node in ast.walk(ast.parse(Path(module.__file__).read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ERRORS:
                yield from _texts_in(node.args[0], module.__name__)


def _texts_in(node: ast.expr, module: str) -> Iterator[str]:
    """Yield the text of an expression, if it is one, with constants of its module."""
    match node:
        case ast.Constant(str(text)):
            yield text
        case ast.JoinedStr(parts):
            yield "".join(_part(part, module) for part in parts)
        case ast.Name(name) if name.isupper():
            yield _constant(module, name)


def _part(part: ast.expr, module: str) -> str:
    match part:
        case ast.Constant(text):
            return str(text)
        case ast.FormattedValue(ast.Name(name)) if name.isupper():
            return _constant(module, name)
        case _:
            return REST


def _constant(module: str, name: str) -> str:
    """Return a constant as text. The module is loaded only here, because not every environment can load each."""
    return str(getattr(import_module(module), name))
