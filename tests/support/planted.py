"""Players of the level medium with one weakness each, to see whether a profile names it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from random import Random

from support.own_games import recorded

from ump.arena.play import play_game
from ump.model.actions import Action, Discard, Riichi
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.tiles import KIND_OF, RED_FIVES, Face
from ump.players.evaluation import EvaluatingPolicy, Evaluation, as_face, tile_evaluation
from ump.players.expert import Expert, Personality
from ump.players.observation import Observation
from ump.players.policy import POLICIES, Fallible, Policy
from ump.record.profile import SEATS, GameProfile, Weakness, profile_of
from ump.rules.presets import PRESETS

HABIT = 0.6
"""How often a habit shows where it can."""

RULES = PRESETS["tenhou"]

Offers = tuple[Action, ...] | None


class DoraBlind(Expert):
    """Knows of no dora, and discards a red five as readily as another."""

    def choose(self, seen: Observation, phase: Phase, tile: Face | None, offers: Offers) -> Action:
        """Return the answer of somebody who sees no indicator."""
        chosen = super().choose(_without_dora(seen), phase, tile, offers)
        if not isinstance(chosen, Discard):
            return chosen
        for each in offers or ():
            if isinstance(each, Discard) and each.face in RED_FIVES and KIND_OF[each.face] == KIND_OF[chosen.face]:
                return each
        return chosen

    def evaluate(self, seen: Observation, phase: Phase, tile: Face | None, offers: Offers) -> Evaluation | None:
        """Return the values for somebody who sees no indicator."""
        return super().evaluate(_without_dora(seen), phase, tile, offers)


def _without_dora(seen: Observation) -> Observation:
    other = copy.copy(seen)
    other.indicators = []
    return other


class _Habitual:
    """Another policy, with one habit."""

    def __init__(self, policy: Policy, weakness: Weakness) -> None:
        self._policy = policy
        self._chance = Random(weakness.value)

    def choose(self, seen: Observation, phase: Phase, tile: Face | None, offers: Offers) -> Action:
        """Return the answer of the policy, or what the habit makes of it."""
        chosen = self._policy.choose(seen, phase, tile, offers)
        if phase is not Phase.TURN or not isinstance(chosen, Discard | Riichi):
            return chosen
        return self._changed(seen, chosen, offers or ())

    def _changed(self, seen: Observation, chosen: Discard | Riichi, offers: tuple[Action, ...]) -> Action:
        raise NotImplementedError


class Silent(_Habitual):
    """Often declares no riichi."""

    def _changed(self, seen: Observation, chosen: Discard | Riichi, offers: tuple[Action, ...]) -> Action:
        if isinstance(chosen, Discard) or self._chance.random() >= HABIT:
            return chosen
        return next(each for each in offers if isinstance(each, Discard) and each.face == chosen.face)


class SmallWaiting(_Habitual):
    """Often takes the smallest of several waits."""

    def _changed(self, seen: Observation, chosen: Discard | Riichi, offers: tuple[Action, ...]) -> Action:
        if self._chance.random() >= HABIT:
            return chosen
        facts = {each.action: each for each in tile_evaluation(seen, offers).candidates}
        own = facts.get(as_face(chosen))
        if own is None or own.shanten != 0:
            return chosen
        smallest, least = chosen, own.tiles or 0
        for offer in offers:
            each = facts.get(as_face(offer))
            if each is None or type(offer) is not type(chosen) or each.shanten != 0:
                continue
            if each.tiles and each.tiles < least:
                assert isinstance(offer, Discard | Riichi)
                smallest, least = offer, each.tiles
        return smallest


def _medium(policy: EvaluatingPolicy) -> Policy:
    return Fallible(policy, 105.0, 0.2)


def _of_style(**style: float) -> Policy:
    return _medium(Expert(Personality(reads=False, **style)))


def _habitual(kind: type[_Habitual], weakness: Weakness) -> Policy:
    return kind(_of_style(), weakness)


def _dora_blind() -> Policy:
    return _medium(DoraBlind(Personality(reads=False)))


PLANTED: Mapping[Weakness, tuple[Callable[[], Policy], int]] = {
    Weakness.CALLS: (partial(_of_style, call_bonus=500.0), 2),
    Weakness.NO_FOLD: (partial(_of_style, caution=0.0), 2),
    Weakness.EARLY_FOLD: (partial(_of_style, caution=2.5), 15),
    Weakness.NO_RIICHI: (partial(_habitual, Silent, Weakness.NO_RIICHI), 3),
    Weakness.DORA: (_dora_blind, 8),
    Weakness.WAITS: (partial(_habitual, SmallWaiting, Weakness.WAITS), 8),
}
"""The players, and the games after which a profile names the weakness in 80 of 100 cases."""


def planted_profiles(weakness: Weakness | None, number: int, seats: Sequence[Seat] = (0,)) -> list[GameProfile]:
    """Return profiles of seats of one game: a planted player, or a plain one, sits in seat 0, plain ones elsewhere."""
    player = _of_style() if weakness is None else PLANTED[weakness][0]()
    others = [POLICIES["medium"]() for _ in range(SEATS - 1)]
    played = play_game([player, *others], RULES, seed=f"profile/{number}")
    game = recorded(played.events, RULES)
    return [profile_of(game, seat) for seat in seats]
