"""The spectators of a room. They watch its newest running table, and receive no hidden tile."""

from __future__ import annotations

from typing import Protocol

from ump.model.actions import Action
from ump.model.claims import Claim
from ump.net.connection import Connection
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

    def answered(self, number: int, answer: Claim | Action | None) -> None:
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
