"""Links: carry whole messages over TCP, a WebSocket or the standard streams, with blocking calls."""

from __future__ import annotations

import re
import socket
import ssl
import sys
from abc import ABC, abstractmethod
from collections import deque
from contextlib import suppress
from enum import Enum
from typing import BinaryIO
from urllib.parse import SplitResult, urlsplit

from wsproto import ConnectionType, WSConnection
from wsproto.events import (
    AcceptConnection,
    BytesMessage,
    CloseConnection,
    Ping,
    RejectConnection,
    RejectData,
    Request,
    TextMessage,
)
from wsproto.utilities import RemoteProtocolError

from ump.model.value import value
from ump.net.keep_alive import keep_alive
from ump.wire.json_text import MAX_DOCUMENT
from ump.wire.text import WireError

# The service that answers at a port, for clients that have reached the wrong one


class Service(Enum):
    """A service, as messages to people name it."""

    UMP = "UMP"
    MJAI = "mjai in lock-step"
    MAJIANG = "Majiang"
    HTTP = "HTTP (and WebSocket)"
    SSH = "SSH"


PORTS = {Service.UMP: 19000, Service.MJAI: 11600, Service.MAJIANG: 19001, Service.HTTP: 8080}
"""The usual port of each service of a ump server."""

_STARTS = (
    (Service.HTTP, re.compile(rb"HTTP/1\.[01] ")),
    (Service.SSH, re.compile(rb"SSH-")),
    (Service.UMP, re.compile(rb"0 (hello|error)\b")),
    (Service.MJAI, re.compile(rb'\{"type": ?"(hello|error)"')),
    (Service.MAJIANG, re.compile(rb'\{"error":')),
)

PROBE = b"GET / HTTP/1.0\r\n\r\n"
"""Bytes that every service of a ump server answers in its own way, if it has said nothing by itself."""


def service_of(answer: bytes) -> Service | None:
    """Return the service whose first bytes these are, or None if they are those of no known service."""
    return next((service for service, start in _STARTS if start.match(answer)), None)


def wrong_service(answer: bytes, expected: Service, address: str) -> str:
    """Return a message about a port at which another service than the expected one answers, or nothing."""
    found = service_of(answer)
    usual = f"{expected.value} is usually on port {PORTS[expected]}"
    if found is not None:
        return f"{address} is a port for {found.value}; {usual}"
    if answer:
        return f"{address} does not speak {expected.value}: {answer[:60].decode('ascii', 'replace')!a}; {usual}"
    return f"{address} does not speak {expected.value}: it sends nothing; {usual}"


# Addresses of servers


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
        """Host and port, for messages and for HTTP."""
        return f"{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"

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


# Links


CONNECT_SECONDS = 5.0
"""Seconds in which a server must accept a connection, and a WebSocket its handshake."""

GREETING_SECONDS = 5.0
"""Seconds in which a server that speaks first must do so."""

PROBE_SECONDS = 3.0
"""Seconds to wait for what a silent port says to a probe."""

_CHUNK = 65_536

_SHOWN = 200
"""The number of bytes of a refusal that are shown."""


class LinkError(OSError):
    """No connection, or none to the expected service; the message is one line for people."""


class Link(ABC):
    """A connection that sends and receives messages."""

    @abstractmethod
    def receive(self) -> str | None:
        """Return the next message, without its line end; None if the other side has closed."""

    @abstractmethod
    def send(self, messages: list[str]) -> None:
        """Send messages."""

    @abstractmethod
    def close(self) -> None:
        """Close."""

    def expect(self, seconds: float | None) -> None:
        """Raise TimeoutError in ``receive`` if nothing comes for so many seconds; None: wait forever."""
        return


