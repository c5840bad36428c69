"""Games of our own bots as recorded games: with rare hands, for three and four players."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from random import Random

from support.policies import EagerPolicy, RareHandPolicy, helpful_deals

from ump.arena.play import play_game
from ump.model.events import Event, GameEnded, GameStarted, HandWon, KyokuDrawn, KyokuEnded, KyokuStarted
from ump.record.recorded_game import RecordedGame, RecordedKyoku, Stated
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Ruleset, Tenpai

OPEN = replace(PRESETS["ump"], open_riichi=True)
"""Rules with open riichi."""


@cache
def own_games() -> tuple[RecordedGame, ...]:
    """Return games under several rules, of policies that call, and that collect rare hands."""
    rules = (PRESETS["tenhou"], PRESETS["mleague"], OPEN, PRESETS["tenhou3"], PRESETS["majsoul3"])
    return tuple(
        own_game(ruleset, f"{number}", rare=rare) for number, ruleset in enumerate(rules) for rare in (False, True)
    )


def own_game(ruleset: Ruleset, seed: str, *, rare: bool) -> RecordedGame:
    """Return one game; the same arguments, the same game."""
    ruleset = replace(ruleset, tenpai=Tenpai.AUTOMATIC) if rare else ruleset  # that policy declares nothing
    seats = ruleset.seats
    kind = RareHandPolicy if rare else EagerPolicy
    policies = [kind(Random(f"{seed}/{seat}")) for seat in range(seats)]
    deals = helpful_deals(seed, seats) if rare else None
    return recorded(play_game(policies, ruleset, seed=None if rare else seed, deals=deals).events, ruleset)


def recorded(events: Iterable[Event], ruleset: Ruleset) -> RecordedGame:
    """Return a game that was played as a recorded one."""
    kyoku: list[RecordedKyoku] = []
    ended = None
    names = ("",) * ruleset.seats
    for event in events:
        match event:
            case GameStarted():
                names = event.names
            case GameEnded():
                ended = event
            case KyokuEnded():
                pass
            case KyokuStarted():
                kyoku.append(RecordedKyoku((event,), None, {}, event.dice, None, complete=False))
            case _:
                done = kyoku[-1].complete or isinstance(event, HandWon | KyokuDrawn)
                last = kyoku[-1]
                stated = {len(last.events): Stated()} if isinstance(event, HandWon) else {}
                kyoku[-1] = replace(last, events=(*last.events, event), stated={**last.stated, **stated}, complete=done)
    return RecordedGame(names, ruleset, tuple(kyoku), ended, from_start=True, own_counting=False)
