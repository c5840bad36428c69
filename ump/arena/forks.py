"""Forks: single decisions in which two policies differ, each played on both ways with equal hidden tiles.

The old policy plays whole games in all seats, and the new one is asked the same questions. Where it answers otherwise,
a copy of the game takes its answer, and the old policy plays the kyoku to its end. A fork costs a part of a kyoku, and
nothing that both policies do alike adds noise to it. It misses what a change brings by later decisions of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ump.arena.block_play import ContestantError, Match, policy_factory
from ump.arena.blocks import (
    ArenaGame,
    Block,
    DecisionClass,
    Fork,
    PlannedBlock,
    PlayedBlock,
    joined_block,
    placement_points,
)
from ump.arena.environment import Environment
from ump.arena.play import PlayedGame
from ump.arena.watched import AnswerCounts
from ump.model.actions import Action, Ankan, Chi, Daiminkan, Discard, Kakan, Pon, Riichi
from ump.model.claims import IllegalAction
from ump.model.events import KyokuStarted
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.value import value
from ump.players.evaluation import EvaluatingPolicy, as_face
from ump.players.observation import Observation
from ump.players.policy import Policy
from ump.players.stakes import kyoku_left, place_chances
from ump.record.record_format import written_rules
from ump.record.replay import describe
from ump.rules.questions import Question
from ump.rules.shanten import shanten

TURNS = (2, 3)
"""The own turns after a fork at which the reviewer says what the hand is worth."""

MAIN, OTHER = 0, 1
"""The old and the new policy, as indices of the players of a match."""


_BY_SHANTEN = (DecisionClass.QUIET_0, DecisionClass.QUIET_1, DecisionClass.QUIET_2)


@value
class ForkTest:
    """The settings of the forks: a match of the old and the new policy, the reviewer, and the placement points."""

    match: Match
    reviewer: str
    points: tuple[float, ...]


def forks_setup_data(test: ForkTest) -> dict[str, Any]:
    """Return the settings as JSON, with all rules."""
    match = test.match
    return {
        "forks": [entrant.kind for entrant in match.entrants],
        "reviewer": test.reviewer,
        "rules": written_rules(match.ruleset),
        "seed": match.seed,
        "points": list(test.points),
    }


@value
class _Result:
    """The result of one kyoku."""

    points: tuple[int, ...]
    """The scores after it."""
    worth: tuple[float, ...]
    """The placement points that each seat may expect then."""


class _Line:
    """One course of a game, in which the old policy answers."""

    def __init__(self, test: ForkTest, environment: Environment, policies: Sequence[Policy]) -> None:
        self.environment = environment
        self._test = test
        self._policies = policies

    def ask(self, question: Question) -> Action:
        """Return the answer of the old policy."""
        return asked(self._policies[question.seat], self.environment, question, self._test.match.entrants[MAIN].kind)

    def take(self, seat: Seat, answer: Action) -> _Result | None:
        """Take an answer; return the result of the kyoku if that has ended it."""
        for event in self.environment.step(answer, seat):
            if isinstance(event, KyokuStarted):
                return self._after(event)
        result = self.environment.result
        if result is None:
            return None
        seats = range(len(result.points))
        worth = [placement_points(result.places, seat, self._test.points) for seat in seats]
        return _Result(result.points, tuple(worth))

    def _after(self, started: KyokuStarted) -> _Result:
        """Return the result of a kyoku from the beginning of the next one."""
        left = kyoku_left(self.environment.ruleset, started.bakaze, started.dealer)
        worth = []
        for seat_chances in place_chances(started.points, left + 1):
            expected = 0.0
            for chance, points in zip(seat_chances.chances, self._test.points, strict=True):
                expected += chance * points
            worth.append(expected)
        return _Result(started.points, tuple(worth))


class _Opinions:
    """The reviewer's opinions of the hand of one seat at its next turns."""

    def __init__(self, reviewer: EvaluatingPolicy) -> None:
        self._reviewer = reviewer
        self._turns = 0
        self.found: dict[int, float | None] = {}
        """The value in points by the number of own turns; None if the reviewer had none."""

    def see(self, environment: Environment, question: Question) -> None:
        """Take the reviewer's opinion if this is one of the turns."""
        if question.phase is not Phase.TURN or question.tile is None:
            return
        self._turns += 1
        if self._turns not in TURNS:
            return
        seen = environment.observation(question.seat)
        self.found[self._turns] = highest(self._reviewer, seen, question)


