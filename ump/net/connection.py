"""One client's connection: passes what it sends to its session, and sends what the session says."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Protocol, TypeVar, assert_never, runtime_checkable

from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger

from ump.model.actions import Action
from ump.model.claims import Claim
from ump.model.seats import LETTERS, Seat
from ump.net.connection_budget import ConnectionKind, ConnectionPlace, UselessMessages
from ump.net.connection_limits import OpenConnections, Said
from ump.net.limits import (
    IDLE_BYTES,
    IDLE_REPORTED,
    MAX_HELD,
    ORDER_COST,
    PERSON_HELLO_SECONDS,
    TOO_MANY,
    TOO_MANY_WAIT,
)
from ump.net.trace import ConnectionTrace, shown_message
from ump.net.windows import TokenBuckets
from ump.wire.session import (
    Answered,
    Farewell,
    InStep,
    Interruption,
    Introduced,
    Introduction,
    Note,
    Ordered,
    Pinged,
    Received,
    Session,
    Stale,
    Staleness,
    Switched,
    TableInfo,
    Unreadable,
    Violated,
)
from ump.wire.text import without_secrets

T = TypeVar("T")

# The first words of remarks in logs and traces about what a client has sent

REFUSED = "refused"
LATE = "late"
DROPPED = "dropped"
SILENT = "no reply in time"
CLOSED = "closed"
"""The server has closed the connection; the reason follows."""
UNREADABLE = "cannot be read"
"""The fault of the text follows; a refusal comes next, so this is no fault of its own."""
UNANSWERED = "the client has not answered the farewell"

FAULTS = (REFUSED, LATE, DROPPED, SILENT, CLOSED)
"""Remarks about faults of the client begin with one of these words."""

HARMLESS = tuple(
    f"{DROPPED}: {why.value}"
    for why in (Staleness.EMPTY, Staleness.CLOSING, Staleness.LATE, Staleness.DECIDED, Staleness.EXPLAINED)
)
"""Remarks about messages that a client may send without a fault: they crossed a decision of the server."""


def is_fault(remark: str) -> bool:
    """Tell whether a remark names a fault of the client."""
    return remark.startswith(FAULTS) and not remark.startswith(HARMLESS)


# What a connection works with


class Occupant(Protocol):
    """The place that a connection occupies: in a room's line, at a table, among the spectators."""

    @property
    def label(self) -> str:
        """The name of the player in the log: its room or table, and its own name."""

    @property
    def asked(self) -> str:
        """The open question of the player, in words; empty if there is none."""

    def noted(self, number: int, note: Note) -> None:
        """Take the note of a bot on the answer that follows, for the log of the game."""

    def ordered(self, given: Ordered) -> None:
        """Take an order to the table."""

    def answered(self, number: int, answer: Claim | Action | None, *, is_automatic: bool = False) -> None:
        """Take an answer to the open question; None is an unreadable answer.

        ``is_automatic``: the session gave it without its client.
        """

    def heard(self, *, is_stale: bool) -> None:
        """Note that the client sent something that answers no open question."""

    def left(self) -> None:
        """Note that the client has gone for good."""

    def lost(self) -> None:
        """Note that the connection is gone, or about to go, and the client did not want that."""


class Idle:
    """The part of a place that is the same wherever a connection is asked nothing: answers have no effect."""

    @property
    def asked(self) -> str:
        """Nothing."""
        return ""

    def noted(self, number: int, note: Note) -> None:
        """Ignore the note, like the answer."""

    def ordered(self, given: Ordered) -> None:
        """Ignore the order."""

    def answered(self, number: int, answer: Claim | Action | None, *, is_automatic: bool = False) -> None:
        """Ignore the answer: the question belonged to a game that is over, if there was one."""

    def heard(self, *, is_stale: bool) -> None:
        """Ignore the message."""

    def left(self) -> None:
        """Do nothing."""

    def lost(self) -> None:
        """Do the same as for a client that has gone for good: nobody comes back to this place."""
        self.left()


