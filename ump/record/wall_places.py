"""Where in the wall the tiles of a round lie: to hold a record's tiles against a wall, or to lay one out from it."""

from __future__ import annotations

from collections.abc import Sequence

from ump.game.deals import Deal
from ump.model.constants import DEAD_WALL, LIVE_WALL
from ump.model.events import DoraRevealed, Event, HandDealt, HandWon, KyokuStarted, TileDrawn
from ump.model.seats import Seat, seats_from
from ump.model.tiles import TILES, Tile
from ump.record.recorded_game import RecordedKyoku, RecordError
from ump.rules.wall import DEAL, INDICATORS, RINSHAN, URA


class WallPlaces:
    """Follows a round and tells from which places of the wall the tiles of each event come."""

    __slots__ = ("_hands", "_indicators", "_live", "_rinshan")

    def __init__(self, dealer: Seat, seats: int) -> None:
        self._hands = _dealt_places(dealer, seats)
        self._live = 0
        self._rinshan = 0
        self._indicators = 0

    def of(self, event: Event) -> Sequence[int]:
        """Return the places of the tiles that the event takes from the wall; raises RecordError beyond its end."""
        if isinstance(event, TileDrawn):
            return (self.draw(rinshan=event.rinshan),)
        if isinstance(event, HandDealt):
            return self.hand(event.seat)
        return (self.indicator(),) if isinstance(event, DoraRevealed) else ()

    def hand(self, seat: Seat) -> Sequence[int]:
        """Return from where a seat is dealt its hand."""
        return self._hands[seat]

    def draw(self, *, rinshan: bool) -> int:
        """Return from where the next tile is drawn; raises RecordError when there is none."""
        if self._live + self._rinshan == LIVE_WALL or (rinshan and self._rinshan == len(RINSHAN)):
            raise RecordError("more draws than there are tiles")
        if rinshan:
            self._rinshan += 1
            return RINSHAN[self._rinshan - 1]
        self._live += 1
        return DEAD_WALL + LIVE_WALL - self._live

    def indicator(self) -> int:
        """Return where the next dora indicator lies; raises RecordError when there is none."""
        if self._indicators == len(INDICATORS):
            raise RecordError("more dora indicators than there can be")
        self._indicators += 1
        return INDICATORS[self._indicators - 1]


def _dealt_places(dealer: Seat, seats: int) -> list[list[int]]:
    """Return from where each seat is dealt its hand."""
    hands: list[list[int]] = [[] for _ in range(seats)]
    place = TILES - 1
    for count in DEAL:
        for seat in seats_from(dealer, seats):
            hands[seat].extend(range(place, place - count, -1))
            place -= count
    return hands


def deal_of(kyoku: RecordedKyoku, seats: int) -> Deal:
    """Return the deal that the seed gives or, where there is none, one that gives what the record says."""
    return kyoku.deal or rebuild_deal(kyoku, seats)


def rebuild_deal(kyoku: RecordedKyoku, seats: int) -> Deal:
    """Return a deal that gives what the record says; the places that it does not reach hold the other tiles.

    Raises RecordError where a tile would lie in two places.
    """
    started = kyoku.events[0]
    assert isinstance(started, KyokuStarted)
    places = WallPlaces(started.dealer, seats)
    wall: dict[int, Tile] = {}
    for number, (event, tiles) in enumerate(zip(kyoku.events, kyoku.tiles, strict=True)):
        wall.update(zip(places.of(event), tiles, strict=False))
        if isinstance(event, HandWon) and number in kyoku.stated:
            wall.update(zip(URA, kyoku.stated[number].ura or (), strict=False))
    if len(set(wall.values())) < len(wall):
        raise RecordError("a tile is dealt twice")
    rest = iter(sorted(set(range(TILES)) - set(wall.values())))
    return Deal(tuple(wall[place] if place in wall else next(rest) for place in range(TILES)), kyoku.dice)
