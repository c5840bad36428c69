"""Search for leaks of hidden tiles: play a game twice, with other tiles where one seat cannot see them yet.

``knowable`` states independently of the server which part of an event a seat may know (``support.seat_knowledge``). As
long as both games have the same knowable events for the seat, its session must send the same messages, in the same
places among these events. Any earlier difference is a leak: in the view, in a rendering, in the time or content of a
question, or in the reason of a refusal.

In the second game the other seats repeat their actions of the first as long as these are legal; then they play the
default. They may get more or fewer questions. All this takes no time, so that time reveals nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random

from support.policies import EagerPolicy
from support.seat_knowledge import Swap, knowable, revealed

from ump.game.deals import Deal
from ump.game.game import Game
from ump.model.actions import Action
from ump.model.claims import Claim, Verb
from ump.model.events import Event
from ump.model.seats import LETTERS, Seat
from ump.model.tiles import Tile, faces_of_tiles
from ump.model.value import value
from ump.players.hints import HintScope
from ump.players.observation import Observation
from ump.rules.questions import Question
from ump.rules.ruleset import Length, Ruleset
from ump.rules.wall import rolled, shuffled
from ump.table.clock import TimeControl
from ump.table.messages import Answer, Ask, Begin, Heard, Input, Lapse, Leave, Refuse, Tick
from ump.table.receivers import Parcel, Receiver, Rendering, SeatedClient
from ump.table.table import Table
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

TIMES = TimeControl(10.0, 20.0)

ODDS_OF_THINKING = 0.1
THOUGHT = 12.0
"""Seconds that the seat sometimes thinks: it uses up some of its bank."""

MAX_STEPS = 20_000
"""Steps after which a game counts as endless."""


class DialectClient(ABC):
    """The client of a session. Its answers depend only on the messages it receives and on a seeded ``Random``."""

    def __init__(self, chance: Random) -> None:
        self.chance = chance

    def begin(self) -> list[bytes]:
        """Return the messages that the client sends first, before it has received any."""
        return []

    @abstractmethod
    def hear(self, message: str) -> list[bytes]:
        """Take a message; return the client's answers, right or wrong, and messages that answer nothing."""


@value
class DialectUnderTest:
    """A dialect: its session, and a client that plays in it."""

    name: str
    session: Callable[[], Session]
    """Returns the session of a new connection."""
    client: Callable[[Random], DialectClient]
    is_person: bool = False
    """Whether it is for people: then the session explains wrong answers itself, and the table refuses none."""


@value
class SentMessage:
    """A message to the seat, and the number of events before it."""

    place: int
    message: str


Script = dict[tuple[int, Seat], Action]
"""The actions of the other seats, by the number of events before each, and by seat."""


class RecordingPlayers:
    """Players for the other seats. They make many riichi, calls and kans, and record all of their actions."""

    def __init__(self, seat: Seat, ruleset: Ruleset, seed: str) -> None:
        self.script: Script = {}
        self._players = {
            other: EagerPolicy(Random(f"{seed}/{other}")) for other in range(ruleset.seats) if other != seat
        }
        self._seen = {other: Observation(other, ruleset) for other in self._players}

    def see(self, event: Event) -> None:
        """Show each player the part of an event that it may know."""
        for other, observation in self._seen.items():
            observation.see(knowable(event, other))

    def choose(self, seat: Seat, question: Question, place: int) -> Action:
        """Return and record the choice of a player."""
        action = self._players[seat].choose(self._seen[seat], question.phase, question.tile, question.legal())
        self.script[place, seat] = action
        return action


class RepeatingPlayers:
    """Players for the other seats that repeat recorded actions, or play the default if an action is illegal."""

    def __init__(self, script: Script) -> None:
        self._script = script

    def see(self, event: Event) -> None:
        """Ignore the event."""

    def choose(self, seat: Seat, question: Question, place: int) -> Action:
        """Return the recorded action if it is legal, else the default."""
        action = self._script.get((place, seat))
        return question.default() if action is None or question.refusal(action) is not None else action


