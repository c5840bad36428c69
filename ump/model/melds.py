"""Melds: chi, pon and kans."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from ump.model.seats import Seat
from ump.model.tiles import KIND_OF, Face, Kind, sort_faces
from ump.model.value import value


class MeldType(Enum):
    """The five types of meld."""

    CHI = "chi"
    PON = "pon"
    DAIMINKAN = "daiminkan"
    ANKAN = "ankan"
    KAKAN = "kakan"


KANS = (MeldType.DAIMINKAN, MeldType.ANKAN, MeldType.KAKAN)  # members of an enumeration are slow to hash


@value
class Meld:
    """One meld, with the origin of each tile."""

    type: MeldType
    own: tuple[Face, ...]
    """The tiles from the owner's hand, sorted: 2 (chi, pon, added kan), 3 (open kan) or 4 (closed kan)."""
    called: Face | None = None
    """The tile that another player discarded; None for a closed kan."""
    source: Seat | None = None
    """The seat that discarded it; None for a closed kan, and where a notation does not say."""
    added: Face | None = None
    """The fourth tile of an added kan."""

    @property
    def faces(self) -> tuple[Face, ...]:
        """All tiles of the meld, sorted."""
        rest = tuple(face for face in (self.called, self.added) if face is not None)
        return sort_faces((*self.own, *rest))

    @property
    def kind(self) -> Kind:
        """The lowest kind in the meld; except in a chi, the kind of all its tiles."""
        lowest = KIND_OF[self.own[0]]
        return lowest if self.called is None else min(lowest, KIND_OF[self.called])

    @property
    def is_kan(self) -> bool:
        """Whether it has four tiles."""
        return self.type in KANS

    @property
    def is_open(self) -> bool:
        """Whether it opens the hand: every meld but a closed kan does."""
        return self.type is not MeldType.ANKAN


def place_of_pon(melds: Sequence[Meld], kind: Kind) -> int | None:
    """Return the index of the pon of this kind, to which its fourth tile can be added, or None."""
    for place, meld in enumerate(melds):
        if KIND_OF[meld.own[0]] == kind and meld.type is MeldType.PON:
            return place
    return None
