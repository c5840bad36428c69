"""All common notations: for each a table of faces, and pairs of ``parse_`` and ``format_`` functions.

| notation | a tile | a hand, a wall | a meld |
|---|---|---|---|
| UMP | ``5m`` ``5M`` ``6z`` | ``1m5M<2p3p4p>`` | ``<2p3p4p>`` ``(6z6z6z6z)`` |
| mjai | ``5m`` ``5mr`` ``F`` | ``1m 5mr F`` | |
| Majiang | ``m5`` ``m0`` ``z6`` | ``m10z6,s67-8`` | ``s67-8`` ``z666=6`` |
| MPSZ | ``5m`` ``0m`` ``6z`` | ``10m6z`` | |
| Tenhou | ``17`` ``16`` ``128`` | ``0,16,128`` | |
| ids | ``150`` ``153`` ``460`` | ``[110, 153, 460]`` ``1m0m6z`` | ``s67-8`` ``z66-66_2`` |

``ump.model.written`` reads a hand in any of them. To write a face, index the table with it. A parser accepts any
string, and returns a value or raises ``NotationError``; the length of its input is limited. If a notation loses
information (UMP's melds, serialised walls), the docstring of its parser says so.

MPSZ is the notation of tools and books. mjai's honours are ``E S W N P F C``: white is P, green F, red C. Tenhou's
numbers are those of ``Tile``.

Majiang's (kobalab/majiang-core) melds have directions, seen from the owner: ``-`` the left neighbour, ``=`` the
opposite player, ``+`` the right neighbour. Parsers accept the digits of a meld in any order, as kobalab's do.
Formatters write the normal form, because Majiang's programs compare strings: the digits of a run ascend, otherwise
plain fives stand before red ones; a called tile stands before its direction, an added one after it.

Three-digit ids, meld strings and serialised walls are those of the design notes for the game 雀实.
An id is suit (1 m, 2 p, 3 s, 4 z), number, copy: 152 is the third five of m. The *last* copies of a five are the
red ones (153 with one red five), but the first ones in Tenhou's numbers; the functions translate between the two.

A meld string is the suit, the own tiles, ``-`` and the tiles picked up, ``_`` and the target, which is the source of
the first of these: ``m13-2`` (a run, always from the left neighbour), ``p50-5_2``, ``s55-05_3`` (an added kan: the
called tile, then the added one), ``m550-5_1``, ``z7777`` (a closed kan). The notes use two meanings of the target:

* relative, as in their table of melds: 1 the right neighbour, 2 the opposite player, 3 the left neighbour. This is
  the default here. (The table's column for open kans counts the other way round; here all melds count alike.)
  ``_0`` would be the owner, and is refused.
* absolute: the seat. The notes' longer examples (``m11-1_2 + p22-2_1 + s33-3_0``) fit only this one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import groupby
from typing import TypeVar

from ump.model.constants import FULL_HAND, MAX_MELDS
from ump.model.melds import Meld, MeldType
from ump.model.seats import Seat
from ump.model.tiles import (
    COPIES,
    EAST,
    FIVES,
    KIND_OF,
    KINDS,
    ORDER,
    TILES,
    Face,
    Tile,
    is_honour,
    number_of,
    sort_faces,
)
from ump.model.value import value

LONGEST = 1_024
"""The longest text that is read, in characters; a wall of three-digit ids with separators has 680."""

SUITS = "mpsz"

NUMBERED: tuple[tuple[str, int], ...] = tuple((SUITS[kind // 9], number_of(kind)) for kind in range(KINDS))
"""Suit letter and number of each kind."""

_SHOWN = 40

T = TypeVar("T")

Span = tuple[int, int]
"""The bounds of a part of a text, as in ``text[begin:end]``."""


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


UMP_FACES: tuple[str, ...] = (*(f"{number}{suit}" for suit, number in NUMBERED), "5M", "5P", "5S")
"""UMP's notation of each face: the index is the face."""

