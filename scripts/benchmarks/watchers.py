"""Many spectators in one process, spread over the rooms of ``watched_clients``: they read, and say nothing.

    python -m scripts.benchmarks.watchers PORT ROOMS COUNT

The process writes ``"seated"`` when all have connected, and how many bytes and connections there were after any line
of its standard input, and ends with it.
"""

from __future__ import annotations

import asyncio
import os
import sys

from scripts.benchmarks.crowd_clients import report
from scripts.benchmarks.figures import LOOPBACK
from scripts.benchmarks.processes import raise_descriptors

POLITENESS = 15
"""Increment of the nice value: reading is the work of other machines."""


class Watcher(asyncio.Protocol):
    """One spectator."""

    received = 0
    """Bytes that all of them have received."""
    lost = 0
    """Connections that were closed."""

    def __init__(self, room: int) -> None:
        self._room = room

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Say whom to watch."""
        assert isinstance(transport, asyncio.WriteTransport)
        transport.write(f"0 hello ump=0.1 _watch=r{self._room}\r\n".encode("ascii"))

    def data_received(self, data: bytes) -> None:
        """Count bytes."""
        Watcher.received += len(data)

    def connection_lost(self, error: Exception | None) -> None:
        """Count the connection."""
        Watcher.lost += 1


async def watch(port: int, rooms: int, count: int) -> None:
    """Watch until the parent says that it is over."""
    loop = asyncio.get_running_loop()
    for number in range(count):
        await loop.create_connection(lambda room=number % rooms: Watcher(room), LOOPBACK, port)  # type: ignore[misc]
    report("seated")
    while await loop.run_in_executor(None, sys.stdin.readline):
        report({"bytes": Watcher.received, "lost": Watcher.lost})


if __name__ == "__main__":
    raise_descriptors()
    os.nice(POLITENESS)
    asyncio.run(watch(*map(int, sys.argv[1:4])))
