"""What a player must have decided, seen from what happened next.

Records of real games do not say when somebody let a tile go: whoever was asked about it and did nothing has passed.
"""

from __future__ import annotations

from collections.abc import Sequence

from ump.model.actions import (
    Action,
    Ankan,
    Chi,
    Daiminkan,
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
    TileCalled,
    TileDiscarded,
)
from ump.model.melds import Meld, MeldType
from ump.model.phases import Phase
from ump.model.seats import Seat


def decision(seat: Seat, phase: Phase, upcoming: Sequence[Event]) -> Action:
    """Return the action with which a seat answered, given all that happened from then on.

    Raises ValueError where what happened does not follow from an answer to that question.
    """
    if phase is Phase.TURN:
        return _on_turn(seat, upcoming)
    if phase in (Phase.CALL, Phase.ROB):
        return _on_tile(seat, upcoming)
    raise ValueError(f"records do not say what seat {seat} answered in phase {phase}")


def _on_turn(seat: Seat, upcoming: Sequence[Event]) -> Action:
    """Look for what the seat did with its drawn tile, past the dora of an earlier kan."""
    events = iter(upcoming)
    for event in events:
        match event:
            case DoraRevealed() | HandOpened():
                continue
            case TileDiscarded(seat=who, face=face, tsumogiri=tsumogiri) if who == seat:
                return Discard(face, tsumogiri)
            case RiichiDeclared(seat=who) if who == seat:
                discarded = next(later for later in events if isinstance(later, TileDiscarded))
                return Riichi(discarded.face, discarded.tsumogiri)
            case KanDeclared(seat=who, meld=meld) if who == seat:
                return Ankan(meld.kind) if meld.added is None else Kakan(meld.added)
            case HandWon(seat=who, loser=None) if who == seat:
                return Tsumo()
            case KyokuDrawn():
                return KyushuKyuhai()
        break
    raise ValueError(f"seat {seat} has done nothing on its turn")


def _on_tile(seat: Seat, upcoming: Sequence[Event]) -> Action:
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
        break
    return Pass()


def _call(meld: Meld) -> Action:
    """Return the action that makes this meld of a discard."""
    if meld.type is MeldType.DAIMINKAN:
        return Daiminkan()
    first, second = meld.own
    return (Chi if meld.type is MeldType.CHI else Pon)((first, second))
