"""The visible state of a game for one seat, built up from events.

Built-in bots and clients decide from it. mjai's ``observation`` and the readers of UMP's clients use it, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Set

from ump.model.actions import Discard
from ump.model.constants import STICK_POINTS
from ump.model.events import (
    DoraRevealed,
    Event,
    GameEnded,
    HandDealt,
    HandOpened,
    HandWon,
    KanDeclared,
    KitaDeclared,
    KyokuDrawn,
    KyokuStarted,
    RiichiDeclared,
    RiichiPaid,
    TileCalled,
    TileDiscarded,
    TileDrawn,
)
from ump.model.hand import Hand
from ump.model.melds import Meld, place_of_pon
from ump.model.seats import WIND_NAMES, Seat, changed, seats_from, wind_of
from ump.model.tiles import COPIES, KIND_OF, KINDS, NORTH, Face, Kind, kinds_of, pointed_at
from ump.rules.ruleset import Ruleset
from ump.web.pieces import SeatPicture, Tile, hand, table_picture

MOST_EVENTS = 500
"""More than a kyoku can have: each of its 136 tiles is drawn, discarded and called at most once."""


class Observation:
    """All that one seat has seen of the current kyoku, and the scores of the game.

    Pass every event that the seat receives to ``see``, in order. Everything else only reads. Lists have one entry per
    seat. Hidden tiles are neither stored nor guessed. ``seat`` is None for a spectator, who has no hand.
    """

    def __init__(self, seat: Seat | None, ruleset: Ruleset) -> None:
        self.seat = seat
        self.ruleset = ruleset
        self.points = [ruleset.start_points] * ruleset.seats
        self.dealer: Seat = 0
        self.bakaze = 0
        """0 east, 1 south, 2 west, 3 north."""
        self.honba = 0
        self.kyotaku = 0
        """The number of riichi sticks on the table."""
        self._clear()

    def _clear(self) -> None:
        """Forget the previous kyoku."""
        self._events = 0
        """The number of events that the seat has seen in this kyoku."""
        seats = self.ruleset.seats
        self.hand = Hand()
        """The seat's own hand, a drawn tile included; empty for a spectator."""
        self.drawer: Seat | None = None
        """The seat that has drawn a tile and has not discarded, called, declared a kan or set a north aside since."""
        self.drawn: Face | None = None
        """The tile that ``drawer`` has drawn, if it is visible."""
        self.rinshan = False
        """Whether the last draw was a replacement tile."""
        self.rivers: list[list[TileDiscarded]] = [[] for _ in range(seats)]
        """All discards of each seat, in order, including those that were called."""
        self.discards: list[TileDiscarded] = []
        """The discards of all seats, in order."""
        self.melds: list[list[Meld]] = [[] for _ in range(seats)]
        if self.seat is not None:
            self.hand.melds = self.melds[self.seat]
        self.norths = [0] * seats
        """The number of norths that each seat has set aside."""
        self.in_riichi = [False] * seats
        """Whether each seat has declared riichi."""
        self.rivers_at_riichi: list[tuple[int, ...] | None] = [None] * seats
        """The length of every river when a seat declared riichi: all later discards are safe against it."""
        self.unpaid: Seat | None = None
        """The seat that has declared riichi and has not paid its stick."""
        self.opened: list[tuple[Face, ...] | None] = [None] * seats
        """The concealed tiles that a seat has shown, as they were then (open riichi, and hands at a draw)."""
        self.indicators: list[Face] = []
        """The dora indicators revealed so far."""
        self.left = 0
        """The number of tiles left in the live wall."""
        self.source: Seat | None = None
        """The owner of ``last_tile``."""
        self.last_tile: Face | None = None
        """The tile that others may call or win on: the last discard, the tile of a kan (see ``kan``), or a north."""
        self.kan: Meld | None = None
        """The last kan, until its replacement tile is drawn."""
        self.kita = False
        """Whether ``last_tile`` is a north that was set aside, and its replacement tile is not drawn yet."""
        self.passed: set[Kind] = set()
        """Kinds that have passed since the seat's last draw, or since its riichi; a wait among them is furiten."""
        self._pending: Kind | None = None
        """The kind of another seat's last tile, which joins ``passed`` with the next draw or call."""
        self._visible = [COPIES] * KINDS
        for kind in kinds_of(seats):
            self._visible[kind] = 0
        """The number of tiles of each kind that the seat has seen. Tiles that the game does not have count as seen."""

    def copy(self) -> Observation:
        """Return an independent copy."""
        twin = Observation.__new__(Observation)
        twin.seat, twin.ruleset, twin.points = self.seat, self.ruleset, self.points[:]
        twin.dealer, twin.bakaze, twin.honba, twin.kyotaku = self.dealer, self.bakaze, self.honba, self.kyotaku
        twin._events = self._events
        twin.hand, twin.melds = self.hand.copy(), [melds[:] for melds in self.melds]
        if twin.seat is not None:
            twin.hand.melds = twin.melds[twin.seat]
        twin.drawer, twin.drawn, twin.rinshan = self.drawer, self.drawn, self.rinshan
        twin.rivers, twin.discards = [river[:] for river in self.rivers], self.discards[:]
        twin.norths, twin.in_riichi = self.norths[:], self.in_riichi[:]
        twin.rivers_at_riichi, twin.unpaid, twin.opened = self.rivers_at_riichi[:], self.unpaid, self.opened[:]
        twin.indicators, twin.left = self.indicators[:], self.left
        twin.source, twin.last_tile, twin.kan, twin.kita = self.source, self.last_tile, self.kan, self.kita
        twin.passed, twin._pending, twin._visible = self.passed.copy(), self._pending, self._visible[:]
        return twin

    def see(self, event: Event) -> None:
        """Update the state with one event, as the seat received it.

        Raises ValueError if it contradicts the seat's hand, adds a tile to a pon that does not exist, or is one of more
        events than a kyoku can have.
        """
        self._events += 1
        if self._events > MOST_EVENTS:  # else a wrong server could make a client's memory grow for ever
            raise ValueError("a kyoku cannot have so many events")
        match event:
            case TileDrawn():
                self._draw(event)
            case TileDiscarded():
                self._discard(event)
            case TileCalled():
                self._call(event)
            case RiichiDeclared():
                self.in_riichi[event.seat] = True
                self.rivers_at_riichi[event.seat] = tuple(map(len, self.rivers))
                self.unpaid = event.seat
            case RiichiPaid():
                self.points[event.seat] -= STICK_POINTS
                self.kyotaku += 1
                self.unpaid = None
            case KanDeclared():
                self._declare_kan(event)
            case KitaDeclared():
                self._set_aside(event.seat)
            case DoraRevealed():
                self.indicators.append(event.indicator)
                self._visible[KIND_OF[event.indicator]] += 1
            case HandOpened():
                self._open(event)
            case _:
                self._see_between_moves(event)

    def unseen(self, kind: Kind) -> int:
        """Return how many tiles of this kind are hidden: not in a river, a meld, an indicator or the seat's hand."""
        return COPIES - self._visible[kind]

    @property
    def me(self) -> Seat:
        """The own seat of a player; raises ValueError for a spectator."""
        if self.seat is None:
            raise ValueError("a spectator has no seat")
        return self.seat

    @property
    def seat_wind(self) -> int:
        """The own wind: 0 east (the dealer), 1 south, 2 west, 3 north."""
        return wind_of(self.me, self.dealer, self.ruleset.seats)

    @property
    def is_first_turn(self) -> bool:
        """Whether the seat has not discarded and nobody has made a meld or set a north aside (as for tenhou)."""
        return not self.rivers[self.me] and not any(self.melds) and not any(self.norths)

    @property
    def discarded(self) -> set[Kind]:
        """The kinds in the seat's own river."""
        return discarded_kinds(self.rivers[self.me])

    def is_furiten(self, waits: Set[Kind]) -> bool:
        """Tell whether the seat may not win by ron with these waits: one is in its river or among ``passed``."""
        return bool(waits) and not waits.isdisjoint(self.discarded | self.passed)

    @property
    def awaits_replacement(self) -> bool:
        """Whether the next draw is a replacement tile."""
        return self.kan is not None or self.kita

    @property
    def kans(self) -> list[Seat]:
        """The seat that made each kan on the table, by seat."""
        kans = []
        for seat, melds in enumerate(self.melds):
            for meld in melds:
                if meld.is_kan:
                    kans.append(seat)
        return kans

    @property
    def dora(self) -> list[Kind]:
        """The kind that each indicator makes dora; two of them may be equal."""
        return pointed_at(self.indicators, self.ruleset.seats)

    def _repr_html_(self) -> str:
        """Show the table in a notebook as the seat sees it."""
        seats = []
        for seat in seats_from(self.dealer, self.ruleset.seats):
            wind = WIND_NAMES[wind_of(seat, self.dealer, self.ruleset.seats)]
            name = f"{wind}, this seat" if seat == self.seat else wind
            tiles = tuple(
                Tile(each.face, is_sideways=each.riichi, is_drawn=each.tsumogiri) for each in self.rivers[seat]
            )
            melds = tuple(self.melds[seat])
            seats.append(SeatPicture(name, self.points[seat], tiles, melds, self.in_riichi[seat]))
        title = (
            f"{WIND_NAMES[self.bakaze]} {self.dealer + 1}, {self.honba} honba, {self.kyotaku} sticks, {self.left} left"
        )
        concealed = list(self.hand.concealed)
        drawn = self.drawn if self.drawer == self.seat else None
        if drawn is not None:
            concealed.remove(drawn)
        return table_picture(title, self.indicators, seats, hand(concealed, self.hand.melds, drawn))

    def _see_between_moves(self, event: Event) -> None:
        """Update the state with an event that is not a move: a start, a deal, or payments."""
        match event:
            case KyokuStarted():
                self._clear()
                self.bakaze, self.dealer, self.honba = event.bakaze, event.dealer, event.honba
                self.kyotaku, self.points = event.kyotaku, list(event.points)
            case HandDealt(seat=seat, faces=faces) if seat == self.seat and faces is not None:
                for face in faces:
                    self.hand.add(face)
                self.show(faces)
            case HandWon() | KyokuDrawn():
                changes = event.changes or (0,) * len(self.points)  # a record may not state them
                self.points = changed(self.points, changes)
                self.kyotaku -= sum(changes) // STICK_POINTS  # points that nobody loses come from the sticks
            case GameEnded():
                self.points = list(event.points)
            case _:
                pass  # the others change nothing here

    def _draw(self, event: TileDrawn) -> None:
        if self._pending is not None:
            self.passed.add(self._pending)
            self._pending = None
        seat, face = event.seat, event.face
        self.left = event.left
        self.drawer, self.drawn, self.rinshan, self.kan = seat, face, event.rinshan, None
        self.kita = False
        if face is not None and seat == self.seat:
            self.hand.add(face)
            self._visible[KIND_OF[face]] += 1
            self._end_furiten(seat)

    def _discard(self, event: TileDiscarded) -> None:
        seat, face = event.seat, event.face
        self.rivers[seat].append(event)
        self.discards.append(event)
        self.source, self.last_tile = seat, face
        self.drawer = self.drawn = None
        if seat == self.seat:
            self.hand.remove(face)
            self._end_furiten(seat)
        else:
            self._pending = kind = KIND_OF[face]
            self._visible[kind] += 1

    def _call(self, event: TileCalled) -> None:
        if self._pending is not None:
            self.passed.add(self._pending)
            self._pending = None
        meld = event.meld
        self._lay_down(event.seat, meld.own)
        self.melds[event.seat].append(meld)
        if meld.is_kan:
            self.kan = meld

    def _declare_kan(self, event: KanDeclared) -> None:
        seat, meld = event.seat, event.meld
        melds = self.melds[seat]
        self.source, self.kan = seat, meld
        if meld.added is None:
            self.last_tile = meld.own[0]
            self._lay_down(seat, meld.own)
            melds.append(meld)
            return
        place = place_of_pon(melds, meld.kind)
        if place is None:
            raise ValueError("a tile is added to a pon that does not exist")
        self.last_tile = meld.added
        self._lay_down(seat, (meld.added,))
        melds[place] = meld
        if seat != self.seat:
            self._pending = meld.kind

    def _set_aside(self, seat: Seat) -> None:
        self.norths[seat] += 1
        self.source, self.last_tile, self.kita = seat, NORTH, True
        self._lay_down(seat, (NORTH,))
        if seat != self.seat:
            self._pending = NORTH

    def _open(self, event: HandOpened) -> None:
        if event.seat != self.seat and self.opened[event.seat] is None:
            self.show(event.faces)
        self.opened[event.seat] = event.faces

    def _lay_down(self, seat: Seat, own: tuple[Face, ...]) -> None:
        """Move tiles from a hand to where everybody sees them."""
        self.drawer = self.drawn = None
        if seat == self.seat:
            for face in own:
                self.hand.remove(face)
        else:  # of a hand that is shown, only the drawn tile is new
            self.show(own if self.opened[seat] is None else own[:1])

    def _end_furiten(self, seat: Seat) -> None:
        """End the temporary furiten; the one of a riichi stays."""
        if not self.in_riichi[seat]:
            self.passed.clear()

    def show(self, faces: tuple[Face, ...]) -> None:
        """Count tiles that the seat sees for the first time."""
        for face in faces:
            self._visible[KIND_OF[face]] += 1


def discarded_kinds(discards: Iterable[TileDiscarded | Discard]) -> set[Kind]:
    """Return the kinds of some discards."""
    return {KIND_OF[discard.face] for discard in discards}
