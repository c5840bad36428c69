"""What a player must have decided, seen from what happened next.

Records do not say when somebody let a tile go: whoever was asked about it and did nothing has passed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ump.model.actions import (
    Action,
    Ankan,
    Chi,
    Daiminkan,
    DeclareNoten,
    DeclareTenpai,
    Discard,
    Kakan,
    KyushuKyuhai,
    Pass,
    Pon,
    Riichi,
    Ron,
    Tsumo,
)
from ump.model.events import (
    DoraRevealed,
    Event,
    HandOpened,
    HandWon,
    KanDeclared,
    KyokuDrawn,
    RiichiDeclared,
    RiichiPaid,
    RonDeclared,
    TenpaiDeclared,
    TileCalled,
    TileDiscarded,
)
from ump.model.melds import Meld, MeldType
from ump.model.phases import Phase
from ump.model.seats import Seat

AHEAD = 12
"""More events than ever lie between a question and those that tell its answer."""


def infer_action(seat: Seat, phase: Phase, events: Sequence[Event], place: int) -> Action | None:
    """Return the action with which a seat answered, given what happened from a place on (``AHEAD`` events do).

    None where that does not follow from any answer to the question, or the record stops before it tells.
    """
    if phase is Phase.TURN and place < len(events):
        event = events[place]
        if isinstance(event, TileDiscarded) and event.seat == seat:  # nearly always
            return Discard(event.face, event.tsumogiri)
    return _READINGS[phase](seat, events[place : place + AHEAD])


def _on_turn(seat: Seat, upcoming: Sequence[Event]) -> Action | None:
    """Look for what the seat did with its drawn tile, past the dora of an earlier kan."""
    events = iter(upcoming)
    for event in events:
        match event:
            case DoraRevealed() | HandOpened():
                continue
            case TileDiscarded(seat=who, face=face, tsumogiri=tsumogiri) if who == seat:
                return Discard(face, tsumogiri)
            case RiichiDeclared(seat=who) if who == seat:
                discarded = next((later for later in events if isinstance(later, TileDiscarded)), None)
                return None if discarded is None else Riichi(discarded.face, discarded.tsumogiri, event.opened)
            case KanDeclared(seat=who, meld=meld) if who == seat:
                return Ankan(meld.kind) if meld.added is None else Kakan(meld.added)
            case HandWon(seat=who, loser=None) if who == seat:
                return Tsumo()
            case KyokuDrawn():
                return KyushuKyuhai()
        break
    return None


def _on_tile(seat: Seat, upcoming: Sequence[Event]) -> Action | None:
    """Look whether the seat was among those that took the tile; all wins on one tile follow each other."""
    for event in upcoming:
        match event:
            case RiichiPaid() | DoraRevealed():
                continue
            case TileCalled(seat=who, meld=meld) if who == seat:
                return _call(meld)
            case HandWon(seat=who) | RonDeclared(seat=who) if who == seat:
                return Ron()
            case HandWon() | RonDeclared():
                continue
        return Pass()
    return Pass() if upcoming and isinstance(upcoming[-1], HandWon) else None


def _on_declaring(seat: Seat, upcoming: Sequence[Event]) -> Action | None:
    """Look for what the seat said at the exhausted wall."""
    for event in upcoming:
        if isinstance(event, TenpaiDeclared) and event.seat == seat:
            return DeclareTenpai() if event.tenpai else DeclareNoten()
    return None


def _call(meld: Meld) -> Action:
    """Return the action that makes this meld of a discard."""
    if meld.type is MeldType.DAIMINKAN:
        return Daiminkan()
    first, second = meld.own
    return (Chi if meld.type is MeldType.CHI else Pon)((first, second))


_READINGS: dict[Phase, Callable[[Seat, Sequence[Event]], Action | None]] = {
    Phase.TURN: _on_turn,
    Phase.CALL: _on_tile,
    Phase.CHANKAN: _on_tile,
    Phase.DECLARE: _on_declaring,
}
"""How the answer to each question is found."""
