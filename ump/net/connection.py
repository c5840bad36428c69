"""One client's connection: what it sends goes to its session, and what the session says goes back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger

from ump.model.actions import Action
from ump.model.claims import Claim
from ump.model.seats import Seat
from ump.net.connection_limits import OpenConnections
from ump.net.limits import HELLO_SECONDS, IDLE_BYTES, IDLE_PER_SECOND
from ump.wire.session import (
    Answered,
    Farewell,
    InStep,
    Introduced,
    Introduction,
    Received,
    Session,
    Stale,
    Staleness,
    TableInfo,
    Unreadable,
    Violated,
)


class Occupant(Protocol):
    """What a connection is in its room: somebody who waits or plays, or who watches."""

    def answered(self, number: int, answer: Claim | Action | None) -> None:
        """The open question was answered; None: by something that cannot be read."""

    def heard(self, *, is_stale: bool) -> None:
        """Something came that answers nothing."""

    def left(self) -> None:
        """The connection is gone, or about to go."""


class Host(Protocol):
    """Who finds a place for those who have introduced themselves."""

    def welcome(self, connection: Connection, introduction: Introduction) -> None:
        """Make the connection an occupant of a room, or turn it away."""


class Carrier(Protocol):
    """What carries a connection's messages: a stream, a WebSocket, a polling client, a child's pipes."""

    @property
    def host(self) -> str:
        """The other end's address, by which it is counted; "" where there is none."""

    @property
    def peer(self) -> str:
        """The other end, for the log."""

    def send(self, messages: list[str]) -> None:
        """Send messages together, or keep them for a while. A peer that does not read for too long is cut."""

    def end(self) -> None:
        """Close when everything is sent, or after a while without."""

    def cut(self) -> None:
        """Close at once; what is unsent is lost."""


