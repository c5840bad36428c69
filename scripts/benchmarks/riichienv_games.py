"""Games on RiichiEnv (PyPI ``riichienv``, smly/RiichiEnv), called from Python as in its own examples."""

from __future__ import annotations

import time
from typing import Any

from riichienv import Action, ActionType, GameRule, Phase, RiichiEnv
from support.second_engine import MODES, drawn_in_turn

from scripts.benchmarks.engine_games import PlayedGame, at_random
from scripts.lab.figures import Cost


def tsumogiri(game: Any, asked: dict[int, Any]) -> dict[int, Any]:
    """Discard what is drawn and call nothing, without listing the legal actions."""
    if game.phase == Phase.WaitAct:
        return {seat: Action(ActionType.DISCARD, tile=game.drawn_tile) for seat in asked}
    return {seat: Action(ActionType.PASS) for seat in asked}


def cost_of_tsumogiri(run: int) -> Cost:
    return _cost(tsumogiri)


def cost_of_random_legal(run: int) -> Cost:
    """Return the cost of one hanchan between players that choose among all legal actions."""
    one_of = at_random(run)
    return _cost(lambda game, asked: {seat: one_of(seen.legal_actions()) for seat, seen in asked.items()})


def _cost(choose: Any) -> Cost:
    """Play one hanchan; ``choose`` maps the game and the observations of the asked seats to their answers."""
    begun = time.process_time()
    game = RiichiEnv(game_mode=MODES[4][1], rule=GameRule.default_tenhou(), skip_mjai_logging=True)
    asked = game.reset()
    questions = kyoku = 0
    before = None
    while not game.done():
        now = game.kyoku_idx, game.round_wind, game.honba
        if now != before:
            kyoku += 1
        before = now
        questions += len(asked)
        asked = game.step(choose(game, asked))
    return Cost(time.process_time() - begun, questions, kyoku)


def replay(played: PlayedGame) -> Cost:
    """Replay the moves of a game, each kyoku from its own wall and standing; return the cost."""
    questions = 0
    begun = time.process_time()
    game = RiichiEnv(game_mode=MODES[4][0], rule=GameRule.default_tenhou(), skip_mjai_logging=True)
    for kyoku in played.kyoku:
        standing = kyoku.standing
        game.reset(
            oya=standing.dealer,
            wall=drawn_in_turn(kyoku.tiles),
            round_wind=standing.bakaze,
            scores=list(standing.points),
            honba=standing.honba,
            kyotaku=standing.kyotaku,
        )
        for answers in kyoku.steps:
            questions += len(answers)
            for number in range(max(map(len, answers.values()))):
                game.step({seat: steps[min(number, len(steps) - 1)] for seat, steps in answers.items()})
    spent = time.process_time() - begun
    if not game.done():
        raise SystemExit("bench: RiichiEnv did not reach the end of a replayed kyoku")
    return Cost(spent, questions, len(played.kyoku))
