"""Programs that the reactor runs, and those of them that are bots: each message is a line on a standard stream.

``StartedProgram`` is the driver of all of them; ``ump.net.programs`` has the other driver, and says why there are two.

A bot over standard streams is a ``Child``. It has a connection like any client, with a session in its own dialect, but
has its place from the start. It lives for one game. After the game its standard input is closed; a child that does not
end then gets SIGTERM, and finally SIGKILL.

Each child starts in a session of its own, with limits, and its processes end with it. Two small programs do what the
server cannot do itself (``child_launch``, ``child_watch``). Both are run by path, and without site packages.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from twisted.internet.defer import Deferred, succeed
from twisted.internet.error import ProcessDone, ProcessExitedAlready, ProcessTerminated
from twisted.internet.interfaces import IDelayedCall, IPushProducer
from twisted.internet.protocol import ProcessProtocol
from twisted.logger import Logger
from twisted.protocols.basic import LineOnlyReceiver
from twisted.python.failure import Failure
from zope.interface import implementer

from ump.model.value import value
from ump.net.connection import Connection
from ump.net.connection_limits import OpenConnections
from ump.net.limits import KILL_SECONDS, MAX_UNSENT, PIPE_SECONDS, QUIT_SECONDS, ChildLimits
from ump.net.programs import PYTHON, LastWords, bot_environment, ignore, launch_command
from ump.wire.session import Introduction, Session

# Sessions

_WATCH = str(Path(__file__).with_name("child_watch.py"))


class ChildSessions(ProcessProtocol):
    """Starts bots in sessions, and tells the program that watches them."""

    _log = Logger()
    transport: Any

    def __init__(self, limits: ChildLimits, reactor: Any) -> None:
        self.limits = limits
        self._reactor = reactor
        self._is_watching = False
        self._sessions: set[int] = set()
        self._ended: Deferred[None] | None = None
        """Fires when the watching program has ended."""

    def launching(self, words: list[str], folder: Path | None) -> list[str]:
        """Return the command that starts a program in a session of its own, in a folder, with the limits."""
        return launch_command(words, self.limits, folder)

    def add(self, process: int) -> None:
        """Watch the session of a process that has just been started."""
        if not self._is_watching:
            self._is_watching = True
            most = self.limits.processes or sys.maxsize
            words = [*PYTHON, _WATCH, str(most)]
            self._reactor.spawnProcess(self, words[0], words, env={})
        self._sessions.add(process)
        self._tell(f"+ {process}\n")

    def remove(self, process: int) -> None:
        """Kill what is left of the session of a process that has ended."""
        if process in self._sessions:
            self._sessions.discard(process)
            self._tell(f"- {process}\n")

    def signal(self, process: int, name: str) -> None:
        """Send a signal, such as ``TERM``, to the process group of a session."""
        if process in self._sessions:
            with suppress(OSError):  # it has ended, or has no group yet: then it gets the signal itself
                os.killpg(process, getattr(signal, f"SIG{name}"))

    def close(self) -> Deferred[None]:
        """End the watching program, which kills all sessions that are left; the Deferred fires when it has ended."""
        if not self._is_watching:
            return succeed(None)
        self._sessions.clear()
        self._ended = Deferred()
        self.transport.closeStdin()
        return self._ended

    def _tell(self, line: str) -> None:
        if self._is_watching:
            self.transport.write(line.encode("ascii"))

    # The watching program's side

    def outReceived(self, data: bytes) -> None:
        """Log the sessions that had too many processes."""
        for line in data.decode("ascii").splitlines():
            process, _, count = line.partition(" ")
            self._log.warn(
                "process {process}: killed with its {count} processes; --child-processes allows {most}",
                process=process,
                count=count,
                most=self.limits.processes,
            )

    def errReceived(self, data: bytes) -> None:
        """Log an error of the watching program."""
        self._log.error("the watch over bots: {said}", said=data.decode("utf-8", "backslashreplace"))

    def processEnded(self, reason: Failure) -> None:
        """Start it anew with the next bot, if it has ended before the server."""
        self._is_watching = False
        if self._ended is not None:
            self._ended.callback(None)
        elif self._sessions:
            self._log.error("the watch over bots has ended: {why}", why=reason.getErrorMessage())


# A program


class StartedProgram(ProcessProtocol):
    """A program from its start to its end, with what it says last on its standard error."""

    transport: Any = None  # an IProcessTransport that also takes producers

    def __init__(self, reactor: Any, sessions: ChildSessions | None, hear: Callable[[str], None] = ignore) -> None:
        """``sessions`` starts it in a session of its own, with limits; ``hear`` takes the lines of standard error."""
        self.last_words = LastWords(hear)
        self.status: str | None = None
        """``status 1`` or ``signal 9``; None while it runs."""
        self.is_forced = False
        """Whether a signal has ended it."""
        self._reactor = reactor
        self._sessions = sessions
        self._process: int | None = None
        """Its process id, which is its session's too; kept after its end."""
        self._next: IDelayedCall | None = None
        """The next step of ending it."""

    def launch(self, words: list[str], folder: Path | None, environment: Mapping[str, str]) -> None:
        """Start the program with its arguments, in a folder; raises OSError."""
        if self._sessions is not None:
            words, folder = self._sessions.launching(words, folder), None
        self._reactor.spawnProcess(self, words[0], words, env=environment, path=folder)

    def signal(self, name: str) -> None:
        """Send a signal, such as ``TERM``, to the program and its own children, if it still runs."""
        if self.transport is None or self.status is not None:
            return
        with suppress(ProcessExitedAlready):  # processEnded follows
            self.transport.signalProcess(name)
        if self._sessions is not None and self._process is not None:
            self._sessions.signal(self._process, name)

    def terminate(self) -> None:
        """Send SIGTERM now, and SIGKILL if that does not end it."""
        if self.status is None:
            self.signal("TERM")
            self._then(KILL_SECONDS, self.kill)

    def terminate_in(self, seconds: float) -> None:
        """Let it end by itself for so many seconds."""
        if self.status is None:
            self._then(seconds, self.terminate)

    def kill(self) -> None:
        """Send SIGKILL."""
        self.signal("KILL")

    def ended(self, status: str) -> None:
        """Note the end, after everything that the program wrote has been read; subclasses say whom it concerns."""

    def _then(self, seconds: float, step: Callable[[], object]) -> None:
        """Schedule a step in this many seconds, in place of the step scheduled before."""
        self._cancel()
        self._next = self._reactor.callLater(seconds, step)

    def _cancel(self) -> None:
        if self._next is not None and self._next.active():
            self._next.cancel()

    # Called by the reactor

    def connectionMade(self) -> None:
        """Watch its session."""
        self._process = self.transport.pid
        if self._sessions is not None:
            self._sessions.add(self.transport.pid)

    def errReceived(self, data: bytes) -> None:
        """Keep the end of it, and pass lines on."""
        self.last_words.take(data)

    def processExited(self, reason: Failure) -> None:
        """Close its pipes soon: its own children, which end with it, may hold them open."""
        error = reason.value
        assert isinstance(error, ProcessDone | ProcessTerminated)
        self.is_forced = error.signal is not None
        self.status = f"signal {error.signal}" if self.is_forced else f"status {error.exitCode}"
        if self._sessions is not None and self._process is not None:
            self._sessions.remove(self._process)
        self._then(PIPE_SECONDS, self.transport.loseConnection)

    def processEnded(self, reason: Failure) -> None:
        """Pass its end on."""
        assert self.status is not None, "it has exited before"
        self._cancel()
        self.last_words.end()
        self.ended(self.status)