class StandardStreamsLink(Link):
    """Lines on standard input and output."""

    def __init__(self, read: BinaryIO | None = None, write: BinaryIO | None = None) -> None:
        self._read = read or sys.stdin.buffer
        self._write = write or sys.stdout.buffer

    def receive(self) -> str | None:
        """Return the next line."""
        return _line(self._read)

    def send(self, messages: list[str]) -> None:
        """Write lines at once."""
        self._write.write("".join(f"{message}\n" for message in messages).encode())
        self._write.flush()

    def close(self) -> None:
        """Leave the streams open: they belong to the process."""


class LineLink(Link):
    """Lines over TCP."""

    def __init__(self, address: Address, ending: str) -> None:
        self._socket = _connected(address)
        self._socket.settimeout(None)
        self._address = address
        self._ending = ending
        self._unread = bytearray()
        """The bytes that have come and are not read yet."""

    def check(self, expected: Service) -> None:
        """Wait for the server's greeting; raises LinkError if it is that of another service, or none comes."""
        self._fill(GREETING_SECONDS)
        if not self._unread:
            self._probe()
        if service_of(bytes(self._unread)) is not expected:
            raise LinkError(wrong_service(bytes(self._unread), expected, str(self._address)))

    def check_by_probe(self, expected: Service) -> None:
        """Make the server say something; raises LinkError if it is another service. The link is of no use then."""
        self._probe()
        if service_of(bytes(self._unread)) is not expected:
            raise LinkError(wrong_service(bytes(self._unread), expected, str(self._address)))

    def _probe(self) -> None:
        """Make a server that waits for the client say something."""
        try:
            self._socket.sendall(PROBE)
            self._fill(PROBE_SECONDS)
        except OSError:
            pass  # it has closed, and has said nothing

    def _fill(self, seconds: float) -> None:
        """Wait for a whole line, for the end, or for so many seconds."""
        self._socket.settimeout(seconds)
        try:
            while b"\n" not in self._unread and self._more():
                pass
        except TimeoutError:
            pass
        finally:
            self._socket.settimeout(None)

    def _more(self) -> bool:
        """Wait for more bytes; return False if the server has closed. Raises LinkError for a line without end."""
        data = self._socket.recv(_CHUNK)
        self._unread += data
        if len(self._unread) > MAX_DOCUMENT:
            raise LinkError(f"{self._address} sends a line without end")
        return bool(data)

    def expect(self, seconds: float | None) -> None:
        """Raise TimeoutError in ``receive`` if nothing comes for so many seconds."""
        self._socket.settimeout(seconds)

    def receive(self) -> str | None:
        """Return the next line."""
        while b"\n" not in self._unread:
            if not self._more():
                return None
        line, _, rest = self._unread.partition(b"\n")
        self._unread = rest
        return line.decode("utf-8", "replace").rstrip("\r")

    def send(self, messages: list[str]) -> None:
        """Send lines in one write."""
        self._socket.sendall("".join(f"{message}{self._ending}" for message in messages).encode())

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()


