"""``clients/tsumogiri_mjai.py``, run as a process against transcripts."""

from __future__ import annotations

import ast
import socket
import sys

import pytest
from support.rows import each_row
from support.scripted_server import ROOT, run_client, start_client

pytestmark = pytest.mark.once

CLIENT = "tsumogiri_mjai.py"

HELLO = """
    < {"type":"hello","protocol":"mjsonp","protocol_version":3}
    > {"type":"join","name":"\\u96c0 me","room":"ROOM"}
"""

GAME = """
    < {"type":"start_game","id":1,"names":["alice","雀 me","carol","dave"]}
    > {"type":"none"}
    < {"type":"start_kyoku","bakaze":"E","kyoku":1,"honba":0,"kyotaku":0,"oya":0,"dora_marker":"4s","tehais":[]}
    > {"type":"none"}
    < {"type":"tsumo","actor":0,"pai":"?"}
    > {"type":"none"}
    < {"type":"dahai","actor":0,"pai":"1p","tsumogiri":true,"possible_actions":[{"type":"pon"}]}
    > {"type":"none"}
    < {"type":"tsumo","actor":1,"pai":"5sr","possible_actions":[]}
    > {"type":"dahai","actor":1,"pai":"5sr","tsumogiri":true}
    < {"type":"dahai","actor":1,"pai":"5sr","tsumogiri":true}
    > {"type":"none"}
    < {"type":"something_new","actor":1}
    > {"type":"none"}
    < {"type":"end_kyoku"}
    > {"type":"none"}
"""

END = """
    < {"type":"end_game","scores":[20000,31000,25000,24000]}
"""


@each_row("room", ["default", "main"])
def test_every_message_is_replied_to(room: str) -> None:
    """It replies to every message, and prints the result."""
    transcript = HELLO.replace("ROOM", room) + GAME + END
    ended = run_client(CLIENT, transcript, "--name", "雀 me", path=f"/{room}" * (room == "main"), ending="\n")
    assert (ended.stderr, ended.returncode) == ("", 0)
    assert ended.stdout == "1 雀 me 31000 points, 2 carol 25000 points, 3 dave 24000 points, 4 alice 20000 points\n"


def test_a_server_that_closes_too_early_is_an_error() -> None:
    """If the server closes before the end of the game, that is an error."""
    ended = run_client(CLIENT, HELLO.replace("ROOM", "default") + GAME, "--name", "雀 me", ending="\n")
    assert (ended.stderr, ended.returncode) == ("the server has closed the connection\n", 1)


def test_the_message_of_a_refusal_is_printed() -> None:
    """The message of the server is printed."""
    ended = run_client(CLIENT, '< {"type":"error","message":"No such room."}', ending="\n")
    assert (ended.stderr, ended.returncode) == ("the server says: No such room.\n", 1)


def test_a_missing_server_is_reported_in_one_line() -> None:
    """If nothing listens, one line names the address."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"mjsonp://127.0.0.1:{free.getsockname()[1]}/default"
    ended = start_client(CLIENT, address)
    assert ended.stderr.startswith(f"no connection to {address}: ")
    assert (ended.stderr.count("\n"), ended.returncode) == (1, 1)


@each_row("line", ["0 hello ump=0.1", "[]", '{"kind":"hello"}', "5", '{"type":"tsumo"}'])
def test_another_service_is_reported_as_such(line: str) -> None:
    """A service that does not speak mjai is reported as such."""
    ended = run_client(CLIENT, f"< {line}")
    assert " does not speak mjai (the usual port is 11600): " in ended.stderr
    assert (ended.stderr.count("\n"), ended.returncode) == (1, 1)


def test_it_needs_only_python() -> None:
    """Authors of bots copy one file: it imports only the standard library, and has at most 80 lines."""
    text = (ROOT / "clients" / CLIENT).read_text(encoding="utf-8")
    imports = [node for node in ast.walk(ast.parse(text)) if isinstance(node, (ast.Import, ast.ImportFrom))]
    modules = {alias.name for node in imports if isinstance(node, ast.Import) for alias in node.names}
    modules |= {node.module or "" for node in imports if isinstance(node, ast.ImportFrom)}
    assert {module.split(".")[0] for module in modules} <= sys.stdlib_module_names
    assert text.count("\n") <= 80
