"""Plays sample games: the same rules, policy and seed give the same record, byte for byte."""

from __future__ import annotations

import gzip
from random import Random

from support.policies import EagerPolicy, RareHandPolicy, helpful_deals

from scripts.samples.catalogue import HELPED, Sample
from ump.arena.play import play_game
from ump.game.deals import Deals, Round, seeded_deals
from ump.model.actions import Action, DeclareTenpai
from ump.model.events import Event, GameEnded, GameStarted, HandWon, KyokuDrawn, KyokuEnded, KyokuStarted
from ump.model.phases import Phase
from ump.model.tiles import Face
from ump.players.efficiency import Efficiency
from ump.players.observation import Observation
from ump.players.policy import Policy, RandomLegal
from ump.record.mjlog import write_mjlog
from ump.record.physical_tiles import with_copies
from ump.record.recorded_game import RecordedGame, RecordedKyoku
from ump.rules.presets import PRESETS

POLICIES = ("efficiency", "eager", HELPED, "mixed")
"""The kinds of players that a game may have; ``mixed`` seats one of each kind."""

_NAMES = ("ann", "bob", "cy", "dee")


def play(sample: Sample) -> RecordedGame:
    ruleset = PRESETS[sample.rules]
    deals = (helpful_deals if sample.policy == HELPED else seeded_deals)(sample.text, ruleset.seats)
    chance = Random(sample.text)
    policies = [_Declaring(_policy(sample.policy, seat, chance)) for seat in range(ruleset.seats)]
    played = play_game(policies, ruleset, deals=deals, names=_NAMES[: ruleset.seats])
    return _recorded(played.events, sample, deals)


class _Declaring:
    """A policy that declares tenpai wherever it may, and for the rest follows another one."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    def choose(self, seen: Observation, phase: Phase, tile: Face | None, offers: tuple[Action, ...] | None) -> Action:
        return DeclareTenpai() if phase is Phase.DECLARE else self._policy.choose(seen, phase, tile, offers)


def _policy(name: str, seat: int, chance: Random) -> Policy:
    kind = (*POLICIES[:2], "random", "efficiency")[seat] if name == "mixed" else name
    match kind:
        case "efficiency":
            return Efficiency()
        case "eager":
            return EagerPolicy(chance)
        case "random":
            return RandomLegal(chance)
        case _:
            return RareHandPolicy(chance)


def _recorded(events: tuple[Event, ...], sample: Sample, deals: Deals) -> RecordedGame:
    ruleset = PRESETS[sample.rules]
    parts: list[list[Event]] = []
    ended: GameEnded | None = None
    for event in events:
        match event:
            case GameStarted() | KyokuEnded():
                pass
            case GameEnded():
                ended = event
            case KyokuStarted():
                parts.append([event])
            case _:
                parts[-1].append(event)
    kyoku = []
    redealt: dict[tuple[int, int, int], int] = {}
    for number, part in enumerate(parts):
        started = part[0]
        assert isinstance(started, KyokuStarted)
        at = started.bakaze, started.dealer, started.honba
        deal = deals(Round(*at, redealt.get(at, 0), number))
        redealt[at] = redealt.get(at, 0) + 1
        complete = any(isinstance(event, HandWon | KyokuDrawn) for event in part)
        kyoku.append(with_copies(RecordedKyoku(tuple(part), None, {}, deal.dice, deal, complete), ruleset))
    names = _NAMES[: ruleset.seats]
    return RecordedGame(names, ruleset, tuple(kyoku), ended, from_start=True, own_counting=False)


def packed(game: RecordedGame) -> bytes:
    return gzip.compress(write_mjlog(game), 9, mtime=0)