def highest(reviewer: EvaluatingPolicy, seen: Observation, question: Question) -> float | None:
    """Return the highest value of the reviewer, in points; None if it has none."""
    evaluation = reviewer.evaluate(seen, question.phase, question.tile, question.legal())
    if evaluation is None or not evaluation.candidates:
        return None
    return max(candidate.value for candidate in evaluation.candidates)


@value
class _OpenFork:
    """A fork whose branch is over, while its main line goes on."""

    decision: DecisionClass
    question: tuple[Seat, int]
    """The seat, and the tiles left."""
    answers: tuple[str, str]
    branch: _Result
    branch_opinions: dict[int, float | None]
    main_opinions: _Opinions
    before: tuple[int, ...]
    """The scores at the decision."""

    def closed(self, kyoku: int, main: _Result) -> Fork:
        """Return the fork when the kyoku of its main line is over."""
        seat, left = self.question
        gains = []
        for turn in TURNS:
            new = _opinion(self.branch_opinions.get(turn), self.branch, self.before, seat)
            old = _opinion(self.main_opinions.found.get(turn), main, self.before, seat)
            gains.append(round(new - old, 1))
        opinions = gains[0], gains[1]
        points = self.branch.points[seat] - main.points[seat]
        places = round(self.branch.worth[seat] - main.worth[seat], 3)
        return Fork(self.decision, seat, kyoku, left, *self.answers, points, places, opinions)


def _opinion(found: float | None, result: _Result, before: tuple[int, ...], seat: Seat) -> float:
    """Return an opinion, or what the seat has won or lost by the end of the kyoku if there is none."""
    return float(result.points[seat] - before[seat]) if found is None else found


class ForkedGame:
    """One game between copies of the old policy, with all its forks."""

    def __init__(self, test: ForkTest, number: int) -> None:
        """Begin the game with this number, on which its walls depend."""
        self._test = test
        self._seats = range(test.match.ruleset.seats)
        self._seed = f"{test.match.seed}/{number}"
        environment = Environment(test.match.ruleset)
        environment.reset(self._seed)
        self._old = self._policies(MAIN)
        self._new = self._policies(OTHER)
        self._reviewer: Any = policy_factory(test.reviewer)(self._seed)
        self._line = _Line(test, environment, self._old)
        self._open: list[_OpenFork] = []
        self._kyoku = 0
        self.forks: list[Fork] = []

    def _policies(self, player: int) -> list[Policy]:
        create = policy_factory(self._test.match.entrants[player].kind)
        return [create(f"policy/{self._seed}/{seat}") for seat in self._seats]

    def play(self) -> PlayedGame:
        """Play to the end, and return the game of the main line."""
        environment = self._line.environment
        while environment.result is None:
            question = environment.question()
            seat = question.seat
            for fork in self._open:
                if fork.question[0] == seat:
                    fork.main_opinions.see(environment, question)
            answer = self._line.ask(question)
            other = asked(self._new[seat], environment, question, self._test.match.entrants[OTHER].kind)
            if as_face(answer) != as_face(other):
                self._fork(question, answer, other)
            self._close(self._line.take(seat, answer))
        return PlayedGame(environment.names, environment.ruleset, tuple(environment.events), environment.result)

    def _fork(self, question: Question, answer: Action, other: Action) -> None:
        """Play the branch of the new answer to the end of the kyoku."""
        environment = self._line.environment
        seat = question.seat
        seen = environment.observation(seat)
        decision = class_of(seen, question, (answer, other), self._reviewer)
        branch = _Line(self._test, environment.clone(), self._old)
        opinions = _Opinions(self._reviewer)
        result = self._first(branch, seat, other)
        while result is None:
            asked_now = branch.environment.question()
            if asked_now.seat == seat:
                opinions.see(branch.environment, asked_now)
            result = branch.take(asked_now.seat, branch.ask(asked_now))
        answers = describe(answer), describe(other)
        main = _Opinions(self._reviewer)
        before = tuple(seen.points)
        self._open.append(_OpenFork(decision, (seat, seen.left), answers, result, opinions.found, main, before))

    def _first(self, branch: _Line, seat: Seat, answer: Action) -> _Result | None:
        """Take the new answer; raises ContestantError if it is not legal."""
        try:
            return branch.take(seat, answer)
        except (IllegalAction, TypeError) as error:
            raise ContestantError(f"{self._test.match.entrants[OTHER].kind}: {error}") from error

    def _close(self, result: _Result | None) -> None:
        """Close the forks of a kyoku that is over."""
        if result is None:
            return
        for fork in self._open:
            self.forks.append(fork.closed(self._kyoku, result))
        self._open.clear()
        self._kyoku += 1


