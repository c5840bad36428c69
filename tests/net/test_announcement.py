"""Servers that announce themselves in the local network, and programs that find them, over the loopback interface."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import pytest
from click.testing import CliRunner
from twisted.internet.defer import Deferred, fail, maybeDeferred
from twisted.logger import LogLevel, capturedLogs

from scripts.lab.processes import wait_until
from ump.cli.main import main
from ump.net import announcement
from ump.net.announcement import Announcement, FoundServer, NoLibraryError, announced, find_servers

LOCAL = ("127.0.0.1",)
LIBRARY = "no zeroconf; pip install 'ump-mahjong[lan]'"


at_once: Callable[..., Deferred[Any]] = maybeDeferred
"""Calls a function in this thread."""


class FakeAnnounced:
    """An announcement that nobody hears."""

    name = "ump on here._ump._tcp.local."
    made: ClassVar[list[FakeAnnounced]] = []

    def __init__(self) -> None:
        self.is_closed = False
        self.made.append(self)

    def close(self) -> None:
        """Take it back."""
        self.is_closed = True


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, ...]]:
    """Return the announcements of the test."""
    calls: list[tuple[object, ...]] = []
    FakeAnnounced.made.clear()

    def announce(*arguments: object) -> FakeAnnounced:
        calls.append(arguments)
        return FakeAnnounced()

    monkeypatch.setattr(announcement, "announced", announce)
    return calls


def test_found_by_name_and_gone_afterwards() -> None:
    """A port that is announced is found with its rooms, until the announcement is closed."""
    pytest.importorskip("zeroconf", reason=LIBRARY)
    try:
        opened = announced("127.0.0.1", 19_123, ["main", "east"], LOCAL)
    except OSError as error:
        pytest.skip(f"no multicast here: {error}")
    mine: list[FoundServer] = []

    def is_found() -> bool:
        mine[:] = [server for server in find_servers(2.0, LOCAL, most=1) if server.port == 19_123]
        return bool(mine)

    try:
        assert wait_until(is_found, 60)
    finally:
        opened.close()
    assert mine == [FoundServer(mine[0].name, "127.0.0.1", 19_123, ("main", "east"))]
    assert mine[0].name.startswith("ump on ")
    assert mine[0].address == "127.0.0.1:19123"
    assert mine[0] not in find_servers(0.5, LOCAL)


def test_a_port_that_others_reach_is_announced(made: list[tuple[object, ...]]) -> None:
    """Its host, its number and the rooms; the announcement ends with the service."""
    service = Announcement(lambda: ("192.0.2.1", 19_000), lambda: ["main"], at_once)
    service.startService()
    with capturedLogs() as events:
        service.announce()
    assert made == [("192.0.2.1", 19_000, ("main",), None)]
    assert events[-1]["name"] == "ump on here"
    assert not FakeAnnounced.made[0].is_closed
    service.stopService()
    assert FakeAnnounced.made[0].is_closed


@pytest.mark.parametrize("address", [("127.0.0.1", 19_000), ("::1", 19_000), None])
def test_a_port_of_this_computer_alone_is_not_announced(
    made: list[tuple[object, ...]], address: tuple[str, int] | None
) -> None:
    """Loopback addresses and other endpoints stay quiet."""
    service = Announcement(lambda: address, lambda: ["main"], at_once)
    service.startService()
    service.announce()
    service.stopService()
    assert made == []


def test_a_network_that_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    """The log has a warning, and the server goes on."""
    service = Announcement(lambda: ("192.0.2.1", 1), list, lambda *_: fail(OSError("no such device")))
    service.startService()
    with capturedLogs() as events:
        service.announce()
    assert events[-1]["why"] == "no such device"
    assert service.stopService() is not None


def test_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server says what to install, and so does ump find."""
    monkeypatch.setattr(announcement, "LIBRARY", "no_such_module")
    service = Announcement(lambda: ("192.0.2.1", 1), list, at_once)
    service.startService()
    with capturedLogs() as events:
        service.announce()
    assert "ump-mahjong[lan]" in events[-1]["why"]
    assert events[-1]["log_level"] is LogLevel.info
    assert service.stopService() is not None
    with pytest.raises(NoLibraryError):
        find_servers(0.1)
    result = CliRunner().invoke(main, ["find"])
    assert (result.exit_code, "ump-mahjong[lan]" in result.output) == (2, True)


def test_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """Servers are listed with their addresses; without one the status is 1."""
    servers = [FoundServer("ump on\x1b[1m here", "2001:db8::1", 19_000, ("main", "east"))]
    monkeypatch.setattr(announcement, "find_servers", lambda seconds: servers)
    result = CliRunner().invoke(main, ["find"])
    assert result.exit_code == 0
    assert "[2001:db8::1]:19000" in result.output
    assert "main, east" in result.output
    assert "\x1b" not in result.output
    assert '"port": 19000' in CliRunner().invoke(main, ["find", "--json"]).output
    servers.clear()
    assert CliRunner().invoke(main, ["find"]).exit_code == 1
