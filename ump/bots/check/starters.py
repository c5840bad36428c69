"""The client's way to its seat in a check: over standard streams, started to connect by itself, or awaited."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Protocol

from twisted.internet.defer import Deferred, succeed
from twisted.internet.error import ProcessDone, ProcessExitedAlready, ProcessTerminated
from twisted.internet.interfaces import IDelayedCall
from twisted.internet.protocol import ProcessProtocol
from twisted.python.failure import Failure

from ump.model.seats import Seat
from ump.net.bot_commands import Command
from ump.net.child_process import UNBUFFERED, Child, ChildConnection, Ending
from ump.net.connection_limits import OpenConnections
from ump.net.limits import KILL_SECONDS, MAX_TAIL
from ump.server.player_connection import PlayerConnection
from ump.wire.session import TableInfo

_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class ClientProcess(Protocol):
    """The process of a client."""

    @property
    def ending(self) -> str | None:
        """The way it has ended, with its last words; None while it runs."""

    @property
    def was_forced(self) -> bool:
        """Whether a signal has ended it."""

    def when_ended(self) -> Deferred[None]:
        """Return a Deferred that fires when it has ended."""

    def stop(self) -> None:
        """End it."""


class Starter(Protocol):
    """Brings the client to the check, once for each situation."""

    @property
    def over_streams(self) -> bool:
        """Whether the client has no connection of its own, so that none can be lost."""

    @property
    def arrival_seconds(self) -> float | None:
        """Seconds to wait for the client; None: until it comes."""

    def start(self, arrive: Callable[[PlayerConnection], None]) -> ClientProcess | None:
        """Start the client; it calls ``arrive`` itself, or says hello to the server. Return its process, if any."""


class Awaited:
    """The author starts the client by hand, and again after each game."""

    over_streams = False
    arrival_seconds = None

    def start(self, arrive: Callable[[PlayerConnection], None]) -> ClientProcess | None:
        """Do nothing: the client comes."""
        return None


class OverStreams:
    """Starts a bot that speaks over its standard streams."""

    over_streams = True
    arrival_seconds = None

    def __init__(self, command: Command, connections: OpenConnections, reactor: Any) -> None:
        self._command = command
        self._connections = connections
        self._reactor = reactor

    def start(self, arrive: Callable[[PlayerConnection], None]) -> ClientProcess | None:
        """Prepare a bot, which starts when it takes its seat."""
        bot = StreamBot(self._command, self._connections, self._reactor)
        arrive(bot)
        return bot


class StreamBot(PlayerConnection):
    """A bot over standard streams, for one game."""

    is_client = True

    def __init__(self, command: Command, connections: OpenConnections, reactor: Any) -> None:
        self._own = ChildConnection(command.open_session("client"), self, connections, reactor)
        super().__init__(self._own, "client", games=1)
        self._command = command
        self._child = Child(self._own, "the client", reactor)
        self._ending: Ending | None = None
        self._waiting: list[Deferred[None]] = []

    def sit(self, seat: Seat, table: TableInfo) -> None:
        """Start the bot, and give it a seat."""
        self._child.start(self._command.at(seat))
        super().sit(seat, table)

    @property
    def ending(self) -> str | None:
        """The way it has ended, with its last words; None while it runs."""
        return None if self._ending is None else _with_last_line(self._ending.status, self._child.said_last())

    @property
    def was_forced(self) -> bool:
        """Whether a signal has ended it."""
        return self._ending is not None and self._ending.is_forced

    def when_ended(self) -> Deferred[None]:
        """Return a Deferred that fires when it has ended."""
        return _fired_when(self._ending is not None, self._waiting)

    def stop(self) -> None:
        """End it: close its standard input, and send signals if that does not end it."""
        self._own.dismiss()

    # The observer of the process

    def failed(self, message: str) -> None:
        """Do nothing: the transcript has the reason."""

    def complained(self, line: str) -> None:
        """Do nothing: the last lines are quoted if the bot fails."""

    def ended(self, ending: Ending) -> None:
        """Note how the bot ended."""
        self._ending = ending
        _fire(self._waiting)


class ByItself:
    """Starts a client that connects to the server by itself."""

    over_streams = False
    arrival_seconds = 30.0

    def __init__(self, words: tuple[str, ...], addresses: Mapping[str, str], reactor: Any) -> None:
        """``addresses`` are those of the server, by the words in braces that stand for them in the command."""
        self._words = [_filled(word, addresses) for word in words]
        self._reactor = reactor

    def start(self, arrive: Callable[[PlayerConnection], None]) -> ClientProcess | None:
        """Start the program."""
        process = StartedProcess(self._reactor)
        process.start(self._words)
        return process


def _filled(word: str, addresses: Mapping[str, str]) -> str:
    for name, address in addresses.items():
        word = word.replace(f"{{{name}}}", address)
    return word


class StartedProcess(ProcessProtocol):
    """A program that connects by itself. What it prints is kept only to quote its last line."""

    transport: Any

    def __init__(self, reactor: Any) -> None:
        self._reactor = reactor
        self._tail = bytearray()
        self._ending: str | None = None
        self._waiting: list[Deferred[None]] = []
        self._kill: IDelayedCall | None = None
        self.was_forced = False
        """Whether a signal has ended it."""

    def start(self, words: list[str]) -> None:
        """Start the program; if that fails, it ends at once."""
        environment = {**os.environ, UNBUFFERED[0]: UNBUFFERED[1]}
        try:
            self._reactor.spawnProcess(self, words[0], words, env=environment)
        except OSError as error:
            self._end(f"{words[0]} could not be started: {error.strerror or error}")
            return
        self.transport.closeStdin()

    def outReceived(self, data: bytes) -> None:
        """Drop what it prints."""

    def errReceived(self, data: bytes) -> None:
        """Keep the end of its standard error."""
        self._tail += data
        del self._tail[:-MAX_TAIL]

    def processEnded(self, reason: Failure) -> None:
        """Note how it ended."""
        error = reason.value
        assert isinstance(error, ProcessDone | ProcessTerminated)
        self.was_forced = error.signal is not None
        status = f"signal {error.signal}" if self.was_forced else f"status {error.exitCode}"
        self._end(_with_last_line(status, _CONTROLS.sub("", self._tail.decode("utf-8", "replace")).strip()))

    def _end(self, ending: str) -> None:
        self._ending = ending
        if self._kill is not None and self._kill.active():
            self._kill.cancel()
        _fire(self._waiting)

    @property
    def ending(self) -> str | None:
        """The way it has ended, with its last words; None while it runs."""
        return self._ending

    def when_ended(self) -> Deferred[None]:
        """Return a Deferred that fires when it has ended."""
        return _fired_when(self._ending is not None, self._waiting)

    def stop(self) -> None:
        """Send SIGTERM, and SIGKILL if that does not end it."""
        if self._ending is None and self._kill is None:
            self._signal("TERM")
            self._kill = self._reactor.callLater(KILL_SECONDS, self._signal, "KILL")

    def _signal(self, name: str) -> None:
        with suppress(ProcessExitedAlready):
            self.transport.signalProcess(name)


def _with_last_line(status: str, said: str) -> str:
    """Return how a process ended, and the last line of its standard error."""
    return f"{status}: {said.splitlines()[-1]}" if said else status


def _fired_when(has_ended: bool, waiting: list[Deferred[None]]) -> Deferred[None]:
    if has_ended:
        return succeed(None)
    waiting.append(Deferred(waiting.remove))
    return waiting[-1]


def _fire(waiting: list[Deferred[None]]) -> None:
    fired, waiting[:] = tuple(waiting), []
    for each in fired:
        each.callback(None)
