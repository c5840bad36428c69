"""Choose physical tiles for a kyoku whose record names faces alone.

A drawn tile is the lowest copy of its face that is left, or the one at its place if the wall is known. A discard after
a draw is that very tile if it is tsumogiri, and another copy otherwise, so that the copies say no more than the record.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import assert_never

from ump.game.deals import Deal
from ump.model.events import (
    DoraRevealed,
    Event,
    GameEnded,
    GameStarted,
    HandDealt,
    HandOpened,
    HandWon,
    KanDeclared,
    KitaDeclared,
    KyokuDrawn,
    KyokuEnded,
    KyokuStarted,
    RiichiDeclared,
    RiichiPaid,
    RonDeclared,
    TenpaiDeclared,
    TileCalled,
    TileDiscarded,
    TileDrawn,
)
from ump.model.notation import UMP_FACES
from ump.model.seats import LETTERS, Seat
from ump.model.tiles import FACES, NORTH, Face, Tile, faces_of_tiles
from ump.record.recorded_game import RecordedKyoku, RecordError, Stated
from ump.record.wall_places import WallPlaces
from ump.rules.ruleset import Ruleset
from ump.rules.wall import LAYOUTS

Tiles = tuple[Tile, ...]


def with_copies(kyoku: RecordedKyoku, ruleset: Ruleset) -> RecordedKyoku:
    """Return the kyoku with physical tiles, unless it has them already.

    Raise RecordError if there are not enough copies, if a player gives a tile that it does not hold, or if a hand is
    hidden.
    """
    if kyoku.tiles is not None:
        return kyoku
    started = kyoku.events[0]
    assert isinstance(started, KyokuStarted)
    copies = _Copies(started, ruleset, kyoku.deal)
    tiles = []
    for number, event in enumerate(kyoku.events, 1):
        try:
            tiles.append(copies.of(event))
        except RecordError as error:
            raise RecordError(f"event {number}: {error}") from None
    ura = copies.ura([event for event in kyoku.events if isinstance(event, HandWon)])
    stated = dict(kyoku.stated)
    for index, event in enumerate(kyoku.events):
        if isinstance(event, HandWon) and event.ura:
            stated[index] = replace(stated.get(index, Stated()), ura=ura[: len(event.ura)])
    return replace(kyoku, tiles=tuple(tiles), stated=stated)


class _Copies:
    """The physical tiles of one kyoku."""

    def __init__(self, started: KyokuStarted, ruleset: Ruleset, deal: Deal | None) -> None:
        self._faces = faces_of_tiles(ruleset.red_fives)
        self._wall: Sequence[Tile] | None = None if deal is None else deal.tiles
        self._layout = LAYOUTS[ruleset.seats]
        self._places = WallPlaces(started.dealer, ruleset.seats)
        self._free: list[list[Tile]] = [[] for _ in range(FACES)]
        for tile in reversed(self._layout.tiles):
            self._free[self._faces[tile]].append(tile)
        self._hands: list[list[Tile]] = [[] for _ in range(ruleset.seats)]
        self._drawn: Tile | None = None
        self._last: Tile | None = None
        """The last discard, or the last tile added to a kan."""

    def of(self, event: Event) -> Tiles:
        """Return the tiles of the next event, as ``RecordedKyoku.tiles`` has them."""
        match event:
            case TileDrawn():
                return self._draw(event)
            case TileDiscarded():
                self._last = self._give(event.seat, event.face, tsumogiri=event.tsumogiri)
                self._drawn = None
                return (self._last,)
            case TileCalled():
                own = tuple(self._give(event.seat, face) for face in event.meld.own)
                self._drawn = None
                return own if self._last is None else (*own, self._last)
            case KanDeclared():
                meld = event.meld
                given = meld.own if meld.added is None else (meld.added,)
                tiles = tuple(self._give(event.seat, face) for face in given)
                self._last, self._drawn = tiles[-1], None
                return tiles
            case KitaDeclared():
                self._last, self._drawn = self._give(event.seat, NORTH), None
                return (self._last,)
            case HandDealt():
                return self._deal(event)
            case DoraRevealed():
                return (self._take(event.indicator, self._at(self._places.of(event))),)
            case HandWon():
                won = () if event.loser is None or self._last is None else (self._last,)
                return tuple(sorted((*self._hands[event.seat], *won)))
            case HandOpened():
                return tuple(sorted(self._hands[event.seat]))
            case TenpaiDeclared():
                return tuple(sorted(self._hands[event.seat])) if event.tenpai else ()
            case (
                GameStarted()
                | KyokuStarted()
                | RiichiDeclared()
                | RiichiPaid()
                | RonDeclared()
                | KyokuDrawn()
                | KyokuEnded()
                | GameEnded()
            ):
                return ()
            case _:
                assert_never(event)

    def ura(self, wins: Iterable[HandWon]) -> Tiles:
        """Return the ura indicators of the kyoku, those of the win that shows the most."""
        longest = max((won.ura for won in wins), key=len, default=())
        return tuple(
            self._take(face, self._at(self._layout.ura[place : place + 1])) for place, face in enumerate(longest)
        )

    def _at(self, places: Sequence[int]) -> Tile | None:
        """Return the tile of a known wall at the first of these places."""
        return None if self._wall is None else self._wall[places[0]]

    def _deal(self, event: HandDealt) -> Tiles:
        if event.faces is None:
            raise RecordError(f"the hand of {LETTERS[event.seat]} is hidden")
        if self._wall is None:
            tiles = tuple(self._take(face, None) for face in event.faces)
        else:
            tiles = tuple(self._wall[place] for place in self._places.of(event))
            if sorted(self._faces[tile] for tile in tiles) != sorted(event.faces):
                raise RecordError(f"the wall deals another hand to {LETTERS[event.seat]}")
            for tile in tiles:
                self._take(self._faces[tile], tile)
        self._hands[event.seat] = list(tiles)
        return tiles

    def _draw(self, event: TileDrawn) -> Tiles:
        if event.face is None:
            raise RecordError(f"a draw of {LETTERS[event.seat]} is hidden")
        self._drawn = self._take(event.face, self._at(self._places.of(event)))
        self._hands[event.seat].append(self._drawn)
        return (self._drawn,)

    def _take(self, face: Face, tile: Tile | None) -> Tile:
        """Take a copy of a face from those that are left; ``tile`` is the one that a known wall has here."""
        free = self._free[face]
        if tile is not None and self._faces[tile] != face:
            raise RecordError(f"the wall has {UMP_FACES[self._faces[tile]]} where the record has {UMP_FACES[face]}")
        if not free:
            raise RecordError(f"more copies of {UMP_FACES[face]} than there are")
        if tile is None:
            return free.pop()
        free.remove(tile)
        return tile

    def _give(self, seat: Seat, face: Face, *, tsumogiri: bool = False) -> Tile:
        """Take a tile of this face out of a hand: the drawn one only for tsumogiri, or if it is the only one."""
        held = [tile for tile in self._hands[seat] if self._faces[tile] == face]
        if not held:
            raise RecordError(f"{LETTERS[seat]} gives a {UMP_FACES[face]} that it does not hold")
        others = [tile for tile in held if tile != self._drawn]
        tile = self._drawn if self._drawn in held and (tsumogiri or not others) else others[0]
        assert tile is not None
        self._hands[seat].remove(tile)
        return tile
