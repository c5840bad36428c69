"""A position as a person sees it: what one seat has observed, and what only drawing it needs."""

from __future__ import annotations

from collections.abc import Sequence

from ump.model import events as ev
from ump.model.seats import Seat
from ump.model.tiles import Face
from ump.players.observation import Observation
from ump.rules.ruleset import Ruleset


class Position:
    """The table as one seat sees it, or a spectator (None)."""

    def __init__(self, seat: Seat | None, names: Sequence[str], ruleset: Ruleset) -> None:
        """Start before the first kyoku; ``names`` are the players' names by seat."""
        self.names = tuple(names)
        self.seen = Observation(seat, ruleset)
        self._clear()

    def _clear(self) -> None:
        """Forget the previous kyoku."""
        self.called: list[set[int]] = [set() for _ in self.names]
        """For each seat, which of its discards were called, by their places in its river."""
        self.turn: Seat | None = None
        """The seat that has drawn or called and has not discarded since."""
        self.discarder: Seat | None = None
        """The seat whose discard is the last move."""
        self.tenpai: dict[Seat, tuple[Face, ...]] = {}
        """The seats that have declared tenpai at an exhaustive draw, in their order, with their concealed tiles."""

    def see(self, event: ev.Event) -> None:
        """Update the position with one event, as the seat received it."""
        match event:
            case ev.KyokuStarted():
                self._clear()
            case ev.TileDrawn() | ev.TileCalled():
                self.turn, self.discarder = event.seat, None
                if isinstance(event, ev.TileCalled) and event.meld.source is not None:
                    source = event.meld.source
                    self.called[source].add(len(self.seen.rivers[source]) - 1)
            case ev.TileDiscarded():
                self.turn, self.discarder = None, event.seat
            case ev.HandWon() | ev.KyokuDrawn():
                self.turn = self.discarder = None
            case ev.TenpaiDeclared(tenpai=True):
                self.tenpai[event.seat] = event.faces or ()
            case _:
                pass  # the others change only the observation
        self.seen.see(event)