# Bots


@value
class Ending:
    """The end of a child."""

    status: str
    """``status 1``, ``signal 9``, or why it never started."""
    is_early: bool
    """Whether it ended before its game: it still had its place."""
    is_forced: bool = False
    """Whether a signal ended it."""


class ChildObserver(Protocol):
    """Receives reports about a child process that are no messages of its session."""

    def failed(self, message: str) -> None:
        """Note why the server closes the child's connection."""

    def complained(self, line: str) -> None:
        """Take a line from the child's standard error."""

    def ended(self, ending: Ending) -> None:
        """Note how the child ended; its process has been waited for."""


class NoHost:
    """A host for connections that have a place already."""

    def welcome(self, connection: Connection, introduction: Introduction) -> None:
        """Do nothing: the child has its place."""


class ChildConnection(Connection):
    """The connection to a child process, which has a place from the start."""

    def __init__(self, session: Session, observer: ChildObserver, connections: OpenConnections, clock: Any) -> None:
        super().__init__(session, NoHost(), connections, clock)
        self.observer = observer

    def fail(self, message: str) -> None:
        """Leave the place, send an error, and close."""
        self.observer.failed(message)
        self._reject(message)


class _Lines(LineOnlyReceiver):
    """Splits the data from a pipe into lines."""

    delimiter = b"\n"
    transport: Any

    def __init__(self, longest: int, take: Callable[[bytes], None], exceed: Callable[[bytes], None]) -> None:
        self.MAX_LENGTH = longest + 1  # the CR of a CR LF
        self._longest = longest
        self._take = take
        self._exceed = exceed
        self.transport = self
        self.disconnecting = False
        """Whether further lines are dropped. LineOnlyReceiver reads this attribute of its transport, and no other."""

    def lineReceived(self, line: bytes) -> None:
        """Pass a line on."""
        line = line.removesuffix(b"\r")
        (self._exceed if len(line) > self._longest else self._take)(line)

    def lineLengthExceeded(self, line: bytes) -> None:
        """Report a line that is too long, with its beginning."""
        self.clearLineBuffer()
        self._exceed(line)

    def clearLineBuffer(self) -> None:
        """Drop the incomplete line."""
        self._buffer = b""


