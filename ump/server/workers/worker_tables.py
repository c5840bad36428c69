"""The tables of a worker: does what the front tells it, and tells the front what comes of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from ump.model.seats import Seat
from ump.net.connection import Connection
from ump.net.connection_limits import OpenConnections
from ump.net.connection_roles import Idle
from ump.record.journal.header import JournalHeader
from ump.record.journal.journal_error import JournalError
from ump.record.journal.journal_replay import GameSummary
from ump.server.journal_folder import read_running
from ump.server.journal_writer import JournalFile, aside, reopened
from ump.server.log_folder import LogFolder
from ump.server.player_connection import PlayerConnection
from ump.server.recorder import Recorder
from ump.server.seals import Seals
from ump.server.spectator_turns import SpectatorTurns
from ump.server.status.sync_times import SyncTimes
from ump.server.status.turn_delay import TurnDelay
from ump.server.table_factory import TableFactory
from ump.server.table_runner import TableRunner
from ump.server.workers import messages
from ump.server.workers.borrowed_connection import BorrowedConnection, Borrowing
from ump.server.workers.link import Link
from ump.server.workers.messages import LentConnection, Number
from ump.server.workers.remote_table import BROKEN
from ump.server.workers.shared_stream import SharedStreams
from ump.wire.session import UNKNOWN_TOKEN, Session

UNRECORDED = "this game cannot be recorded, so the table is closed"
"""The error for players whose journal cannot be written."""


def memory_used() -> int:
    """Return the bytes of memory that this process uses; 0 where the system does not tell."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")
    except OSError:
        return 0


class AfterGame(Idle):
    """What a player's connection occupies when its game is over, until the front has its session."""

    label = "after a game"

    def left(self, *, is_lost: bool) -> None:
        """Do nothing: the game is over."""


class WatchPlace(Idle):
    """What a spectator's connection occupies."""

    def __init__(self, connection: Connection, table: TableRunner) -> None:
        self._connection = connection
        self._table = table

    @property
    def label(self) -> str:
        """What the log calls the spectator."""
        return self._connection.peer

    def left(self, *, is_lost: bool) -> None:
        """Forget the connection."""
        self._table.show.unwatch(self._connection)


