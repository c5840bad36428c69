"""What one seat knows of a kyoku, built from nothing but the events that this seat was told."""

from __future__ import annotations

from ump.model.constants import STICK_POINTS
from ump.model.events import (
    DoraRevealed,
    Event,
    GameEnded,
    HandDealt,
    HandOpened,
    HandWon,
    KanDeclared,
    KyokuDrawn,
    KyokuStarted,
    RiichiDeclared,
    RiichiPaid,
    TileCalled,
    TileDiscarded,
    TileDrawn,
)
from ump.model.hand import Hand
from ump.model.melds import Meld, MeldType
from ump.model.seats import Seat, wind_of
from ump.model.tiles import COPIES, KIND_OF, KINDS, Face, Kind
from ump.rules.ruleset import Ruleset


class Observation:
    """One seat's memory of what happened: the same for a house player, a client and who watches (seat None).

    ``see`` takes the events in the order in which they were told; everything else only reads. All lists have
    one entry per seat. What was hidden from the seat is not here and is not guessed.
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
        """Riichi sticks on the table, in sticks."""
        self._clear()

    def _clear(self) -> None:
        """Forget the kyoku before this one."""
        seats = self.ruleset.seats
        self.hand = Hand()
        """The seat's own hand, a drawn tile included; empty for who watches."""
        self.drawn: Face | None = None
        """The own tile that was just drawn; None again after the discard, and after chi and pon."""
        self.rinshan = False
        """Whether ``drawn`` replaces the tile of a kan."""
        self.rivers: list[list[TileDiscarded]] = [[] for _ in range(seats)]
        """Everything that each seat discarded, in order, the tiles that others called included."""
        self.melds: list[list[Meld]] = [[] for _ in range(seats)]
        if self.seat is not None:
            self.hand.melds = self.melds[self.seat]
        self.in_riichi = [False] * seats
        self.opened: list[tuple[Face, ...] | None] = [None] * seats
        """Concealed tiles that were shown to all, as they were then (open riichi, and hands at a draw)."""
        self.indicators: list[Face] = []
        """The dora indicators that are turned over."""
        self.left = 0
        """Tiles left in the live wall."""
        self.passed: set[Kind] = set()
        """Kinds that others let go by since the own last draw, since riichi for good: a wait among them is furiten."""
        self.giver: Seat | None = None
        """Who discarded last, or added to a pon: whose tile a CALL or CHANKAN is about."""
        self._given: Kind | None = None
        """The kind of that tile; with the next move it joins ``passed``."""
        self._visible = [0] * KINDS
        """How many tiles of each kind the seat has seen."""

    def see(self, event: Event) -> None:
        """Take in one event, as this seat was told it."""
        match event:
            case TileDrawn():
                self._draw(event)
            case TileDiscarded():
                self._discard(event)
            case TileCalled():
                self._call(event)
            case RiichiDeclared():
                self.in_riichi[event.seat] = True
            case RiichiPaid():
                self.points[event.seat] -= STICK_POINTS
                self.kyotaku += 1
            case KanDeclared():
                self._kan(event)
            case DoraRevealed():
                self.indicators.append(event.indicator)
                self._show((event.indicator,))
            case HandOpened():
                self._open(event)
            case _:
                self._account(event)

    def unseen(self, kind: Kind) -> int:
        """Return how many tiles of this kind the seat sees nowhere: not in its hand, a river, a meld, an indicator."""
        return COPIES - self._visible[kind]

    @property
    def me(self) -> Seat:
        """The seat, for what only a player has; ValueError for who watches."""
        if self.seat is None:
            raise ValueError("who watches has no seat")
        return self.seat

    @property
    def seat_wind(self) -> int:
        """The seat's own wind: 0 east (the dealer), 1 south, 2 west, 3 north."""
        return wind_of(self.me, self.dealer, self.ruleset.seats)

    @property
    def is_first_turn(self) -> bool:
        """Whether the seat has not discarded yet and nobody has made a meld: nine terminals, tenhou, chihou, renhou."""
        return not self.rivers[self.me] and not any(self.melds)

    @property
    def kans(self) -> int:
        """How many kans lie on the table."""
        return sum(meld.is_kan for melds in self.melds for meld in melds)

    def _account(self, event: Event) -> None:
        """See an event between the moves: a start, a deal, or points."""
        match event:
            case KyokuStarted():
                self._clear()
                self.bakaze, self.dealer, self.honba = event.bakaze, event.dealer, event.honba
                self.kyotaku, self.points = event.kyotaku, list(event.points)
            case HandDealt(seat=seat, faces=faces) if seat == self.seat and faces is not None:
                for face in faces:
                    self.hand.add(face)
                self._show(faces)
            case HandWon() | KyokuDrawn():
                self.points = [points + change for points, change in zip(self.points, event.changes, strict=True)]
                self.kyotaku -= sum(event.changes) // STICK_POINTS  # what nobody loses comes from the sticks
            case GameEnded():
                self.points = list(event.points)
            case _:
                pass  # the rest changes nothing that a seat decides by

    def _draw(self, event: TileDrawn) -> None:
        self._let_go()
        self.left = event.left
        if event.seat != self.seat or event.face is None:
            return
        self.hand.add(event.face)
        self.drawn, self.rinshan = event.face, event.rinshan
        self._show((event.face,))
        self._end_furiten(event.seat)

    def _discard(self, event: TileDiscarded) -> None:
        self.rivers[event.seat].append(event)
        if event.seat == self.seat:
            self.hand.remove(event.face)
            self.drawn = None
            self._end_furiten(event.seat)
            return
        self.giver, self._given = event.seat, KIND_OF[event.face]
        self._show((event.face,))

    def _call(self, event: TileCalled) -> None:
        self._let_go()
        self._lay_down(event.seat, event.meld.own)
        self.melds[event.seat].append(event.meld)

    def _kan(self, event: KanDeclared) -> None:
        melds, meld = self.melds[event.seat], event.meld
        if meld.added is None:
            self._lay_down(event.seat, meld.own)
            melds.append(meld)
            return
        self._lay_down(event.seat, (meld.added,))
        pon = next(place for place, made in enumerate(melds) if _is_pon_of(made, meld.kind))
        melds[pon] = meld
        if event.seat != self.seat:
            self.giver, self._given = event.seat, meld.kind

    def _open(self, event: HandOpened) -> None:
        if event.seat != self.seat and self.opened[event.seat] is None:
            self._show(event.faces)
        self.opened[event.seat] = event.faces

    def _lay_down(self, seat: Seat, own: tuple[Face, ...]) -> None:
        """Move tiles of a hand into a meld, where everybody sees them."""
        if seat == self.seat:
            for face in own:
                self.hand.remove(face)
            self.drawn = None
        else:  # of a hand that lies open, only the drawn tile is new
            self._show(own if self.opened[seat] is None else own[:1])

    def _let_go(self) -> None:
        """Remember that nobody took the last tile which this seat could have won with."""
        if self._given is not None:
            self.passed.add(self._given)
            self._given = None

    def _end_furiten(self, seat: Seat) -> None:
        """End the temporary furiten; the one of a riichi stays."""
        if not self.in_riichi[seat]:
            self.passed.clear()

    def _show(self, faces: tuple[Face, ...]) -> None:
        """Count tiles that this seat sees for the first time."""
        for face in faces:
            self._visible[KIND_OF[face]] += 1


def _is_pon_of(meld: Meld, kind: Kind) -> bool:
    """Tell whether a meld is the pon that a fourth tile of this kind can be added to."""
    return meld.type is MeldType.PON and meld.kind == kind
