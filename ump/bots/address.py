"""Addresses of servers: ``HOST:PORT``, ``mjsonp://HOST:PORT/ROOM``, ``ws://HOST:PORT/PATH``, ``-``."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit

from ump.model.value import value

STREAMS = "-"
"""The address of a bot's own standard streams."""

_SECURE = frozenset(("wss", "tls"))

_USUAL = {"ws": 80, "wss": 443, "mjsonp": 11600}
"""The port of a URL that names none."""


class AddressError(ValueError):
    """A text that is no address; the message is one line."""


@value
class Address:
    """The address of a server."""

    scheme: str
    """Empty for ``HOST:PORT``; ``-`` for the standard streams."""
    host: str
    port: int
    target: str
    """The path with the query, from the first slash on; empty if there is none."""

    @property
    def is_secure(self) -> bool:
        """Whether the connection is encrypted: ``wss://`` and ``tls://``."""
        return self.scheme in _SECURE

    @property
    def is_web_socket(self) -> bool:
        """Whether it is the URL of a WebSocket."""
        return self.scheme in ("ws", "wss")

    @property
    def path(self) -> str:
        """The path without its slashes."""
        return self.target.partition("?")[0].strip("/")

    @property
    def where(self) -> str:
        """Host and port, for messages."""
        return f"{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"

    @property
    def authority(self) -> str:
        """Host and port as HTTP writes them."""
        return self.where

    def __str__(self) -> str:
        return f"{self.scheme}://{self.where}{self.target}" if self.scheme else self.where


def read_address(text: str) -> Address:
    """Read an address; raises AddressError."""
    if text == STREAMS:
        return Address(STREAMS, "", 0, "")
    try:
        url = urlsplit(text if "//" in text else f"//{text}")
        host, port = url.hostname, url.port or _USUAL.get(url.scheme)
    except ValueError as error:
        raise AddressError(f"{text}: {error}") from None
    if not host or not port:
        raise AddressError(
            f"{text}: expected HOST:PORT, as in localhost:19000, or a URL such as ws://localhost:8080/ump"
        )
    return Address(url.scheme, host, port, _target(url))


def _target(url: SplitResult) -> str:
    return f"{url.path}?{url.query}" if url.query else url.path
