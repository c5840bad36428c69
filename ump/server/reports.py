"""Reports: users say which player of a running or finished game a moderator should look at.

The moderator also sees how like our players the reported one plays.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable, Sequence
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any, TypeAlias

from twisted.internet.defer import Deferred, inlineCallbacks
from twisted.logger import Logger
from twisted.python.failure import Failure

from ump.database.database import DatabaseError
from ump.model.choices import quoted
from ump.model.seats import Seat
from ump.model.value import value
from ump.net.connection import Connection
from ump.record.conversion_process import likeness_target
from ump.record.indexed_game import ELSEWHERE, IndexedGame
from ump.record.journal import PlayerKind
from ump.record.likeness import Agreement, Likeness, likeness_of
from ump.record.record_copies import RecordCopies
from ump.record.recorded_game import RecordError
from ump.server.jobs import RESULTS, InThread, Job, Jobs, copied_job, game_job
from ump.server.journals import FINISHED, JournalFolder
from ump.server.ladder import Ladder, LadderPlayer
from ump.server.new_table import room_of
from ump.server.table_runner import TableRunner
from ump.server.users.bans import NewReport, Report
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


# How like our players the reported ones play

SeatOfGame: TypeAlias = tuple[str, Seat]
"""The file of a record, and a seat in it."""

COMPARED_GAMES = 10
"""The most games of a reported player that are compared."""


class Comparisons:
    """Compares reported players with our players: one game after the other, in a process of low priority."""

    _log = Logger()

    def __init__(self, folder: Path, copies: RecordCopies | None, in_thread: InThread) -> None:
        """``folder`` has the records of the server, ``copies`` those of its site."""
        self._folder = folder
        self._copies = copies
        self._in_thread = in_thread
        self._jobs = Jobs(in_thread, folder / RESULTS)
        self._known: dict[SeatOfGame, Agreement | None] = {}
        """Those of the last ``look``; None for a game that cannot be compared."""
        self._waiting: list[SeatOfGame] = []
        self._is_busy = False

    def look(self, players: Sequence[Sequence[SeatOfGame]]) -> list[Likeness | None]:
        """Return the likeness of each player in those of the games that are compared; the others follow.

        The first game of each player comes before the second of anybody.
        """
        wanted = [each for each in chain(*zip_longest(*players)) if each is not None]
        self._known = {each: self._known[each] for each in wanted if each in self._known}
        self._waiting = [each for each in dict.fromkeys(wanted) if each not in self._known]
        if not self._is_busy:
            Deferred.fromCoroutine(self._work())
        return [self._likeness(games) for games in players]

    def _likeness(self, games: Iterable[SeatOfGame]) -> Likeness | None:
        """Return the likeness of a player in those games that are compared."""
        found = (self._known.get(each) for each in games)
        return likeness_of([agreement for agreement in found if agreement is not None])

    async def _work(self) -> None:
        """Compare the games that wait."""
        self._is_busy = True
        while self._waiting:
            each = self._waiting.pop(0)
            self._known[each] = await self._compare(*each)
        self._is_busy = False

    async def _compare(self, file: str, seat: Seat) -> Agreement | None:
        """Compare a seat of a game; None if that is impossible."""
        try:
            job = await self._in_thread(self._job, file, likeness_target(seat))
            made = await self._jobs.ask(job, "")
        except (OSError, RecordError, DatabaseError) as error:
            self._log.warn("{file} cannot be compared: {error}", file=file, error=str(error))
        except Exception:  # a bug in one comparison must not end the others
            self._log.failure("{file} could not be compared", file=file)
        else:
            return Agreement(**json.loads(gzip.decompress(made.packed)))
        return None

    def _job(self, file: str, target: str) -> Job:
        """Return the job for a record; raises FileNotFoundError and DatabaseError."""
        job = game_job(self._folder / file, target)
        if job is not None:
            return job
        if self._copies is None:
            raise FileNotFoundError(file)
        return copied_job(self._copies, file, target)


def games_to_compare(report: Report, ladder: Ladder | None, *, is_over: bool) -> list[SeatOfGame]:
    """Return the game of a report if it is over, and the player's last ones in the same rated room."""
    games = [(f"{report.game}{FINISHED}", report.seat)] if is_over else []
    player = LadderPlayer(report.player)
    for game in () if ladder is None else ladder.standings.last.get(player, ()):
        games.append((game.file.rpartition(ELSEWHERE)[2], game.players.index(player)))
    return list(dict.fromkeys(games))[:COMPARED_GAMES]
