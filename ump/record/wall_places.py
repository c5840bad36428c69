"""The places in the wall of the tiles of a kyoku, to compare a record with a wall or to rebuild the wall."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from ump.game.deals import Deal
from ump.model.constants import DEAD_WALL
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
from ump.model.seats import Seat, seats_from
from ump.model.tiles import Tile
from ump.record.recorded_game import RecordedKyoku, RecordError
from ump.rules.wall import DEAL, LAYOUTS, Layout


class WallPlaces:
    """Follows the events of one kyoku, and returns the places in the wall that their tiles come from."""

    __slots__ = ("_hands", "_indicators", "_layout", "_live", "_rinshan")

    def __init__(self, dealer: Seat, seats: int) -> None:
        self._layout = LAYOUTS[seats]
        self._hands = _dealt_places(dealer, self._layout)
        self._live = 0
        self._rinshan = 0
        self._indicators = 0

    def of(self, event: Event) -> Sequence[int]:
        """Return the places of the tiles that the event takes; raise RecordError if the wall has no more."""
        match event:
            case TileDrawn():
                return (self.draw(rinshan=event.rinshan),)
            case HandDealt():
                return self.hand(event.seat)
            case DoraRevealed():
                return (self.indicator(),)
            case (
                GameStarted()
                | KyokuStarted()
                | RiichiDeclared()
                | TileDiscarded()
                | RiichiPaid()
                | TileCalled()
                | KanDeclared()
                | KitaDeclared()
                | RonDeclared()
                | HandOpened()
                | TenpaiDeclared()
                | HandWon()
                | KyokuDrawn()
                | KyokuEnded()
                | GameEnded()
            ):
                return ()
            case _:
                assert_never(event)

    def hand(self, seat: Seat) -> Sequence[int]:
        """Return the places of the hand that a seat is dealt."""
        return self._hands[seat]

    def draw(self, *, rinshan: bool) -> int:
        """Return the place of the next drawn tile; raise RecordError if none is left."""
        layout = self._layout
        if self._live + self._rinshan == layout.live or (rinshan and self._rinshan == len(layout.rinshan)):
            raise RecordError("more draws than the wall has tiles")
        if rinshan:
            self._rinshan += 1
            return layout.rinshan[self._rinshan - 1]
        self._live += 1
        return DEAD_WALL + layout.live - self._live

    def indicator(self) -> int:
        """Return the place of the next dora indicator; raise RecordError if none is left."""
        places = self._layout.indicators
        if self._indicators == len(places):
            raise RecordError(f"more than {len(places)} dora indicators")
        self._indicators += 1
        return places[self._indicators - 1]


def _dealt_places(dealer: Seat, layout: Layout) -> list[list[int]]:
    """Return the places of each seat's hand."""
    hands: list[list[int]] = [[] for _ in range(layout.seats)]
    place = len(layout.tiles) - 1
    for count in DEAL:
        for seat in seats_from(dealer, layout.seats):
            hands[seat].extend(range(place, place - count, -1))
            place -= count
    return hands


def deal_of(kyoku: RecordedKyoku, seats: int) -> Deal:
    """Return the deal from the record's seed; without a seed, rebuild one from the events."""
    return kyoku.deal or rebuild_deal(kyoku, seats)


def rebuild_deal(kyoku: RecordedKyoku, seats: int) -> Deal:
    """Return a deal that leads to the recorded events; places that the kyoku does not reach hold the other tiles.

    Raise RecordError if a tile would be in two places, or if the game has no such tile.
    """
    started = kyoku.events[0]
    assert isinstance(started, KyokuStarted)
    layout = LAYOUTS[seats]
    places = WallPlaces(started.dealer, seats)
    wall: dict[int, Tile] = {}
    assert kyoku.tiles is not None, "with_copies comes first"
    for number, (event, tiles) in enumerate(zip(kyoku.events, kyoku.tiles, strict=True)):
        wall.update(zip(places.of(event), tiles, strict=False))
        if isinstance(event, HandWon) and number in kyoku.stated:
            wall.update(zip(layout.ura, kyoku.stated[number].ura or (), strict=False))
    if len(set(wall.values())) < len(wall):
        raise RecordError("a tile appears twice")
    if not set(wall.values()) <= set(layout.tiles):
        raise RecordError(f"a tile that games of {seats} do not have")
    rest = iter(sorted(set(layout.tiles) - set(wall.values())))
    wanted = range(len(layout.tiles))
    return Deal(tuple(wall[place] if place in wall else next(rest) for place in wanted), kyoku.dice)
