"""A table that runs in a worker, as the front sees it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

from ump.model.seats import Seat
from ump.net.connection import Connection
from ump.net.connection_roles import Idle
from ump.record.journal.header import JournalHeader
from ump.server.player_connection import PlayerConnection
from ump.server.prepared_game import PreparedGame
from ump.server.spectators import TableShow
from ump.server.status.game_totals import GameSummary
from ump.server.workers.lending import Lender
from ump.server.workers.messages import (
    BeginGame,
    CloseTable,
    ComeBack,
    CreateTable,
    GameOver,
    LeaveSeat,
    LentConnection,
    Lost,
    Number,
    PlayersReturned,
    RestoreTable,
    ReturnPlayers,
    StopTable,
)
from ump.server.workers.remote_show import RemoteShow
from ump.table.opening import Opening
from ump.table.outcomes import End
from ump.wire.names import logged_name
from ump.wire.session import UNKNOWN_TOKEN, TableInfo

BROKEN = GameSummary(End.BROKEN, 0.0, Counter(), 0, 0)
"""The summary of a game whose worker died and that cannot go on."""


class RemoteSeat(Idle):
    """What the connection of a player occupies whose table is in a worker."""

    def __init__(self, table: RemoteTable, seat: Seat, player: PlayerConnection) -> None:
        self._table = table
        self._seat = seat
        self._player = player

    @property
    def label(self) -> str:
        """What the log calls the player."""
        return f"{self._table.name}: {logged_name(self._player.name)}"

    def left(self, *, is_lost: bool) -> None:
        """Tell the worker that the player's stream is gone."""
        self._table.lose(self._seat, self._player, is_lost=is_lost)


class RemoteTable:
    """Passes on what happens to a table and its players; answers of the worker come later.

    The order of the end: ``GameOver`` arrives; the front asks for the sessions of the players, and keeps what their
    clients send meanwhile; when the sessions are there, ``finished`` is called as for any other table.
    """

    def __init__(
        self,
        number: Number,
        header: JournalHeader,
        lender: Lender,
        finished: Callable[[RemoteTable], None],
        *,
        journal: Path | None,
    ) -> None:
        """Call ``finished`` when the game is over and its players are back; ``journal`` is its record."""
        self.number = number
        self.journal = journal
        self.players: dict[Seat, PlayerConnection] = {}
        self.summary = BROKEN
        self.is_over = False
        """Whether the worker has said that the game is over."""
        self._header = header
        self._lender = lender
        self._finished = finished
        self._blames: Mapping[Seat, str] = {}
        self._show = RemoteShow(number, lender)

    @property
    def opening(self) -> Opening:
        """The opening of the game."""
        return self._header.opening

    @property
    def name(self) -> str:
        """The table's name."""
        return self.opening.name

    @property
    def show(self) -> TableShow:
        """The table as spectators see it."""
        return self._show

    @property
    def remote_show(self) -> RemoteShow:
        """The same, for the worker's side."""
        return self._show

    # The game

    def create(self, game: PreparedGame, players: Mapping[Seat, PlayerConnection]) -> None:
        """Let the worker make the table of a new game for these players."""
        for seat, player in players.items():
            self._lender.lend(player.connection)
            player.sit(seat, game.infos[seat])
            self._occupy(seat, player)
        self._lender.tell(CreateTable(self.number, game, self.journal, self._lent_players()))

    def begin(self) -> None:
        """Begin the game."""
        self._lender.tell(BeginGame(self.number))

    def resume(self) -> None:
        """Go on with the game from its journal, with the players who are connected."""
        assert self.journal is not None
        self._lender.tell(RestoreTable(self.number, self.journal, self._lent_players()))
        self._show.resume()

    def move_to(self, lender: Lender) -> None:
        """Go on in another worker: the one that had the table is dead."""
        self._lender = lender
        self._show.move_to(lender)
        for player in tuple(self.players.values()):
            lender.lend_again(player.connection)

    def _lent_players(self) -> dict[Seat, LentConnection]:
        return {seat: self._lender.lent(each.connection, each.name) for seat, each in self.players.items()}

    def _occupy(self, seat: Seat, player: PlayerConnection) -> None:
        self.players[seat] = player
        player.connection.occupant = RemoteSeat(self, seat, player)

    def leave(self, seat: Seat) -> None:
        """Let default actions play the seat of a player who has left."""
        player = self.players.pop(seat, None)
        if player is not None:
            self._lender.forget(player.connection)
        self._lender.tell(LeaveSeat(self.number, seat))

    def lose(self, seat: Seat, player: PlayerConnection, *, is_lost: bool) -> None:
        """Tell the worker that a player's stream is gone."""
        if self.players.get(seat) is player:
            del self.players[seat]
        number = self._lender.forget(player.connection)
        if number:
            self._lender.tell(Lost(number, is_lost))

    def come_back(self, seat: Seat, player: PlayerConnection) -> None:
        """Give a seat back to its player; the worker closes an older connection of the player."""
        if self.is_over:
            player.connection.turn_back(UNKNOWN_TOKEN)
            return
        older = self.players.pop(seat, None)
        if older is not None:
            older.connection.occupant = None
        self._lender.lend(player.connection)
        player.sit(seat, TableInfo(self.name, self.opening.ruleset, is_return=True))
        self._occupy(seat, player)
        self._lender.tell(ComeBack(self.number, seat, self._lender.lent(player.connection, player.name)))

    def blame(self, player: PlayerConnection) -> str | None:
        """Return the fault with which a player has aborted the game, in words, or None if it has not."""
        seat = next((seat for seat, each in self.players.items() if each is player), None)
        return None if seat is None else self._blames.get(seat)

    def close(self) -> None:
        """End the game now, without a result."""
        self._lender.tell(CloseTable(self.number))

    def stop(self) -> None:
        """Interrupt the game, because the server stops."""
        self._lender.tell(StopTable(self.number))

    # The end

    def end(self, over: GameOver) -> None:
        """Ask for the sessions of the players: the game is over."""
        self.is_over = True
        self.summary, self._blames = over.summary, over.blames
        for player in self.players.values():
            self._lender.hold(player.connection)
        self._lender.tell(ReturnPlayers(self.number))

    def take_back(self, returned: PlayersReturned) -> None:
        """Go on with the sessions of the players here."""
        kept: list[tuple[Connection, list[bytes]]] = []
        for player in self.players.values():
            number = self._lender.number_of(player.connection)
            if number in returned.answered:
                player.games.answered()
            session = returned.sessions.get(number)
            if session is not None:
                rest = returned.rests.get(number, b"")
                kept.append((player.connection, self._lender.take_back(player.connection, session, rest)))
        self._finished(self)
        for connection, messages in kept:
            for message in messages:
                connection.receive(message)

    def end_without_worker(self) -> None:
        """Go on with the sessions as they were before the game, which is over: the worker died at its very end."""
        for seat, player in self.players.items():
            self._lender.take_back(player.connection)
            player.games.answered()  # perhaps it has not, but only the worker knew
            session = player.connection.session
            session.sit(seat, TableInfo(self.name, self.opening.ruleset))
            session.take()
        self._show.end_without_worker()
        self._finished(self)

    def break_down(self, message: str) -> None:
        """Close the table for good, because it cannot go on; its players read why."""
        self.is_over = True
        for player in tuple(self.players.values()):
            player.connection.fail_safely(message)
        self.players.clear()
        self._show.end_without_worker()
        self._finished(self)
