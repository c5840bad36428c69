"""A real server with a file of users: a game in a closed room over sockets, and no secret in any file."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from support.databases import PostgresServer
from support.programs import UMP, running

from ump.database.database import file_place, read_place
from ump.server.users.gate import PERHAPS_RESERVED
from ump.server.users.user_database import UserDatabase, hash_password

pytestmark = pytest.mark.once

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
    users = UserDatabase(file_place(tmp_path / "users.sqlite"))
    users.add("alice", hash_password(PASSWORD), NOW)
    users.add("bob", None, NOW)
    token = users.add_token("bob", "laptop", NOW).text
    written = tmp_path / "written"
    written.mkdir()
    (tmp_path / "ump.toml").write_text(ROOMS, "utf-8")
    options = [f"--users={users.place.path}", f"--record-dir={written / 'records'}", f"--trace={written / 'trace'}"]
    options += ["--listen=0", f"--config={tmp_path / 'ump.toml'}"]
    with (written / "log").open("w") as log, running(*UMP, "serve", *options, stderr=log) as server:
        port = server.port()
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
    ends = [lines[-1].split()[1] for lines in heard]
    assert ends == ["bye", "bye", "error", "error", "error"]
    assert ["gameend" in str(lines) for lines in heard] == [True, True, False, False, False]
    texts = [server.log, *("\n".join(lines) for lines in heard)]
    texts += [path.read_text("utf-8", "replace") for path in written.rglob("*") if path.is_file()]
    assert any("bob/akagi" in text for text in texts[6:])
    assert any("password=***" in text and "_room=club:***" in text for text in texts[6:])  # in a trace
    for secret in (PASSWORD, WRONG, token.split("_", 2)[2], CODE):
        assert not [text[:200] for text in texts if secret in text]


def test_a_guest_plays_while_the_database_is_away(postgres: PostgresServer, tmp_path: Path) -> None:
    """The server has read the names of the users at its start, so it knows that this one is nobody's."""
    url = postgres.new_url()
    UserDatabase(read_place(url)).add("alice", None, NOW)
    options = ["--mjai=none", "--http=none", "--record-dir=none", "--length=kyoku"]
    options += ["--listen=0", "--house=tsumogiri:3", "--house-after=0", f"--users={url}"]
    with running(*UMP, "serve", *options) as server:
        port = server.port()
        assert "gameend" in str(play(port, "name=dora"))
        postgres.stop()
        try:
            guest, perhaps = play(port, "name=carol"), play(port, "name=alice")
        finally:
            postgres.start()
    assert "gameend" in str(guest)
    assert PERHAPS_RESERVED.replace(" ", "%20") in perhaps[-1].replace("%2C", ",").replace("%3B", ";")
