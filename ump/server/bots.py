"""The bots that a server seats: which of them complete a table, and those that are child processes.

A child starts with its game and receives the names of the players at once. It can load while the server waits for
``ready?`` and for its first decisions. It has the same time as other players: after three consecutive timeouts the
table stops waiting for it, until it sends something.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import count, islice
from pathlib import Path
from typing import Any, TypeAlias

from twisted.application.service import Service
from twisted.internet.defer import Deferred, TimeoutError
from twisted.logger import Logger

from ump.model.seats import Seat
from ump.model.value import value
from ump.net.bot_commands import BOT_DIALECTS, BotCommand, BotSeats
from ump.net.child_process import Child, ChildConnection, ChildSessions, Ending
from ump.net.connection_budget import Budget
from ump.net.connection_limits import OpenConnections
from ump.net.limits import DRAIN_SECONDS, MAX_LOGGED, PIPE_SECONDS, Limits
from ump.net.trace import TraceFolder
from ump.server.player_connection import PlayerConnection
from ump.wire.session import TableInfo


@value
class BotSeat:
    """A bot that takes a seat."""

    kind: str
    """The name of its policy, or the dialect of a child process."""
    name: str
    command: BotCommand | None = None
    """The command that starts it, if it is a child process."""


def bot_seats(house: tuple[BotSeats, ...], places: int, taken: Iterable[str]) -> Iterator[BotSeat]:
    """Yield the bots that may complete a table: each kind as often as the room allows, in its order.

    At most ``places`` of them are child processes. No bot has a name of ``taken``, or that of another: those that the
    operator has named are ``alpha``, ``alpha-2``, and the others ``efficiency-1``, ``efficiency-2``.
    """
    used = set(taken)
    for seats in house:
        most = seats.most
        if seats.command is not None:
            most = min(most, places)
            places -= most
        for _ in range(most):
            name = next(name for name in _names(seats) if name not in used)
            used.add(name)
            yield BotSeat(seats.kind, name, seats.command)


def possible_names(house: tuple[BotSeats, ...]) -> Iterator[str]:
    """Yield the names that the bots of a room have, as long as fewer than ten players have taken one of them."""
    for seats in house:
        yield from islice(_names(seats), seats.most + 9)


def command_of(house: tuple[BotSeats, ...], dialect: str, name: str) -> BotCommand | None:
    """Return the command that starts the bot of this name, which speaks this dialect; None if there is none."""
    for seats in house:
        if seats.command is not None and BOT_DIALECTS[seats.command.dialect].name == dialect:
            number = name.removeprefix(f"{seats.label}-")
            if name in (seats.label, f"{seats.label}-{number}") and (number.isdecimal() or name == seats.name):
                return seats.command
    return None


def _names(seats: BotSeats) -> Iterator[str]:
    """Yield the names that these bots may have, the first choice first."""
    for number in count(1):
        yield seats.label if number == 1 and seats.name is not None else f"{seats.label}-{number}"


Seated: TypeAlias = PlayerConnection | BotSeat
"""Anybody who gets a seat in a new game."""


class ChildBot(PlayerConnection):
    """A bot that the server starts: it has a seat for one game, and keeps no table alive by itself."""

    _log = Logger()
    is_client = False

    def __init__(
        self,
        name: str,
        command: BotCommand,
        connections: OpenConnections,
        reactor: Any,
        reserved: set[ChildBot],
        sessions: ChildSessions | None,
        gave_up: Callable[[str], None] | None,
    ) -> None:
        """``reserved``: the bots that have a place and no process yet. ``sessions`` starts the process.

        ``gave_up`` hears why the bot does not play its game to the end.
        """
        self._own = ChildConnection(command.open_session(name), self, connections, reactor)
        super().__init__(self._own, name, games=1)
        self._command = command
        self._sessions = sessions
        self._reactor = reactor
        self._child: Child | None = None
        self._where = name
        """Table and name, for the log."""
        self._lines = 0
        """The number of lines of its standard error that have been logged."""
        self._was_late = False
        self._gave_up = gave_up
        self._reserved = reserved
        reserved.add(self)

    def sit(self, seat: Seat, table: TableInfo) -> None:
        """Start the bot, and give it a seat."""
        self._reserved.discard(self)
        self._where = f"{table.table}: {self.name}"
        self._child = Child(self._own, self._where, self._reactor, self._sessions)
        self._child.start(self._command.at(seat), self._command.folder)
        super().sit(seat, table)

    def turn_away(self, message: str) -> None:
        """Stop the bot, if it was started."""
        self._reserved.discard(self)
        if self._child is not None:
            super().turn_away(message)

    def was_late(self) -> None:
        """Log the bot's first timeout, with the end of its standard error."""
        if not self._was_late and self._child is not None:
            self._was_late = True
            self._log.warn("{child} is late; {said}", child=self._where, said=self._said())

    def complained(self, line: str) -> None:
        """Log a line of its standard error, up to MAX_LOGGED lines."""
        self._lines += 1
        if self._lines <= MAX_LOGGED:
            self._log.debug("{child}: {line}", child=self._where, line=line)

    def failed(self, message: str) -> None:
        """Log why the server gives the bot up."""
        self._report(f"it was stopped: {message}")
        self._log.warn("{child}: closed: {why}; {said}", child=self._where, why=message, said=self._said())

    def ended(self, ending: Ending) -> None:
        """Log how the bot ended: at warn during its game, at info if it was killed, else at debug.

        After a game many bots end with a traceback, because they expect more input. Such an end is normal.
        """
        report = {"child": self._where, "status": ending.status, "said": self._said()}
        if ending.is_early:
            self._report(f"it ended during its game, {ending.status}")
            self._log.warn("{child} ended during its game, {status}; {said}", **report)
        elif ending.is_forced:
            self._log.info("{child} ended, {status}; {said}", **report)
        else:
            self._log.debug("{child} ended, {status}", child=self._where, status=ending.status)

    def _report(self, why: str) -> None:
        if self._gave_up is not None:
            last = "" if self._child is None else self._child.last_words.last_line
            self._gave_up(f"{why}: {last}" if last else why)

    def _said(self) -> str:
        said = "" if self._child is None else self._child.last_words.text
        return f"the end of its standard error:\n{said}" if said else "its standard error is empty"


