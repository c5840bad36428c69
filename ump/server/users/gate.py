"""The gate before the lobby of a server with users: it checks who a client is, beside the games.

Passwords take some 20 ms, and a database may be slow, so all checks run in threads of their own, one of each host at a
time. A password waits for its turn (``login_turns``); a token does not, because nobody guesses it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeVar

from twisted.internet.defer import CancelledError, Deferred, fail
from twisted.internet.defer import TimeoutError as DeferredTimeout
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import deferLater
from twisted.logger import Logger
from twisted.python.failure import Failure

from ump.database.database import DatabaseError
from ump.model.value import value
from ump.net.connection import Connection, HidesInput, Host, Idle
from ump.net.connection_limits import Said
from ump.net.limits import TOO_MANY_LOGINS
from ump.net.wall_clock import wall_text
from ump.server.jobs import FairQueue
from ump.server.users.bans import REMOVED
from ump.server.users.login_turns import (
    LONGEST,
    TURN_SECONDS,
    Acquaintance,
    KnownBy,
    LoginKeys,
    LoginTurns,
    TooManyAttempts,
    network_of,
)
from ump.wire.human.answers import as_password
from ump.wire.names import SEPARATOR, check_name, logged_name, owner_of, skeleton
from ump.wire.session import Introduction, PersonSession
from ump.wire.text import WireError

if TYPE_CHECKING:
    from ump.server.users.user_database import User, UserDatabase

T = TypeVar("T")

ACCESS_TOKEN = "ump_"
"""The beginning of every access token; the tokens of seats, and those that bots invent, do not begin with it."""

NO_PASSWORD = ("", "*")
"""Passwords of clients that have none: a form of net play needs one."""

MOST_NAMES = 100_000
"""Names that are remembered; with more users than that, none are."""

READ_AGAIN = 300.0
"""Seconds after which the names are read again, when a client comes."""

MOST_CHECKS = 1_000
"""Checks that may wait, of all hosts together: as many as clients without a hello. Each takes some 10 to 20 ms."""

WRONG = "the user, the password or the token is wrong"
"""The message to a client whatever of these is wrong."""

NO_SESSION = "this session has ended; log in"
"""The message to a browser whose cookie is no longer valid."""

NEED_TLS = "secrets need TLS"
"""The message to a client that sends a secret over a connection that others can read. It is not checked."""

BUSY = "too many logins are being checked; try again later"

WAITING = "earlier logins have failed; try again in a moment"

UNREADABLE = "users cannot be checked now; try again later"

PERHAPS_RESERVED = "users cannot be checked now, and this name may belong to one; try again later"

RESERVED = "this name belongs to a user of this server; log in or choose another name"

SLASH = f"a name with {SEPARATOR!r} is for bots of users who have logged in; choose another name"

PATIENCE = 30.0
"""Seconds for which a request over HTTP waits for its turn."""

AWAY_SECONDS = 5.0
"""Seconds for which no guest is looked up after the database could not be reached."""


@value
class Credentials:
    """A user's name with a password, or an access token, which names its user itself."""

    user: str | None
    password: str | None = None
    token: str | None = None
    session: str | None = None
    """The name of a bot that came with the token, if its URL has one."""
    is_cookie: bool = False
    """Whether the token is the session of a browser. One that has ended is no failed login: the browser cannot know."""
    device: str = ""
    """The cookie by which the browser of this user is known."""


class LoginRefused(Exception):
    """Credentials over HTTP that let nobody in; the message is for the client."""

    def __init__(self, why: str, code: int, seconds: float = 0.0, failure: str = "") -> None:
        super().__init__(why)
        self.failure = failure
        """The line of the log about a login that failed."""
        self.code = code
        """The status code of HTTP."""
        self.seconds = seconds
        """Seconds after which the client may try again."""


def credentials_of(connection: Connection, introduction: Introduction) -> Credentials | None:
    """Return what a client shows, or None if it shows nothing.

    An access token may stand in the place of a password or of a bearer token.
    """
    user, password = introduction.user, introduction.password
    key = connection.session.return_key or ""
    if password is not None and password.startswith(ACCESS_TOKEN):
        return Credentials(user, token=password)
    if key.startswith(ACCESS_TOKEN):
        token, _, session = key.partition(" ")
        return Credentials(user, token=token, session=session or None)
    if password is not None and password not in NO_PASSWORD:
        return Credentials(user or owner_of(introduction.name or ""), password)
    return None if connection.cookie is None else Credentials(None, token=connection.cookie, is_cookie=True)


