"""Checks from the events of a game that no tile and no point is lost or created.

It is independent of the engine: it counts every dealt, drawn, discarded and called tile, and every payment, again.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from ump.model import events as ev
from ump.model.melds import Meld, MeldType
from ump.model.seats import Seat
from ump.model.tiles import FACES, IN_ORDER, NORTH, Face, faces_of_tiles, sort_faces, tiles_of
from ump.rules.ruleset import LeftSticks, Ruleset

STICK = 1_000


Pile: TypeAlias = list[int]
"""The number of tiles of each face in one place."""


class BalanceCheck:
    """The places of all tiles and all points of a table."""

    def __init__(self, ruleset: Ruleset) -> None:
        self.ruleset = ruleset
        self.points = [ruleset.start_points] * ruleset.seats
        self.kyotaku = 0
        faces = faces_of_tiles(ruleset.red_fives)
        self.all_tiles = _pile(faces[tile] for tile in tiles_of(ruleset.seats))
        self.clear()

    def clear(self) -> None:
        """Put all tiles back into the wall."""
        seats = range(self.ruleset.seats)
        self.wall = self.all_tiles[:]
        self.indicators = _pile()
        self.river = _pile()
        """The discards of all players."""
        self.hands = [_pile() for _ in seats]
        self.laid = [_pile() for _ in seats]
        """The tiles of each player's melds."""
        self.melds: list[list[Meld]] = [[] for _ in seats]
        self.norths = [0 for _ in seats]
        """The number of norths that each player has set aside; they count among ``laid``."""
        self.last: tuple[Seat, Face] | None = None
        """The last discard and its seat."""

    has_person = False

    def note(self, event: ev.Event) -> None:
        """Take an event, and check the balance; raises AssertionError if a tile or a point is missing or too many."""
        self._enter(event)
        self._balance()

    def concealed(self, seat: Seat) -> tuple[Face, ...]:
        """Return the concealed tiles of a player, sorted."""
        return tuple(face for face in IN_ORDER for _ in range(self.hands[seat][face]))

    def _enter(self, event: ev.Event) -> None:
        match event:
            case ev.KyokuStarted(kyotaku=kyotaku, points=points):
                assert (kyotaku, list(points)) == (self.kyotaku, self.points)
                self.clear()
            case ev.HandDealt(seat=seat, faces=faces):
                assert faces is not None and len(faces) == 13
                _move(faces, self.wall, self.hands[seat])
            case ev.TileDrawn(seat=seat, face=face):
                assert face is not None
                _move((face,), self.wall, self.hands[seat])
            case ev.DoraRevealed(indicator=indicator):
                _move((indicator,), self.wall, self.indicators)
            case ev.TileDiscarded(seat=seat, face=face):
                _move((face,), self.hands[seat], self.river)
                self.last = (seat, face)
            case ev.TileCalled(seat=seat, meld=meld):
                assert (meld.source, meld.called) == self.last
                _move((meld.called or 0,), self.river, self.laid[seat])
                self._lay_down(seat, meld)
            case ev.KanDeclared(seat=seat, meld=meld):
                self._lay_down(seat, meld)
            case ev.KitaDeclared(seat=seat):
                _move((NORTH,), self.hands[seat], self.laid[seat])
                self.norths[seat] += 1
            case (
                ev.TenpaiDeclared(seat=seat, faces=faces, melds=melds)
                | ev.HandOpened(seat=seat, faces=faces, melds=melds)
            ):
                assert faces is None or faces == self.concealed(seat)
                assert list(melds) == self.melds[seat]
            case ev.RiichiPaid() | ev.HandWon() | ev.KyokuDrawn() | ev.GameEnded():
                self._pay(event)

    def _lay_down(self, seat: Seat, meld: Meld) -> None:
        if meld.added is None:
            _move(meld.own, self.hands[seat], self.laid[seat])
            self.melds[seat].append(meld)
        else:
            _move((meld.added,), self.hands[seat], self.laid[seat])
            pon = Meld(MeldType.PON, meld.own, meld.called, meld.source)
            self.melds[seat][self.melds[seat].index(pon)] = meld

    def _pay(self, event: ev.RiichiPaid | ev.HandWon | ev.KyokuDrawn | ev.GameEnded) -> None:
        match event:
            case ev.RiichiPaid(seat=seat):
                self.points[seat] -= STICK
                self.kyotaku += 1
            case ev.HandWon(seat=seat, loser=loser, tile=tile, faces=faces, melds=melds, ura=ura, changes=changes):
                assert sort_faces(faces) == self.concealed(seat) and list(melds) == self.melds[seat]
                assert loser is not None or faces[-1] == tile
                assert event.norths == self.norths[seat]
                assert all(count <= there for count, there in zip(_pile(ura), self.wall, strict=True))
                self._change(changes, sticks=self.kyotaku)
            case ev.KyokuDrawn(changes=changes):
                self._change(changes, sticks=self.kyotaku if sum(changes) else 0)
            case ev.GameEnded(points=points):
                self.points = list(points)
                self.kyotaku = self.kyotaku if self.ruleset.left_sticks is LeftSticks.LOST else 0

    def _change(self, changes: tuple[int, ...], *, sticks: int) -> None:
        """Pay among the players, with this many riichi sticks from the table."""
        assert sum(changes) == sticks * STICK
        self.kyotaku -= sticks
        self.points = [points + change for points, change in zip(self.points, changes, strict=True)]

    def _balance(self) -> None:
        """Check the sums: every tile and every point is in exactly one place."""
        for hand, melds in zip(self.hands, self.melds, strict=True):
            assert sum(hand) + 3 * len(melds) in (0, 13, 14)
        piles = (self.wall, self.indicators, self.river, *self.hands, *self.laid)
        assert [sum(counts) for counts in zip(*piles, strict=True)] == self.all_tiles
        assert sum(self.points) + STICK * self.kyotaku == self.ruleset.seats * self.ruleset.start_points


def _pile(faces: Iterable[Face] = ()) -> Pile:
    """Count faces."""
    pile = [0] * FACES
    for face in faces:
        pile[face] += 1
    return pile


def _move(faces: Iterable[Face], source: Pile, target: Pile) -> None:
    """Move tiles from a place, which must have them, to another."""
    for face in faces:
        assert source[face], f"face {face} is not there"
        source[face] -= 1
        target[face] += 1
