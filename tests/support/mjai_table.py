"""A table in memory at which mjai sessions and house players sit, with a clock that jumps to what is due.

It does what the network does, and no more: events are told, questions asked, and what a session says is taken once
after each step.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Protocol

from ump.game.game import Game
from ump.model.actions import Action
from ump.model.claims import Claim, Verb
from ump.model.events import Event
from ump.model.seats import Seat
from ump.players.observation import Observation
from ump.players.policy import Policy
from ump.rules.ruleset import Ruleset
from ump.table.clock import TimeControl
from ump.table.faults import Faults
from ump.table.journal_entries import Answered as Played
from ump.table.journal_entries import Cause, Entry, Refused
from ump.table.messages import Ask, Finish, Lapse, Message, Refuse, Tell
from ump.table.table import Table
from ump.table.view import view
from ump.wire.mjai.session_base import MjaiSession
from ump.wire.session import (
    Answered,
    Farewell,
    InStep,
    Introduced,
    Received,
    Render,
    Stale,
    TableInfo,
    Unreadable,
    Violated,
)

START = 1_000.0
LONGEST = 200_000
"""Steps after which a game will not end any more."""


class Told:
    """An event on its way to the seats: a ``OutgoingEvent``."""

    def __init__(self, event: Event) -> None:
        self.event = event

    def seen_by(self, seat: Seat | None) -> Event:
        """Return what the seat may see."""
        return view(self.event, seat)

    def rendered(self, render: Render, seat: Seat | None) -> tuple[str, ...]:
        """Return what is made of that."""
        return render(view(self.event, seat), seat)


class Client(Protocol):
    """What speaks with a session."""

    def hear(self, message: str) -> Sequence[str | bytes]:
        """Take a message, and return what is sent back for it."""


class Mjai:
    """A seat at which a session sits."""

    def __init__(self, session: MjaiSession, client: Client) -> None:
        self.session = session
        self.client = client
        self.heard: list[str] = []
        """Every message to the client."""
        self.received: list[Received] = []
        """What the session made of what the client sent."""
        self.is_gone = False

    def faults(self) -> list[Received]:
        """Return what was received that should not have been said."""
        return [each for each in self.received if isinstance(each, (Stale, Unreadable, Violated))]


class House:
    """A seat at which a policy decides."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self.observation: Observation
        self.open: list[Ask] = []

    def sit(self, seat: Seat, ruleset: Ruleset) -> None:
        """Begin to watch."""
        self.observation = Observation(seat, ruleset)

    def answer(self, ask: Ask) -> Claim | Action:
        """Decide."""
        question = ask.question
        if question is None:
            return Claim(Verb.YES)
        return self.policy.choose(self.observation, question.phase, question.tile, question.legal())


