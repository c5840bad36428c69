"""The spectators of a room. They watch its newest running table, and receive no hidden tile."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Protocol

from twisted.internet.interfaces import IDelayedCall, IReactorTime

from ump.net.connection import Connection, Idle
from ump.net.limits import SPECTATOR_DELAY, SPECTATORS_PER_TURN
from ump.server.spectator_turns import SpectatorTurns
from ump.table.table_host import Delivery, TableHost

WORK_OF_A_MOVE = 4
"""The work of sending a spectator to a table, in turns of one that is there: it receives the whole kyoku so far."""


class Watchable(Protocol):
    """A running table, as spectators need it."""

    def watch(self, connection: Connection) -> None:
        """Send the current kyoku so far to a new spectator, and all further events."""

    def unwatch(self, connection: Connection) -> None:
        """Remove a spectator."""

    @property
    def spectators(self) -> list[Connection]:
        """The connections that watch this table."""


class TableShow(Watchable, Protocol):
    """A table as its spectators see it, until they have seen the end."""

    def finish(self, ended: Callable[[], None]) -> None:
        """Show the rest in its time, because the game is over; then call ``ended``, perhaps at once."""

    def abandon(self) -> None:
        """Show nothing more that has to wait: the server stops."""


class Broadcast:
    """Shows a table's events to its spectators in their turns, one write to each in a round: players come first.

    The events of a short time go out together, so that a spectator costs a write for several events and not for each.
    """

    def __init__(
        self, host: TableHost, clock: IReactorTime, send: Callable[[Delivery], None], turns: SpectatorTurns
    ) -> None:
        """``send`` sends what a delivery holds. ``turns`` are those of the server."""
        self._host = host
        self._clock = clock
        self._send = send
        self._turns = turns
        self._call: IDelayedCall | None = None
        self._round = 0
        """How many spectators this round has not served yet, at most."""
        self._ended: Callable[[], None] | None = None
        """What to call when the spectators have seen the end."""

    @property
    def spectators(self) -> list[Connection]:
        """The connections that watch this table."""
        return [client for client in self._host.spectators if isinstance(client, Connection)]

    def watch(self, connection: Connection) -> None:
        """Send the current kyoku so far to a new spectator, and all further events."""
        self._send(self._host.watch(connection, self._clock.seconds()))

    def unwatch(self, connection: Connection) -> None:
        """Remove a spectator."""
        self._host.unwatch(connection)

    def abandon(self) -> None:
        """Do nothing: the turns of the spectators are flushed."""

    def go_on(self) -> None:
        """Show the spectators soon what they have missed."""
        if self._call is None and not self._round and self._host.is_audience_behind:
            self._call = self._clock.callLater(SPECTATOR_DELAY, self._begin_round)

    def finish(self, ended: Callable[[], None]) -> None:
        """Show the rest now, because the game is over; then call ``ended``."""
        self._stop_timer()
        self._ended = ended
        self._begin_round()
        self.show_some(SPECTATORS_PER_TURN)

    def stop(self) -> None:
        """Show all spectators at once what they have missed: the server stops."""
        self._stop_timer()
        self._turns.remove(self)
        while self._host.is_audience_behind:
            self._send(self._host.show(SPECTATORS_PER_TURN, self._clock.seconds()))

    @property
    def is_behind(self) -> bool:
        """Whether this round has spectators to serve."""
        return self._round > 0 and self._host.is_audience_behind

    def show_some(self, most: int) -> int:
        """Serve the spectators of this round who have waited the longest."""
        delivery = self._host.show(min(most, self._round), self._clock.seconds())
        served = len(delivery.sent) + len(delivery.failures)
        self._round -= served
        self._send(delivery)
        if not self.is_behind:
            self._end_round()
        return served

    def _begin_round(self) -> None:
        self._call = None
        self._round = len(self._host.spectators)
        self._turns.add(self)

    def _end_round(self) -> None:
        self._round = 0
        self._turns.remove(self)
        ended, self._ended = self._ended, None
        if ended is not None:
            self._send = _drop  # the function of the table would keep it alive until a garbage collection
            ended()
        else:
            self.go_on()

    def _stop_timer(self) -> None:
        if self._call is not None:
            self._call.cancel()
            self._call = None


class SpectatorPlace(Idle):
    """What a spectator's connection occupies."""

    def __init__(self, connection: Connection, spectators: Spectators) -> None:
        self._connection = connection
        self._spectators = spectators

    @property
    def label(self) -> str:
        """What the log calls the spectator."""
        return self._connection.peer

    def left(self, *, is_lost: bool) -> None:
        """Forget the connection."""
        self._spectators.leave(self._connection)


class Spectators:
    """The connections that watch a room."""

    def __init__(self, turns: SpectatorTurns) -> None:
        """``turns`` are those of the server."""
        self._turns = turns
        self._tables: list[Watchable] = []
        """The running tables, the newest last."""
        self._idle: list[Connection] = []
        """The connections that wait for the next table."""
        self._moving: deque[Connection] = deque()
        """The connections that go to another table, each in its turn."""

    def welcome(self, connection: Connection) -> None:
        """Let a connection watch the newest table, or the next one."""
        connection.watch()
        connection.occupant = SpectatorPlace(connection, self)
        self._place(connection)

    def leave(self, connection: Connection) -> None:
        """Forget a connection."""
        if connection in self._idle:
            self._idle.remove(connection)
        if connection in self._moving:
            self._moving.remove(connection)
        for table in self._tables:
            table.unwatch(connection)

    def open(self, table: Watchable) -> None:
        """Show a new table to the spectators who wait for one."""
        self._tables.append(table)
        idle, self._idle = self._idle, []
        self._move(idle)

    def close(self, table: Watchable) -> None:
        """Move the spectators of a table that is over to another one."""
        self._tables.remove(table)
        self._move(table.spectators)

    @property
    def is_behind(self) -> bool:
        """Whether spectators wait for their turn to go to another table."""
        return bool(self._moving)

    def show_some(self, most: int) -> int:
        """Let some spectators go to the newest table; each receives its kyoku so far, so it counts as several."""
        number = min(len(self._moving), max(1, most // WORK_OF_A_MOVE))
        for _ in range(number):
            if self._moving:  # sending may cut a connection
                self._place(self._moving.popleft())
        return number * WORK_OF_A_MOVE

    def _move(self, connections: Sequence[Connection]) -> None:
        self._moving += connections
        self.show_some(SPECTATORS_PER_TURN)
        if self._moving:
            self._turns.add(self)

    def _place(self, connection: Connection) -> None:
        if self._tables:
            self._tables[-1].watch(connection)
        else:
            self._idle.append(connection)


def _drop(delivery: Delivery) -> None:
    """Send nothing: the game is over, and its spectators have seen the end."""