class Connection:
    """One client: its session, its place, the time in which it must say hello, and how it ends.

    What is said is collected by the session, and sent by ``flush`` together for all that a table tells at once.
    """

    _log = Logger()

    def __init__(self, session: Session, host: Host, connections: OpenConnections, clock: IReactorTime) -> None:
        self.occupant: Occupant | None = None
        self.session = session
        """What is said goes to it, and is sent with the next ``flush``."""
        self._host = host
        self._connections = connections
        self._clock = clock
        self._carrier: Carrier
        self._address: str | None = None
        """The host that is counted against the limits; None until it is."""
        self._has_said_bye = False
        self._is_closing = False
        self._deadline: IDelayedCall | None = None
        """The one thing that must happen in time: the hello, the answer to ``bye``."""
        self._wake: IDelayedCall | None = None
        """What the session is to do of its own accord."""
        self._length = 0
        """Bytes of the message that is taken."""
        self._idle_messages = 0
        self._idle_since = 0.0

    @property
    def peer(self) -> str:
        """The other end, for the log."""
        return self._carrier.peer

    @property
    def max_message(self) -> int:
        """Bytes of the longest message that is read."""
        return self.session.MAX_MESSAGE

    @property
    def is_leaving(self) -> bool:
        """Whether the client was told farewell, and has the time to answer it."""
        return self._has_said_bye

    # What the carrier calls.

    def open(self, carrier: Carrier, *, is_proxied: bool = False) -> None:
        """Let the client in and greet it, or turn it away.

        ``is_proxied``: the peer's own address is known only with its first message.
        """
        self._carrier = carrier
        if not self._connections.has_room():
            self._turn_away()
            return
        self._connections.enter(self)
        if is_proxied or self._enter_from_address():
            self._expect(HELLO_SECONDS, self._miss_hello)
            self.session.greet()
            self.flush()

    def receive(self, message: bytes) -> None:
        """Let the session read a message, and do what it makes of it."""
        if self._address is None and not self._enter_from_address():
            return
        self._length = len(message)
        try:
            received = self.session.receive(message, self._clock.seconds())
            _TAKE[type(received)](self, received)
            self.flush()
        except Exception:  # ours, whatever it is: it must not reach what carries others too
            self._break_down()

    def exceed(self) -> None:
        """Close: a message was too long to be one."""
        self.fail("line too long")

    def lost(self) -> None:
        """Leave the place, and the open connections: the other end is gone."""
        self._is_closing = True
        self.session.close()
        for call in (self._deadline, self._wake):
            if call is not None and call.active():
                call.cancel()
        self._vacate()
        self._connections.leave(self, self._address or "")

    # What is said.

    def tell_waiting(self, seated: int, needed: int) -> None:
        """Say how many wait, if the client wants to know."""
        self.session.wait(seated, needed)
        self.flush()

    def flush(self) -> None:
        """Send what was said, together, and see to it that the session can do in time what it wants to."""
        messages = self.session.take()
        if messages:
            self._carrier.send(messages)
        due = self.session.due()
        if due is not None and not self._is_closing:
            self._arm(due)

    # Where it sits, and how it ends.

    def sit(self, seat: Seat, setting: TableInfo) -> None:
        """Be at a table."""
        self.session.sit(seat, setting)
        self._connections.sit(self)

    def stand(self) -> None:
        """Be at no table any more."""
        self.session.stand()
        self._connections.stand(self)

    def watch(self) -> None:
        """Be among those who watch."""
        self.session.watch()

    def say_bye(self) -> None:
        """Tell the client farewell, and close when it says so too, or does not in time."""
        self.occupant = None
        self._has_said_bye = True
        self.session.bye()
        self.flush()
        if self.session.LINGER:
            self._expect(self.session.LINGER, self.close)
        else:
            self.close()

    def dismiss(self) -> None:
        """Leave the place, tell the client farewell and close, whatever it says."""
        self._vacate()
        if not self._has_said_bye:
            self.session.bye()
        self.close()

    def fail(self, message: str) -> None:
        """Leave the place, tell the client what is wrong, and close."""
        # Not under the name "message", which Twisted's older observers replace.
        self._log.info("{peer}: closed: {why}", peer=self.peer, why=message)
        self._reject(message)

    def cut(self) -> None:
        """Close at once; what is unsent is lost."""
        self._is_closing = True
        self._carrier.cut()

    def close(self) -> None:
        """Close when everything is sent, or after a while without."""
        if self._is_closing:
            return
        self._is_closing = True
        self.session.close()
        self.flush()
        if self._deadline is not None and self._deadline.active():
            self._deadline.cancel()
        self._carrier.end()

    def _reject(self, message: str) -> None:
        self._vacate()
        self.session.error(message)
        self.close()

    def _vacate(self) -> None:
        """Leave the place, if there is one."""
        occupant, self.occupant = self.occupant, None
        if occupant is not None:
            occupant.left()

    def _enter_from_address(self) -> bool:
        """Count the peer's host against the limits, or turn it away."""
        host = self._carrier.host
        if not self._connections.has_room_for(host):
            self._turn_away()
            return False
        self._connections.enter_from(host)
        self._address = host
        return True

    def _turn_away(self) -> None:
        count = self._connections.turn_away()
        if count & (count - 1) == 0:  # the log stays short however many come: 1, 2, 4, 8 ..
            self._log.info("{count} connections turned away so far, the last: {peer}", count=count, peer=self.peer)
        self._reject("too many connections")

    # Time

    def _expect(self, seconds: float, otherwise: Callable[[], object]) -> None:
        """Do something in so many seconds, in place of what was to be done before."""
        if self._deadline is not None and self._deadline.active():
            self._deadline.cancel()
        self._deadline = self._clock.callLater(seconds, otherwise)

    def _miss_hello(self) -> None:
        self.fail(f"no hello in {HELLO_SECONDS} seconds")

    def _arm(self, due: float) -> None:
        """Let the session do something at an instant; a call for an earlier one finds nothing to do, and arms anew."""
        wake = self._wake
        if wake is None or not wake.active():
            self._wake = self._clock.callLater(max(0.0, due - self._clock.seconds()), self._tick)
        elif due < wake.getTime():
            wake.reset(max(0.0, due - self._clock.seconds()))

    def _tick(self) -> None:
        try:
            received = self.session.tick(self._clock.seconds())
            if received is not None:
                _TAKE[type(received)](self, received)
            self.flush()
        except Exception:  # likewise
            self._break_down()

    def _break_down(self) -> None:
        """Cut a client after a fault of ours; within an ``except``."""
        self._log.failure("{peer}: breaks down", peer=self.peer)
        self.cut()

    # What is made of a message.

    def _take_introduced(self, received: Introduced) -> None:
        if self._deadline is not None and self._deadline.active():
            self._deadline.cancel()
        if received.session is not None:
            self.session = received.session
        self._host.welcome(self, received.introduction)

    def _take_answered(self, received: Answered) -> None:
        if self.occupant is not None:
            self.occupant.answered(received.number, received.answer)

    def _take_unreadable(self, received: Unreadable) -> None:
        if self.occupant is not None:
            self.occupant.answered(received.number, None)

    def _take_in_step(self, received: InStep) -> None:
        if self.occupant is not None:
            self.occupant.heard(is_stale=False)

    def _take_stale(self, received: Stale) -> None:
        self._log.debug("{peer}: dropped: {why}", peer=self.peer, why=received.why.value)
        if self.occupant is not None:
            self.occupant.heard(is_stale=received.why is not Staleness.EMPTY)
        now = self._clock.seconds()
        if now - self._idle_since >= 1.0:
            self._idle_since, self._idle_messages = now, 0
        self._idle_messages += 1 + self._length // (IDLE_BYTES + 1)
        if self._idle_messages > IDLE_PER_SECOND:
            self.fail("too many lines that answer nothing")

    def _take_farewell(self, received: Farewell) -> None:
        self.dismiss()

    def _take_violated(self, received: Violated) -> None:
        self.fail(received.message)


_TAKE: dict[type[Received], Callable[[Connection, Any], None]] = {
    Introduced: Connection._take_introduced,
    Answered: Connection._take_answered,
    Unreadable: Connection._take_unreadable,
    InStep: Connection._take_in_step,
    Stale: Connection._take_stale,
    Farewell: Connection._take_farewell,
    Violated: Connection._take_violated,
}
"""What is made of each thing that a message can mean."""
