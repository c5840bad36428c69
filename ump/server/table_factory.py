"""Creates the tables that run in this process."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from twisted.internet.interfaces import IReactorTime

from ump.model.seats import Seat
from ump.record.journal.journal_file import Journal
from ump.server.delayed_table import DelayedTable
from ump.server.journal_folder import needs_whole_game
from ump.server.log_folder import LogFolder
from ump.server.player_connection import PlayerConnection
from ump.server.prepared_game import PreparedGame
from ump.server.recorder import Recorder
from ump.server.restore import restored
from ump.server.seating import receivers
from ump.server.spectator_turns import SpectatorTurns
from ump.server.table_runner import TableRunner
from ump.table.builtin_bots import replacements
from ump.table.table_host import TableHost


class TableFactory:
    """Creates tables of new games, and of games that go on from their records."""

    def __init__(
        self,
        clock: IReactorTime,
        turns: SpectatorTurns,
        finished: Callable[[TableRunner], None],
        logs: LogFolder | None = None,
    ) -> None:
        """Let each table call ``finished`` when its game is over; ``turns`` are those of the spectators."""
        self._clock = clock
        self._turns = turns
        self._finished = finished
        self._logs = logs

    def create(
        self, game: PreparedGame, players: Mapping[Seat, PlayerConnection], recorder: Recorder | None
    ) -> TableRunner:
        """Return a new table at which these players sit; its game has not begun."""
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

    def restore(self, journal: Journal, recorder: Recorder, connected: Collection[Seat] = ()) -> TableRunner:
        """Return the table of a recorded game that goes on; raises JournalError if the rules do not allow it.

        The players of the seats ``connected`` come back at once, also those who have no token.
        """
        header = journal.header
        host = restored(journal, keeps_game=needs_whole_game(header))
        tokens = {seat for seat, player in enumerate(header.players) if player.token is not None}
        return TableRunner(
            header.opening,
            host,
            {},
            self._clock,
            self._finished,
            turns=self._turns,
            recorder=recorder,
            returning=tokens.union(connected),
            elapsed=journal.steps[-1].now,
        )
