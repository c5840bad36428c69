"""What lies on the table as events tell it: the account against which a record's repetitions are held."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ump.game.deals import Deal
from ump.model.constants import STICK_POINTS
from ump.model.events import (
    DoraRevealed,
    Event,
    HandDealt,
    HandOpened,
    HandWon,
    KanDeclared,
    KyokuDrawn,
    KyokuStarted,
    RiichiPaid,
    TenpaiDeclared,
    TileCalled,
    TileDiscarded,
    TileDrawn,
)
from ump.model.melds import MeldType
from ump.model.seats import Seat
from ump.model.tiles import Tile
from ump.model.yaku import HandValue
from ump.record.recorded_game import Stated
from ump.record.wall_places import WallPlaces
from ump.rules.payments import win_changes
from ump.rules.ruleset import Ruleset
from ump.rules.wall import URA

Tiles = tuple[Tile, ...]


class Account:
    """One round as it has been told so far, down to the physical tiles."""

    def __init__(self, started: KyokuStarted, ruleset: Ruleset, deal: Deal) -> None:
        self._started = started
        self._ruleset = ruleset
        self._wall = deal.tiles
        self._places = WallPlaces(started.dealer, ruleset.seats)
        self._points = list(started.points)
        self._kyotaku = started.kyotaku
        self._indicators: list[Tile] = []
        self._held: list[set[Tile]] = [set() for _ in range(ruleset.seats)]
        self._last: Tile | None = None
        """The tile that was discarded last, or added to a kan."""

    def stated(self, event: Event) -> Stated:
        """Return all that a record may state beside this event, which is not yet noted."""
        started = self._started
        if isinstance(event, KyokuStarted):
            return Stated(number=started.bakaze * self._ruleset.seats + started.dealer)
        points, kyotaku = list(self._points), self._kyotaku
        if isinstance(event, RiichiPaid):
            points[event.seat] -= STICK_POINTS
            return Stated(points=tuple(points))
        if not isinstance(event, HandWon):
            return Stated(None, tuple(points), started.honba, kyotaku)
        ura = tuple(self._wall[place] for place in URA[: len(event.ura)])
        worth = payment(self._ruleset, event.value, event.seat, event.loser, started.dealer)
        return Stated(None, tuple(points), started.honba, kyotaku, tuple(self._indicators), ura, worth)

    def note(self, event: Event, recorded: Tiles) -> Tiles | None:
        """Take an event up, with the tiles that the record names; return other tiles where it should name those."""
        reading = _READINGS.get(type(event))
        return None if reading is None else reading(self, event, recorded)

    def _dealt(self, event: HandDealt, recorded: Tiles) -> Tiles | None:
        hand = tuple(self._wall[place] for place in self._places.hand(event.seat))
        self._held[event.seat].update(hand)
        return None if set(hand) == set(recorded) else hand

    def _revealed(self, event: DoraRevealed, recorded: Tiles) -> Tiles | None:
        self._indicators.append(self._wall[self._places.indicator()])
        shown = self._indicators[-1:]
        return None if shown == list(recorded) else tuple(shown)

    def _drawn(self, event: TileDrawn, recorded: Tiles) -> Tiles | None:
        tile = self._wall[self._places.draw(rinshan=event.rinshan)]
        self._held[event.seat].add(tile)
        return None if recorded == (tile,) else (tile,)

    def _discard(self, event: TileDiscarded, recorded: Tiles) -> Tiles | None:
        self._last = tile = recorded[0]
        held = self._held[event.seat]
        if tile not in held:
            return ()
        held.remove(tile)
        return None

    def _call(self, event: TileCalled, recorded: Tiles) -> Tiles | None:
        *own, called = recorded
        return self._give(event.seat, own) if called == self._last else (*own, *self._tile_in_question())

    def _kan(self, event: KanDeclared, recorded: Tiles) -> Tiles | None:
        if event.meld.type is MeldType.KAKAN:
            self._last = recorded[0]
        return self._give(event.seat, recorded)

    def _give(self, seat: Seat, tiles: Sequence[Tile]) -> Tiles | None:
        """Take tiles out of a hand; return those of them that are there unless all are."""
        held = self._held[seat]
        there = tuple(tile for tile in tiles if tile in held)
        held.difference_update(tiles)
        return None if len(there) == len(tiles) else there

    def _paid(self, event: RiichiPaid, recorded: Tiles) -> Tiles | None:
        self._points[event.seat] -= STICK_POINTS
        self._kyotaku += 1
        return None

    def _won(self, event: HandWon, recorded: Tiles) -> Tiles | None:
        self._points = [sum(both) for both in zip(self._points, event.changes, strict=True)]
        self._kyotaku = 0
        won = self._tile_in_question() if event.loser is not None else ()
        return self._show(event.seat, recorded, won)

    def _drawn_game(self, event: KyokuDrawn, recorded: Tiles) -> Tiles | None:
        self._points = [sum(both) for both in zip(self._points, event.changes, strict=True)]
        return None

    def _opened(self, event: HandOpened | TenpaiDeclared, recorded: Tiles) -> Tiles | None:
        if isinstance(event, TenpaiDeclared) and not event.tenpai:
            return None
        return self._show(event.seat, recorded, ())

    def _show(self, seat: Seat, recorded: Tiles, more: Tiles) -> Tiles | None:
        """Return the hand unless it is the one that the record shows."""
        hand = self._held[seat].union(more)
        return None if hand == set(recorded) else tuple(sorted(hand))

    def _tile_in_question(self) -> Tiles:
        return () if self._last is None else (self._last,)


_READINGS: dict[type, Callable[..., Tiles | None]] = {
    HandDealt: Account._dealt,
    DoraRevealed: Account._revealed,
    TileDrawn: Account._drawn,
    TileDiscarded: Account._discard,
    RiichiPaid: Account._paid,
    TileCalled: Account._call,
    KanDeclared: Account._kan,
    HandWon: Account._won,
    KyokuDrawn: Account._drawn_game,
    HandOpened: Account._opened,
    TenpaiDeclared: Account._opened,
}
"""How each event is noted that moves tiles or points."""


def payment(ruleset: Ruleset, value: HandValue, winner: Seat, loser: Seat | None, dealer: Seat) -> int:
    """Return what all payers together pay for a hand, without honba and sticks."""
    changes = win_changes(ruleset, value, winner=winner, loser=loser, dealer=dealer, honba=0, kyotaku=0)
    return changes[winner]
