"""Hints for one seat from what it has seen: shanten, waits with the tiles left, furiten, safe discards, and advice."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Set
from enum import Enum

from ump.model.actions import Action
from ump.model.phases import Phase
from ump.model.tiles import KIND_OF, KINDS, Face, Kind, kinds_of
from ump.model.value import value
from ump.players.danger import safe_kinds
from ump.players.evaluation import as_face
from ump.players.expert import Expert
from ump.players.observation import Observation
from ump.players.prospects import held_kinds
from ump.rules.analysis import shanten, tenpai_discards, waits_of

MOST_ADVISED = 3
"""The number of answers that advice compares."""


class HintScope(Enum):
    """The help about their own hands for which the players of a room may ask."""

    NONE = "none"
    FACTS = "facts"
    """Waits, the tiles left of them, furiten, and safe discards."""
    ADVICE = "advice"
    """Also what the built-in bot ``expert`` would answer, and why."""


class Furiten(Enum):
    """The time for which a seat may not win by ron."""

    TEMPORARY = "temporary"
    """Until its next draw: a wait has passed."""
    PERMANENT = "permanent"
    """As long as it has these waits: one is in its river, or has passed since its riichi."""


@value
class Waits:
    """The waits of a tenpai hand."""

    live: tuple[tuple[Kind, int], ...]
    """Each wait, sorted, with the number of its tiles that the seat has not seen; 0 if all are in sight."""
    furiten: Furiten | None = None


@value
class HandDistance:
    """The distance of a hand of 3n + 1 tiles from a win, whatever is in sight."""

    shanten: int
    """0 without waits: the player holds all tiles that would complete the hand."""
    waits: frozenset[Kind] = frozenset()


@value
class AdvisedAnswer:
    """An answer that the expert might give, and why."""

    action: Action
    points: float | None = None
    """The points that it is expected to bring; None if it needs no comparison."""
    shanten: int | None = None
    """The shanten of the hand after it; None if the hand is given up."""
    tiles: int | None = None
    """The unseen tiles that lower that, or win."""
    risk: float = 0.0
    """The chance that it deals in, 0..1."""


def standing_of(seen: Observation) -> HandDistance:
    """Return the standing of the own hand between two turns, with 3n + 1 tiles."""
    number = shanten(seen.hand.kinds, seen.ruleset.seats)
    if number:
        return HandDistance(number)
    waits = waits_of(seen.hand, seen.ruleset.own_copies)
    return HandDistance(0, waits.intersection(kinds_of(seen.ruleset.seats)))


def waits_now(seen: Observation, waits: Collection[Kind]) -> Waits:
    """Return the waits of the own hand between two turns, as far as the seat has seen now."""
    return Waits(_live(seen, waits), furiten_of(seen, frozenset(waits)))


def waits_after(seen: Observation, discards: Iterable[Face]) -> dict[Face, Waits]:
    """Return the waits after each of these discards that leaves the own hand, of 3n + 2 tiles, tenpai."""
    in_game = kinds_of(seen.ruleset.seats)
    found = {}
    for kind, waits in tenpai_discards(seen.hand, seen.ruleset.own_copies).items():
        if possible := waits.intersection(in_game):
            found[kind] = Waits(_live(seen, possible), _furiten_after(seen, kind, possible))
    return {face: found[KIND_OF[face]] for face in discards if KIND_OF[face] in found}


def safe_discards(seen: Observation, discards: Iterable[Face]) -> tuple[Face, ...]:
    """Return the discards on which no player in riichi can win by ron; none while nobody else is in riichi."""
    in_riichi = [seat for seat, each in enumerate(seen.in_riichi) if each and seat != seen.me]
    if not in_riichi:
        return ()
    safe = set(range(KINDS))
    for seat in in_riichi:
        safe &= safe_kinds(seen, seat)
    return tuple(face for face in discards if KIND_OF[face] in safe)


def shanten_after(seen: Observation, discards: Iterable[Face]) -> int:
    """Return the lowest shanten that one of these discards leaves in the own hand, of 3n + 2 tiles."""
    kinds = seen.hand.kinds[:]
    allowed = {KIND_OF[face] for face in discards}
    number = shanten(kinds, seen.ruleset.seats)
    if number > 0 and allowed.issuperset(held_kinds(kinds)):
        return number  # the shanten of a hand is that after its best discard
    numbers = []
    for kind in allowed:
        kinds[kind] -= 1
        numbers.append(shanten(kinds, seen.ruleset.seats))
        kinds[kind] += 1
    return min(numbers, default=number)


def advice(seen: Observation, phase: Phase, tile: Face | None, legal: tuple[Action, ...]) -> tuple[AdvisedAnswer, ...]:
    """Return the answers that the expert prefers, the best first (see ``Policy.choose``).

    An answer that needs no comparison, such as a win, stands alone.
    """
    expert = Expert()
    values = expert.evaluate(seen, phase, tile, legal)
    if values is None:
        return (AdvisedAnswer(as_face(expert.choose(seen, phase, tile, legal))),)
    return tuple(
        AdvisedAnswer(each.action, each.value, each.shanten, each.tiles, each.risk or 0.0)
        for each in values.candidates[:MOST_ADVISED]
    )


def furiten_of(seen: Observation, waits: Set[Kind]) -> Furiten | None:
    """Return whether and how long the seat is furiten with these waits, between two turns."""
    if not seen.is_furiten(waits):
        return None
    is_temporary = waits.isdisjoint(seen.discarded) and not seen.in_riichi[seen.me]
    return Furiten.TEMPORARY if is_temporary else Furiten.PERMANENT


def _furiten_after(seen: Observation, discarded: Kind, waits: Set[Kind]) -> Furiten | None:
    """Return the furiten after a discard of the own turn, which ends a temporary one."""
    passed: Set[Kind] = seen.passed if seen.in_riichi[seen.me] else frozenset()
    is_furiten = discarded in waits or not waits.isdisjoint(seen.discarded | passed)
    return Furiten.PERMANENT if is_furiten else None


def _live(seen: Observation, waits: Iterable[Kind]) -> tuple[tuple[Kind, int], ...]:
    return tuple((kind, seen.unseen(kind)) for kind in sorted(waits))
