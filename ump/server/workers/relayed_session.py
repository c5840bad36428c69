"""The session of a connection that a worker plays with: it passes messages on, in place of the client's own session."""

from __future__ import annotations

from collections.abc import Callable

from ump.model.claims import Reason
from ump.model.seats import Seat
from ump.server.workers.link import Link
from ump.server.workers.messages import Announce, Exceeded, Number, Waited
from ump.server.workers.sent_counts import SentCounts
from ump.wire.session import (
    IN_STEP,
    OutgoingEvent,
    QuestionView,
    Received,
    Session,
    Stale,
    Staleness,
    TableInfo,
    Violated,
)

MAX_IN_FLIGHT = 131_072
"""Bytes of a client that may be on their way to a worker, or wait for a session to come back: a second of floods."""

WAITED_TOLD = 0.1
"""Seconds of waiting that a worker receives together: far less than the second in which it counts messages."""


class RelayedSession(Session):
    """Stands in the front for a session that is in a worker."""

    def __init__(self, parked: Session, number: Number, link: Link, acknowledged: Callable[[], int]) -> None:
        """``parked`` is the session as the worker got it. ``acknowledged`` counts the worker's answers to pings."""
        super().__init__()
        self.parked = parked
        self.number = number
        self.relayed = 0
        """The messages to the client that have come over links."""
        self.counts: SentCounts | None = None
        """The counts of a worker that writes to the client's stream itself."""
        self.place = 0
        """The client's place in them."""
        self.received = 0
        """The messages of the client since then."""
        self._link = link
        self._acknowledged = acknowledged
        self._since = acknowledged()
        self._in_flight = 0
        """The bytes of the client since the last acknowledgement."""
        self._waited = 0.0
        """Seconds for which the client's messages have waited to be read, and of which the worker has not been told."""
        self._held: list[bytes] | None = None
        """Messages that wait for the client's own session; None while they are passed on."""
        self._is_closed = False
        self.MAX_MESSAGE = parked.MAX_MESSAGE
        self.DIALECT = parked.DIALECT
        self.PLAYERS = parked.PLAYERS
        self.IS_PERSON = parked.IS_PERSON
        self.LINGER = parked.LINGER

    @property
    def wants_token(self) -> bool:
        """Whether the client wants to be able to come back."""
        return self.parked.wants_token

    @property
    def return_key(self) -> str | None:
        """The secret by which the client is known when it comes back."""
        return self.parked.return_key

    @property
    def sent(self) -> int:
        """The messages that workers have sent to the client."""
        return self.relayed + (0 if self.counts is None else self.counts.sent(self.place))

    @property
    def is_cut_off(self) -> bool:
        """Whether a worker that died may have sent a message only in part, or may have counted wrongly."""
        return self.counts is not None and self.counts.is_marked(self.place)

    # Messages from the client

    def receive(self, message: bytes, now: float) -> Received:
        """Pass a message on, or keep it until the client's own session is back."""
        if self._is_closed:
            return Stale(Staleness.CLOSING)
        self.received += 1
        if self._acknowledged() != self._since:
            self._since, self._in_flight = self._acknowledged(), 0
        self._in_flight += len(message) + 1
        if self._in_flight > MAX_IN_FLIGHT:
            return Violated("too much data at once")
        if self._held is None:
            if self._waited >= WAITED_TOLD:
                self._link.tell(Waited(self.number, self._waited))
                self._waited = 0.0
            self._link.send(self.number, message)
        else:
            self._held.append(message)
        return IN_STEP

    def wait_to_be_read(self, seconds: float) -> None:
        """Let the worker leave out time for which the client's messages have waited, when it counts them."""
        self._waited += seconds

    def exceeded(self) -> Received:
        """Tell the worker."""
        if self._held is None:
            self._link.tell(Exceeded(self.number))
        return IN_STEP

    def hold(self) -> None:
        """Keep further messages: the session is on its way back."""
        if self._held is None:
            self._held = []

    def held(self) -> list[bytes]:
        """Return the messages that were kept."""
        return self._held or []

    def move_to(self, link: Link, acknowledged: Callable[[], int]) -> None:
        """Pass messages on to another worker: the one that had the session is dead."""
        self.relayed, self.counts = self.sent, None
        self._link, self._acknowledged = link, acknowledged

    # Messages to the client

    def greet(self) -> None:
        """Send nothing: the worker's session does."""

    def tell(self, event: OutgoingEvent, now: float) -> None:
        """Send nothing: the worker's session does."""

    def ask(self, number: int, question: QuestionView | None, move: float, bank: float, now: float) -> None:
        """Send nothing: the worker's session does."""

    def lapse(self, number: int, now: float, *, by_time: bool) -> None:
        """Do nothing: the worker's session has the question."""

    def refuse(self, number: int, reason: Reason, now: float) -> None:
        """Do nothing: the worker's session has the question."""

    def announce(self, text: str) -> bool:
        """Let the worker's session tell the client; return whether it has words for that."""
        if self._held is None:
            self._link.tell(Announce(self.number, text))
        is_told = self.parked.announce(text)
        self.parked.take()
        return is_told

    def bye(self) -> None:
        """Say the farewell of the parked session: the connection ends without the worker."""
        self.parked.continue_after(self.sent, 0)
        self.parked.bye()
        self._out += self.parked.take()

    def error(self, message: str) -> None:
        """Send an error as the parked session words it: the connection ends without the worker."""
        self.parked.continue_after(self.sent, 0)
        self.parked.error(message)
        self._out += self.parked.take()

    # The seat

    def sit(self, seat: Seat, table: TableInfo) -> None:
        """Send nothing: the worker's session does."""

    def stand(self) -> None:
        """Do nothing: the client's own session is back by then."""

    def close(self) -> None:
        """Pass nothing on any more."""
        self._is_closed = True
