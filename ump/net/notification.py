"""Notify systemd (sd_notify): that it is ready, that it lives, that it stops."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from typing import Any

from twisted.application.service import Service
from twisted.internet.interfaces import IDelayedCall
from twisted.logger import Logger

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