class Carrier(Protocol):
    """Carries a connection's messages: over a stream, a WebSocket, polling, or a child's pipes."""

    @property
    def host(self) -> str:
        """The peer's address, for the limit per host; "" if it has none."""

    @property
    def peer(self) -> str:
        """The name of the peer in the log."""

    @property
    def transport_name(self) -> str:
        """The transport for the metrics: tcp, tls, unix, websocket, polling or pipes."""

    @property
    def is_private(self) -> bool:
        """Whether nobody on the way can read it: it is encrypted, or never leaves this computer."""

    def send(self, messages: list[str]) -> None:
        """Send messages together, or keep them until the peer reads. Cut a peer that does not read for too long."""

    def stop_reading(self) -> None:
        """Read nothing more: the client has broken the protocol. ``end`` follows."""

    def end(self) -> None:
        """Close when everything is sent, or after CLOSE_SECONDS."""

    def cut(self) -> None:
        """Close at once; unsent messages are lost."""


@runtime_checkable
class HidesInput(Protocol):
    """A carrier of which the peer may be a person at a terminal, who should not see a password that is typed."""

    def hide_next_line(self, convert: Callable[[bytes], bytes]) -> None:
        """Let the terminal not show the next line, and receive it as what ``convert`` returns."""


class Gone:
    """The carrier of a connection that is lost: it sends nothing, and knows whose it was."""

    is_private = False
    transport_name = "gone"

    def __init__(self, host: str, peer: str) -> None:
        self.host = host
        self.peer = peer

    def send(self, messages: list[str]) -> None:
        """Send nothing."""

    def stop_reading(self) -> None:
        """Do nothing: nothing is read."""

    def end(self) -> None:
        """Do nothing: the stream is closed."""

    def cut(self) -> None:
        """Do nothing: the stream is closed."""


class Host(Protocol):
    """Finds a place for clients that have introduced themselves."""

    def welcome(self, connection: Connection, introduction: Introduction) -> None:
        """Make the connection an occupant of a room, or turn it away."""


