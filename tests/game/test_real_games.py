"""Real games, played again through ours: the same walls and decisions must give every recorded event exactly.

Fifty games take some seconds; UMP_TEST_GAMES=420 plays all that the data folder holds.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from support.decisions import decision
from support.mjlog import RecordedGame, read_game, read_walls
from support.mjlog_wins import in_order

from ump.game.deals import Deal
from ump.game.game import Game
from ump.model.claims import IllegalAction
from ump.model.events import Event, HandWon
from ump.rules.presets import PRESETS

GAMES = int(os.environ.get("UMP_TEST_GAMES", "50"))

AHEAD = 12
"""More events than ever lie between a question and those that tell its answer."""

walls_of = cache(read_walls)


class Replay:
    """A recorded game, and how far ours has told the same."""

    def __init__(self, record: RecordedGame, *, ask_all: bool = False, last_first: bool = False) -> None:
        self.record = record
        self.last_first = last_first
        """Whether those who are asked together answer from the last one on."""
        kyoku = record.kyoku
        self.expected: list[Event] = [record.started, *(event for one in kyoku for event in one.events), record.ended]
        self.place = 0
        ruleset = replace(PRESETS["tenhou"], length=record.length)
        deals = [Deal(one.tiles, one.dice) for one in kyoku]
        self.game = Game(ruleset, record.started.names, deals.__getitem__, ask_all=ask_all)

    def play(self) -> None:
        """Play to the end; fails at the first event or decision that differs."""
        self.compare(self.game.begin())
        while not self.game.over:
            self.compare(self.game.proceed() if self.game.between else self.answer())
        assert self.place == len(self.expected), f"{self.where()}: the record goes on with {self.upcoming()[:3]}"

    def answer(self) -> list[Event]:
        """Answer one open question as the record has it."""
        open_questions = list(self.game.questions.items())
        seat, question = open_questions[-1 if self.last_first else 0]
        action = decision(seat, question.phase, self.upcoming())
        try:
            return self.game.answer(seat, action)
        except IllegalAction as refusal:
            pytest.fail(f"{self.where()}: seat {seat} did {action}, refused as {refusal}; then {self.upcoming()[:3]}")

    def compare(self, told: Sequence[Event]) -> None:
        """Hold what our game tells against the record."""
        for event in told:
            expected = self.upcoming()[:1]
            assert [comparable(event)] == expected, self.where()
            self.place += 1

    def upcoming(self) -> list[Event]:
        """What the record says next: enough to see what anybody decided."""
        return self.expected[self.place : self.place + AHEAD]

    def where(self) -> str:
        """Name the file, the kyoku (from 0) and the event in it (from 0)."""
        place = self.place - 1
        for number, kyoku in enumerate(self.record.kyoku):
            if place < len(kyoku.events):
                return f"{self.record.file}, kyoku {number}, event {place}"
            place -= len(kyoku.events)
        return f"{self.record.file}, end"


def comparable(event: Event) -> Event:
    """Sort the yaku of a win, of which records keep another order."""
    if not isinstance(event, HandWon):
        return event
    return replace(event, value=replace(event.value, yaku=in_order(event.value.yaku)))


def load(data: Path, folder: str, number: int) -> RecordedGame:
    """Read one record of a folder, by its place in the order of names."""
    path = sorted((data / "tenhou" / folder).iterdir())[number]
    return read_game(path, walls_of(data, folder)[path.name])


@pytest.mark.parametrize("number", range(GAMES))
def test_real_game_is_told_exactly(data: Path, number: int) -> None:
    """Every recorded decision is legal, and every draw, dora, call, payment, draw and final score comes out equal."""
    Replay(load(data, "games", number)).play()


@pytest.mark.parametrize("number", range(8))
def test_rare_game_is_told_exactly(data: Path, number: int) -> None:
    """The same for games with yakuman, nagashi mangan and four riichi."""
    Replay(load(data, "rare/mjx-py", number)).play()


@pytest.mark.parametrize("ask_all", [False, True])
@pytest.mark.parametrize("number", range(8))
def test_who_is_asked_and_who_answers_first_changes_nothing(data: Path, number: int, ask_all: bool) -> None:
    """The same is told when answers come in another order, and when everybody is asked about every discard."""
    Replay(load(data, "rare/mjx-py", number), ask_all=ask_all, last_first=True).play()
