"""The connections of the front whose sessions are in one worker."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from itertools import count

from ump.net.connection import Connection
from ump.net.lines import Lines
from ump.server.workers.link import Link, messages_of
from ump.server.workers.messages import LentConnection, Number
from ump.server.workers.relayed_session import RelayedSession
from ump.server.workers.sharing import Sharing
from ump.wire.session import Session


class Lender:
    """Lends sessions to a worker, and passes on what its clients and the worker send each other.

    The front keeps the streams. So the death of a worker costs no connection: the copy of the session from before the
    loan goes to another worker, which tells the client its game again.
    """

    def __init__(
        self, link: Link, numbers: count[int], acknowledged: Callable[[], int], sharing: Sharing | None
    ) -> None:
        """``numbers`` are those of all connections. ``acknowledged`` counts the worker's answers to pings.

        ``sharing``: how the worker gets streams to which it writes itself; None: it never does.
        """
        self._sharing = sharing
        self.tell: Callable[[object], None] = link.tell
        """Sends a value to the worker."""
        self._link = link
        self._numbers = numbers
        self._acknowledged = acknowledged
        self._lent: dict[Number, Connection] = {}

    def __len__(self) -> int:
        """Return how many sessions are lent."""
        return len(self._lent)

    def connection(self, number: Number) -> Connection | None:
        """Return the connection of a number, or None if its session is not lent any more."""
        return self._lent.get(number)

    def lend(self, connection: Connection) -> None:
        """Begin to pass on what a client sends. ``lent`` is what the worker must get next."""
        connection.flush()
        number = next(self._numbers)
        relayed = RelayedSession(connection.session, number, self._link, self._acknowledged)
        connection.session, connection.useless.waited = relayed, relayed.wait_to_be_read
        self._lent[number] = connection

    def lend_again(self, connection: Connection) -> None:
        """Take a loan over whose worker is dead."""
        relayed = _relayed(connection)
        if relayed is None:
            return
        if relayed.is_cut_off:  # the client might take the next message for the rest of this one
            connection.cut()
        relayed.move_to(self._link, self._acknowledged)
        self._lent[relayed.number] = connection

    def lent(self, connection: Connection, name: str = "") -> LentConnection:
        """Return a lent connection as the worker needs it; ``name`` is that of the player."""
        relayed = connection.session
        assert isinstance(relayed, RelayedSession)
        host = "" if connection.place is None else connection.place.host or ""
        session, is_traced = _copy(relayed), connection.trace is not None
        ending = "" if is_traced else self._share(connection, relayed)
        return LentConnection(
            relayed.number, name, host, connection.peer, session, is_traced, ending=ending, place=relayed.place
        )

    def _share(self, connection: Connection, relayed: RelayedSession) -> str:
        """Let the worker write to a stream itself, and return the end of its messages; "": the worker cannot."""
        stream = connection.carrier.shared_socket() if isinstance(connection.carrier, Lines) else None
        place = None if stream is None or self._sharing is None else self._sharing.share(stream)
        if place is None or self._sharing is None or not isinstance(connection.carrier, Lines):
            return ""
        relayed.counts, relayed.place = self._sharing.counts, place
        return connection.carrier.ending

    def hold(self, connection: Connection) -> None:
        """Keep what a client sends: its session is on its way back."""
        relayed = _relayed(connection)
        if relayed is not None:
            relayed.hold()

    def take_back(self, connection: Connection, session: Session | None = None, rest: bytes = b"") -> list[bytes]:
        """Go on with a session here; None: the worker is dead, so go on with the copy from before the loan.

        The worker could not send ``rest``. Return the messages that were kept meanwhile.
        """
        relayed = _relayed(connection)
        if relayed is None:
            return []
        self.forget(connection)
        if session is None and relayed.is_cut_off:
            connection.cut()
        self.send_rest(connection, rest)
        connection.session = _copy(relayed) if session is None else session
        connection.flush()
        return relayed.held()

    def number_of(self, connection: Connection) -> Number:
        """Return the number of a lent connection; 0 if it is not lent."""
        relayed = _relayed(connection)
        return 0 if relayed is None or relayed.number not in self._lent else relayed.number

    def forget(self, connection: Connection) -> Number:
        """Pass nothing on any more; return the number of the connection, 0 if it was not lent."""
        number = self.number_of(connection)
        self._lent.pop(number, None)
        connection.useless.waited = None
        relayed = _relayed(connection)
        if number and relayed is not None and relayed.counts is not None and self._sharing is not None:
            self._sharing.free(relayed.place)
        return number

    @staticmethod
    def send_rest(connection: Connection, rest: bytes) -> None:
        """Send what a worker could not send, before anything else."""
        if rest and isinstance(connection.carrier, Lines):
            connection.carrier.write(rest)

    def take_content(self, number: Number, content: bytes) -> None:
        """Send a client what its session in the worker says."""
        connection = self._lent.get(number)
        relayed = None if connection is None else _relayed(connection)
        if connection is not None and relayed is not None:
            messages = messages_of(content)
            relayed.relayed += len(messages)
            connection.send(messages)


def _relayed(connection: Connection) -> RelayedSession | None:
    return connection.session if isinstance(connection.session, RelayedSession) else None


def _copy(relayed: RelayedSession) -> Session:
    """Return the session as it was before the loan, with what it must know of what has been sent since."""
    session = relayed.parked
    if relayed.sent:
        session = deepcopy(session)
        session.continue_after(relayed.sent, max(0, relayed.sent - relayed.received))
    return session
