"""The client's way to its seat in a check: over standard streams, started to connect by itself, or awaited."""

from __future__ import annotations

import os
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
from ump.net.child_process import TRACEBACK, UNBUFFERED, Child, ChildConnection, Ending, without_controls
from ump.net.connection_limits import OpenConnections
from ump.net.limits import KILL_SECONDS, MAX_TAIL
from ump.server.player_connection import PlayerConnection
from ump.wire.session import TableInfo

SUCCESS = "status 0"


class ProcessEnd:
    """The end of a client's process, for those that wait for it."""

    def __init__(self, said: Callable[[], str]) -> None:
        """``said`` returns the end of its standard error."""
        self.status: str | None = None
        """``status 1``, ``signal 9``, or why it never started; None while it runs."""
        self.was_forced = False
        """Whether a signal has ended it."""
        self._said = said
        self._said_before = ""
        self._waiting: list[Deferred[None]] = []

    def note_game_over(self) -> None:
        """Note that the game is over: a traceback from now on does not count."""
        self._said_before = self._said()

    def take(self, status: str, *, is_forced: bool = False) -> None:
        """Note how the process has ended."""
        self.status, self.was_forced = status, is_forced
        fired, self._waiting = self._waiting, []
        for each in fired:
            each.callback(None)

    def when_taken(self) -> Deferred[None]:
        """Return a Deferred that fires when the process has ended."""
        if self.status is not None:
            return succeed(None)
        waiting: Deferred[None] = Deferred(self._waiting.remove)
        self._waiting.append(waiting)
        return waiting

    @property
    def is_fault(self) -> bool:
        """Whether the process has ended by itself, after its game, with a status that reports a failure."""
        if self.status in (None, SUCCESS) or self.was_forced:
            return False
        return TRACEBACK not in self._said().removeprefix(self._said_before)

    def __str__(self) -> str:
        """Return the status, and the last line of its standard error."""
        said = self._said()
        return f"{self.status}: {said.splitlines()[-1]}" if said else str(self.status)


class ClientProcess(Protocol):
    """The process of a client."""

    @property
    def end(self) -> ProcessEnd:
        """Its end."""

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
        self.end = ProcessEnd(self._child.said_last)

    def sit(self, seat: Seat, table: TableInfo) -> None:
        """Start the bot, and give it a seat."""
        self._child.start(self._command.at(seat))
        super().sit(seat, table)

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
        self.end.take(ending.status, is_forced=ending.is_forced)


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
        self._kill: IDelayedCall | None = None
        self.end = ProcessEnd(lambda: without_controls(bytes(self._tail)))

    def start(self, words: list[str]) -> None:
        """Start the program; if that fails, it ends at once."""
        environment = {**os.environ, UNBUFFERED[0]: UNBUFFERED[1]}
        try:
            self._reactor.spawnProcess(self, words[0], words, env=environment)
        except OSError as error:
            self.end.take(f"{words[0]} could not be started: {error.strerror or error}")
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
        if self._kill is not None and self._kill.active():
            self._kill.cancel()
        is_forced = error.signal is not None
        self.end.take(f"signal {error.signal}" if is_forced else f"status {error.exitCode}", is_forced=is_forced)

    def stop(self) -> None:
        """Send SIGTERM, and SIGKILL if that does not end it."""
        if self.end.status is None and self._kill is None:
            self._signal("TERM")
            self._kill = self._reactor.callLater(KILL_SECONDS, self._signal, "KILL")

    def _signal(self, name: str) -> None:
        with suppress(ProcessExitedAlready):
            self.transport.signalProcess(name)