def player_name(user: str, wanted: str | None) -> str:
    """Return the name under which a user plays: its own, or ``user/bot``; raise WireError if that is too long."""
    if wanted is None or wanted == user or wanted.startswith(f"{user}{SEPARATOR}"):
        return wanted or user
    return check_name(f"{user}{SEPARATOR}{wanted}", f"the name {user}{SEPARATOR}NAME")


class ReservedNames:
    """The names of all users of one database at one instant."""

    def __init__(self) -> None:
        self._users: object = None
        """The database that they come from."""
        self._folded: frozenset[str] | None = None
        """The names as ``skeleton`` folds them; None if they are not known."""
        self._read_at = 0.0

    def is_due(self, users: object, now: float) -> bool:
        """Return whether the names of these users should be read; if so, they are due again after some time."""
        if users is self._users and now - self._read_at < READ_AGAIN:
            return False
        if users is not self._users:
            self._users, self._folded = users, None
        self._read_at = now
        return True

    def take(self, users: object, folded: Collection[str] | None) -> None:
        """Remember the names of these users."""
        if users is self._users:
            self._folded = None if folded is None else frozenset(folded)

    def may_have(self, users: object, name: str) -> bool:
        """Return whether a name may be that of one of these users, or of a user's bot, or may look like it."""
        return users is not self._users or self._folded is None or skeleton(owner_of(name)) in self._folded


@value
class Failed:
    """A login that failed."""

    account: str | None
    """The user whose password was wrong; None: there is no such user. People type passwords in place of names."""


class Attempts(Protocol):
    """The wrong passwords at all servers of a site. Each method may take long, and is called in another thread."""

    def attempt(self, own: str, line: str | None) -> float:
        """Return the seconds until a password may be tried; 0: it may now, and counts as wrong until ``succeed``.

        ``own`` is the key of the client. ``line`` is that of the account if the client is a stranger there.
        """

    def succeed(self, own: str, line: str | None) -> None:
        """Take back what ``attempt`` has counted for a stranger, or forget all wrong passwords of another client."""


class GuardedHost(Host, Protocol):
    """The lobby, as the gate needs it."""

    def takes_code(self, introduction: Introduction) -> bool:
        """Return whether a client comes with a code of a tournament, right or wrong: that is its login."""


class Checking(Idle):
    """The place that a connection occupies while it is checked."""

    def __init__(self, connection: Connection, gone: Callable[[], object]) -> None:
        """``gone`` is called if the client leaves meanwhile."""
        self.connection = connection
        self._gone = gone

    @property
    def label(self) -> str:
        """The name of the client in the log."""
        return self.connection.peer

    def left(self) -> None:
        """Note that the client has gone."""
        self._gone()


