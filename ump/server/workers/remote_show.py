"""A table that runs in a worker, as spectators in the front see it."""

from __future__ import annotations

from collections.abc import Callable

from ump.net.connection import Connection
from ump.server.workers.lending import Lender
from ump.server.workers.messages import Lost, Number, ReturnSpectators, SpectatorsReturned, Watch


class RemoteShow:
    """Lends the sessions of spectators to the worker of their table, until they have seen the end."""

    def __init__(self, table: Number, lender: Lender) -> None:
        self.spectators: list[Connection] = []
        """The connections that watch this table."""
        self._table = table
        self._lender = lender
        self._is_ending = False
        """Whether the spectators have seen the end, and new ones wait here for another table."""
        self._is_over = False
        """Whether all sessions are back."""
        self._ended: Callable[[], None] | None = None

    def watch(self, connection: Connection) -> None:
        """Let a spectator see the table."""
        self.spectators.append(connection)
        if not self._is_ending:
            self._lender.lend(connection)
            self._lender.tell(Watch(self._table, self._lender.lent(connection)))

    def unwatch(self, connection: Connection) -> None:
        """Forget a spectator."""
        if connection in self.spectators:
            self.spectators.remove(connection)
            number = self._lender.forget(connection)
            if number:
                self._lender.tell(Lost(number, is_lost=True))

    def finish(self, ended: Callable[[], None]) -> None:
        """Call a function when the spectators have seen the end: now, if they have."""
        self._ended = ended
        self._tell_end()

    def abandon(self) -> None:
        """Do nothing: the worker stops too."""

    def end(self) -> None:
        """Ask for the sessions: the spectators have seen the end."""
        self._is_ending = True
        for spectator in self.spectators:
            self._lender.hold(spectator)
        self._lender.tell(ReturnSpectators(self._table))

    def take_back(self, returned: SpectatorsReturned) -> None:
        """Go on with the sessions here."""
        for spectator in tuple(self.spectators):
            number = self._lender.number_of(spectator)
            session, rest = returned.sessions.get(number), returned.rests.get(number, b"")
            if session is not None:
                for message in self._lender.take_back(spectator, session, rest):
                    spectator.receive(message)
        self._is_over = True
        self._tell_end()

    def move_to(self, lender: Lender) -> None:
        """Go on in another worker, from ``resume`` on."""
        self._lender = lender
        for spectator in self.spectators:
            lender.lend_again(spectator)

    def resume(self) -> None:
        """Let all spectators see the table again, from the current kyoku on."""
        for spectator in self.spectators:
            self._lender.tell(Watch(self._table, self._lender.lent(spectator)))

    def end_without_worker(self) -> None:
        """Go on with the sessions as they were before the loan: the worker is dead, and the table does not go on."""
        self._is_ending = self._is_over = True
        for spectator in self.spectators:
            self._lender.take_back(spectator)
        self._tell_end()

    def _tell_end(self) -> None:
        ended = self._ended
        if self._is_over and ended is not None:
            self._ended = None
            ended()
