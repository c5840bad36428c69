"""Players that may fail: their answers and faults are counted, and defaults of the rules replace missing answers.

If a policy raises an exception, or answers what is not legal, the answer of a server for an absent player is played.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import Any

from ump.arena.environment import ACTION_TYPES, Environment
from ump.arena.play import BatchedPlayer, BatchPolicy, BatchQuestion, Player, PolicyBatch
from ump.model.actions import Action
from ump.model.phases import Phase
from ump.model.tiles import Face
from ump.players.observation import Observation
from ump.players.policy import Policy, Tsumogiri, answer_method
from ump.record.replay import describe
from ump.rules.questions import Question

Clock = Callable[[], float]
"""A function that returns seconds."""

SHORTEST = 1e-5
"""Seconds: no class of answer times is below this one."""

CLASSES_PER_TENFOLD = 10
"""Each class of answer times ends 26 % above the one before."""

SLOWEST_CLASS = 80
"""The last class: 1,000 seconds and more."""


ANSWERS_IN_CLASS = "answers_in_class_"
"""Begins the names of the counts of answers by class; the number of the class follows."""


def end_of_class(number: int) -> float:
    """Return the upper bound of a class of answer times, in seconds; it belongs to the class."""
    return float(SHORTEST * 10 ** (number / CLASSES_PER_TENFOLD))


ENDS = tuple(map(end_of_class, range(SLOWEST_CLASS)))
"""The upper bounds of all classes but the last one."""


def class_of(seconds: float) -> int:
    """Return the number of the class of an answer time."""
    return bisect_left(ENDS, seconds)


class AnswerCounts:
    """Counts of a player's answers in one seat of one game."""

    def __init__(self) -> None:
        self.times: list[float] = []
        """The seconds of each answer that the player gave itself, and that was legal."""
        self.longest_start = 0.0
        """The seconds of the longest start of a program: until its hello or its first answer, which ``times`` lacks."""
        self.refusals = 0
        self.timeouts = 0
        """Questions whose time ran out; a policy in process has no limit."""
        self.crashes = 0
        self.first_error = ""
        """The first fault in words, as far as it is known."""

    def add_answer(self, seconds: float) -> None:
        """Count an answer that took so many seconds."""
        self.times.append(seconds)

    def add_start(self, seconds: float) -> None:
        """Note that a program needed so many seconds to start."""
        self.longest_start = max(self.longest_start, seconds)

    def crash(self, error: str) -> None:
        """Count a crash."""
        self.crashes += 1
        self.first_error = self.first_error or error[:200]

    def refuse(self, answer: object) -> None:
        """Count an answer that is not legal."""
        self.refusals += 1
        is_action = type(answer) in ACTION_TYPES
        shown = f"{describe(answer)}, which is not legal" if is_action else f"a {type(answer).__name__}, not an action"
        self.first_error = self.first_error or f"it answered {shown}"[:200]

    def named(self) -> dict[str, int]:
        """Return the counts by name, as a block has them; times in microseconds. Some may be 0."""
        times = sorted(self.times)
        named = {
            "answers": len(times),
            "answer_microseconds": round(sum(times) * 1e6),
            "longest_answer_microseconds": round(times[-1] * 1e6) if times else 0,
            "longest_start_microseconds": round(self.longest_start * 1e6),
            "refusals": self.refusals,
            "timeouts": self.timeouts,
            "crashes": self.crashes,
        }
        done = 0
        while done < len(times):
            number = class_of(times[done])
            end = len(times) if number == SLOWEST_CLASS else bisect_right(times, ENDS[number], done)
            named[f"{ANSWERS_IN_CLASS}{number}"] = end - done
            done = end
        return named