class ObservedKyoku:
    """A game of one kyoku, observed through the session of one seat."""

    def __init__(
        self,
        dialect: DialectUnderTest,
        ruleset: Ruleset,
        deal: Deal,
        seat: Seat,
        others: RecordingPlayers | RepeatingPlayers,
        seed: str,
        *,
        ask_all: bool = False,
    ) -> None:
        self.events: list[Event] = []
        """All events, with hidden tiles."""
        self.sent: list[SentMessage] = []
        self.asked: list[tuple[int, Seat]] = []
        """The questions to other seats: the number of events before each, and the seat."""
        self.refused = 0
        """The number of refused answers of the seat."""
        self._seat = seat
        self._others = others
        self._seed = seed
        self._now = 1_000.0
        self.session = dialect.session()
        self._client = dialect.client(Random(f"{seed}/client"))
        self._to_send: deque[bytes] = deque()
        self._violation: str | None = None
        """The reason for closing the seat's connection, once there is one."""
        self._number = 0
        """The number of the seat's open question; 0 if there is none."""
        self._idle: deque[Received] = deque()
        """Messages that the seat sent without an open question, and that the host has not taken yet."""
        self._open: dict[Seat, Ask] = {}
        """The open questions of the others."""
        self._introduce()
        self.session.sit(seat, TableInfo("main-1", ruleset, hints=HintScope.ADVICE))
        game = Game(ruleset, LETTERS[: ruleset.seats], lambda at: deal, ask_all=ask_all)
        table = Table(game, TIMES, retries={seat: self.session.RETRIES})
        self._host = TableHost(table, [_ObservedSeat(self, seat), _OthersReceiver(self, seat)])
        self._step(Begin())

    def _introduce(self) -> None:
        """Let the client say hello; a session without a hello introduces its client by itself."""
        self.session.greet()
        self._to_send.extend(self._client.begin())
        self.hear()
        received = self.session.tick(self._now) if self._is_due() else self._received()
        assert isinstance(received, Introduced), f"{received} is no introduction"

    def play(self) -> ObservedKyoku:
        """Play to the end."""
        for _ in range(MAX_STEPS):
            if self._is_over:
                return self
            if self._violation is not None:
                self._turn_away()
            elif self._is_due():
                self._take(self.session.tick(self._now))
            else:
                own_first = Random(f"{self._seed}/{len(self.events)}").random() < 0.5
                first, second = (self._say, self._let_others) if own_first else (self._let_others, self._say)
                if not first() and not second():
                    self._wait()
        raise AssertionError("the game does not end")

    # Steps of the game

    def _let_others(self) -> bool:
        """Let one of the other seats answer; return whether one is asked."""
        if not self._open:
            return False
        seat = min(self._open)
        ask = self._open.pop(seat)
        question = ask.question
        answer = Claim(Verb.YES) if question is None else self._others.choose(seat, question, len(self.events))
        self._step(Answer(seat, ask.number, answer))
        return True

    def _say(self) -> bool:
        """Let the seat send its next message, sometimes after thinking; return whether there is one."""
        if not self._to_send:
            return False
        if Random(f"{self._seed}/{len(self.sent)}").random() < ODDS_OF_THINKING:
            self._now += THOUGHT
        self._take(self._received())
        return True

    def _wait(self) -> None:
        """Let time pass: the seat does not answer, and no other seat is asked."""
        of_host, of_session = self._host.due(self._instant), self.session.due()
        dues = [*([] if of_host is None else [of_host / 1_000]), *([] if of_session is None else [of_session])]
        self._now = max(self._now, min(dues))
        if not self._is_due():
            self._step(Tick())

    def _is_due(self) -> bool:
        due = self.session.due()
        return due is not None and due <= self._now

    def _received(self) -> Received:
        return self.session.receive(self._to_send.popleft(), self._now)

    def _take(self, received: Received | None) -> None:
        """Act on a received message as a connection does."""
        match received:
            case Answered(number, answer):
                self._number = 0
                self._step(Answer(self._seat, number, answer))
            case Unreadable(number):
                self._number = 0
                self._step(Answer(self._seat, number, None))
            case _:
                self._note(received)
                self._flush()

    def _note(self, received: Received | None) -> None:
        """Act on a message that answers no question."""
        match received:
            case InStep() | Stale():
                self._host.step(Heard(self._seat, isinstance(received, Stale)), self._instant)
            case Violated(message):
                self._violation = message
            case Farewell():
                assert self._is_over, "the client leaves before the end"
            case _:
                assert received is None, f"{received} without a question"

    def _turn_away(self) -> None:
        self.session.error(self._violation or "")
        self._violation = None
        self._flush()
        self._to_send.clear()
        self._step(Leave(self._seat))

    # Effects of a step

    @property
    def _instant(self) -> int:
        """The instant for the host, in milliseconds."""
        return round(self._now * 1_000)

    @property
    def _is_over(self) -> bool:
        return self._host.table.end is not None

    def _step(self, given: Input) -> None:
        """Let the host take an input, and deliver the step."""
        delivery = self._host.deliver(self._host.step(given, self._instant), self._instant, self._now)
        for failure in delivery.failures:
            raise failure.error
        if self._is_over:
            self.session.bye()
        self._flush()

    def send(self, messages: list[str]) -> None:
        """Take the messages from the host: none, because the client has received them already."""
        assert not messages

    def note(self, parcel: Parcel) -> None:
        """Note the next parcel for the seat under test, after the client has received all messages before it."""
        match parcel:
            case Rendering():
                self._exchange()
                self.events.append(parcel.event)
                self._others.see(parcel.event)
            case Ask():
                self._number = parcel.number
            case Lapse():
                self._number = 0
            case Refuse():
                self._number = 0
                self.refused += 1

    def note_other(self, parcel: Ask | Lapse | Refuse, place: int) -> None:
        """Note a question to another seat, and the number of events before it."""
        if isinstance(parcel, Ask):
            self._open[parcel.seat] = parcel
            self.asked.append((place, parcel.seat))
        else:
            self._open.pop(parcel.seat, None)

    def _flush(self) -> None:
        """Deliver messages to the client, and pass its messages on if it has no open question."""
        self._exchange()
        while self._idle:
            self._note(self._idle.popleft())

    def _exchange(self) -> None:
        """Deliver messages to the client, and keep its messages: the host takes no input while it delivers."""
        self.hear()
        while self._to_send and not self._number:
            self._idle.append(self._received())
            self.hear()

    def hear(self) -> None:
        """Deliver messages to the client, and queue its answers."""
        for message in self.session.take():
            self.sent.append(SentMessage(len(self.events), message))
            self._to_send.extend(self._client.hear(message))


