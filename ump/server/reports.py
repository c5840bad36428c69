"""Reports: users say which player of a running or finished game a moderator should look at."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from twisted.internet.defer import inlineCallbacks
from twisted.logger import Logger
from twisted.python.failure import Failure

from ump.model.choices import quoted
from ump.model.seats import Seat
from ump.model.value import value
from ump.net.connection import Connection
from ump.record.indexed_game import IndexedGame
from ump.record.journal import PlayerKind
from ump.server.journals import JournalFolder
from ump.server.new_table import room_of
from ump.server.table_runner import TableRunner
from ump.server.users.bans import NewReport
from ump.server.users.gate import LoginRefused
from ump.server.users.user_service import UserService
from ump.wire.names import logged_name, owner_of
from ump.wire.session import ReportReason

NO_REPORTS = "this server takes no reports: it has no users, or records no games"
ONLY_USERS = "only users who have logged in report players"
NO_PLAYER = "no person and no client plays at this seat"
OWN_SEAT = "you cannot report yourself"
BUSY = "your report cannot be taken now; try again later"
THANKS = "Thank you. A moderator will look at your report."


class ReportRefused(ValueError):
    """A report that is not taken; the message is for the user."""


class ReportDesk:
    """Takes the reports of users, over HTTP and at tables."""

    _log = Logger()

    def __init__(
        self,
        users: Callable[[], UserService | None],
        records: JournalFolder | None,
        tables: Callable[[], Iterable[TableRunner]],
    ) -> None:
        """``users`` returns those of the server. ``records`` are the finished games, ``tables`` the running ones."""
        self._users = users
        self._records = records
        self._tables = tables

    @property
    def is_open(self) -> bool:
        """Whether it takes reports."""
        return self._users() is not None and self._records is not None

    def report_at(self, table: TableRunner, connection: Connection, seat: Seat, reason: ReportReason) -> None:
        """Take the report of a player at a table, and tell the player what has come of it."""
        if table.record_name is None:
            connection.announce(NO_REPORTS)
            return

        def tell(text: str) -> None:
            if not connection.is_closing:
                connection.announce(text)

        done = self.report(connection.user, connection.host or "", table.record_name, seat, reason)
        done.addCallback(lambda _: THANKS).addErrback(self._explain).addCallback(tell)

    @inlineCallbacks
    def report(self, reporter: str | None, host: str, game: str, seat: Seat, reason: ReportReason) -> Any:
        """Enter the report of a user about the player at a seat of a game, by the id of its record.

        The Deferred fails with ReportRefused, UserError, LoginRefused or DatabaseError.
        """
        users, records = self._users(), self._records
        if users is None or records is None:
            raise ReportRefused(NO_REPORTS)
        if reporter is None:
            raise ReportRefused(ONLY_USERS)
        now = users.now()
        yield users.in_turn(host, lambda known: known.check_reports(reporter, now))
        running = self.running(game)
        if running is None:
            played = _finished(game, (yield records.find_game(game)))
        else:
            played = _running(running)
        player = played.player(seat)
        if owner_of(player) == reporter:
            raise ReportRefused(OWN_SEAT)
        report = NewReport(now, reporter, game, played.room, seat, player, reason.value)
        yield users.in_turn(host, lambda known: known.report(report))
        self._log.info(
            "{reporter} reports {player} in {game}: {reason}",
            reporter=logged_name(reporter),
            player=logged_name(player),
            game=game,
            reason=reason.value,
        )

    def running(self, game: str) -> TableRunner | None:
        """Return the table whose record will have this id."""
        return next((table for table in self._tables() if table.record_name == game), None)

    def _explain(self, failure: Failure) -> str:
        """Return why a report is not taken, for its user."""
        if failure.check(ValueError, LoginRefused) is not None:
            return failure.getErrorMessage()
        self._log.failure("a report could not be taken", failure)
        return BUSY


@value
class ReportedGame:
    """A game, as a report needs it."""

    room: str
    players: tuple[str | None, ...]
    """By seat; None for a built-in bot."""

    def player(self, seat: Seat) -> str:
        """Return the player at a seat; raises ReportRefused."""
        name = self.players[seat] if seat < len(self.players) else None
        if name is None:
            raise ReportRefused(NO_PLAYER)
        return name


def _running(table: TableRunner) -> ReportedGame:
    seated = zip(table.opening.players, table.kinds, strict=True)
    names = (name if kind is PlayerKind.CLIENT else None for name, kind in seated)
    return ReportedGame(room_of(table.name), tuple(names))


def _finished(game: str, found: IndexedGame | None) -> ReportedGame:
    if found is None:
        raise ReportRefused(f"there is no game {quoted(game)}")
    names = (player.name if player.kind == PlayerKind.CLIENT.value else None for player in found.players)
    return ReportedGame(found.room, tuple(names))
