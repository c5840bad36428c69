"""A table with a manual clock, driven by short written orders and checked at every step.

``Sitting`` sees what the host sees, and checks each message: at most one question per seat, growing numbers, nothing
after the end. A second table applies the recorded input of each step: it must come to the same entries, messages and
clocks, so what is recorded is enough to rebuild the table at any step.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TypeVar

from support.scenario import VERBS, game_of, laid

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
from ump.table.journal_entries import ActionTaken, AnswerRefused, Entry, FaultCommitted
from ump.table.messages import Ask, Finish, Lapse, Message, Refuse, Tell
from ump.table.outcomes import Cause, End, Faults
from ump.table.table import Step, Table

M = TypeVar("M", Ask, Finish, Lapse, Refuse, Tell)

START = 1_000.0
"""The instant at which every sitting begins."""

UNREADABLE = "?"
"""Written in place of an answer: one that cannot be read."""

MAX_STEPS = 20_000
"""Steps after which a game will not end any more."""


class TableDriver:
    """One game at a table: whoever is asked has so many seconds, and only orders make the clock go."""

    def __init__(
        self,
        deal: Callable[[], Game],
        times: TimeControl | None = None,
        clients: Collection[Seat] | None = None,
        *,
        retries: Mapping[Seat, int] | None = None,
        faults: Faults = Faults.DEFAULT,
    ) -> None:
        """Begin the game that ``deal`` makes; it must make the same one each time (10+20 unless told)."""
        self.now = START
        self.entries: list[Entry] = []
        """What was recorded."""
        self.open: dict[Seat, Ask] = {}
        """The questions that wait for an answer, as far as those who are asked were told."""
        self.mute = ""
        """The letters of those who answer nothing when defaults are played."""
        self.messages: list[Message] = []
        self.last: list[Message] = []
        """What the last step brought about."""
        self.end: End | None = None
        self.game = deal()
        times = times or TimeControl(10.0, 20.0)
        self.table = Table(self.game, times, clients, retries=retries, faults=faults)
        self._twin = Table(deal(), times, clients, retries=retries, faults=faults)
        self._numbers = 0
        self._take(self.table.begin(self.now))

    def __call__(self, *orders: str) -> TableDriver:
        """Carry out orders such as ``A sute 5m``, ``B no`` or ``C ?`` for an answer that cannot be read."""
        for order in orders:
            letter, *words = order.split()
            self.answer(LETTERS.index(letter), None if words == [UNREADABLE] else claim_of(words))
        return self

    def answer(self, seat: Seat, answer: Claim | Action | None, number: int | None = None) -> list[Message]:
        """Answer the open question of a seat, or the one of this number."""
        asked = self.open.get(seat)
        if number is None:
            assert asked is not None, f"{LETTERS[seat]} is not asked"
            number = asked.number
        step = self.table.answer(seat, number, answer, self.now)
        messages = step.messages
        closed = {(message.seat, message.number) for message in messages if isinstance(message, Refuse | Lapse)}
        if asked is not None and asked.number == number and (seat, number) not in closed:
            del self.open[seat]
        return self._take(step)

    def ready(self) -> TableDriver:
        """Let everybody who is asked be ready."""
        for seat in [seat for seat, ask in self.open.items() if ask.question is None]:
            self.answer(seat, Claim(Verb.YES))
        return self

    def defaults(self) -> TableDriver:
        """Let everybody who is asked now, and is not mute, answer what the default would be."""
        for seat, ask in tuple(self.open.items()):
            if self.open.get(seat) is ask and LETTERS[seat] not in self.mute:
                question = ask.question
                self.answer(seat, Claim(Verb.YES) if question is None else question.default())
        return self

    def until(self, phase: Phase | None) -> TableDriver:
        """Play defaults until somebody is asked this (None: ``ready?``)."""
        for _ in range(MAX_STEPS):
            for step in (self.defaults, self.tick):
                if any(phase is _phase_of(ask) for ask in self.open.values()):
                    return self
                step()
        raise AssertionError(f"nobody is asked {phase}")

    def until_asked(self, letter: str) -> TableDriver:
        """Let the others play defaults until this seat is asked."""
        seat = LETTERS.index(letter)
        for _ in range(MAX_STEPS):
            if seat in self.open:
                return self
            self.defaults()
        raise AssertionError(f"{letter} is never asked")

    def to_the_end(self) -> TableDriver:
        """Play defaults until the game is over; whoever is absent or silent is played by the table."""
        for _ in range(MAX_STEPS):
            if self.table.end is not None:
                return self
            self.defaults().tick()
        raise AssertionError("the game does not end")

    def wait(self, seconds: float) -> list[Message]:
        """Let time pass, and the table act whenever it wants to."""
        until = self.now + seconds
        messages: list[Message] = []
        while (due := self.table.due()) is not None and due <= until:
            self.now = max(self.now, due)
            messages += self.tick()
        self.now = until
        self.last = messages
        return messages

    def tick(self) -> list[Message]:
        """Let the table act once."""
        before = len(self.entries)
        messages = self._take(self.table.tick(self.now))
        causes = [entry.cause for entry in self.entries[before:] if isinstance(entry, ActionTaken)]
        assert causes.count(Cause.ABSENT) <= 1, "one decision for an absent seat at a time"
        return messages

    def hear(self, letter: str) -> list[Message]:
        """Let a seat send something that answers no question."""
        return self._take(self.table.heard(LETTERS.index(letter), self.now))

    def leave(self, letter: str) -> list[Message]:
        """Let a seat's connection go."""
        seat = LETTERS.index(letter)
        self.open.pop(seat, None)
        return self._take(self.table.leave(seat, self.now))

    def said(self, kind: type[M]) -> list[M]:
        """Return what the last step brought about, of one kind."""
        return [message for message in self.last if isinstance(message, kind)]

    @property
    def told(self) -> list[Event]:
        """All events so far."""
        return [message.event for message in self.messages if isinstance(message, Tell)]

    @property
    def asked(self) -> str:
        """The letters of those who are asked, in the order of the alphabet."""
        return "".join(LETTERS[seat] for seat in sorted(self.open))

    @property
    def phase(self) -> Phase | None:
        """What is asked now; None: ``ready?``."""
        (phase,) = {_phase_of(ask) for ask in self.open.values()}
        return phase

    @property
    def accepted(self) -> list[str]:
        """What the game took for an answer, as ``A Discard answer``."""
        return [
            f"{LETTERS[entry.seat]} {type(entry.action).__name__} {entry.cause.value}"
            for entry in self.entries
            if isinstance(entry, ActionTaken)
        ]

    @property
    def refused(self) -> list[str]:
        """What the table refused, as ``A unreadable``."""
        refused = [entry for entry in self.entries if isinstance(entry, AnswerRefused)]
        return [f"{LETTERS[entry.seat]} {entry.reason.value}" for entry in refused]

    @property
    def fouled(self) -> list[str]:
        """The faults that the room punished, as ``A unreadable``."""
        faults = [entry for entry in self.entries if isinstance(entry, FaultCommitted)]
        return [f"{LETTERS[entry.seat]} {entry.reason.value}" for entry in faults]

    def _take(self, step: Step) -> list[Message]:
        """Take the messages of a step as the host would, and check each of them."""
        self._check_twin(step)
        self.entries += step.entries
        for message in step.messages:
            assert self.end is None, "nothing follows the end"
            match message:
                case Ask():
                    assert message.number > self._numbers, "numbers grow"
                    assert message.seat not in self.open, "one question at a time"
                    self._numbers = message.number
                    self.open[message.seat] = message
                case Lapse() | Refuse():
                    assert self.open.pop(message.seat).number == message.number, "only what is open is closed"
                case Finish():
                    self.open.clear()
                    self.end = message.end
            self.messages.append(message)
        assert (self.table.due() is None) == (self.table.end is not None), "a seat is asked until the end"
        self.last = step.messages
        return step.messages

    def _check_twin(self, step: Step) -> None:
        """Let the twin take the recorded input, and compare everything."""
        if not step.entries:
            assert not step.messages, "a step that changes nothing says nothing"
        else:
            twin = self._twin.apply(step.entries[0], self.now)
            assert twin.entries == step.entries
            assert list(map(_comparable, twin.messages)) == list(map(_comparable, step.messages))
        assert _state_of(self._twin) == _state_of(self.table)


def _comparable(message: Message) -> object:
    """Return a message as a value: a question belongs to its own game."""
    if not isinstance(message, Ask):
        return message
    question = message.question
    said = None if question is None else (question.phase, question.tile, question.legal())
    return message.seat, message.number, message.move, message.bank, said


def _state_of(table: Table) -> object:
    """Return everything that an answer to the table depends on, but for the game itself."""
    return (
        table.end,
        table.due(),
        [
            (chair.clock.bank, chair.is_here, chair.silent, chair.timeouts, chair.refusals, _asking_of(chair))
            for chair in table.chairs
        ],
    )


def _asking_of(chair: Chair) -> object:
    asked = chair.open
    return asked and (asked.number, asked.asked, asked.deadline, asked.retries)


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
) -> TableDriver:
    """Sit down to a game whose every kyoku has these hands by letter, and these draws, and be ready."""
    wall = laid(hands, draws)
    seats = None if clients is None else {LETTERS.index(letter) for letter in clients}
    return TableDriver(lambda: game_of(rules or Ruleset(), wall), times, seats, retries=retries, faults=faults).ready()