class _ObservedSeat(SeatedClient):
    """The seat under test. It delivers its messages before each event, so that their places are known."""

    def __init__(self, kyoku: ObservedKyoku, seat: Seat) -> None:
        super().__init__(kyoku, seat)
        self._kyoku = kyoku

    def receive(self, parcels: Sequence[Parcel], now: float) -> None:
        """Take the parcels one by one."""
        for parcel in parcels:
            if isinstance(parcel, Rendering) or parcel.seat == self.seat:
                self._kyoku.note(parcel)
                super().receive([parcel], now)
        self._kyoku.hear()


class _OthersReceiver(Receiver):
    """The other seats, which have no sessions."""

    def __init__(self, kyoku: ObservedKyoku, seat: Seat) -> None:
        self._kyoku = kyoku
        self._seat = seat

    def receive(self, parcels: Sequence[Parcel], now: float) -> None:
        """Note the questions to the other seats."""
        place = len(self._kyoku.events) - sum(isinstance(parcel, Rendering) for parcel in parcels)
        for parcel in parcels:
            if isinstance(parcel, Rendering):
                place += 1
            elif parcel.seat != self._seat:
                self._kyoku.note_other(parcel, place)


# Comparison of two games


@value
class Comparison:
    """The comparison of a game with its twin."""

    difference: str | None
    """The first difference between messages that must be equal, or None."""
    alike: int
    """The number of events after which the seat may know a difference. Messages before must be equal."""
    hidden: int
    """The number of earlier events that differ only in hidden tiles."""
    asked: int
    """The number of earlier questions to other seats that only one of the games has."""
    messages: int
    """The number of compared messages."""
    refused: int
    """The number of refused answers of the seat in the first game."""


