"""Typed hands in any notation; the text determines which one."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from ump.model.melds import Meld
from ump.model.notation.ids import ONE_EACH, parse_id_meld, parse_id_tiles
from ump.model.notation.majiang import Shoupai, parse_majiang_face, parse_majiang_meld, parse_shoupai
from ump.model.notation.mjai import parse_mjai_faces
from ump.model.notation.mpsz import parse_mpsz
from ump.model.notation.tables import NotationError, bounded, check_hand
from ump.model.notation.tenhou import parse_tenhou_tiles
from ump.model.notation.ump import format_ump_faces, parse_ump_faces, parse_ump_hand
from ump.model.tiles import Face, faces_of_tiles
from ump.model.value import value

_WORD = re.compile(r"<[^<>()]*>|\([^<>()]*\)|[^\s,<>()]+|[<>()]")
_NUMBERS = re.compile(r"\[?[0-9]+(?:[\s,]+[0-9]+)*\]?")
_BOTH = frozenset(str(number + copy) for number in (110, 120, 130) for copy in range(4))
"""Numbers that mean one tile as three-digit ids and another one as Tenhou's numbers."""

T = TypeVar("T")

FORMS = "123m406p77z, 1m5M<2p3p4p>, m10p77z5,z444=, 1m 5mr E, 16,52,135 or [153, 110]"


@value
class WrittenHand:
    """A typed hand."""

    faces: tuple[Face, ...]
    """The concealed tiles in the order typed; if one of them has just been drawn, it is the last one."""
    melds: tuple[Meld, ...] = ()
    """The melds; only their tiles and types are reliable, since some notations do not say the source."""
    riichi: bool = False
    """Whether the text says that the hand is in riichi (Majiang's ``*``)."""


def parse_written_tiles(text: str, reds: tuple[int, ...] = ONE_EACH) -> tuple[Face, ...]:
    """Read tiles in any notation, in the order written.

    ``reds``, the numbers of red fives in m, p and s, matters only for numbered tiles. Raises NotationError.
    """
    if _NUMBERS.fullmatch(bounded(text).strip()):
        return _parse_numbers(text.strip(), reds)
    return _parse_tiles(text, text.replace(",", " ").split()).faces


def parse_written_hand(text: str, reds: tuple[int, ...] = ONE_EACH) -> WrittenHand:
    """Read a hand in any notation: the concealed tiles first, then melds in any notation that has them.

    Spaces and commas may separate the parts. After the first part, text that can be a meld is read as one (``z7777``).
    ``reds``, the numbers of red fives in m, p and s, matters only for numbered tiles. Raises NotationError if no
    notation fits, or if the hand has too many tiles.
    """
    words = _WORD.findall(bounded(text))
    if _NUMBERS.fullmatch(text.strip()):
        hand = WrittenHand(_parse_numbers(text.strip(), reds))
    else:
        # Try Majiang on the whole text first: where its drawn tile may stand depends on the melds after it.
        shoupai = _attempt(parse_shoupai, ",".join(words))
        hand = _parse_words(text, words) if shoupai is None else _of_shoupai(text, shoupai)
    check_hand(text, hand.faces, hand.melds)
    return hand


def _parse_numbers(text: str, reds: tuple[int, ...]) -> tuple[Face, ...]:
    """Read Tenhou's numbers or three-digit ids; numbers in brackets are ids."""
    numbers = re.findall("[0-9]+", text)
    is_list = text.startswith("[")
    if not is_list and _BOTH.issuperset(numbers):
        raise NotationError(text, "may be Tenhou's numbers or three-digit ids; write [110, 111] for ids")
    is_tenhou = all(len(number) < 3 or number < "136" for number in numbers)
    if is_tenhou and not is_list:
        tiles = parse_tenhou_tiles(",".join(numbers))
    else:
        tiles = parse_id_tiles(f"[{', '.join(numbers)}]", reds)
    faces = faces_of_tiles(reds)
    return tuple(faces[tile] for tile in tiles)


def _parse_words(text: str, words: Sequence[str]) -> WrittenHand:
    """Read the parts of a hand: concealed tiles and melds."""
    concealed: list[str] = []
    melds: list[Meld] = []
    for at, word in enumerate(words):
        meld = _parse_meld(word) if at or word[0] in "<(" else None
        if meld is None:
            concealed.append(word)
        else:
            melds.append(meld)
    hand = _parse_tiles(text, concealed)
    return WrittenHand(hand.faces, tuple(melds), hand.riichi)


def _parse_meld(text: str) -> Meld | None:
    """Read a meld in the first notation that fits; None if none does."""
    return next((meld for read in _MELD_READERS if (meld := _attempt(read, text))), None)


def _parse_tiles(text: str, words: Sequence[str]) -> WrittenHand:
    """Read the concealed tiles in the first notation that fits all of them."""
    for separator, read in _TILE_READERS:
        if (hand := _attempt(read, separator.join(words))) is not None:
            return hand
    raise NotationError(text, f"is in no known notation ({FORMS})")


def _attempt(read: Callable[[str], T], text: str) -> T | None:
    """Return what a parser makes of the text, or None if it refuses it."""
    try:
        return read(text)
    except NotationError:
        return None


def _of_shoupai(text: str, hand: Shoupai) -> WrittenHand:
    """Return Majiang's hand with its drawn tile last."""
    if hand.hidden:
        raise NotationError(text, "has hidden tiles")
    faces = list(hand.faces)
    if hand.drawn is not None:
        faces.remove(hand.drawn)
        faces.append(hand.drawn)
    return WrittenHand(tuple(faces), hand.melds, hand.riichi)


def _parse_suits_first(text: str) -> WrittenHand:
    """Read Majiang's tiles in any order, ``z5m123``."""
    if re.fullmatch(r"(?:[mpsz][0-9]+)*", text) is None:
        raise NotationError(text, "is not in the notation m123z5")
    groups = re.findall(r"([mpsz])([0-9]+)", text)
    return WrittenHand(tuple(parse_majiang_face(suit + digit) for suit, digits in groups for digit in digits))


_TILE_READERS: tuple[tuple[str, Callable[[str], WrittenHand]], ...] = (
    ("", lambda text: WrittenHand(parse_mpsz(text))),
    ("", lambda text: WrittenHand(parse_ump_faces(text))),
    ("", _parse_suits_first),
    (" ", lambda text: WrittenHand(parse_mjai_faces(text))),
)
"""The separator and the parser for each notation. No text means different tiles to two of them."""


def _parse_bracketed(text: str) -> Meld:
    """Read a meld in UMP's brackets, with tiles in UMP's notation or MPSZ: ``<234p>``."""
    if text[0] not in _BRACKETS or text[-1] != _BRACKETS[text[0]]:
        raise NotationError(text, "is not a meld in brackets")
    faces = _attempt(parse_mpsz, text[1:-1])
    inside = text[1:-1] if faces is None else format_ump_faces(faces)
    return parse_ump_hand(text[0] + inside + text[-1])[1][0]


_BRACKETS = {"<": ">", "(": ")"}

_MELD_READERS: tuple[Callable[[str], Meld], ...] = (
    _parse_bracketed,
    partial(parse_majiang_meld, owner=0),
    partial(parse_id_meld, owner=0),
    partial(parse_id_meld, owner=3, absolute=True),
)
"""The parsers of melds. Two of them may differ on which tile of a meld was called, but not on its tiles."""
