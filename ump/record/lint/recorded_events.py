"""Takes the games of formats whose reader stops at the first fault of form: the linter judges their events."""

from __future__ import annotations

from dataclasses import replace

from ump.model.events import DoraRevealed, Event, HandWon, KyokuStarted
from ump.record.conversion import with_rules
from ump.record.formats import read_games as read_recorded
from ump.record.lint.collector import Collector
from ump.record.lint.findings import WHOLE, Findings, Place
from ump.record.lint.statements import DoraPlace, Form, StatedGame
from ump.record.recorded_game import RecordedGame
from ump.rules.ruleset import Ruleset

SEVEN_PAIRS_FU = 25
"""The one number of fu that is not rounded."""

FORM = Form(DoraPlace.NEARBY, sticks=True)


def read_games(data: bytes, rules: Ruleset | None, findings: Findings) -> list[StatedGame]:
    """Return the games of a file; raise RecordError if its reader does."""
    return [_stated(with_rules(game, rules), findings) for game in read_recorded(data)]


def _stated(game: RecordedGame, findings: Findings) -> StatedGame:
    collector = Collector(findings)
    for kyoku in game.kyoku:
        is_dealt = False
        for index, event in enumerate(kyoku.events):
            stated = kyoku.stated.get(index)
            if isinstance(event, KyokuStarted):
                number = stated
            if isinstance(event, DoraRevealed) and not is_dealt:
                stated, is_dealt = number, True
            collector.add(Place("event", index + 1), _rounded(event), stated)
    return StatedGame(game.ruleset, game.rules_stated, collector.finished(), game.ended, WHOLE, game.own_counting)


def _rounded(event: Event) -> Event:
    """Return a win with its fu rounded up, as they count: servers of UMP 0.2 write them before that."""
    if not isinstance(event, HandWon) or event.value.fu == SEVEN_PAIRS_FU:
        return event
    return replace(event, value=replace(event.value, fu=-(-event.value.fu // 10) * 10))
