"""Games side by side: the same as one after another, with few calls of each policy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest
from support.rows import each_row

from ump.arena.play import BatchPolicy, OneTable, TableQuestion, play_game, play_games
from ump.model.actions import Action
from ump.model.claims import IllegalAction
from ump.players.efficiency import Efficiency
from ump.players.policy import Policy, RandomLegal, Tsumogiri, answer_method
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Length


class Batched:
    """Lets an ordinary policy decide about many tables, and counts its calls and the questions in them."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self.calls = self.questions = 0

    def choose_all(self, questions: Sequence[TableQuestion]) -> Sequence[Action]:
        """Return the policy's answers."""
        self.calls += 1
        self.questions += len(questions)
        assert len({question.table for question in questions}) == len(questions)
        return [self.policy.choose(each.seen, each.phase, each.tile, each.offers) for each in questions]


@pytest.mark.no_cover
@each_row("policy", [Tsumogiri(), Efficiency()])
def test_a_batch_plays_the_same_games(policy: Policy) -> None:
    """Every game is the one that ``play_game`` plays with its seed, also with ordinary policies in some seats."""
    rules = replace(PRESETS["tenhou"], length=Length.TONPU)
    alone = [play_game([policy] * 4, rules, seed=seed) for seed in (1, 2)]
    batched = Batched(policy)
    assert play_games([batched] * 4, rules, seeds=[1, 2]) == alone
    assert play_games([batched, policy, batched, policy], rules, seeds=[1, 2]) == alone


def test_a_policy_is_asked_about_many_tables_at_once() -> None:
    """Eight tables of players that discard what they draw share nearly every call."""
    policy = Batched(Tsumogiri())
    play_games([policy] * 4, "tenhou", seeds=range(8))
    assert policy.questions > 4 * policy.calls


class Wrong:
    """Answers with one action too few."""

    def choose_all(self, questions: Sequence[TableQuestion]) -> Sequence[Action]:
        """Leave the last question out."""
        return Batched(Tsumogiri()).choose_all(questions[:-1])


def test_wrong_answers_are_errors() -> None:
    """Too few answers raise ValueError, and so does a wrong number of policies; IllegalAction what is not legal."""
    with pytest.raises(ValueError, match="shorter"):
        play_games([Wrong()] * 4, seeds=[1])
    with pytest.raises(ValueError, match="4 policies are needed, not 1"):
        play_games([Wrong()], seeds=[1])
    with pytest.raises(IllegalAction):
        play_games([Batched(Shadowed())] * 4, seeds=[1])


class Curious(Tsumogiri):
    """Decides by what it sees, although its base class does not need to."""

    asked = 0

    def choose(self, *arguments: object) -> Action:
        """Count."""
        self.asked += 1
        return super().choose(*arguments)  # type: ignore[arg-type]


class Shadowed(RandomLegal):
    """Always answers the same, legal or not."""

    def __init__(self) -> None:
        super().__init__(Random(1))

    def choose(self, seen: object, phase: object, tile: object, offers: tuple[Action, ...] | None) -> Action:
        """Return the first answer that it was ever offered."""
        assert offers is not None
        self.first = getattr(self, "first", offers[0])
        return self.first


@each_row("seed", range(3))
def test_a_policy_that_needs_the_question_alone(seed: int) -> None:
    """It plays the games that it plays with observations."""
    alone = play_game([RandomLegal(Random(seed + seat)) for seat in range(4)], "tenhou", seed=seed)
    seeing = [Batched(RandomLegal(Random(seed + seat))) for seat in range(4)]
    assert play_games(seeing, "tenhou", seeds=[seed]) == [alone]


def test_an_overridden_choice_is_asked() -> None:
    """A subclass that has only ``choose`` does not inherit ``answer``."""
    curious = Curious()
    assert answer_method(curious) is None
    assert answer_method(Tsumogiri()) is not None
    play_game([curious, *[Tsumogiri()] * 3], seed=1)
    assert curious.asked


def test_a_batched_policy_at_one_table() -> None:
    """It is asked about this table alone."""
    batched: BatchPolicy = Batched(Efficiency())
    assert play_game([OneTable(batched)] * 4, seed=2) == play_game([Efficiency()] * 4, seed=2)
