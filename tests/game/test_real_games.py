"""Recorded games, replayed: the events depend neither on the order of the answers nor on ask_all.

``ump verify`` replays records in one way only. These tests replay some of them in the other ways.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from support.rows import each_row

from ump.game.game import Game
from ump.model.claims import IllegalAction
from ump.model.events import Event, GameStarted, HandWon, KyokuEnded
from ump.record.mjlog import read_game
from ump.record.mjlog_elements import read_elements
from ump.record.physical_tiles import deal_of
from ump.record.recorded_game import RecordedGame, sorted_yaku
from ump.record.replay import infer_action


class Replay:
    """A recorded game, and the part of it that our game has reproduced."""

    def __init__(self, record: RecordedGame, *, ask_all: bool = False, last_first: bool = False) -> None:
        self.last_first = last_first
        """Whether the last of several asked seats answers first."""
        assert record.ended is not None
        rounds = [event for kyoku in record.kyoku for event in (*kyoku.events, KyokuEnded())]
        self.expected: list[Event] = [GameStarted(record.names), *rounds, record.ended]
        self.place = 0
        deals = [deal_of(kyoku, record.ruleset.seats) for kyoku in record.kyoku]
        self.game = Game(record.ruleset, record.names, lambda at: deals[at.number], ask_all=ask_all)

    def play(self) -> None:
        """Play to the end; fail at the first event or decision that differs."""
        self.compare(self.game.begin())
        while not self.game.over:
            self.compare(self.game.proceed() if self.game.between_kyoku else self.answer())
        assert self.place == len(self.expected), f"the record goes on with {self.expected[self.place]}"

    def answer(self) -> list[Event]:
        """Answer one open question as the record does."""
        open_questions = list(self.game.questions.items())
        seat, question = open_questions[-1 if self.last_first else 0]
        action = infer_action(seat, question.phase, self.expected, self.place)
        assert action is not None
        try:
            return self.game.answer(seat, action)
        except IllegalAction as refusal:
            pytest.fail(f"event {self.place}: seat {seat} did {action}, refused as {refusal}")

    def compare(self, told: Sequence[Event]) -> None:
        """Compare the events of our game with the record."""
        for event in told:
            assert comparable(event) == self.expected[self.place], f"event {self.place}"
            self.place += 1


def comparable(event: Event) -> Event:
    """Sort the yaku of a win: records list them in another order."""
    if not isinstance(event, HandWon):
        return event
    return replace(event, value=replace(event.value, yaku=sorted_yaku(event.value.yaku)))


@pytest.mark.no_cover
@each_row(("ask_all", "last_first"), [(False, True), (True, False), (True, True)])
@each_row("number", range(8))
def test_order_of_answers_and_ask_all_change_nothing(data: Path, number: int, ask_all: bool, last_first: bool) -> None:
    """The events are the same if answers come in another order, and if all are asked about every discard."""
    path = sorted((data / "tenhou" / "rare" / "mjx-py").iterdir())[number]
    Replay(read_game(read_elements(path.read_bytes())), ask_all=ask_all, last_first=last_first).play()
