"""One episode after another in numbers: action ids in; encoded observations, masks and rewards out.

All environments are made of episodes. No library is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import Enum
from functools import partial
from random import Random
from typing import TypeVar

from ump.arena.blocks import placement_points
from ump.arena.environment import SeedSequence
from ump.arena.redeal import redealt
from ump.env.action_ids import ACTION_NAMES, ACTIONS, LegalIds
from ump.env.extras import EVENTS, EventRows, Moment, extras_at
from ump.env.rows import TableRows
from ump.game.deals import Deal, Deals, Round, seeded_deals
from ump.game.game import Game, GameState
from ump.model.actions import Action
from ump.model.choices import unknown
from ump.model.events import Event
from ump.model.game_result import GameResult
from ump.model.seats import Seat
from ump.model.value import value
from ump.players.observation import Observation
from ump.rules.options import read_ruleset
from ump.rules.questions import Question
from ump.rules.ruleset import LeftSticks, Length, Ruleset
from ump.table.view import view
from ump.text.board import board_lines
from ump.text.position import Position

OVER = "the episode is over, or none has begun: call reset"
"""The error of a step without an episode."""

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


@value
class Start:
    """A position at which an episode begins, in its first kyoku."""

    standing: GameState
    deal: Deal | None = None
    """The wall of that kyoku; None: the one of the seed, from which those of the following kyoku always come."""
    answers: tuple[Action, ...] = ()
    """The answers to its questions so far."""


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


def _deal(deals: Deals, first: Deal | None, at: Round) -> Deal:
    """Return the first deal if there is one, then those of the deals; no closure, so that an episode can be pickled."""
    return first if first is not None and at.number == 0 else deals(at)


def refusal(seat: Seat, number: int, mask: Sequence[int]) -> str:
    """Return why an action id is not legal for a seat, with those that are."""
    name = f" ({ACTION_NAMES[number]})" if 0 <= number < ACTIONS else ""
    legal = ", ".join([f"{each} ({ACTION_NAMES[each]})" for each in range(ACTIONS) if mask[each]])
    return f"seat {seat}: action {number}{name} is not legal; legal are {legal}"


class Episode:
    """One table that plays an episode after the other.

    ``begin`` an episode. Until it is ``over``, the seat of ``question`` has to act: ``rows`` and ``mask`` are what it
    sees and may do, ``step`` takes its action. If several seats are asked about one tile, they act one after the other,
    and nobody sees what the others chose before all have answered. ``clone`` copies an episode, for search.
    """

    __slots__ = (
        "_answers",
        "_chance",
        "_event_rows",
        "_events",
        "_game",
        "_legal",
        "_names",
        "_observations",
        "_points",
        "_seeds",
        "_table",
        "earned",
        "opponents",
        "question",
        "seats",
        "seed",
        "task",
    )

    def __init__(self, task: Task) -> None:
        self.task = task
        self.seats = task.ruleset.seats
        self.seed = ""
        """The seed of the walls; empty if the tiles were dealt anew."""
        self.question: Question | None = None
        """The question to the seat that has to act; None when the episode is over."""
        self.earned: tuple[float, ...] | None = None
        """The rewards by seat since they were last set to None; None if all are 0."""
        self.opponents: tuple[int, ...] = ()
        """The opponent of each seat, for ``ump.env.opponents``."""
        self._chance: Random | None = None
        self._seeds = SeedSequence()
        self._names = tuple(f"player-{seat + 1}" for seat in range(self.seats))
        self._table = TableRows(task.ruleset)
        self._begin_game(None, None)

    def _begin_game(self, standing: GameState | None, deal: Deal | None) -> None:
        deals: Deals = partial(_deal, seeded_deals(self.seed, self.seats), deal)
        self._game = Game(self.task.ruleset, self._names, deals, standing=standing)
        self._points = self._game.points
        """The points that rewards have been paid for."""
        self._legal: LegalIds | None = None
        """The legal actions of the seat that has to act."""
        self._events: list[Event] | None = None
        """The events of this kyoku; None until somebody asks for them."""
        self._forget()

    def _forget(self) -> None:
        """Forget the last kyoku."""
        self._answers: list[tuple[Seat, Action]] = []
        """The answers in this kyoku, and who gave them."""
        if self._events is not None:
            self._events = []
        self._observations: dict[Seat, tuple[Observation, int]] = {}
        """Those that were asked for, with the number of events that they have seen."""
        self._event_rows: dict[Seat, EventRows] = {}

    def clone(self, seed: int | None = None) -> Episode:
        """Return an independent copy in the same position; see ``Environment.clone``.

        The episodes after it have the walls that follow from the ``seed``, by default those of the original.
        """
        twin = Episode.__new__(Episode)
        twin.task, twin.seats, twin.seed, twin.earned = self.task, self.seats, self.seed, self.earned
        twin.opponents, twin._seeds, twin._names = self.opponents, self._seeds.clone(), self._names
        twin._chance = None
        if self._chance is not None:
            twin._chance = Random()
            twin._chance.setstate(self._chance.getstate())
        twin._table = self._table.clone()
        twin._game = game = self._game.clone()
        twin._points, twin._answers = self._points, self._answers[:]
        twin._events = None if self._events is None else self._events[:]
        twin._observations = {seat: (seen.copy(), count) for seat, (seen, count) in self._observations.items()}
        twin._event_rows = {}
        twin.question, twin._legal = None, self._legal
        if self.question is not None:
            twin.question = game.questions[self.question.seat]
        if seed is not None:
            twin._seeds.next(seed)
        return twin

    def redeal(self, seat: Seat, chance: Random) -> Episode:
        """Return a copy in which all tiles that a seat cannot see are dealt anew; see ``Environment.redeal``."""
        found = redealt(self._game, self._told(), seat, chance)
        twin = self.clone()
        twin.seed, twin._chance = "", Random(chance.getrandbits(64))
        twin._game, twin._answers, twin._observations = found.game, [*found.answers], {}
        twin._table, twin._events = TableRows(self.task.ruleset), []
        twin._go_on([*found.events])
        return twin

    @property
    def chance(self) -> Random:
        """For opponents that play at random: the seed of the walls decides what they do, too."""
        if self._chance is None:
            self._chance = Random(f"chance/{self.seed}")
        return self._chance

    def begin(self, seed: int | None = None, start: Start | GameState | None = None) -> None:
        """Begin an episode with the walls of this seed, or the next one (see ``Environment.reset``).

        Raises IllegalAction if an answer of the ``start`` is not legal.
        """
        self.seed = self._seeds.next(seed)
        self._chance = None
        if isinstance(start, Start):
            self._begin_game(start.standing, start.deal)
        else:
            self._begin_game(start, None)
        self._go_on(self._game.begin())
        for action in start.answers if isinstance(start, Start) else ():
            self.answer(action)
        self.earned = None

    def _go_on(self, events: list[Event]) -> None:
        """Take in what has happened, and ask the next question."""
        game = self._game
        self._table.see(events)
        if self._events is not None:
            self._events += events
        if game.between_kyoku:
            self._proceed()
            self._earn()
        self.question = None
        for question in game.questions.values():
            self.question = question
            self._legal = LegalIds(question, self._table.faces(question.seat))
            break

    def _proceed(self) -> None:
        """Go on to the first question of another kyoku, or to the end of the game."""
        game = self._game
        while game.between_kyoku:
            events = game.proceed()
            if not game.over:
                self._forget()
            self._table.see(events)
            if self._events is not None:
                self._events += events

    @property
    def over(self) -> bool:
        """Whether the episode has ended."""
        return self._game.over

    @property
    def seat(self) -> Seat:
        """The seat that has to act; raises ValueError when the episode is over."""
        if self.question is None:
            raise ValueError(OVER)
        return self.question.seat

    def rows(self, seat: Seat) -> bytearray:
        """Return what a seat sees, ``ump.env.rows.SIZE`` numbers row by row."""
        question = self.question
        if question is None or question.seat != seat:
            question = self._game.questions.get(seat)
        return self._table.of(seat, question)

    def extras(self, seat: Seat, groups: Sequence[str]) -> list[bytes]:
        """Return the bytes of some groups of additional arrays for a seat (``ump.env.extras``)."""
        kyoku = self._game.kyoku
        assert kyoku is not None
        rows = self._event_rows.get(seat)
        if rows is None:
            rows = self._event_rows[seat] = EventRows(seat, self.seats)
        if EVENTS in groups:
            rows.follow(self._told())
        return extras_at(groups, Moment(kyoku.board, seat, rows))

    @property
    def blocks(self) -> tuple[bytearray, ...]:
        """The rows of all seats, see ``TableRows.blocks``."""
        return self._table.blocks

    def mask(self, seat: Seat) -> bytearray:
        """Return 1 for each action id that is legal for a seat now, 0 for the others; all 0 if it has not to act."""
        question = self.question
        if question is None or question.seat != seat or self._legal is None:
            return bytearray(ACTIONS)
        return self._legal.mask.copy()  # a learner may change its array

    def step(self, number: int) -> None:
        """Take the action of this id for the seat that has to act; rewards are added to ``earned``.

        Raises ValueError, and changes nothing, if the action is not legal or the episode is over.
        """
        legal, question = self._legal, self.question
        if legal is None or question is None or not (0 <= number < ACTIONS and legal.mask[number]):
            raise ValueError(refusal(self.seat, number, self.mask(self.seat)))
        action = legal.action(number)
        self._answers.append((question.seat, action))
        self._go_on(self._game.take(question.seat, action))

    def answer(self, action: Action) -> None:
        """Take an action of the seat that has to act; otherwise like ``step``. Raises IllegalAction."""
        seat = self.seat
        events = self._game.answer(seat, action)
        self._answers.append((seat, action))
        self._go_on(events)

    def _earn(self) -> None:
        """Add the rewards of a kyoku that has ended."""
        game = self._game
        before, self._points = self._points, game.points
        changes = tuple(float(after - points) for after, points in zip(game.points, before, strict=True))
        if self.task.reward is Reward.PLACEMENT:
            if game.ended is None:
                return
            places, points = game.ended.places, self.task.place_points
            changes = tuple(placement_points(places, seat, points) for seat in range(self.seats))
        if any(changes):
            earned = self.earned or (0.0,) * self.seats
            self.earned = tuple(one + other for one, other in zip(earned, changes, strict=True))

    @property
    def result(self) -> GameResult | None:
        """The result of the game; None while the episode goes on."""
        ended = self._game.ended
        return None if ended is None else ended.result

    def observation(self, seat: Seat) -> Observation:
        """Return what a seat knows, for a policy. It follows the kyoku: copy what you keep."""
        seen, count = self._observations.get(seat) or (Observation(seat, self.task.ruleset), 0)
        events = self._told()
        for event in events[count:]:
            seen.see(view(event, seat))
        self._observations[seat] = seen, len(events)
        return seen

    def board(self, seat: Seat) -> str:
        """Return the table as a seat sees it, as text of several lines."""
        position = Position(seat, self._names, self.task.ruleset)
        for event in self._told():
            position.see(view(event, seat))
        return "\n".join(board_lines(position))

    def _told(self) -> list[Event]:
        """Return the events of this kyoku, and keep those to come. The first time they come from playing it again.

        Learners need none, and many tables would push each other out of the processor's cache with them.
        """
        if self._events is None:
            game = Game(self.task.ruleset, self._names, self._game.deals, standing=self._game.opening)
            game.begin()
            self._events = game.proceed()
            for seat, action in self._answers:
                self._events += game.take(seat, action)
            if self.over:
                self._events += game.proceed()
        return self._events
