"""The server as a Twisted service: its ports, its rooms, signals, and an orderly end."""

from __future__ import annotations

import gc
import os
import signal
import socket
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from random import SystemRandom
from tempfile import TemporaryDirectory
from time import monotonic
from types import FrameType
from typing import TYPE_CHECKING, Any, TypeVar

from twisted.application.service import MultiService, Service
from twisted.internet.defer import Deferred, DeferredLock, TimeoutError, succeed
from twisted.internet.interfaces import IDelayedCall, IProtocolFactory, IReactorFromThreads, IReactorTime
from twisted.internet.task import deferLater
from twisted.internet.threads import deferToThreadPool
from twisted.logger import ILogObserver, Logger, LogLevel, globalLogPublisher
from twisted.python.failure import Failure

from ump.database.database import file_place, read_place
from ump.model.choices import quoted
from ump.model.setting import key_of, setting_of
from ump.net.announcement import Announcement
from ump.net.bot_commands import BotCommand
from ump.net.child_process import ChildSessions
from ump.net.connection import Connection, Host
from ump.net.connection_budget import LOOPBACK, NetworkList, read_network
from ump.net.connection_limits import OpenConnections, admitting, shared_out, soft_limit
from ump.net.dialects import HTTP, hints
from ump.net.http.forwarded import UNIX, TrustedProxies
from ump.net.limits import DRAIN_SECONDS, LOGOUT_SECONDS
from ump.net.lines import LineFactory
from ump.net.listener import Listener, PortTrial
from ump.net.trace import TraceFolder
from ump.net.turns import Turns
from ump.net.wall_clock import monotonic_reactor
from ump.record.branch import Branch
from ump.record.indexed_game import IndexedGame
from ump.record.journal import Journal, JournalError
from ump.record.record_copies import RecordCopies
from ump.rules.ruleset import Length
from ump.server.admin import Orders
from ump.server.bots import ChildBots
from ump.server.drill_desk import DrillDesk
from ump.server.drill_maker import DrillMaker
from ump.server.http.admin_socket import AdminSocket
from ump.server.http.api import PageSources
from ump.server.http.neighbours import Neighbours
from ump.server.http.operator_pages import status_pages
from ump.server.http.orders import OrderResource, admins_of
from ump.server.http.site import make_site
from ump.server.jobs import RESULTS, Jobs
from ump.server.journals import JournalFolder
from ump.server.ladder import Ladder, LadderSource
from ump.server.lobby import EventDoor, Lobby
from ump.server.log_file import Once, RotatedLog, bounded_log, from_level
from ump.server.log_folder import LogFolder
from ump.server.open_line import gathering_of
from ump.server.overview import RoomOverview, room_data
from ump.server.people import People
from ump.server.private_tables import PrivateTables
from ump.server.reports import Comparisons, ReportDesk
from ump.server.room import GameQuota, Room, ServerParts, newest_boards
from ump.server.seat_tokens import SeatTokens
from ump.server.seeds import Seals, SeedSource
from ump.server.settings import (
    PRIVATE_ROOM,
    TEST_ROOM,
    ConfigError,
    ListeningPort,
    Registration,
    RoomSettings,
    ServerSettings,
    rooms_of_paths,
)
from ump.server.shared_site import ServerCard, ServerState, SharedSite, SiteDatabase
from ump.server.spectators import SpectatorTurns
from ump.server.status import DatabaseProbe, ErrorCount, GameTotals, StatusSource, TurnDelay
from ump.server.table_runner import TableRunner
from ump.server.tournament_play import Events
from ump.server.tournaments import CLUB_FILE, TournamentDatabase
from ump.server.upgrade import Inheritance, Successor
from ump.server.users.user_service import UserService, open_users, read_provider
from ump.wire.dialect import Hint, RoomInfo

if TYPE_CHECKING:
    from ump.server.users.drill_database import DrillDatabase
    from ump.server.users.user_database import UserDatabase

# The server under a terminal and systemd: signals, and notifications of its state.
#
# SIGHUP reads files again, SIGUSR1 begins a new log file, SIGUSR2 starts the program that takes the place of this one,
# the first SIGTERM waits for running games. systemd is told (sd_notify) that the server is ready, that it lives, that
# another process takes its place, and that it stops.

STREAMS = (0, 1, 2)
"""The standard streams, one of which is the terminal of a server in the foreground."""


def is_on_terminal() -> bool:
    """Return whether a standard stream is a terminal that is still there."""
    return any(map(os.isatty, STREAMS))


class Signals:
    """Handles signals while the server runs, unless it was started with them ignored or taken (nohup, twistd)."""

    _log = Logger()

    def __init__(
        self,
        reactor: Any,
        *,
        reload: Callable[[], object],
        rotate: Callable[[], object],
        upgrade: Callable[[], object],
        stop: Callable[[], object],
    ) -> None:
        """``stop`` ends the server as SIGTERM does; it is called at SIGHUP if the server's terminal has gone."""
        self._reactor = reactor
        self._calls = {"SIGHUP": self._hang_up, "SIGUSR1": rotate, "SIGUSR2": upgrade}
        self._reload = reload
        self._stop = stop
        self._had_terminal = False
        self._installed: list[int] = []

    def install(self) -> None:
        """Handle the signals from now on; call this in the main thread."""
        self._had_terminal = is_on_terminal()
        for name, call in self._calls.items():
            number = getattr(signal, name, None)  # Windows has neither
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, self._in_reactor(call))
                self._installed.append(number)

    def remove(self) -> None:
        """Leave the signals to the system again."""
        for number in self._installed:
            signal.signal(number, signal.SIG_DFL)
        self._installed.clear()

    def _in_reactor(self, call: Callable[[], object]) -> Callable[[int, FrameType | None], None]:
        def take(number: int, frame: FrameType | None) -> None:
            self._reactor.callFromThread(call)

        return take

    def _hang_up(self) -> None:
        """Read files again, or stop if the signal says that the terminal is gone."""
        if self._had_terminal and not is_on_terminal():
            self._log.info("SIGHUP: the terminal is gone, the server stops")
            self._stop()
        else:
            self._reload()


