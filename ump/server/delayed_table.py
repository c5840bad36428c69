"""A table as the spectators of an open room see it: with all hands, some time after the players."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger

from ump.model.events import Event, GameStarted, KyokuStarted
from ump.net.connection import Connection
from ump.server.spectator_turns import SpectatorTurns
from ump.table.receivers import Audience, Batch, Client, Rendering, Spectator


class DelayedTable:
    """Keeps the events of a table until they may be shown, then shows them to its spectators, a few in each turn.

    It is a log of the table (``ump.table.receivers.LogKeeper``), so it changes nothing for the players.
    """

    _log = Logger()

    def __init__(self, delay: float, clock: IReactorTime, turns: SpectatorTurns) -> None:
        """Show each event ``delay`` seconds after it happened; ``turns`` are those of the server."""
        self._delay = delay
        self._clock = clock
        self._turns = turns
        self._ended: Callable[[], None] | None = None
        """What to call when all is shown; None while the game goes on."""
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
    def spectators(self) -> list[Connection]:
        """The connections that watch this table."""
        return [client for client in self._audience.clients if isinstance(client, Connection)]

    def watch(self, connection: Connection) -> None:
        """Send the current kyoku to a new spectator as far as it may be shown, and further events in their time."""
        self._release()
        self._audience.add(connection)
        self._tell(connection, Batch([Rendering(event, is_open=True) for event in self._history]))
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

    def _tell(self, client: Client, events: Batch) -> None:
        """Send events to a spectator; one whose session fails is cut."""
        assert isinstance(client, Connection)
        try:
            Spectator(client).receive_batch(events, self._clock.seconds())
            client.flush()
        except Exception:  # a bug of the server must not affect the other spectators
            self._log.failure("{peer}: a spectator failed", peer=client.peer)
            self._audience.remove(client)
            client.fail_safely("internal error")
