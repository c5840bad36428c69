"""The knowledge of one seat: its part of each event, and the tiles of the wall that it cannot know yet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from math import inf
from random import Random

from ump.model import events as ev
from ump.model.constants import DEAD_WALL
from ump.model.seats import Seat, seats_from
from ump.model.tiles import NORTH, Face
from ump.rules.wall import DEAL, LAYOUTS, Layout


def knowable(event: ev.Event, seat: Seat) -> ev.Event:
    """Return the part of an event that a seat may know: all except the tiles that others are dealt and draw."""
    if isinstance(event, ev.HandDealt) and event.seat != seat:
        return replace(event, faces=None)
    if isinstance(event, ev.TileDrawn) and event.seat != seat:
        return replace(event, face=None)
    return event


def revealed(told: Sequence[ev.Event], wall: Sequence[Face], seat: Seat) -> dict[int, float]:
    """Return, for each place of the wall, the number of events after which the seat may know its tile; infinity: never.

    The game must be one kyoku with the first seat as its dealer. If a hand has equal tiles, any of them is taken for
    the one that leaves it.
    """
    layout = next(each for each in LAYOUTS.values() if len(each.tiles) == len(wall))
    held = _dealt(layout)
    known: dict[int, float] = dict.fromkeys(range(len(wall)), inf)
    turned = drawn = replaced = 0
    for count, event in enumerate(told, 1):
        shown: list[int] = []
        match event:
            case ev.HandDealt(seat=dealt):
                shown = held[dealt] if dealt == seat else []
            case ev.TileDrawn(seat=drawer, rinshan=rinshan):
                place = layout.rinshan[replaced] if rinshan else DEAD_WALL + layout.live - 1 - drawn
                replaced, drawn = replaced + rinshan, drawn + (not rinshan)
                held[drawer].append(place)
                shown = [place] if drawer == seat else []
            case ev.DoraRevealed():
                shown = [layout.indicators[turned]]
                turned += 1
            case ev.TileDiscarded(seat=owner, face=face):
                shown = _given_up(held[owner], (face,), wall)
            case ev.TileCalled(seat=owner, meld=meld):
                shown = _given_up(held[owner], meld.own, wall)
            case ev.KanDeclared(seat=owner, meld=meld):
                shown = _given_up(held[owner], meld.own if meld.added is None else (meld.added,), wall)
            case ev.KitaDeclared(seat=owner):
                shown = _given_up(held[owner], (NORTH,), wall)
            case ev.HandWon(seat=owner, ura=ura):
                shown = [*held[owner], *layout.ura[: len(ura)]]
            case ev.HandOpened(seat=owner) | ev.TenpaiDeclared(seat=owner, tenpai=True):
                shown = held[owner]
        for place in shown:
            known[place] = min(known[place], count)
    return known


def _dealt(layout: Layout) -> list[list[int]]:
    """Return the places of the wall from which each seat is dealt its tiles; the first seat deals."""
    held: list[list[int]] = [[] for _ in range(layout.seats)]
    places = iter(range(len(layout.tiles) - 1, -1, -1))
    for count in DEAL:
        for seat in seats_from(0, layout.seats):
            held[seat] += [next(places) for _ in range(count)]
    return held


def _given_up(held: list[int], faces: Iterable[Face], wall: Sequence[Face]) -> list[int]:
    """Remove tiles with these faces from a hand, and return their places."""
    given = []
    for face in faces:
        place = next(place for place in held if wall[place] == face)
        held.remove(place)
        given.append(place)
    return given


Swap = Callable[[Sequence[int], Sequence[Face], Random], Mapping[int, int]]
"""Chooses new tiles for places that the seat cannot know yet: returns, for each place, the place of its new tile.

The arguments are the places, the wall, and chance.
"""


def swap_two(places: Sequence[int], wall: Sequence[Face], chance: Random) -> Mapping[int, int]:
    """Swap two different tiles."""
    one = chance.choice(places)
    different = [place for place in places if wall[place] != wall[one]]
    if not different:
        return {}
    other = chance.choice(different)
    return {one: other, other: one}


def shuffle_all(places: Sequence[int], wall: Sequence[Face], chance: Random) -> Mapping[int, int]:
    """Shuffle all tiles."""
    return dict(zip(places, chance.sample(places, len(places)), strict=True))
