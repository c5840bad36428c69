"""The state of a table at the start of a kyoku, from which it can go on without the kyoku before."""

from __future__ import annotations

from collections import Counter

from ump.game.game import Standing
from ump.model.claims import Reason
from ump.model.value import value
from ump.table.chair import Chair, Presence
from ump.table.pace import PaceState


@value
class ChairState:
    """The state of a chair between two kyoku. Its question is closed, and its bank is full."""

    presence: Presence
    grace: int
    """Milliseconds of grace that are left."""
    dropped_at: int
    """The instant at which the connection was lost, while the seat is DROPPED."""
    retries: int
    silent: int
    timeouts: int
    refusals: tuple[tuple[Reason, int], ...]
    """How many answers were refused for each reason, in the order of the reasons' names."""
    pace: PaceState | None = None
    """How long the client takes to pass, where the table holds passes."""

    @classmethod
    def of(cls, chair: Chair) -> ChairState:
        """Return the state of a chair."""
        refusals = tuple(sorted(chair.refusals.items(), key=lambda each: each[0].value))
        return cls(
            chair.presence,
            chair.grace,
            chair.dropped_at,
            chair.retries,
            chair.silent,
            chair.timeouts,
            refusals,
            None if chair.pace is None else chair.pace.state,
        )

    def restore(self, chair: Chair) -> None:
        """Bring a new chair into this state."""
        chair.refusals = Counter(dict(self.refusals))
        chair.presence, chair.grace, chair.dropped_at = self.presence, self.grace, self.dropped_at
        chair.retries, chair.silent, chair.timeouts = self.retries, self.silent, self.timeouts
        if chair.pace is not None and self.pace is not None:
            chair.pace.state = self.pace


@value
class KyokuStart:
    """The state of a table before a kyoku is dealt."""

    standing: Standing
    number: int
    """The number of the last question."""
    chairs: tuple[ChairState, ...]
