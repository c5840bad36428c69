"""Whole games of random legal actions under every preset, with invariants after every event."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from random import Random

import pytest
from support.all_actions import ALL_ACTIONS
from support.balance_check import BalanceCheck
from support.budgets import some
from support.rows import each_row

from ump.game.deals import seeded_deals
from ump.game.game import Game
from ump.model.actions import Action, Ankan, Daiminkan, Discard, Kakan, Kita, Pass, Riichi, Ron, Tsumo
from ump.model.claims import IllegalAction
from ump.model.events import Event, TileDiscarded
from ump.model.phases import Phase
from ump.model.tiles import KIND_OF
from ump.rules.analysis import shanten, waits_of
from ump.rules.presets import PRESETS
from ump.rules.questions import Question
from ump.rules.ruleset import Length, Ruleset

NAMES = ("Ton", "Nan", "Shaa", "Pei")

LONGEST = 20_000
"""The most answers in a game; a longer game would never end."""

ODDS_OF_PROBING = 1 / 40
"""The probability that every action is tried at a question."""

FORWARD = (Ron, Tsumo, Riichi, Ankan, Kakan, Daiminkan, Kita)
"""Rarely legal actions, preferred so that they happen often."""


def choose(question: Question, chance: Random) -> Action:
    """Choose a legal action: mostly one that advances the hand, so that games contain riichi and wins."""
    legal = question.legal()
    forward = [action for action in legal if isinstance(action, FORWARD)]
    if forward and chance.random() < 0.9:
        return chance.choice(forward)
    discards = [action for action in legal if isinstance(action, Discard)]
    if discards and chance.random() < 0.9:
        return min(discards, key=lambda discard: shanten_without(question, discard))
    if question.phase is Phase.CALL and chance.random() < 0.7:
        return Pass()
    return chance.choice(legal)


def shanten_without(question: Question, discard: Discard) -> int:
    """Return how far the hand is from tenpai after a discard."""
    kinds = question.hand.kinds[:]
    kinds[KIND_OF[discard.face]] -= 1
    return shanten(kinds)


def play(ruleset: Ruleset, seed: int, *, probing: bool) -> list[Event]:
    """Play one game and return its events; with ``probing``, try illegal actions now and then."""
    game = Game(ruleset, NAMES[: ruleset.seats], seeded_deals(str(seed), ruleset.seats))
    balance, chance, odds = BalanceCheck(ruleset), Random(seed), Random(-seed)
    told: list[Event] = []
    events = game.begin()
    for _ in range(LONGEST):
        for event in events:
            balance.note(event)
        told += events
        if game.over:
            return told
        if game.between_kyoku:
            events = game.proceed()
            continue
        seat = chance.choice(list(game.questions))
        question = game.questions[seat]
        assert question.hand.concealed == balance.concealed(seat)
        if probing and odds.random() < ODDS_OF_PROBING:
            probe(game, seat)
        events = game.answer(seat, choose(question, chance))
        check_waits(game, events)
    raise AssertionError(f"the game does not end in {LONGEST} answers")


def check_waits(game: Game, events: list[Event]) -> None:
    """Analyse the hand of a player that has discarded: the board does so only where a wait is possible."""
    for event in events:
        if isinstance(event, TileDiscarded) and game.kyoku is not None:
            player = game.kyoku.board.players[event.seat]
            assert player.waits == waits_of(player.hand, game.ruleset.own_copies)
            assert player.least_shanten <= shanten(player.hand.kinds)


def probe(game: Game, seat: int) -> None:
    """Try every action at a question: all but the listed ones are refused, and so are seats without a question."""
    question = game.questions[seat]
    legal = set(question.legal())
    assert len(legal) == len(question.legal()), "an action is listed twice"
    assert legal <= set(ALL_ACTIONS)
    assert question.default() in legal
    for action in ALL_ACTIONS:
        if action in legal:
            question.check(action)
        else:
            with pytest.raises(IllegalAction):
                game.answer(seat, action)
    for other in range(game.ruleset.seats):
        if other not in game.questions:
            with pytest.raises(IllegalAction):
                game.answer(other, question.default())


@pytest.mark.no_cover
@each_row(("preset", "seed"), [*product(PRESETS, some(range(4)))])
def test_tiles_and_points_are_conserved_and_refusals_change_nothing(preset: str, seed: int) -> None:
    """Exactly the listed actions are legal, and a game with refused actions has the same events."""
    ruleset = replace(PRESETS[preset], length=Length.TONPU)
    assert play(ruleset, seed, probing=True) == play(ruleset, seed, probing=False)
