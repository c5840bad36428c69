"""The spectators of a room, and how they see its newest table: at once without hidden tiles, or later with all."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Protocol

from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger

from ump.model.events import Event, GameStarted, KyokuStarted
from ump.net.connection import Connection, Idle
from ump.net.limits import SPECTATOR_DELAY, SPECTATOR_PAUSE, SPECTATORS_PER_TURN
from ump.net.turns import Queue
from ump.table.receivers import Audience, Client, EventBatch, Rendering, Spectator
from ump.table.table_host import Delivery, TableHost
from ump.wire.session import Profile


class Show(Protocol):
    """Something that spectators have missed."""

    def show_some(self, most: int) -> int:
        """Serve at most this many spectators; return how many it were, or their equivalent in work."""

    @property
    def is_behind(self) -> bool:
        """Whether there is more to show."""


class SpectatorTurns(Queue[Show]):
    """Turns of the reactor, shared by all spectators of a server, so that no player waits for them.

    Each write to a spectator costs some tens of microseconds. Only a few spectators are served in a turn, and some
    milliseconds pass between two such turns, in which the server reads what players send. So spectators take a small
    share of the time, however many they are: the more there are, the more events each of them receives in one write.
    Each show in the queue gets a part of a turn, one after the other.
    """

    def __init__(self, clock: IReactorTime) -> None:
        super().__init__(clock, SPECTATOR_PAUSE)

    def add(self, show: Show) -> None:
        """Let a show go on in its turn."""
        if show not in self._waiting:
            super().add(show)

    def flush(self) -> None:
        """Serve all spectators at once: the server stops."""
        while self._waiting:
            show = self._waiting[0]
            while show.is_behind and self._show(show, SPECTATORS_PER_TURN):
                pass
            self.remove(show)

    def _serve(self) -> None:
        """Serve the spectators of one turn."""
        left = SPECTATORS_PER_TURN
        while left > 0 and self._waiting:
            show = self._waiting.popleft()
            served = self._show(show, left)
            left -= max(1, served)
            if served and show.is_behind:
                self.add(show)

    def _show(self, show: Show, most: int) -> int:
        """Serve some spectators; return how many, 0 if the show failed or had nobody to serve."""
        try:
            return show.show_some(most)
        except Exception:  # a bug of the server must not affect the other tables
            self._log.failure("internal error while spectators were served")
            return 0


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
        """The number of spectators that this round has not served yet, at most."""
        self._ended: Callable[[], None] | None = None
        """The function to call when the spectators have seen the end."""

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


class DelayedTable:
    """Keeps the events of a table until all hands may be shown, then shows them to its spectators, a few in each turn.

    It is a log of the table (``ump.table.receivers.LogKeeper``), so it changes nothing for the players.
    """

    _log = Logger()

    def __init__(self, delay: float, clock: IReactorTime, turns: SpectatorTurns) -> None:
        """Show each event ``delay`` seconds after it happened; ``turns`` are those of the server."""
        self._delay = delay
        self._clock = clock
        self._turns = turns
        self._ended: Callable[[], None] | None = None
        """The function to call when all is shown; None while the game goes on."""
        self._pending: deque[tuple[float, Event]] = deque()
        """The events that nobody may see yet, each with the instant from which it may be shown."""
        self._history: list[Event] = []
        """The start of the game and the current kyoku, as far as they may be shown."""
        self._audience = Audience()
        self._call: IDelayedCall | None = None

    # The events of the table

    def note(self, event: Event) -> None:
        """Keep an event until it may be shown."""
        self._pending.append((self._clock.seconds() + self._delay, event))
        self._go_on()

    def finish(self, ended: Callable[[], None]) -> None:
        """Show the rest in its time, because the game is over; then call ``ended``."""
        self._ended = ended
        self._go_on()

    def abandon(self) -> None:
        """Show nothing more: the server stops."""
        self._ended = None
        self._pending.clear()
        if self._call is not None:
            self._call.cancel()
            self._call = None
        self._turns.remove(self)

    # The spectators

    @property
    def has_person(self) -> bool:
        """Whether one of the spectators is a person."""
        return self._audience.has_person

    @property
    def spectators(self) -> list[Connection]:
        """The connections that watch this table."""
        return [client for client in self._audience.clients if isinstance(client, Connection)]

    def watch(self, connection: Connection) -> None:
        """Send the current kyoku to a new spectator as far as it may be shown, and further events in their time."""
        self._release()
        self._audience.add(connection)
        self._tell(connection, EventBatch([Rendering(event, is_open=True) for event in self._history]))
        self._go_on()

    def unwatch(self, connection: Connection) -> None:
        """Remove a spectator."""
        self._audience.remove(connection)
        self._go_on()

    def _go_on(self) -> None:
        """Show what is due in the next turn, and the rest when it is due; without spectators nothing needs a timer."""
        self._release()
        if self._call is not None:
            return
        if self._audience and self._audience.is_behind:
            self._turns.add(self)
        elif self._audience and self._pending:
            self._call = self._clock.callLater(max(0.0, self._pending[0][0] - self._clock.seconds()), self._wake)
        elif self._ended is not None:
            ended, self._ended = self._ended, None
            ended()

    def _release(self) -> None:
        """Move the events that are due to the history, and to the spectators."""
        now = self._clock.seconds()
        due: list[Rendering] = []
        while self._pending and self._pending[0][0] <= now:
            event = self._pending.popleft()[1]
            if isinstance(event, KyokuStarted):
                self._history = [each for each in self._history if isinstance(each, GameStarted)]
            self._history.append(event)
            due.append(Rendering(event, is_open=True))
        if due and self._audience:
            self._audience.append(due)

    def _wake(self) -> None:
        self._call = None
        self._go_on()

    @property
    def is_behind(self) -> bool:
        """Whether a spectator has not received all events that may be shown."""
        return bool(self._audience) and self._audience.is_behind

    def show_some(self, most: int) -> int:
        """Serve the spectators who have waited the longest."""
        self._release()
        parcels = self._audience.next_parcels(most)
        for spectator, events in parcels:
            self._tell(spectator.client, events)
        if not self.is_behind:
            self._turns.remove(self)
            self._go_on()
        return len(parcels)

    def _tell(self, client: Client, events: EventBatch) -> None:
        """Send events to a spectator; one whose session fails is cut."""
        assert isinstance(client, Connection)
        try:
            Spectator(client).receive_batch(events, self._clock.seconds())
            client.flush()
        except Exception:  # a bug of the server must not affect the other spectators
            self._log.failure("{peer}: a spectator failed", peer=client.peer)
            self._audience.remove(client)
            client.fail_safely("internal error")


class SpectatorPlace(Idle):
    """The place that a spectator's connection occupies."""

    def __init__(self, connection: Connection, spectators: Spectators) -> None:
        self._connection = connection
        self._spectators = spectators

    @property
    def label(self) -> str:
        """The name of the spectator in the log."""
        return self._connection.peer

    def left(self) -> None:
        """Forget the connection."""
        self._spectators.leave(self._connection)


