"""Actions as words of the journal: ``sute 5m tsumogiri``, ``chi 4m 5M``, ``no``."""

from __future__ import annotations

from collections.abc import Callable

from ump.model.actions import (
    Action,
    Ankan,
    Chi,
    Daiminkan,
    DeclareNoten,
    DeclareTenpai,
    Discard,
    Kakan,
    Kita,
    KyushuKyuhai,
    Pass,
    Pon,
    Riichi,
    Ron,
    Tsumo,
)
from ump.model.notation import NotationError, parse_ump_face
from ump.model.notation.ump import UMP_FACES
from ump.model.tiles import KIND_OF, Face
from ump.record.journal.journal_error import JournalError

TSUMOGIRI = "tsumogiri"

_WITHOUT_TILES: dict[str, Action] = {
    "kita": Kita(),
    "tsumo": Tsumo(),
    "ryukyoku": KyushuKyuhai(),
    "no": Pass(),
    "kan": Daiminkan(),
    "ron": Ron(),
    "tenpai": DeclareTenpai(),
    "noten": DeclareNoten(),
}
_WORDS_WITHOUT_TILES = {action: word for word, action in _WITHOUT_TILES.items()}


def write_action(action: Action) -> str:
    """Return the words for an action."""
    match action:
        case Discard(face, tsumogiri):
            return f"sute {UMP_FACES[face]} {TSUMOGIRI}" if tsumogiri else f"sute {UMP_FACES[face]}"
        case Riichi(face, tsumogiri, opened):
            words = f"{'openrichi' if opened else 'richi'} {UMP_FACES[face]}"
            return f"{words} {TSUMOGIRI}" if tsumogiri else words
        case Ankan(kind):
            return f"ankan {UMP_FACES[kind]}"
        case Kakan(face):
            return f"kakan {UMP_FACES[face]}"
        case Chi((first, second)):
            return f"chi {UMP_FACES[first]} {UMP_FACES[second]}"
        case Pon((first, second)):
            return f"pon {UMP_FACES[first]} {UMP_FACES[second]}"
        case _:
            return _WORDS_WITHOUT_TILES[action]


def read_action(text: str) -> Action:
    """Return the action that words stand for; raises JournalError."""
    action = _WITHOUT_TILES.get(text)
    if action is not None:
        return action
    verb, *words = text.split(" ")
    is_tsumogiri = words[-1:] == [TSUMOGIRI]
    try:
        faces = tuple(parse_ump_face(word) for word in (words[:-1] if is_tsumogiri else words))
    except NotationError as error:
        raise JournalError(str(error)) from error
    make = _WITH_TILES.get((verb, len(faces), is_tsumogiri))
    if make is None:
        raise JournalError(f"{text[:80]!a} is not an action")
    return make(faces)


_Faces = tuple[Face, ...]

_WITH_TILES: dict[tuple[str, int, bool], Callable[[_Faces], Action]] = {
    ("sute", 1, False): lambda faces: Discard(faces[0]),
    ("sute", 1, True): lambda faces: Discard(faces[0], tsumogiri=True),
    ("richi", 1, False): lambda faces: Riichi(faces[0]),
    ("richi", 1, True): lambda faces: Riichi(faces[0], tsumogiri=True),
    ("openrichi", 1, False): lambda faces: Riichi(faces[0], opened=True),
    ("openrichi", 1, True): lambda faces: Riichi(faces[0], tsumogiri=True, opened=True),
    ("ankan", 1, False): lambda faces: Ankan(KIND_OF[faces[0]]),
    ("kakan", 1, False): lambda faces: Kakan(faces[0]),
    ("chi", 2, False): lambda faces: Chi((faces[0], faces[1])),
    ("pon", 2, False): lambda faces: Pon((faces[0], faces[1])),
}
"""The actions with tiles: word, number of tiles, whether the drawn tile is meant."""
