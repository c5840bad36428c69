"""An upgrade in play: a server starts the program that takes its place, and leaves when that one is ready.

The *successor* has the interpreter and the arguments of the old program, whose files may be newer ones, and gets its
open sockets. It imports, reads its options and connects; then it says that it is ready, and waits for the lock of the
records. The old server suspends its games, gives up the lock, and ends when its clients have gone. Until the successor
accepts them, new connections wait in the queues of the sockets, so nobody is refused.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping, MutableMapping
from typing import Any

from twisted.internet.error import ProcessTerminated
from twisted.internet.interfaces import IDelayedCall
from twisted.internet.protocol import ProcessProtocol
from twisted.logger import Logger
from twisted.python.failure import Failure

from ump.net.listener import Listener, OpenSocket

VARIABLE = "UMP_UPGRADE"
"""The variable that tells a successor which descriptors it gets."""

READY = b"ready"
"""The word of a successor."""

READY_SECONDS = 60
"""Time in which a successor must be ready."""

FIRST_DESCRIPTOR = 3
"""The first descriptor after the standard streams; from there on systemd passes its sockets."""

LAUNCH = ("/bin/sh", "-c", 'export LISTEN_PID=$$; exec "$0" "$@"')
"""Becomes a program that may use the sockets of systemd, for which the variable must name its process."""


class Inheritance:
    """The descriptors that a server gets from the one whose place it takes."""

    def __init__(self, ready: int, sockets: Mapping[tuple[str, str], OpenSocket]) -> None:
        """Keep the descriptors from the programs that this process starts."""
        self._ready = ready
        self._sockets = dict(sockets)
        for opened in self._sockets.values():
            for descriptor in opened.descriptors:
                os.set_inheritable(descriptor, False)
        os.set_inheritable(ready, False)

    @classmethod
    def taken_from(cls, variables: MutableMapping[str, str]) -> Inheritance | None:
        """Take what the environment tells, so that no other program reads it; None if we take nobody's place."""
        text = variables.pop(VARIABLE, "")
        if not text:
            return None
        told = json.loads(text)
        sockets = {(option, endpoint): OpenSocket(*numbers) for option, endpoint, numbers in told["sockets"]}
        return cls(told["ready"], sockets)

    def take_socket(self, option: str, endpoint: str) -> OpenSocket | None:
        """Return the open socket of an endpoint, once; None if there is none."""
        return self._sockets.pop((option, endpoint), None)

    def say_ready(self) -> None:
        """Close the sockets that nobody has taken, and let the old server leave."""
        for opened in self._sockets.values():
            for descriptor in opened.descriptors:
                os.close(descriptor)
        self._sockets.clear()
        os.write(self._ready, READY)
        os.close(self._ready)


class Successor(ProcessProtocol):
    """The program that takes the place of this server."""

    _log = Logger()

    def __init__(self, reactor: Any, ready: Callable[[int], object], failed: Callable[[], object]) -> None:
        """``ready`` is called with the process id when the program waits for us, ``failed`` if it never will."""
        self._reactor = reactor
        self._ready = ready
        self._failed = failed
        self._is_ready = False
        self._is_late = False
        self._process: Any = None
        self._deadline: IDelayedCall | None = None

    def start(self, listeners: Iterable[Listener], variables: Mapping[str, str] = os.environ) -> None:
        """Start the program with the sockets of these listeners; raises OSError."""
        names = list(filter(None, variables.get("LISTEN_FDNAMES", "").split(":")))
        number = FIRST_DESCRIPTOR + len(names)
        descriptors: dict[int, Any] = {0: 0, 1: 1, 2: 2, number: "r"}
        told: dict[str, Any] = {"ready": number, "sockets": []}
        for listener in listeners:
            opened = listener.open_socket
            if opened is None:
                continue
            if listener.systemd_number is not None:
                descriptors[listener.systemd_number] = opened.descriptor
                continue
            numbers = range(number + 1, number + 1 + len(opened.descriptors))
            number = numbers[-1]
            descriptors.update(zip(numbers, opened.descriptors, strict=True))
            told["sockets"].append((listener.option, listener.description, [*numbers]))
        environment = {**variables, VARIABLE: json.dumps(told), "LISTEN_FDS": str(len(names))}  # Twisted deletes that
        environment.pop("WATCHDOG_PID", None)  # it names this process
        words = [*LAUNCH, sys.executable, *sys.orig_argv[1:]]
        self._process = self._reactor.spawnProcess(self, words[0], words, env=environment, childFDs=descriptors)
        self._deadline = self._reactor.callLater(READY_SECONDS, self._give_up)

    def cancel(self) -> None:
        """End the program, unless it is ready: the server stops."""
        if not self._is_ready and self._process.pid is not None:
            self._process.signalProcess("KILL")

    def childDataReceived(self, childFD: int, data: bytes) -> None:
        """Let the program take our place."""
        if not self._is_ready and data == READY:
            self._is_ready = True
            self._stop_waiting()
            self._ready(self._process.pid)

    def processEnded(self, reason: Failure) -> None:
        """Go on without the program, if it was not ready."""
        self._stop_waiting()
        if not self._is_ready:
            self._log.error("SIGUSR2: the server goes on, as the new program {why}", why=self._why(reason.value))
            self._failed()

    def _why(self, ended: object) -> str:
        if self._is_late:
            return f"was not ready within {READY_SECONDS} seconds"
        if isinstance(ended, ProcessTerminated) and ended.signal is not None:
            return f"was ended by signal {ended.signal}"
        return f"ended with status {getattr(ended, 'exitCode', 0)}; its own last line says why"

    def _give_up(self) -> None:
        self._is_late = True
        self.cancel()

    def _stop_waiting(self) -> None:
        if self._deadline is not None and self._deadline.active():
            self._deadline.cancel()
