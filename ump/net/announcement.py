"""Announces the server in the local network by DNS-SD (mDNS), and finds servers, so that players need no address.

The library zeroconf (the extra ``lan``) does the work in threads of its own. Nothing is announced while the server
listens on loopback alone.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from importlib import import_module
from ipaddress import ip_address
from threading import Event
from typing import Any

from twisted.application.service import Service
from twisted.internet.defer import Deferred, succeed
from twisted.logger import Logger, LogLevel
from twisted.python.failure import Failure

from ump.model.value import value

SERVICE = "_ump._tcp.local."
"""The type of the service, as DNS-SD writes it."""

MOST_TEXT = 200
"""Characters of the names of the rooms that are announced: a TXT entry has 255 bytes."""

LIBRARY = "zeroconf"


class NoLibraryError(Exception):
    """The package zeroconf is not installed."""

    def __init__(self) -> None:
        super().__init__("it needs the package zeroconf: pip install 'ump-mahjong[lan]'")


class Announcement(Service):
    """Announces one port, from the start of the service to its end."""

    _log = Logger()

    def __init__(
        self,
        address: Callable[[], tuple[str, int] | None],
        rooms: Callable[[], Sequence[str]],
        in_thread: Callable[..., Deferred[Any]],
        interfaces: Sequence[str] | None = None,
    ) -> None:
        """Announce the port that ``address`` returns as host and number; None: there is none.

        ``in_thread`` calls a function in another thread. ``interfaces``: the addresses of the network interfaces to
        speak on; None: all of them.
        """
        self._address = address
        self._rooms = rooms
        self._in_thread = in_thread
        self._interfaces = interfaces
        self._announced: Deferred[Any] | None = None

    def announce(self) -> None:
        """Announce the port now, if others can reach it. Call this when the port is open."""
        address = self._address()
        if not self.running or address is None or _is_loopback(address[0]):
            return
        self._announced = self._in_thread(announced, *address, tuple(self._rooms()), self._interfaces)
        self._announced.addCallbacks(self._note, self._note_failure)

    def stopService(self) -> Deferred[None]:
        """Take the announcement back; the reactor waits for the Deferred."""
        super().stopService()
        done, self._announced = self._announced, None
        if done is None:
            return succeed(None)
        return done.addCallback(lambda found: None if found is None else self._in_thread(found.close))

    def _note(self, found: Any) -> Any:
        self._log.info("announced in the network as {name}; see ump find", name=_shown(found.name))
        return found

    def _note_failure(self, failure: Failure) -> None:
        """Go on without: a network that takes no announcement does not concern the players who are here."""
        level = LogLevel.info if failure.check(NoLibraryError) else LogLevel.warn
        why = str(failure.value) or type(failure.value).__name__
        self._log.emit(level, "not announced in the network: {why}", why=why)


def library() -> Any:
    """Return the module zeroconf. Most servers never need it, so it is loaded here; raises NoLibraryError."""
    try:
        return import_module(LIBRARY)
    except ImportError as error:
        raise NoLibraryError from error


class Announced:
    """An announcement that others hear, until it is closed."""

    def __init__(self, speaker: Any, info: Any) -> None:
        self._speaker = speaker
        self._info = info

    @property
    def name(self) -> str:
        """The name under which others see the server; another one than wished for if that was taken."""
        return str(self._info.name)

    def close(self) -> None:
        """Take it back. This waits for the network."""
        self._speaker.unregister_service(self._info)
        self._speaker.close()


def announced(host: str, port: int, rooms: Sequence[str], interfaces: Sequence[str] | None = None) -> Announced:
    """Announce a port, and return the announcement. This waits for the network.

    Raises NoLibraryError, OSError, and what zeroconf raises.
    """
    zeroconf = library()
    computer = socket.gethostname().partition(".")[0]
    speaker = zeroconf.Zeroconf(interfaces=zeroconf.InterfaceChoice.All if interfaces is None else [*interfaces])
    everywhere = ip_address(host).is_unspecified
    addresses = [*(interfaces or zeroconf.get_all_addresses())] if everywhere else [host]
    info = zeroconf.ServiceInfo(
        SERVICE,
        f"ump on {computer}.{SERVICE}",
        port=port,
        server=f"{computer}.local.",
        properties={"rooms": ",".join(rooms)[:MOST_TEXT], "ump": "0.1,0.2"},
        parsed_addresses=addresses,
    )
    try:
        speaker.register_service(info, allow_name_change=True)
    except Exception:
        speaker.close()
        raise
    return Announced(speaker, info)


def _is_loopback(host: str) -> bool:
    return ip_address(host.partition("%")[0]).is_loopback


def _shown(name: str) -> str:
    """Return the name of a server without the type of its service."""
    return name.removesuffix(f".{SERVICE}")


# Finding servers

SECONDS = 2.0
"""Seconds to listen for announcements."""

MOST_SERVERS = 100
MOST_NAME = 100
"""Characters of a name or a list of rooms that are kept: anybody in the network may announce anything."""


@value
class FoundServer:
    """A server in the local network."""

    name: str
    host: str
    port: int
    rooms: tuple[str, ...]

    @property
    def address(self) -> str:
        """Its address as HOST:PORT."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def find_servers(
    seconds: float = SECONDS, interfaces: Sequence[str] | None = None, most: int = MOST_SERVERS
) -> list[FoundServer]:
    """Return the servers that announce themselves within this time, by name, as soon as there are ``most`` of them.

    Raises NoLibraryError, OSError.
    """
    zeroconf = library()
    listener = _Names(most)
    speaker = zeroconf.Zeroconf(interfaces=zeroconf.InterfaceChoice.All if interfaces is None else [*interfaces])
    try:
        zeroconf.ServiceBrowser(speaker, SERVICE, listener)
        listener.is_full.wait(seconds)
        infos = [speaker.get_service_info(SERVICE, name, timeout=1_000) for name in sorted(listener.names)]
    finally:
        speaker.close()
    return [server for info in infos if info is not None for server in _servers(info)]


class _Names:
    """The names of the services that are there, at most so many."""

    def __init__(self, most: int) -> None:
        self.names: set[str] = set()
        self.is_full = Event()
        self._most = most

    def add_service(self, speaker: Any, kind: str, name: str) -> None:
        """Keep a name."""
        if len(self.names) < self._most:
            self.names.add(name)
        if len(self.names) == self._most:
            self.is_full.set()

    def update_service(self, speaker: Any, kind: str, name: str) -> None:
        """Nothing: the details are asked for at the end."""

    def remove_service(self, speaker: Any, kind: str, name: str) -> None:
        """Forget a name."""
        self.names.discard(name)


def _servers(info: Any) -> list[FoundServer]:
    """Return a server for the first address of an announcement: the others lead to the same one."""
    rooms = (info.properties.get(b"rooms") or b"").decode("utf-8", "replace")
    name = info.name.removesuffix(f".{SERVICE}")
    return [
        FoundServer(name[:MOST_NAME], address, info.port, tuple(filter(None, rooms[:MOST_NAME].split(","))))
        for address in info.parsed_addresses()[:1]
    ]
