"""A running table without a network: the real host, sessions in memory, and a clock that jumps to the next due instant.

After the game every recorded step is replayed in a second host: the entries must be enough to rebuild the table.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from copy import deepcopy
from math import ceil
from typing import Protocol

from ump.game.game import Game
from ump.model.events import Event
from ump.model.seats import Seat
from ump.players.policy import Policy
from ump.table.clock import TimeControl
from ump.table.journal_entries import ActionTaken, AnswerRefused, Cause, Entry, Faults
from ump.table.messages import Answer, Begin, Heard, Input, Leave, Tell, Tick
from ump.table.receivers import BuiltinBot, Receiver, SeatedBot, SeatedClient
from ump.table.table import Step, Table
from ump.table.table_host import TableHost
from ump.wire.session import (
    Answered,
    Farewell,
    InStep,
    Introduced,
    Received,
    Session,
    Stale,
    TableInfo,
    Unreadable,
    Violated,
)

START = 1_000_000
"""The instant at which every game begins, in milliseconds."""
TABLE = "main-1"

MAX_STEPS = 200_000
"""Steps after which a game counts as endless."""


class Client(Protocol):
    """The program behind a session."""

    def hear(self, message: str) -> Sequence[str | bytes]:
        """Take a message, and return the replies to it."""


class SessionSeat:
    """A session at a seat, with its client."""

    def __init__(self, session: Session, client: Client) -> None:
        self.session = session
        self.client = client
        self.heard: list[str] = []
        """Every message to the client."""
        self.received: list[Received] = []
        """The results of the session for the client's messages."""
        self.inbox: deque[tuple[SessionSeat, bytes]] = deque()
        """Messages of clients that no session has read yet; shared by all seats of a table."""
        self.is_gone = False
        """Whether the client has left or was turned away."""

    def send(self, messages: list[str]) -> None:
        """Deliver messages to the client, and queue its replies."""
        for text in messages:
            assert text.isascii()
            assert "\n" not in text
            self.heard.append(text)
            if not self.is_gone:
                replies = self.client.hear(text)
                self.inbox += [(self, reply if isinstance(reply, bytes) else reply.encode()) for reply in replies]

    def faults(self) -> list[Received]:
        """Return the client's messages that were stale, unreadable or against the protocol."""
        return [each for each in self.received if isinstance(each, (Stale, Unreadable, Violated))]