def on_first_sigterm(reactor: IReactorFromThreads, call: Callable[[Callable[[], None]], object]) -> None:
    """Call a function in the reactor's thread at the first SIGTERM; a second one does what the reactor has installed.

    The function receives another one that does the same as a second SIGTERM. Call this when the reactor runs.
    """
    installed = signal.getsignal(signal.SIGTERM)
    assert callable(installed)

    def proceed() -> None:
        """Do what the reactor does on SIGTERM."""
        installed(signal.SIGTERM, None)

    def take(number: int, frame: FrameType | None) -> None:
        """Take the first SIGTERM."""
        signal.signal(signal.SIGTERM, installed)
        reactor.callFromThread(call, proceed)

    signal.signal(signal.SIGTERM, take)


MICROSECONDS = 1_000_000


class Notification(Service):
    """Writes to the socket that the environment names. Without one, as under other starters, it does nothing."""

    _log = Logger()

    def __init__(self, reactor: Any, variables: Mapping[str, str] = os.environ) -> None:
        """Read the variables of systemd; a watchdog that waits for another process is not ours."""
        self._reactor = reactor
        self._address = variables.get("NOTIFY_SOCKET", "")
        own = str(os.getpid())
        waits = variables.get("WATCHDOG_USEC", "") if variables.get("WATCHDOG_PID", own) == own else ""
        self._every = int(waits) / MICROSECONDS / 2 if waits.isdecimal() else 0.0
        """Seconds between two signs of life; 0: nobody waits for them."""
        self._call: IDelayedCall | None = None

    def startService(self) -> None:
        """Tell that the server is ready when the reactor runs: its ports are open then."""
        super().startService()
        self._reactor.callWhenRunning(self._begin)

    def _begin(self) -> None:
        if self.running:
            self._send("READY=1")
            self._live()

    def _live(self) -> None:
        """Give signs of life, as long as the thread of all games takes its turns."""
        if self._every:
            self._send("WATCHDOG=1")
            self._call = self._reactor.callLater(self._every, self._live)

    def begin_upgrade(self) -> None:
        """Tell that another process is going to take the place of this one."""
        self._send(f"RELOADING=1\nMONOTONIC_USEC={int(monotonic() * MICROSECONDS)}")

    def end_upgrade(self) -> None:
        """Tell that this process goes on."""
        self._send("READY=1")

    def hand_over(self, process: int) -> None:
        """Tell that another process is the server from now on: it says the rest."""
        self._send(f"MAINPID={process}")
        self._address = ""

    def stopService(self) -> None:
        """Tell that the server stops."""
        super().stopService()
        if self._call is not None and self._call.active():
            self._call.cancel()
        self._send("STOPPING=1")

    def _send(self, state: str) -> None:
        if not self._address:
            return
        address = f"\0{self._address[1:]}" if self._address.startswith("@") else self._address
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as client:
                client.setblocking(False)
                client.sendto(state.encode(), address)
        except OSError as error:
            self._log.warn("systemd does not hear {state}: {error}", state=state, error=error.strerror or error)


# The end of a server: no new games, some time for running ones, ``bye`` to all clients, and the end of the rest.


class Drain(Service):
    """Closes all connections when it is stopped, within DRAIN_SECONDS; before that it can wait for running games."""

    _log = Logger()

    def __init__(
        self,
        lobby: Lobby,
        connections: OpenConnections,
        clock: IReactorTime,
    ) -> None:
        self._lobby = lobby
        self._connections = connections
        self._clock = clock
        self._deadline: IDelayedCall | None = None
        """When running games have no more time."""

    def wait_for_games(self, quota: GameQuota, seconds: float | None, stop: Callable[[], object]) -> None:
        """Begin no new games, and call ``stop`` if some are not over after ``seconds`` (None: wait for all).

        If they are over before, the quota says so. Waiting and new clients are turned away, but players may come back
        to their seats.
        """
        self._stop_waiting()
        if seconds is None:
            self._log.info("stopping: no new games; {games} running games are played to the end", games=quota.running)
        else:
            self._log.info(
                "stopping: no new games; {games} running games have {seconds:g} seconds, until another SIGTERM",
                games=quota.running,
                seconds=seconds,
            )
            self._deadline = self._clock.callLater(seconds, stop)
        self._lobby.drain()
        quota.close()

    def drain(self, stop: Callable[[], object]) -> None:
        """Stop the server after its last game, when all clients are gone or DRAIN_SECONDS are over.

        The ports stay open until then: polling clients must return to hear how their game ended, and to log out.
        """
        deferLater(self._clock, 0, lambda: Deferred.fromCoroutine(self._drain_and_stop(stop)))

    async def _drain_and_stop(self, stop: Callable[[], object]) -> None:
        self._stop_waiting()
        self._lobby.close()
        for connection in self._connections:
            if not connection.is_leaving:
                connection.dismiss()
        with suppress(TimeoutError):
            await self._connections.empty().addTimeout(DRAIN_SECONDS, self._clock)
        await deferLater(self._clock, LOGOUT_SECONDS)
        if self.running:
            stop()

    def gone(self) -> Deferred[None]:
        """Return a Deferred that fires when all clients are gone, and polling ones have had time to log out."""
        return Deferred.fromCoroutine(self._gone())

    async def _gone(self) -> None:
        if len(self._connections):
            await self._connections.empty()
            await deferLater(self._clock, LOGOUT_SECONDS)

    def stopService(self) -> Deferred[None]:
        """Close all connections; the reactor waits for the Deferred."""
        super().stopService()
        self._stop_waiting()
        return Deferred.fromCoroutine(self._close())

    def _stop_waiting(self) -> None:
        if self._deadline is not None and self._deadline.active():
            self._deadline.cancel()

    async def _close(self) -> None:
        self._log.info("stopping: goodbye to {count} connections", count=len(self._connections))
        self._lobby.close()
        for connection in self._connections:
            connection.dismiss()
        try:
            await self._connections.empty().addTimeout(DRAIN_SECONDS, self._clock)
        except TimeoutError:
            for connection in self._connections:
                connection.cut()


