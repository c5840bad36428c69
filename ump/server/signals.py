"""The server under a terminal and systemd: signals, and notifications of its state.

SIGHUP reads files again, SIGUSR1 begins a new log file, the first SIGTERM waits for running games. systemd is told
(sd_notify) that the server is ready, that it lives, and that it stops.
"""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable, Mapping
from types import FrameType
from typing import Any

from twisted.application.service import Service
from twisted.internet.interfaces import IDelayedCall, IReactorFromThreads
from twisted.logger import Logger

STREAMS = (0, 1, 2)
"""The standard streams, one of which is the terminal of a server in the foreground."""


def is_on_terminal() -> bool:
    """Return whether a standard stream is a terminal that is still there."""
    return any(map(os.isatty, STREAMS))


class Signals:
    """Handles signals while the server runs, unless it was started with them ignored or taken (nohup, twistd)."""

    _log = Logger()

    def __init__(
        self, reactor: Any, *, reload: Callable[[], object], rotate: Callable[[], object], stop: Callable[[], object]
    ) -> None:
        """``stop`` ends the server as SIGTERM does; it is called at SIGHUP if the server's terminal has gone."""
        self._reactor = reactor
        self._calls = {"SIGHUP": self._hang_up, "SIGUSR1": rotate}
        self._reload = reload
        self._stop = stop
        self._had_terminal = False
        self._installed: list[int] = []

    def install(self) -> None:
        """Handle the signals from now on; call this in the main thread."""
        self._had_terminal = is_on_terminal()
        for name, call in self._calls.items():
            number = getattr(signal, name, None)  # Windows has neither
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, self._in_reactor(call))
                self._installed.append(number)

    def remove(self) -> None:
        """Leave the signals to the system again."""
        for number in self._installed:
            signal.signal(number, signal.SIG_DFL)
        self._installed.clear()

    def _in_reactor(self, call: Callable[[], object]) -> Callable[[int, FrameType | None], None]:
        def take(number: int, frame: FrameType | None) -> None:
            self._reactor.callFromThread(call)

        return take

    def _hang_up(self) -> None:
        """Read files again, or stop if the signal says that the terminal is gone."""
        if self._had_terminal and not is_on_terminal():
            self._log.info("SIGHUP: the terminal is gone, the server stops")
            self._stop()
        else:
            self._reload()


def on_first_sigterm(reactor: IReactorFromThreads, call: Callable[[Callable[[], None]], object]) -> None:
    """Call a function in the reactor's thread at the first SIGTERM; a second one does what the reactor has installed.

    The function receives another one that does the same as a second SIGTERM. Call this when the reactor runs.
    """
    installed = signal.getsignal(signal.SIGTERM)
    assert callable(installed)

    def proceed() -> None:
        """Do what the reactor does on SIGTERM."""
        installed(signal.SIGTERM, None)

    def take(number: int, frame: FrameType | None) -> None:
        """Take the first SIGTERM."""
        signal.signal(signal.SIGTERM, installed)
        reactor.callFromThread(call, proceed)

    signal.signal(signal.SIGTERM, take)


MICROSECONDS = 1_000_000


class Notification(Service):
    """Writes to the socket that the environment names. Without one, as under other starters, it does nothing."""

    _log = Logger()

    def __init__(self, reactor: Any, variables: Mapping[str, str] = os.environ) -> None:
        """Read the variables of systemd; a watchdog that waits for another process is not ours."""
        self._reactor = reactor
        self._address = variables.get("NOTIFY_SOCKET", "")
        own = str(os.getpid())
        waits = variables.get("WATCHDOG_USEC", "") if variables.get("WATCHDOG_PID", own) == own else ""
        self._every = int(waits) / MICROSECONDS / 2 if waits.isdecimal() else 0.0
        """Seconds between two signs of life; 0: nobody waits for them."""
        self._call: IDelayedCall | None = None

    def startService(self) -> None:
        """Tell that the server is ready when the reactor runs: its ports are open then."""
        super().startService()
        self._reactor.callWhenRunning(self._begin)

    def _begin(self) -> None:
        if self.running:
            self._send("READY=1")
            self._live()

    def _live(self) -> None:
        """Give signs of life, as long as the thread of all games takes its turns."""
        if self._every:
            self._send("WATCHDOG=1")
            self._call = self._reactor.callLater(self._every, self._live)

    def stopService(self) -> None:
        """Tell that the server stops."""
        super().stopService()
        if self._call is not None and self._call.active():
            self._call.cancel()
        self._send("STOPPING=1")

    def _send(self, state: str) -> None:
        if not self._address:
            return
        address = f"\0{self._address[1:]}" if self._address.startswith("@") else self._address
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as client:
                client.setblocking(False)
                client.sendto(state.encode(), address)
        except OSError as error:
            self._log.warn("systemd does not hear {state}: {error}", state=state, error=error.strerror or error)
