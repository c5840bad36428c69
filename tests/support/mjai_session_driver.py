"""One mjai session at a real kyoku. The test chooses the other seats' actions, the client's messages, and the time."""

from __future__ import annotations

import json
from typing import Any

from support.hosted_table import START, TABLE
from support.scenario import Scenario

from ump.game.resolution import resolve
from ump.model.actions import Action
from ump.model.claims import Claim, IllegalAction, Reason, Verb
from ump.model.events import Event, GameStarted, KyokuEnded
from ump.model.seats import LETTERS, Seat
from ump.players.hints import HintScope
from ump.rules.questions import Question
from ump.table.messages import Ask, Lapse, Refuse
from ump.table.receivers import Parcel, Rendering, SeatedClient
from ump.wire.mjai.session_base import MjaiSession
from ump.wire.session import Answered, Introduced, Received, TableInfo, Unreadable

Said = dict[str, Any]

MOVE, BANK, GRACE = 10.0, 20.0, 0.5
"""Seconds."""
MOVE_MS, BANK_MS = 10_000, 20_000
"""The time for every question, in seconds: for the move, in the bank, and the grace of the table."""


class MjaiSessionDriver:
    """A session with a seat, driven as a connection and a table do it."""

    def __init__(
        self,
        session: MjaiSession,
        scenario: Scenario,
        letter: str = "A",
        join: Said | None = None,
        hints: HintScope = HintScope.FACTS,
    ) -> None:
        """Introduce the client with ``join``, if its dialect has one, and seat it."""
        self.session = session
        self.scenario = scenario
        self.seat: Seat = LETTERS.index(letter)
        self.now: float = START
        self.played: list[Action] = []
        """The actions of the seat, including defaults."""
        self.refused: list[Reason] = []
        self.is_ready = False
        """Whether the client has answered the last ``ready?``."""
        self._heard: list[Any] = []
        self._number = 0
        self._question: Question | None = None
        session.greet()
        session.take()
        said = session.tick(self.now) if join is None else session.receive(json.dumps(join).encode(), self.now)
        assert isinstance(said, Introduced)
        session.sit(self.seat, TableInfo(TABLE, scenario.kyoku.board.ruleset, hints=hints))

    def begin(self) -> MjaiSessionDriver:
        """Begin the game, and ask ``ready?``."""
        self._tell([GameStarted(tuple(LETTERS[: len(self.scenario.kyoku.board.players)]))])
        self.ask_ready()
        return self

    def deal(self) -> MjaiSessionDriver:
        """Begin the kyoku."""
        self._pass_on(self.scenario.events)
        return self

    def __call__(self, *orders: str) -> MjaiSessionDriver:
        """Carry out orders of the other seats, such as ``B sute 5m``."""
        for order in orders:
            self._pass_on(self.scenario(order).last)
        return self

    def others(self, count: int) -> MjaiSessionDriver:
        """Play this many turns of other seats, with a discard of the drawn tile and no call."""
        for _ in range(count):
            before = len(self.scenario.events)
            self.scenario.turns(1)
            self._pass_on(self.scenario.events[before:])
        return self

    def hear(self) -> list[Any]:
        """Return the messages since the last call."""
        self._flush()
        heard, self._heard = self._heard, []
        return heard

    def _flush(self) -> None:
        self.send(self.session.take())

    def send(self, messages: list[str]) -> None:
        """Keep messages for the client."""
        self._heard += map(json.loads, messages)

    def say(self, reply: Said | bytes | str) -> Received:
        """Let the client send a message, and act on it."""
        if isinstance(reply, dict):
            reply = json.dumps(reply)
        received = self.session.receive(reply if isinstance(reply, bytes) else reply.encode(), self.now)
        self._take(received)
        return received

    def wait(self, seconds: float) -> list[Received]:
        """Let time pass, with a tick of the session at each instant that is due; return the results."""
        until = self.now + seconds
        received: list[Received] = []
        for _ in range(1_000):
            due = self.session.due()
            if due is None or due > until:
                self.now = until
                return received
            self.now = max(self.now, due)
            one = self.session.tick(self.now)
            if one is not None:
                received.append(one)
                self._take(one)
            self._flush()
        raise AssertionError("the session is never done")

    def time_out(self) -> list[Received]:
        """Let the time for the open question run out, and the table play its default."""
        question = self._question
        received = self.wait(MOVE + BANK + GRACE)
        if question is not None and self._question is question:
            self._question = None
            self._deliver(Lapse(self.seat, self._number, by_time=True))
            self._play(question, question.default())
        return received

    def ask_ready(self) -> None:
        """Ask ``ready?``."""
        self._number += 1
        self.is_ready = False
        self._deliver(Ask(self.seat, self._number, None, MOVE_MS, 0))

    def end_kyoku(self) -> None:
        """End the kyoku, as after all answers to ``ready?``."""
        self._tell([KyokuEnded()])

    def ask_again(self) -> None:
        """Ask the open question again."""
        assert self._question is not None
        self._number += 1
        self._deliver(Ask(self.seat, self._number, self._question, MOVE_MS, BANK_MS))

    def tell(self, *events: Event) -> None:
        """Send events to the session."""
        self._tell(list(events))

    @property
    def is_asked(self) -> bool:
        """Whether the seat's question is open at the table."""
        return self._question is not None

    def _take(self, received: Received) -> None:
        if not isinstance(received, (Answered, Unreadable)) or received.number != self._number:
            return
        question, self._question = self._question, None
        answer = received.answer if isinstance(received, Answered) else None
        if question is None:
            assert answer == Claim(Verb.YES)
            self.is_ready = True
            return
        try:
            self._play(question, _resolved(question, answer))
        except IllegalAction as refusal:
            self.refused.append(refusal.reason)
            self._deliver(Refuse(self.seat, received.number, refusal.reason))
            self._play(question, question.default())

    def _play(self, question: Question, action: Action) -> None:
        events = self.scenario.kyoku.answer(self.seat, action)
        self.played.append(action)
        self.scenario.events += events
        self._pass_on(events)

    def _pass_on(self, events: list[Event]) -> None:
        """Close the seat's question if another call has decided it, send the events, and ask the new question."""
        question = self.scenario.kyoku.questions.get(self.seat)
        if self._question is not None and question is not self._question:
            self._question = None
            self._deliver(Lapse(self.seat, self._number, by_time=False))
        self._tell(events)
        if question is not None and question is not self._question:
            self._number += 1
            self._question = question
            self._deliver(Ask(self.seat, self._number, question, MOVE_MS, BANK_MS))

    def _tell(self, events: list[Event]) -> None:
        self._deliver(*map(Rendering, events))

    def _deliver(self, *parcels: Parcel) -> None:
        """Deliver parcels to the session, as a host does."""
        SeatedClient(self, self.seat).receive(parcels, self.now)


def _resolved(question: Question, answer: Claim | Action | None) -> Action:
    if answer is None:
        raise IllegalAction(Reason.UNREADABLE)
    if isinstance(answer, Claim):
        return resolve(question, answer)
    question.check(answer)
    return answer