T = TypeVar("T")

UMP_PORT = "listen"
"""The option of the port that is announced in the local network."""

IN_BROWSER = Hint("in a browser", "http://{host}:{port}/")
"""The address for people who play in a browser."""

COLLECTIONS = (700, 5, 1_000)
"""When the garbage collector looks: through new objects when there are so many more, through those that survived each
fifth time (2 ms), and through all each thousandth time of those (120 ms at 100 tables under attack)."""

DRILLS_FILE = ".drills.sqlite"
"""The file in that folder with what people have practised, if the server knows no users."""

PRIVATE_TABLES = ".private-tables"
"""The file in the folder of journals with the tables among friends."""

LENGTHS = {Length.KYOKU: "one kyoku", Length.TONPU: "east round", Length.HANCHAN: "hanchan"}
"""The lengths of games in words."""

RELOADED = frozenset({"deny", "users"})
"""The keys of the options of the whole server that are read again."""

GAP = 3
"""Spaces between the two columns, at least."""


class Server(MultiService):
    """All parts of a server. It opens its ports when the service starts."""

    _log = Logger()
    _successor: Successor | None = None
    """The program that is going to take our place."""
    _is_handed_over = False
    _scratch: TemporaryDirectory[str] | None = None
    """The folder for what people have practised, if it does not last."""
    _application_log: ILogObserver | None = None
    """The observer with which twistd writes its log, in place of its own."""

    def __init__(
        self,
        settings: ServerSettings,
        reactor: Any,
        announce: Callable[[str], None] | None = None,
        settings_again: Callable[[], ServerSettings] | None = None,
    ) -> None:
        """Prepare everything; ``announce`` takes the banner when all ports are open and the reactor runs.

        When it has returned, the log has begun.

        ``settings_again`` reads the options and their files again, and raises ConfigError; None: nothing has changed.
        """
        super().__init__()
        self._shares = shared_out(
            settings.limits,
            soft_limit(),
            children=settings.limits.children if starts_programs(settings) else 0,
            is_traced=settings.trace_folder is not None,
        )
        self._inheritance = Inheritance.taken_from(os.environ)
        self._given = settings
        self._settings = settings = replace(settings, limits=self._shares.limits)
        self._reactor = monotonic_reactor(reactor)
        self._announce = announce
        self._settings_again = settings_again
        self._reading = DeferredLock()
        self._signals = Signals(
            reactor, reload=self.reload, rotate=self._rotate_log, upgrade=self.upgrade, stop=_end_as_sigterm
        )
        self._observers: list[Once] = []
        self._log_files: list[RotatedLog] = []
        self._listeners: list[Listener] = []
        self._traces = self._trace_folder()
        self._connections = OpenConnections(settings.limits, self._traces)
        self._errors, delay = ErrorCount(), TurnDelay(reactor)
        self._error_observer = Once(self._errors)
        delay.setServiceParent(self)
        self._stop: Callable[[], object] = reactor.stop
        seals = Seals()
        self._journals = self._journal_folder(seals)
        self._parts = self._parts_of_rooms(seals)
        self._status = self._status_source(delay)
        self._turns = Turns(reactor)
        self._all_rooms: dict[str, Room] = {}
        """Every room that there has been, by its name."""
        self._rooms = [self._room(each) for each in all_rooms(settings)]
        self._infos = [room.info for room in settings.rooms]
        """The rooms as clients see them; this list changes with the rooms."""
        self._site_database = None if settings.site is None else SiteDatabase(settings.site)
        self._site = None if self._site_database is None else self._shared_site(self._site_database)
        self._tables = self._private_tables()
        self._lobby = Lobby(self._rooms, self._parts.tokens, self._site, self._tables, self._parts.people)
        self._events = self._lobby.events = self._tournaments()
        self.users = self._user_service()
        self._drills = self._drill_desk()
        self._orders = Orders(self, self._from_thread)
        self._drain = Drain(self._lobby, self._connections, reactor)
        self._parts.children.setServiceParent(self)
        self._drain.setServiceParent(self)
        self._listen()
        self._status.certificates = self._certificate_ends
        self._admin = self._admin_socket()
        self._announcement = self._announced_rooms()
        self._notification = self._notified()

    def _notified(self) -> Notification:
        """Return what tells systemd how the server is."""
        notification = Notification(self._reactor)
        notification.setServiceParent(self)
        return notification

    def _announced_rooms(self) -> Announcement:
        """Return what tells the local network of our rooms."""
        announcement = Announcement(
            self._reached_from_outside, lambda: [info.name for info in self._infos], self._from_thread
        )
        announcement.setServiceParent(self)
        return announcement

    def _admin_socket(self) -> AdminSocket | None:
        path = self._settings.admin_socket
        if path is None:
            return None
        admin = AdminSocket(path, self._orders, self._reactor)
        admin.setServiceParent(self)
        return admin

    def _shared_site(self, database: SiteDatabase) -> SharedSite:
        """Return what exchanges news with the other servers of the site."""
        site = SharedSite(
            database, self._reactor, self._from_thread, self._card, lambda: map(room_data, self._overviews())
        )
        site.setServiceParent(self)
        return site

    def _card(self) -> ServerCard:
        """Return what the other servers of the site know of this one."""
        settings = self._settings
        records = "" if settings.record_folder is None else f"{socket.gethostname()}:{settings.record_folder}"
        events = () if self._events is None else tuple(event.tournament.id for event in self._events.all)
        state = ServerState.DRAINING if self._status.is_stopping else ServerState.OPEN
        tcp = self._reached_by_others(UMP_PORT)
        return ServerCard(
            settings.letter,
            records,
            state,
            self._reached_by_others(HTTP.name),
            "" if tcp is None else f"{tcp[0]}:{tcp[1]}",
            events,
        )

    def _reached_by_others(self, option: str) -> tuple[str, int] | None:
        """Return host and number of the first port of an option, as the other servers of the site reach it."""
        ports = [each.address for each in self._listeners if each.option == option and each.address is not None]
        return (self._settings.reached_at or ports[0][0], ports[0][1]) if ports else None

    def _overviews(self) -> list[RoomOverview]:
        """Return the facts about all rooms that clients may enter."""
        return [room.overview for room in self._open_rooms]

    @property
    def _open_rooms(self) -> list[Room]:
        """The rooms that clients may enter."""
        return [self._all_rooms[each.name] for each in self._settings.rooms]

    def _parts_of_rooms(self, seals: Seals) -> ServerParts:
        """Return what all rooms share."""
        settings, reactor, journals = self._settings, self._reactor, self._journals
        sessions = ChildSessions(settings.limits.child, reactor)
        return ServerParts(
            reactor,
            SeedSource(settings.seed),
            GameQuota(settings.games, self._end, most=settings.limits.tables),
            ChildBots(settings.limits, reactor, self._traces, unpacked(settings), sessions),
            SeatTokens(settings.limits.budget.most_left, settings.letter),
            GameTotals(),
            SpectatorTurns(reactor),
            seals,
            logs=None if settings.log_folder is None else LogFolder(settings.log_folder, seals),
            recorder_of=None if journals is None else journals.create,
            can_record=lambda: self._status.can_record,
            ladder=None if journals is None else LadderSource(journals.rated_games, self._from_thread),
            reports=ReportDesk(lambda: self.users, journals, self._running_tables),
            people=People(reactor),
        )

    def _tournaments(self) -> Events | None:
        """Return the tournaments, beside the users, or else among the records; None if there is neither."""
        users, folder = self._settings.users, self._settings.record_folder
        if users is None and folder is None:
            return None
        place = file_place(folder / CLUB_FILE) if users is None and folder is not None else read_place(users or "")
        events = Events(
            TournamentDatabase(place),
            lambda: self._settings.rooms,
            self._parts,
            self._from_thread,
            folder,
            is_shared=self._settings.site is not None,
        )
        events.setServiceParent(self)
        return events

    def _private_tables(self) -> PrivateTables:
        """Return the tables among friends; with records they survive a restart."""
        folder = self._settings.record_folder
        file = None if folder is None else folder / PRIVATE_TABLES
        return PrivateTables(self._parts, self._settings.limits.private_tables, file)

    def _user_service(self) -> UserService | None:
        """Return what checks users, or None if the server knows none."""
        if self._settings.users is None:
            return None
        users = UserService(
            self._lobby,
            open_users(self._settings.users, makes_file=self._settings.registration is Registration.OPEN),
            self._reactor,
            self._connections,
            attempts=self._site_database,
            proxies=[each for each in self._settings.limits.trusted_proxies if each != UNIX],
        )
        users.forget = self._forget
        users.setServiceParent(self)
        self._status.users = DatabaseProbe(lambda: self._from_thread(users.users.is_reserved, "ump"), self._reactor)
        self._status.users.setServiceParent(self)
        return users

    def _drill_desk(self) -> DrillDesk | None:
        """Return what asks drills, and let it make more of them; None if the server has no pages.

        What people practise is kept beside the users, in the database of the site, or among the records. Without any
        of them it lasts until the server stops.
        """
        settings = self._settings
        if not settings.has_pages:
            return None
        place = settings.site
        if settings.users is not None:
            place = read_place(settings.users).absolute()
        elif place is None and settings.record_folder is not None:
            place = file_place(settings.record_folder / DRILLS_FILE)

        def open_database() -> DrillDatabase:
            from ump.server.users.drill_database import DrillDatabase  # needs SQLAlchemy

            if place is not None:
                return DrillDatabase(place)
            self._scratch = TemporaryDirectory(prefix="ump-drills-")
            return DrillDatabase(file_place(Path(self._scratch.name) / DRILLS_FILE))

        chance = SystemRandom()
        desk = DrillDesk(open_database, chance, lasts=place is not None)
        DrillMaker(desk, self._jobs, self._from_thread, self._reactor, chance).setServiceParent(self)
        return desk

    def _forget(self, alias_of: Callable[[str], str | None]) -> None:
        """Take the names of deleted users out of records, tournaments and tables among friends."""
        if self._journals is not None:
            self._journals.rename(alias_of, *([] if self._events is None else [self._events.hashes_of]))
        for keeper in (self._events, self._tables):
            if keeper is not None:
                keeper.rename(alias_of)

    @property
    def _host(self) -> Host:
        """The host of clients that have introduced themselves."""
        host: Host = self._lobby if self.users is None else self.users.gate
        return host if self._events is None else EventDoor(self._lobby, self._events, host)

    def _status_source(self, delay: TurnDelay) -> StatusSource:
        return StatusSource(
            lambda: self._rooms,
            self._connections,
            self._parts.totals,
            self._errors,
            delay,
            self._reactor,
            self._journals,
        )

    def _room(self, settings: RoomSettings) -> Room:
        """Return the room of this name with these settings, a new one if there has been none."""
        room = self._all_rooms.get(settings.name)
        if room is not None:
            room.renew(settings)
            return room
        room = self._all_rooms[settings.name] = Room(settings, self._parts, gathering_of)
        return room

    def reload(self) -> None:
        """Read certificates and files again; after an error everything stays as it was, and the log has the error."""
        self.read_again().addErrback(self._log_unread)

    def _log_unread(self, failure: Failure) -> None:
        if failure.check(ConfigError) is None:
            self._log.failure("not read again", failure)
        else:
            self._log.error("not read again: {error}", error=failure.getErrorMessage())

    def read_again(self) -> Deferred[str]:
        """Read certificates, the deny list and the rooms again; running tables keep their rules.

        The Deferred has what was read, or fails with ConfigError; then all but the certificates, each of which is
        checked by itself, stays as it was. Files and the database of users are read in another thread.
        """
        for listener in self._listeners:
            listener.renew_certificates()
        if self._settings_again is None:
            return succeed("the certificates")
        return self._reading.run(self._read_later, self._settings_again)

    def _read_later(self, settings_again: Callable[[], ServerSettings]) -> Deferred[str]:
        def read() -> tuple[ServerSettings, UserDatabase | None]:
            settings = settings_again()
            return settings, None if self.users is None or settings.users is None else open_users(settings.users)

        return self._from_thread(read).addCallback(lambda found: self._renew(*found))

    def _renew(self, settings: ServerSettings, users: UserDatabase | None) -> str:
        """Use other settings from now on, and return what was read."""
        if self.users is not None and users is not None:
            self.users.users = users
        self._parts.children.folders += unpacked(settings)
        self._connections.limits = replace(self._connections.limits, deny=settings.limits.deny)
        self._settings = replace(self._settings, rooms=settings.rooms)
        self._rooms = [self._room(each) for each in all_rooms(self._settings)]
        self._infos[:] = [room.info for room in settings.rooms]
        self._lobby.replace(self._rooms)
        read = f"{len(settings.rooms)} rooms, {len(settings.limits.deny)} denied addresses and networks"
        if unread := sorted({*_changed(self._given, settings)} - RELOADED):
            read += f"; these need a restart: {', '.join(unread)}"
        self._log.info("read again: {read}", read=read)
        return read

    def upgrade(self) -> None:
        """Start the program that takes the place of this one, and leave when it is ready."""
        why = self._why_no_upgrade()
        if why:
            self._log.error("SIGUSR2: no upgrade: {why}", why=why)
            return
        self._log.info("SIGUSR2: a new program starts, and takes the place of this one when it is ready")
        self._notification.begin_upgrade()
        self._successor = Successor(self._reactor, self._hand_over, self._stay)
        try:
            self._successor.start(self._listeners)
        except OSError as error:
            self._log.error("SIGUSR2: the server goes on, as no program starts: {why}", why=str(error))
            self._stay()

    def _why_no_upgrade(self) -> str:
        """Return why no other program can take the place of this one; "" if one can."""
        if self._journals is None:
            return "without --record-dir all running games would be lost"
        if os.getpid() == 1:
            return "a container ends with its first process"
        if self._status.is_stopping:
            return "the server stops"
        return "" if self._successor is None else "one is under way"

    def _stay(self) -> None:
        """Go on, as the other program is of no use."""
        self._successor = None
        self._notification.end_upgrade()

    def _hand_over(self, process: int) -> None:
        """Leave the place to another process: it accepts new connections, and games go on there."""
        self._log.info("process {process} takes the place of this one", process=process)
        self._is_handed_over = self._status.is_stopping = True
        self._notification.hand_over(process)
        for listener in self._listeners:
            listener.hand_over()
        self._reactor.stop()

    @property
    def clients(self) -> Sequence[Connection]:
        """All connections of clients."""
        return [each for each in self._connections if isinstance(each, Connection)]

    @property
    def rooms(self) -> Sequence[Room]:
        """All rooms, also those that were removed while the server runs."""
        events = () if self._events is None else self._events.rooms
        return (*self._all_rooms.values(), *self._tables.rooms, *events)

    @property
    def records(self) -> JournalFolder | None:
        """The records of games, if the server keeps any."""
        return self._journals

    @cached_property
    def comparisons(self) -> Comparisons | None:
        """Compares the games in them with those of our players."""
        folder = self._settings.record_folder
        return None if folder is None else Comparisons(folder, self._copies, self._from_thread)

    @property
    def drills(self) -> DrillDesk | None:
        """Asks drills, if the server has pages."""
        return self._drills

    def _running_tables(self) -> Iterator[TableRunner]:
        for room in self.rooms:
            yield from room.tables

    def drain(self, seconds: float | None) -> int:
        """Let no more games begin, and end when the running ones are over, or after some seconds (None: no limit).

        Return how many run.
        """
        running = self._parts.quota.running
        self._status.is_stopping = True
        self._drain.wait_for_games(self._parts.quota, seconds, self._stop)
        return running

    def open_log(self) -> None:
        """Open the log file, if there is one; raises ConfigError. Call it as ``open_records``."""
        options = self._settings.log
        if options.path is None:
            return
        try:
            log_file = RotatedLog(options.path, options)
        except OSError as error:
            raise ConfigError(
                f"--log-file: {quoted(str(options.path))} cannot be written ({error.strerror or error})"
            ) from error
        self._log_files.append(log_file)
        self._observe(Once(from_level(LogLevel.info, options.form.observer(log_file.lines))))

    def bound_log(self, starter: Any) -> None:
        """Bound the log of ``twist`` or ``twistd``, which have these options; raises ConfigError. Call it as above."""
        try:
            log_file, self._application_log = bounded_log(starter, self._settings.log)
        except OSError as error:
            raise ConfigError(f"the log {quoted(str(error.filename))} cannot be written ({error.strerror})") from error
        if log_file is not None:
            self._log_files.append(log_file)

    def setServiceParent(self, parent: Any) -> None:
        """Join an application, and give it the log that ``bound_log`` has made."""
        if self._application_log is not None:
            parent.setComponent(ILogObserver, self._application_log)
        super().setServiceParent(parent)

    def _observe(self, observer: Once) -> None:
        """Let an observer have each event of the log from now on."""
        globalLogPublisher.addObserver(observer)
        self._observers.append(observer)

    def _rotate_log(self) -> None:
        for log_file in self._log_files:
            log_file.rotate()
        if self._log_files:
            self._log.info("SIGUSR1: the log begins a new file")
        else:
            self._log.info("SIGUSR1: there is no log file to rotate")

    def try_ports(self) -> None:
        """Raise PortError if a required port cannot be opened. Call it before the server goes into the background."""
        with PortTrial() as trial:
            for listener in self._listeners:
                listener.try_out(trial)
            if self._admin is not None and self._inheritance is None:
                self._admin.try_out(trial)

    def _trace_folder(self) -> TraceFolder | None:
        folder = self._settings.trace_folder
        return None if folder is None else TraceFolder(folder, self._reactor, self._from_thread)

    def _from_thread(self, call: Callable[..., T], *arguments: object) -> Deferred[T]:
        """Call a function in another thread, and return a Deferred with its result."""
        return deferToThreadPool(self._reactor, self._reactor.getThreadPool(), call, *arguments)

    @cached_property
    def _copies(self) -> RecordCopies | None:
        """The records of all servers of the site; None: the server is alone."""
        site = self._settings.site
        return None if site is None else RecordCopies(site)

    @cached_property
    def _jobs(self) -> Jobs:
        """The work on records that other processes do."""
        folder = self._settings.record_folder
        return Jobs(self._from_thread, None if folder is None else folder / RESULTS)

    def _journal_folder(self, seals: Seals) -> JournalFolder | None:
        settings, folder = self._settings, self._settings.record_folder
        if folder is None:
            return None
        return JournalFolder(
            folder,
            settings.sync,
            self._from_thread,
            seals,
            index=settings.index,
            clock=self._reactor,
            copies=self._copies,
        )

    def open_records(self) -> None:
        """Create the folder for journals, and keep other servers out; raises FolderError and PortError.

        Call it before the server goes into the background. It waits for a server whose place we take.
        """
        if self._inheritance is not None:
            self.try_ports()
            if self._journals is not None:
                self._journals.load_libraries()
            spare_the_collector()  # which takes longer than all that comes after the wait
            self._inheritance.say_ready()
        if self._journals is not None:
            self._journals.open(waits=self._inheritance is not None)

    def _restore_games(self) -> None:
        """Go on with the games of the journals that are not over."""
        if self._events is not None:
            self._events.load()
        if self._journals is not None:
            self._tables.load(self._rooms[0].settings)
            sealed = () if self._events is None else self._events.sealed
            for path, journal in self._journals.unfinished(sealed):
                self._restore(self._journals, path, journal)

    def _restore(self, journals: JournalFolder, path: Path, journal: Journal) -> None:
        """Go on with a recorded game, in the room of its name or else in the first one."""
        room = self._all_rooms.get(journal.header.room, self._rooms[0])
        if journal.header.room == PRIVATE_ROOM:
            room = self._tables.restored(journal.header.opening.name, self._rooms[0].settings)
        event = None if self._events is None else self._events.find(journal.header.room)
        if event is not None:
            room = event.room
        try:
            table = room.restore(journal, partial(journals.reopen, path, journal))
            if event is not None and journal.header.event is not None:
                event.adopt(journal.header.event, table)
        except (OSError, JournalError) as error:
            journals.set_aside(path, error)
            duplicate = journal.header.opening.duplicate
            if duplicate is not None:
                self._parts.seals.lift(duplicate.group)

    def privilegedStartService(self) -> None:
        """Handle signals before a line of the log says that a port is open; ``twist`` opens all of them here."""
        self._signals.install()
        super().privilegedStartService()

    def startService(self) -> None:
        """Go on with unfinished games, open all ports, and announce them after the log lines about the start.

        Every starter calls this; ``twist`` and ``ump serve`` call nothing else. No connection is accepted before the
        reactor runs, and files get the owner that the server keeps.
        """
        self._observe(self._error_observer)
        self._signals.install()
        self._log_shares()
        self._restore_games()
        super().startService()
        if self._settings.drain:
            self._reactor.callWhenRunning(on_first_sigterm, self._reactor, self._wait_for_games)
        if self._settings.is_announced:
            self._reactor.callWhenRunning(self._announcement.announce)
        self._reactor.callWhenRunning(spare_the_collector)
        announce, settings = self._announce, self._settings
        if announce is not None:
            self._reactor.callWhenRunning(
                lambda: announce(banner(self._listeners, settings.rooms, settings.record_folder, settings.log_folder))
            )
        for observer in self._observers:
            self._reactor.callWhenRunning(observer.begin)

    def _reached_from_outside(self) -> tuple[str, int] | None:
        """Return host and number of the first port for UMP; None if there is none."""
        ports = [each.address for each in self._listeners if each.option == UMP_PORT and each.address is not None]
        return ports[0] if ports else None

    def _log_shares(self) -> None:
        """Log that the descriptors of the process do not suffice for the limits of the options."""
        if self._shares.is_short:
            self._log.warn(
                "the limit of {descriptors} open files (ulimit -n) leaves room for {connections} connections and "
                "{tables} tables",
                descriptors=self._shares.descriptors,
                connections=self._settings.limits.budget.connections,
                tables=self._settings.limits.tables,
            )

    def stopService(self) -> Deferred[None]:
        """Stop all parts; the reactor waits for the Deferred."""
        self._signals.remove()
        globalLogPublisher.removeObserver(self._error_observer)
        if self._successor is not None:
            self._successor.cancel()
        stopped: Deferred[None] = super().stopService()
        stopped.addBoth(self._remove_scratch)
        stopped.addBoth(self._close_log)
        if self._traces is not None:
            stopped.addBoth(lambda _, traces: traces.close(), self._traces)
        if self._journals is not None:
            closing = stopped
            if self._is_handed_over:  # the other process waits, and our clients may take their time
                # the admin socket closes in the next turn
                closing = deferLater(self._reactor, 0).addCallback(lambda _, journals: journals.idle(), self._journals)
            closing.addBoth(self._close_journals, self._journals)
        return stopped

    def _remove_scratch(self, stopped: object) -> object:
        if self._scratch is not None:
            self._scratch.cleanup()
        return stopped

    def _close_log(self, stopped: object) -> object:
        self._connections.close_logs()
        return stopped

    @staticmethod
    def _close_journals(stopped: object, journals: JournalFolder) -> object:
        journals.close()
        return stopped

    def _end(self) -> None:
        """Stop the server when its last game is over."""
        self._status.is_stopping = True
        self._drain.drain(self._stop)

    def _wait_for_games(self, stop: Callable[[], None]) -> None:
        """Stop the server when the running games are over or their time is up; ``stop`` ends it as SIGTERM does."""
        self._status.is_stopping = True
        if self._site is not None:
            self._site.tell_soon()
        self._stop = stop
        self._drain.wait_for_games(self._parts.quota, self._settings.drain, stop)

    def _listen(self) -> None:
        """Add a listener for each port.

        Ports of one kind share a factory, so that a client with a token may return through another port. The HTTP
        port stays open until all clients have gone, because those that poll need it to receive the end of their game.
        """
        factories: dict[str, IProtocolFactory] = {}
        for port in self._settings.ports:
            if port.option not in factories:
                factories[port.option] = self._factory(port)
            gone = self._drain.gone if port.option == HTTP.name else None
            room = _room_to_try(self._infos)
            how = tuple(hint.in_room(room) for hint in hints(port.option, self._settings.dialects))
            if port.option == HTTP.name and self._settings.has_pages:
                how = (IN_BROWSER, *how)
            factory = admitting(
                port.endpoint,
                factories[port.option],
                self._connections,
                self._reactor,
                admits_local=port.option == HTTP.name,
            )
            listener = Listener(
                port.option,
                port.endpoint,
                factory,
                how,
                self._reactor,
                gone,
                is_needed=port.is_needed,
                backlog=self._settings.limits.backlog,
                opened=None if self._inheritance is None else self._inheritance.take_socket(port.option, port.endpoint),
            )
            listener.setServiceParent(self)
            self._listeners.append(listener)

    def _factory(self, port: ListeningPort) -> IProtocolFactory:
        """Return the factory for all ports of one kind."""
        rooms, dialects = self._infos, self._settings.dialects
        if port.option == HTTP.name:
            return make_site(
                rooms,
                self._host,
                self._connections,
                self._reactor,
                dialects,
                self._parts.tokens,
                names=self._settings.limits.http_names,
                proxies=TrustedProxies(self._settings.limits.trusted_proxies),
                pages=status_pages(self._status, self._status_readers()),
                sources=self._page_sources(),
                turns=self._turns,
                neighbours=self._neighbours(),
            )
        return LineFactory(
            port.option,
            rooms,
            self._host,
            self._connections,
            self._reactor,
            dialects=dialects,
            turns=self._turns,
            has_users=self.users is not None,
            pages=self._port_of_pages,
        )

    def _certificate_ends(self) -> Mapping[str, float]:
        """Return when the certificates in use end, by their names."""
        ends: dict[str, float] = {}
        for listener in self._listeners:
            ends |= listener.certificate_ends
        return ends

    def _port_of_pages(self) -> int | None:
        """Return the port of the pages, as far as clients on other ports can be told of one."""
        if not self._settings.has_pages:
            return None
        open_ports = (each.address for each in self._listeners if each.option == HTTP.name and each.is_plain)
        return next((address[1] for address in open_ports if address is not None), None)

    def _status_readers(self) -> NetworkList:
        """Return the hosts that may read the status of the server."""
        return NetworkList([*map(read_network, LOOPBACK), *self._settings.limits.status_for])

    def keep_branch(self, room: str, branch: Branch) -> str:
        """Keep a position of a recorded game for a room, and return the name under which a player comes to it."""
        return self._lobby.branches.keep(room, branch)

    def _neighbours(self) -> Neighbours | None:
        """Return what passes requests on to the other servers; None if there are none."""
        if self._site is None:
            return None
        return Neighbours(self._site, self._card, self._reactor, self._lobby)

    def _page_sources(self) -> PageSources | None:
        """Return where the pages get their content from; None if the server has no pages."""
        if not self._settings.has_pages:
            return None
        journals = self._journals
        return PageSources(
            rooms=self._overviews,
            games=lambda: () if journals is None else _listed(journals.last_games),
            folder=self._settings.record_folder,
            in_thread=self._from_thread,
            keep_branch=self.keep_branch,
            ladders=self._ladders,
            boards=lambda: newest_boards(self._open_rooms),
            has_users=self.users is not None,
            **self._sources_of_users(),
            guests=self._lobby,
            own_games=None if journals is None else journals.own_games,
            events=self._events,
            elsewhere=lambda: () if self._site is None else tuple(self._site.rooms.values()),
            letter=self._settings.letter,
            copies=self._copies,
            jobs=self._jobs,
            drills=self._drills,
        )

    def _ladders(self) -> dict[str, Ladder]:
        """Return the ladders of the rated rooms, by the names of the rooms."""
        ladders = {name: room.gathering.ladder for name, room in self._all_rooms.items()}
        return {name: ladder for name, ladder in ladders.items() if ladder is not None}

    def _sources_of_users(self) -> dict[str, Any]:
        """Return where the pages get what they show of users."""
        users, settings = self.users, self._settings
        if users is None:
            return {}
        from twisted.web.client import Agent, HTTPConnectionPool

        from ump.server.http.accounts import AccountDesk, greet
        from ump.server.users.provider import ANSWER_SECONDS, Provider

        provider = None
        if settings.provider is not None:
            pool = HTTPConnectionPool(self._reactor, persistent=False)
            pool._factory.noisy = False  # or the log tells of each request
            agent = Agent(self._reactor, connectTimeout=ANSWER_SECONDS, pool=pool)
            provider = Provider(read_provider(settings.provider), self._reactor, agent, partial(greet, users))
        is_playing, is_borne = self._parts.tokens.is_playing, self._lobby.is_borne
        reports = self._parts.reports
        assert reports is not None
        accounts = AccountDesk(users, settings.registration, self._reactor, is_playing, is_borne, reports, provider)
        return {
            "user_of": users.user_of,
            "is_reserved": lambda name: self._from_thread(users.users.is_reserved, name),
            "orders": OrderResource(self._orders, admins_of(users)),
            "accounts": accounts,
        }


