"""The visible table that a client's reader follows, whatever the dialect of the server."""

from __future__ import annotations

from ump.model.constants import MAX_INDICATORS, MAX_MELDS
from ump.model.events import Event
from ump.model.seats import Seat
from ump.model.tiles import COPIES, TILES, live_wall
from ump.players.observation import Observation
from ump.rules.ruleset import Ruleset
from ump.wire.text import WireError


class FollowedTable:
    """The visible state of a game, within bounds: a faulty server does not fill the memory of its client.

    The methods that check raise WireError, with the fault of the server, if one more thing is not possible.
    """

    __slots__ = ("_judges", "left", "seats", "seen")

    def __init__(self, seats: int, *, judges: bool = True) -> None:
        """Begin a game; unless the table ``judges``, it accepts moves that contradict earlier ones."""
        self.seats = seats
        self.seen = Observation(None, Ruleset(uma=(0,) * seats))  # of the rules, only the number of players matters
        self.left = 0
        """The number of tiles left in the live wall, in dialects that do not state it; 0 before the first deal."""
        self._judges = judges

    def see(self, event: Event) -> None:
        """Update the visible state; raises ValueError if the table judges, and the event does not fit."""
        try:
            self.seen.see(event)
        except ValueError:
            if self._judges:
                raise

    def deal(self) -> None:
        """Begin a kyoku with the whole wall."""
        self.left = live_wall(self.seats)

    def draw(self) -> int:
        """Take a tile from the live wall, and return how many are left."""
        if not self.left and self._judges:
            raise WireError("a draw from an empty wall")
        self.left = max(0, self.left - 1)
        return self.left

    def check_discard(self, seat: Seat) -> None:
        """Check that a seat can discard."""
        if len(self.seen.rivers[seat]) >= TILES:
            raise WireError(f"more than {TILES} discards of one player")

    def check_meld(self, seat: Seat) -> None:
        """Check that a seat can have one more meld."""
        if len(self.seen.melds[seat]) >= MAX_MELDS:
            raise WireError(f"more than {MAX_MELDS} melds")

    def check_north(self, seat: Seat) -> None:
        """Check that a seat can set one more north aside."""
        if self.seen.norths[seat] >= COPIES:
            raise WireError(f"more than {COPIES} norths")

    def check_indicator(self) -> None:
        """Check that one more dora indicator can be revealed."""
        if len(self.seen.indicators) >= MAX_INDICATORS:
            raise WireError(f"more than {MAX_INDICATORS} dora indicators")