class PolicySeat:
    """A built-in bot at a seat."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy


class HostedTable:
    """One game, from the first message to the farewell."""

    def __init__(
        self,
        game: Game,
        seats: Sequence[SessionSeat | PolicySeat],
        times: TimeControl | None = None,
        faults: Faults = Faults.DEFAULT,
        *,
        pass_secret: str | None = None,
    ) -> None:
        self.now = START
        self.seats = seats
        self.entries: list[Entry] = []
        """All entries."""
        self.events: list[Event] = []
        """All events, with hidden tiles."""
        self._steps: list[tuple[list[Entry], int]] = []
        self._game = game
        self._twin = deepcopy(game)
        self._inbox: deque[tuple[SessionSeat, bytes]] = deque()
        for each in seats:
            if isinstance(each, SessionSeat):
                each.inbox = self._inbox
        clients = {seat: each.session.RETRIES for seat, each in enumerate(seats) if isinstance(each, SessionSeat)}
        times = times or TimeControl(10.0, 20.0)
        self._new_table: Callable[[Game], Table] = lambda game: Table(
            game, times, set(clients), retries=clients, faults=faults, pass_secret=pass_secret
        )
        self._host = self._new_host()

    def _new_host(self) -> TableHost:
        return TableHost(self._new_table(self._game), [self._receiver(seat) for seat in range(len(self.seats))])

    def _receiver(self, seat: Seat) -> Receiver:
        each = self.seats[seat]
        if isinstance(each, SessionSeat):
            return SeatedClient(each, seat)
        return SeatedBot(BuiltinBot(each.policy, seat, self._game.ruleset), seat)

    @property
    def seconds(self) -> float:
        """The same instant as ``now``, in seconds, as sessions count time."""
        return self.now / 1_000

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return self._host.table.end is not None

    @property
    def refused(self) -> list[AnswerRefused]:
        """The refused answers."""
        return [entry for entry in self.entries if isinstance(entry, AnswerRefused)]

    @property
    def played(self) -> list[ActionTaken]:
        """Every action that was played."""
        return [entry for entry in self.entries if isinstance(entry, ActionTaken)]

    @property
    def defaulted(self) -> list[ActionTaken]:
        """The actions that were not answers of clients or bots."""
        return [entry for entry in self.played if entry.cause is not Cause.ANSWER]

    def begin(self, first: Sequence[str] = ()) -> HostedTable:
        """Let every client introduce itself and sit, and begin the game; ``first``: what the only client says first."""
        for seat, each in enumerate(self.seats):
            if isinstance(each, SessionSeat):
                self._inbox += [(each, message.encode()) for message in first]
                self._introduce(seat, each)
        self._host = self._new_host()  # a hello may have changed the session
        for seat, each in enumerate(self.seats):
            if isinstance(each, SessionSeat):
                each.session.sit(seat, TableInfo(TABLE, self._game.ruleset))
        self._take(Begin())
        return self

    def _introduce(self, seat: Seat, each: SessionSeat) -> None:
        each.session.greet()
        self._flush(seat)
        while self._inbox:
            self._receive()
        while each.session.due() is not None:
            received = each.session.tick(self.seconds)
            assert received is not None
            self._act(seat, received)
        assert any(isinstance(received, Introduced) for received in each.received)

    def play(self) -> HostedTable:
        """Play until the game is over and no session has anything left to do."""
        for _ in range(MAX_STEPS):
            if not self.step():
                self._check_replay()
                return self
        raise AssertionError("the game does not end")

    def step(self) -> bool:
        """Take a client's message, or let time pass; return whether there was anything to do."""
        if self._inbox:
            self._receive()
            return True
        dues = {
            seat: ceil(due * 1_000)
            for seat, each in enumerate(self.seats)
            if isinstance(each, SessionSeat) and not each.is_gone and (due := each.session.due()) is not None
        }
        due = self._host.due(self.now)
        if due is None and not dues:
            assert self.is_over, "nothing is due before the end"
            return False
        self.now = max(self.now, min([*dues.values(), *([] if due is None else [due])]))
        seat = next((seat for seat, instant in dues.items() if instant <= self.now), None)
        if seat is None:
            self._take(Tick())
        else:
            received = self._seated(seat).session.tick(self.seconds)
            if received is not None:
                self._act(seat, received)
            self._flush(seat)
        return True

    def _seated(self, seat: Seat) -> SessionSeat:
        each = self.seats[seat]
        assert isinstance(each, SessionSeat)
        return each

    def _receive(self) -> None:
        each, message = self._inbox.popleft()
        self._act(self.seats.index(each), each.session.receive(message, self.seconds))

    def _act(self, seat: Seat, received: Received) -> None:
        """Act on a client's message, as a connection does."""
        each = self._seated(seat)
        each.received.append(received)
        match received:
            case Answered(number, answer):
                self._take(Answer(seat, number, answer, received.is_automatic))
            case Unreadable(number):
                self._take(Answer(seat, number, None))
            case InStep() | Stale():
                self._take(Heard(seat, isinstance(received, Stale)))
            case Violated(message):
                each.is_gone = True
                each.session.error(message)
                self._take(Leave(seat))
            case Farewell():
                each.is_gone = True
                self._flush(seat)
                each.session.close()
            case Introduced():
                pass
        self._flush(seat)

    def _take(self, given: Input) -> None:
        """Let the host take one input: compute, record, deliver."""
        was_over = self.is_over
        step = self._host.step(given, self.now)
        self.note(step)
        if step.entries:
            self._steps.append((step.entries, self.now))
            self.entries += step.entries
        delivery = self._host.deliver(step, self.now, self.seconds)
        for failure in delivery.failures:
            raise failure.error
        self.events += [message.event for message in step.messages if isinstance(message, Tell)]
        for client, messages in delivery.sent:
            client.send(messages)
        if self.is_over and not was_over:
            for seat, each in enumerate(self.seats):
                if isinstance(each, SessionSeat):
                    each.session.bye()
                    self._flush(seat)

    def note(self, step: Step) -> None:
        """Note a step before it is delivered."""

    def _flush(self, seat: Seat) -> None:
        each = self._seated(seat)
        each.send(each.session.take())

    def _check_replay(self) -> None:
        """Rebuild the table from its entries, and compare the end."""
        host = TableHost(self._new_table(self._twin), [])
        for entries, now in self._steps:
            host.replay(entries, now)
        assert host.table.end is self._host.table.end
        assert self._twin.points == self._game.points