def _listed(games: Iterable[IndexedGame]) -> list[IndexedGame]:
    """Return the games that everybody may know of: not those of tables among friends."""
    return [game for game in games if game.room != PRIVATE_ROOM]


def _changed(before: Any, after: Any) -> Iterator[str]:
    """Yield the key of each option of the whole server whose value is another one now."""
    for each in fields(before):
        about, old, new = setting_of(each), getattr(before, each.name), getattr(after, each.name)
        if about is not None and old != new:
            yield key_of(each, about)
        elif about is None and is_dataclass(old):
            yield from _changed(old, new)
    if isinstance(before, ServerSettings):
        yield from (port.option for port in {*before.ports} ^ {*after.ports})


def _end_as_sigterm() -> None:
    """End the server in the way that SIGTERM does."""
    os.kill(os.getpid(), signal.SIGTERM)


def unpacked(settings: ServerSettings) -> tuple[Path, ...]:
    """Return the folders into which the bots of these settings were unpacked; they are removed with the server."""
    return tuple(command.folder for command in _commands(settings) if command.folder is not None)


def starts_programs(settings: ServerSettings) -> bool:
    """Return whether a room of these settings starts bots as child processes."""
    return any(_commands(settings))


def _commands(settings: ServerSettings) -> Iterator[BotCommand]:
    """Yield the commands that start the bots of all rooms."""
    for room in settings.rooms:
        for seats in room.house:
            if seats.command is not None:
                yield seats.command


