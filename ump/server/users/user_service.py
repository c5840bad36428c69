"""The gate of a server with users, their database, and the threads in which they are looked up."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from twisted.application.service import Service
from twisted.internet.defer import Deferred
from twisted.internet.threads import deferToThreadPool
from twisted.python.threadpool import ThreadPool

from ump.database.database import DatabaseError, PlaceError, read_place
from ump.net.connection import Host
from ump.net.connection_budget import is_local
from ump.net.lines import TakesSecrets
from ump.server.option import ConfigError
from ump.server.users.gate import Attempts, Gate, Users

if TYPE_CHECKING:
    from ump.server.users.user_database import UserDatabase


T = TypeVar("T")

THREADS = 2
"""Threads that check: each login takes some 20 ms of a core, which games need too."""


class UserService(Service):
    """Keeps the threads, and makes the gate."""

    def __init__(self, lobby: Host, users: Users, reactor: Any, *, trusts_all: bool, attempts: Attempts | None) -> None:
        """Let clients into this lobby; ``trusts_all`` and ``attempts`` are those of the gate."""
        self.users = users
        """Those of the moment; another file may take their place."""
        self._reactor = reactor
        self._trusts_all = trusts_all
        self._pool = ThreadPool(0, THREADS, "users")
        self.gate = Gate(lobby, lambda: self.users, self._in_thread, reactor, trusts_all=trusts_all, attempts=attempts)

    def startService(self) -> None:
        """Begin to check."""
        super().startService()
        self._pool.start()
        self.gate.remember_names()

    def stopService(self) -> None:
        """Check nothing more."""
        super().stopService()
        self._pool.stop()

    def ban(self, name: str, until: str | None) -> Deferred[None]:
        """Ban a user until an instant, or for good; the Deferred fails with ValueError if there is no such user."""
        from ump.server.users.user_database import FOREVER  # a server without users does not need argon2

        return self._in_thread(self.users.ban, name, until or FOREVER)

    def takes_secrets(self, endpoint: str, *, is_proxied: bool) -> TakesSecrets:
        """Return a function that tells whether a client of a port may log in. An address of None is a UNIX socket's."""
        if self._trusts_all or endpoint.startswith(("ssl:", "tls:", "unix:")):
            return lambda address: True
        return lambda address: not is_proxied and is_local(getattr(address, "host", None) or "")

    def _in_thread(self, call: Callable[..., T], *arguments: object) -> Deferred[T]:
        return deferToThreadPool(self._reactor, self._pool, call, *arguments)


def open_users(option: str, name: str = "--users") -> UserDatabase:
    """Return the users of a database, which the option ``name`` gives.

    Raises ConfigError if it cannot be read, or if the extra is not installed.
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
    try:
        found.check()
    except (UserError, OSError, DatabaseError) as error:
        raise ConfigError(f"{name}: {place.shown!r} cannot be read: {error}") from error
    return found