class Gate:
    """Lets clients into the lobby: users after a check, and guests if their names belong to nobody."""

    _log = Logger()

    def __init__(
        self,
        lobby: GuardedHost,
        users: Callable[[], UserDatabase],
        in_thread: Callable[..., Deferred[object]],
        clock: IReactorTime,
        *,
        attempts: Attempts | None,
        look: Callable[[], Deferred[None]] | None = None,
    ) -> None:
        """``users`` returns those of the moment. ``in_thread`` calls a function in one of a few threads of its own.

        ``attempts`` are those at all servers of the site; None: there is no other server. ``look`` acts on bans by
        other servers; it comes before each arrival, with which a game may begin.
        """
        self._lobby = lobby
        self._look = look
        self._users = users
        self._queue = FairQueue(in_thread, MOST_CHECKS)
        self._clock = clock
        self._attempts = attempts
        self._turns = LoginTurns(clock)
        self._is_away = False
        """Whether the log has said that the database cannot be read."""
        self._failed_at = 0.0
        """When it could not be read the last time, in clock seconds."""
        self._reserved = ReservedNames()
        self.refused = 0
        """Logins that failed."""

    def welcome(self, connection: Connection, introduction: Introduction) -> None:
        """Check a client, and let it into the lobby, or turn it away."""
        shown = credentials_of(connection, introduction)
        if shown is not None and shown.is_cookie and (connection.user or not connection.carrier.is_private):
            shown = None  # it was checked before an earlier game, or nobody can trust it
        if shown is not None and not connection.carrier.is_private:
            connection.turn_back(NEED_TLS)
        elif shown is not None:
            self._log_in(connection, introduction, shown)
        elif connection.user is not None:
            self._welcome_user(connection, introduction)  # it has logged in before an earlier game
        elif introduction.name is None or introduction.token is not None or introduction.watch is not None:
            self._lobby.welcome(connection, introduction)  # it takes no name
        elif self._lobby.takes_code(introduction):
            self._lobby.welcome(connection, introduction)  # it has the name of the entrant
        else:
            self._welcome_guest(connection, introduction.name, introduction)

    def look_again(self, connection: Connection, name: str) -> None:
        """Turn a client away before the next game: a user who has been banned or removed, a guest whose name is taken.

        ``name`` is that of the user, or of the guest.
        """
        users, now = self._users(), self._now()

        def why() -> str | None:
            """Return the message to the client, None if it may stay; in a thread."""
            if connection.user is not None:
                return why_barred(users, name, now)
            return RESERVED if users.is_reserved(name) else None

        done = self._queue.add(f"next game of {name}", why)
        if done is not None:
            done.addCallback(self._turn_away_barred, connection).addErrback(self._ignore)

    def _turn_away_barred(self, why: str | None, connection: Connection) -> None:
        if why is not None and not connection.is_closing:
            connection.fail(why)

    def _log_unreadable(self, failure: Failure) -> None:
        """Log a bug, or once that the database is away; every connection would write a line otherwise."""
        if failure.check(DatabaseError) is None:
            self._log.failure("the users cannot be read", failure)
            return
        self._failed_at = self._clock.seconds()
        if not self._is_away:
            self._is_away = True
            self._log.error("the users cannot be read: {error}", error=failure.getErrorMessage())

    def _ignore(self, failure: Failure) -> None:
        """Let a user play on if the users cannot be read: that bans nobody."""
        self._log_unreadable(failure)

    def _now(self) -> str:
        return wall_text(self._clock)

    # Guests

    def remember_names(self) -> None:
        """Read the names of all users now and then, to know the others while the database is away."""
        users = self._users()
        if self._reserved.is_due(users, self._clock.seconds()):
            done = self._queue.add("names", lambda: users.folded_names(MOST_NAMES))
            if done is not None:
                done.addCallback(lambda names: self._reserved.take(users, names)).addErrback(self._ignore)

    def _welcome_guest(self, connection: Connection, name: str, introduction: Introduction) -> None:
        """Look up whether a guest's name belongs to a user; decide without the database while it is away."""
        if SEPARATOR in name:
            connection.turn_back(SLASH)
            return
        users = self._users()

        connection.look_again = partial(self.look_again, name=name)

        def decide() -> None:
            """Let a guest in whose name was nobody's when the names were read."""
            if self._reserved.may_have(users, name):
                connection.turn_back(PERHAPS_RESERVED)
            else:
                self._lobby.welcome(connection, introduction)

        if self._is_away and self._clock.seconds() - self._failed_at < AWAY_SECONDS:
            decide()
        else:
            found = self._queued(_queue_of(connection), lambda: users.is_reserved(name))
            self._check(connection, found, self._admit_guest, introduction, when_away=decide)

    def _admit_guest(self, connection: Connection, is_reserved: object, introduction: Introduction) -> None:
        """Let a client in that shows nothing, unless its name belongs to a user."""
        session, carrier = connection.session, connection.carrier
        self.remember_names()
        if not is_reserved:
            self._lobby.welcome(connection, introduction)
        elif isinstance(session, PersonSession) and isinstance(carrier, HidesInput) and connection.carrier.is_private:
            carrier.hide_next_line(as_password)
            session.expect_password(introduction)
            connection.turn_back(RESERVED)
        else:
            connection.turn_back(RESERVED)

    # Users

    def _log_in(self, connection: Connection, introduction: Introduction, shown: Credentials) -> None:
        """Check what a client shows when its turn has come."""
        host = connection.place.host if connection.place is not None else None
        found = Deferred.fromCoroutine(self._checked(host or "", _queue_of(connection), shown))
        self._check(connection, found, self._admit_user, introduction, shown)

    async def _checked(self, host: str, queue: str, shown: Credentials, patience: float | None = None) -> User | Failed:
        """Return the user of a password or a token, when its turn has come; raise LoginRefused after ``patience``."""
        users, now = self._users(), self._now()
        if shown.token is not None:
            return await self._queued(queue, partial(_user_of_token, users, shown, now))
        name, network = shown.user or "", network_of(host)
        known = await self._queued(queue, partial(users.acquaintance, name, network, shown.device, now))
        elsewhere = 0.0  # seconds to wait for failures at other servers
        while True:
            keys = self._keys(network, name, known)
            seconds = max(elsewhere, self._turns.seconds(keys))
            if patience is not None and seconds > patience:
                raise LoginRefused(WAITING, 429, seconds)
            if elsewhere:
                await deferLater(self._clock, elsewhere)
                elsewhere = 0.0
            try:
                await self._turns.take(keys)
            except TooManyAttempts:
                raise LoginRefused(WAITING, 429, LONGEST) from None
            if keys != self._keys(network, name, known):  # others have failed from this device meanwhile
                self._turns.end(keys, is_right=None)
                continue
            found = await self._try(queue, shown, keys, network)
            if not isinstance(found, float):
                return found
            elsewhere = found

    def _keys(self, network: str, name: str, known: Acquaintance) -> LoginKeys:
        """Return what the failures of a client count for; the account is any text: PostgreSQL takes only some."""
        account = f"user {skeleton(name)!a}"
        if known.device is not None and self._turns.trusts(known.device):
            return LoginKeys(KnownBy.DEVICE, known.device, account)
        if network and known.is_from_here:
            return LoginKeys(KnownBy.PAIR, f"{network} {account}", account)
        return LoginKeys(KnownBy.STRANGER, f"network {network}" if network else f"local {account}", account)

    def _try(self, queue: str, shown: Credentials, keys: LoginKeys, network: str) -> Deferred[User | Failed | float]:
        """Check a password, and end its turn, also if the client has gone; else a failure would count for nobody."""
        checked = self._queued(queue, partial(self._login, self._users(), shown, keys, network))
        waiting: Deferred[User | Failed | float] = Deferred()
        checked.addBoth(self._end_turn, keys).addCallbacks(waiting.callback, waiting.errback)
        return waiting

    def _end_turn(self, found: User | Failed | float | Failure, keys: LoginKeys) -> User | Failed | float | Failure:
        is_right = None
        if not isinstance(found, float | Failure):
            is_right = not isinstance(found, Failed)
        self._turns.end(keys, is_right=is_right)
        return found

    def _login(self, users: UserDatabase, shown: Credentials, keys: LoginKeys, network: str) -> User | Failed | float:
        """Return the user of a password, or the seconds to wait first; in a thread."""
        attempts = self._attempts if keys.standing is not KnownBy.DEVICE else None
        line = keys.account if keys.is_stranger else None
        seconds = 0.0 if attempts is None else attempts.attempt(keys.own, line)
        if seconds:
            return seconds
        found = users.login(shown.user or "", shown.password or "")
        if found is None:
            return Failed(_account(users, shown.user or ""))
        if attempts is not None:
            attempts.succeed(keys.own, line)
        try:
            users.note_network(found.name, network, self._now())
        except DatabaseError as error:  # a full disk keeps nobody out
            self._log.error("a login cannot be noted: {error}", error=str(error))
        return found

    def _admit_user(
        self, connection: Connection, user: User | Failed, introduction: Introduction, shown: Credentials
    ) -> None:
        """Let a user in under its name, or turn the client away."""
        if isinstance(user, Failed) and shown.is_cookie:
            connection.cookie = None
            self.welcome(connection, introduction)  # as a guest
            return
        why = self._judge(user, shown)
        if why is not None or isinstance(user, Failed):
            why = why or WRONG
            if connection.may_log(Said.CLOSED):
                self._log.info("{peer}: {failure}", peer=connection.peer, failure=_failure(user, why))
            if connection.takes_login():
                connection.turn_back(why)
            else:
                connection.fail(TOO_MANY_LOGINS)
            return
        connection.user, connection.look_again = user.name, partial(self.look_again, name=user.name)
        connection.only_name, connection.login_id = _only_name(user, shown), user.login_id
        self._log.debug("{peer}: logged in as {name}", peer=connection.peer, name=logged_name(user.name))
        self._welcome_user(connection, replace(introduction, name=introduction.name or shown.session))

    def _judge(self, user: User | Failed, shown: Credentials) -> str | None:
        """Return why a user may not come in; None: the login is right."""
        if isinstance(user, Failed) and shown.is_cookie:
            return NO_SESSION
        if isinstance(user, Failed) or shown.user not in (None, "", user.name):
            self.refused += 1
            return WRONG
        return user.closed(self._now())

    def _welcome_user(self, connection: Connection, introduction: Introduction) -> None:
        """Let a user in under its name."""
        user = connection.user
        assert user is not None
        try:
            name = connection.only_name or player_name(user, introduction.name)
        except WireError as error:
            connection.turn_back(str(error))
        else:
            self._lobby.welcome(connection, replace(introduction, name=name, user=user, password=None))

    # Over HTTP

    def authenticate(self, host: str, shown: Credentials) -> Deferred[User]:
        """Check the credentials of one request, which waits for at most ``PATIENCE`` seconds.

        The Deferred fails with LoginRefused.
        """
        found = Deferred.fromCoroutine(self._checked(host, host, shown, PATIENCE))

        def judge(user: User | Failed) -> User:
            """Return the user, or raise LoginRefused."""
            why = self._judge(user, shown)
            if why is not None or isinstance(user, Failed):
                raise LoginRefused(why or WRONG, 401, failure=_failure(user, why or WRONG))
            return user

        return found.addTimeout(PATIENCE, self._clock).addCallbacks(judge, self._refuse)

    def _refuse(self, failure: Failure) -> User:
        """Log a bug, or a database that cannot be read; raises LoginRefused."""
        if failure.check(DeferredTimeout) is not None:
            raise LoginRefused(WAITING, 429, TURN_SECONDS)
        if not isinstance(failure.value, LoginRefused):
            self._log_unreadable(failure)
            raise LoginRefused(UNREADABLE, 503, 1.0)
        raise failure.value

    def in_turn(self, host: str, call: Callable[[], T]) -> Deferred[T]:
        """Call a function in a thread, after what the same host has asked for; the Deferred may fail with LoginRefused.

        An error of the function itself passes through, but for those of the database.
        """
        return self._queued(host, call).addErrback(self._unreadable)

    def _unreadable(self, failure: Failure) -> Failure:
        """Log a database that cannot be read; raises LoginRefused."""
        if failure.check(DatabaseError) is None:
            return failure
        self._log_unreadable(failure)
        raise LoginRefused(UNREADABLE, 503, 1.0)

    # In a thread

    def _queued(self, queue: str, call: Callable[[], T]) -> Deferred[T]:
        """Call a function in a thread, after what came before it in the same queue.

        The Deferred fails with LoginRefused if too much waits.
        """
        done = self._queue.add(queue, call)
        return fail(LoginRefused(BUSY, 503, 1.0)) if done is None else done

    def _check(
        self,
        connection: Connection,
        found: Deferred[T],
        then: Callable[..., None],
        *more: object,
        when_away: Callable[[], None] | None = None,
    ) -> None:
        """Call a function with the connection and what was found about it, unless the client has gone.

        ``when_away`` is called if the database cannot be read; without it the client is turned away.
        """
        if self._look is not None:
            look = self._look
            found.addCallback(lambda result: look().addCallback(lambda _: result))
        connection.occupant = Checking(connection, found.cancel)

        def go_on(result: T) -> None:
            """Go on with the result."""
            self._is_away = False
            connection.occupant = None
            then(connection, result, *more)
            connection.flush()

        def go_on_without(failure: Failure) -> Failure | None:
            """Go on while the database is away, if that is possible."""
            if when_away is None or failure.check(DatabaseError) is None:
                return failure
            self._log_unreadable(failure)
            connection.occupant = None
            when_away()
            connection.flush()
            return None

        def give_up(failure: Failure) -> None:
            """Log a bug, or a database that cannot be read; the client may try again."""
            if failure.check(CancelledError) is not None:
                return  # the client has gone
            if isinstance(failure.value, LoginRefused):
                connection.turn_back(str(failure.value))
                connection.flush()
                return
            self._log_unreadable(failure)
            connection.fail_safely(UNREADABLE)

        found.addCallback(go_on).addErrback(go_on_without).addErrback(give_up)


