"""A real server with a file of users: a game in a closed room over sockets, and no secret in any file."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

from ump.users.secret import hash_password
from ump.users.user_file import UserFile

ROOT = Path(__file__).resolve().parents[3]
SECONDS = 60
"""Time after which the test has failed."""

NOW = "2026-11-24T00:00:00Z"
ANSWERS = {"ready?": "ok", "sutehai?": "sute {} tsumogiri", "naku?": "no", "tenpai?": "yes", "bye": "bye"}
PASSWORD, WRONG, CODE = "correct-horse-battery", "wrong-horse-battery", "Sakura7"

ROOMS = """
length = "kyoku"
mjai = "none"
http = "none"
[rooms.club]
access = "users+code:Sakura7"
one_per_owner = true
house = ["tsumogiri:3"]
house_after = 1
"""


def play(port: int, hello: str) -> list[str]:
    """Say hello, discard each drawn tile until the server closes the connection, and return what it said."""
    lines: list[str] = []
    drawn = ""
    with socket.create_connection(("127.0.0.1", port), timeout=SECONDS) as client, client.makefile("rb") as heard:
        client.sendall(f"0 hello ump=0.1 {hello}\n".encode())
        for raw in heard:
            lines.append(raw.decode().strip())
            number, command, *arguments = lines[-1].split()
            drawn = arguments[2] if command == "tsumo" and len(arguments) == 3 else drawn
            if command in ANSWERS:
                client.sendall(f"{number} {ANSWERS[command].format(drawn)}\n".encode())
    return lines


def test_a_game_of_users_in_a_closed_room(tmp_path: Path) -> None:
    """A user with a password and a bot with a token play; others stay outside; no file has a secret."""
    users = UserFile(tmp_path / "users.sqlite")
    users.add("alice", hash_password(PASSWORD), NOW)
    users.add("bob", None, NOW)
    token = users.add_token("bob", "laptop", NOW).text
    written = tmp_path / "written"
    written.mkdir()
    (tmp_path / "ump.toml").write_text(ROOMS, "utf-8")
    command = [sys.executable, "-m", "ump", "serve", f"--config={tmp_path / 'ump.toml'}", "--listen=0"]
    command += [f"--users={users.path}", f"--record-dir={written / 'records'}", f"--trace={written / 'trace'}"]
    log_file = written / "log"
    with log_file.open("wb") as log:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
        server = subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, text=True
        )
        assert server.stdout is not None
        try:
            said = ""
            while (found := re.search(r"listening on \S+ port (\d+)", said)) is None:
                said += (line := server.stdout.readline())
                assert line, f"the server has ended: {said}"
            port = int(found[1])
            outside = f"_room=club:{CODE}"
            heard = [
                play(port, hello)
                for hello in (
                    f"user=alice password={PASSWORD} {outside}",
                    f"name=akagi password={token} {outside}",
                    f"name=carol {outside}",
                    f"user=alice password={PASSWORD} _room=club:{CODE}x",
                    f"user=alice password={WRONG} {outside}",
                )
            ]
        finally:
            server.terminate()
            said += server.communicate(timeout=SECONDS)[0]
    ends = [lines[-1].split()[1] for lines in heard]
    assert ends == ["bye", "bye", "error", "error", "error"]
    assert ["gameend" in str(lines) for lines in heard] == [True, True, False, False, False]
    texts = [said, *("\n".join(lines) for lines in heard)]
    texts += [path.read_text("utf-8", "replace") for path in written.rglob("*") if path.is_file()]
    assert any("bob/akagi" in text for text in texts[6:])
    assert any("password=***" in text and "_room=club:***" in text for text in texts[6:])  # in a trace
    for secret in (PASSWORD, WRONG, token.split("_", 2)[2], CODE):
        assert not [text[:200] for text in texts if secret in text]
