"""Typed hands in any notation; the text determines which one.

Besides the notations of the other modules, people type upper case, kanji and Unicode tiles. Case means nothing, except
that ``5M`` is a red five if the text can be UMP's notation: if each number has its own suit, and no other suit is in
upper case. So ``5M`` and ``1m5M`` have red fives, ``5M6M`` and ``555M`` have plain ones, and ``12m5M`` is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from ump.model.constants import FULL_HAND
from ump.model.melds import Meld
from ump.model.notation.ids import ONE_EACH, parse_id_meld, parse_id_tiles
from ump.model.notation.majiang import Shoupai, parse_majiang_meld, parse_shoupai
from ump.model.notation.mpsz import MPSZ_FACES
from ump.model.notation.signs import as_ascii
from ump.model.notation.tables import NotationError, bounded, check_hand
from ump.model.notation.tenhou import parse_tenhou_tiles
from ump.model.notation.ump import format_ump_faces, parse_ump_hand
from ump.model.notation.written_tiles import WrittenTile, scan_tiles
from ump.model.tiles import COPIES, KIND_OF, KINDS, TILES, Face, faces_of_tiles
from ump.model.value import value

_WORD = re.compile(r"<[^<>()]*>|\([^<>()]*\)|[^\s,<>()]+|[<>()]")
_NUMBERS = re.compile(r"\s*\[?[0-9]+(?:[\s,]+[0-9]+)*\]?\s*")
_BOTH = frozenset(str(number + copy) for number in (110, 120, 130) for copy in range(4))
"""Numbers that mean one tile as three-digit ids and another one as Tenhou's numbers."""

T = TypeVar("T")


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
    read = as_ascii(bounded(text))
    if _NUMBERS.fullmatch(read):
        return _parse_numbers(text, read, reds)
    return tuple(tile.face for tile in scan_tiles(read.replace(",", " "), text))


def parse_written_hand(text: str, reds: tuple[int, ...] = ONE_EACH) -> WrittenHand:
    """Read a hand in any notation: the concealed tiles first, then melds in any notation that has them.

    Spaces and commas may separate the parts. After the first part, text that can be a meld is read as one (``z7777``).
    ``reds``, the numbers of red fives in m, p and s, matters only for numbered tiles. Raises NotationError if no
    notation fits, or if the hand has too many tiles; where it can, the error says which part is wrong.
    """
    read = as_ascii(bounded(text))
    if _NUMBERS.fullmatch(read):
        hand = WrittenHand(_parse_numbers(text, read, reds))
    else:
        # Try Majiang on the whole text first: where its drawn tile may stand depends on the melds after it.
        joined = ",".join(_WORD.findall(read))
        shoupai = _attempt(parse_shoupai, joined.lower() if joined[:1] in _CAPITAL_SUITS else joined)
        hand = _parse_parts(text, read) if shoupai is None else _of_shoupai(text, shoupai)
    check_hand(text, hand.faces, hand.melds)
    return hand


_CAPITAL_SUITS = frozenset("MPSZ")


def _parse_numbers(text: str, read: str, reds: tuple[int, ...]) -> tuple[Face, ...]:
    """Read Tenhou's numbers or three-digit ids; numbers in brackets are ids."""
    numbers = re.findall("[0-9]+", read)
    is_list = read.strip().startswith("[")
    if not is_list and _BOTH.issuperset(numbers):
        raise NotationError(text, "may be Tenhou's numbers or three-digit ids; write [110, 111] for ids")
    is_tenhou = not is_list and all(len(number) < 3 or number < str(TILES) for number in numbers)
    _check_numbers(text, read, is_tenhou=is_tenhou)
    tiles = parse_tenhou_tiles(",".join(numbers)) if is_tenhou else parse_id_tiles(f"[{', '.join(numbers)}]", reds)
    faces = faces_of_tiles(reds)
    return tuple(faces[tile] for tile in tiles)