_UMP_READ = readings(UMP_FACES)
_UMP_HAND = re.compile(r"([^<(]*)((?:<[^<>()]*>|\([^<>()]*\))*)")
_UMP_MELD = re.compile(r"([<(])([^<>()]*)[>)]")


def parse_ump_face(text: str) -> Face:
    """Read one tile; the opposite is ``UMP_FACES[face]``."""
    return looked_up(_UMP_READ, text, "tile in UMP's notation (1m to 9m, p, s, 1z to 7z, red 5M 5P 5S)")


def parse_ump_faces(text: str) -> tuple[Face, ...]:
    """Read tiles without separators, in the order written: ``4m6m``."""
    bounded(text)
    return tuple(parse_ump_face(text[at : at + 2]) for at in range(0, len(text), 2))


def format_ump_faces(faces: Iterable[Face]) -> str:
    """Write tiles without separators, in the order given."""
    return "".join(UMP_FACES[face] for face in faces)


def parse_ump_hand(text: str) -> tuple[tuple[Face, ...], tuple[Meld, ...]]:
    """Read a hand: the concealed tiles in the order written, and the melds.

    ``<...>`` says neither which tile was called nor from whom, and does not tell an open kan from an added one. The
    parser takes the first tile as the called one and four tiles as an open kan, and sets the source to None.
    """
    match = _UMP_HAND.fullmatch(bounded(text))
    if match is None:
        raise NotationError(text, "is not a hand in UMP's notation (1m2m3m<2p3p4p>(6z6z6z6z))")
    faces = parse_ump_faces(match[1])
    melds = tuple(_parse_meld(part[0]) for part in _UMP_MELD.finditer(match[2]))
    check_hand(text, faces, melds)
    return faces, melds


def format_ump_hand(faces: Iterable[Face], melds: Iterable[Meld] = (), *, drawn: Face | None = None) -> str:
    """Write a hand: the concealed tiles sorted, then the melds in the order given.

    ``drawn`` is one of the concealed tiles that is written after the others.
    """
    concealed = [*sort_faces(faces)]
    if drawn is not None:
        concealed.remove(drawn)
        concealed.append(drawn)
    return format_ump_faces(concealed) + "".join(format_ump_meld(meld) for meld in melds)


def _parse_meld(text: str) -> Meld:
    """Read a bracketed meld."""
    faces = parse_ump_faces(text[1:-1])
    if text[0] + text[-1] not in ("<>", "()") or not faces:
        raise NotationError(text, "is not a meld")
    called = 0 if text[0] == "(" else 1
    return meld_of(text, faces[called:], faces[:called], None)


def format_ump_meld(meld: Meld) -> str:
    """Write a meld of a hand: all its tiles, sorted, in brackets."""
    tiles = format_ump_faces(meld.faces)
    return f"<{tiles}>" if meld.is_open else f"({tiles})"


MJAI_FACES: tuple[str, ...] = (
    *(f"{number}{suit}" for suit, number in NUMBERED[:EAST]),
    *"ESWNPFC",
    "5mr",
    "5pr",
    "5sr",
)
"""mjai's notation of each face: the index is the face."""

_MJAI_READ = readings(MJAI_FACES)


def parse_mjai_face(text: str) -> Face:
    """Read one tile; the opposite is ``MJAI_FACES[face]``."""
    return looked_up(_MJAI_READ, text, "tile in mjai's notation (1m to 9m, p, s, E S W N P F C, red 5mr 5pr 5sr)")


MPSZ_FACES: tuple[str, ...] = (*(f"{number}{suit}" for suit, number in NUMBERED), "0m", "0p", "0s")
"""The MPSZ notation of a single tile of each face: the index is the face."""

_MPSZ_READ = readings(MPSZ_FACES)
_MPSZ_GROUPS = re.compile(r"(?:[0-9]+[mpsz])*")
_MPSZ_GROUP = re.compile(r"([0-9]+)([mpsz])")


