"""One client's connection: bytes to lines, lines to its session, and what the session says back to bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ParamSpec, Protocol

from twisted.internet.interfaces import IDelayedCall, IPushProducer, IReactorTime
from twisted.internet.protocol import connectionDone
from twisted.internet.tcp import Connection as TCPConnection
from twisted.logger import Logger
from twisted.protocols.basic import LineOnlyReceiver
from twisted.python.failure import Failure
from zope.interface import implementer

from ump.model.claims import Claim
from ump.net.door import Door
from ump.net.limits import BYE_SECONDS, CLOSE_SECONDS, HELLO_SECONDS, IDLE_PER_SECOND, MAX_UNSENT
from ump.table.messages import Ask, Lapse, Refuse
from ump.wire.text import MAX_LINE
from ump.wire.ump01.introduction import Introduction
from ump.wire.ump01.session import (
    Answered,
    Farewell,
    Introduced,
    Received,
    Session,
    Stale,
    Staleness,
    Unreadable,
    Violated,
)

P = ParamSpec("P")


class Occupant(Protocol):
    """What a connection is in its room: somebody who waits or plays, or who watches."""

    def answered(self, number: int, answer: Claim | None) -> None:
        """The open question was answered; None: by a line that cannot be read."""

    def heard(self, *, is_stale: bool) -> None:
        """A line came that answers nothing."""

    def left(self) -> None:
        """The connection is gone, or about to go."""


class Host(Protocol):
    """Who finds a place for those who have said hello."""

    def welcome(self, connection: Connection, introduction: Introduction) -> None:
        """Make the connection an occupant of a room, or turn it away."""


@implementer(IPushProducer)
class Connection(LineOnlyReceiver):
    """One client: lines in and out, peers that are slow or talk too much, the hello's time, closing.

    What is said is collected, and sent by ``flush`` in one write for all that a table tells at once.
    """

    _log = Logger()
    transport: TCPConnection
    delimiter = b"\n"  # CR LF and bare LF: people type
    MAX_LENGTH = MAX_LINE + 1  # the CR of a CR LF

    def __init__(self, session: Session, host: Host, door: Door, clock: IReactorTime, *, is_proxied: bool) -> None:
        self.occupant: Occupant | None = None
        self.language = session.language
        """In which language the client wants yaku named."""
        self._session = session
        self._host = host
        self._door = door
        self._clock = clock
        self._is_proxied = is_proxied
        """Whether the peer's own address is known only with its first bytes."""
        self._address: str | None = None
        """The host that is counted at the door; None until it is."""
        self._sentences: list[str] = []
        """What was told and has no ids yet."""
        self._said: list[str] = []
        """What the next ``flush`` sends, before those sentences."""
        self._unsent: list[bytes] = []
        """What is kept while the peer does not read."""
        self._is_paused = False
        self._has_said_bye = False
        self._is_closing = False
        self._deadline: IDelayedCall | None = None
        """The one thing that must happen in time: the hello, the answer to ``bye``, the end."""
        self._idle_lines = 0
        self._idle_since = 0.0

    @property
    def peer(self) -> str:
        """The other end, for the log."""
        address = self.transport.getPeer()
        host, port = getattr(address, "host", ""), getattr(address, "port", "")
        return f"{host}:{port}" if host else "a local socket"

    def connectionMade(self) -> None:
        """Let the client in and greet it, or turn it away."""
        self.transport.setTcpNoDelay(True)  # else a second sentence waits for the client's delayed acknowledgement
        self.transport.setTcpKeepAlive(True)
        self.transport.registerProducer(self, True)
        if not self._door.has_room():
            self._turn_away()
        else:
            self._door.enter(self)
            if self._is_proxied or self._enter_from_address():
                self._expect(HELLO_SECONDS, self._miss_hello)
                self._say(self._session.greet)
                self.flush()

    def lineReceived(self, line: bytes) -> None:
        """Let the session read a line, and do what it makes of it."""
        if self._address is None and not self._enter_from_address():
            return
        line = line.removesuffix(b"\r")
        if len(line) > MAX_LINE:
            self.lineLengthExceeded(line)
            return
        received = self._session.receive(line, self._clock.seconds())
        _TAKE[type(received)](self, received)

    def lineLengthExceeded(self, line: bytes) -> None:
        """Close: whatever this is, it is not UMP."""
        self.fail("line too long")

    # What is said.

    def tell(self, sentences: Iterable[str]) -> None:
        """Say sentences; they get their ids together, with the next question or ``flush``."""
        self._sentences += sentences

    def tell_waiting(self, seated: int, needed: int) -> None:
        """Say how many wait, if the client wants to know."""
        self._say(self._session.wait, seated, needed)
        self.flush()

    def ask(self, ask: Ask) -> None:
        """Ask a question."""
        self._say(self._session.ask, ask.number, ask.question, ask.move, ask.bank)

    def lapse(self, lapse: Lapse) -> None:
        """Close a question that was not answered."""
        self._session.lapse(lapse.number, self._clock.seconds(), by_time=lapse.by_time)

    def refuse(self, refuse: Refuse) -> None:
        """Close a question whose answer was refused, and say why if the client wants to know."""
        self._say(self._session.refuse, refuse.number, refuse.reason)

    def flush(self) -> None:
        """Send what was said, in one write. A peer that does not read for too long is cut, without a word."""
        self._number()
        if not self._said:
            return
        data = "".join(self._said).encode("ascii")
        self._said.clear()
        if not self._is_paused:
            self.transport.write(data)
            return
        self._unsent.append(data)
        if sum(map(len, self._unsent)) > MAX_UNSENT and not self._is_closing:
            self._log.info("{peer}: cut: it does not read", peer=self.peer)
            self.cut()

    def _say(self, sentence: Callable[P, str], *args: P.args, **kwargs: P.kwargs) -> None:
        """Say what a method of the session makes of its arguments, after all that was told before."""
        self._number()
        text = sentence(*args, **kwargs)
        if text:
            self._said.append(text)

    def _number(self) -> None:
        """Give what was told its ids."""
        if self._sentences:
            self._said.append(self._session.tell(self._sentences))
            self._sentences.clear()

    # Where it sits, and how it ends.

    def sit(self) -> None:
        """Be at a table."""
        self._session.sit()
        self._door.sit(self)

    def stand(self) -> None:
        """Be at no table any more."""
        self._session.stand()
        self._door.stand(self)

    def watch(self) -> None:
        """Be among those who watch."""
        self._session.watch()

    def say_bye(self) -> None:
        """Tell the client ``bye``, and close when it says so too, or does not in time."""
        self.occupant = None
        self._has_said_bye = True
        self._say(self._session.bye)
        self.flush()
        self._expect(BYE_SECONDS, self.close)

    def dismiss(self) -> None:
        """Leave the place, tell the client ``bye`` and close, whatever it says."""
        self._vacate()
        if not self._has_said_bye:
            self._say(self._session.bye)
        self.close()

    def fail(self, message: str) -> None:
        """Leave the place, tell the client what is wrong, and close."""
        self._log.info("{peer}: closed: {message}", peer=self.peer, message=message)
        self._reject(message)

    def cut(self) -> None:
        """Close at once; what is unsent is lost."""
        self._is_closing = True
        self.transport.abortConnection()

    def close(self) -> None:
        """Close when everything is sent, or after a while without."""
        if self._is_closing:
            return
        self._is_closing = True
        self._session.close()
        self.transport.unregisterProducer()  # before loseConnection: with a producer TLS would never finish
        self.resumeProducing()
        self.flush()
        self._expect(CLOSE_SECONDS, self.transport.abortConnection)  # before loseConnection, which may end it at once
        self.transport.loseConnection()

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Leave the place, and the door."""
        self._is_closing = True
        self._expect_nothing()
        self._vacate()
        self._door.leave(self, self._address or "")

    def _reject(self, message: str) -> None:
        self._vacate()
        self._say(self._session.error, message)
        self.close()

    def _vacate(self) -> None:
        """Leave the place, if there is one."""
        occupant, self.occupant = self.occupant, None
        if occupant is not None:
            occupant.left()

    def _expect(self, seconds: float, otherwise: Callable[[], object]) -> None:
        """Do something in so many seconds, in place of what was to be done before."""
        self._expect_nothing()
        self._deadline = self._clock.callLater(seconds, otherwise)

    def _expect_nothing(self) -> None:
        if self._deadline is not None and self._deadline.active():
            self._deadline.cancel()

    def _enter_from_address(self) -> bool:
        """Count the peer's host at the door, or turn it away."""
        host = getattr(self.transport.getPeer(), "host", None) or ""
        if not self._door.has_room_for(host):
            self._turn_away()
            return False
        self._door.enter_from(host)
        self._address = host
        return True

    def _turn_away(self) -> None:
        count = self._door.turn_away()
        if count & (count - 1) == 0:  # the log stays short however many come: 1, 2, 4, 8 ..
            self._log.info("{count} connections turned away so far, the last: {peer}", count=count, peer=self.peer)
        self._reject("too many connections")

    def _miss_hello(self) -> None:
        self.fail(f"no hello in {HELLO_SECONDS} seconds")

    # What is made of a line.

    def _take_introduced(self, received: Introduced) -> None:
        self._expect_nothing()
        self.language = received.introduction.language
        self._host.welcome(self, received.introduction)

    def _take_answered(self, received: Answered) -> None:
        self._answer(received.number, received.claim)

    def _take_unreadable(self, received: Unreadable) -> None:
        self._answer(received.number, None)

    def _answer(self, number: int, answer: Claim | None) -> None:
        if self.occupant is not None:
            self.occupant.answered(number, answer)

    def _take_stale(self, received: Stale) -> None:
        self._log.debug("{peer}: dropped: {why}", peer=self.peer, why=received.why.value)
        if self.occupant is not None:
            self.occupant.heard(is_stale=received.why is not Staleness.EMPTY)
        now = self._clock.seconds()
        if now - self._idle_since >= 1.0:
            self._idle_since, self._idle_lines = now, 0
        self._idle_lines += 1
        if self._idle_lines > IDLE_PER_SECOND:
            self.fail("too many lines that answer nothing")

    def _take_farewell(self, received: Farewell) -> None:
        self.dismiss()

    def _take_violated(self, received: Violated) -> None:
        self.fail(received.message)

    # The transport's side of a slow peer.

    def pauseProducing(self) -> None:
        """Keep what is said: the transport is full."""
        self._is_paused = True

    def resumeProducing(self) -> None:
        """Send what was kept."""
        self._is_paused = False
        if self._unsent:
            self.transport.write(b"".join(self._unsent))
            self._unsent.clear()

    def stopProducing(self) -> None:
        """Nothing more can be sent; ``connectionLost`` follows."""


_TAKE: dict[type[Received], Callable[[Connection, Any], None]] = {
    Introduced: Connection._take_introduced,
    Answered: Connection._take_answered,
    Unreadable: Connection._take_unreadable,
    Stale: Connection._take_stale,
    Farewell: Connection._take_farewell,
    Violated: Connection._take_violated,
}
"""What is made of each thing that a line can mean."""
