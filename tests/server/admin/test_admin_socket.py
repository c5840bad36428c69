"""``ump admin`` and a real server, over its UNIX socket."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from subprocess import STDOUT

import pytest
from click.testing import CliRunner, Result
from support.programs import UMP, Program, run, start

from ump.cli.main import main
from ump.database.place import file_place
from ump.server.admin.admin_socket import MAX_OPEN, MAX_ORDER
from ump.server.users.secret import hash_password
from ump.server.users.user_database import UserDatabase

pytestmark = pytest.mark.once

SECONDS = 60
"""Time limit for a server."""


def command(path: Path) -> list[str]:
    """Return the command of a server without bots and records, and with a socket for orders."""
    options = ["--listen", "0", "--mjai", "none", "--http", "none", "--record-dir", "none", "--house", "none"]
    return [*UMP, "serve", *options, "--admin-socket", str(path)]


@contextmanager
def serving(folder: Path, path: Path, *options: str) -> Iterator[tuple[Program, int]]:
    """Run a server with a socket for orders; yields its process and its port."""
    with start(*command(path), *options, cwd=folder, stderr=STDOUT) as server:
        port = server.port()
        server.read_until("The server is ready")
        yield server, port
        server.kill()


def ordered(path: Path, *words: str) -> Result:
    """Run ``ump admin``."""
    return CliRunner().invoke(main, ["admin", "--socket", str(path), *words])


def answer(path: Path, sent: bytes) -> object:
    """Send bytes to the socket, and return what comes back."""
    with closing(socket.socket(socket.AF_UNIX)) as stream:
        stream.settimeout(SECONDS)
        stream.connect(str(path))
        stream.sendall(sent)
        with stream.makefile("rb") as said:
            return json.loads(said.readline())


def test_a_ban(tmp_path: Path) -> None:
    """The user's connections are closed, the file has the ban, and the next login fails."""
    users, path = UserDatabase(file_place(tmp_path / "users.sqlite")), tmp_path / "admin.sock"
    users.add("mallory", hash_password("correct-horse"), "2026-11-24T00:00:00Z")

    def login(port: int) -> socket.socket:
        client = socket.create_connection(("127.0.0.1", port), SECONDS)
        client.sendall(b"0 hello ump=0.1 name=x user=mallory password=correct-horse _explain=1\r\n")
        return client

    with serving(tmp_path, path, "--users", str(tmp_path / "users.sqlite")) as (_, port):
        with login(port) as client, client.makefile("rb") as lines:
            while b" _waiting " not in lines.readline():
                pass
            banned = ordered(path, "ban", "mallory", "--until", "2127-01-01")
            assert banned.output == "banned mallory; connections closed: 1\n"
            assert b"removed" in lines.read()
        assert users.user("mallory").banned_until == "2127-01-01T00:00:00Z"
        with login(port) as client, client.makefile("rb") as lines:
            assert b"is%20wrong" in lines.read()
        unknown = ordered(path, "ban", "nobody")
        assert (unknown.exit_code, unknown.output) == (1, "Error: no user 'nobody'\n")


def test_orders_to_a_server(tmp_path: Path) -> None:
    """Lists, a player who is removed, refused orders, and a drain that ends the server and removes the socket."""
    path = tmp_path / "admin.sock"
    with serving(tmp_path, path) as (server, port):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert ordered(path, "tables").output == "no game runs\n"
        with closing(socket.create_connection(("127.0.0.1", port), SECONDS)) as client, client.makefile("rwb") as lines:
            lines.readline()
            lines.write(b"0 hello ump=0.1 name=mallory _explain=1\r\n")
            lines.flush()
            while not lines.readline().split(b" ")[1].startswith(b"_waiting"):
                pass
            (listed,) = json.loads(ordered(path, "players", "--json").output)["players"]
            assert (listed["player"], listed["room"], listed["table"]) == ("mallory", "main", None)
            assert ordered(path, "players").output.splitlines()[1].split()[:3] == ["mallory", "main", "waits"]
            assert ordered(path, "announce", "at 20:00").output == "told 1 of 1\n"
            assert b" _notice at%2020:00" in lines.readline()
            assert ordered(path, "kick", "mallory").output == "removed mallory\n"
            assert b"removed" in lines.read()
        unknown = ordered(path, "close", "main-7")
        assert (unknown.exit_code, unknown.output) == (
            1,
            "Error: there is no table 'main-7'; 'tables' lists them\n",
        )
        assert ordered(path, "reload").output.startswith("read again: ")
        assert answer(path, b"nonsense\n") == {"ok": False, "error": "expected a JSON object on one line"}
        for encoding in ("utf-16-le", "utf-32-le", "latin-1"):
            order = '{"order": "tables", "é": 1}'.encode(encoding) + b"\n"
            assert answer(path, order) == {"ok": False, "error": "expected a JSON object on one line"}
        assert answer(path, b"[" * MAX_ORDER + b"\n") == {"ok": False, "error": "expected a JSON object on one line"}
        assert answer(path, b"x" * (MAX_ORDER + 1)) == {"ok": False, "error": f"an order has at most {MAX_ORDER} bytes"}
        idle = [socket.socket(socket.AF_UNIX) for _ in range(MAX_OPEN)]
        for each in idle:
            each.connect(str(path))
        assert answer(path, b"") == {"ok": False, "error": "too many connections"}
        for each in idle:
            each.close()
        assert ordered(path, "drain").output == "the server ends\n"
        assert server.stdout is not None
        log = server.stdout.read()
        server.wait(SECONDS)
    assert server.returncode == 0
    assert not path.exists()
    assert f'order of user {os.getuid()} (process {os.getpid()}): {{"order": "kick", "player": "mallory"}}' in log
    gone = ordered(path, "tables")
    assert gone.exit_code == 1
    assert "no server takes orders" in gone.output


def test_the_socket_of_a_killed_server(tmp_path: Path) -> None:
    """The next server removes it; while a server has it, another one ends with one line."""
    path = tmp_path / "admin.sock"
    with serving(tmp_path, path) as (server, _):
        server.send_signal(signal.SIGKILL)
        server.wait(SECONDS)
    assert path.exists()
    with serving(tmp_path, path) as (server, _):
        assert ordered(path, "tables").exit_code == 0
        second = run(*command(path), cwd=tmp_path)
        assert second.returncode == 1
        assert f"Error: --admin-socket: '{path}' cannot be opened: another server has it\n" in second.stderr
        assert "Traceback" not in second.stderr
        assert ordered(path, "tables").exit_code == 0
