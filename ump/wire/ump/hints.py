"""When a seat receives which hints of the extension ``_waits=1``.

A client receives facts about its own hand alone, counted against what it has seen: ``SeatHints`` takes events as the
seat sees them. It works everything out when it is asked for, and exists only for clients that want hints.
"""

from __future__ import annotations

from collections.abc import Iterable

from ump.model import events as ev
from ump.model.actions import Action, Discard
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.players.hints import HandDistance, Waits, safe_discards, shanten_after, standing_of, waits_after, waits_now
from ump.players.observation import Observation
from ump.rules.ruleset import Ruleset
from ump.wire.session import QuestionView
from ump.wire.ump.extras import Hints
from ump.wire.ump.sentence import Sentence
from ump.wire.ump.sentences01 import ShantenNow, WaitsNow

_MOVES = (ev.TileDrawn, ev.TileCalled, ev.KanDeclared, ev.KitaDeclared)
"""Moves besides a discard. An own one changes the hand; another's may show a tile, or end a chance to win."""

_SHOWING = (ev.DoraRevealed, ev.HandOpened)
"""Other events that show tiles."""


class SeatHints:
    """The hints that a seat receives about its own hand in a game."""

    def __init__(self, seat: Seat, ruleset: Ruleset) -> None:
        self._seat = seat
        self._seen = Observation(seat, ruleset)
        self._standing: HandDistance | None = None
        """The standing of the hand since its last change; None until it is asked for."""
        self._told: Waits | None = None
        """The waits that the client knows; None on its own turn, and while it is not tenpai."""

    def see(self, event: ev.Event) -> Sentence | None:
        """Take an event as the seat sees it; return the hints that follow it."""
        self._seen.see(event)
        if isinstance(event, ev.TileDiscarded):
            return self._tell_anew() if event.seat == self._seat else self._tell_change()
        if isinstance(event, _MOVES):
            if event.seat != self._seat:
                return self._tell_change()
            self._standing = self._told = None
        elif isinstance(event, ev.KyokuStarted):
            self._standing = self._told = None
        elif isinstance(event, _SHOWING):
            return self._tell_change()
        return None

    def hints(self, question: QuestionView) -> Hints | None:
        """Return the hints at the end of a question; None if it has none."""
        if question.phase is Phase.DECLARE:
            return None
        if question.phase is Phase.TURN:
            return self._on_turn(question.legal())
        standing = self._stands()
        if not standing.waits:
            return Hints(standing.shanten)
        return Hints(waits=waits_now(self._seen, standing.waits))

    def _on_turn(self, legal: Iterable[Action]) -> Hints:
        discards = dict.fromkeys(action.face for action in legal if isinstance(action, Discard))
        found = waits_after(self._seen, discards)
        safe = safe_discards(self._seen, discards)
        if found:
            return Hints(discards=tuple(found.items()), safe=safe)
        return Hints(shanten_after(self._seen, discards), safe=safe)

    def _tell_anew(self) -> Sentence:
        """Return the hint after an own discard."""
        self._standing = None
        standing = self._stands()
        if not standing.waits:
            self._told = None
            return ShantenNow(standing.shanten)
        self._told = waits_now(self._seen, standing.waits)
        return WaitsNow(self._told.live, self._told.furiten)

    def _tell_change(self) -> Sentence | None:
        """Return the waits if others have changed a number or furiten."""
        if self._told is None:
            return None
        waits = waits_now(self._seen, self._stands().waits)
        if waits == self._told:
            return None
        self._told = waits
        return WaitsNow(waits.live, waits.furiten)

    def _stands(self) -> HandDistance:
        if self._standing is None:
            self._standing = standing_of(self._seen)
        return self._standing