class MjaiTable:
    """One game, from the first event to the farewell."""

    def __init__(
        self,
        game: Game,
        seats: Sequence[Mjai | House],
        times: TimeControl | None = None,
        faults: Faults = Faults.DEFAULT,
    ) -> None:
        self.now = START
        self.entries: list[Entry] = []
        """What was remembered."""
        self.seats = seats
        self.told: list[Event] = []
        self.is_over = False
        self._game = game
        self._inbox: deque[tuple[Seat, bytes]] = deque()
        retries = {seat: each.session.RETRIES for seat, each in enumerate(seats) if isinstance(each, Mjai)}
        clients = set(retries)
        times = times or TimeControl(10.0, 20.0)
        self.table = Table(game, times, self.entries.append, clients, retries=retries, faults=faults)

    def begin(self) -> MjaiTable:
        """Let all introduce themselves and sit down, and begin the game."""
        for seat, each in enumerate(self.seats):
            if isinstance(each, House):
                each.sit(seat, self._game.ruleset)
                continue
            each.session.greet()
            self._flush(seat)
            while self._inbox:
                self._take(*self._read())
            while each.session.due() is not None:
                received = each.session.tick(self.now)
                assert received is not None
                self._take(seat, received)
            assert any(isinstance(received, Introduced) for received in each.received)
        for seat, each in enumerate(self.seats):
            if isinstance(each, Mjai):
                each.session.sit(seat, TableInfo("main-1", self._game.ruleset))
        self._pass_on(self.table.begin(self.now))
        return self

    def play(self) -> MjaiTable:
        """Play until the game is over and nobody has anything to say any more."""
        for _ in range(LONGEST):
            if not self.step():
                return self
        raise AssertionError("the game does not end")

    def step(self) -> bool:
        """Take what was sent, or let time pass; tell whether there was anything to do."""
        if self._inbox:
            self._take(*self._read())
            return True
        for seat, each in enumerate(self.seats):
            if isinstance(each, House) and each.open:
                ask = each.open.pop(0)
                self._pass_on(self.table.answer(seat, ask.number, each.answer(ask), self.now))
                return True
        return self._let_time_pass()

    @property
    def refused(self) -> list[Refused]:
        """The answers that did not count."""
        return [entry for entry in self.entries if isinstance(entry, Refused)]

    @property
    def defaulted(self) -> list[Played]:
        """What was played for those who gave no answer that counted."""
        return [entry for entry in self.entries if isinstance(entry, Played) and entry.cause is not Cause.ANSWER]

    def _read(self) -> tuple[Seat, Received]:
        seat, message = self._inbox.popleft()
        return seat, self._mjai(seat).session.receive(message, self.now)

    def _mjai(self, seat: Seat) -> Mjai:
        each = self.seats[seat]
        assert isinstance(each, Mjai)
        return each

    def _let_time_pass(self) -> bool:
        """Go to the next instant at which anybody wants to do something."""
        dues = {
            seat: due
            for seat, each in enumerate(self.seats)
            if isinstance(each, Mjai) and not each.is_gone and (due := each.session.due()) is not None
        }
        due = self.table.due()
        if self.is_over or (due is None and not dues):
            return not self.is_over
        self.now = max(self.now, min([*dues.values(), *([] if due is None else [due])]))
        for seat, instant in dues.items():
            if instant <= self.now:
                received = self._mjai(seat).session.tick(self.now)
                if received is not None:
                    self._take(seat, received)
                else:
                    self._flush(seat)
                return True
        self._pass_on(self.table.tick(self.now))
        return True

    def _take(self, seat: Seat, received: Received) -> None:
        """Do what a thing received means."""
        each = self._mjai(seat)
        each.received.append(received)
        match received:
            case Answered():
                self._pass_on(self.table.answer(seat, received.number, received.answer, self.now))
            case Unreadable():
                self._pass_on(self.table.answer(seat, received.number, None, self.now))
            case InStep() | Stale():
                self.table.heard(seat, is_stale=isinstance(received, Stale))
            case Farewell():
                each.is_gone = True
            case Violated():
                each.is_gone = True
                each.session.error(received.message)
                self._pass_on(self.table.leave(seat, self.now))
            case Introduced():
                pass
        self._flush(seat)

    def _pass_on(self, messages: list[Message]) -> None:
        """Let all hear what the table wants to be said, and send it."""
        for message in messages:
            match message:
                case Tell():
                    self._tell(message.event)
                case Ask():
                    self._ask(message)
                case Finish():
                    self.is_over = True
                    for each in self.seats:
                        if isinstance(each, Mjai):
                            each.session.bye()
                case _:
                    self._close(message)
        for seat in range(len(self.seats)):
            self._flush(seat)

    def _tell(self, event: Event) -> None:
        self.told.append(event)
        for seat, each in enumerate(self.seats):
            if isinstance(each, House):
                each.observation.see(view(event, seat))
            else:
                each.session.tell(Told(event), self.now)

    def _ask(self, ask: Ask) -> None:
        each = self.seats[ask.seat]
        if isinstance(each, House):
            each.open.append(ask)
        else:
            each.session.ask(ask.number, ask.question, ask.move, ask.bank, self.now)

    def _close(self, message: Lapse | Refuse) -> None:
        each = self.seats[message.seat]
        if isinstance(each, House):
            each.open = [ask for ask in each.open if ask.number != message.number]
        elif isinstance(message, Lapse):
            each.session.lapse(message.number, self.now, by_time=message.by_time)
        else:
            each.session.refuse(message.number, message.reason, self.now)

    def _flush(self, seat: Seat) -> None:
        """Send what a session has said, and hear what its client says to that."""
        each = self.seats[seat]
        if isinstance(each, House):
            return
        for text in each.session.take():
            assert text.isascii()
            assert "\n" not in text
            each.heard.append(text)
            for reply in [] if each.is_gone else each.client.hear(text):
                self._inbox.append((seat, reply if isinstance(reply, bytes) else reply.encode()))
