"""``clients/tsumogiri.py``, run as a process against transcripts."""

from __future__ import annotations

import ast
import os
import runpy
import socket
import sys
from pathlib import Path

import pytest
from support.libump_transcript import transcript_lines
from support.scripted_server import ROOT, run_client, start_client

pytestmark = pytest.mark.once

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


def test_every_question_is_answered() -> None:
    """It answers every question with the id of the question, and prints the result."""
    ended = run_client("tsumogiri.py", GAME.format(games=1) + BYE, "--name", "雀 me")
    assert (ended.stderr, ended.returncode) == ("", 0)
    assert ended.stdout == "1 雀 me 31000 points, 2 carol 25000 points, 3 dave 24000 points, 4 alice 20000 points\n"


def test_a_server_that_closes_too_early_is_an_error() -> None:
    """If the server closes before bye, that is an error."""
    ended = run_client("tsumogiri.py", GAME.format(games=0), "--name", "雀 me", "--games", "0")
    assert (ended.stderr, ended.returncode) == ("the server has closed the connection\n", 1)


GAME_02 = """
    < 0 hello
    > 0 hello name=%E9%9B%80%20me ump=0.2 _games={games}
    < 1 seat gameid=1 B0
    < 2 player B0 %E9%9B%80%20me
    < 5 player A0 alice%3D1
    < 7 player C0 carol
    < 9 player D0 dave
    < 15 gamestart id=1
    < 16 ready?
    > 16 yes
    < 17 kyokustart 0 A0 0 0 1z 1z 2z 3z 4z
    < 18 point A0 =25000
    < 22 dice 2 6
    < 23 dora 9p 8p
    < 26 haipai A0 xxxxxxxx
    < 30 haipai B0 2m8s5m7z
    < 88 tsumo A0 69 xx
    < 93 sutehai A0 2m
    < 94 naki? 2m pon chi
    > 94 no
    < 97 tsumo B0 68 5S
    < 98 sutehai? richi=5z tsumo
    > 98 sutehai 5S tsumogiri
    < 0 ack
    < 99 tsumo C0 67 xx rinshan
    < 100 sutehai? richi=5z
    > 100 sutehai 5S tsumogiri
    < 101 tsumo reconnect=1 B0 66 2p rinshan
    < 102 sutehai?
    > 102 sutehai 2p tsumogiri
    < 103 _something new
    < 104 tenpai?
    > 104 tenpai
    < 105 kyokuend
    < 106 gameend B0 55000 A0 13300 D0 -15000 C0 -53300
    < 107 ready?
    > 107 yes
"""

RANKING_02 = "1 雀 me 55000 result, 2 alice=1 13300 result, 3 dave -15000 result, 4 carol -53300 result\n"


def test_every_question_of_0_2_is_answered() -> None:
    """It answers as 0.2 requires; a server that closes after the end of a game is not an error."""
    ended = run_client("tsumogiri.py", GAME_02.format(games=1), "--name", "雀 me", "--ump", "0.2")
    assert (ended.stderr, ended.returncode, ended.stdout) == ("", 0, RANKING_02)


def test_a_0_2_server_that_closes_too_early_is_an_error() -> None:
    """If the server closes in the middle of a game, that is an error."""
    begun = GAME_02.format(games=0)
    transcript = begun + "< 200 seat gameid=2 A0" + "\n< 201 gamestart id=2"
    ended = run_client("tsumogiri.py", transcript, "--name", "雀 me", "--games", "0", "--ump", "0.2")
    assert (ended.stderr, ended.returncode) == ("the server has closed the connection\n", 1)
    assert ended.stdout == RANKING_02


def test_every_question_of_libump_is_answered(data: Path) -> None:
    """It receives a game that libump sent to its bot, and answers every question; only its discards differ."""
    transcript = libump_game(transcript_lines(data))
    ended = run_client("tsumogiri.py", transcript, "--name", "bot0", "--ump", "0.2")
    assert (ended.stderr, ended.returncode) == ("", 0)
    assert ended.stdout == "1 bot0 66900 result, 2 bot1 9800 result, 3 bot2 -24100 result, 4 bot3 -52600 result\n"


def libump_game(transcript: list[str]) -> str:
    """Return the transcript with the answers of a player that discards what it draws."""
    lines: list[str] = []
    drawn = ""
    for line in transcript:
        who, number, *words = line.split()
        if who == "<" and words[:2] == ["tsumo", "A0"]:
            drawn = words[3]
        lines.append(line if who == "<" else f"> {number} {ANSWERS[lines[-1].split()[2]].format(drawn)}")
    return "\n".join(lines)


ANSWERS = {
    "hello": "hello name=bot0 ump=0.2 _games=1",
    "ready?": "yes",
    "sutehai?": "sutehai {} tsumogiri",
    "naki?": "no",
    "tenpai?": "tenpai",
}


def test_the_message_of_a_refusal_is_printed() -> None:
    """The message after error is decoded and printed."""
    ended = run_client("tsumogiri.py", "< 0 error no%20such%20room")
    assert (ended.stderr, ended.returncode) == ("the server says: no such room\n", 1)


def test_a_missing_server_is_reported_in_one_line() -> None:
    """If nothing listens, one line names the address."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    ended = start_client("tsumogiri.py", address)
    assert ended.stderr.startswith(f"no UMP server at {address} (the usual port is 19000): ")
    assert (ended.stderr.count("\n"), ended.returncode) == (1, 1)


def test_another_service_is_reported_as_such() -> None:
    """A service that does not speak UMP is reported as such."""
    ended = run_client("tsumogiri.py", "< SSH-2.0-OpenSSH_9.6")
    assert " does not speak UMP (the usual port is 19000): " in ended.stderr
    assert (ended.stderr.count("\n"), ended.returncode) == (1, 1)


def test_a_silent_port_is_reported_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """If no hello comes, as at the HTTP port, the client ends within ten seconds and names the usual port."""
    connect, connected = socket.create_connection, list[socket.socket]()

    def connect_briefly(address: tuple[str, int], timeout: float) -> socket.socket:
        assert timeout < 10
        connected.append(connect(address, 0.05))
        return connected[0]

    monkeypatch.setattr(socket, "create_connection", connect_briefly)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        monkeypatch.setattr(sys, "argv", ["tsumogiri.py", address])
        with pytest.raises(SystemExit) as ended:
            runpy.run_path(str(ROOT / "clients" / "tsumogiri.py"), run_name="__main__")
    os.close(connected[0].detach())  # a program that ends need not close what it reads from
    assert ended.value.code == f"no UMP server at {address} (the usual port is 19000): timed out"


def test_it_needs_only_python() -> None:
    """Authors of bots copy one file: it imports only the standard library, and has at most 80 lines."""
    text = (ROOT / "clients" / "tsumogiri.py").read_text(encoding="utf-8")
    imports = [node for node in ast.walk(ast.parse(text)) if isinstance(node, (ast.Import, ast.ImportFrom))]
    modules = {alias.name for node in imports if isinstance(node, ast.Import) for alias in node.names}
    modules |= {node.module or "" for node in imports if isinstance(node, ast.ImportFrom)}
    assert {module.split(".")[0] for module in modules} <= sys.stdlib_module_names
    assert text.count("\n") <= 80
