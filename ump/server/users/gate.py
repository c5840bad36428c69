"""The gate before the lobby of a server with users: it checks who a client is, beside the games.

Passwords take some 20 ms, and a database may be slow, so all checks run in threads of their own. Each host has one at
a time, and so has the password of each user. After a failure the next attempt of the same host, or on the same user,
waits; access tokens do not wait for the failures of their user, which anybody can cause.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Protocol, TypeVar

from twisted.internet.defer import Deferred, fail
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from ump.database.database import DatabaseError
from ump.model.value import value
from ump.net.connection import Connection, HidesInput, Host, Idle
from ump.net.connection_limits import Said
from ump.net.limits import TOO_MANY_LOGINS
from ump.net.wall_clock import wall_text
from ump.net.windows import MOST_KEYS, Window
from ump.server.jobs import FairQueue
from ump.server.users.bans import REMOVED
from ump.wire.human.answers import as_password
from ump.wire.names import SEPARATOR, check_name, logged_name, owner_of, skeleton
from ump.wire.session import Introduction, PersonSession
from ump.wire.text import WireError

if TYPE_CHECKING:
    from ump.server.users.user_database import User, UserDatabase

# Attempts to log in: how long the next one has to wait. Pure: instants are arguments.

LONGEST = 60.0
"""Seconds that an attempt waits at most."""

FAILURE_MEMORY = 600.0
"""Seconds without a failure after which the earlier ones are forgotten."""

LOGIN_MEMORY = 30 * 86_400.0
"""Seconds for which a pair is remembered after its last login."""


def seconds_left(count: int, since: float) -> float:
    """Return how long an attempt has to wait after so many failures, the last of them ``since`` seconds ago."""
    if not count or since > FAILURE_MEMORY:
        return 0.0
    return max(0.0, min(LONGEST, 2.0 ** min(count - 1, 16)) - since)


class Failures:
    """Counts failures. After the first, the next attempt waits 1 s, then 2, 4 and so on, at most ``LONGEST``."""

    def __init__(self, most_keys: int = MOST_KEYS) -> None:
        self._counts = Window[str, int](FAILURE_MEMORY, most_keys)
        """The failures of each key; the last that failed is the last."""

    def __len__(self) -> int:
        return len(self._counts)

    def wait(self, key: str, now: float) -> float:
        """Return the seconds from now until the next attempt may be checked; 0 if it may be now."""
        before = self._counts.find(key, now)
        return 0.0 if before is None else seconds_left(*before)

    def add(self, key: str, now: float) -> None:
        """Count a failure."""
        before = self._counts.find(key, now)
        count = 0 if before is None else before[0]
        self._counts.set(key, count + 1, now)

    def forget(self, key: str) -> None:
        """Forget the failures of a key, because it has succeeded."""
        self._counts.forget(key)


class KeyLocks:
    """The keys of the attempts that go on, and what waits for them.

    Without locks, attempts that arrive together would all be checked before the first failure is counted.
    """

    def __init__(self) -> None:
        self._waiting: dict[str, list[Callable[[], None]]] = {}
        """Of each locked key, the attempts that wait for it, in the order of their arrival."""

    def __len__(self) -> int:
        """Return how many keys are locked."""
        return len(self._waiting)

    def lock(self, keys: Sequence[str], again: Callable[[], None]) -> bool:
        """Lock all keys and return True; or lock none, return False, and call ``again`` once one of them is free."""
        for key in keys:
            if key in self._waiting:
                self._waiting[key].append(again)
                return False
        for key in keys:
            self._waiting[key] = []
        return True

    def free(self, keys: Sequence[str]) -> None:
        """Free keys that ``lock`` has locked, and let everything that waits for them try again."""
        waiting = [again for key in keys for again in self._waiting.pop(key)]
        for again in waiting:
            again()


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

HOST = "host "
"""The beginning of the key of a host, among those under which failures are counted."""

BUSY = "too many logins are being checked; try again later"

WAITING = "earlier logins have failed; try again in a moment"

UNREADABLE = "users cannot be checked now; try again later"

PERHAPS_RESERVED = "users cannot be checked now, and this name may belong to one; try again later"

RESERVED = "this name belongs to a user of this server; log in or choose another name"

SLASH = f"a name with {SEPARATOR!r} is for bots of users who have logged in; choose another name"

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

    def attempt(self, keys: Sequence[str]) -> float:
        """Return the seconds until a password may be tried; 0: it may now, and counts as wrong until ``succeed``."""

    def succeed(self, host: Sequence[str], user: Sequence[str]) -> None:
        """Take back what ``attempt`` has counted for a host, and forget all wrong passwords of a user."""


class Checking(Idle):
    """The place that a connection occupies while it is checked."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.is_gone = False
        """Whether the client has left meanwhile."""
        self.wait: IDelayedCall | None = None
        """The time that earlier failures cost."""

    @property
    def label(self) -> str:
        """The name of the client in the log."""
        return self.connection.peer

    def left(self) -> None:
        """Note that the client has gone."""
        self.is_gone = True
        if self.wait is not None and self.wait.active():
            self.wait.cancel()


