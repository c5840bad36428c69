"""A server that records one kyoku with built-in bots, and is killed and started again on the same port."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scripts.lab.processes import free_port, wait_until
from scripts.lab.server import KilledServer
from ump.bots.links import Address, read_address

SECONDS = 60.0
"""The time in which the server must listen."""


@contextmanager
def killed_server(folder: Path) -> Iterator[tuple[KilledServer, Address]]:
    """Start the server, and close it in the end."""
    port = free_port()
    options = (
        "--listen=none",
        f"--listen={port}",
        "--house=efficiency:3",
        "--house-after=0",
        "--length=kyoku",
        "--seed=killed",  # else a kyoku now and then ends before the client has decided often enough
        "--sync=never",
    )
    server = KilledServer(folder, options)
    server.start()
    try:
        assert listens(server)
        yield server, read_address(f"127.0.0.1:{port}")
    finally:
        server.close()


def listens(server: KilledServer) -> bool:
    """Wait until the server listens; return whether it does."""
    return wait_until(lambda: server.port is not None, SECONDS)
