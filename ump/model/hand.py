"""A player's hand: counts of concealed tiles, and melds."""

from __future__ import annotations

from collections.abc import Iterable

from ump.model.melds import Meld
from ump.model.tiles import COPIES, FACES, IN_ORDER, KIND_OF, KINDS, PLACE_BIT, Face


class HandError(ValueError):
    """Tiles that are not a hand; the message is one line."""


class Hand:
    """The concealed tiles of one player, and the melds in the order in which they were made.

    The counts are kept twice: by face, which tells red fives apart, and by kind, for analysis. Change them only with
    ``add`` and ``remove``, which keep both in step, and ``held`` and ``quads`` with them.
    """

    __slots__ = ("faces", "held", "kinds", "melds", "quads")

    def __init__(self, faces: Iterable[Face] = (), melds: Iterable[Meld] = ()) -> None:
        self.faces = [0] * FACES
        """The number of concealed tiles of each face."""
        self.kinds = [0] * KINDS
        """The number of concealed tiles of each kind, red fives included."""
        self.held = 0
        """The faces of the concealed tiles, as a bit mask of their places in a sorted hand (``PLACE_BIT``)."""
        self.melds = list(melds)
        counts, kinds = self.faces, self.kinds
        for face in faces:  # as in add
            counts[face] += 1
            kinds[KIND_OF[face]] += 1
            self.held |= PLACE_BIT[face]
        self.quads = kinds.count(COPIES)
        """The number of kinds of which all four tiles are concealed."""

    def add(self, face: Face) -> None:
        """Add one tile to the concealed hand."""
        kind = KIND_OF[face]
        self.faces[face] += 1
        self.kinds[kind] = count = self.kinds[kind] + 1
        if count == COPIES:
            self.quads += 1
        self.held |= PLACE_BIT[face]

    def remove(self, face: Face) -> None:
        """Remove one tile from the concealed hand; raises ValueError if the hand does not hold it."""
        left = self.faces[face] - 1
        if left < 0:
            raise ValueError(f"face {face} is not held")
        kind = KIND_OF[face]
        self.faces[face] = left
        self.kinds[kind] = count = self.kinds[kind] - 1
        if count == COPIES - 1:
            self.quads -= 1
        if not left:
            self.held ^= PLACE_BIT[face]

    @property
    def concealed(self) -> tuple[Face, ...]:
        """The concealed tiles, sorted."""
        found: list[Face] = []
        counts = self.faces
        for face in IN_ORDER:  # twice as fast as a generator
            count = counts[face]
            if count:
                found += [face] * count
        return tuple(found)

    @property
    def is_closed(self) -> bool:
        """Whether the hand is closed: it has no melds but closed kans."""
        for meld in self.melds:
            if meld.is_open:
                return False
        return True

    def copy(self) -> Hand:
        """Return an independent hand with the same tiles."""
        twin = Hand.__new__(Hand)
        twin.faces, twin.kinds, twin.melds = self.faces[:], self.kinds[:], self.melds[:]
        twin.held, twin.quads = self.held, self.quads
        return twin
