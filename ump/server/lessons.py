"""The positions of the course at ``/learn``: each is dealt and played by the engine, and told as a table tells it.

The page shows these messages on the table of the game, and checks the answers itself: a learner can gain nothing by a
wrong one, and a table for each learner would cost the server memory and time. So there is no table. The positions are
a closed list, and each is played once, in some milliseconds, however many people learn.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Final

from ump.arena.environment import Environment
from ump.game.arranged_wall import build_wall
from ump.game.deals import Deal, Round, seeded_deals
from ump.game.game import Game, GameState
from ump.model.actions import Action, Pass
from ump.model.seats import LETTERS, Seat
from ump.model.value import value
from ump.record.branch import Branch
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Length
from ump.table.clock import TimeControl
from ump.table.messages import Answer, PlayOn
from ump.table.receivers import SeatedClient
from ump.table.table import Table
from ump.table.table_host import TableHost
from ump.web import static_files
from ump.wire.session import Session, TableInfo
from ump.wire.ump.answers import write_action
from ump.wire.ump.sentence import TSUMOGIRI
from ump.wire.ump.sentences01 import Hello
from ump.wire.ump.session import UmpSession

RULES: Final = replace(PRESETS["tenhou"], length=Length.KYOKU)
"""The rules of the course."""

LEARNER: Final = 0
"""The seat of whoever learns: the dealer."""

NAMES = ("own", "right", "opposite", "left")
"""The players by seat; the page calls them by its own words."""

LANGUAGES = ("en", "ja", "zh")

FIRST_SEED = "first-hand-34"
"""The seed of the hand that ends the course."""

FIRST_AGAINST = "beginner"
"""The built-in bot that plays against the learner there."""

_TIMES = TimeControl(60.0, 600.0)


class LessonError(ValueError):
    """A position that cannot be played; the text says why."""


@cache
def lessons() -> list[dict[str, Any]]:
    """Return the lessons of the course, as the page has them: without a word of any language."""
    text = static_files()["lessons.js"].content.decode()
    read: list[dict[str, Any]] = json.loads(text.strip().removeprefix("export const LESSONS = ").removesuffix(";"))
    return read


def task_names() -> list[str]:
    """Return the names of all tasks, as in ``tiles/0``."""
    return [f"{lesson['id']}/{number}" for lesson in lessons() for number, _ in enumerate(lesson["tasks"])]


def answers_of(action: Action) -> str:
    """Return an action in the words of a player, whichever of two equal tiles it takes."""
    return write_action(action).removesuffix(f" {TSUMOGIRI}")


@value
class LessonDeal:
    """A hand that the engine deals and plays up to a place."""

    wall: tuple[int, ...]
    moves: tuple[str, ...]
    """The moves in order, as in ``B sute 6z``. Each call that no move names is passed."""

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> LessonDeal:
        """Read a deal of the course; raises ValueError for hands that cannot be dealt."""
        hands = dict(zip(LETTERS, given["hands"], strict=False))
        wall = build_wall(hands, given["draws"], dora=given["dora"], ura=given.get("ura", ""), reds=RULES.red_fives)
        return cls(wall, tuple(given["moves"]))

    def deals(self, _: Round) -> Deal:
        """Return the deal of the kyoku."""
        return Deal(self.wall, (3, 4))

    def play(self) -> tuple[Environment, list[tuple[Seat, Action]]]:
        """Play the moves; return the game where they end, and all answers up to there. Raises LessonError."""
        env = Environment(RULES, names=NAMES)
        env.reset(deals=self.deals)
        answers: list[tuple[Seat, Action]] = []
        left = list(self.moves)
        while left:
            seat, action = _next_answer(env, left[0])
            if not isinstance(action, Pass) or left[0] == _move(seat, action):
                left.pop(0)
            answers.append((seat, action))
            env.step(action, seat)
        return env, answers


def _move(seat: Seat, action: Action) -> str:
    return f"{LETTERS[seat]} {answers_of(action)}"


def _next_answer(env: Environment, move: str) -> tuple[Seat, Action]:
    """Return the answer of the next move, or a pass if another seat is asked before it; raises LessonError."""
    if env.over:
        raise LessonError(f"the hand is over before {move!r}")
    for seat in env.asked:
        for action in env.legal_actions(seat):
            if _move(seat, action) == move:
                return seat, action
    seat = env.seat
    for action in env.legal_actions(seat):
        if isinstance(action, Pass):
            return seat, action
    raise LessonError(f"{move!r} is not possible; {LETTERS[seat]} is asked")


class _Learner:
    """The client at the seat of the learner, whose messages are kept."""

    def __init__(self, language: str) -> None:
        self.session: Session = UmpSession(Hello(()))
        wishes = "_offer=1 _hand=1 _results=1 _explain=1 _person=1"
        self.session.receive(f"0 hello ump=0.1 name=own {wishes} _lang={language}".encode(), 0.0)
        self.session.take()

    def send(self, messages: list[str]) -> None:
        """Send nothing: the host returns the messages."""


def told(given: Mapping[str, Any], accepted: Sequence[str], language: str) -> dict[str, Any]:
    """Return the messages of a position, and those after each accepted answer; raises LessonError."""
    deal = LessonDeal.of(given)
    _, answers = deal.play()
    found: dict[str, Any] = {"lines": _lines(deal, answers, language), "after": {}}
    for text in accepted:
        found["after"][text] = _lines(deal, answers, language, text)
    return found


def _lines(deal: LessonDeal, answers: Sequence[tuple[Seat, Action]], language: str, answer: str = "") -> list[str]:
    """Return the messages of a position, or those after an answer of the learner to the question there."""
    learner = _Learner(language)
    learner.session.sit(LEARNER, TableInfo("lesson-1", RULES))
    table = Table(Game(RULES, NAMES, deal.deals), _TIMES, (LEARNER,))
    host = TableHost(table, [SeatedClient(learner, LEARNER)])
    lines = [line for _, sent in host.deliver(host.step(PlayOn(tuple(answers)), 0), 0, 0.0).sent for line in sent]
    if not answer:
        return lines
    asked = table.chairs[LEARNER].open
    if asked is None or asked.question is None:
        raise LessonError(f"nothing is asked where {answer!r} is accepted")
    for action in asked.question.legal():
        if answers_of(action) == answer:
            step = host.step(Answer(LEARNER, asked.number, action), 0)
            return [line for _, sent in host.deliver(step, 0, 0.0).sent for line in sent]
    raise LessonError(f"{answer!r} is accepted, and not legal")


def lesson_data(name: str, language: str) -> dict[str, Any]:
    """Return what the positions of a lesson tell, by the number of the task."""
    tasks = next(lesson["tasks"] for lesson in lessons() if lesson["id"] == name)
    return {str(number): _task_data(task, language) for number, task in enumerate(tasks) if "deal" in task}


def _task_data(task: Mapping[str, Any], language: str) -> dict[str, Any]:
    accepted = task["accepted"] if task["kind"] == "act" else ()
    return told(task["deal"], accepted, language)


def first_hand() -> Branch:
    """Return the hand that ends the course: dealt, and nothing is answered yet."""
    deal = seeded_deals(FIRST_SEED, RULES.seats)(Round(0, LEARNER, 0, 0, 0))
    points = (RULES.start_points,) * RULES.seats
    return Branch(RULES, GameState(points, 0, LEARNER, 0, 0), deal, (), LEARNER, FIRST_AGAINST)
