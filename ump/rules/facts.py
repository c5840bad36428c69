"""The facts that the rules for legal answers need, as protocols.

The board of a game implements them. ``ump.players.claimable`` also implements them from what one seat has seen, for
clients that work out their own legal answers.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Protocol

from ump.model.events import DrawReason
from ump.model.hand import Hand
from ump.model.seats import Seat
from ump.model.tiles import Face, Kind
from ump.model.yaku import HandValue
from ump.rules.ruleset import Ruleset


class PlayerFacts(Protocol):
    """The facts about the player that is asked."""

    @property
    def hand(self) -> Hand:
        """The concealed tiles, a drawn one included, and the melds."""

    @property
    def waits(self) -> Set[Kind]:
        """The kinds that the hand without the drawn tile waits for."""

    @property
    def tenpai_draws(self) -> int:
        """The kinds, as a bit mask, with which that hand may be tenpai after a discard; with any other it is not."""

    @property
    def riichi(self) -> int:
        """0 not in riichi, 1 riichi, 2 double riichi."""

    @property
    def furiten(self) -> bool:
        """Whether the player may not win by ron."""


class _BySeat(Protocol):
    """A sequence or mapping of players."""

    def __getitem__(self, seat: Seat, /) -> PlayerFacts:
        """Return the player in this seat."""


class BoardFacts(Protocol):
    """The facts about the table."""

    @property
    def ruleset(self) -> Ruleset:
        """The rules of the game."""

    @property
    def has_chi(self) -> bool:
        """Whether players may call chi."""

    @property
    def seats(self) -> int:
        """The number of players."""

    @property
    def players(self) -> _BySeat:
        """The players by seat: at least the one that is asked."""

    @property
    def points(self) -> Sequence[int]:
        """The scores by seat."""

    @property
    def left(self) -> int:
        """The number of tiles left in the live wall."""

    @property
    def kans(self) -> Sequence[Seat]:
        """The seat that made each kan."""

    @property
    def abort_due(self) -> DrawReason | None:
        """Why the kyoku is drawn if the discard passes ron: then nobody may call it."""

    def is_first_turn(self, seat: Seat) -> bool:
        """Tell whether the seat has not discarded yet and nobody has called."""

    def value_of(self, seat: Seat, tile: Face, loser: Seat | None = None, *, chankan: bool = False) -> HandValue | None:
        """Return the value of a win with this tile, drawn or taken from the loser; None without a yaku."""
