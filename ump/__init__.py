"""A riichi mahjong library and server: hands, rules, games in process, records.

``__all__`` is the public surface; docs/library.md explains it with examples. A name is imported from its module when
it is first used: ``import ump`` loads nothing else, and no public name loads Twisted.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ump.arena.environment import Environment
    from ump.arena.play import BatchPolicy, PlayedGame, TableQuestion, play_game, play_games, rollout
    from ump.game.deals import Deal, seeded_deals
    from ump.game.game import Game, GameState
    from ump.model import actions, events, tiles
    from ump.model.actions import Action
    from ump.model.claims import IllegalAction
    from ump.model.events import Event
    from ump.model.game_result import GameResult
    from ump.model.hand import HandError
    from ump.model.notation import NotationError
    from ump.model.notation import format_mpsz as format_tiles
    from ump.model.phases import Phase
    from ump.model.written import parse_written_tiles as parse_tiles
    from ump.model.yaku import HandValue, Yaku
    from ump.players.danger import Threat
    from ump.players.danger import calibrated_threats as threats
    from ump.players.defensive import Defensive
    from ump.players.efficiency import Efficiency
    from ump.players.expert import Expert, HandOutlook, outlooks
    from ump.players.observation import Observation
    from ump.players.policy import Policy, RandomLegal, Tsumogiri
    from ump.players.stakes import PlaceChances, place_chances
    from ump.record.decisions import Decision, decisions, read_record, read_records
    from ump.record.game_statistics import PlayerTotals, statistics
    from ump.record.mjlog import read_mjlog
    from ump.record.recorded_game import RecordedGame, RecordError
    from ump.record.replay import describe
    from ump.record.review_report import Review, review
    from ump.record.verify import Verdict, verify
    from ump.rules.options import RulesetError, read_ruleset
    from ump.rules.presets import PRESETS
    from ump.rules.questions import Question
    from ump.rules.ruleset import Ruleset
    from ump.table.view import view
    from ump.text.observed import observed
    from ump.text.win import ConditionsError, Win
    from ump.text.written_hands import DiscardChoice, FrozenHand, discards, hand, shanten, ukeire, value, waits

__all__ = [
    "PRESETS",
    "Action",
    "BatchPolicy",
    "ConditionsError",
    "Deal",
    "Decision",
    "Defensive",
    "DiscardChoice",
    "Efficiency",
    "Environment",
    "Event",
    "Expert",
    "FrozenHand",
    "Game",
    "GameResult",
    "GameState",
    "HandError",
    "HandOutlook",
    "HandValue",
    "IllegalAction",
    "NotationError",
    "Observation",
    "Phase",
    "PlaceChances",
    "PlayedGame",
    "PlayerTotals",
    "Policy",
    "Question",
    "RandomLegal",
    "RecordError",
    "RecordedGame",
    "Review",
    "Ruleset",
    "RulesetError",
    "TableQuestion",
    "Threat",
    "Tsumogiri",
    "Verdict",
    "Win",
    "Yaku",
    "actions",
    "decisions",
    "describe",
    "discards",
    "events",
    "format_tiles",
    "hand",
    "observed",
    "outlooks",
    "parse_tiles",
    "place_chances",
    "play_game",
    "play_games",
    "read_mjlog",
    "read_record",
    "read_records",
    "read_ruleset",
    "review",
    "rollout",
    "seeded_deals",
    "shanten",
    "statistics",
    "threats",
    "tiles",
    "ukeire",
    "value",
    "verify",
    "view",
    "waits",
]

_IMPORTS = {
    "Action": "ump.model.actions:Action",
    "BatchPolicy": "ump.arena.play:BatchPolicy",
    "ConditionsError": "ump.text.win:ConditionsError",
    "Deal": "ump.game.deals:Deal",
    "Decision": "ump.record.decisions:Decision",
    "Defensive": "ump.players.defensive:Defensive",
    "DiscardChoice": "ump.text.written_hands:DiscardChoice",
    "Efficiency": "ump.players.efficiency:Efficiency",
    "Environment": "ump.arena.environment:Environment",
    "Event": "ump.model.events:Event",
    "Expert": "ump.players.expert:Expert",
    "FrozenHand": "ump.text.written_hands:FrozenHand",
    "Game": "ump.game.game:Game",
    "GameResult": "ump.model.game_result:GameResult",
    "GameState": "ump.game.game:GameState",
    "HandError": "ump.model.hand:HandError",
    "HandOutlook": "ump.players.expert:HandOutlook",
    "HandValue": "ump.model.yaku:HandValue",
    "IllegalAction": "ump.model.claims:IllegalAction",
    "NotationError": "ump.model.notation:NotationError",
    "Observation": "ump.players.observation:Observation",
    "PRESETS": "ump.rules.presets:PRESETS",
    "Phase": "ump.model.phases:Phase",
    "PlaceChances": "ump.players.stakes:PlaceChances",
    "PlayedGame": "ump.arena.play:PlayedGame",
    "PlayerTotals": "ump.record.game_statistics:PlayerTotals",
    "Policy": "ump.players.policy:Policy",
    "Question": "ump.rules.questions:Question",
    "RandomLegal": "ump.players.policy:RandomLegal",
    "RecordError": "ump.record.recorded_game:RecordError",
    "RecordedGame": "ump.record.recorded_game:RecordedGame",
    "Review": "ump.record.review_report:Review",
    "Ruleset": "ump.rules.ruleset:Ruleset",
    "RulesetError": "ump.rules.options:RulesetError",
    "TableQuestion": "ump.arena.play:TableQuestion",
    "Threat": "ump.players.danger:Threat",
    "Tsumogiri": "ump.players.policy:Tsumogiri",
    "Verdict": "ump.record.verify:Verdict",
    "Win": "ump.text.win:Win",
    "Yaku": "ump.model.yaku:Yaku",
    "actions": "ump.model.actions",
    "decisions": "ump.record.decisions:decisions",
    "describe": "ump.record.replay:describe",
    "discards": "ump.text.written_hands:discards",
    "events": "ump.model.events",
    "format_tiles": "ump.model.notation:format_mpsz",
    "hand": "ump.text.written_hands:hand",
    "observed": "ump.text.observed:observed",
    "outlooks": "ump.players.expert:outlooks",
    "parse_tiles": "ump.model.written:parse_written_tiles",
    "place_chances": "ump.players.stakes:place_chances",
    "play_game": "ump.arena.play:play_game",
    "play_games": "ump.arena.play:play_games",
    "read_mjlog": "ump.record.mjlog:read_mjlog",
    "read_record": "ump.record.decisions:read_record",
    "read_records": "ump.record.decisions:read_records",
    "read_ruleset": "ump.rules.options:read_ruleset",
    "review": "ump.record.review_report:review",
    "rollout": "ump.arena.play:rollout",
    "seeded_deals": "ump.game.deals:seeded_deals",
    "shanten": "ump.text.written_hands:shanten",
    "statistics": "ump.record.game_statistics:statistics",
    "threats": "ump.players.danger:calibrated_threats",
    "tiles": "ump.model.tiles",
    "ukeire": "ump.text.written_hands:ukeire",
    "value": "ump.text.written_hands:value",
    "verify": "ump.record.verify:verify",
    "view": "ump.table.view:view",
    "waits": "ump.text.written_hands:waits",
}
"""The import for each public name, MODULE:NAME or MODULE. The imports above say the same to type checkers."""


class _PublicModules(MetaPathFinder, Loader):
    """Finds the public modules under their short names too, as in ``from ump.actions import Discard``.

    Type checkers find them in ``ump/actions.pyi``, ``events.pyi`` and ``tiles.pyi``.
    """

    def find_spec(self, fullname: str, path: object, target: object = None) -> ModuleSpec | None:
        package, _, name = fullname.partition(".")
        is_public = package == __name__ and ":" not in _IMPORTS.get(name, ":")
        return ModuleSpec(fullname, self) if is_public else None

    def exec_module(self, module: ModuleType) -> None:
        sys.modules[module.__name__] = import_module(_IMPORTS[module.__name__.removeprefix(f"{__name__}.")])


sys.meta_path.append(_PublicModules())

if not TYPE_CHECKING:  # with this function a type checker would accept any name

    def __getattr__(name: str) -> object:
        """Import a public name when it is first used (PEP 562)."""
        if name not in _IMPORTS:
            raise AttributeError(f"module 'ump' has no attribute {name!r}")
        module, _, attribute = _IMPORTS[name].partition(":")
        found = import_module(module)
        if attribute:
            found = getattr(found, attribute)
        globals()[name] = found
        return found

    def __dir__() -> list[str]:
        """Return the public names too, for completion in an interactive session."""
        return sorted({*globals(), *__all__})
