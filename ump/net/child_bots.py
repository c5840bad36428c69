"""Children at tables: bots that the server starts where a room has them for house players.

A child begins with the game and is told at once who plays; how long it takes to load is the time of ``ready?`` and,
beyond that, of its first decisions. The table's clock holds for it as for everybody: who is silent three times is not
waited for any more, until it says something.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from twisted.application.service import Service
from twisted.internet.defer import Deferred, TimeoutError
from twisted.logger import Logger

from ump.model.seats import Seat
from ump.net.bot_commands import Command
from ump.net.child_process import Child, ChildConnection, Ending
from ump.net.connection import Connection
from ump.net.connection_limits import OpenConnections
from ump.net.guest import Guest
from ump.net.limits import DRAIN_SECONDS, MAX_LOGGED, PIPE_SECONDS, Limits

if TYPE_CHECKING:
    from ump.net.running import RunningTable


class ChildGuest(Guest):
    """A bot of the house: it has a seat for one game, and keeps no table alive by itself."""

    _log = Logger()
    is_client = False

    def __init__(self, name: str, command: Command, connections: OpenConnections, reactor: Any) -> None:
        self._own = ChildConnection(command.open_session(name), self, connections, reactor)
        super().__init__(self._own, name, games=1)
        self._command = command
        self._reactor = reactor
        self._child: Child | None = None
        self._where = name
        """The table and the name, for the log."""
        self._lines = 0
        """How many lines of its standard error were logged."""
        self._was_late = False

    def play_at(self, table: RunningTable, seat: Seat) -> None:
        """Start the bot, and let it take a seat."""
        self._where = f"{table.name}: {self.name}"
        self._child = Child(self._own, self._where, self._reactor)
        self._child.start(self._command.at(seat))
        super().play_at(table, seat)

    def turn_away(self, message: str) -> None:
        """End, if it has begun."""
        if self._child is not None:
            super().turn_away(message)

    def was_late(self) -> None:
        """Report the first question that ran out, and what the bot has said by then."""
        if not self._was_late and self._child is not None:
            self._was_late = True
            self._log.warn("{child} is late; {said}", child=self._where, said=self._said())

    def complained(self, line: str) -> None:
        """Log a line of its standard error, up to a number."""
        self._lines += 1
        if self._lines <= MAX_LOGGED:
            self._log.debug("{child}: {line}", child=self._where, line=line)

    def failed(self, message: str) -> None:
        """Report why the bot is given up."""
        self._log.warn("{child} is given up: {why}; {said}", child=self._where, why=message, said=self._said())

    def ended(self, ending: Ending) -> None:
        """Report how it ended: as a fault, if its game was not over.

        Afterwards many a bot ends with a traceback, because it expects more; only that it had to be forced is news.
        """
        report = {"child": self._where, "status": ending.status, "said": self._said()}
        if ending.is_early:
            self._log.warn("{child} has ended in its game, {status}; {said}", **report)
        elif ending.is_forced:
            self._log.info("{child} has ended, {status}; {said}", **report)
        else:
            self._log.debug("{child} has ended, {status}", child=self._where, status=ending.status)

    def _said(self) -> str:
        said = "" if self._child is None else self._child.said_last()
        return f"the last of its standard error:\n{said}" if said else "nothing on its standard error"


class Children(Service):
    """All bots that the server has started: how many there may be, and their end with the server."""

    def __init__(self, limits: Limits, reactor: Any) -> None:
        most = limits.children
        self._connections = OpenConnections(Limits(connections=most, per_host=most, unseated=most))
        self._most = most
        self._reactor = reactor
        self._is_open = True

    @property
    def places(self) -> int:
        """How many more may be started now."""
        return self._most - len(self._connections) if self._is_open else 0

    def guest(self, name: str, command: Command) -> Guest:
        """Return a bot that starts when it takes its seat."""
        return ChildGuest(name, command, self._connections, self._reactor)

    def stopService(self) -> Deferred[None]:
        """End all of them; the reactor waits for the Deferred."""
        super().stopService()
        self._is_open = False
        return Deferred.fromCoroutine(self._stop())

    async def _stop(self) -> None:
        for end, seconds in ((Connection.dismiss, DRAIN_SECONDS), (Connection.cut, 2 * PIPE_SECONDS)):
            for connection in self._connections:
                end(connection)
            with suppress(TimeoutError):  # what even SIGKILL does not end is the system's affair
                await self._connections.empty().addTimeout(seconds, self._reactor)
