"""Majiang (kobalab/majiang-core): ``m5``, red ``m0``; melds with the giver's direction; whole hands (shoupai).

Directions are seen from the owner of the meld: ``-`` the left neighbour, ``=`` the opposite player, ``+`` the right
neighbour. Parsers accept the digits of a meld in any order, as kobalab's do. Formatters write the normal form, because
Majiang's programs compare strings: the digits of a run ascend, otherwise plain fives stand before red ones; a called
tile stands before its direction, an added one after it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby

from ump.model.constants import FULL_HAND
from ump.model.melds import Meld, MeldType
from ump.model.notation.tables import NUMBERED, NotationError, bounded, check_hand, looked_up, meld_of, readings
from ump.model.seats import Seat
from ump.model.tiles import KIND_OF, ORDER, Face, sort_faces
from ump.model.value import value

MAJIANG_FACES: tuple[str, ...] = (*(f"{suit}{number}" for suit, number in NUMBERED), "m0", "p0", "s0")
"""How Majiang writes each face: the index is the face."""

DIRECTIONS = {4: "+=-", 3: "+-"}
"""By number of seats: the direction of the neighbour one, two, three seats further on."""

_READ = readings(MAJIANG_FACES)
_TILE = re.compile(r"(..)(_?)(\*?)([-=+]?)")
_MELD = re.compile(r"([mpsz])([0-9]{1,4})(?:([-=+])([0-9]{0,2}))?")
_HAND = re.compile(r"((?:m[0-9]+)?(?:p[0-9]+)?(?:s[0-9]+)?(?:z[0-9]+)?)(_*)([mpsz][0-9])?(\*?)((?:,[^,]+)*)(,?)")
_GROUP = re.compile(r"([mpsz])([0-9]+)")


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
    return looked_up(_READ, text, "tile in Majiang's notation (m1 to m9, p, s, z1 to z7, red m0 p0 s0)")


def parse_majiang_tile(text: str) -> MajiangTile:
    """Read a tile with its marks: ``m3_*``, ``z1=``."""
    match = _TILE.fullmatch(text)
    if match is None:
        raise NotationError(text, "is not a tile in Majiang's notation (m3, m3_*, z1=)")
    return MajiangTile(parse_majiang_face(match[1]), bool(match[2]), bool(match[3]), match[4])


def format_majiang_tile(tile: MajiangTile) -> str:
    """Write a tile with its marks."""
    drawn, riichi = "_" if tile.drawn else "", "*" if tile.riichi else ""
    return f"{MAJIANG_FACES[tile.face]}{drawn}{riichi}{tile.direction}"


def parse_majiang_meld(text: str, owner: Seat, seats: int = 4) -> Meld:
    """Read a meld of this owner: ``m1-23``, ``p500+``, ``s5505=``, ``m5550``, ``z666=6``."""
    match = _MELD.fullmatch(text)
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
    match = _HAND.fullmatch(bounded(text))
    if match is None:
        raise NotationError(text, "is not a hand in Majiang's notation (m123p1377s456789p2*,z444=)")
    groups, blanks, apart, riichi, written, called = match.groups()
    faces = [parse_majiang_face(suit + digit) for suit, digits in _GROUP.findall(groups) for digit in digits]
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