def parse_mpsz(text: str) -> tuple[Face, ...]:
    """Read tiles in the order written; a suit may occur twice (``123m5p1m``)."""
    if _MPSZ_GROUPS.fullmatch(bounded(text)) is None:
        raise NotationError(text, "is not in the notation 123m406p77z")
    groups = _MPSZ_GROUP.findall(text)
    return tuple(looked_up(_MPSZ_READ, number + suit, "tile") for numbers, suit in groups for number in numbers)


def format_mpsz(faces: Iterable[Face]) -> str:
    """Write tiles in the order given; adjacent tiles of a suit share its letter."""
    groups = groupby((MPSZ_FACES[face] for face in faces), key=lambda tile: tile[1])
    return "".join("".join(tile[0] for tile in tiles) + suit for suit, tiles in groups)


_TENHOU_LIST = re.compile(r"[0-9]{1,3}(?:,[0-9]{1,3})*")


def parse_tenhou_tiles(text: str) -> tuple[Tile, ...]:
    """Read different tiles separated by commas, as in Tenhou's records: ``16,52,135``."""
    if text and _TENHOU_LIST.fullmatch(bounded(text)) is None:
        raise NotationError(text, "is not a list of Tenhou's tiles (16,52,135)")
    tiles = tuple(int(number) for number in text.split(",")) if text else ()
    if any(tile >= TILES for tile in tiles) or len(set(tiles)) < len(tiles):
        raise NotationError(text, f"must hold different numbers below {TILES}")
    return tiles


MAJIANG_FACES: tuple[str, ...] = (*(f"{suit}{number}" for suit, number in NUMBERED), "m0", "p0", "s0")
"""Majiang's notation of each face: the index is the face."""

DIRECTIONS = {4: "+=-", 3: "+-"}
"""By number of seats: the direction of the neighbour one, two, three seats further on."""

_MAJIANG_READ = readings(MAJIANG_FACES)
_MAJIANG_TILE = re.compile(r"(..)(_?)(\*?)([-=+]?)")
_MAJIANG_MELD = re.compile(r"([mpsz])([0-9]{1,4})(?:([-=+])([0-9]{0,2}))?")
_SHOUPAI = re.compile(r"((?:m[0-9]+)?(?:p[0-9]+)?(?:s[0-9]+)?(?:z[0-9]+)?)(_*)([mpsz][0-9])?(\*?)((?:,[^,]+)*)(,?)")
_MAJIANG_GROUP = re.compile(r"([mpsz])([0-9]+)")


@value
class MajiangTile:
    """A tile with its marks: a discard, a tile in a river, or a winning tile."""

    face: Face
    drawn: bool = False
    """``_``: it is the tile just drawn."""
    riichi: bool = False
    """``*``: it was discarded with riichi."""
    direction: str = ""
    """The source, seen from the player that took it; empty if nobody did."""


@value
class Shoupai:
    """A hand as Majiang writes it."""

    faces: tuple[Face, ...]
    """The concealed tiles that are known, sorted, the drawn one among them."""
    melds: tuple[Meld, ...] = ()
    drawn: Face | None = None
    """The tile just drawn; None if there is none, or if it is hidden."""
    hidden: int = 0
    """The number of unknown concealed tiles."""
    riichi: bool = False
    called: bool = False
    """Whether the player has just called a tile and must discard."""


def parse_majiang_face(text: str) -> Face:
    """Read one tile; the opposite is ``MAJIANG_FACES[face]``."""
    return looked_up(_MAJIANG_READ, text, "tile in Majiang's notation (m1 to m9, p, s, z1 to z7, red m0 p0 s0)")


def parse_majiang_tile(text: str) -> MajiangTile:
    """Read a tile with its marks: ``m3_*``, ``z1=``."""
    match = _MAJIANG_TILE.fullmatch(text)
    if match is None:
        raise NotationError(text, "is not a tile in Majiang's notation (m3, m3_*, z1=)")
    return MajiangTile(parse_majiang_face(match[1]), bool(match[2]), bool(match[3]), match[4])


def format_majiang_tile(tile: MajiangTile) -> str:
    """Write a tile with its marks."""
    drawn, riichi = "_" if tile.drawn else "", "*" if tile.riichi else ""
    return f"{MAJIANG_FACES[tile.face]}{drawn}{riichi}{tile.direction}"


