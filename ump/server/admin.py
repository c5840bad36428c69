"""The orders of an operator, carried out. ``ump/server/orders.py`` declares them.

An order that changes something is written to the log of the server, and to that in the database of users, with the user
who gave it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Protocol, TypeAlias

from twisted.internet.defer import Deferred, inlineCallbacks, maybeDeferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from ump.database.database import DatabaseError
from ump.model.choices import quoted, unknown
from ump.model.seats import LETTERS
from ump.model.value import value
from ump.net.connection import Connection
from ump.record.indexed_game import IndexedGame
from ump.record.journal import PlayerKind
from ump.record.likeness import Likeness
from ump.server.drill_desk import DrillDesk, NoDrill
from ump.server.journals import JournalFolder
from ump.server.ladder import places_for_ladder
from ump.server.orders import ORDERS, TARGETS, OrderError, find_order
from ump.server.player_connection import PlayerConnection
from ump.server.reports import Comparisons, games_to_compare
from ump.server.room import Room
from ump.server.settings import PRIVATE_ROOM, ConfigError
from ump.server.table_runner import OPERATOR_CLOSES, TableRunner
from ump.server.users.bans import (
    BanError,
    BanKind,
    OrderToLog,
    Report,
    ReportVerdict,
    Target,
    check_reason,
    read_address,
    read_instant,
    shown_instant,
)
from ump.server.users.user_service import UserService
from ump.text.layout import printable
from ump.wire.text import MAX_ANNOUNCEMENT

KICKED = "the operator has removed you"
"""The message to a player who is kicked."""

MAX_LOGGED = 200
"""Characters of an order in the log, and of each part of it in that of the database."""

NO_RECORDS = "this server records no games; it needs --record-dir"
NO_USERS = "this server knows no users; it needs --users"
NO_DRILLS = "this server asks no drills: it has no pages"

Answer: TypeAlias = dict[str, Any]
"""The result of an order."""


@value
class Giver:
    """The person who gives an order."""

    name: str
    """A user of the server, or a user of its computer."""
    via: str
    """``socket`` or ``http``."""


class Operations(Protocol):
    """The operations that a server offers to an operator, besides those of its rooms and tables."""

    @property
    def clients(self) -> Sequence[Connection]:
        """All connections of clients."""

    @property
    def rooms(self) -> Sequence[Room]:
        """All rooms, also those that were closed and may have tables."""

    @property
    def users(self) -> UserService | None:
        """The users of the server, if it knows any."""

    @property
    def records(self) -> JournalFolder | None:
        """The records of games, if the server keeps any."""

    @property
    def comparisons(self) -> Comparisons | None:
        """Compares the games in them with those of our players."""

    @property
    def drills(self) -> DrillDesk | None:
        """Asks drills, if the server has pages."""

    def drain(self, seconds: float | None) -> int:
        """Let no more games begin, and end when the running ones are over, or after some seconds.

        Return how many run. ``seconds`` None: without a limit.
        """

    def read_again(self) -> Deferred[str]:
        """Read certificates and files again; the Deferred has what was read, or fails with ConfigError."""


class Orders:
    """Carries out orders."""

    _log = Logger()

    def __init__(self, operations: Operations, in_thread: Callable[..., Deferred[Any]]) -> None:
        self._operations = operations
        self._in_thread = in_thread
        self.ways: Mapping[str, Callable[..., Answer | Deferred[Answer]]] = {
            "tables": self._tables,
            "players": self._players,
            "bans": self._bans,
            "log": self._list_orders,
            "reports": self._list_reports,
            "judge": self._judge,
            "close": self._close,
            "annul": self._annul,
            "restore": self._restore,
            "drills": self._list_drills,
            "reinstate": self._reinstate,
            "kick": self._kick,
            "ban": self._ban,
            "unban": self._unban,
            "announce": self._announce,
            "drain": self._drain,
            "reload": self._reload,
        }
        """The methods of all orders, by the names of these."""

    def carry_out(self, order: Mapping[str, Any], giver: Giver) -> Deferred[Answer]:
        """Carry out an order, and log it; the Deferred has the answer, or fails with OrderError."""
        done = maybeDeferred(self._give, order, giver)
        name = order.get("order")
        if isinstance(name, str) and name in ORDERS and ORDERS[name].is_question:
            return done
        return done.addBoth(self._note, order, giver)

    def _give(self, given: Mapping[str, Any], giver: Giver) -> Any:
        order = find_order(given.get("order"))
        if order.is_local and giver.via == "http":
            raise OrderError(f"only 'ump admin {order.name}' can do that, on the computer of the server")
        return self.ways[order.name](giver, **order.read(given))

    def _note(self, result: Answer | Failure, order: Mapping[str, Any], giver: Giver) -> Any:
        """Log an order with what it has come to, before it is answered: the next one may be to list the log."""
        outcome = "ok"
        if isinstance(result, Failure):
            outcome = result.getErrorMessage() if result.check(OrderError) else "internal error"
        written = ascii(json.dumps(order, ensure_ascii=False))[1:-1][:MAX_LOGGED]
        self._log.info(
            "order of {who}: {order}, by {via}: {outcome}",
            who=giver.name,
            via=giver.via,
            order=written,
            outcome=outcome,
        )
        users = self._operations.users
        if users is None:
            return result
        return users.log_order(_line_of(order, giver, users.now(), outcome)).addCallback(lambda _: result)

    def _tables(self, _giver: Giver) -> Answer:
        tables = []
        for room, table in self._all_tables():
            tables.append(
                {
                    "table": table.name,
                    "room": room.name,
                    "players": list(table.opening.players),
                    "connected": sorted(player.name for player in table.players.values()),
                    "spectators": len(table.show.spectators),
                }
            )
        return {"tables": tables}

    def _players(self, _giver: Giver) -> Answer:
        return {
            "players": [
                {
                    "player": player.name,
                    "user": player.connection.user,
                    "room": room.name,
                    "table": None if table is None else table.name,
                    "from": player.connection.peer,
                    "protocol": player.connection.session.DIALECT,
                }
                for room, table, player in self._all_players()
            ]
        }

    def _close(self, _giver: Giver, table: str) -> Answer:
        """End a game now. It has no result; its players wait for the next one, as after any game."""
        for _, runner in self._all_tables():
            if runner.name == table:
                runner.close(OPERATOR_CLOSES)
                return {"closed": table}
        raise OrderError(f"there is no table {quoted(table)}; 'tables' lists them")

    def _list_reports(self, _giver: Giver) -> Deferred[Answer]:
        """List the reports that wait for a verdict."""
        tables = {}
        for _, table in self._all_tables():
            tables[table.record_name] = table.name

        def listed(reports: Sequence[Report]) -> Answer:
            rows = []
            for report, likeness in zip(reports, self._compared(reports, tables), strict=True):
                row = {**asdict(report), "seat": LETTERS[report.seat], "table": tables.get(report.game)}
                rows.append({**row, "likeness": None if likeness is None else asdict(likeness)})
            return {"reports": rows}

        return self._users.reports().addCallbacks(listed, _refuse)

    def _compared(self, reports: Sequence[Report], running: Container[str | None]) -> list[Likeness | None]:
        """Return how like our players each reported player plays, as far as it is known."""
        comparisons = self._operations.comparisons
        if comparisons is None:
            return [None] * len(reports)
        ladders = {room.name: room.gathering.ladder for room in self._operations.rooms}
        games = []
        for report in reports:
            is_over = report.game not in running
            games.append(games_to_compare(report, ladders.get(report.room), is_over=is_over))
        return comparisons.look(games)

    def _judge(self, _giver: Giver, report: int, verdict: str) -> Deferred[Answer]:
        """Take a report out of the queue, and tell the user who made it."""
        verdicts = {each.value: each for each in ReportVerdict}
        if verdict not in verdicts:
            raise OrderError(unknown("verdict", verdict, verdicts))

        def tell(judged: Report) -> Answer:
            text = f"your report of {judged.player} was {verdict}"
            for client in self._operations.clients:
                if client.user == judged.reporter and client.occupant is not None:
                    client.announce(text)
            return {"judged": asdict(judged)}

        return self._users.judge(report, verdicts[verdict]).addCallbacks(tell, _refuse)

    @inlineCallbacks
    def _annul(self, _giver: Giver, game: str) -> Any:
        """Let a rated game not count."""
        told = yield self._set_annulled(game, "it does not count for the ladder any more", is_annulled=True)
        return {"annulled": game, "told": told}

    @inlineCallbacks
    def _restore(self, _giver: Giver, game: str) -> Any:
        """Let a game count again."""
        told = yield self._set_annulled(game, "it counts for the ladder again", is_annulled=False)
        return {"restored": game, "told": told}

    @inlineCallbacks
    def _set_annulled(self, record: str, news: str, *, is_annulled: bool) -> Any:
        """Annul or restore a game; return how many of its players were told."""
        records = self._operations.records
        if records is None:
            raise OrderError(NO_RECORDS)
        try:
            game = yield records.find_game(record)
            self._check_annulment(record, game, is_annulled=is_annulled)
            yield records.annul(game, is_annulled=is_annulled)
        except DatabaseError as error:
            raise OrderError(str(error)) from error
        for room in self._operations.rooms:
            if room.name == game.room:
                room.gathering.rate_again()
        return self._tell_players(game, f"{_shown_game(game)}: {news}")

    def _check_annulment(self, record: str, game: IndexedGame | None, *, is_annulled: bool) -> None:
        """Raise OrderError if a game cannot be annulled or restored."""
        if game is None:
            raise OrderError(f"there is no game {quoted(record)}; its id is in the address of its replay")
        if game.is_annulled == is_annulled:
            raise OrderError(f"{record} is annulled already" if is_annulled else f"{record} is not annulled")
        if places_for_ladder(game) is None:
            raise OrderError(f"{record} counts for no ladder: it was not completed, or has no clients")
        rated = {room.name: room.is_rated for room in self._operations.rooms}
        is_rated_elsewhere = game.room not in rated and game.room != PRIVATE_ROOM
        if not is_rated_elsewhere and not rated.get(game.room):
            raise OrderError(f"{record} counts for no ladder: room {game.room} is not rated")

    def _tell_players(self, game: IndexedGame, text: str) -> int:
        """Tell the players of a game who are connected a text; return how many have heard it."""
        names = {player.name for player in game.players if player.kind == PlayerKind.CLIENT.value}
        told = 0
        for _, _, player in self._all_players():
            if player.name in names and player.is_client and player.connection.announce(text):
                told += 1
        return told

    @property
    def _drills(self) -> DrillDesk:
        """The drills of the server; raises OrderError if it asks none."""
        if self._operations.drills is None:
            raise OrderError(NO_DRILLS)
        return self._operations.drills

    def _list_drills(self, _giver: Giver) -> Deferred[Answer]:
        desk = self._drills
        found = self._in_thread(lambda: [{"id": drill.id, **drill.data()} for drill in desk.pool.withdrawn()])
        return found.addCallbacks(lambda drills: {"drills": drills}, _refuse)

    def _reinstate(self, _giver: Giver, drill: str) -> Deferred[Answer]:
        """Let a withdrawn drill be asked again."""

        def refuse(failure: Failure) -> Answer:
            if failure.check(NoDrill):
                raise OrderError(f"no drill {quoted(drill)} is withdrawn; 'drills' lists them")
            return _refuse(failure)

        return self._in_thread(self._drills.reinstate, drill).addCallbacks(lambda _: {"reinstated": drill}, refuse)

    def _kick(self, _giver: Giver, player: str) -> Answer:
        """Close all connections of players with a name. Their seats are played as those of players who have left."""
        kicked = 0
        for room, _, known in self._all_players():
            if known.name == player and known.is_client:
                room.expel(known, KICKED)
                kicked += 1
        if not kicked:
            raise OrderError(f"nobody of the name {quoted(player)} waits or plays; 'players' lists them")
        return {"kicked": kicked}

    @property
    def _users(self) -> UserService:
        """The users of the server; raises OrderError if it knows none."""
        if self._operations.users is None:
            raise OrderError(NO_USERS)
        return self._operations.users

    def _checked(self, target: Target) -> Target:
        """Return the target of a ban as the database has it; raises OrderError and BanError."""
        if target.kind is BanKind.ADDRESS:
            return read_address(target.name, self._users.proxies)
        return target

    def _ban(self, giver: Giver, target: Target, until: str | None, reason: str | None) -> Deferred[Answer]:
        """Ban a user, an address or a network, and close all connections from there, or of the user and its bots."""
        try:
            target = self._checked(target)
            end = None if until is None else read_instant(until)
            reason = check_reason(reason or "")
        except BanError as error:
            raise OrderError(str(error)) from error
        done = self._users.ban(target, end, reason, giver.name)
        return done.addCallbacks(lambda gone: {"banned": target.name, "kicked": gone}, _refuse)

    def _unban(self, giver: Giver, target: Target) -> Deferred[Answer]:
        """End a ban."""
        try:
            target = self._checked(target)
        except BanError as error:
            raise OrderError(str(error)) from error
        return self._users.lift(target, giver.name).addCallbacks(lambda _: {"unbanned": target.name}, _refuse)

    def _bans(self, _giver: Giver) -> Deferred[Answer]:
        return self._users.bans().addCallbacks(lambda bans: {"bans": [asdict(ban) for ban in bans]}, _refuse)

    def _list_orders(self, _giver: Giver, before: int | None) -> Deferred[Answer]:
        """List the last orders, or those before one of them."""
        page = self._users.orders(before)
        return page.addCallbacks(lambda orders: {"orders": [asdict(order) for order in orders]}, _refuse)

    def _announce(self, _giver: Giver, text: str) -> Answer:
        """Tell all players and spectators a text, as far as their protocols have a place for it."""
        text = text.strip()
        if not text or len(text) > MAX_ANNOUNCEMENT or not text.isprintable():
            raise OrderError(f"'text' is one line of at most {MAX_ANNOUNCEMENT} visible characters")
        told, unreached = 0, Counter[str]()
        for client in self._operations.clients:
            if client.occupant is None:  # it has not said hello, or leaves
                continue
            if client.announce(text):
                told += 1
            else:
                unreached[client.session.DIALECT] += 1
        return {"told": told, "not_told": dict(sorted(unreached.items()))}

    def _drain(self, _giver: Giver, seconds: float | None) -> Answer:
        return {"running": self._operations.drain(None if seconds is None else float(seconds))}

    def _reload(self, _giver: Giver) -> Deferred[Answer]:
        def refuse(failure: Failure) -> Answer:
            failure.trap(ConfigError)
            raise OrderError(f"not read again: {failure.getErrorMessage()}")

        return self._operations.read_again().addCallbacks(lambda read: {"read": read}, refuse)

    def _all_tables(self) -> Iterator[tuple[Room, TableRunner]]:
        for room in self._operations.rooms:
            for table in room.tables:
                yield room, table

    def _all_players(self) -> list[tuple[Room, TableRunner | None, PlayerConnection]]:
        players: list[tuple[Room, TableRunner | None, PlayerConnection]] = []
        for room in self._operations.rooms:
            players += [(room, None, player) for player in room.line]
        for room, table in self._all_tables():
            players += [(room, table, player) for player in table.players.values()]
        return players


def _shown_game(game: IndexedGame) -> str:
    """Return a game for its players: its name and when it began."""
    return f"game {game.game} of {shown_instant(game.began)}"


def _line_of(order: Mapping[str, Any], giver: Giver, now: str, outcome: str) -> OrderToLog:
    """Return an order as the log of the database has it."""
    targets = [str(order[name]) for name in TARGETS if name in order]
    target = targets[0] if targets else ""
    further = {name: content for name, content in order.items() if name not in ("order", *TARGETS) and content}
    arguments = json.dumps(further, ensure_ascii=False) if further else ""
    texts = (now, giver.name, giver.via, str(order.get("order")), target, arguments, outcome)
    return OrderToLog(*(text and printable(text)[:MAX_LOGGED] for text in texts))


def _refuse(failure: Failure) -> Answer:
    """Tell the operator that there is no such user or ban, or no database; raises OrderError."""
    failure.trap(ValueError, DatabaseError)
    raise OrderError(failure.getErrorMessage())