class WatchedPlayer(Player):
    """Plays like a policy, one seat of one game. It is a policy, too, for tables of the server."""

    def __init__(self, create: Callable[[], Policy], clock: Clock) -> None:
        """Create the policy."""
        self.counts = AnswerCounts()
        self._clock = clock
        self._policy: Any = None  # what it returns may be no action, also on a compiled wheel
        self._answer: Callable[[Question], Any] | None = None
        try:
            self._policy = create()
            self._answer = answer_method(self._policy)
        except (Exception, SystemExit) as error:
            self.counts.crash(described(error))

    def answer(self, environment: Environment, question: Question) -> Action:
        """Return an answer; what a policy with ``choose`` answers is legal."""
        if self._answer is None:
            seen = environment.observation(question.seat)
            return self.choose(seen, question.phase, question.tile, question.legal())
        begun = self._clock()
        answer: Any
        try:
            answer = self._answer(question)
        except (Exception, SystemExit) as error:
            self.counts.crash(described(error))
            return question.default()
        self.counts.add_answer(self._clock() - begun)
        return answer if type(answer) in ACTION_TYPES else self.refuse(question, answer)

    def refuse(self, question: Question, answer: object) -> Action:
        """Count the last answer as one that is not legal; return what takes its place."""
        self.counts.times.pop()
        self.counts.refuse(answer)
        return question.default()

    def choose(self, seen: Observation, phase: Phase, tile: Face | None, offers: tuple[Action, ...] | None) -> Action:
        """Return a legal answer (see ``Policy.choose``)."""
        answer = None if self._policy is None else self._chosen(seen, phase, tile, offers)
        return Tsumogiri().choose(seen, phase, tile, offers) if answer is None else answer

    def _chosen(
        self, seen: Observation, phase: Phase, tile: Face | None, offers: tuple[Action, ...] | None
    ) -> Action | None:
        """Return what the policy chooses, counted; None if that is no legal answer."""
        begun = self._clock()
        answer: Any
        try:
            answer = self._policy.choose(seen, phase, tile, offers)
        except (Exception, SystemExit) as error:
            self.counts.crash(described(error))
            return None
        if type(answer) not in ACTION_TYPES or (offers is not None and answer not in offers):
            self.counts.refuse(answer)
            return None
        self.counts.add_answer(self._clock() - begun)
        return answer  # type: ignore[no-any-return]  # its type is that of an action


class WatchedBatch(PolicyBatch):
    """Asks a batched policy for its players, at all tables."""

    def __init__(self, create: Callable[[], BatchPolicy], clock: Clock) -> None:
        """Create the policy."""
        self._clock = clock
        self._policy: BatchPolicy | None = None
        self._error = ""
        try:
            self._policy = create()
        except (Exception, SystemExit) as error:
            self._error = described(error)

    def player(self) -> CountedPlayer:
        """Return a player for one seat of one game."""
        player = CountedPlayer(self)
        if self._policy is None:
            player.counts.crash(self._error)
        return player

    def answers(self, asked: Sequence[BatchQuestion]) -> list[Action]:
        """Return a legal answer for each question; all of a call count the same time."""
        begun = self._clock()
        answers: Sequence[Action | None] = [None] * len(asked)
        if self._policy is not None:
            try:
                answers = _answers(self._policy, asked)
            except (Exception, SystemExit) as error:
                for each in asked:
                    _counts(each.player).crash(described(error))
        seconds = (self._clock() - begun) / len(asked)
        return [_legal(each, answer, seconds) for each, answer in zip(asked, answers, strict=True)]


class CountedPlayer(BatchedPlayer):
    """A player of a batch, with its counts."""

    def __init__(self, batch: WatchedBatch) -> None:
        super().__init__(batch)
        self.counts = AnswerCounts()


def _answers(policy: BatchPolicy, asked: Sequence[BatchQuestion]) -> list[Action]:
    answers = list(policy.choose_all([each.question for each in asked]))
    if len(answers) != len(asked):
        raise ValueError(f"{len(answers)} answers to {len(asked)} questions")
    return answers


def _legal(asked: BatchQuestion, answer: Action | None, seconds: float) -> Action:
    """Count an answer, None after a crash; return it, or what takes its place."""
    counts = _counts(asked.player)
    if answer is None:
        return asked.default
    if answer not in asked.question.offers:
        counts.refuse(answer)
        return asked.default
    counts.add_answer(seconds)
    return answer


def _counts(player: BatchedPlayer) -> AnswerCounts:
    assert isinstance(player, CountedPlayer)
    return player.counts


def described(error: BaseException) -> str:
    """Return an exception in one line."""
    return f"{type(error).__name__}: {error}"
