"""Derive facts that a record does not state from those that it does: fu and yaku by a replay, results from scores.

That is no invention. It needs the rules, from the record or from the user, and for a replay all hands. A game whose
replay differs from the record gets nothing, because its values might be wrong, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from ump.model.events import GameEnded, HandWon
from ump.model.yaku import HandValue
from ump.record.facts import Fact, facts_of
from ump.record.recorded_game import RecordedGame, RecordError, sorted_yaku
from ump.record.replay import Replay
from ump.rules.placement import placement


def derived(game: RecordedGame, missing: frozenset[Fact]) -> RecordedGame:
    """Return a game with as many of the missing facts as follow from it."""
    says = facts_of(game)
    for facts, derive in _DERIVATIONS.items():
        if missing & facts and Fact.RULES in says:
            game = derive(game)
    return game


def _with_values(game: RecordedGame) -> RecordedGame:
    """Return a game with the value of each win, if a replay confirms all that is stated."""
    if Fact.HANDS not in facts_of(game):
        return game
    try:
        replay = Replay(game)
    except RecordError:
        return game
    if replay.run().mismatches:
        return game
    kyoku = []
    for number, each in enumerate(game.kyoku):
        values = {place: value for (of, place), value in replay.values.items() if of == number}
        events = tuple(
            replace(event, value=_completed(event.value, values[place]))
            if isinstance(event, HandWon) and place in values
            else event
            for place, event in enumerate(each.events)
        )
        kyoku.append(replace(each, events=events))
    return replace(game, kyoku=tuple(kyoku))


def _completed(stated: HandValue, found: HandValue) -> HandValue:
    """Return a stated value with what it leaves out: its fu, or all of it."""
    if not stated.yaku:
        return replace(found, yaku=sorted_yaku(found.yaku))
    return stated if stated.fu or stated.yakuman else replace(stated, fu=found.fu)


def _with_results(game: RecordedGame) -> RecordedGame:
    """Return a game with places and results, if it ends with scores."""
    ended = game.ended
    if ended is None or ended.results or not ended.points or game.own_counting:
        return game
    places, results = placement(game.ruleset, ended.points)
    return replace(game, ended=GameEnded(ended.points, places, results))


_DERIVATIONS: Mapping[frozenset[Fact], Callable[[RecordedGame], RecordedGame]] = {
    frozenset((Fact.YAKU, Fact.FU)): _with_values,
    frozenset((Fact.RESULTS,)): _with_results,
}
"""How to derive each group of facts."""

DERIVABLE = frozenset(fact for facts in _DERIVATIONS for fact in facts)
"""The facts that can be derived."""