def asked(policy: Policy, environment: Environment, question: Question, kind: str) -> Action:
    """Return the answer of a policy; raises ContestantError with its kind if it fails."""
    seen = environment.observation(question.seat)
    try:
        return policy.choose(seen, question.phase, question.tile, question.legal())
    except Exception as error:  # a policy of somebody else may raise anything
        raise ContestantError(f"{kind}: {type(error).__name__}: {error}") from error


def class_of(
    seen: Observation, question: Question, answers: tuple[Action, Action], reviewer: EvaluatingPolicy
) -> DecisionClass:
    """Return the class of a decision between two answers."""
    if any(isinstance(answer, (Ankan, Kakan, Daiminkan)) for answer in answers):
        return DecisionClass.KAN
    if any(isinstance(answer, (Chi, Pon)) for answer in answers):
        return DecisionClass.CALL
    if any(isinstance(answer, Riichi) for answer in answers):
        return DecisionClass.RIICHI
    if not all(isinstance(answer, Discard) for answer in answers):
        return DecisionClass.OTHER
    if _one_folds(seen, question, answers, reviewer):
        return DecisionClass.FOLD
    others = [in_riichi for seat, in_riichi in enumerate(seen.in_riichi) if seat != seen.me]
    if any(others):
        return DecisionClass.THREAT
    distance = max(0, shanten(seen.hand.kinds))
    return _BY_SHANTEN[distance] if distance < len(_BY_SHANTEN) else DecisionClass.QUIET_3


def _one_folds(
    seen: Observation, question: Question, answers: tuple[Action, Action], reviewer: EvaluatingPolicy
) -> bool:
    """Tell whether one of two discards folds and the other does not, as the reviewer sees it."""
    evaluation = reviewer.evaluate(seen, question.phase, question.tile, question.legal())
    candidates = () if evaluation is None else evaluation.candidates
    folds = {candidate.action: candidate.shanten is None for candidate in candidates}
    first, second = (folds.get(as_face(answer)) for answer in answers)
    return first is not None and second is not None and first != second


def play_forks(test: ForkTest, planned: Sequence[PlannedBlock], *, with_records: bool = False) -> list[PlayedBlock]:
    """Play a game with its forks for each planned block; raises ContestantError if a policy fails."""
    blocks = []
    for block in planned:
        game = ForkedGame(test, block.number)
        played = game.play()
        seats = test.match.ruleset.seats
        counted = ArenaGame(played, (MAIN,) * seats, tuple(AnswerCounts() for _ in range(seats)))
        found, records = joined_block(block.number, [counted], len(test.match.entrants), with_records=with_records)
        blocks.append((Block(found.number, found.games, found.errors, tuple(game.forks)), records))
    return blocks
