"""Read and write melds, which mjlog writes as one number of 16 bits.

Bits 0 and 1 say who discarded the called tile: 0 for a closed kan, else the steps from the caller to the right, of four
seats in every game. The lowest set bit of bits 2 to 4 is the type of the meld. The number is complete: it also contains
the pon of an added kan.
"""

from __future__ import annotations

from ump.model.melds import Meld, MeldType
from ump.model.seats import Seat
from ump.model.tiles import COPIES, KINDS, NORTH, Face, Tile, faces_of_tiles, sort_faces
from ump.model.value import value
from ump.record.mjlog.attributes import COLUMNS
from ump.record.recorded_game import RecordError

CHI, PON, KAKAN = 4, 8, 16
"""The bits for the type of a meld, of which the lowest set one counts; other kans have none of them."""

NUKI = 32
"""The bit for a north that is set aside, in three-player games; its tile follows in bits 8 to 15."""
TYPE = 63
"""The bits that tell a north that is set aside from melds."""

MOST = 1 << 16
"""Codes are below this: a meld has 16 bits."""


@value
class CodedMeld:
    """A meld with its physical tiles."""

    type: MeldType
    own: tuple[Tile, ...]
    """The tiles from the owner's hand; for an added kan, those of its pon."""
    called: Tile | None
    source: Seat | None
    added: Tile | None = None

    @property
    def given(self) -> tuple[Tile, ...]:
        """The tiles that leave the hand when the meld is made."""
        return self.own if self.added is None else (self.added,)

    def as_meld(self, reds: tuple[int, ...]) -> Meld:
        """Return the meld in faces; ``reds`` is the number of red fives in each suit."""
        faces: dict[Tile | None, Face] = dict(enumerate(faces_of_tiles(reds)))
        own = sort_faces(faces[tile] for tile in self.own)
        return Meld(self.type, own, faces.get(self.called), self.source, faces.get(self.added))


def read_meld(seat: Seat, code: int) -> CodedMeld:
    """Return the meld of a seat from its code; raise RecordError if there is no such meld."""
    if not 0 <= code < MOST:
        raise RecordError(f"{code} is not a meld")
    steps = code & 3
    source = (seat + steps) % COLUMNS if steps else None
    if code & CHI:
        return _chi(code, source)
    if code & (PON | KAKAN):
        return _triplet(code, source)
    if code & NUKI:
        raise RecordError(f"meld {code} sets a north aside in a four-player game")
    return _kan(code, source)


def read_north(code: int) -> Tile | None:
    """Return the north that a code sets aside; None if it is the code of a meld."""
    if code & TYPE != NUKI or code >> 8 not in range(NORTH * COPIES, NORTH * COPIES + COPIES):
        return None
    return code >> 8


def write_north(tile: Tile) -> int:
    """Return the code of a north that is set aside; the inverse of ``read_north``."""
    return tile << 8 | NUKI


def write_meld(seat: Seat, meld: CodedMeld) -> int:
    """Return the code of a meld of this seat; the inverse of ``read_meld``."""
    steps = 0 if meld.source is None else (meld.source - seat) % COLUMNS
    if meld.called is None:
        return min(meld.own) << 8
    if meld.type is MeldType.DAIMINKAN:
        return meld.called << 8 | steps
    tiles = sorted((*meld.own, meld.called))
    place = tiles.index(meld.called)
    kind = tiles[0] // COPIES
    if meld.type is MeldType.CHI:
        copies = sum(tile % COPIES << (3 + 2 * step) for step, tile in enumerate(tiles))
        return ((kind // 9 * 7 + kind % 9) * 3 + place) << 10 | copies | CHI | steps
    (fourth,) = {kind * COPIES + copy for copy in range(COPIES)} - set(tiles)
    type_ = PON if meld.added is None else KAKAN
    return (kind * 3 + place) << 9 | fourth % COPIES << 5 | type_ | steps


def _chi(code: int, source: Seat | None) -> CodedMeld:
    """Decode a chi: three consecutive tiles of one suit, one of them called."""
    order, place = divmod(code >> 10, 3)
    if order >= 21 or source is None:
        raise RecordError(f"meld {code} is not a chi")
    kind = order // 7 * 9 + order % 7
    tiles = [(kind + step) * COPIES + (code >> (3 + 2 * step) & 3) for step in range(3)]
    called = tiles.pop(place)
    return CodedMeld(MeldType.CHI, tuple(tiles), called, source)


def _triplet(code: int, source: Seat | None) -> CodedMeld:
    """Decode a pon, or the added kan that it became."""
    kind, place = divmod(code >> 9, 3)
    if kind >= KINDS or source is None:
        raise RecordError(f"meld {code} is not a pon")
    fourth = kind * COPIES + (code >> 5 & 3)
    tiles = [tile for tile in range(kind * COPIES, kind * COPIES + COPIES) if tile != fourth]
    called = tiles.pop(place)
    if code & PON:
        return CodedMeld(MeldType.PON, tuple(tiles), called, source)
    return CodedMeld(MeldType.KAKAN, tuple(tiles), called, source, fourth)


def _kan(code: int, source: Seat | None) -> CodedMeld:
    """Decode an open or a closed kan. A closed kan names one of its tiles, too; it has no meaning."""
    called = code >> 8
    kind = called // COPIES
    if kind >= KINDS:
        raise RecordError(f"meld {code} is not a kan")
    tiles = tuple(range(kind * COPIES, kind * COPIES + COPIES))
    if source is None:
        return CodedMeld(MeldType.ANKAN, tiles, None, None)
    return CodedMeld(MeldType.DAIMINKAN, tuple(tile for tile in tiles if tile != called), called, source)
