"""Policies that play some seats of the environments, so that only learners are asked. It needs numpy alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from ump.arena.block_play import RANDOM, batch_policy, is_batched_kind, policy_factory
from ump.arena.play import BatchPolicy, TableQuestion, is_batched
from ump.env.action_ids import ACTIONS
from ump.env.array_policy import ArrayPolicy
from ump.env.episode import Episode
from ump.env.rows import SHAPE, SIZE
from ump.model.actions import Action
from ump.model.seats import Seat
from ump.players.policy import Policy, answer_method
from ump.rules.questions import Question

Opponent: TypeAlias = "str | Policy | BatchPolicy | Pool"
"""A policy, its kind as in ``ump compare`` (``efficiency``, ``random``, ``my_bot:Policy``), or a pool of them."""

AnswerMethod: TypeAlias = Callable[[Episode, Question], Action]

LEARNER = -1
"""Stands for the opponent at a learner's seat."""


class Pool:
    """Opponents of which one is drawn for each seat that has the pool, and for each episode."""

    def __init__(self, *members: str | Policy | BatchPolicy) -> None:
        """Take policies, or their kinds. Raises ValueError without any."""
        if not members:
            raise ValueError("a pool needs a policy")
        self.members: list[str | Policy | BatchPolicy] = list(members)

    def add(self, member: str | Policy | BatchPolicy) -> None:
        """Add a policy, such as a copy of the learner, from the next episode on.

        The other processes of a batch have copies of the pool, and do not learn of it.
        """
        self.members.append(member)


class Opponents:
    """The policies of an environment. Its tables share them, as policies keep no state of a game.

    A batched policy, such as an ``ArrayPolicy``, is asked about all tables in one call.
    """

    def __init__(self, given: Opponent | Sequence[Opponent], seats: int) -> None:
        """Take one policy for all seats but one, or a sequence of them; the other seats are the learners'.

        Raises ValueError for an unknown kind, or if no seat is left.
        """
        listed: Sequence[Any]
        listed = given if isinstance(given, Sequence) and not isinstance(given, str) else (given,) * (seats - 1)
        if len(listed) >= seats:
            raise ValueError(f"opponents: expected at most {seats - 1}, got {len(listed)}")
        self.learners = seats - len(listed)
        """The number of learners."""
        self.are_there = bool(listed)
        self.seats = seats
        self._policies: list[str | Policy | BatchPolicy] = []
        self._answers: list[AnswerMethod | None] = []
        """The function of each policy; None for those that are batched."""
        self._pools: list[Pool] = []
        """The pool of each opponent; a single policy is one, too."""
        self._numbers: list[list[int]] = []
        """The numbers of its members among the policies."""
        for each in listed:
            known = next((number for number, pool in enumerate(self._pools) if pool is each), None)
            self._pools.append(each if isinstance(each, Pool) else Pool(each))
            self._numbers.append([] if known is None else self._numbers[known])
        for number in range(len(listed)):
            self._join(number)

    def _join(self, number: int) -> None:
        """Take over the members of a pool that are not known yet."""
        numbers = self._numbers[number]
        for member in self._pools[number].members[len(numbers) :]:
            policy = _policy(member)
            numbers.append(len(self._policies))
            self._policies.append(policy)
            self._answers.append(_answer(policy))

    def sit_down(self, episode: Episode, first: Seat) -> None:
        """Give an episode its opponents. Learners sit from the seat ``first`` on, then opponents in turn order."""
        seated = [LEARNER] * self.seats
        for place in range(len(self._pools)):
            self._join(place)
            numbers = self._numbers[place]
            chosen = numbers[0] if len(numbers) == 1 else episode.chance.choice(numbers)
            seated[(first + self.learners + place) % self.seats] = chosen
        episode.opponents = tuple(seated)

    def play(self, episodes: Sequence[Episode]) -> None:
        """Let opponents act until a learner is asked at each table, or its episode is over. Rewards add up."""
        if not self.are_there:
            return
        running = list(enumerate(episodes))
        while running:
            waiting: dict[int, list[tuple[int, Episode]]] = {}
            for table, episode in running:
                opponent = self._play_alone(episode)
                if opponent != LEARNER:
                    waiting.setdefault(id(self._policies[opponent]), []).append((table, episode))
            running = []
            for tables in waiting.values():
                self._play_together(tables)
                running += tables

    def _play_alone(self, episode: Episode) -> int:
        """Let opponents act that decide alone; return the batched one that is asked next, ``LEARNER`` if none is."""
        while (question := episode.question) is not None:
            opponent = episode.opponents[question.seat]
            answer = None if opponent == LEARNER else self._answers[opponent]
            if answer is None:
                return opponent
            episode.answer(answer(episode, question))
        return LEARNER

    def _play_together(self, tables: Sequence[tuple[int, Episode]]) -> None:
        """Let a batched policy act, which is asked at all of these tables."""
        seats = [episode.seat for _, episode in tables]
        policy: Any = self._policies[tables[0][1].opponents[seats[0]]]
        if isinstance(policy, ArrayPolicy):
            observations = np.empty((len(tables), SIZE), np.uint8)
            masks = np.empty((len(tables), ACTIONS), np.int8)
            for row, ((_, episode), seat) in enumerate(zip(tables, seats, strict=True)):
                observations[row] = np.frombuffer(episode.rows(seat), np.uint8)
                masks[row] = np.frombuffer(episode.mask(seat), np.int8)
            for (_, episode), number in zip(tables, policy.ids(observations.reshape(-1, *SHAPE), masks), strict=True):
                episode.step(number)
            return
        asked = [_table_question(table, episode, seat) for (table, episode), seat in zip(tables, seats, strict=True)]
        for (_, episode), action in zip(tables, policy.choose_all(asked), strict=True):
            episode.answer(action)


def _table_question(table: int, episode: Episode, seat: Seat) -> TableQuestion:
    question = episode.question
    assert question is not None
    return TableQuestion(table, episode.observation(seat), question.phase, question.tile, question.legal())


def _policy(given: str | Policy | BatchPolicy) -> str | Policy | BatchPolicy:
    if not isinstance(given, str) or given == RANDOM:
        return given
    return batch_policy(given) if is_batched_kind(given) else policy_factory(given)("")


def _answer(policy: Any) -> AnswerMethod | None:
    """Return the function with which a policy answers; None if it is batched. No closure, so that it can be pickled."""
    if policy == RANDOM:
        return _answer_at_random
    if is_batched(policy):
        return None
    from_question = answer_method(policy)
    if from_question is not None:
        return partial(_answer_question, from_question)
    return partial(_answer_observation, policy)


def _answer_at_random(episode: Episode, question: Question) -> Action:
    return episode.chance.choice(question.legal())


def _answer_question(answer: Callable[[Question], Action], _episode: Episode, question: Question) -> Action:
    return answer(question)


def _answer_observation(policy: Policy, episode: Episode, question: Question) -> Action:
    seen = episode.observation(question.seat)
    return policy.choose(seen, question.phase, question.tile, question.legal())