class GamePair:
    """A game of a seed, observed from a seat, which can be repeated with swapped tiles."""

    def __init__(
        self, dialect: DialectUnderTest, ruleset: Ruleset, seed: str, seat: Seat, *, ask_all: bool = False
    ) -> None:
        """Play the game for the first time."""
        self._ruleset = replace(ruleset, length=Length.KYOKU)
        self._tongue, self._seed, self._seat, self._ask_all = dialect, seed, seat, ask_all
        self._deal = Deal(shuffled(f"ump-wall-1/{seed}/0", ruleset.seats), rolled(f"ump-dice-1/{seed}/0"))
        others = RecordingPlayers(seat, self._ruleset, seed)
        self._script = others.script
        self.first = self._played(self._deal, others)
        faces = faces_of_tiles(self._ruleset.red_fives)
        self._wall = tuple(faces[tile] for tile in self._deal.tiles)
        self._known = revealed(self.first.events, self._wall, seat)

    def _played(self, deal: Deal, others: RecordingPlayers | RepeatingPlayers) -> ObservedKyoku:
        return ObservedKyoku(
            self._tongue, self._ruleset, deal, self._seat, others, self._seed, ask_all=self._ask_all
        ).play()

    def swapped(self, until: float, swap: Swap, chance: Random) -> Comparison:
        """Repeat the game, with tiles swapped that the seat cannot know in the first part (``until``) of its events."""
        count = until * len(self.first.events)
        places = [place for place, known in self._known.items() if known > count]
        sources = swap(places, self._wall, chance)
        tiles: tuple[Tile, ...] = tuple(self._deal.tiles[sources.get(place, place)] for place in range(len(self._wall)))
        second = self._played(replace(self._deal, tiles=tiles), RepeatingPlayers(self._script))
        return compare(self.first, second, self._seat)


def compare(first: ObservedKyoku, second: ObservedKyoku, seat: Seat) -> Comparison:
    """Compare the messages of both games up to the first event that the seat may know to be different.

    The messages between the last equal event and the first different one may end earlier in one of the games, because
    another seat may have acted first.
    """
    alike = _alike(first.events, second.events, seat)
    is_whole = alike == len(first.events) == len(second.events)
    said, again = ([said for said in each.sent if said.place <= alike] for each in (first, second))
    difference = next((f"{one} / {other}" for one, other in zip(said, again, strict=False) if one != other), None)
    if difference is None and len(said) != len(again):
        longer = max(said, again, key=len)[min(len(said), len(again))]
        if is_whole or longer.place < alike:
            difference = f"only once: {longer}"
    hidden = sum(one != other for one, other in zip(first.events[:alike], second.events[:alike], strict=True))
    asked = {ask for ask in first.asked if ask[0] < alike} ^ {ask for ask in second.asked if ask[0] < alike}
    return Comparison(difference, alike, hidden, len(asked), min(len(said), len(again)), first.refused)


def _alike(told: Sequence[Event], again: Sequence[Event], seat: Seat) -> int:
    """Return the number of events, from the first one, that are equal for the seat."""
    both = zip(told, again, strict=False)
    different = (place for place, (one, other) in enumerate(both) if knowable(one, seat) != knowable(other, seat))
    return next(different, min(len(told), len(again)))
