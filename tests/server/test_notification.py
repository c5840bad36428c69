"""systemd is told that the server is ready, lives, stops, or leaves its place to another process."""

from __future__ import annotations

import socket
from pathlib import Path

from twisted.internet.testing import MemoryReactorClock
from twisted.logger import capturedLogs

from ump.server.service import Notification


def heard(manager: socket.socket) -> list[str]:
    """Return what has arrived at the socket of a manager that does not block."""
    found = []
    while True:
        try:
            found.append(manager.recv(100).decode())
        except BlockingIOError:
            return found


def test_the_manager_hears_of_the_server(tmp_path: Path) -> None:
    """Signs of life come in half of the time that it waits; another process's watchdog gets none."""
    for number, (variables, lives) in enumerate(
        (({}, 0), ({"WATCHDOG_USEC": "30000000"}, 3), ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"}, 0))
    ):
        clock, path = MemoryReactorClock(), tmp_path / str(number)
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            manager.bind(str(path))
            manager.setblocking(False)
            service = Notification(clock, {"NOTIFY_SOCKET": str(path), **variables})
            service.startService()
            clock.run()
            clock.pump([0, 15, 15])
            assert heard(manager) == ["READY=1", *["WATCHDOG=1"] * lives]
            service.stopService()
            assert (heard(manager), clock.getDelayedCalls()) == (["STOPPING=1"], [])


def test_a_manager_that_is_gone_stops_no_server() -> None:
    """The log has a line; without a manager nothing happens."""
    with capturedLogs() as events:
        for variables in ({"NOTIFY_SOCKET": "@no-such-manager"}, {}):
            service = Notification(MemoryReactorClock(), variables)
            service.startService()
            service.stopService()
    assert len(events) == 1


def test_the_manager_hears_who_takes_the_place_of_the_server(tmp_path: Path) -> None:
    """An upgrade that fails leaves the server ready; after one that succeeds, only the other process says more."""
    clock, path = MemoryReactorClock(), tmp_path / "manager"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(path))
        manager.setblocking(False)
        service = Notification(clock, {"NOTIFY_SOCKET": str(path)})
        service.startService()
        clock.run()
        service.begin_upgrade()
        service.end_upgrade()
        ready, reloading, again = heard(manager)
        assert (ready, again) == ("READY=1", "READY=1")
        assert reloading.startswith("RELOADING=1\nMONOTONIC_USEC=")
        service.hand_over(17)
        service.stopService()
        assert heard(manager) == ["MAINPID=17"]
