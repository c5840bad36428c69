"""clients/tsumogiri.py as a process of its own, against transcripts."""

from __future__ import annotations

import ast
import socket
import sys

from support.transcript import ROOT, run_client, start_client

GAME = """
    < 0 hello ump=0.1 name=test _rule=ump _length=hanchan
    > 0 hello ump=0.1 name=%E9%9B%80%20me _games={games}
    < 1 gamestart B alice %E9%9B%80%20me carol dave
    < 2 ready?
    > 2 ok
    < 3 kyokustart 1z A 0 0
    < 4 point A =25000
    < 5 dice 1 6
    < 6 haipai A
    < 7 haipai B 1m2m3m4m5M6m7m8m9m1p1p2p2p
    < 8 dora 4s
    < 9 tsumo A 69
    < 10 sutehai A 1p tsumogiri
    < 11 naku? 1p
    > 11 no
    < 12 tsumo B 68 5S
    < 13 sutehai?
    > 13 sute 5S tsumogiri
    < 14 sutehai B 5S tsumogiri
    < 15 tsumo C 67
    < 16 sutehai C 9s
    < 17 tsumo B 66 2p
    < 18 sutehai?
    > 18 sute 2p tsumogiri
    < 19 _something new
    < 20 tenpai?
    > 20 yes
    < 21 kyokuend
    < 22 gameend 20000 31000 25000 24000
"""

BYE = """
    < 23 bye
    > 23 bye
"""


def test_a_whole_game() -> None:
    """It answers every question with the question's id, and prints who came where."""
    ended = run_client("tsumogiri.py", GAME.format(games=1) + BYE, "--name", "雀 me")
    assert (ended.stderr, ended.returncode) == ("", 0)
    assert ended.stdout == "雀 me 31000, carol 25000, dave 24000, alice 20000\n"


def test_a_server_that_goes_in_the_middle() -> None:
    """Without a bye the series is not over: that is an error, and said so."""
    ended = run_client("tsumogiri.py", GAME.format(games=0), "--name", "雀 me", "--games", "0")
    assert (ended.stderr, ended.returncode) == ("the server has closed the connection\n", 1)


def test_a_server_that_refuses() -> None:
    """What stands after error is shown, decoded."""
    ended = run_client("tsumogiri.py", "< 0 error no%20such%20room")
    assert (ended.stderr, ended.returncode) == ("the server says: no such room\n", 1)


def test_no_server() -> None:
    """Nobody listens: one line says where it tried."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    ended = start_client("tsumogiri.py", address)
    assert ended.stderr.startswith(f"no connection to {address}: ")
    assert (ended.stderr.count("\n"), ended.returncode) == (1, 1)


def test_a_server_of_something_else() -> None:
    """What does not speak UMP is named as such."""
    ended = run_client("tsumogiri.py", "< SSH-2.0-OpenSSH_9.6")
    assert " does not speak UMP: " in ended.stderr
    assert (ended.stderr.count("\n"), ended.returncode) == (1, 1)


def test_it_needs_nothing_but_python() -> None:
    """A bot author copies one file: it imports the standard library alone, and fits on a screen."""
    text = (ROOT / "clients" / "tsumogiri.py").read_text(encoding="utf-8")
    imports = [node for node in ast.walk(ast.parse(text)) if isinstance(node, (ast.Import, ast.ImportFrom))]
    modules = {alias.name for node in imports if isinstance(node, ast.Import) for alias in node.names}
    modules |= {node.module or "" for node in imports if isinstance(node, ast.ImportFrom)}
    assert {module.split(".")[0] for module in modules} <= sys.stdlib_module_names
    assert text.count("\n") <= 80
