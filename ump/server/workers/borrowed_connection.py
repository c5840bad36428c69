"""A client's connection in a worker: its session is here, its stream is in the front."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from twisted.internet.interfaces import IReactorTime

from ump.net.connection import Connection
from ump.net.connection_limits import OpenConnections
from ump.net.host_log import Said
from ump.server.workers.link import Link
from ump.server.workers.messages import Cut, End, LentConnection, Number, Remarked, StopReading
from ump.server.workers.shared_stream import SharedStream, SharedStreams
from ump.wire.session import Introduction, Session


class NoLobby:
    """A host for connections that have a place already."""

    def welcome(self, connection: Connection, introduction: Introduction) -> None:
        """Cut the connection: nobody introduces itself twice."""
        connection.cut()


class RelayCarrier:
    """Carries the messages of one connection over the link."""

    is_private = False
    transport_name = "link"

    def __init__(
        self,
        number: Number,
        host: str,
        peer: str,
        link: Link,
        ended: Callable[[], object],
        stream: SharedStream | None = None,
    ) -> None:
        """Call ``ended`` when the front has been told to close the stream. Write to ``stream``, if it is shared."""
        self.host = host
        self.peer = peer
        self.is_violation = False
        """Whether the stream ends because the client has broken the protocol."""
        self._number = number
        self._link = link
        self._ended = ended
        self._stream = stream

    def send(self, messages: list[str]) -> None:
        """Send messages, or let the front do it."""
        if self._stream is None:
            self._link.send_messages(self._number, messages)
        else:
            self._stream.send(messages)

    @property
    def unread(self) -> int:
        """The bytes that wait here until the client reads."""
        return 0 if self._stream is None else self._stream.unread

    def release(self) -> bytes:
        """Leave the stream to the front; return what it has to send first."""
        return b"" if self._stream is None else self._stream.release()

    def stop_reading(self) -> None:
        """Let the front read nothing more."""
        self._link.tell(StopReading(self._number))

    def end(self) -> None:
        """Let the front close the stream when everything is sent."""
        self._link.tell(End(self._number, self.is_violation, self.release()))
        self._ended()

    def cut(self) -> None:
        """Let the front close the stream at once."""
        self.release()
        self._link.tell(Cut(self._number))
        self._ended()


class RelayedTrace:
    """Sends the front remarks for the trace; it sees the messages itself."""

    def __init__(self, number: Number, link: Link) -> None:
        self._number = number
        self._link = link

    def received(self, message: bytes) -> None:
        """Do nothing: the front has traced it."""

    def sent(self, messages: Iterable[str]) -> None:
        """Do nothing: the front traces it."""

    def remark(self, text: str) -> None:
        """Let the front write down a remark."""
        self._link.tell(Remarked(self._number, text))

    def close(self) -> None:
        """Do nothing: the front ends the trace with the stream."""


class BorrowedConnection(Connection):
    """The connection of a player or spectator at a table of this worker."""

    def __init__(
        self,
        lent: LentConnection,
        link: Link,
        connections: OpenConnections,
        clock: IReactorTime,
        stream: SharedStream | None,
    ) -> None:
        super().__init__(lent.session, NoLobby(), connections, clock)
        self.number = lent.number
        self._log_lines = connections.log
        self._reactor = clock
        self._relay = RelayCarrier(lent.number, lent.host, lent.peer, link, self._lose_soon, stream)
        self.carrier = self._relay
        if lent.is_traced:
            self.trace = RelayedTrace(lent.number, link)
        connections.add(self)
        self.flush()

    def _lose_soon(self) -> None:
        """Be gone in the next turn, as if the stream was closed."""
        self._reactor.callLater(0, self.lost)

    def send(self, messages: list[str]) -> None:
        """Send messages; cut a client that does not read."""
        super().send(messages)
        if self._relay.unread > self.limits.unread and not self.is_closing:
            self.cut()

    def forget(self, *, is_lost: bool = True) -> None:
        """Leave the place and the stream."""
        self._relay.release()
        super().forget(is_lost=is_lost)

    def may_log(self, said: Said) -> bool:
        """Return whether a line about this client may go to the log."""
        return self._log_lines.admits(self._relay.host, said, self._reactor)

    def violate(self, message: str) -> None:
        """Fail, and let the front count that for the client's host."""
        self._relay.is_violation = True
        self.fail(message)

    def give_back(self) -> tuple[Session, bytes]:
        """Return the session, with which the front goes on, and what it has to send first.

        The connection is of no use after that.
        """
        self.flush()
        rest = self._relay.release()
        self.occupant = None
        self.forget()
        return self.session, rest


class Borrowing:
    """The connections whose sessions the front has lent to this worker."""

    def __init__(
        self, link: Link, connections: OpenConnections, clock: IReactorTime, streams: SharedStreams | None
    ) -> None:
        """``streams`` are those to which this process writes itself."""
        self._streams = streams
        self._link = link
        self._connections = connections
        self._clock = clock
        self._borrowed: dict[Number, BorrowedConnection] = {}

    def borrow(self, lent: LentConnection) -> BorrowedConnection:
        """Go on with a session here."""
        stream = self._streams.take(lent.ending, lent.place) if self._streams is not None and lent.ending else None
        connection = BorrowedConnection(lent, self._link, self._connections, self._clock, stream)
        self._borrowed[lent.number] = connection
        return connection

    def find(self, number: Number) -> BorrowedConnection | None:
        """Return the connection of a number; None if it has ended, or its session was given back."""
        connection = self._borrowed.get(number)
        if connection is not None and connection.is_closing:
            del self._borrowed[number]
            return None
        return connection

    def drop(self, connection: Connection, *, is_lost: bool = True) -> None:
        """Forget a connection whose stream is gone."""
        if isinstance(connection, BorrowedConnection):
            self._borrowed.pop(connection.number, None)
            connection.lost(is_lost=is_lost)

    def give_back(self, connections: Iterable[Connection]) -> dict[Number, tuple[Session, bytes]]:
        """Return the sessions of connections that have not ended, by number: the front goes on with them.

        With each goes what the front has to send first.
        """
        sessions: dict[Number, tuple[Session, bytes]] = {}
        for connection in tuple(connections):
            if isinstance(connection, BorrowedConnection) and self.find(connection.number) is connection:
                del self._borrowed[connection.number]
                sessions[connection.number] = connection.give_back()
        return sessions
