"""Finds servers that announce themselves in the local network."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Event
from typing import Any

from ump.model.value import value
from ump.net.announcement import SERVICE, library

SECONDS = 2.0
"""How long to listen for announcements."""

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
