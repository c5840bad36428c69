"""A server that plays its part of a transcript, for tests of clients.

A transcript is written as one would see it on the wire, ``<`` before what the server says, ``>`` before what the client
must answer: nothing else, and nothing later than the server's next line.
"""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Self

ROOT = Path(__file__).resolve().parent.parent.parent

PATIENCE = 30.0
"""Seconds after which a test gives up: no more than a way out of a mistake."""


def steps(transcript: str) -> list[tuple[str, str]]:
    """Return who speaks (``<`` or ``>``) and what is said, line by line."""
    lines = [line.strip() for line in transcript.strip().splitlines()]
    return [(line[0], line[2:]) for line in lines if line]


def converse(hear: Callable[[str], str | None], transcript: str) -> None:
    """Play a transcript with a client that is a function from a line to its answer."""
    answers: list[str] = []
    for who, line in [*steps(transcript), ("<", "")]:
        if who == ">":
            assert answers == [line]
            answers = []
        else:
            assert answers == []
            answer = hear(line) if line else None
            answers = [] if answer is None else [answer]


class ScriptedServer:
    """Serves one connection by a transcript, then hangs up; ``ending`` is that of every line."""

    def __init__(self, transcript: str, ending: str = "\r\n") -> None:
        self._steps = steps(transcript)
        self._ending = ending
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listening.getsockname()[1]}"
        self.difference: str | None = None
        """How the client departed from the transcript, if it did."""
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
            for who, line in self._steps:
                if who == "<":
                    stream.write(f"{line}{self._ending}".encode())
                    stream.flush()
                elif (said := stream.readline()) != f"{line}{self._ending}".encode():
                    self.difference = f"{line!r} was due, not {said!r}"
                    return


def run_client(
    name: str, transcript: str, *options: str, path: str = "", ending: str = "\r\n"
) -> subprocess.CompletedProcess[str]:
    """Run ``clients/<name>`` against a transcript, which it must follow; return how it ended.

    ``path`` stands behind the address to connect to.
    """
    with ScriptedServer(transcript, ending) as server:
        ended = start_client(name, server.address + path, *options)
    assert server.difference is None, server.difference
    return ended


def start_client(name: str, address: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Run ``clients/<name>`` with an address to connect to, to its end."""
    command = [sys.executable, str(ROOT / "clients" / name), address, *options]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=PATIENCE, check=False)