def _check_numbers(text: str, read: str, *, is_tenhou: bool) -> None:
    """Raise NotationError for the first number that is no three-digit id, or that occurs twice."""
    seen: set[str] = set()
    for match in re.finditer("[0-9]+", read):
        if not is_tenhou and _attempt(parse_id_tiles, f"[{match[0]}]") is None:
            problem = f"not a three-digit id (110 to 473), and Tenhou's numbers end at {TILES - 1}"
            raise NotationError(text, problem, match.span())
        if match[0] in seen:
            raise NotationError(text, "this tile is in the list twice", match.span())
        seen.add(match[0])


def _parse_parts(text: str, read: str) -> WrittenHand:
    """Read the parts of a hand: concealed tiles and melds. ``read`` is the text in ASCII where that is possible."""
    melds: list[Meld] = []
    concealed = read.replace(",", " ")
    for match in _WORD.finditer(read):
        meld = _parse_meld(match, text, is_first=not read[: match.start()].strip(" ,"))
        if meld is not None:
            melds.append(meld)
            concealed = concealed[: match.start()] + " " * len(match[0]) + concealed[match.end() :]
    tiles = scan_tiles(concealed, text)
    _check_tiles(text, tiles, melds)
    return WrittenHand(tuple(tile.face for tile in tiles), tuple(melds))


def _parse_meld(match: re.Match[str], text: str, *, is_first: bool) -> Meld | None:
    """Return the meld in a word of the text, or None if the word is concealed tiles.

    Only a meld in brackets may be the first word. Raises NotationError for brackets that do not hold a meld.
    """
    word = match[0]
    if word[0] in "<(>)":
        return _parse_bracketed(match, text)
    if is_first:
        return None
    word = word.lower() if word[0] in _CAPITAL_SUITS else word
    return next((meld for read in _MELD_READERS if (meld := _attempt(read, word))), None)


def _parse_bracketed(match: re.Match[str], text: str) -> Meld:
    """Read a meld in UMP's brackets, with tiles in any notation: ``<234p>``, ``(6z6z6z6z)``."""
    word = match[0]
    if len(word) < 2:
        raise NotationError(
            text, "this bracket has no partner; melds are <234p>, and (6666z) for a closed kan", match.span()
        )
    start, end = match.span()
    inside = " " * (start + 1) + match.string[start + 1 : end - 1].replace(",", " ")
    faces = format_ump_faces(tile.face for tile in scan_tiles(inside, text))
    hand = _attempt(parse_ump_hand, word[0] + faces + word[-1])
    if hand is None:
        raise NotationError(text, "not a meld; melds are <234p>, <666z>, and (6666z) for a closed kan", match.span())
    return hand[1][0]


_MELD_READERS: tuple[Callable[[str], Meld], ...] = (
    partial(parse_majiang_meld, owner=0),
    partial(parse_id_meld, owner=0),
    partial(parse_id_meld, owner=3, absolute=True),
)
"""The parsers of melds. Two of them may differ on which tile of a meld was called, but not on its tiles."""


def _check_tiles(text: str, tiles: Sequence[WrittenTile], melds: Sequence[Meld]) -> None:
    """Raise NotationError for the first concealed tile that a hand with these melds cannot have."""
    most = max(FULL_HAND - 3 * len(melds), 0)
    counts = [0] * KINDS
    for meld in melds:
        for face in meld.faces:
            counts[KIND_OF[face]] += 1
    for number, tile in enumerate(tiles, 1):
        kind = KIND_OF[tile.face]
        counts[kind] += 1
        if counts[kind] > COPIES:
            raise NotationError(
                text, f"this is one {MPSZ_FACES[kind]} too many; there are {COPIES} of a kind", tile.span
            )
        if number > most:
            problem = f"this is one tile too many; a hand has at most {FULL_HAND} (a meld counts three)"
            raise NotationError(text, problem, tile.span)


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
