"""A server with worker processes over sockets: all of them are killed during a game, which goes on to its end."""

from __future__ import annotations

import gzip
import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from support.programs import UMP, start

from ump.record.journal.journal_file import read_journal
from ump.record.journal.journal_replay import check_journal
from ump.server.overview import FINISHED

SECONDS = 60
"""Time limit for each step."""

OPTIONS = (
    "--workers=2 --listen=tcp:0:interface=127.0.0.1 --mjai=none --http=none --house=tsumogiri:3 --house-after=0 "
    "--length=kyoku"
)

KILL_AT = 9
"""The discard of each game at which the workers are killed."""

ANSWERS = {"ready?": "ok", "naku?": "no", "tenpai?": "yes", "bye": "bye"}
"""What the client answers, besides the discard of the tile that it has drawn."""


def kill_workers(server: int) -> int:
    """Kill the processes that a server has started, and return how many they are."""
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(server)], capture_output=True, text=True, check=False)
    workers = [int(word) for word in found.stdout.split()]
    for worker in workers:
        os.kill(worker, signal.SIGKILL)
    return len(workers)


def lines_of(game: socket.socket) -> Iterator[tuple[int, str]]:
    """Yield the number and the command of each line of the server, and answer its questions."""
    drawn = ""
    for line in game.makefile(encoding="utf-8", newline="\r\n"):
        number, command, *arguments = line.split()
        yield int(number), command
        if command == "tsumo" and len(arguments) == 3:
            drawn = arguments[2]
        answer = f"sute {drawn} tsumogiri" if command == "sutehai?" else ANSWERS.get(command)
        if answer is not None:
            game.sendall(f"{number} {answer}\r\n".encode())


def test_all_workers_are_killed(tmp_path: Path) -> None:
    """In each of two games. The client receives its game again, and plays it to its end with ascending numbers.

    The server ends after the games, and so do its workers.
    """
    command = [*UMP, "serve", *OPTIONS.split(), f"--record-dir={tmp_path}", "--games=2"]
    with start(*command, stderr=subprocess.STDOUT) as server:
        port = server.port()
        killed = 0
        with closing(socket.create_connection(("127.0.0.1", port), SECONDS)) as game:
            game.sendall(b"0 hello ump=0.1 name=alone _games=2\r\n")
            discards = last = 0
            for number, command_word in lines_of(game):
                assert number > last or command_word == "hello"
                last = number
                discards += command_word == "sutehai"
                if discards == KILL_AT:
                    killed += kill_workers(server.pid)
                    discards += 1
                elif command_word == "gameend":
                    discards = 0
        output, _ = server.communicate()
        assert server.returncode == 0, output
    assert killed == 2 * 2
    assert output.count("has ended") == killed
    assert "Traceback" not in output
    paths = list(tmp_path.glob(f"*{FINISHED}"))
    assert len(paths) == 2
    for path in paths:
        check_journal(read_journal(gzip.decompress(path.read_bytes())))
