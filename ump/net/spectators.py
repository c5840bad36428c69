"""The spectators of a room. They watch its newest running table, and receive no hidden tile."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from twisted.internet.interfaces import IDelayedCall, IReactorTime

from ump.host.table_host import Delivery, TableHost
from ump.model.actions import Action
from ump.model.claims import Claim
from ump.net.connection import Connection
from ump.net.limits import SPECTATOR_DELAY, SPECTATORS_PER_TURN
from ump.wire.session import Note


class Watchable(Protocol):
    """A running table, as spectators need it."""

    def watch(self, connection: Connection) -> None:
        """Send the current kyoku so far to a new spectator, and all further events."""

    def unwatch(self, connection: Connection) -> None:
        """Remove a spectator."""

    @property
    def spectators(self) -> list[Connection]:
        """The connections that watch this table."""


class Broadcast:
    """Shows a table's events to its spectators, a few in each turn of the reactor: players come first.

    The events of a short time go out together, so that a spectator costs a write for several events and not for each.
    """

    def __init__(self, host: TableHost, clock: IReactorTime, send: Callable[[Delivery], None]) -> None:
        """``send`` sends what a delivery holds."""
        self._host = host
        self._clock = clock
        self._send = send
        self._call: IDelayedCall | None = None

    def go_on(self) -> None:
        """Show the spectators soon what they have missed."""
        if self._call is None and self._host.is_audience_behind:
            self._call = self._clock.callLater(SPECTATOR_DELAY, self._show)

    def finish(self) -> None:
        """Show all spectators at once what they have missed: the game is over."""
        if self._call is not None:
            self._call.cancel()
            self._call = None
        while self._host.is_audience_behind:
            self._send(self._host.show(SPECTATORS_PER_TURN, self._clock.seconds()))

    def _show(self) -> None:
        self._call = None
        self._send(self._host.show(SPECTATORS_PER_TURN, self._clock.seconds()))
        if self._host.is_audience_behind:
            self._call = self._clock.callLater(0, self._show)


class SpectatorPlace:
    """What a spectator's connection occupies."""

    def __init__(self, connection: Connection, spectators: Spectators) -> None:
        self._connection = connection
        self._spectators = spectators

    @property
    def label(self) -> str:
        """What the log calls the spectator."""
        return self._connection.peer

    @property
    def asked(self) -> str:
        """Nothing: a spectator is not asked."""
        return ""

    def noted(self, number: int, note: Note) -> None:
        """Ignore the note: a spectator answers nothing."""

    def answered(self, number: int, answer: Claim | Action | None, *, is_automatic: bool = False) -> None:
        """Ignore the answer: a spectator is asked nothing."""

    def heard(self, *, is_stale: bool) -> None:
        """Ignore the message of a spectator."""

    def left(self, *, is_lost: bool) -> None:
        """Forget the connection."""
        self._spectators.leave(self._connection)


class Spectators:
    """The connections that watch a room."""

    def __init__(self) -> None:
        self._tables: list[Watchable] = []
        """The running tables, the newest last."""
        self._idle: list[Connection] = []
        """The connections that wait for the next table."""

    def welcome(self, connection: Connection) -> None:
        """Let a connection watch the newest table, or the next one."""
        connection.watch()
        connection.occupant = SpectatorPlace(connection, self)
        self._place(connection)

    def leave(self, connection: Connection) -> None:
        """Forget a connection."""
        if connection in self._idle:
            self._idle.remove(connection)
        for table in self._tables:
            table.unwatch(connection)

    def open(self, table: Watchable) -> None:
        """Show a new table to the spectators who wait for one."""
        self._tables.append(table)
        idle, self._idle = self._idle, []
        for connection in idle:
            table.watch(connection)

    def close(self, table: Watchable) -> None:
        """Move the spectators of a table that is over to another one."""
        self._tables.remove(table)
        for connection in table.spectators:
            self._place(connection)

    def _place(self, connection: Connection) -> None:
        if self._tables:
            self._tables[-1].watch(connection)
        else:
            self._idle.append(connection)