class WebSocketLink(Link):
    """Text frames of a WebSocket. A frame holds one message or, with ``in_lines``, one or more lines."""

    def __init__(self, address: Address, *, token: str | None = None, in_lines: bool = False) -> None:
        self._socket = _connected(address)
        self._frames = WSConnection(ConnectionType.CLIENT)
        self._in_lines = in_lines
        self._messages: deque[str] = deque()
        self._part: list[str] = []
        """The parts of a text that is not complete."""
        self._is_closed = False
        self._accepted = False
        self._refusal: list[str] = []
        """Why the server has refused the handshake."""
        headers = [] if token is None else [(b"authorization", f"Bearer {token}".encode())]
        try:
            self._write(Request(host=address.where, target=address.target, extra_headers=headers))
            self._shake_hands(address)
        except BaseException as error:
            self._socket.close()
            if isinstance(error, TimeoutError):
                raise LinkError(f"{address} does not answer the WebSocket's handshake") from None
            raise

    def _shake_hands(self, address: Address) -> None:
        first = b""
        while not self._accepted:
            data = self._socket.recv(_CHUNK)
            first = first or data
            if service_of(first) is not Service.HTTP:
                raise LinkError(wrong_service(first, Service.HTTP, address.where))
            self._receive(data)
            if self._is_closed and not self._accepted:
                raise LinkError(f"{address} refuses the WebSocket: {''.join(self._refusal).strip()}")
        self._socket.settimeout(None)

    def expect(self, seconds: float | None) -> None:
        """Raise TimeoutError in ``receive`` if nothing comes for so many seconds."""
        self._socket.settimeout(seconds)

    def receive(self) -> str | None:
        """Return the next message."""
        while not self._messages:
            if self._is_closed:
                return None
            self._receive(self._socket.recv(_CHUNK))
        return self._messages.popleft()

    def send(self, messages: list[str]) -> None:
        """Send each message in a frame, unless the server has closed; its last messages may still be unread."""
        for message in messages:
            if not self._is_closed:
                self._write(TextMessage(message))

    def close(self) -> None:
        """Send a closing frame if the server has not, and close."""
        with suppress(OSError):  # the server may have gone
            if not self._is_closed:
                self._write(CloseConnection(1000))
        self._socket.close()

    def _write(self, message: Request | TextMessage | CloseConnection) -> None:
        self._socket.sendall(self._frames.send(message))

    def _receive(self, data: bytes) -> None:
        if not data and self._accepted:  # the connection is lost without a closing frame: nothing can be answered
            self._is_closed = True
            return
        try:
            self._frames.receive_data(data or None)
            for event in self._frames.events():
                self._take(event)
        except RemoteProtocolError as error:
            raise LinkError(f"not a WebSocket: {error}") from error
        if not data:
            self._is_closed = True

    def _take(self, event: object) -> None:
        match event:
            case AcceptConnection():
                self._accepted = True
            case RejectConnection():
                self._refusal.append(f"status {event.status_code} ")
                self._is_closed = not event.has_body
            case RejectData():
                self._refusal.append(bytes(event.data[:_SHOWN]).decode("utf-8", "replace"))
                self._is_closed = event.body_finished
            case Ping():
                self._socket.sendall(self._frames.send(event.response()))
            case CloseConnection():
                if not self._is_closed:
                    with suppress(OSError):  # a server on the way may have closed the stream already
                        self._socket.sendall(self._frames.send(event.response()))
                self._is_closed = True
            case TextMessage() | BytesMessage():
                self._take_text(event)

    def _take_text(self, event: TextMessage | BytesMessage) -> None:
        if isinstance(event, BytesMessage):
            raise WireError("expected text frames")
        self._part.append(str(event.data))
        if sum(map(len, self._part)) > MAX_DOCUMENT:
            raise WireError("too long a message")
        if event.message_finished:
            text = "".join(self._part)
            self._part = []
            self._messages += text.splitlines() if self._in_lines else [text]


def open_socket(host: str, port: int) -> socket.socket:
    """Return a socket to a server, which finds out when that has gone without a word; raises OSError."""
    opened = socket.create_connection((host, port), CONNECT_SECONDS)
    opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    keep_alive(opened)
    return opened


def _connected(address: Address) -> socket.socket:
    """Return a socket to a server; raises LinkError if there is none. Connecting and reading time out."""
    try:
        plain = open_socket(address.host, address.port)
        if not address.is_secure:
            return plain
        return ssl.create_default_context().wrap_socket(plain, server_hostname=address.host)
    except OSError as error:
        raise LinkError(f"no connection to {address.where}: {error.strerror or error}") from error


def _line(stream: BinaryIO) -> str | None:
    line = stream.readline(MAX_DOCUMENT)
    if line and not line.endswith(b"\n") and len(line) == MAX_DOCUMENT:
        raise WireError("too long a line")
    return line.decode("utf-8", "replace").rstrip("\r\n") if line else None
