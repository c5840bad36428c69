"""The listed legal actions are those that the rule allows, at many questions of many games."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from support.all_actions import ALL_ACTIONS
from support.budgets import some
from support.policies import EagerPolicy, RareHandPolicy, helpful_deals
from support.rows import each_row

from ump.game.deals import seeded_deals
from ump.game.game import Game
from ump.model.actions import Action, Ankan, Chi, Daiminkan, Kakan, Kita, KyushuKyuhai, Pon, Riichi, Ron, Tsumo
from ump.model.claims import IllegalAction
from ump.model.phases import Phase
from ump.model.seats import LETTERS
from ump.players.observation import Observation
from ump.players.policy import Policy
from ump.rules.call_question import CallQuestion, ChankanQuestion
from ump.rules.presets import PRESETS
from ump.rules.questions import DeclareQuestion, Question
from ump.rules.ruleset import Length
from ump.rules.turn_question import TurnQuestion
from ump.table.view import view

ODDS = {Phase.TURN: 0.04, Phase.CALL: 0.08, Phase.CHANKAN: 1.0, Phase.DECLARE: 0.2}
"""The probability that a question of each phase is checked."""

QUESTIONS: dict[Phase, type[Question]] = {
    Phase.TURN: TurnQuestion,
    Phase.CALL: CallQuestion,
    Phase.CHANKAN: ChankanQuestion,
    Phase.DECLARE: DeclareQuestion,
}

RARE = (Riichi, Ankan, Kakan, Daiminkan, Kita, Tsumo, Ron, KyushuKyuhai)
"""Rarely legal actions: questions that allow one of them are always checked."""


def allowed(question: Question) -> set[Action]:
    """Return every action that the rule does not refuse."""
    return {action for action in ALL_ACTIONS if question.refusal(action) is None}


def check(question: Question) -> tuple[Action, ...]:
    """Compare the list of a question with the rule, and with the parts of the list; look at its class."""
    assert [phase for phase, kind in QUESTIONS.items() if isinstance(question, kind)] == [question.phase]
    legal = question.legal()
    assert set(legal) == allowed(question)
    assert len(set(legal)) == len(legal), "an action is listed twice"
    assert tuple(question.certain()) == legal[: len(question.certain())]
    return legal


def play(policy: Policy, game: Game, chance: Random) -> Counter[type]:
    """Play a game, check many of its questions, and count the legal actions at these."""
    seen = [Observation(seat, game.ruleset) for seat in range(game.ruleset.seats)]
    found: Counter[type] = Counter()
    events = game.begin()
    while True:
        for event in events:
            for observation in seen:
                observation.see(view(event, observation.seat))
        if game.over:
            return found
        if game.between_kyoku:
            events = game.proceed()
            continue
        seat, question = next(iter(game.questions.items()))
        legal = question.legal()
        if chance.random() < ODDS[question.phase] or any(isinstance(action, RARE) for action in legal):
            found.update(map(type, check(question)))
        try:
            events = game.answer(seat, policy.choose(seen[seat], question.phase, question.tile, legal))
        except IllegalAction:  # a policy that does not know all phases
            events = game.answer(seat, question.default())


@pytest.mark.no_cover
@each_row("preset", [*some([*PRESETS][:-1]), "majsoul3"])
def test_listed_actions_are_those_that_the_rule_allows(preset: str) -> None:
    """Under every preset, with ordinary policies and with policies that aim at rare hands."""
    chance = Random(preset)
    found: Counter[type] = Counter()
    ruleset = replace(PRESETS[preset], length=Length.TONPU)
    for policy, deals in ((EagerPolicy(chance), seeded_deals), (RareHandPolicy(chance), helpful_deals)):
        for ask_all in (False, True):
            dealt = deals(f"legal/{preset}/{ask_all}", ruleset.seats)
            game = Game(ruleset, LETTERS[: ruleset.seats], dealt, ask_all=ask_all)
            found += play(policy, game, chance)
    assert {Riichi, Kita if ruleset.kita else Chi, Pon, Ankan, Ron} <= set(found)