class WorkerTables:
    """The tables of this process, and the connections whose sessions the front has lent."""

    _log = Logger()

    def __init__(
        self,
        settings: messages.WorkerSettings,
        link: Link,
        clock: IReactorTime,
        delay: TurnDelay,
        in_thread: Callable[..., Deferred[None]],
        streams: SharedStreams | None,
    ) -> None:
        """``in_thread`` calls a function with its arguments in another thread, and returns a Deferred.

        ``streams`` are those of clients to which this process writes itself.
        """
        self._link = link
        self._clock = clock
        self._delay = delay
        self._sync = settings.sync
        self._syncs = SyncTimes(in_thread)
        self._borrowing = Borrowing(link, OpenConnections(settings.limits), clock, streams)
        self._seals = Seals()
        logs = None if settings.log_folder is None else LogFolder(settings.log_folder, self._seals)
        self._factory = TableFactory(clock, SpectatorTurns(clock), self._finish, logs)
        self._tables: dict[Number, TableRunner] = {}
        self._shown: dict[Number, TableRunner] = {}
        """The tables whose spectators are here: their games may be over."""

    # From the front

    def take_content(self, number: Number, content: bytes) -> None:
        """Let a session read its client's message. The connection may have ended meanwhile."""
        connection = self._borrowing.find(number)
        if connection is not None:
            connection.receive(content)

    def take_value(self, received: object) -> None:
        """Do what the front says; raises TypeError for anything else."""
        match received:
            case messages.Ping(number):
                self._link.tell(messages.Pong(number, self._delay.delays, self._syncs.times, memory_used()))
            case messages.LiftSeals(group):
                self._seals.lift(group)
            case messages.Lost() | messages.Exceeded() | messages.Waited() | messages.Announce():
                self._take_for_connection(received)
            case messages.Watch():
                self._watch(received)
            case messages.ReturnSpectators():
                self._return_spectators(received)
            case _:
                self._take_for_table(received)

    def _take_for_table(self, received: object) -> None:
        match received:
            case messages.CreateTable():
                self._create(received)
            case messages.BeginGame():
                self._begin(received)
            case messages.RestoreTable():
                self._restore(received)
            case messages.ComeBack():
                self._come_back(received)
            case messages.LeaveSeat():
                self._leave_seat(received)
            case messages.CloseTable():
                self._close(received)
            case messages.StopTable():
                self._stop(received)
            case messages.ReturnPlayers():
                self._return_players(received)
            case _:
                raise TypeError(f"the front has told {received!r}")

    def suspend(self) -> None:
        """Interrupt all games: the front is gone. They go on from their journals when the server starts again."""
        for table in tuple(self._tables.values()):
            table.stop()

    # Tables

    def _create(self, given: messages.CreateTable) -> None:
        players = self._borrow_all(given.players)
        try:
            table = self._factory.create(given.game, players, self._recorder(given.journal, given.game.header))
        except OSError as error:
            reason = error.strerror or error
            self._log.error("could not record table {table}: {error}", table=given.game.opening.name, error=reason)
            self._give_up(given.table, players, UNRECORDED)
        except Exception:  # a bug of the server must not affect other tables
            self._log.failure("could not create table {table}", table=given.game.opening.name)
            self._give_up(given.table, players, "internal error, this table is closed")
        else:
            self._tables[given.table] = self._shown[given.table] = table

    def _begin(self, given: messages.BeginGame) -> None:
        table = self._tables.get(given.table)
        if table is not None:  # else it could not be created, and the front knows that soon
            table.begin()

    def _recorder(self, path: Path | None, header: JournalHeader) -> Recorder | None:
        """Return what goes on with a journal that has only its first line; raises OSError."""
        if path is None:
            return None
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND)
        return JournalFile(path, descriptor, header, self._sync, self._syncs.call, self._record)

    def _restore(self, given: messages.RestoreTable) -> None:
        """Go on with a game whose worker is dead, or which an earlier server has begun."""
        players = self._borrow_all(given.players)
        path = given.journal
        try:
            journal = read_running(path.read_bytes())
            recorder = reopened(path, journal, self._sync, self._syncs.call, self._record)
            table = self._factory.restore(journal, recorder, players)
        except (OSError, JournalError) as error:
            self._log.error("{path}: this game cannot go on: {error}", path=str(aside(path)), error=str(error))
            with suppress(OSError):
                path.rename(aside(path))
            self._give_up(given.table, players, "internal error, this table is closed")
            return
        self._tables[given.table] = self._shown[given.table] = table
        table.resume()
        for seat, player in players.items():
            table.come_back(seat, player)

    def _give_up(self, number: Number, players: Mapping[Seat, PlayerConnection], message: str) -> None:
        """Turn the players of a table away that does not exist, and tell the front."""
        for player in players.values():
            player.turn_away(message)
        self._link.tell(messages.GameOver(number, BROKEN, {}))
        self._link.tell(messages.ShowOver(number))

    def _come_back(self, given: messages.ComeBack) -> None:
        table = self._tables.get(given.table)
        player = self._borrow(given.player)
        if table is None:  # its game has just ended
            player.connection.turn_back(UNKNOWN_TOKEN)
        else:
            table.come_back(given.seat, player)

    def _leave_seat(self, given: messages.LeaveSeat) -> None:
        table = self._tables.get(given.table)
        if table is not None:
            player = table.players.get(given.seat)
            table.leave(given.seat)
            if player is not None:
                self._borrowing.drop(player.connection)

    def _close(self, given: messages.CloseTable) -> None:
        if given.table in self._tables:
            self._tables[given.table].close()

    def _stop(self, given: messages.StopTable) -> None:
        table = self._tables.pop(given.table, None)
        if table is not None:
            table.stop()

    def _finish(self, table: TableRunner) -> None:
        """Tell the front that a game is over. Its players wait until the front has their sessions."""
        number = next(number for number, each in self._tables.items() if each is table)
        blames = {seat: why for seat, player in table.players.items() if (why := table.blame(player)) is not None}
        for player in table.players.values():
            player.connection.occupant = AfterGame()
        self._link.tell(messages.GameOver(number, table.summary, blames))
        table.show.finish(partial(self._link.tell, messages.ShowOver(number)))

    def _return_players(self, given: messages.ReturnPlayers) -> None:
        table = self._tables.pop(given.table, None)
        players = () if table is None else table.players.values()
        answered = frozenset(
            each.connection.number
            for each in players
            if each.games.has_answered and isinstance(each.connection, BorrowedConnection)
        )
        sessions = self._borrowing.give_back(each.connection for each in players)
        self._link.tell(messages.PlayersReturned(given.table, *_parted(sessions), answered))

    def _record(self, path: Path, summary: GameSummary) -> None:
        """Let the front finish a journal: it alone has the index."""
        self._link.tell(messages.Recorded(path, summary))

    # Spectators

    def _watch(self, given: messages.Watch) -> None:
        table, spectator = self._shown.get(given.table), self._borrowing.borrow(given.spectator)
        if table is not None:
            spectator.occupant = WatchPlace(spectator, table)
            table.show.watch(spectator)

    def _return_spectators(self, given: messages.ReturnSpectators) -> None:
        table = self._shown.pop(given.table, None)
        sessions = self._borrowing.give_back([] if table is None else table.show.spectators)
        self._link.tell(messages.SpectatorsReturned(given.table, *_parted(sessions)))

    # Connections

    def _borrow(self, lent: LentConnection) -> PlayerConnection:
        return PlayerConnection(self._borrowing.borrow(lent), lent.name, games=0)

    def _borrow_all(self, lent: Mapping[Seat, LentConnection]) -> dict[Seat, PlayerConnection]:
        return {seat: self._borrow(each) for seat, each in lent.items()}

    def _take_for_connection(
        self, given: messages.Lost | messages.Exceeded | messages.Waited | messages.Announce
    ) -> None:
        connection = self._borrowing.find(given.connection)
        if connection is None:
            return
        match given:
            case messages.Lost():
                self._borrowing.drop(connection, is_lost=given.is_lost)
            case messages.Exceeded():
                connection.exceed()
            case messages.Waited(seconds=seconds):
                connection.useless.pass_over(seconds)
            case messages.Announce(text=text):
                connection.session.announce(text)
                connection.flush()


def _parted(given_back: Mapping[Number, tuple[Session, bytes]]) -> tuple[dict[Number, Session], dict[Number, bytes]]:
    """Return the sessions, and what the front has to send first, each by the number of the connection."""
    sessions = {number: session for number, (session, _) in given_back.items()}
    return sessions, {number: rest for number, (_, rest) in given_back.items() if rest}
