"""UMP: ``5m``, red ``5M``; a hand has its melds after its tiles: ``1m5M<2p3p4p>``, closed kan ``(6z6z6z6z)``."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ump.model.melds import Meld
from ump.model.notation.tables import NUMBERED, NotationError, bounded, check_hand, looked_up, meld_of, readings
from ump.model.tiles import Face, sort_faces

UMP_FACES: tuple[str, ...] = (*(f"{number}{suit}" for suit, number in NUMBERED), "5M", "5P", "5S")
"""How UMP writes each face: the index is the face."""

_READ = readings(UMP_FACES)
_HAND = re.compile(r"([^<(]*)((?:<[^<>()]*>|\([^<>()]*\))*)")
_MELD = re.compile(r"([<(])([^<>()]*)[>)]")


def parse_ump_face(text: str) -> Face:
    """Read one tile; the opposite is ``UMP_FACES[face]``."""
    return looked_up(_READ, text, "tile in UMP's notation (1m to 9m, p, s, 1z to 7z, red 5M 5P 5S)")


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
    match = _HAND.fullmatch(bounded(text))
    if match is None:
        raise NotationError(text, "is not a hand in UMP's notation (1m2m3m<2p3p4p>(6z6z6z6z))")
    faces = parse_ump_faces(match[1])
    melds = tuple(_parse_meld(part[0]) for part in _MELD.finditer(match[2]))
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