def all_rooms(settings: ServerSettings) -> Iterator[RoomSettings]:
    """Yield the rooms of these settings, then the rooms for tests that WebSocket paths need and these settings lack."""
    yield from settings.rooms
    if all(port.option != HTTP.name for port in settings.ports):
        return
    first, names = settings.rooms[0], {room.name for room in settings.rooms}
    for name in rooms_of_paths(settings.dialects):
        if name not in names:
            yield replace(first, name=name, **TEST_ROOM)


def banner(
    listeners: Iterable[Listener], rooms: Sequence[RoomSettings], record_folder: Path | None, log_folder: Path | None
) -> str:
    """Return the block of the start: what to type for each protocol, the rooms, and where the logs of games are."""
    rows: list[tuple[str, str]] = []
    for listener in listeners:
        rows += [(reached.label, reached.text) for reached in listener.reached]
    rows += _room_rows(rooms)
    rows.append(("records of games", str(record_folder or "none; --record-dir FOLDER keeps them")))
    if log_folder is not None:
        rows.append(("logs of games", str(log_folder)))
    width = max(len(label) for label, _ in rows) + GAP
    return "\n".join(["The server is ready.", *(f"  {label.ljust(width)}{text}" for label, text in rows)])


def _room_to_try(rooms: Sequence[RoomInfo]) -> str:
    """Return the first room that gives one newcomer a game, or else the first of all."""
    for room in rooms:
        if room.access == "open" and not room.is_rated and room.bots == room.ruleset.seats - 1:
            return room.name
    return rooms[0].name


def _room_rows(rooms: Sequence[RoomSettings]) -> Iterator[tuple[str, str]]:
    for room in rooms:
        ruleset = room.ruleset
        bots = min(sum(seats.most for seats in room.house), ruleset.seats - 1)
        with_bots = f"{bots or 'no'} built-in bot{'' if bots == 1 else 's'}"
        if bots:
            with_bots += f": {', '.join(dict.fromkeys(seats.label for seats in room.house))}"
        length = LENGTHS[ruleset.length] + (", duplicate" if room.duplicate else "")
        if room.rated:
            length += f", rated each {room.rated_every:g} s"
        yield f"room {room.name}", f"{length}, rules {ruleset.name}, time {room.times}, {with_bots}"


def spare_the_collector() -> None:
    """Let garbage collections be short: they stop all games.

    Loaded modules are never garbage, and a look through all takes some 50 ms. Ended games and closed connections are
    freed without the collector (``tests/server/test_garbage.py``), so a look through all that is old may be rare.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECTIONS)