class Spectators:
    """The connections that watch a room."""

    def __init__(self, turns: SpectatorTurns) -> None:
        """``turns`` are those of the server."""
        self._turns = turns
        self._tables: dict[str, tuple[Watchable, Callable[[], Sequence[Profile]]]] = {}
        """The running tables by name, the newest last, and what spectators may know of the players of each."""
        self._idle: list[Connection] = []
        """The connections that wait for the next table."""
        self._moving: deque[Connection] = deque()
        """The connections that go to another table, each in its turn."""

    def welcome(self, connection: Connection, table: str = "") -> None:
        """Let a connection watch the table of this name; without one, the newest table, or the next one."""
        connection.watch()
        connection.occupant = SpectatorPlace(connection, self)
        self._place(connection, table)

    def leave(self, connection: Connection) -> None:
        """Forget a connection."""
        if connection in self._idle:
            self._idle.remove(connection)
        if connection in self._moving:
            self._moving.remove(connection)
        for table, _ in self._tables.values():
            table.unwatch(connection)

    def open(self, name: str, table: Watchable, profiles: Callable[[], Sequence[Profile]] = tuple) -> None:
        """Show a new table to the spectators who wait for one; ``profiles`` returns those of its players."""
        self._tables[name] = table, profiles
        idle, self._idle = self._idle, []
        self._move(idle)

    def close(self, name: str) -> None:
        """Move the spectators of a table that is over to another one."""
        self._move(self._tables.pop(name)[0].spectators)

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

    def _place(self, connection: Connection, table: str = "") -> None:
        found = self._tables.get(table) or next(reversed(self._tables.values()), None)
        if found is None:
            self._idle.append(connection)
            return
        show, profiles = found
        connection.session.tell_profiles(profiles())
        show.watch(connection)


def _drop(delivery: Delivery) -> None:
    """Send nothing: the game is over, and its spectators have seen the end."""
