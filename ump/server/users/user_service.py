"""The gate of a server with users, their database, the threads in which they are looked up, and their bans."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeAlias, TypeVar

from twisted.application.service import Service
from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.task import LoopingCall
from twisted.internet.threads import deferToThreadPool
from twisted.logger import Logger, LogLevel
from twisted.python.failure import Failure
from twisted.python.threadpool import ThreadPool
from twisted.web.server import Request

from ump.database.database import DatabaseError, PlaceError, read_place
from ump.net.connection import Connection
from ump.net.connection_budget import Network, NetworkList, host_of
from ump.net.connection_limits import OpenConnections, Said
from ump.net.http.resources import address_of, is_private, session_of
from ump.net.limits import TOO_MANY_LOGINS
from ump.net.wall_clock import wall_text
from ump.server.settings import ConfigError
from ump.server.users.bans import (
    REMOVED,
    Ban,
    Bans,
    DeletedUser,
    LoggedOrder,
    OrderToLog,
    Report,
    ReportVerdict,
    Target,
    folded_hash,
    overlapped,
)
from ump.server.users.gate import NO_SESSION, Attempts, Credentials, Gate, GuardedHost, LoginRefused
from ump.wire.names import owner_of

if TYPE_CHECKING:
    from ump.server.users.provider import ProviderSettings
    from ump.server.users.user_database import User, UserDatabase


AliasOf: TypeAlias = Callable[[str], "str | None"]
"""Returns the name that stands for a player whose user was deleted; None: the user was not."""

T = TypeVar("T")
P = ParamSpec("P")

THREADS = 2
"""Threads that check: each login takes some 20 ms of a core, which games need too."""


LOOK_SECONDS = 2.0
"""Seconds between two looks at the bans, which another server or a command may have made."""


class UserService(Service):
    """Keeps the threads, makes the gate, and enforces bans."""

    _log = Logger()

    def __init__(
        self,
        lobby: GuardedHost,
        users: UserDatabase,
        reactor: Any,
        connections: OpenConnections,
        *,
        attempts: Attempts | None,
        proxies: Iterable[Network],
    ) -> None:
        """Let clients into this lobby. ``attempts`` are those of the gate; ``proxies`` can never be banned."""
        self.users = users
        """Those of the moment; another file may take their place."""
        self._reactor = reactor
        self._connections = connections
        self.proxies = tuple(proxies)
        """The networks of proxies."""
        self._pool = ThreadPool(0, THREADS, "users")
        look = None if attempts is None else self.enforce_bans
        self.gate = Gate(lobby, lambda: self.users, self._in_thread, reactor, attempts=attempts, look=look)
        self._looks = LoopingCall(self.look)
        self._looks.clock = reactor
        self._is_away = False
        """Whether the log has said that the bans cannot be read."""
        self._is_looking = False
        self._asking: list[Deferred[None]] = []
        """Those who wait for a look at the bans that begins after they have asked."""
        self._aliases: dict[str, str] = {}
        """The names that stand for deleted users, by the hashes of theirs."""
        self._last_deleted = 0
        """The number of the last deleted user who was forgotten."""
        self.forget: Callable[[AliasOf], object] = lambda alias_of: None
        """Takes the names of deleted users out of what this server keeps."""

    def startService(self) -> None:
        """Begin to check."""
        super().startService()
        self._pool.start()
        self.gate.remember_names()
        self._looks.start(LOOK_SECONDS)

    def stopService(self) -> None:
        """Check nothing more."""
        super().stopService()
        if self._looks.running:
            self._looks.stop()
        self._pool.stop()

    def authenticate(self, host: str, peer: str, shown: Credentials) -> Deferred[User]:
        """Check the credentials of a request over HTTP; the Deferred fails with LoginRefused.

        A password counts as a login of its host, also a right one: it costs the work of one.
        """
        if shown.password is not None and not self.takes_login(host):
            return fail(LoginRefused(TOO_MANY_LOGINS, 429, 60.0))

        def log(failure: Failure) -> Failure:
            """Log a login that failed."""
            refused = failure.value
            if isinstance(refused, LoginRefused) and refused.failure:
                self.log_for(host, peer, refused.failure)
            return failure

        return self.gate.authenticate(host, shown).addErrback(log)

    def takes_login(self, host: str) -> bool:
        """Count a login of a host; return False if it has had too many in this minute."""
        return not host or self._connections.logins.take(host, self._reactor.seconds())

    def log_for(self, host: str, peer: str, text: str, level: LogLevel = LogLevel.info) -> None:
        """Log something about a request, as far as its host has lines left."""
        if self._connections.log.admits(host, Said.CLOSED, self._reactor):
            self._log.emit(level, "{peer}: {text}", peer=peer, text=text)

    def user_of(self, request: Request) -> Deferred[User | None]:
        """Return a Deferred with the user whose session comes with a request; None: nobody has logged in there."""
        text = session_of(request)
        if text is None or not self.may_tell(request):
            return succeed(None)
        host, peer = address_of(request)
        found = self.authenticate(host_of(host), peer, Credentials(None, token=text, is_cookie=True))
        return found.addErrback(lambda failure: failure.trap(LoginRefused) and None)

    def guests_of(self, request: Request, user: User) -> Deferred[list[str]]:
        """Return a Deferred with the hashes by which a user who asks for something was known as a guest."""
        return self.in_turn(host_of(address_of(request)[0]), lambda users: users.guests_of(user.name))

    def may_tell(self, request: Request) -> bool:
        """Return whether a request may have a secret."""
        return is_private(request)

    def in_turn(
        self, host: str, call: Callable[Concatenate[UserDatabase, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> Deferred[T]:
        """Call a method of the database of users in a thread, after what the same host has asked for.

        The Deferred fails with LoginRefused if too much waits, or if the database cannot be read.
        """
        return self.gate.in_turn(host, partial(call, self.users, *args, **kwargs))

    # Orders

    def ban(self, target: Target, until: str | None, reason: str, made_by: str) -> Deferred[int]:
        """Ban a target; the Deferred has the number of closed connections, or fails with ValueError."""
        made = self._in_thread(self.users.ban, target, until, reason, made_by, self.now())
        return made.addCallback(lambda _: self._read_bans()).addCallback(self.enforce)

    def lift(self, target: Target, lifted_by: str) -> Deferred[int]:
        """End the ban of a target; the Deferred fails with ValueError if there is none."""
        lifted = self._in_thread(self.users.lift, target, lifted_by)
        return lifted.addCallback(lambda _: self._read_bans()).addCallback(self.enforce)

    def bans(self) -> Deferred[Sequence[Ban]]:
        """Return a Deferred with the bans in force."""
        return self._in_thread(self.users.bans, self.now())

    def log_order(self, order: OrderToLog) -> Deferred[None]:
        """Write an order to the log; a database that is away costs the line, but not the order."""
        return self._in_thread(self.users.log_order, order).addErrback(self._log_unwritten)

    def _log_unwritten(self, failure: Failure) -> None:
        self._log.error("an order could not be logged: {error}", error=failure.getErrorMessage())

    def orders(self, before: int | None) -> Deferred[Sequence[LoggedOrder]]:
        """Return a Deferred with a page of the log of orders."""
        return self._in_thread(self.users.orders, before)

    def reports(self) -> Deferred[Sequence[Report]]:
        """Return a Deferred with the reports that wait for a verdict, at most a page."""
        return self._in_thread(self.users.reports)

    def judge(self, number: int, verdict: ReportVerdict) -> Deferred[Report]:
        """Give a verdict about a report; the Deferred has the report, or fails with ValueError if it waits for none."""
        return self._in_thread(self.users.judge, number, verdict)

    def now(self) -> str:
        """Return this instant."""
        return wall_text(self._reactor)

    # Deleted users

    def look(self) -> Deferred[None]:
        """Act on bans, logins that have ended and deletions, of this or another server."""
        looked = self._in_thread(self.users.deleted_since, self._last_deleted)
        looked.addCallback(self._forget).addErrback(self._note_unread)
        return looked.addCallback(lambda _: self.enforce_bans())

    def _forget(self, deleted: Sequence[DeletedUser]) -> None:
        if deleted:
            self._last_deleted = deleted[-1].number
            self._aliases |= {each.folded_hash: each.alias for each in deleted}
            self.forget(lambda name: self._aliases.get(folded_hash(owner_of(name))))

    # Bans

    def enforce_bans(self) -> Deferred[None]:
        """Read the bans, and act on them. All who ask during one look share the next one: each costs a long query."""
        asked: Deferred[None] = Deferred()
        self._asking.append(asked)
        if not self._is_looking:
            self._look_for_all()
        return asked

    def _look_for_all(self) -> None:
        asking, self._asking = self._asking, []
        self._is_looking = True
        self._read_bans().addCallbacks(self._note_enforced, self._note_unread).addBoth(self._end_look, asking)

    def _end_look(self, result: Failure | None, asking: list[Deferred[None]]) -> None:
        self._is_looking = False
        if self._asking:
            self._look_for_all()
        for each in asking:
            each.callback(result)

    def _read_bans(self) -> Deferred[Bans]:
        users = {client.user for client in self._clients() if client.user is not None}
        logins = {client.login_id for client in self._clients() if client.login_id}
        return self._in_thread(self.users.bans_of, users, logins, self.now())

    def _note_enforced(self, bans: Bans) -> None:
        self._is_away = False
        self.enforce(bans)

    def _note_unread(self, failure: Failure) -> None:
        """Let everybody play on if the bans cannot be read."""
        if not self._is_away:
            self._is_away = True
            self._log.error("the bans cannot be read: {error}", error=failure.getErrorMessage())

    def enforce(self, bans: Bans) -> int:
        """Keep banned networks out; close the connections of theirs, of banned users, and of logins that have ended.

        Return how many they are.
        """
        networks = NetworkList(each for each in bans.networks if overlapped(each, self.proxies) is None)
        self._connections.banned = networks
        gone = 0
        for client in self._clients():
            host = client.place.host if client.place is not None else None
            why = bans.closed.get(client.user or "")
            if why is None and (host or "").partition("/")[0] in networks:
                why = REMOVED
            if why is None and client.login_id in bans.ended:
                why = NO_SESSION
            if why is not None and not client.is_closing:
                client.fail_safely(why)
                gone += 1
        return gone

    def _clients(self) -> list[Connection]:
        return [each for each in self._connections if isinstance(each, Connection)]

    def _in_thread(self, call: Callable[..., T], *arguments: object) -> Deferred[T]:
        return deferToThreadPool(self._reactor, self._pool, call, *arguments)


def open_users(
    option: str, name: str = "--users", *, may_be_missing: bool = False, makes_file: bool = False
) -> UserDatabase:
    """Return the users of a database, which the option ``name`` gives.

    ``makes_file``: make the file if there is none. Raises ConfigError if it cannot be read, or if the extra is not
    installed.
    """
    try:
        place = read_place(option).absolute()
    except PlaceError as error:
        raise ConfigError(f"{name}: {error}") from error
    try:
        from ump.server.users.user_database import UserDatabase, UserError
    except ImportError as error:
        raise ConfigError(f"{name} needs argon2-cffi: pip install 'ump-mahjong[users]'") from error
    found = UserDatabase(place)
    if may_be_missing and place.path is not None and not place.path.exists():
        return found
    try:
        if makes_file:
            found.make_file()
        found.check()
    except (UserError, OSError, DatabaseError) as error:
        raise ConfigError(f"{name}: {place.shown!r} cannot be read: {error}") from error
    return found


def read_provider(path: Path) -> ProviderSettings:
    """Return what a file says of an OpenID provider.

    Raises ConfigError if it cannot be read, or if an extra is not installed.
    """
    try:
        import joserfc  # noqa: F401

        from ump.server.users.provider import ProviderSettings
    except ImportError as error:
        raise ConfigError(f"--provider needs {error.name}: pip install 'ump-mahjong[users,provider]'") from error
    return ProviderSettings.read(path)
