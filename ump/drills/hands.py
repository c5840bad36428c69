"""Drills about a hand alone: the best discard, waits, furiten. Their key is a fact.

A best discard is left out if ``expert``, who sees the table, prefers another tile for its value or its safety.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from ump.drills.case import MISJUDGED, Case, bounded, difficulty
from ump.drills.drill import NO, YES, Drill, DrillKind
from ump.model import actions
from ump.model.constants import DEALT_TILES
from ump.model.hand import Hand
from ump.model.seats import WIND_NAMES, wind_of
from ump.model.tiles import COPIES, KIND_OF, RED_OF, Face, Kind, is_honour
from ump.players.observation import discarded_kinds
from ump.rules.analysis import tenpai_discards, waits
from ump.text.hand import DiscardAnalysis, analyse_hand
from ump.text.layout import hand_text, meld_text, tile_text, tiles_text

FIRST_TURN = 3
"""The turn from which a best discard is asked: before, guest winds go."""

FARTHEST, MOST_EQUAL = 3, 2
"""Best discards: the most shanten, and how many discards may be equal."""

TILES_AHEAD, SHARE_AHEAD = 2, 0.08
"""The lead of the best discard over the next one: in tiles, and as a share of its own."""

NEAR = 3
"""Furiten: the distance from a wait at which a tile of the river can mislead."""

LONG_SUIT = 4
"""The tiles of one suit from which a single wait is worth a question."""

SUITS, NUMBERS = 3, 9


def hand_drills(case: Case) -> Iterator[Drill]:
    """Yield the questions about the hand at a discard."""
    yield from _best_discard(case)
    done = case.decision.done
    if not isinstance(done, actions.Discard):
        return
    for kind, found in tenpai_discards(case.seen.hand, case.seen.ruleset.own_copies).items():
        hand = case.seen.hand.copy()
        hand.remove(_face_of(kind, hand))
        if kind == KIND_OF[done.face]:
            yield from _waits(hand, sorted(found))
        yield from _furiten(case, hand, sorted(found), kind)


def _face_of(kind: Kind, hand: Hand) -> Face:
    """Return a tile of this kind in the hand; a plain five goes before a red one."""
    return kind if hand.faces[kind] else RED_OF[kind]


def suit_drills(generator: random.Random) -> Iterator[Drill]:
    """Yield the waits of hands of one suit, which games show too rarely, without end."""
    while True:
        suit = generator.randrange(SUITS) * NUMBERS
        tiles = generator.sample(range(NUMBERS * COPIES), DEALT_TILES)
        hand = Hand([suit + tile // COPIES for tile in tiles])
        found = [kind for kind in sorted(waits(hand.kinds)) if hand.kinds[kind] < COPIES]
        if len(found) > 1:
            yield from _waits(hand, found)


def _best_discard(case: Case) -> Iterator[Drill]:
    """Yield the question for the discard that leaves the most useful tiles, by the own hand and the dora alone."""
    seen = case.seen
    turn = len(seen.rivers[seen.me]) + 1
    if turn < FIRST_TURN or seen.drawn is None or not case.is_open_turn:
        return
    listed = analyse_hand(seen.hand, seen.indicators, seen.ruleset.own_copies).discards
    right = [KIND_OF[each.face] for each in listed if _worth(each) == _worth(listed[0])]
    if listed[0].shanten > FARTHEST or len(right) > MOST_EQUAL or not _is_ahead(listed):
        return
    values: dict[Kind, float] = {}
    for candidate in case.candidates:
        if isinstance(candidate.action, actions.Discard | actions.Riichi):
            values.setdefault(KIND_OF[candidate.action.face], candidate.value)
    if not values or max(values, key=values.__getitem__) not in right:
        return
    faces = list(seen.hand.concealed)
    faces.remove(seen.drawn)
    shown = {
        "hand": tiles_text(faces),
        "drawn": tile_text(seen.drawn),
        "melds": "".join(map(meld_text, seen.hand.melds)),
        "dora": " ".join(map(tile_text, seen.indicators)),
        "bakaze": WIND_NAMES[seen.bakaze],
        "wind": WIND_NAMES[wind_of(seen.me, seen.dealer, seen.ruleset.seats)],
        "turn": turn,
    }
    facts = {"candidates": list(map(_discard_fact, listed))}
    rating = difficulty(values, right, MISJUDGED)
    choices = dict.fromkeys(tile_text(KIND_OF[face]) for face in seen.hand.concealed)
    yield Drill(DrillKind.DISCARD, shown, tuple(choices), tuple(map(tile_text, right)), facts, rating)


def _worth(discard: DiscardAnalysis) -> tuple[int, int]:
    return discard.shanten, discard.ukeire.tiles


def _is_ahead(listed: Sequence[DiscardAnalysis]) -> bool:
    """Tell whether the best discards are far enough ahead of the next one, which leaves the hand as near to tenpai."""
    shanten, most = _worth(listed[0])
    for discard in listed:
        if _worth(discard) != (shanten, most):
            gap = most - discard.ukeire.tiles
            return discard.shanten == shanten and gap >= max(TILES_AHEAD, SHARE_AHEAD * most)
    return False


def _discard_fact(discard: DiscardAnalysis) -> dict[str, object]:
    tiles = discard.ukeire.tiles
    helpful = [tile_text(kind) for kind, left in discard.ukeire.live if left]
    return {"tile": tile_text(KIND_OF[discard.face]), "shanten": discard.shanten, "tiles": tiles, "helpful": helpful}


def _waits(hand: Hand, found: Sequence[Kind]) -> Iterator[Drill]:
    """Yield the question for all waits of a hand."""
    longest = max(sum(hand.kinds[suit * NUMBERS : (suit + 1) * NUMBERS]) for suit in range(SUITS))
    if len(found) == 1 and longest < LONG_SUIT:
        return
    shown = {"hand": hand_text(hand.concealed, hand.melds)}
    facts = {"waits": [_wait_fact(hand, kind) for kind in found]}
    rating = bounded(900 + 150 * len(found) + 60 * longest)
    yield Drill(DrillKind.WAITS, shown, (), tuple(map(tile_text, found)), facts, rating)


def _wait_fact(hand: Hand, kind: Kind) -> dict[str, object]:
    own = hand.kinds[kind]
    for meld in hand.melds:
        own += sum(KIND_OF[face] == kind for face in meld.faces)
    return {"tile": tile_text(kind), "left": COPIES - own}


def _furiten(case: Case, hand: Hand, found: Sequence[Kind], discarded: Kind) -> Iterator[Drill]:
    """Yield the question whether the own river forbids a ron; one in four of those whose answer is no."""
    seen = case.seen
    river = discarded_kinds(seen.rivers[seen.me]) | {discarded}
    if not any(_is_near(wait, kind) for wait in found for kind in river):
        return
    shown = {
        "hand": hand_text(hand.concealed, hand.melds),
        "river": " ".join([*(tile_text(each.face) for each in seen.rivers[seen.me]), tile_text(discarded)]),
    }
    in_river = [tile_text(kind) for kind in found if kind in river]
    facts = {"waits": [_wait_fact(hand, kind) for kind in found], "inRiver": in_river}
    right = YES if in_river else NO
    drill = Drill(DrillKind.FURITEN, shown, (YES, NO), (right,), facts, 800 + 200 * len(found))
    if in_river or drill.id[0] in "0123":
        yield drill


def _is_near(wait: Kind, kind: Kind) -> bool:
    """Tell whether a tile looks as if it had to do with a wait."""
    if is_honour(wait) or is_honour(kind):
        return wait == kind
    return wait // NUMBERS == kind // NUMBERS and abs(wait - kind) <= NEAR