class Gate:
    """Lets clients into the lobby: users after a check, and guests if their names belong to nobody."""

    _log = Logger()

    def __init__(
        self,
        lobby: Host,
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
        self._failures = Failures()
        self._familiar = Window[tuple[str, str], None](LOGIN_MEMORY)
        """Pairs of a host and a user, or a token, that have logged in. Their next login waits for no failure of others.

        A school or a company is one host for many users. If one of them types a wrong password again and again, the
        others would wait up to a minute each. An attacker of a user at a familiar host still waits for the failures of
        that user, and each other user from there for those of the host.
        """
        self._locks = KeyLocks()
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
            self._wait(connection, introduction, shown)
        elif connection.user is not None:
            self._welcome_user(connection, introduction)  # it has logged in before an earlier game
        elif introduction.name is None or introduction.token is not None or introduction.watch is not None:
            self._lobby.welcome(connection, introduction)  # it takes no name
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
            check = self._admit_guest
            self._check(connection, lambda: users.is_reserved(name), check, introduction, when_away=decide)

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

    def _wait(self, connection: Connection, introduction: Introduction, shown: Credentials) -> None:
        """Check what a client shows, after the time that earlier failures cost."""
        keys, seconds = self._keys_and_wait(connection.place.host if connection.place else None, shown)
        checking = connection.occupant = Checking(connection)
        if seconds:
            self._wait_again(checking, seconds, introduction, shown)
            return

        def again() -> None:
            """Try again when another attempt has ended, unless the client has gone."""
            if not checking.is_gone:
                self._wait(connection, introduction, shown)

        locked = () if shown.token is not None else keys  # nobody guesses a token
        if self._locks.lock(locked, again):
            self._begin(connection, introduction, shown, locked)

    def _keys_and_wait(self, host: str | None, shown: Credentials) -> tuple[list[str], float]:
        """Return the keys of a login, and the seconds that earlier failures under them cost."""
        keys, now = _keys_of(host, shown), self._clock.seconds()
        if self._is_familiar(keys, shown, now):
            keys = [key for key in keys if not key.startswith(HOST)]
        return keys, max((self._failures.wait(key, now) for key in keys), default=0.0)

    def _wait_again(self, checking: Checking, seconds: float, introduction: Introduction, shown: Credentials) -> None:
        """Try again after some time. Others may fail meanwhile, so the client may have to wait once more."""
        checking.wait = self._clock.callLater(seconds, self._wait, checking.connection, introduction, shown)

    def _is_familiar(self, keys: Sequence[str], shown: Credentials, now: float) -> bool:
        """Return whether a user has logged in from this host before, and need not wait for others there."""
        identity = _identity(shown)
        for key in keys:
            if key.startswith(HOST) and self._familiar.find((key, identity), now) is not None:
                return True
        return False

    def _begin(
        self, connection: Connection, introduction: Introduction, shown: Credentials, locked: Sequence[str]
    ) -> None:
        """Check what a client shows, and free the locked keys afterwards."""
        users = self._users()

        def check() -> User | Failed | float:
            """Return the user, or the seconds to wait after failures at other servers, in a thread."""
            return self._login(users, shown, locked)

        self._check(connection, check, self._admit_user, introduction, shown, locked=locked)

    def _login(self, users: UserDatabase, shown: Credentials, keys: Sequence[str]) -> User | Failed | float:
        """Return the user of a password or token, or the seconds to wait first; in a thread."""
        if shown.token is not None:
            return users.login_with_token(shown.token, self._now(), is_session=shown.is_cookie) or Failed(None)
        seconds = 0.0 if self._attempts is None else self._attempts.attempt(keys)
        if seconds:
            return seconds
        found = users.login(shown.user or "", shown.password or "")
        if found is None:
            return Failed(_account(users, shown.user or ""))
        if self._attempts is not None:
            hosts = [key for key in keys if key.startswith(HOST)]
            self._attempts.succeed(hosts, [key for key in keys if key not in hosts])
        return found

    def _admit_user(
        self, connection: Connection, user: User | Failed | float, introduction: Introduction, shown: Credentials
    ) -> None:
        """Let a user in under its name, or count a failure."""
        if isinstance(user, float):
            checking = connection.occupant = Checking(connection)
            self._wait_again(checking, user, introduction, shown)
            return
        if isinstance(user, Failed) and shown.is_cookie:
            connection.cookie = None
            self.welcome(connection, introduction)  # as a guest
            return
        host = connection.place.host if connection.place is not None else None
        why = self._judge(_keys_of(host, shown), user, shown)
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

    def _judge(self, keys: Sequence[str], user: User | Failed, shown: Credentials) -> str | None:
        """Return why a user may not come in, and count failures; None: the login is right."""
        now = self._clock.seconds()
        if isinstance(user, Failed) and shown.is_cookie:
            return NO_SESSION
        if isinstance(user, Failed) or shown.user not in (None, "", user.name):
            self.refused += 1
            for key in keys:
                self._failures.add(key, now)
            return WRONG
        for key in keys:
            if not key.startswith(HOST):  # or else an attacker with an account could end the waits
                self._failures.forget(key)
                continue
            self._familiar.set((key, _identity(shown)), None, now)
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
        """Check the credentials of one request; the Deferred fails with LoginRefused. Nobody waits after failures."""
        answer: Deferred[User] = Deferred()
        self._authenticate(answer, host, shown)
        return answer

    def in_turn(self, host: str, call: Callable[[], T]) -> Deferred[T]:
        """Call a function in a thread, after what the same host has asked for; the Deferred may fail with LoginRefused.

        An error of the function itself passes through, but for those of the database.
        """
        done = self._queue.add(host, call)
        return fail(LoginRefused(BUSY, 503, 1.0)) if done is None else done.addErrback(self._unreadable)

    def _unreadable(self, failure: Failure) -> Failure:
        """Log a database that cannot be read; raises LoginRefused."""
        if failure.check(DatabaseError) is None:
            return failure
        self._log_unreadable(failure)
        raise LoginRefused(UNREADABLE, 503, 1.0)

    def _authenticate(self, answer: Deferred[User], host: str, shown: Credentials) -> None:
        keys, seconds = self._keys_and_wait(host, shown)
        locked = () if shown.token is not None else keys
        if seconds:
            answer.errback(LoginRefused(WAITING, 429, seconds))
            return
        if not self._locks.lock(locked, lambda: self._authenticate(answer, host, shown)):
            return  # again when another attempt has ended
        users = self._users()
        done = self._queue.add(host, lambda: self._login(users, shown, locked))
        if done is None:
            self._locks.free(locked)
            answer.errback(LoginRefused(BUSY, 503, 1.0))
            return

        def judge(user: User | Failed | float) -> User:
            """Return the user, or raise LoginRefused."""
            if isinstance(user, float):
                raise LoginRefused(WAITING, 429, user)
            why = self._judge(_keys_of(host, shown), user, shown)
            if why is not None or isinstance(user, Failed):
                raise LoginRefused(why or WRONG, 401, failure=_failure(user, why or WRONG))
            return user

        def refuse(failure: Failure) -> User:
            """Log a bug, or a database that cannot be read; raises LoginRefused."""
            if isinstance(failure.value, LoginRefused):
                raise failure.value
            self._log_unreadable(failure)
            raise LoginRefused(UNREADABLE, 503, 1.0)

        def settle(result: User | Failure) -> None:
            """Let the next attempt try, and answer."""
            self._locks.free(locked)
            answer.callback(result)

        done.addCallback(judge).addErrback(refuse).addBoth(settle)

    # In a thread

    def _check(
        self,
        connection: Connection,
        call: Callable[[], object],
        then: Callable[..., None],
        *more: object,
        locked: Sequence[str] = (),
        when_away: Callable[[], None] | None = None,
    ) -> None:
        """Call a function in a thread, then another one with the connection and the result, if it is still there.

        ``locked`` are keys to free afterwards, when a failure has been counted. ``when_away`` is called if the database
        cannot be read; without it the client is turned away.
        """
        checking = connection.occupant = Checking(connection)
        host = connection.place.host if connection.place is not None else None
        done = self._queue.add(host or connection.peer, call)
        if done is None:
            connection.turn_back(BUSY)
            self._locks.free(locked)
            return
        if self._look is not None:
            look = self._look
            done.addCallback(lambda result: look().addCallback(lambda _: result))

        def go_on(result: object) -> None:
            """Go on with the result, unless the client has gone."""
            self._is_away = False
            if not checking.is_gone:
                connection.occupant = None
                then(connection, result, *more)
                connection.flush()

        def go_on_without(failure: Failure) -> Failure | None:
            """Go on while the database is away, if that is possible."""
            if when_away is None or failure.check(DatabaseError) is None:
                return failure
            self._log_unreadable(failure)
            if not checking.is_gone:
                connection.occupant = None
                when_away()
                connection.flush()
            return None

        def give_up(failure: Failure) -> None:
            """Log a bug, or a database that cannot be read; the client may try again."""
            self._log_unreadable(failure)
            if not checking.is_gone:
                connection.fail_safely(UNREADABLE)

        done.addCallback(go_on).addErrback(go_on_without).addErrback(give_up).addBoth(
            lambda _: self._locks.free(locked)
        )


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


def _identity(shown: Credentials) -> str:
    """Return by what a login is known again at its host: the name of a user, or the hash of a token."""
    if shown.token is not None:
        return sha256(shown.token.encode("utf-8", "replace")).hexdigest()
    return _key_of_user(shown)


def _keys_of(host: str | None, shown: Credentials) -> list[str]:
    """Return under what failures are counted: the host, and the user of a password."""
    keys = [f"{HOST}{host}"] if host else []
    return keys if shown.token is not None else [*keys, _key_of_user(shown)]


def _key_of_user(shown: Credentials) -> str:
    """Return the key of a name, which may be any text: PostgreSQL takes only some."""
    return f"user {skeleton(shown.user or '')!a}"
