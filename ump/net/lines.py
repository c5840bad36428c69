"""Carries connections over streams, with one message on each line.

Data for a plain TCP socket is written to it at once. Only the part that the socket does not accept goes through the
reactor: asking the reactor first whether the socket is writable costs more than the write, and the socket is nearly
always writable. Any other transport (TLS, or one in a test) buffers by itself, and calls ``pauseProducing`` when it is
full.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeAlias

from twisted.internet.interfaces import IAddress, IDelayedCall, IPushProducer, IReactorTime
from twisted.internet.protocol import Factory, Protocol, connectionDone
from twisted.internet.tcp import Connection as TCPConnection
from twisted.logger import Logger
from twisted.python.failure import Failure
from zope.interface import implementer

from ump.net.connection import Connection, Host
from ump.net.connection_budget import ConnectionPlace
from ump.net.connection_limits import OpenConnections, Said
from ump.net.dialects import DIALECTS, line_ports
from ump.net.limits import CLOSE_SECONDS, SLICE
from ump.net.proxy_header import is_encrypted, is_from_here
from ump.net.turns import Intake, Turns
from ump.wire.dialect import WILL_ECHO, WONT_ECHO, Caller, Dialect, LinePort, RoomInfo
from ump.wire.ump.hello import SERVER_NAME

BUFFER = 4096
"""Bytes that are read at once: many messages. Twisted's 65,536 are allocated and given back for each read."""

OpenConnection: TypeAlias = Callable[[bool], Connection]
"""Returns the connection of a new client, whose stream is private or not."""

_TYPED_END = re.compile(rb"\r[\n\0]?|\n")
"""The ends of lines that people type."""