class ChildBots(Service):
    """The bots that the server has started: limits their number, and stops them with the server."""

    def __init__(
        self,
        limits: Limits,
        reactor: Any,
        traces: TraceFolder | None = None,
        folders: Iterable[Path] = (),
        sessions: ChildSessions | None = None,
    ) -> None:
        """Start up to ``limits.children`` bots at a time, and trace their connections if ``traces`` is given.

        ``folders`` are removed after the last bot: a process that a signal ends would leave them behind.
        ``sessions`` starts each bot in a session of its own, with limits.
        """
        self.folders = tuple(folders)
        """The folders that are removed after the last bot."""
        most = limits.children
        self._connections = OpenConnections(Limits(Budget(connections=most)), traces)
        self._most = most
        self._sessions = sessions
        self._reactor = reactor
        self._is_open = True
        self._reserved: set[ChildBot] = set()
        """Bots of games whose walls wait for the texts of players."""

    @property
    def places(self) -> int:
        """The number of bots that may be started now."""
        return self._most - len(self._connections) - len(self._reserved) if self._is_open else 0

    def start_later(
        self, name: str, command: BotCommand, gave_up: Callable[[str], None] | None = None
    ) -> PlayerConnection:
        """Return a bot that starts when it takes its seat; ``gave_up`` as in ``ChildBot``."""
        return ChildBot(name, command, self._connections, self._reactor, self._reserved, self._sessions, gave_up)

    def seated(self, player: Seated) -> Seated:
        """Return what sits down for a player or a bot: a child process has a connection, another bot needs none."""
        if isinstance(player, PlayerConnection) or player.command is None:
            return player
        return self.start_later(player.name, player.command)

    def stopService(self) -> Deferred[None]:
        """Stop all bots; the reactor waits for the Deferred."""
        super().stopService()
        self._is_open = False
        return Deferred.fromCoroutine(self._stop())

    async def _stop(self) -> None:
        for connection in self._connections:
            connection.dismiss()
        await self._gone(DRAIN_SECONDS)
        for connection in self._connections:
            connection.cut()
        await self._gone(2 * PIPE_SECONDS)
        self._connections.close_logs()
        if self._sessions is not None:
            await self._sessions.close()
        for folder in self.folders:
            shutil.rmtree(folder, ignore_errors=True)

    async def _gone(self, seconds: float) -> None:
        """Wait up to this many seconds until all bots are gone. Even after SIGKILL a process may live on."""
        with suppress(TimeoutError):
            await self._connections.empty().addTimeout(seconds, self._reactor)