def why_barred(users: UserDatabase, name: str, now: str) -> str | None:
    """Return the message to a user who is banned or was removed; in a thread."""
    try:
        return users.user(name).closed(now)
    except ValueError:  # nobody has the name, or the file is missing, which the next line raises
        return None if users.is_reserved(name) else REMOVED


def _account(users: UserDatabase, name: str) -> str | None:
    """Return the name of a user if there is one; in a thread."""
    try:
        return users.user(name).name
    except ValueError:
        return None


def _failure(user: User | Failed, why: str) -> str:
    """Return what the log says of a login that failed."""
    account = user.account if isinstance(user, Failed) else user.name
    named = "" if account is None else f" for {logged_name(account)}"
    return f"a login failed{named}" if why == WRONG else f"a login was refused{named}: {why}"


def _only_name(user: User, shown: Credentials) -> str | None:
    """Return the one name under which a login plays: of a browser the user's, of a bound token the bot's."""
    if user.bot is not None:
        return f"{user.name}{SEPARATOR}{user.bot}"
    return user.name if shown.is_cookie else None


def _user_of_token(users: UserDatabase, shown: Credentials, now: str) -> User | Failed:
    """Return the user of an access token or a session; in a thread."""
    return users.login_with_token(shown.token or "", now, is_session=shown.is_cookie) or Failed(None)


def _queue_of(connection: Connection) -> str:
    """Return the queue in which a connection is checked: that of its host."""
    return connection.host or connection.peer
