"""A hand as counts, updated in place."""

from __future__ import annotations

from collections.abc import Iterable

from ump.model.melds import Meld
from ump.model.tiles import FACES, IN_ORDER, KIND_OF, KINDS, Face


class Hand:
    """The concealed tiles of one player, and the melds in the order they were made.

    The counts are kept twice, by face (to know which five is red) and by kind (for every analysis):
    both change together, only here.
    """

    __slots__ = ("faces", "kinds", "melds")

    def __init__(self, faces: Iterable[Face] = (), melds: Iterable[Meld] = ()) -> None:
        self.faces = [0] * FACES
        """How many of each face are concealed."""
        self.kinds = [0] * KINDS
        """How many of each kind are concealed, red fives included."""
        self.melds = list(melds)
        for face in faces:
            self.add(face)

    def add(self, face: Face) -> None:
        """Take one tile into the concealed hand."""
        self.faces[face] += 1
        self.kinds[KIND_OF[face]] += 1

    def remove(self, face: Face) -> None:
        """Take one tile out of the concealed hand; raises ValueError if it is not there."""
        if not self.faces[face]:
            raise ValueError(f"face {face} is not held")
        self.faces[face] -= 1
        self.kinds[KIND_OF[face]] -= 1

    @property
    def concealed(self) -> tuple[Face, ...]:
        """The concealed tiles, sorted."""
        faces = self.faces
        return tuple(face for face in IN_ORDER if faces[face] for _ in range(faces[face]))

    @property
    def is_closed(self) -> bool:
        """Whether no meld opens the hand: closed kans do not."""
        return not self.melds or not any(meld.is_open for meld in self.melds)

    def copy(self) -> Hand:
        """Return an independent hand with the same tiles."""
        twin = Hand.__new__(Hand)
        twin.faces, twin.kinds, twin.melds = self.faces[:], self.kinds[:], self.melds[:]
        return twin
