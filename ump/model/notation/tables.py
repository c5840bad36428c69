"""The common parts of all notations: the error, the limits, tables of faces, and checks of melds and hands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from ump.model.constants import FULL_HAND, MAX_MELDS
from ump.model.melds import Meld, MeldType
from ump.model.seats import Seat
from ump.model.tiles import COPIES, KIND_OF, KINDS, Face, is_honour, number_of, sort_faces

LONGEST = 1_024
"""The longest text that is read, in characters; a wall of three-digit ids with separators has 680."""

SUITS = "mpsz"

NUMBERED: tuple[tuple[str, int], ...] = tuple((SUITS[kind // 9], number_of(kind)) for kind in range(KINDS))
"""Suit letter and number of each kind."""

_SHOWN = 40

T = TypeVar("T")

Span = tuple[int, int]
"""Where a part of a text begins and ends, as in ``text[begin:end]``."""


class NotationError(ValueError):
    """A text that the notation does not allow. The message is one line that quotes the text, or its wrong part.

    ``text`` is the whole text, and ``span`` the place of the wrong part: a pair (begin, end) as in ``text[begin:end]``,
    or None if the text is wrong as a whole. A message without a span is ASCII.
    """

    def __init__(self, text: str, problem: str, span: Span | None = None) -> None:
        self.text = text
        self.span = span
        part = text if span is None else text[span[0] : span[1]]
        shown = part if len(part) <= _SHOWN else part[:_SHOWN] + "..."
        super().__init__(f"{shown!a} {problem}" if span is None else f"{shown!r} at position {span[0] + 1}: {problem}")


def bounded(text: str) -> str:
    """Return the text; raises NotationError if it is longer than ``LONGEST``."""
    if len(text) > LONGEST:
        raise NotationError(text, f"is longer than {LONGEST} characters")
    return text


def readings(spellings: Sequence[str]) -> dict[str, Face]:
    """Return the inverse of a table that has one spelling for each face."""
    return {spelling: face for face, spelling in enumerate(spellings)}


def looked_up(table: Mapping[str, T], text: str, what: str) -> T:
    """Return the entry of a table; raises NotationError, with ``what`` in the message, if it does not exist."""
    try:
        return table[text]
    except KeyError:
        raise NotationError(text, f"is not a {what}") from None


def meld_of(text: str, own: Sequence[Face], picked: Sequence[Face], source: Seat | None) -> Meld:
    """Return the meld of these tiles; ``picked`` are the called tile and then the tile added to a kan.

    The type follows from the numbers of tiles and from whether their kinds are equal. Raises NotationError, quoting
    ``text``, if the tiles are not a meld.
    """
    kinds = sorted(KIND_OF[face] for face in (*own, *picked))
    type_ = _EQUAL.get((len(own), len(picked))) if kinds[0] == kinds[-1] else None
    if (len(own), len(picked)) == (2, 1) and _is_run(kinds):
        type_ = MeldType.CHI
    if type_ is None:
        raise NotationError(text, "is not a meld")
    called, added = (*picked, None, None)[:2]
    return Meld(type_, sort_faces(own), called, source if picked else None, added)


_EQUAL = {
    (2, 1): MeldType.PON,
    (2, 2): MeldType.KAKAN,
    (3, 1): MeldType.DAIMINKAN,
    (4, 0): MeldType.ANKAN,
}
"""The type of a meld of equal tiles, by the numbers of own and picked tiles."""


def _is_run(kinds: Sequence[int]) -> bool:
    """Tell whether three sorted kinds are consecutive numbers of a suit."""
    low, middle, high = kinds
    return not is_honour(high) and (middle, high) == (low + 1, low + 2) and low // 9 == high // 9


def check_hand(text: str, faces: Sequence[Face], melds: Sequence[Meld] = (), hidden: int = 0) -> None:
    """Raise NotationError for too many tiles or melds, or five tiles of a kind; ``hidden`` counts unknown tiles."""
    if len(melds) > MAX_MELDS:
        raise NotationError(text, f"has more than {MAX_MELDS} melds")
    if len(faces) + hidden + 3 * len(melds) > FULL_HAND:
        raise NotationError(text, f"has more than {FULL_HAND} tiles (a meld counts three)")
    check_copies(text, [*faces, *(face for meld in melds for face in meld.faces)])


def check_copies(text: str, faces: Sequence[Face]) -> None:
    """Raise NotationError for more than four tiles of a kind."""
    counts = [0] * KINDS
    for face in faces:
        counts[KIND_OF[face]] += 1
    if max(counts) > COPIES:
        raise NotationError(text, f"has more than {COPIES} tiles of a kind")
