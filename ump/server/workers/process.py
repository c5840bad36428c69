"""Starts worker processes, each with a link on a descriptor that it inherits."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from twisted.internet.error import ProcessExitedAlready
from twisted.internet.protocol import ProcessProtocol
from twisted.python.failure import Failure

from ump.server.workers.link import Link, LinkEnd, LinkTransport
from ump.server.workers.sharing import Sharing
from ump.server.workers.worker import Spawn

LINK_DESCRIPTOR = 3
"""The descriptor of the link in a worker."""

MODULE = "ump.server.workers.worker_process"
"""The program of a worker."""


class WorkerProcess(ProcessProtocol):
    """A worker process that the reactor has started. Its standard output and errors go to those of the server."""

    def __init__(self, reactor: Any, end: LinkEnd, ended: Callable[[str], None]) -> None:
        """Start the process; call ``ended`` with the reason when it has ended."""
        self._ended = ended
        ours, theirs = socket.socketpair()
        self.link = Link(end)
        self.sharing = Sharing()
        with theirs, open(os.devnull, "rb") as nothing:
            descriptors = {0: nothing.fileno(), 1: 2, 2: 2, LINK_DESCRIPTOR: theirs.fileno()}
            descriptors |= self.sharing.descriptors
            words = [sys.executable, "-P", "-m", MODULE]
            self._process = reactor.spawnProcess(self, words[0], words, env=_environment(), childFDs=descriptors)
        LinkTransport(ours, self.link, reactor)
        self.sharing.close_theirs()

    def kill(self) -> None:
        """End the process at once."""
        with suppress(ProcessExitedAlready):
            self._process.signalProcess("KILL")

    def processEnded(self, reason: Failure) -> None:
        """Close the link, and say why the process has ended."""
        self.link.transport.abortConnection()
        self.sharing.close()
        self._ended(reason.getErrorMessage().removeprefix("A process has ended ").strip())


def process_spawner(reactor: Any) -> Spawn:
    """Return a function that starts workers as processes."""

    def spawn(end: LinkEnd, ended: Callable[[str], None]) -> WorkerProcess:
        """Start one."""
        return WorkerProcess(reactor, end, ended)

    return spawn


def _environment() -> dict[str, str]:
    """Return the environment of the server, with which a worker finds the same modules."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
