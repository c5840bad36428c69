"""A table with a manual clock, driven by short written orders and checked at every step.

``TableDriver`` gets the same messages as the host, and checks each of them: at most one question per seat, growing
numbers, nothing after the end. A second table applies the recorded input of each step, and must have the same entries,
messages and clocks. So the entries are enough to rebuild the table at any step.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TypeVar

from support.scenario import VERBS, game_of

from ump.game.arranged_wall import build_wall
from ump.game.game import Game
from ump.model.actions import Action
from ump.model.claims import Claim, Verb
from ump.model.events import Event
from ump.model.notation import parse_ump_face
from ump.model.phases import Phase
from ump.model.seats import LETTERS, Seat
from ump.rules.ruleset import Ruleset
from ump.table.chair import Chair
from ump.table.clock import TimeControl
from ump.table.journal_entries import ActionTaken, AnswerRefused, Cause, End, Entry, FaultCommitted, Faults
from ump.table.messages import Ask, Finish, Lapse, Message, Refuse, Tell
from ump.table.table import Step, Table

M = TypeVar("M", Ask, Finish, Lapse, Refuse, Tell)

START = 1_000_000
"""The instant at which every game begins."""

UNREADABLE = "?"
"""Written in place of an answer: an unreadable one."""

MAX_STEPS = 20_000
"""Steps after which a game counts as endless."""


class TableDriver:
    """One game at a table. Time passes only when the test says so."""

    def __init__(
        self,
        deal: Callable[[], Game],
        times: TimeControl | None = None,
        clients: Collection[Seat] | None = None,
        *,
        retries: Mapping[Seat, int] | None = None,
        faults: Faults = Faults.DEFAULT,
        grace: int = 0,
        takeover: bool = False,
        refusals: int = 0,
        pass_secret: str | None = None,
    ) -> None:
        """Begin the game that ``deal`` returns, which must be the same each time. The default time is 10+20."""
        self.now = START
        self.entries: list[Entry] = []
        """All entries so far."""
        self.open: dict[Seat, Ask] = {}
        """The open questions, as the messages to the seats show them."""
        self.mute = ""
        """The letters of the seats that ``defaults`` skips."""
        self.messages: list[Message] = []
        self.last: list[Message] = []
        """The messages of the last step."""
        self.end: End | None = None
        self.game = deal()
        times = times or TimeControl(10.0, 20.0)
        self.table, self._twin = (
            Table(
                game,
                times,
                clients,
                retries=retries,
                faults=faults,
                grace=grace,
                takeover=takeover,
                refusals=refusals,
                pass_secret=pass_secret,
            )
            for game in (self.game, deal())
        )
        self._numbers = 0
        self._lost: dict[Seat, int] = {}
        """The numbers of questions that seats without a connection have to be asked again."""
        self._take(self.table.begin(self.now))

    def __call__(self, *orders: str) -> TableDriver:
        """Carry out orders such as ``A sute 5m``, ``B no``, or ``C ?`` for an unreadable answer."""
        for order in orders:
            letter, *words = order.split()
            self.answer(LETTERS.index(letter), None if words == [UNREADABLE] else claim_of(words))
        return self

    def answer(
        self, seat: Seat, answer: Claim | Action | None, number: int | None = None, *, is_automatic: bool = False
    ) -> list[Message]:
        """Answer the open question of a seat, or the question with this number."""
        asked = self.open.get(seat)
        if number is None:
            assert asked is not None, f"{LETTERS[seat]} is not asked"
            number = asked.number
        step = self.table.answer(seat, number, answer, self.now, is_automatic=is_automatic)
        messages = step.messages
        closed = {(message.seat, message.number) for message in messages if isinstance(message, Refuse | Lapse)}
        if asked is not None and asked.number == number and (seat, number) not in closed:
            del self.open[seat]
        return self._take(step)

    def ready(self) -> TableDriver:
        """Answer every open ``ready?``."""
        for seat in [seat for seat, ask in self.open.items() if ask.question is None]:
            self.answer(seat, Claim(Verb.YES))
        return self

    def defaults(self) -> TableDriver:
        """Answer every open question with its default, except those of mute seats."""
        for seat, ask in tuple(self.open.items()):
            if self.open.get(seat) is ask and LETTERS[seat] not in self.mute:
                question = ask.question
                self.answer(seat, Claim(Verb.YES) if question is None else question.default())
        return self

    def until(self, phase: Phase | None) -> TableDriver:
        """Play defaults until a seat gets a question of this phase (None: ``ready?``)."""
        for _ in range(MAX_STEPS):
            for step in (self.defaults, self.tick):
                if any(phase is _phase_of(ask) for ask in self.open.values()):
                    return self
                step()
        raise AssertionError(f"no seat is asked {phase}")

    def until_asked(self, letter: str) -> TableDriver:
        """Let the others play defaults until this seat is asked."""
        seat = LETTERS.index(letter)
        for _ in range(MAX_STEPS):
            if seat in self.open:
                return self
            self.defaults()
        raise AssertionError(f"{letter} is never asked")

    def to_the_end(self) -> TableDriver:
        """Play defaults until the game is over; the table plays absent and silent seats."""
        for _ in range(MAX_STEPS):
            if self.table.end is not None:
                return self
            self.defaults().tick()
        raise AssertionError("the game does not end")

    def wait(self, spent: int) -> list[Message]:
        """Let milliseconds pass, with a tick at each instant that is due; return all messages."""
        until = self.now + spent
        messages: list[Message] = []
        while (due := self.table.due()) is not None and due <= until:
            self.now = max(self.now, due)
            messages += self.tick()
        self.now = until
        self.last = messages
        return messages

    def tick(self) -> list[Message]:
        """Tick once."""
        before = len(self.entries)
        messages = self._take(self.table.tick(self.now))
        causes = [entry.cause for entry in self.entries[before:] if isinstance(entry, ActionTaken)]
        assert causes.count(Cause.ABSENT) <= 1, "more than one decision for absent seats in a tick"
        return messages

    def hear(self, letter: str) -> list[Message]:
        """Note that a seat has sent a message that answers no question."""
        return self._take(self.table.heard(LETTERS.index(letter), self.now, is_stale=False))

    def extend(self, extra: int) -> list[Message]:
        """Give each seat more time in each kyoku, in milliseconds."""
        return self._take(self.table.extend(extra, self.now))

    def leave(self, letter: str) -> list[Message]:
        """Note that a seat's client has left."""
        seat = LETTERS.index(letter)
        self.open.pop(seat, None)
        return self._take(self.table.leave(seat, self.now))

    def drop(self, letter: str) -> list[Message]:
        """Note that a seat's connection is lost."""
        seat = LETTERS.index(letter)
        self._lose_question(seat)
        return self._take(self.table.drop(seat, self.now))

    def come_back(self, letter: str, retries: int = 2) -> list[Message]:
        """Note that a seat's player is connected again."""
        seat = LETTERS.index(letter)
        self._lose_question(seat)
        return self._take(self.table.come_back(seat, retries, self.now))

    def _lose_question(self, seat: Seat) -> None:
        ask = self.open.pop(seat, None)
        if ask is not None:
            self._lost[seat] = ask.number

    def last_of(self, kind: type[M]) -> list[M]:
        """Return the messages of the last step of one kind."""
        return [message for message in self.last if isinstance(message, kind)]

    @property
    def events(self) -> list[Event]:
        """All events so far."""
        return [message.event for message in self.messages if isinstance(message, Tell)]

    @property
    def asked(self) -> str:
        """The letters of the seats that are asked, in alphabetical order."""
        return "".join(LETTERS[seat] for seat in sorted(self.open))

    @property
    def phase(self) -> Phase | None:
        """The phase of the open questions; None for ``ready?``."""
        (phase,) = {_phase_of(ask) for ask in self.open.values()}
        return phase

    @property
    def accepted(self) -> list[str]:
        """The actions that were played, as ``A Discard answer``: seat, action and cause."""
        return [
            f"{LETTERS[entry.seat]} {type(entry.action).__name__} {entry.cause.value}"
            for entry in self.entries
            if isinstance(entry, ActionTaken)
        ]

    @property
    def refused(self) -> list[str]:
        """The refused answers, as ``A unreadable``: seat and reason."""
        refused = [entry for entry in self.entries if isinstance(entry, AnswerRefused)]
        return [f"{LETTERS[entry.seat]} {entry.reason.value}" for entry in refused]

    @property
    def fouled(self) -> list[str]:
        """The faults that the policy punished, as ``A unreadable``: seat and reason."""
        faults = [entry for entry in self.entries if isinstance(entry, FaultCommitted)]
        return [f"{LETTERS[entry.seat]} {entry.reason.value}" for entry in faults]

    def _take(self, step: Step) -> list[Message]:
        """Take the messages of a step as the host does, and check each of them."""
        self._check_twin(step)
        self.entries += step.entries
        for message in step.messages:
            assert self.end is None, "a message after the end"
            match message:
                case Ask():
                    is_repeated = self._lost.pop(message.seat, None) == message.number
                    assert is_repeated or message.number > self._numbers, "the number of a question does not grow"
                    assert message.seat not in self.open, "the seat has an open question already"
                    self._numbers = max(self._numbers, message.number)
                    self.open[message.seat] = message
                case Lapse() | Refuse():
                    assert self.open.pop(message.seat).number == message.number, "the question is not open"
                case Finish():
                    self.open.clear()
                    self.end = message.end
            self.messages.append(message)
        assert (self.table.due() is None) == (self.table.end is not None), "nothing is due before the end"
        self.last = step.messages
        return step.messages

    def _check_twin(self, step: Step) -> None:
        """Let the twin apply the recorded input, and compare entries, messages and state."""
        if not step.entries:
            assert not step.messages, "messages without an entry"
        else:
            twin = self._twin.apply(step.entries[0], self.now)
            assert twin.entries == step.entries
            assert list(map(_comparable, twin.messages)) == list(map(_comparable, step.messages))
        assert _state_of(self._twin) == _state_of(self.table)


