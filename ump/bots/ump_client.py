"""The client's side of one connection in UMP: what any client does, for a bot or for a person.

``UmpClient`` knows the ids, the question that is open and how each version writes an answer. It has no input or output
of its own: the player passes it lines, and sends the lines that its methods return.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeAlias

from ump.model.actions import Action
from ump.model.events import Event, GameEnded, GameStarted
from ump.model.hand import Hand
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.tiles import Face
from ump.model.value import value
from ump.players.claimable import legal_actions
from ump.players.observation import Observation
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Ruleset
from ump.wire.session import ServerRefusal
from ump.wire.ump import answers, sentences01
from ump.wire.ump.extras import Hints, Time
from ump.wire.ump.reader import (
    ByeReceived,
    ClientEvent,
    HelloReceived,
    QuestionAsked,
    ReadyAsked,
    SeatAssigned,
    UmpReader,
)
from ump.wire.ump.sentences01 import Bye, ClientHello


@value
class OpenQuestion:
    """A question of the game with its legal answers."""

    id: int
    phase: Phase
    tile: Face | None
    """On a turn the drawn tile (None after a call); otherwise the tile in question, or None."""
    hand: Hand
    """The own hand."""
    actions: tuple[Action, ...]
    time: Time | None
    """The time for the answer; None: the server names none."""
    hints: Hints | None = None
    """The waits of the own hand, if the server gives them."""

    @property
    def seconds(self) -> float | None:
        """The time for the answer in seconds, the bank included; None: the server names none."""
        return None if self.time is None else self.time.move + self.time.bank

    def legal(self) -> tuple[Action, ...]:
        """Return every legal action."""
        return self.actions

    def check(self, action: Action) -> None:
        """Raise ValueError unless the action is legal."""
        if action not in self.actions:
            raise ValueError(f"{action!r} is not legal")


@value
class UmpVersion:
    """A version of UMP: the messages of a client that differ."""

    number: str
    ready: str
    """The answer to ``ready?``."""
    write: Callable[[Action, OpenQuestion], str]
    """Returns the answer that stands for an action."""
    has_bye: bool = True
    """Whether the server says when the last game is over; without that the client counts."""


def _write_01(action: Action, question: OpenQuestion) -> str:
    return answers.write_action(action)


def _write_02(action: Action, question: OpenQuestion) -> str:
    return answers.write_action_02(action, question.tile, question.hand.concealed)


UMP_01 = UmpVersion("0.1", "ok", _write_01)
UMP_02 = UmpVersion("0.2", "yes", _write_02, has_bye=False)

ClientNews: TypeAlias = ClientEvent | OpenQuestion
"""Everything that a client passes on to its player: as the reader's events, but with an ``OpenQuestion`` instead of
``QuestionAsked``, and without ``SeatAssigned`` and ``Error``."""


class UmpClient:
    """The client of one connection, from the hello on."""

    def __init__(self, version: UmpVersion = UMP_01) -> None:
        self.version = version
        self.server: Mapping[str, str] = {}
        """The options of the server's hello."""
        self.seat: Seat | None = None
        """The own seat in the game; None for a spectator."""
        self.seen: Observation | None = None
        """The observation of the game, None between games. The player sets it when a game starts, and keeps it: it
        passes each event on to it."""
        self.question: OpenQuestion | None = None
        """The question that is not answered yet."""
        self.ready: ReadyAsked | None = None
        """The question whether the next kyoku may begin, until it is answered."""
        self._answered: OpenQuestion | None = None
        """The question that was answered last, which a refusal opens again."""
        self._reader = UmpReader(version.number)

    @property
    def preset(self) -> Ruleset | None:
        """The preset that the server names; None: it names none, or an unknown one."""
        return PRESETS.get(self.server.get("_rule", ""))

    def receive(self, line: str) -> Iterator[ClientNews]:
        """Yield what a line says, one after the other: the player acts on each before it takes the next.

        Raises WireError for an unreadable line, ValueError for one that contradicts earlier ones, and ServerRefusal
        for an error of the server.
        """
        for event in self._reader.read(line):
            match event:
                case SeatAssigned(seat):
                    self.seat = seat
                case QuestionAsked():
                    yield self._open(event)
                case sentences01.Error(message):
                    raise ServerRefusal(message)
                case _:
                    self._note(event)
                    yield event
                    if isinstance(event, GameEnded):
                        self.seen = None

    def introduce(self, asked: HelloReceived, options: Iterable[tuple[str, str | None]]) -> str:
        """Return the answer to the server's hello, with the options that are not None."""
        stated = [("ump", self.version.number)]
        stated.extend((option, text) for option, text in options if text is not None)
        return f"{asked.id} {ClientHello(tuple(stated)).serialise()}"

    def answer(self, action: Action) -> str:
        """Return the answer to the open question; raises ValueError if there is none, or the action is illegal."""
        question = self.question
        if question is None:
            raise ValueError("no question is open")
        question.check(action)
        self.question, self._answered = None, question
        return f"{question.id} {self.version.write(action, question)}"

    def go_on(self) -> str:
        """Return the line that lets the next kyoku begin; raises ValueError if the server has not asked."""
        ready, self.ready = self.ready, None
        if ready is None:
            raise ValueError("the server has not asked whether the next kyoku may begin")
        return f"{ready.id} {self.version.ready}"

    def leave(self) -> list[str]:
        """Return what gives the seat back before the game is over; nothing where the version has no word for it."""
        return [f"0 {Bye.NAME}"] if self.version.has_bye else []

    def say_bye(self, asked: ByeReceived) -> str:
        """Return the answer to the server's bye."""
        return f"{asked.id} {Bye.NAME}"

    def _note(self, event: ClientEvent) -> None:
        """Note what an event changes for the connection."""
        match event:
            case HelloReceived(options=options):
                self.server = dict(options)
            case ReadyAsked():
                self.ready = event
            case sentences01.Illegal():
                self.question, self._answered = self._answered, None
            case sentences01.Late():
                self.question = self._answered = None
            case GameStarted():
                self.question = self.seen = None
            case _:
                if not isinstance(event, Event):
                    return
                if self.seen is None:
                    raise ValueError("an event before the start of the game")
                self.question = None

    def _open(self, asked: QuestionAsked) -> OpenQuestion:
        """Open a question; raises ValueError if the game cannot ask it."""
        if self.seen is None:
            raise ValueError("a question before the start of the game")
        actions = legal_actions(self.seen, asked.phase, asked.tile, asked.offers)
        question = OpenQuestion(asked.id, asked.phase, asked.tile, self.seen.hand, actions, asked.time, asked.hints)
        self.question, self._answered = question, None
        return question