@implementer(IPushProducer)
class Child(StartedProgram):
    """Carries a connection over the standard input and output of a child process."""

    host = ""
    is_private = True
    transport_name = "pipes"

    def __init__(
        self, connection: ChildConnection, name: str, reactor: Any, sessions: ChildSessions | None = None
    ) -> None:
        """Carry a connection. ``sessions`` starts the program in a session of its own, with limits."""
        super().__init__(reactor, sessions, connection.observer.complained)
        self.connection = connection
        self._left = None if sessions is None else sessions.limits.output_bytes
        """Bytes that it may still write; None: any number."""
        self._name = name
        self._observer = connection.observer
        self._output = _Lines(connection.max_message, connection.receive, lambda line: connection.exceed())
        self._unsent = bytearray()
        """Data kept while the child does not read."""
        self._is_paused = False
        self._unheard = 0
        """Bytes that the child wrote after its game."""

    @property
    def peer(self) -> str:
        """The name of the child in the log."""
        return f"{self._name} (process {getattr(self.transport, 'pid', None) or 'gone'})"

    def start(self, words: list[str], folder: Path | None = None) -> None:
        """Start the program with its arguments, in a folder, and open the connection.

        If the program cannot be started, the connection is lost soon after, as if the program had ended at once.
        """
        try:
            self.launch(words, folder, bot_environment())
        except OSError as error:
            self.transport = None
            self.connection.open(self)
            self._then(0, partial(self.ended, f"{words[0]} could not be started: {error.strerror or error}"))

    # The process's side

    def connectionMade(self) -> None:
        """Open the connection."""
        super().connectionMade()
        self.transport.registerProducer(self, True)
        self.connection.open(self)

    def outReceived(self, data: bytes) -> None:
        """Pass lines on; kill a child that goes on writing after its game, or without end."""
        self._count_output(data)
        if not self._output.disconnecting:
            self._output.dataReceived(data)
            return
        self._unheard += len(data)
        if self._unheard > MAX_UNSENT:
            self.kill()

    def errReceived(self, data: bytes) -> None:
        """Keep the last bytes, and pass lines on."""
        self._count_output(data)
        super().errReceived(data)

    def _count_output(self, data: bytes) -> None:
        """Kill a child that has written too much."""
        if self._left is None:
            return
        self._left -= len(data)
        if self._left < 0 and not self._output.disconnecting:
            self._observer.failed("it writes too much; --child-output is the limit")
            self.connection.cut()

    def pauseProducing(self) -> None:
        """Keep further data: the pipe is full."""
        self._is_paused = True

    def resumeProducing(self) -> None:
        """Send the data that was kept."""
        self._is_paused = False
        if self._unsent:
            data = bytes(self._unsent)
            self._unsent.clear()
            self.transport.write(data)

    def stopProducing(self) -> None:
        """Drop unsent data: the child has closed its standard input."""
        self._unsent.clear()

    # The connection's side

    def send(self, messages: list[str]) -> None:
        """Send messages in one write, a line each."""
        data = "".join(f"{message}\n" for message in messages).encode("ascii")
        if self.transport is None:
            return
        if not self._is_paused:
            self.transport.write(data)
            return
        self._unsent += data
        if len(self._unsent) > MAX_UNSENT and not self._output.disconnecting:
            self._observer.failed("it does not read its standard input")
            self.connection.cut()

    def stop_reading(self) -> None:
        """Drop the lines that follow."""
        self._output.disconnecting = True

    def cut(self) -> None:
        """Kill the child."""
        self._output.disconnecting = True
        self.kill()

    def end(self) -> None:
        """Close its standard input; send SIGTERM, then SIGKILL, if it does not end."""
        self._output.disconnecting = True
        if self.transport is None or self.status is not None:
            return
        self.transport.unregisterProducer()
        self.resumeProducing()
        self.transport.closeStdin()
        self.terminate_in(QUIT_SECONDS)

    def ended(self, status: str) -> None:
        """Report the end to the observer, then leave the place."""
        self._output.disconnecting = True
        self._observer.ended(Ending(status, self.connection.occupant is not None, self.is_forced))
        self.connection.lost()