def _comparable(message: Message) -> object:
    """Return a message in a form that can be compared between two games."""
    if not isinstance(message, Ask):
        return message
    question = message.question
    said = None if question is None else (question.phase, question.tile, question.legal())
    return message.seat, message.number, message.move, message.bank, said


def _state_of(table: Table) -> object:
    """Return the state of a table, except its game."""
    return (
        table.end,
        table.due(),
        [
            (
                chair.clock.bank,
                chair.presence,
                chair.grace,
                chair.silent,
                chair.timeouts,
                chair.refusals,
                chair.pace and chair.pace.state,
                _asking_of(chair),
            )
            for chair in table.chairs
        ],
    )


def _asking_of(chair: Chair) -> object:
    asked = chair.open
    return asked and (asked.number, asked.asked, asked.deadline, asked.retries, asked.is_held)


def _phase_of(ask: Ask) -> Phase | None:
    return None if ask.question is None else ask.question.phase


def claim_of(words: list[str]) -> Claim:
    """Return the claim of an order: ``sute 5m tsumogiri``, ``ok``."""
    verb, *rest = words
    tiles = tuple(parse_ump_face(word) for word in rest if word != "tsumogiri")
    return Claim(Verb.YES if verb == "ok" else VERBS[verb], tiles, "tsumogiri" in rest)


def drive_table(
    hands: Mapping[str, str],
    draws: str = "",
    times: TimeControl | None = None,
    clients: str | None = None,
    *,
    rules: Ruleset | None = None,
    retries: Mapping[Seat, int] | None = None,
    faults: Faults = Faults.DEFAULT,
    grace: int = 0,
    takeover: bool = False,
) -> TableDriver:
    """Begin a game whose every kyoku has these hands by letter and these draws, and answer ``ready?``.

    ``clients`` are the letters of the seats with clients; by default, all.
    """
    wall = build_wall(hands, draws)
    seats = None if clients is None else {LETTERS.index(letter) for letter in clients}
    return TableDriver(
        lambda: game_of(rules or Ruleset(), wall),
        times,
        seats,
        retries=retries,
        faults=faults,
        grace=grace,
        takeover=takeover,
    ).ready()
