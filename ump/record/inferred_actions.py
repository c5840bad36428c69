"""Infer the answers to a game's questions from the recorded events that follow them.

A record does not contain passes. A player who could have called a tile and did not is taken to have passed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from ump.model.actions import (
    Action,
    Ankan,
    Chi,
    Daiminkan,
    DeclareNoten,
    DeclareTenpai,
    Discard,
    Kakan,
    Kita,
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
    KitaDeclared,
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
"""How many events to look at after a question; the answer always follows sooner."""


def infer_action(seat: Seat, phase: Phase, events: Sequence[Event], place: int) -> Action | None:
    """Return the action with which ``seat`` answered the question of ``phase``; ``events[place]`` follows the question.

    Return None if no answer to the question leads to these events, or if the record ends before they show it.
    """
    if phase is Phase.TURN and place < len(events):
        event = events[place]
        if isinstance(event, TileDiscarded) and event.seat == seat:  # a short cut for most questions
            return Discard(event.face, event.tsumogiri)
    upcoming = events[place : place + AHEAD]
    match phase:
        case Phase.TURN:
            return _turn_action(seat, upcoming)
        case Phase.CALL | Phase.CHANKAN:
            return _call_action(seat, upcoming)
        case Phase.DECLARE:
            return _declaration(seat, upcoming)
        case _:
            assert_never(phase)


def _turn_action(seat: Seat, upcoming: Sequence[Event]) -> Action | None:
    """Return what the seat did on its turn; the dora indicator of an earlier kan may come first."""
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
            case KitaDeclared(seat=who) if who == seat:
                return Kita()
            case HandWon(seat=who, loser=None) if who == seat:
                return Tsumo()
            case KyokuDrawn():
                return KyushuKyuhai()
        break
    return None


def _call_action(seat: Seat, upcoming: Sequence[Event]) -> Action | None:
    """Return the seat's call, ron or pass; all wins on one tile follow each other."""
    for event in upcoming:
        match event:
            case RiichiPaid() | DoraRevealed():
                continue
            case TileCalled(seat=who, meld=meld) if who == seat:
                return _call_of(meld)
            case HandWon(seat=who) | RonDeclared(seat=who) if who == seat:
                return Ron()
            case HandWon() | RonDeclared():
                continue
        return Pass()
    return Pass() if upcoming and isinstance(upcoming[-1], HandWon) else None


def _declaration(seat: Seat, upcoming: Sequence[Event]) -> Action | None:
    """Return what the seat declared at the exhausted wall."""
    for event in upcoming:
        if isinstance(event, TenpaiDeclared) and event.seat == seat:
            return DeclareTenpai() if event.tenpai else DeclareNoten()
    return None


def _call_of(meld: Meld) -> Action:
    """Return the action that calls a discard into this meld."""
    if meld.type is MeldType.DAIMINKAN:
        return Daiminkan()
    first, second = meld.own
    return (Chi if meld.type is MeldType.CHI else Pon)((first, second))
