"""What every notation shares: the error, the bounds, the shapes of melds, and tables of faces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from ump.model.constants import FULL_HAND, MAX_MELDS
from ump.model.melds import Meld, MeldType
from ump.model.seats import Seat
from ump.model.tiles import COPIES, KIND_OF, KINDS, Face, is_honour, number_of, sort_faces

LONGEST = 1_024
"""Characters that any text may have; a wall of three-digit ids has 680, separators included."""

SUITS = "mpsz"

NUMBERED: tuple[tuple[str, int], ...] = tuple((SUITS[kind // 9], number_of(kind)) for kind in range(KINDS))
"""Suit letter and number of each kind."""

_SHOWN = 40

T = TypeVar("T")


class NotationError(ValueError):
    """A text is not what the notation allows. The message is one line, in ASCII, and quotes the text."""

    def __init__(self, text: str, problem: str) -> None:
        shown = text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
        super().__init__(f"{shown!a} {problem}")


def bounded(text: str) -> str:
    """Return the text if it is not longer than any honest one."""
    if len(text) > LONGEST:
        raise NotationError(text, f"is longer than {LONGEST} characters")
    return text


def readings(spellings: Sequence[str]) -> dict[str, Face]:
    """Return the table that reads what ``spellings`` (one for each face) writes."""
    return {spelling: face for face, spelling in enumerate(spellings)}


def looked_up(table: Mapping[str, T], text: str, what: str) -> T:
    """Return what the table has for this text; ``what`` names it in the error."""
    try:
        return table[text]
    except KeyError:
        raise NotationError(text, f"is no {what}") from None


def meld_of(text: str, own: Sequence[Face], picked: Sequence[Face], source: Seat | None) -> Meld:
    """Return the meld that these tiles make; ``picked``: the called tile, then the added one of a kan.

    The numbers of tiles and whether their kinds are equal tell the type; nothing else is a meld.
    """
    kinds = sorted(KIND_OF[face] for face in (*own, *picked))
    type_ = _EQUAL.get((len(own), len(picked))) if kinds[0] == kinds[-1] else None
    if (len(own), len(picked)) == (2, 1) and _is_run(kinds):
        type_ = MeldType.CHI
    if type_ is None:
        raise NotationError(text, "is no meld")
    called, added = (*picked, None, None)[:2]
    return Meld(type_, sort_faces(own), called, source if picked else None, added)


_EQUAL = {
    (2, 1): MeldType.PON,
    (2, 2): MeldType.KAKAN,
    (3, 1): MeldType.DAIMINKAN,
    (4, 0): MeldType.ANKAN,
}
"""The type of equal tiles by the numbers of own and picked ones."""


def _is_run(kinds: Sequence[int]) -> bool:
    """Tell whether three sorted kinds follow each other in one suit."""
    low, middle, high = kinds
    return not is_honour(high) and (middle, high) == (low + 1, low + 2) and low // 9 == high // 9


def check_hand(text: str, faces: Sequence[Face], melds: Sequence[Meld] = (), hidden: int = 0) -> None:
    """Refuse a hand that cannot be: too many tiles or melds, or five of a kind."""
    if len(melds) > MAX_MELDS:
        raise NotationError(text, f"has more than {MAX_MELDS} melds")
    if len(faces) + hidden + 3 * len(melds) > FULL_HAND:
        raise NotationError(text, f"has more than {FULL_HAND} tiles (a meld counts three)")
    check_copies(text, [*faces, *(face for meld in melds for face in meld.faces)])


def check_copies(text: str, faces: Sequence[Face]) -> None:
    """Refuse more than four tiles of a kind."""
    counts = [0] * KINDS
    for face in faces:
        counts[KIND_OF[face]] += 1
    if max(counts) > COPIES:
        raise NotationError(text, f"has more than {COPIES} tiles of a kind")
