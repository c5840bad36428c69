"""The number by which mjlog names a meld.

Bits 0..1 say from whom (0 oneself, 1 the next player, 2, 3); then the lowest set bit of 2..4 says what it is. The
number says all there is to know, also which pon an added kan was: nothing of what went before is needed.
"""

from __future__ import annotations

from ump.model.melds import Meld, MeldType
from ump.model.seats import Seat
from ump.model.tiles import COPIES, KINDS, Face, Tile, faces_of_tiles, sort_faces
from ump.model.value import value
from ump.record.mjlog.attributes import SEATS
from ump.record.recorded_game import RecordError

CHI, PON, KAKAN = 4, 8, 16
"""The bits that say which it is, the first one that is set; a kan has none of them."""

NUKI = 32
"""The bit of a north that is set aside, with three players."""

MOST = 1 << 16
"""A meld has 16 bits."""


@value
class CodedMeld:
    """A meld as a record names it, with its physical tiles."""

    type: MeldType
    own: tuple[Tile, ...]
    """The tiles that the owner held; for an added kan, those of the pon."""
    called: Tile | None
    source: Seat | None
    added: Tile | None = None

    @property
    def given(self) -> tuple[Tile, ...]:
        """The tiles that leave the hand for it."""
        return self.own if self.added is None else (self.added,)

    def as_meld(self, reds: tuple[int, ...]) -> Meld:
        """Return it as players see it, where so many fives of each suit are red."""
        faces: dict[Tile | None, Face] = dict(enumerate(faces_of_tiles(reds)))
        own = sort_faces(faces[tile] for tile in self.own)
        return Meld(self.type, own, faces.get(self.called), self.source, faces.get(self.added))


def read_meld(seat: Seat, code: int) -> CodedMeld:
    """Return the meld of a seat that a code names; raises RecordError for what is none with four players."""
    if not 0 <= code < MOST:
        raise RecordError(f"{code} is no meld")
    steps = code & 3
    source = (seat + steps) % SEATS if steps else None
    if code & CHI:
        return _chi(code, source)
    if code & (PON | KAKAN):
        return _triplet(code, source)
    if code & NUKI:
        raise RecordError(f"meld {code} sets a north aside: there are four players")
    return _kan(code, source)


def _chi(code: int, source: Seat | None) -> CodedMeld:
    """A run: three tiles of one suit, one of them called."""
    order, place = divmod(code >> 10, 3)
    if order >= 21 or source is None:
        raise RecordError(f"meld {code} is no chi")
    kind = order // 7 * 9 + order % 7
    tiles = [(kind + step) * COPIES + (code >> (3 + 2 * step) & 3) for step in range(3)]
    called = tiles.pop(place)
    return CodedMeld(MeldType.CHI, tuple(tiles), called, source)


def _triplet(code: int, source: Seat | None) -> CodedMeld:
    """A pon, or the added kan that it became."""
    kind, place = divmod(code >> 9, 3)
    if kind >= KINDS or source is None:
        raise RecordError(f"meld {code} is no pon")
    fourth = kind * COPIES + (code >> 5 & 3)
    tiles = [tile for tile in range(kind * COPIES, kind * COPIES + COPIES) if tile != fourth]
    called = tiles.pop(place)
    if code & PON:
        return CodedMeld(MeldType.PON, tuple(tiles), called, source)
    return CodedMeld(MeldType.KAKAN, tuple(tiles), called, source, fourth)


def _kan(code: int, source: Seat | None) -> CodedMeld:
    """An open kan, or a closed one: that names one of its tiles as well, which means nothing."""
    called = code >> 8
    kind = called // COPIES
    if kind >= KINDS:
        raise RecordError(f"meld {code} is no kan")
    tiles = tuple(range(kind * COPIES, kind * COPIES + COPIES))
    if source is None:
        return CodedMeld(MeldType.ANKAN, tiles, None, None)
    return CodedMeld(MeldType.DAIMINKAN, tuple(tile for tile in tiles if tile != called), called, source)