def parse_majiang_meld(text: str, owner: Seat, seats: int = 4) -> Meld:
    """Read a meld of this owner: ``m1-23``, ``p500+``, ``s5505=``, ``m5550``, ``z666=6``."""
    match = _MAJIANG_MELD.fullmatch(text)
    if match is None:
        raise NotationError(text, "is not a meld in Majiang's notation (m1-23, p505=, s5505+, m5550, z666=6)")
    suit, before, direction, after = match[1], match[2], match[3], match[4] or ""
    faces = tuple(parse_majiang_face(suit + digit) for digit in before + after)
    if direction is None:
        return meld_of(text, faces, (), None)
    meld = _open_meld(text, faces, len(before) - 1, (owner + _steps(text, direction, seats)) % seats)
    if meld.type is MeldType.CHI and direction != "-":
        raise NotationError(text, "calls a run from a player other than the left neighbour")
    return meld


def format_majiang_meld(meld: Meld, owner: Seat, seats: int = 4) -> str:
    """Write a meld of this owner in normal form; the source of a called tile must not be None."""
    if meld.called is None or meld.source is None:
        return _suit_and_digits(_fives_first(meld.own))
    direction = DIRECTIONS[seats][(meld.source - owner) % seats - 1]
    if meld.type is MeldType.CHI:
        digits = "".join(_digit(face) + (direction if face == meld.called else "") for face in meld.faces)
        return _suit(meld.called) + digits
    added = "" if meld.added is None else _digit(meld.added)
    return _suit_and_digits((*_fives_first(meld.own), meld.called)) + direction + added


def parse_shoupai(text: str, owner: Seat = 0, seats: int = 4) -> Shoupai:
    """Read a hand: ``m123p1377s456789p2*``, ``m33p1177*,z444=``, ``m123p055z7,s67-8,``.

    If no tile of a full hand (14 tiles) stands apart, the last one counts as drawn, as in kobalab's reader.
    """
    match = _SHOUPAI.fullmatch(bounded(text))
    if match is None:
        raise NotationError(text, "is not a hand in Majiang's notation (m123p1377s456789p2*,z444=)")
    groups, blanks, apart, riichi, written, called = match.groups()
    faces = [parse_majiang_face(suit + digit) for suit, digits in _MAJIANG_GROUP.findall(groups) for digit in digits]
    faces += [parse_majiang_face(apart)] if apart else []
    melds = tuple(parse_majiang_meld(meld, owner, seats) for meld in written.split(",")[1:])
    check_hand(text, faces, melds, len(blanks))
    is_full = len(faces) + len(blanks) + 3 * len(melds) == FULL_HAND
    if ((apart or called) and not is_full) or (called and (apart or not melds)):
        raise NotationError(text, "has a drawn tile or a final comma, but not 14 tiles or no meld to go with it")
    drawn = faces[-1] if apart or (is_full and not called and not blanks) else None
    return Shoupai(sort_faces(faces), melds, drawn, len(blanks), bool(riichi), bool(called))


def format_shoupai(hand: Shoupai, owner: Seat = 0, seats: int = 4) -> str:
    """Write a hand in normal form."""
    rest = list(hand.faces)
    drawn = ""
    if hand.drawn is not None:
        rest.remove(hand.drawn)
        drawn = MAJIANG_FACES[hand.drawn]
    groups = "".join(_suit_and_digits(tuple(group)) for _, group in groupby(sort_faces(rest), key=_suit))
    melds = "".join("," + format_majiang_meld(meld, owner, seats) for meld in hand.melds)
    riichi, called = "*" if hand.riichi else "", "," if hand.called else ""
    return f"{groups}{'_' * hand.hidden}{drawn}{riichi}{melds}{called}"


