"""Creates the tables of a room: of new games, and of games that go on from their records."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from twisted.internet.interfaces import IReactorTime

from ump.model.seats import Seat
from ump.record.journal import Journal, JournalHeader
from ump.server.delayed_table import DelayedTable
from ump.server.journal_folder import needs_whole_game
from ump.server.log_folder import LogFolder
from ump.server.player_connection import PlayerConnection
from ump.server.prepared_game import NewGame, PreparedGame, prepared
from ump.server.recorder import Recorder
from ump.server.restore import restored
from ump.server.seat_tokens import KeptSeat, SeatTokens
from ump.server.seating import receivers
from ump.server.spectator_turns import SpectatorTurns
from ump.server.table_runner import TableRunner
from ump.table.receivers import replacements
from ump.table.table_host import TableHost


class TableSetup:
    """Creates tables with their records, and with the tokens by which players come back."""

    def __init__(
        self,
        clock: IReactorTime,
        tokens: SeatTokens,
        turns: SpectatorTurns,
        finished: Callable[[TableRunner], None],
        *,
        logs: LogFolder | None = None,
        recorder_of: Callable[[JournalHeader], Recorder] | None = None,
    ) -> None:
        """Let each table call ``finished`` when its game is over.

        ``tokens`` keep seats, ``turns`` are those of the spectators, and ``recorder_of`` opens the record of a game.
        """
        self._clock = clock
        self._tokens = tokens
        self._turns = turns
        self._finished = finished
        self._logs = logs
        self._recorder_of = recorder_of

    @property
    def keeps_records(self) -> bool:
        """Whether games are recorded, so that they can go on later."""
        return self._recorder_of is not None

    def create(self, game: NewGame) -> TableRunner:
        """Return a new table with everybody seated who is not gone; its game has not begun.

        Raises OSError if there is no record.
        """
        ready = prepared(game, self._clock.seconds())
        recorder = None if self._recorder_of is None else self._recorder_of(ready.header)
        table = self._table(ready, game.connected, recorder)
        self._keep_seats(table, ready.header, game.connected)
        return table

    def _table(
        self, game: PreparedGame, players: Mapping[Seat, PlayerConnection], recorder: Recorder | None
    ) -> TableRunner:
        for seat, info in game.infos.items():
            players[seat].sit(seat, info)
        opening, delay = game.opening, game.show_delay
        delayed = None if delay is None else DelayedTable(delay, self._clock, self._turns)
        log = None if self._logs is None else self._logs.open(opening, game.header.room, self._clock.seconds())
        host = TableHost(
            opening.table(),
            receivers(game.header, players, [each for each in (log, delayed) if each is not None]),
            opening.bot_delays(),
            replacements(opening),
            keeps_game=game.keeps_game,
        )
        return TableRunner(
            opening,
            host,
            players,
            self._clock,
            self._finished,
            turns=self._turns,
            show=delayed,
            log=log,
            recorder=recorder,
            returning=game.returning,
        )

    def restore(self, journal: Journal, reopen: Callable[[], Recorder]) -> TableRunner:
        """Return the table of a recorded game that goes on; ``reopen`` opens its record again.

        Raises OSError, or JournalError if the rules do not allow the record.
        """
        header = journal.header
        recorder = reopen()
        table = TableRunner(
            header.opening,
            restored(journal, keeps_game=needs_whole_game(header)),
            {},
            self._clock,
            self._finished,
            turns=self._turns,
            recorder=recorder,
            returning={seat for seat, player in enumerate(header.players) if player.token is not None},
            elapsed=journal.steps[-1].now,
        )
        self._keep_seats(table, header, {})
        return table

    def _keep_seats(
        self, table: TableRunner, header: JournalHeader, connected: Mapping[Seat, PlayerConnection]
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
