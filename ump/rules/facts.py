"""The facts that the rules for legal answers need.

The board of a game has them. ``ump.players.claimable`` also has them from what one seat has seen, for clients that
work out their own legal answers. They are base classes and not protocols: compiled code reads their attributes
directly, and those of a protocol by name.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from ump.model.events import DrawReason
from ump.model.hand import Hand
from ump.model.seats import Seat
from ump.model.tiles import Face, Kind
from ump.model.yaku import HandValue
from ump.rules.ruleset import Ruleset


class PlayerFacts(ABC):
    """The facts about the player that is asked."""

    __slots__ = ()

    hand: Hand
    """The concealed tiles, a drawn one included, and the melds."""
    waits: frozenset[Kind]
    """The kinds that the hand without the drawn tile waits for."""
    tenpai_draws: int
    """The kinds, as a bit mask, with which that hand may be tenpai after a discard; with any other it is not."""
    riichi: int
    """0 not in riichi, 1 riichi, 2 double riichi."""

    @property
    @abstractmethod
    def furiten(self) -> bool:
        """Whether the player may not win by ron."""


class BoardFacts(ABC):
    """The facts about the table."""

    __slots__ = ()

    ruleset: Ruleset
    """The rules of the game."""
    has_chi: bool
    """Whether players may call chi."""
    seats: int
    """The number of players."""
    points: list[int]
    """The scores by seat."""
    kans: list[Seat]
    """The seat that made each kan."""
    abort_due: DrawReason | None
    """Why the kyoku is drawn if the discard passes ron: then nobody may call it."""

    @property
    @abstractmethod
    def left(self) -> int:
        """The number of tiles left in the live wall."""

    @abstractmethod
    def player(self, seat: Seat) -> PlayerFacts:
        """Return the facts about a player, at least about the one that is asked."""

    @abstractmethod
    def is_first_turn(self, seat: Seat) -> bool:
        """Tell whether the seat has not discarded yet and nobody has called."""

    @abstractmethod
    def value_of(self, seat: Seat, tile: Face, loser: Seat | None = None, *, chankan: bool = False) -> HandValue | None:
        """Return the value of a win with this tile, drawn or taken from the loser; None without a yaku."""
