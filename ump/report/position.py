"""A position as a person sees it: what one seat has observed, and what only drawing it needs."""

from __future__ import annotations

from collections.abc import Sequence

from ump.model.events import Event, KyokuStarted, TileCalled
from ump.model.seats import Seat
from ump.players.observation import Observation
from ump.rules.ruleset import Ruleset


class Position:
    """The table as one seat sees it, or a spectator (None)."""

    def __init__(self, seat: Seat | None, names: Sequence[str], ruleset: Ruleset) -> None:
        """Start before the first kyoku; ``names`` are the players' names by seat."""
        self.names = tuple(names)
        self.seen = Observation(seat, ruleset)
        self.called: list[set[int]] = [set() for _ in names]
        """For each seat, which of its discards were called, by their places in its river."""

    def see(self, event: Event) -> None:
        """Update the position with one event, as the seat received it."""
        if isinstance(event, KyokuStarted):
            self.called = [set() for _ in self.names]
        elif isinstance(event, TileCalled) and event.meld.source is not None:
            source = event.meld.source
            self.called[source].add(len(self.seen.rivers[source]) - 1)
        self.seen.see(event)
