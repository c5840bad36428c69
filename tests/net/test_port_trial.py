"""Trying ports before the server starts."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from support.memory_server import plan_of, room
from twisted.internet.testing import MemoryReactorClock
from twisted.python.systemd import ListenFDs

from twisted.plugins import twisted_core
from ump.net.limits import Limits
from ump.net.listener import PortError
from ump.server.service import Server
from ump.server.settings import ListeningPort


@pytest.fixture
def port() -> Iterator[int]:
    """A port that is in use."""
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        yield taken.getsockname()[1]


def refusal(*endpoints: str, is_needed: bool = True) -> str | None:
    """Try the ports of a server, and return its error."""
    ports = tuple(ListeningPort("listen", endpoint, is_needed=is_needed) for endpoint in endpoints)
    try:
        Server(plan_of(ports, rooms=(room(),), limits=Limits()), MemoryReactorClock()).try_ports()
    except PortError as error:
        return str(error)
    return None


def test_tcp_ports(port: int) -> None:
    """A port in use is refused if it is required, alone, behind a proxy or over IPv6."""
    error = f"ump-server: port {port} is in use; another ump-server? choose one with --listen PORT"
    assert refusal(f"tcp:{port}:interface=127.0.0.1") == error
    assert refusal(f"haproxy:tcp:{port}") == error
    assert refusal(f"tcp6:{port}") == error
    assert refusal(f"tcp:{port}", is_needed=False) is None
    assert refusal("tcp:0", "tcp:0", "tcp6:0:interface=\\:\\:1") is None


def test_two_ports_that_exclude_each_other() -> None:
    """The same port on all addresses and on one of them is refused, and no port stays open."""
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    assert refusal(f"tcp:{port}") is None
    assert refusal(f"tcp:{port}", f"tcp:{port}:interface=127.0.0.1") is not None
    assert refusal(f"tcp:{port}") is None


def test_other_errors() -> None:
    """The message has the endpoint and the reason."""
    assert refusal("tcp:0:interface=203.0.113.9") == (
        "ump-server: --listen: 'tcp:0:interface=203.0.113.9' cannot be opened: Cannot assign requested address"
    )
    assert refusal("tcp:port=99999") == (
        "ump-server: --listen: 'tcp:port=99999' cannot be opened: bind(): port must be 0-65535."
    )


def test_unix_sockets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path is refused if a program listens there, a file is there, or its folder is missing; it is left alone."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    assert refusal("unix:file") == "ump-server: file is in use; another ump-server? choose one with --listen PORT"
    assert refusal("unix:no/socket") == (
        "ump-server: --listen: 'unix:no/socket' cannot be opened: the folder does not exist or is not writable"
    )
    with closing(socket.socket(socket.AF_UNIX)) as server:
        server.bind("socket")
        assert refusal("unix:socket") is None
        server.listen()
        assert refusal("unix:socket") is not None
    assert refusal("unix:new") is None
    assert sorted(os.listdir()) == ["file", "socket"]


def test_systemd_sockets(monkeypatch: pytest.MonkeyPatch) -> None:
    """A socket that systemd has opened stays open."""
    with closing(socket.create_server(("127.0.0.1", 0))) as opened:
        monkeypatch.setattr(twisted_core.systemdEndpointParser, "_sddaemon", ListenFDs([opened.fileno()]))
        assert refusal("systemd:domain=INET:index=0") is None
        assert os.fstat(opened.fileno())
