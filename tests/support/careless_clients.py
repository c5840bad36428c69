"""A hosted table without sessions' dialects in the way: two clients, two built-in bots, and every step kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random

from ump.model.claims import Claim, Verb
from ump.model.events import KyokuStarted
from ump.model.seats import LETTERS, Seat
from ump.players.policy import POLICIES
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Length, Ruleset
from ump.table.chair import BeforeKyoku, Chair
from ump.table.clock import TimeControl
from ump.table.journal_entries import Entry
from ump.table.messages import Answer, Ask, Drop, Heard, Input, Leave, Message, Release, Return, Tell, Tick
from ump.table.opening import Opening, TableSettings
from ump.table.receivers import BuiltinBot, Receiver, SeatedBot, SeatedClient, replacements
from ump.table.table import Step, Table
from ump.table.table_host import Delivery, TableHost
from ump.wire.session import Session, TableInfo
from ump.wire.ump.sentences01 import Hello
from ump.wire.ump.session import UmpSession

CLIENTS = (0, 2)
OPENING = Opening(
    name="main-1",
    ruleset=replace(PRESETS["ump"], length=Length.KYOKU),
    players=tuple(LETTERS),
    secret="host",
    times=TimeControl(5.0, 10.0),
    clients=CLIENTS,
    retries=(2, 0, 2, 0),
    settings=TableSettings(grace=0.0, refusals=0),
)


PERSON = "_person=1"
"""The option with which a client says that a person uses it."""


class Client:
    """A client with a session past its hello."""

    def __init__(self, seat: Seat | None, session: Session | None = None, *, options: str = "") -> None:
        self.session = session or UmpSession(Hello(()))
        self.lines: list[str] = []
        self.session.greet()
        self.session.receive(f"0 hello name=x {options}".encode(), 0.0)
        self.session.take()
        if seat is None:
            self.session.watch()
        else:
            self.session.sit(seat, TableInfo("main-1", OPENING.ruleset))

    def send(self, messages: list[str]) -> None:
        """Keep messages."""
        self.lines += messages


def bot(seat: Seat, ruleset: Ruleset = OPENING.ruleset) -> SeatedBot:
    """Seat a built-in bot."""
    return SeatedBot(BuiltinBot(POLICIES["tsumogiri"](), seat, ruleset), seat)


class Hosted:
    """A host with two clients and two built-in bots, whose steps are all kept."""

    def __init__(self, opening: Opening = OPENING, *extra: Receiver, person: Seat | None = None) -> None:
        self.opening = opening
        self.clients = {seat: Client(seat, options=PERSON if seat == person else "") for seat in CLIENTS}
        receivers = [SeatedClient(client, seat) for seat, client in self.clients.items()]
        bots = [bot(seat, opening.ruleset) for seat in range(opening.ruleset.seats) if seat not in CLIENTS]
        self.host = TableHost(opening.table(), [*receivers, *bots, *extra], opening.bot_delays(), replacements(opening))
        self.now = 1_000_000
        self.shows_at_once = True
        """Whether spectators receive each step at once."""
        self.steps: list[tuple[list[Entry], int]] = []
        self.open: dict[Seat, Ask] = {}
        self.last = Delivery([], [], [])
        self.started: BeforeKyoku | None = None
        """The state before the kyoku that the last step has started."""

    def take(self, given: Input) -> Step:
        """Take an input: compute the step, keep its entries, and deliver it."""
        step = self.host.step(given, self.now)
        if step.entries:
            self.steps.append((step.entries, self.now))
        self.last = self.host.deliver(step, self.now, self.now / 1_000)
        for client, lines in self.last.sent:
            client.send(lines)
        if self.shows_at_once:
            self.show()
        self._note(step.messages)
        events = [message.event for message in step.messages if isinstance(message, Tell)]
        is_start = any(isinstance(event, KyokuStarted) for event in events)
        self.started = self.host.table.kyoku_start if is_start else None
        return step

    def show(self, most: int = 100) -> Delivery:
        """Let spectators receive what they have missed."""
        shown = self.host.show(most, self.now / 1_000)
        for client, lines in shown.sent:
            client.send(lines)
        return shown

    def _note(self, messages: Sequence[Message]) -> None:
        for message in messages:
            if isinstance(message, Release):
                self.open.pop(message.seat, None)
            elif isinstance(message, Ask) and message.seat in CLIENTS and message.seat not in self.host._bots:
                self.open[message.seat] = message

    def tick(self) -> None:
        """Move the clock to the next due instant, and tick."""
        due = self.host.due(self.now)
        assert due is not None
        self.now = max(self.now, due)
        self.take(Tick())

    def play(self) -> Hosted:
        """Let clients answer with the default at once, until the game is over."""
        while self.host.table.end is None:
            self._answer_or_tick()
        return self

    def _answer_or_tick(self) -> None:
        if not self.open:
            self.tick()
            return
        seat, ask = self.open.popitem()
        question = ask.question
        self.take(Answer(seat, ask.number, Claim(Verb.YES) if question is None else question.default()))

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return self.host.table.end is not None


def careless(hosted: Hosted, chance: Random) -> Iterator[Input]:
    """Yield inputs of careless clients: late, stale, illegal, unreadable and missing answers; lost connections."""
    drops_at = chance.randrange(20, 200)
    returns_at = drops_at + chance.randrange(60)
    leaves_at = chance.randrange(50, 400)
    for number in range(100_000):
        if hosted.is_over:
            return
        if number == leaves_at:
            hosted.open.pop(2, None)
            yield Leave(2)
        elif number == drops_at:
            hosted.open.pop(0, None)
            yield Drop(0)
        elif number == returns_at:
            hosted.last = hosted.host.seat(Client(0), 0, hosted.now / 1_000)
            yield Return(0, 1)
        elif hosted.open and chance.random() < 0.8:
            seat, ask = hosted.open.popitem()
            yield from answers(hosted, seat, ask, chance)
        elif chance.random() < 0.1:
            yield Heard(chance.choice(CLIENTS), chance.random() < 0.5)
        else:
            hosted.now = max(hosted.now, hosted.host.due(hosted.now) or hosted.now)
            yield Tick()


def answers(hosted: Hosted, seat: Seat, ask: Ask, chance: Random) -> Iterator[Input]:
    """Yield the inputs of a client at a seat after a question."""
    question = ask.question
    legal = Claim(Verb.YES) if question is None else chance.choice(question.legal())
    match chance.choices(["answer", "late", "silent", "stale", "illegal", "unreadable"], [80, 3, 3, 4, 5, 5])[0]:
        case "answer":
            hosted.now += chance.randrange(1_000)
            yield Answer(seat, ask.number, legal)
        case "late":
            hosted.now += 30_000
            yield Answer(seat, ask.number, legal)
        case "stale":
            yield Answer(seat, ask.number - 1, legal)
            yield Answer(seat, ask.number, legal)
        case "illegal":
            yield Answer(seat, ask.number, Claim(Verb.KAN))
        case "unreadable":
            yield Answer(seat, ask.number, None)


def state_of(host: TableHost) -> object:
    """Return the state on which the next step depends."""
    table: Table = host.table
    chairs = [
        (chair.presence, chair.grace, chair.silent, chair.clock.bank, chair.timeouts, +chair.refusals, asked_of(chair))
        for chair in table.chairs
    ]
    undecided = [(seat, ask.number) for seat, ask in host._undecided.items()]
    paces = [None if chair.pace is None else chair.pace.state for chair in table.chairs]
    return table.end, table.due(), chairs, paces, undecided, table.game.points, tuple(host._history)


def asked_of(chair: Chair) -> object:
    """Return the open question of a seat as a value."""
    asked = chair.open
    if asked is None:
        return None
    legal = None if asked.question is None else asked.question.legal()
    return asked.number, asked.deadline, asked.retries, asked.is_held, legal


def bare(opening: Opening) -> TableHost:
    """Return a host without clients, to rebuild a table in."""
    return TableHost(opening.table(), [bot(1), bot(3)], takeover=replacements(opening))
