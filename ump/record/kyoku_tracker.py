"""The table of one kyoku during a replay, down to the physical tiles, for comparison with a record.

A record repeats only the scores and sticks of the visible state, so only these are kept here. Keeping a whole
``ump.players.observation.Observation`` would make a replay 5 to 10 % slower.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from ump.game.deals import Deal
from ump.model.constants import STICK_POINTS
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
from ump.model.melds import MeldType
from ump.model.seats import Seat
from ump.model.tiles import WINDS, Tile
from ump.model.yaku import HandValue
from ump.record.recorded_game import Stated
from ump.record.wall_places import WallPlaces
from ump.rules.payments import win_changes
from ump.rules.ruleset import Ruleset
from ump.rules.wall import LAYOUTS

Tiles = tuple[Tile, ...]


class KyokuTracker:
    """Tracks the physical tiles, the scores and the sticks of a kyoku."""

    def __init__(self, started: KyokuStarted, ruleset: Ruleset, deal: Deal) -> None:
        self._started = started
        self._ruleset = ruleset
        self._points = list(started.points)
        self._kyotaku = started.kyotaku
        self._wall = deal.tiles
        self._places = WallPlaces(started.dealer, ruleset.seats)
        self._indicators: list[Tile] = []
        self._hands: list[set[Tile]] = [set() for _ in range(ruleset.seats)]
        self._last_tile: Tile | None = None
        """The last tile that was discarded, added to a kan or set aside."""

    def stated(self, event: Event) -> Stated:
        """Return everything that a record may state beside this event; call it before ``note``."""
        started = self._started
        if isinstance(event, KyokuStarted):
            return Stated(number=started.bakaze * len(WINDS) + started.dealer)
        points = list(self._points)
        if isinstance(event, RiichiPaid):
            points[event.seat] -= STICK_POINTS
            return Stated(points=tuple(points))
        if not isinstance(event, HandWon):
            return Stated(None, tuple(points), started.honba, self._kyotaku)
        ura = tuple(self._wall[place] for place in LAYOUTS[self._ruleset.seats].ura[: len(event.ura)])
        worth = payment(self._ruleset, event.value, event.seat, event.loser, started.dealer)
        return Stated(None, tuple(points), started.honba, self._kyotaku, tuple(self._indicators), ura, worth)

    def note(self, event: Event, recorded: Tiles) -> Tiles | None:
        """Update the table with an event. Return the tiles that the record should name, None if it names them."""
        match event:
            case TileDrawn():
                tile = self._wall[self._places.draw(rinshan=event.rinshan)]
                self._hands[event.seat].add(tile)
                return None if recorded == (tile,) else (tile,)
            case TileDiscarded():
                self._last_tile = tile = recorded[0]
                hand = self._hands[event.seat]
                if tile not in hand:
                    return ()
                hand.remove(tile)
                return None
            case TileCalled():
                *own, called = recorded
                return self._take(event.seat, own) if called == self._last_tile else (*own, *self._tile_to_win())
            case KanDeclared():
                if event.meld.type is MeldType.KAKAN:
                    self._last_tile = recorded[0]
                return self._take(event.seat, recorded)
            case KitaDeclared():
                self._last_tile = recorded[0]
                return self._take(event.seat, recorded)
            case HandDealt():
                dealt = tuple(self._wall[place] for place in self._places.hand(event.seat))
                self._hands[event.seat].update(dealt)
                return None if set(dealt) == set(recorded) else dealt
            case DoraRevealed():
                self._indicators.append(self._wall[self._places.indicator()])
                return None if list(recorded) == self._indicators[-1:] else tuple(self._indicators[-1:])
            case RiichiPaid():
                self._points[event.seat] -= STICK_POINTS
                self._kyotaku += 1
                return None
            case HandWon():
                self._settle(event.changes)
                self._kyotaku = 0
                return self._compare_hand(event.seat, recorded, () if event.loser is None else self._tile_to_win())
            case HandOpened():
                return self._compare_hand(event.seat, recorded)
            case TenpaiDeclared():
                return self._compare_hand(event.seat, recorded) if event.tenpai else None
            case KyokuDrawn():
                self._settle(event.changes)
                return None
            case GameStarted() | KyokuStarted() | RiichiDeclared() | RonDeclared() | KyokuEnded() | GameEnded():
                return None
            case _:
                assert_never(event)

    def _settle(self, changes: Sequence[int]) -> None:
        """Add the points won and lost to the scores."""
        self._points = [points + change for points, change in zip(self._points, changes, strict=True)]

    def _take(self, seat: Seat, tiles: Sequence[Tile]) -> Tiles | None:
        """Remove tiles from a hand. Return those that it held, None if it held all."""
        hand = self._hands[seat]
        held = tuple(tile for tile in tiles if tile in hand)
        hand.difference_update(held)
        return None if len(held) == len(tiles) else held

    def _compare_hand(self, seat: Seat, recorded: Tiles, won: Tiles = ()) -> Tiles | None:
        """Return the hand with the tile that it won on, None if the record shows the same."""
        hand = self._hands[seat].union(won)
        return None if hand == set(recorded) else tuple(sorted(hand))

    def _tile_to_win(self) -> Tiles:
        return () if self._last_tile is None else (self._last_tile,)


def payment(ruleset: Ruleset, value: HandValue, winner: Seat, loser: Seat | None, dealer: Seat) -> int:
    """Return the points that all payers together pay for a hand, without honba and sticks."""
    changes = win_changes(ruleset, value, winner=winner, loser=loser, dealer=dealer, honba=0, kyotaku=0)
    return changes[winner]
