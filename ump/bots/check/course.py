"""The course of a situation: what the client was asked, what it answered, and what it had seen by then."""

from __future__ import annotations

from ump.model.actions import Action, Discard
from ump.model.events import Event
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.tiles import Face
from ump.model.value import value
from ump.rules.questions import Question
from ump.table.journal_entries import ActionTaken, Entry, SeatReady, SeatReturned
from ump.table.outcomes import Cause


@value
class Asked:
    """A question to the client."""

    phase: Phase | None
    """None: whether it is ready."""
    tile: Face | None
    legal: tuple[Action, ...]
    in_riichi: bool
    barred: frozenset[Face]
    """Tiles that it holds and must not discard now."""
    seen: tuple[Event, ...]
    """All events before the question."""


@value
class Answered:
    """An answer to a question that the server took, or gave for the client."""

    asked: Asked
    action: Action | None
    """None: the client is ready."""
    cause: Cause


class Course:
    """Everything about the client in one situation, in order."""

    def __init__(self, client: Seat) -> None:
        self.client = client
        self.events: list[Event] = []
        """All events of the game, with every tile."""
        self.asked: list[Asked] = []
        self.answered: list[Answered] = []
        self.lapsed = 0
        """The number of questions that the server has closed without an answer; the client's may still be under way."""
        self.returned_after: int | None = None
        """The number of answers at the time when the client came back to its seat; None if it has not."""

    def see(self, event: Event) -> None:
        """Note an event."""
        self.events.append(event)

    def ask(self, question: Question | None) -> None:
        """Note a question to the client; None: whether it is ready."""
        self.asked.append(_asked(question, tuple(self.events)))

    def take(self, entries: list[Entry]) -> None:
        """Note the entries of a step, before its messages are sent."""
        for entry in entries:
            match entry:
                case ActionTaken(seat, action, cause) if seat == self.client:
                    self.answered.append(Answered(self.asked[-1], action, cause))
                case SeatReady(seat) if seat == self.client:
                    self.answered.append(Answered(self.asked[-1], None, Cause.ANSWER))
                case SeatReturned(seat) if seat == self.client:
                    self.returned_after = len(self.answered)

    @property
    def own(self) -> list[Answered]:
        """The answers that the client has given itself."""
        return [answered for answered in self.answered if answered.cause is Cause.ANSWER]

    @property
    def turns(self) -> int:
        """The number of turns that the client has answered itself, or has had answered for it."""
        return sum(answered.asked.phase is Phase.TURN for answered in self.answered)


def _asked(question: Question | None, seen: tuple[Event, ...]) -> Asked:
    if question is None:
        return Asked(None, None, (), False, frozenset(), seen)
    legal = question.legal()
    barred: frozenset[Face] = frozenset()
    if question.phase is Phase.TURN:
        held = frozenset(question.hand.concealed)
        barred = held - {action.face for action in legal if isinstance(action, Discard)}
    return Asked(question.phase, question.tile, legal, bool(question.player.riichi), barred, seen)