@implementer(IPushProducer)
class Lines(Protocol):
    """Splits received data into lines, and writes messages as lines.

    Messages for a peer that does not read are kept up to a limit; then the peer is cut.
    """

    _log = Logger()
    transport: TCPConnection

    def __init__(self, open_connection: OpenConnection, port: LinePort, clock: IReactorTime, turns: Turns) -> None:
        """Carry the connection that ``open_connection`` returns. ``turns`` are those of the port."""
        self.connection: Connection
        self._open_connection = open_connection
        self._turns = turns
        self._intake: Intake
        self._ending = port.ending
        self._is_typed = port.is_typed
        self._clock = clock
        self._max_line: int
        self._unread = b""
        """Bytes that have arrived, but whose lines have not been passed on."""
        self._next = 0
        """The place in them where the next line begins."""
        self._ends_in_cr = False
        """Whether the last byte that was taken is a CR, to which a LF or NUL may still come."""
        self._unsent = bytearray()
        """Data kept while the peer does not read."""
        self._is_paused = False
        """Whether the transport is full for now."""
        self._is_eager = False
        """Whether data is written to the socket at once. Then the transport pulls: it is empty, or we are paused."""
        self._send_now: Callable[[bytes], int]
        """Writes to the socket, if it is eager."""
        self._is_ending = False
        self._convert: Callable[[bytes], bytes] | None = None
        """The function that changes the next line, which the peer's terminal does not show."""
        self._end: IDelayedCall | None = None

    @property
    def place(self) -> ConnectionPlace | None:
        """The place of the client among all connections, from which the reactor knows who plays."""
        return self.connection.place

    @property
    def host(self) -> str:
        """The peer's address; "" on a local socket."""
        return getattr(self.transport.getPeer(), "host", None) or ""

    @property
    def is_private(self) -> bool:
        """Whether the stream is encrypted, or never leaves this computer."""
        return is_encrypted(self.transport) or is_from_here(self.transport)

    @property
    def peer(self) -> str:
        """The name of the peer in the log."""
        host = self.host
        return f"{host}:{getattr(self.transport.getPeer(), 'port', '')}" if host else "a local socket"

    @property
    def transport_name(self) -> str:
        """The transport for the metrics."""
        if is_encrypted(self.transport):
            return "tls"
        return "tcp" if self.host else "unix"

    # The stream's side

    def connectionMade(self) -> None:
        """Set the socket's options, and open the connection."""
        self.connection = self._open_connection(self.is_private)
        self._max_line = self.connection.max_message + 1  # the CR of a CR LF
        self.transport.setTcpNoDelay(True)  # else a second line waits for the client's delayed acknowledgement
        self.transport.setTcpKeepAlive(True)
        self.transport.bufferSize = BUFFER
        if isinstance(self.transport, TCPConnection) and not self.transport.TLS:
            self._is_eager, self._send_now = True, self.transport.getHandle().send
        self.transport.registerProducer(self, not self._is_eager)
        self._intake = Intake(self._turns, self.transport, self._take_slice, self.connection.useless.pass_over)
        self.connection.open(self)
        if self.connection.is_closing and self.transport_name == "tls":
            self.cut()  # the handshake of a client that is turned away would never end, because nothing is read

    def dataReceived(self, data: bytes) -> None:
        """Take bytes from the peer."""
        if self._ends_in_cr:
            self._ends_in_cr = False
            data = data[1:] if data[:1] in (b"\n", b"\0") else data
        has_rest = self._next < len(self._unread)
        if not has_rest and self._is_one_line(data) and self._intake.is_free and not self._is_ending:
            self._receive(data[:-1])  # nearly always one whole line arrives: nothing to cut, nothing to queue
            return
        self._unread = self._unread[self._next :] + data
        self._next = 0
        self._intake.begin()

    def _is_one_line(self, data: bytes) -> bool:
        """Return whether data is one line that ends with LF or CR LF."""
        is_line = data.find(b"\n") == len(data) - 1 >= 0
        return is_line and (not self._is_typed or data.find(b"\r", 0, -2) < 0)

    def _line_end(self) -> tuple[int, int]:
        """Return where the next line ends, and where the one after it begins; the first is -1 if no line is complete.

        Lines end with CR LF or a bare LF, those that people type also with CR or CR NUL.
        """
        if not self._is_typed:
            end = self._unread.find(b"\n", self._next)
            return end, end + 1
        found = _TYPED_END.search(self._unread, self._next)
        return (-1, 0) if found is None else found.span()

    def _take_slice(self) -> bool:
        """Pass on a few lines; return whether more of them are complete."""
        for _ in range(SLICE):
            if self._is_ending:
                return self._drop_rest()
            end, after = self._line_end()
            line = self._unread[self._next : end] if end >= 0 else self._unread[self._next :]
            if end < 0 and len(line) <= self._max_line:
                return False
            self._next = len(self._unread) if end < 0 else after
            self._ends_in_cr = self._is_typed and self._unread.endswith(b"\r") and self._next == len(self._unread)
            self._receive(line)
        return self._line_end()[0] >= 0 or len(self._unread) - self._next > self._max_line

    def _receive(self, line: bytes) -> None:
        """Pass a line on. Close if it is too long, because the peer speaks another protocol; only warn a person."""
        if line[-1:] == b"\r":
            line = line[:-1]
        if self._convert is not None:
            self.connection.receive(self._take_hidden(line, self._convert))
        elif len(line) >= self._max_line:
            self.connection.exceed()
        else:
            self.connection.receive(line)

    def hide_next_line(self, convert: Callable[[bytes], bytes]) -> None:
        """Ask the terminal of a person not to show the next line (RFC 857), and receive it as what this returns."""
        self._convert = convert
        self.write(WILL_ECHO)

    def _take_hidden(self, line: bytes, convert: Callable[[bytes], bytes]) -> bytes:
        """Let the terminal show what is typed again."""
        self._convert = None
        self.write(WONT_ECHO + self._ending.encode())
        return convert(line)

    def _drop_rest(self) -> bool:
        """Forget the lines that came after the end."""
        self._unread, self._next = b"", 0
        return False

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Stop the timer, and tell the connection that the peer is gone."""
        self._is_ending = True
        self._intake.close()
        if self._end is not None and self._end.active():
            self._end.cancel()
        self.connection.lost()

    def pauseProducing(self) -> None:
        """Keep further messages: the transport is full."""
        self._is_paused = True

    def resumeProducing(self) -> None:
        """Send the messages that were kept."""
        self._is_paused = self._is_eager and bool(self._unsent)
        if self._unsent:
            data = bytes(self._unsent)
            self._unsent.clear()
            self.transport.write(data)

    def stopProducing(self) -> None:
        """Nothing more can be sent; ``connectionLost`` follows."""

    # The connection's side

    def send(self, messages: list[str]) -> None:
        """Send messages in one write."""
        messages.append("")  # so that the last one gets its line ending too
        data = self._ending.join(messages).encode("utf-8", "replace")
        if self._is_eager and not self._is_paused:
            try:
                sent = self._send_now(data)
            except OSError:  # the socket is full, or broken: the transport finds that and handles it
                sent = 0
            if sent == len(data):
                return
            data = data[sent:]
        self.write(data)

    def write(self, data: bytes) -> None:
        """Send bytes through the reactor, or keep them until the peer reads."""
        if self._is_paused:
            self._keep(data)
        else:
            self._is_paused = self._is_eager
            self.transport.write(data)

    def _keep(self, data: bytes) -> None:
        """Keep data for later; cut the peer if that is more than its limit."""
        self._unsent += data
        if len(self._unsent) > self.connection.limits.unread and not self._is_ending:
            if self.connection.may_log(Said.CUT):
                self._log.info("{peer}: cut: the client does not read", peer=self.peer)
            self.connection.cut()

    def stop_reading(self) -> None:
        """Read nothing more."""
        self._intake.stop()
        self._drop_rest()

    def cut(self) -> None:
        """Close at once."""
        self._is_ending = True
        self.transport.abortConnection()

    def end(self) -> None:
        """Close when everything is sent, or after CLOSE_SECONDS."""
        self._is_ending = True
        self.transport.unregisterProducer()  # before loseConnection: with a producer TLS would never finish
        self.resumeProducing()
        self._end = self._clock.callLater(
            CLOSE_SECONDS, self.transport.abortConnection
        )  # loseConnection may end it now
        self.transport.loseConnection()


AUTH = ("password", "token")
"""The secrets with which a user can log in."""


class LineFactory(Factory):
    """Makes the connections of a port that carries lines."""

    noisy = False

    def __init__(
        self,
        option: str,
        rooms: Sequence[RoomInfo],
        host: Host,
        connections: OpenConnections,
        clock: IReactorTime,
        *,
        dialects: Sequence[Dialect] = DIALECTS,
        turns: Turns | None = None,
        has_users: bool = False,
        pages: Callable[[], int | None] = lambda: None,
    ) -> None:
        """Serve the dialect whose port this option opens.

        ``rooms`` are those of the server, and may change. ``turns`` are those of the server. ``has_users``: whether
        there are users, who can log in. ``pages`` returns the port of the pages.
        """
        self._dialect, self._port = line_ports(dialects)[option]
        self._rooms = rooms
        self._host = host
        self._connections = connections
        self._clock = clock
        self._turns = Turns(clock) if turns is None else turns
        self._has_users = has_users
        self._pages = pages

    def logPrefix(self) -> str:
        """Return the server's name for Twisted's own log lines."""
        return SERVER_NAME

    def buildProtocol(self, addr: IAddress | None) -> Lines:
        """Return the protocol of a new connection. The connection itself checks the limits."""
        return Lines(self._open_connection, self._port, self._clock, self._turns)

    def _open_connection(self, is_private: bool) -> Connection:
        """Return the connection of a client whose stream is private or not."""
        auth = AUTH if self._has_users and is_private else ()
        session = self._dialect.open_session(Caller(tuple(self._rooms), auth=auth, pages=self._pages()))
        return Connection(session, self._host, self._connections, self._clock)
