"""Takes the games of formats whose reader stops at the first fault of form: the linter judges their events."""

from __future__ import annotations

from ump.model.events import DoraRevealed, KyokuStarted
from ump.record.conversion import with_rules
from ump.record.formats import read_games as read_recorded
from ump.record.lint.collector import Collector
from ump.record.lint.findings import WHOLE, Findings, Place
from ump.record.lint.statements import DoraPlace, Form, StatedGame
from ump.record.recorded_game import RecordedGame
from ump.rules.ruleset import Ruleset

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
            collector.add(Place("event", index + 1), event, stated)
    return StatedGame(game.ruleset, game.rules_stated, collector.finished(), game.ended, WHOLE, game.own_counting)
