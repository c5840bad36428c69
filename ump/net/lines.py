"""Lines: carries a connection over a stream, each message a line.

A plain TCP socket is written to at once, and only what it does not take goes through the reactor: asking the reactor
first whether the socket can be written to costs more than writing, and nearly always it can. Where the transport is
something else (TLS, a test's), it buffers as it likes, and says when it has too much.
"""

from __future__ import annotations

from twisted.internet.interfaces import IDelayedCall, IPushProducer, IReactorTime
from twisted.internet.protocol import connectionDone
from twisted.internet.tcp import Connection as TCPConnection
from twisted.logger import Logger
from twisted.protocols.basic import LineOnlyReceiver
from twisted.python.failure import Failure
from zope.interface import implementer

from ump.net.connection import Connection
from ump.net.limits import CLOSE_SECONDS, MAX_UNSENT


@implementer(IPushProducer)
class Lines(LineOnlyReceiver):
    """Cuts what comes into lines and writes messages as lines; a peer that does not read is kept waiting, then cut."""

    _log = Logger()
    transport: TCPConnection
    delimiter = b"\n"  # CR LF and bare LF: people type

    def __init__(self, connection: Connection, ending: str, clock: IReactorTime, *, is_proxied: bool = False) -> None:
        """Carry this connection; ``ending`` ends each line that is written."""
        self.connection = connection
        self._ending = ending
        self._clock = clock
        self._is_proxied = is_proxied
        self.MAX_LENGTH = connection.max_message + 1  # the CR of a CR LF
        self._unsent: list[bytes] = []
        """What is kept while the peer does not read."""
        self._is_paused = False
        """Whether the transport has enough for now."""
        self._is_eager = False
        """Whether the socket is written to at once. Then the transport pulls: it is empty, or we are paused."""
        self._is_ending = False
        self._end: IDelayedCall | None = None

    @property
    def host(self) -> str:
        """The other end's address; "" on a local socket."""
        return getattr(self.transport.getPeer(), "host", None) or ""

    @property
    def peer(self) -> str:
        """The other end, for the log."""
        host = self.host
        return f"{host}:{getattr(self.transport.getPeer(), 'port', '')}" if host else "a local socket"

    # The stream's side

    def connectionMade(self) -> None:
        """Begin."""
        self.transport.setTcpNoDelay(True)  # else a second line waits for the client's delayed acknowledgement
        self.transport.setTcpKeepAlive(True)
        self._is_eager = isinstance(self.transport, TCPConnection) and not self.transport.TLS
        self.transport.registerProducer(self, not self._is_eager)
        self.connection.open(self, is_proxied=self._is_proxied)

    def lineReceived(self, line: bytes) -> None:
        """Hand a line on."""
        if line[-1:] == b"\r":
            line = line[:-1]
        if len(line) >= self.MAX_LENGTH:
            self.connection.exceed()
        else:
            self.connection.receive(line)

    def lineLengthExceeded(self, line: bytes) -> None:
        """Close: whatever this is, it is not what we speak."""
        self.connection.exceed()

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """It is over."""
        self._is_ending = True
        if self._end is not None and self._end.active():
            self._end.cancel()
        self.connection.lost()

    def pauseProducing(self) -> None:
        """Keep what is said: the transport is full."""
        self._is_paused = True

    def resumeProducing(self) -> None:
        """Send what was kept."""
        self._is_paused = self._is_eager and bool(self._unsent)
        if self._unsent:
            data = b"".join(self._unsent)
            self._unsent.clear()
            self.transport.write(data)

    def stopProducing(self) -> None:
        """Nothing more can be sent; ``connectionLost`` follows."""

    # The connection's side

    def send(self, messages: list[str]) -> None:
        """Send messages in one write."""
        messages.append("")  # so that the last one is ended too
        data = self._ending.join(messages).encode("ascii")
        if self._is_paused:
            self._keep(data)
        elif self._is_eager:
            self._write_now(data)
        else:
            self.transport.write(data)

    def _write_now(self, data: bytes) -> None:
        """Give the socket what it takes, and the rest, or what meets an error, to the transport: it sees to that."""
        sent = self.transport.writeSomeData(data)
        if sent != len(data):
            self._is_paused = True
            self.transport.write(data[sent:] if isinstance(sent, int) else data)

    def _keep(self, data: bytes) -> None:
        """Keep what the transport is not given, up to a limit."""
        self._unsent.append(data)
        if sum(map(len, self._unsent)) > MAX_UNSENT and not self._is_ending:
            self._log.info("{peer}: cut: it does not read", peer=self.peer)
            self.connection.cut()

    def cut(self) -> None:
        """Close at once."""
        self._is_ending = True
        self.transport.abortConnection()

    def end(self) -> None:
        """Close when everything is sent, or after a while without."""
        self._is_ending = True
        self.transport.unregisterProducer()  # before loseConnection: with a producer TLS would never finish
        self.resumeProducing()
        self._end = self._clock.callLater(
            CLOSE_SECONDS, self.transport.abortConnection
        )  # loseConnection may end it now
        self.transport.loseConnection()
