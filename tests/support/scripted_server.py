"""A server that follows a script, for tests of clients.

A transcript has one line for each line on the wire: ``<`` before a line of the server, ``>`` before the answer that the
client must give. The client may send nothing else, and must answer before the next line of the server.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from threading import Thread
from typing import Self

from support.programs import run

ROOT = Path(__file__).resolve().parent.parent.parent

PATIENCE = 30.0
"""Seconds after which a test fails; a correct client needs far less."""


def steps(transcript: str) -> list[tuple[str, str]]:
    """Return the direction (``<`` or ``>``) and the text of each line."""
    lines = [line.strip() for line in transcript.strip().splitlines()]
    return [(line[0], line[2:]) for line in lines if line]


def converse(receive: Callable[[str], str | None], transcript: str) -> None:
    """Follow a transcript; the client is a function from a line to its answer."""
    answers: list[str] = []
    for direction, line in [*steps(transcript), ("<", "")]:
        if direction == ">":
            assert answers == [line]
            answers = []
        else:
            assert answers == []
            answer = receive(line) if line else None
            answers = [] if answer is None else [answer]


class ScriptedServer:
    """Serves one connection from a transcript, then closes it; ``ending`` ends every line."""

    def __init__(self, transcript: str, ending: str = "\r\n") -> None:
        self._steps = steps(transcript)
        self._ending = ending
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listening.getsockname()[1]}"
        self.difference: str | None = None
        """The first difference between the client and the transcript; None if there is none."""
        self._thread = Thread(target=self._serve)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._thread.join(PATIENCE)
        self._listening.close()
        assert not self._thread.is_alive()

    def _serve(self) -> None:
        self._listening.settimeout(PATIENCE)
        connection, _ = self._listening.accept()
        with connection, connection.makefile("rwb") as stream:
            connection.settimeout(PATIENCE)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # the client acknowledges late
            for direction, line in self._steps:
                if direction == "<":
                    stream.write(f"{line}{self._ending}".encode())
                    stream.flush()
                elif (received := stream.readline()) != f"{line}{self._ending}".encode():
                    self.difference = f"expected {line!r}, got {received!r}"
                    return


def run_client(
    name: str, transcript: str, *options: str, path: str = "", ending: str = "\r\n"
) -> CompletedProcess[str]:
    """Run ``clients/<name>`` against a transcript, fail if it departs from it, and return the ended process.

    ``path`` is added to the address.
    """
    with ScriptedServer(transcript, ending) as server:
        ended = start_client(name, server.address + path, *options)
    assert server.difference is None, server.difference
    return ended


def start_client(name: str, address: str, *options: str) -> CompletedProcess[str]:
    """Run ``clients/<name>`` with this address until it ends."""
    return run(str(ROOT / "clients" / name), address, *options)
