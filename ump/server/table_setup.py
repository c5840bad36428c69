"""Begins the games of a room: their records, their tables, and the tokens with which players come back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from twisted.internet.interfaces import IReactorTime

from ump.model.seats import Seat
from ump.record.journal.header import JournalHeader, PlayerKind
from ump.record.journal.journal_file import Journal
from ump.server.player_connection import PlayerConnection
from ump.server.prepared_game import NewGame, prepared
from ump.server.recorder import Recorder
from ump.server.running_table import RunningTable
from ump.server.seat_tokens import KeptSeat, SeatTokens
from ump.server.table_factory import TableFactory
from ump.server.workers.pool import WorkerPool


class TableSetup:
    """Creates the tables of a room, in a worker if there are any.

    Tables with bots that the server starts are run here: the programs are children of this process.
    """

    def __init__(
        self,
        clock: IReactorTime,
        tokens: SeatTokens,
        factory: TableFactory,
        finished: Callable[[RunningTable], None],
        *,
        recorder_of: Callable[[JournalHeader], Recorder] | None = None,
        workers: WorkerPool | None = None,
    ) -> None:
        """``tokens`` keep seats, ``recorder_of`` opens the record of a game.

        ``finished`` is called when the game of a table in a worker is over.
        """
        self._clock = clock
        self._tokens = tokens
        self._factory = factory
        self._finished = finished
        self._recorder_of = recorder_of
        self._workers = workers

    @property
    def keeps_records(self) -> bool:
        """Whether games are recorded, so that they can go on later."""
        return self._recorder_of is not None

    def create(self, game: NewGame) -> RunningTable:
        """Return a new table with everybody seated who is not gone; its game has not begun.

        Raises OSError if there is no record.
        """
        ready = prepared(game, self._clock.seconds())
        workers = self._workers_for(ready.header)
        table: RunningTable
        if workers is not None:
            table = workers.create(ready, game.connected, self._finished)
        else:
            recorder = None if self._recorder_of is None else self._recorder_of(ready.header)
            table = self._factory.create(ready, game.connected, recorder)
        self._keep_seats(table, ready.header, game.connected)
        return table

    def restore(self, journal: Journal, path: Path, reopen: Callable[[], Recorder]) -> RunningTable:
        """Return the table of a recorded game that goes on, from its journal and the path of that.

        ``reopen`` opens the record again, for a table that runs here. Raises OSError, or JournalError if the rules do
        not allow the record.
        """
        workers = self._workers_for(journal.header)
        table: RunningTable
        if workers is not None:
            table = workers.restore(journal.header, path, self._finished)
        else:
            table = self._factory.restore(journal, reopen())
        self._keep_seats(table, journal.header, {})
        return table

    def _workers_for(self, header: JournalHeader) -> WorkerPool | None:
        """Return the workers if one of them can run this game."""
        has_children = any(player.kind is PlayerKind.CHILD for player in header.players)
        return None if self._workers is None or has_children or not self._workers.can_begin else self._workers

    def _keep_seats(
        self, table: RunningTable, header: JournalHeader, connected: Mapping[Seat, PlayerConnection]
    ) -> None:
        """Let the players come back to their seats who have tokens."""
        for seat, player in enumerate(header.players):
            if player.token is not None:
                place = connected[seat].connection.place if seat in connected else None
                host = "" if place is None else place.host or ""
                self._tokens.enter(player.token, KeptSeat(table, seat, header.opening.players[seat], host))


def number_of(game: str) -> int:
    """Return the number at the end of a game's name, or 0."""
    number = game.rpartition("-")[2]
    return int(number) if number.isdecimal() and len(number) < 10 else 0