def _open_meld(text: str, faces: tuple[Face, ...], called: int, source: Seat) -> Meld:
    """Return a meld with the called tile at position ``called``, before the added tile or the rest of a run."""
    if len({KIND_OF[face] for face in faces}) == 1:
        if called < 2:
            raise NotationError(text, "is not a meld")
        return meld_of(text, faces[:called], faces[called:], source)
    return meld_of(text, (*faces[:called], *faces[called + 1 :]), faces[called : called + 1], source)


def _steps(text: str, direction: str, seats: int) -> int:
    """Return the number of seats from the owner to where a direction points."""
    if direction not in DIRECTIONS[seats]:
        raise NotationError(text, f"names a direction that does not exist with {seats} players")
    return DIRECTIONS[seats].index(direction) + 1


def _fives_first(faces: Iterable[Face]) -> tuple[Face, ...]:
    """Return equal tiles with the plain fives before the red ones."""
    return tuple(sorted(faces, key=ORDER.__getitem__, reverse=True))


def _suit(face: Face) -> str:
    return MAJIANG_FACES[face][0]


def _digit(face: Face) -> str:
    return MAJIANG_FACES[face][1]


def _suit_and_digits(faces: tuple[Face, ...]) -> str:
    """Write tiles of one suit."""
    return _suit(faces[0]) + "".join(map(_digit, faces))


ONE_EACH = (1, 1, 1)
"""One red five in each suit: m, p, s."""

_ID_LIST = re.compile(r"\[[0-9]{3}(?:, ?[0-9]{3})*\]|\[\]")
_ID_MELD = re.compile(r"([mpsz])([0-9]{2,4})(?:-([0-9]{1,2}))?(?:_([0-9]))?")


@cache
def _ids(reds: tuple[int, ...]) -> tuple[int, ...]:
    """Return the id of each of the 136 tiles; copies of a five are rotated, so that the last ones are red."""
    shift = dict(zip(FIVES, reds, strict=True))
    hundreds = [(kind // 9 + 1) * 100 + number_of(kind) * 10 for kind in range(KINDS)]
    return tuple(
        hundreds[tile // COPIES] + (tile % COPIES - shift.get(tile // COPIES, 0)) % COPIES for tile in range(TILES)
    )


def parse_id_tiles(text: str, reds: tuple[int, ...] = ONE_EACH) -> tuple[Tile, ...]:
    """Read a list of different ids, ``[152, 153, 150]``; ``reds`` are the numbers of red fives in m, p and s."""
    if _ID_LIST.fullmatch(bounded(text)) is None:
        raise NotationError(text, "is not a list of three-digit ids ([152, 153, 150])")
    table = {number: tile for tile, number in enumerate(_ids(reds))}
    numbers = [int(number) for number in re.findall("[0-9]+", text)]
    if len(set(numbers)) < len(numbers) or not table.keys() >= set(numbers):
        raise NotationError(text, "must hold different ids of tiles (110 to 193, 2.., 3.., 410 to 473)")
    return tuple(table[number] for number in numbers)


def parse_id_meld(text: str, owner: Seat, seats: int = 4, *, absolute: bool = False) -> Meld:
    """Read a meld string of this owner; with ``absolute``, targets are seats and not steps to the right."""
    match = _ID_MELD.fullmatch(text)
    if match is None:
        raise NotationError(text, "is not a meld string (m13-2, p50-5_2, s55-05_3, m550-5_1, z7777)")
    suit, own, picked, target = match[1], match[2], match[3] or "", match[4]
    own_faces, picked_faces = (
        [looked_up(_MAJIANG_READ, suit + digit, "tile") for digit in part] for part in (own, picked)
    )
    meld = meld_of(text, own_faces, picked_faces, (owner - 1) % seats)
    if (target is None) != (meld.type in (MeldType.CHI, MeldType.ANKAN)):
        raise NotationError(text, "must name a target for a pon or open kan, and none for a run or closed kan")
    if target is None:
        return meld
    source = int(target) if absolute else owner + int(target)
    if int(target) >= seats or source % seats == owner:
        raise NotationError(text, "names a target that is not another player")
    return Meld(meld.type, meld.own, meld.called, source % seats, meld.added)