class Connection:
    """One client: its session, its place, the deadline for its hello, and how it ends.

    The session collects messages; ``flush`` sends everything that it has collected in one write.
    """

    _log = Logger()

    def __init__(
        self,
        session: Session,
        host: Host,
        connections: OpenConnections,
        clock: IReactorTime,
        cookie: str | None = None,
    ) -> None:
        self.occupant: Occupant | None = None
        self.user: str | None = None
        """The user who has logged in; None: nobody, or the server knows no users."""
        self.login_id = ""  # of the token, session or password with which the user has logged in
        self.only_name: str | None = None
        """The one name under which that login plays; None: any name of the user or of a bot of it."""
        self.cookie = cookie
        """The session of the browser; None: it has none."""
        self.look_again: Callable[[Connection], object] | None = None  # before a user's or guest's next game
        self.session = session
        """Collects messages for the client until the next ``flush``."""
        self._host = host
        self._connections = connections
        self.limits = connections.limits.client
        """The limits of a client."""
        self._clock = clock
        self.carrier: Carrier
        self.place: ConnectionPlace | None = None
        """Its place among all connections; None before it is open, or if it was turned away."""
        self.is_leaving = False
        """Whether the server has said ``bye`` and waits for the client to answer it."""
        self.is_closing = False
        """Whether the connection is gone, or about to close."""
        self._deadline: IDelayedCall | None = None
        """The deadline of the hello, or of the answer to ``bye``."""
        self._wake: IDelayedCall | None = None
        """The session's own next tick."""
        self.trace: ConnectionTrace | None = None
        """Takes what the connection sends and receives, if it is traced."""
        self._held: deque[bytes] | None = None
        """Messages that are not read yet; None if the connection is not held."""
        self._message: bytes | None = None  # the one that is being read; None while the session acts by itself
        self.useless = UselessMessages(self.limits.idle_lines)
        """The messages and frames without effect."""

    @property
    def peer(self) -> str:
        """The name of the peer in the log."""
        return self.carrier.peer

    @property
    def max_message(self) -> int:
        """The longest message that is read, in bytes."""
        return self.limits.longest(self.session.MAX_MESSAGE)

    def may_log(self, said: Said) -> bool:
        """Return whether a line about this client may go to the log; otherwise it is counted with others."""
        host = None if self.place is None else self.place.host
        return self._connections.log.admits(host or "", said, self._clock)

    def _may_log_fault(self) -> bool:
        host = None if self.place is None else self.place.host
        return self._connections.debug_log.admits(host or "", Said.FAULT, self._clock)

    # What the carrier calls

    def open(self, carrier: Carrier, *, place: ConnectionPlace | None = None) -> None:
        """Count the client and greet it, or turn it away.

        ``place``: that of a stream which is counted already, and now carries this client.
        """
        self.carrier = carrier
        if not self._enter(carrier.host, place):
            self._turn_away()
            return
        self._connections.add(self)
        if self._connections.traces is not None:
            self.trace = self._connections.traces.open(self.peer)
        self._expect_hello()
        self.session.greet()
        self.flush()

    def _enter(self, address: str, place: ConnectionPlace | None) -> bool:
        """Count the client as one without a hello; return False if there is no room."""
        if place is None:
            place = self._connections.enter(ConnectionKind.NEWCOMER, address, self._clock.seconds(), self.displace)
        elif place.move(ConnectionKind.NEWCOMER):
            place.displace = self.displace
        else:
            place = None
        self.place = place
        return place is not None

    def receive(self, message: bytes) -> None:
        """Let the session read a message, and act on it."""
        if self._held is not None:
            self._held.append(message)
            return
        self._message = message
        if self.trace is not None:
            self.trace.received(message)
        try:
            self._act(self.session.receive(message, self._clock.seconds()))
            self.send(self.session.take())
        except Exception:  # a bug of the server must not affect a carrier that others share
            self.break_down()

    def hold(self) -> None:
        """Keep the client's messages unread until ``release``, as if the network were slow: to test clients."""
        self._held = deque(maxlen=MAX_HELD)

    def release(self) -> None:
        """Read the messages that were kept, and all further ones."""
        held, self._held = self._held or (), None
        for message in held:
            if not self.is_closing:
                self.receive(message)

    def exceed(self) -> None:
        """Act on a message that was too long: close, or let a person know."""
        self._act(self.session.exceeded())
        self.flush()

    def left(self) -> None:
        """Give up the place: the client wants to go, and its carrier closes next."""
        occupant, self.occupant = self.occupant, None
        if occupant is not None:
            occupant.left()

    def lost(self) -> None:
        """Lose the place, unless the client has left it, and stop counting the client: it is gone."""
        self.session.close()
        self.is_closing = True
        for call in filter(None, (self._deadline, self._wake)):
            if call.active():
                call.cancel()
        self._deadline = self._wake = None
        self._lose_place()
        if self.place is not None:
            self.place.leave()
        self._connections.remove(self)
        trace, self.trace = self.trace, None
        if trace is not None:
            trace.remark("the connection is closed")
            trace.close()
        self.carrier = Gone(self.carrier.host, self.carrier.peer)  # else both would wait for the garbage collector

    # Sending

    @property
    def host(self) -> str | None:
        """The address from which the client has come; None: from none that counts, as over a pipe."""
        return None if self.place is None else self.place.host

    def tell_waiting(self, seated: int, needed: int) -> None:
        """Tell the client how many players wait, if it has asked for that."""
        self.tell(lambda session: session.wait(seated, needed))

    def tell(self, say: Callable[[Session], object]) -> None:
        """Let the session say something that belongs to no game."""
        try:
            say(self.session)
            self.flush()
        except Exception:  # as in receive: the others in the line come next
            self.break_down()

    def flush(self) -> None:
        """Send everything that the session has collected."""
        self.send(self.session.take())

    def send(self, messages: list[str]) -> None:
        """Send messages that were taken from the session, in one write, and schedule the session's next tick."""
        if messages:
            if self.trace is not None:
                self.trace.sent(messages)
            self.carrier.send(messages)
        if self.session.KEEPS_TIME and not self.is_closing:
            due = self.session.due()
            if due is not None:
                self._arm(due)

    # Seats, and the end of the connection

    def sit(self, seat: Seat, table: TableInfo) -> None:
        """Take a seat at a table."""
        self.session.sit(seat, table)
        self.move(ConnectionKind.PLAYER, is_forced=True)
        if self.trace is not None:
            self.trace.remark(f"{table.table}: seat {LETTERS[seat]}, in {self.session.DIALECT}")

    def stand(self, room: str = "") -> None:
        """Leave the table, and wait for the next game in a room."""
        self.session.stand()
        self.wait(room, is_forced=True)

    def move(self, kind: ConnectionKind, *, is_forced: bool = False) -> bool:
        """Count the client as one of this kind; return False if there are too many, unless it is forced."""
        return self.place is None or self.place.move(kind, is_forced=is_forced)

    def wait(self, room: str, *, is_forced: bool = False) -> bool:
        """Count the client as one who waits in a room, as ``move`` does."""
        return self.place is None or self.place.wait(room, is_user=self.user is not None, is_forced=is_forced)

    def takes_login(self) -> bool:
        """Count a login of the client's host; return False if it has had too many in this minute."""
        return self._takes(self._connections.logins)

    def takes_game(self) -> bool:
        """Count a game that the client's host begins; return False if it has had too many in this minute."""
        return self._takes(self._connections.games)

    def look_up(self, find: Callable[[], T | None]) -> T | None:
        """Return what a code of the client leads to, as ``find`` finds it; None if it is wrong.

        Raises TooManyGuesses if the client's host has given too many wrong ones.
        """
        host = None if self.place is None else self.place.host
        return self._connections.guesses.look_up(host or "", find, self._clock.seconds())

    def _takes(self, rate: TokenBuckets) -> bool:
        host = None if self.place is None else self.place.host
        return not host or rate.take(host, self._clock.seconds())

    def publish(self, secret: str) -> None:
        """Send the secret of a game's walls after the game, if the client asked for it."""
        self.session.publish(secret)
        self.flush()

    def announce(self, text: str) -> bool:
        """Tell the client a line, and return whether its protocol has a place for it; a bug closes it alone."""
        try:
            is_told = self.session.announce(text)
            self.flush()
        except Exception:  # as in receive: there are others to tell
            self.break_down()
            return False
        return is_told

    def watch(self) -> None:
        """Become a spectator."""
        self.session.watch()

    def finish(self) -> None:
        """Let a client choose again after its last game; if its dialect cannot ask that, say ``bye``."""
        if self._begin_again(None):
            self.move(ConnectionKind.NEWCOMER, is_forced=True)
        else:
            self.say_bye()

    def turn_back(self, message: str) -> None:
        """Let a client introduce itself again, because it cannot be welcomed; if its dialect cannot ask that, fail."""
        if self._begin_again(message):
            self._drop(Staleness.EXPLAINED)
        else:
            self.fail(message)

    def _begin_again(self, why: str | None) -> bool:
        """Ask for another introduction; return False if the dialect cannot do that."""
        if not self.session.begin_again(why):
            return False
        self.occupant = None
        self._expect_hello()
        self.flush()
        return True

    def say_bye(self) -> None:
        """Say ``bye``, and close when the client answers it, or LINGER seconds later."""
        self.occupant = None
        self.is_leaving = True
        self.session.bye()
        self.flush()
        if self.session.LINGER:
            self._expect(
                self.session.LINGER, partial(self.close, f"{UNANSWERED}, within {self.session.LINGER:g} seconds")
            )
        else:
            self.close()

    def interrupt(self, outlook: Interruption) -> None:
        """Leave a game that is not over, say what becomes of it, and close: the server stops."""
        self._lose_place()
        try:
            self.session.interrupt(outlook)
            self.close()
        except Exception:  # as in receive: the other players come next
            self.break_down()

    def dismiss(self) -> None:
        """Leave the place, say ``bye`` and close at once."""
        self.left()
        try:
            if not self.is_leaving:
                self.session.bye()
            self.close()
        except Exception:  # as in receive: a server that stops dismisses the others next
            self.break_down()

    def fail(self, message: str) -> None:
        """Leave the place, send an error, and close. The error may quote the client, but not its secrets."""
        message = without_secrets(message)
        # Not under the name "message", which Twisted's older observers replace.
        if self.may_log(Said.CLOSED):
            self._log.info("{peer}: closed: {why}", peer=self.peer, why=message)
        self._reject(message)

    def violate(self, message: str) -> None:
        """Fail, because the client has broken the protocol: its host may not do that too often."""
        self.count_violation()
        self.fail(message)

    def count_violation(self) -> None:
        """Count that the client has broken the protocol."""
        self._takes(self._connections.violations)

    def fail_safely(self, message: str) -> None:
        """Fail after a bug of the server in this client's messages; cut the client if failing raises too."""
        try:
            self.fail(message)
        except Exception:
            self.break_down()

    def leave(self) -> None:
        """Leave the place, and close when everything is sent."""
        self._lose_place()
        self.close()

    def cut(self) -> None:
        """Close at once; unsent messages are lost."""
        self.is_closing = True
        self.carrier.cut()

    def close(self, why: str | None = None) -> None:
        """Close when everything is sent, or after CLOSE_SECONDS; the trace says why."""
        if self.is_closing:
            return
        if why is not None and self.trace is not None:
            self.trace.remark(why)
        self.is_closing = True
        self.session.close()
        self.flush()
        if self._deadline is not None and self._deadline.active():
            self._deadline.cancel()
        self.carrier.end()

    def report(self, what: str) -> None:
        """Write down what is wrong with the client's message, in the debug log and in its trace."""
        if self._may_log_fault():
            who = self.peer if self.occupant is None else self.occupant.label
            said = "" if self._message is None else f"; it sent: {shown_message(self._message)}"
            self._log.debug("{who}: {what}{said}", who=who, what=what, said=said)
        if self.trace is not None:
            self.trace.remark(what)

    def report_silence(self, what: str) -> None:
        """Write down that the client has not answered in time."""
        self._message = None
        self.report(what)

    def _reject(self, message: str) -> None:
        if self.trace is not None:
            self.trace.remark(f"{CLOSED}: {message}")
        self._lose_place()
        self.carrier.stop_reading()
        self.session.error(message)
        self.close()

    def _lose_place(self) -> None:
        occupant, self.occupant = self.occupant, None
        if occupant is not None:
            occupant.lost()

    def _turn_away(self) -> None:
        self._connections.report_refused(self.peer)
        self._reject(TOO_MANY)

    def displace(self) -> None:
        """Close at once, because another connection needs the place: send an error if the client can take it.

        A client that has said hello waits for a table.
        """
        try:
            self._reject(TOO_MANY if self.occupant is None else TOO_MANY_WAIT)
        finally:
            self.cut()

    # Time

    def _expect(self, seconds: float, otherwise: Callable[[], object]) -> None:
        """Call a function in this many seconds, in place of the one scheduled before."""
        if self._deadline is not None and self._deadline.active():
            self._deadline.cancel()
        self._deadline = self._clock.callLater(seconds, otherwise)

    def _expect_hello(self) -> None:
        seconds, missing = self.limits.hello_seconds, "no hello"
        if self.session.is_person:
            seconds, missing = max(PERSON_HELLO_SECONDS, seconds), "no game chosen"
        self._expect(seconds, lambda: self.fail(f"{missing} in {seconds} seconds"))

    def _arm(self, due: float) -> None:
        """Schedule the session's next tick. An earlier call stays: it finds nothing to do, and schedules the next."""
        wake = self._wake
        if wake is None or not wake.active():
            self._wake = self._clock.callLater(max(0.0, due - self._clock.seconds()), self._tick)
        elif due < wake.getTime():
            wake.reset(max(0.0, due - self._clock.seconds()))

    def _tick(self) -> None:
        self._message = None
        try:
            received = self.session.tick(self._clock.seconds())
            if received is not None:
                self._act(received)
            self.flush()
        except Exception:  # as in receive
            self.break_down()

    def break_down(self) -> None:
        """Log the current exception, a bug of the server, and cut the client."""
        self._log.failure("{peer}: internal error", peer=self.peer)
        self.cut()

    def _act(self, received: Received) -> None:
        """Act on what a message means."""
        occupant = self.occupant
        if isinstance(received, Answered):  # the two frequent ones, before the slower match
            if occupant is not None:
                if received.note is not None:
                    occupant.noted(received.number, received.note)
                if received.flaw is not None:
                    self.report(f"{REFUSED}: {received.flaw.value}; {occupant.asked}; the server declares the riichi")
                occupant.answered(received.number, received.answer, is_automatic=received.is_automatic)
            return
        if isinstance(received, InStep):  # in lock-step, most messages need no answer
            if received.why is not None:
                self._report_stale(received.why)
            if occupant is not None:
                occupant.heard(is_stale=False)
            return
        match received:
            case Stale(why):
                self._drop(why)
            case Unreadable(number, flaw):
                if flaw:
                    self.report(f"{UNREADABLE}: {flaw}")
                if occupant is not None:
                    occupant.answered(number, None)
            case Introduced(introduction):
                self._introduce(introduction)
            case Switched(session, meant):
                self._switch(session)
                self._act(meant)
            case Pinged():
                self._count_useless()
            case Farewell():
                self.dismiss()
            case Ordered():
                self._take_order(received)
            case Violated(message):
                self.violate(message)
            case _:
                assert_never(received)

    def _switch(self, session: Session) -> None:
        """Go on with the session of another dialect, which has not been introduced yet."""
        self.session = session
        self._expect_hello()

    def _introduce(self, introduction: Introduction) -> None:
        """Find a place for a client that has said hello."""
        if self._deadline is not None and self._deadline.active():
            self._deadline.cancel()
        self._host.welcome(self, introduction)

    def _drop(self, why: Staleness) -> None:
        """Drop a message that answers nothing; close after too many of them in one second."""
        self._count_useless(1 + len(self._message or b"") // (IDLE_BYTES + 1))
        if self.useless.number <= IDLE_REPORTED:
            self._report_stale(why)
        if self.occupant is not None:
            self.occupant.heard(is_stale=why is not Staleness.EMPTY)

    def _count_useless(self, cost: int = 1) -> None:
        """Count a message that answers nothing; close after too many of them in one second."""
        if self.useless.are_too_many(self._clock.seconds(), cost):
            self.violate("too many lines that answer nothing")

    def _take_order(self, given: Ordered) -> None:
        """Pass an order on to the table. It costs as much as many useless messages, since others are told of it."""
        self._count_useless(ORDER_COST)
        if self.occupant is not None and not self.is_closing:
            self.occupant.ordered(given)

    def _report_stale(self, why: Staleness) -> None:
        asked = None if self.occupant is None else self.occupant.asked
        self.report(f"{DROPPED}: {why.value}" + (f"; {asked} is open" if asked else ""))
