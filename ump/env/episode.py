"""One episode after another in numbers: action ids in; encoded observations, masks and rewards out.

The environment of PettingZoo and the batch of tables are both made of episodes. No library is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import Enum
from typing import TypeVar

from ump.arena.blocks import placement_points
from ump.arena.environment import Environment
from ump.env.action_ids import ACTION_NAMES, ACTIONS, actions_by_id
from ump.env.planes import planes
from ump.game.game import Standing
from ump.model.actions import Action
from ump.model.choices import unknown
from ump.model.seats import Seat
from ump.model.value import value
from ump.rules.options import read_ruleset
from ump.rules.ruleset import LeftSticks, Length, Ruleset
from ump.table.view import view
from ump.text.board import board_lines
from ump.text.position import Position

Member = TypeVar("Member", bound=Enum)


class Span(Enum):
    """The part of a game that is one episode."""

    GAME = "game"
    """A whole game."""
    KYOKU = "kyoku"
    """One kyoku; riichi sticks that nobody has won stay lost."""


class Reward(Enum):
    """The basis of a seat's rewards."""

    POINTS = "points"
    """Points won or lost, at the end of each kyoku; the last one of a game includes left-over riichi sticks."""
    PLACEMENT = "placement"
    """The points of its place, at the end of the episode."""


@value
class Task:
    """The rules of an episode, and its rewards."""

    ruleset: Ruleset
    reward: Reward
    place_points: tuple[float, ...]
    """The reward of each place, the first one first."""


def task(
    rules: Ruleset | str = "tenhou",
    *,
    episode: str = Span.GAME.value,
    reward: str = Reward.POINTS.value,
    place_points: Sequence[float] | None = None,
) -> Task:
    """Return the task that the options of the environments describe.

    ``rules`` are a ruleset or the name of a preset. ``episode`` is ``game`` or ``kyoku``, ``reward`` is ``points`` or
    ``placement``. ``place_points`` are the rewards of the places, by default the uma of the rules. Raises RulesetError
    for unknown rules, ValueError for other wrong options.
    """
    ruleset = read_ruleset(rules) if isinstance(rules, str) else rules
    if _member(Span, "episode", episode) is Span.KYOKU:
        ruleset = replace(ruleset, length=Length.KYOKU, left_sticks=LeftSticks.LOST)
    points = tuple(map(float, ruleset.uma if place_points is None else place_points))
    if len(points) != ruleset.seats:
        raise ValueError(f"place_points: expected {ruleset.seats} numbers, got {len(points)}")
    return Task(ruleset, _member(Reward, "reward", reward), points)


def _member(kind: type[Member], noun: str, word: str) -> Member:
    """Return the member of an enumeration with this value; raise ValueError if there is none."""
    try:
        return kind(word)
    except ValueError:
        raise ValueError(unknown(noun, str(word), [each.value for each in kind])) from None


class Episode:
    """One table that plays an episode after the other.

    ``begin`` an episode. Until it is ``over``, ``seat`` has to act: ``planes`` and ``mask`` are what it sees and may
    do, ``step`` takes its action. If several seats are asked about one tile, they act one after the other, and nobody
    sees what the others chose before all have answered.
    """

    def __init__(self, task: Task) -> None:
        self.task = task
        self.seats = task.ruleset.seats
        self._environment = Environment(task.ruleset)
        self._points: tuple[int, ...] = ()
        """The points that rewards have been paid for."""
        self._legal: dict[int, Action] = {}
        """The actions of the seat that has to act."""

    def begin(self, seed: int | None = None, standing: Standing | None = None) -> None:
        """Begin an episode with the walls of this seed, or the next one (see ``Environment.reset``)."""
        self._environment.reset(seed, standing=standing)
        self._points = self._environment.game.points
        self._ask()

    def _ask(self) -> None:
        environment = self._environment
        if environment.over:
            self._legal = {}
        else:
            question = environment.question()
            self._legal = actions_by_id(question.legal(), question.tile)

    @property
    def seed(self) -> str:
        """The seed of the walls."""
        return self._environment.seed or ""

    @property
    def over(self) -> bool:
        """Whether the episode has ended."""
        return self._environment.over

    @property
    def seat(self) -> Seat:
        """The seat that has to act; raises ValueError when the episode is over."""
        return self._environment.seat

    def planes(self, seat: Seat) -> bytearray:
        """Return what a seat sees, ``ump.env.rows.SIZE`` numbers row by row."""
        environment = self._environment
        question = environment.game.questions.get(seat)
        seen = environment.observation(seat)
        return planes(seen, None, None) if question is None else planes(seen, question.phase, question.tile)

    def mask(self, seat: Seat) -> bytearray:
        """Return 1 for each action id that is legal for a seat now, 0 for the others; all 0 if it has not to act."""
        mask = bytearray(ACTIONS)
        if not self.over and seat == self.seat:
            for number in self._legal:
                mask[number] = 1
        return mask

    def step(self, number: int) -> tuple[float, ...] | None:
        """Take the action of this id for the seat that has to act; return the rewards by seat, None if all are 0.

        Raises ValueError, and changes nothing, if the action is not legal or the episode is over.
        """
        seat = self.seat
        action = self._legal.get(number)
        if action is None:
            raise ValueError(self.refusal(number))
        self._environment.step(action, seat)
        self._ask()
        return self._rewards()

    def _rewards(self) -> tuple[float, ...] | None:
        result = self._environment.result
        if self.task.reward is Reward.PLACEMENT:
            if result is None:
                return None
            points = self.task.place_points
            return tuple(placement_points(result.places, seat, points) for seat in range(self.seats))
        now = self._environment.game.points
        if now == self._points:
            return None
        before, self._points = self._points, now
        return tuple(float(after - points) for after, points in zip(now, before, strict=True))

    def is_legal(self, number: int) -> bool:
        """Tell whether an action id is legal for the seat that has to act."""
        return number in self._legal

    def refusal(self, number: int) -> str:
        """Return why an action id is not legal for the seat that has to act, with those that are."""
        name = f" ({ACTION_NAMES[number]})" if 0 <= number < ACTIONS else ""
        legal = ", ".join(f"{each} ({ACTION_NAMES[each]})" for each in sorted(self._legal))
        return f"seat {self.seat}: action {number}{name} is not legal; legal are {legal}"

    def board(self, seat: Seat) -> str:
        """Return the table as a seat sees it, as text of several lines."""
        environment = self._environment
        position = Position(seat, environment.names, self.task.ruleset)
        for event in environment.events:
            position.see(view(event, seat))
        return "\n".join(board_lines(position))
