"""A number for each action, for networks that choose among a fixed number of outputs.

``action_id`` numbers an action, ``actions_by_id`` turns the legal actions of a question into a table from numbers to
actions. Both are pure, and inverse to each other, with one exception: a tile in the hand and an equal one that was just
drawn share their number, and the number means the drawn one (tsumogiri). The numbers are the same for three and four
players and for all rules. ``LegalIds`` has the same for environments, which ask for nothing but numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import assert_never

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
from ump.model.notation import UMP_FACES
from ump.model.tiles import FACES, KIND_OF, KINDS, RED_OF, Face
from ump.rules.questions import Question
from ump.rules.turn_question import DRAWN, FROM_HAND, TurnQuestion

CHI_PLACES = ("low", "middle", "high")
"""The place of the called tile in the run."""

_BLOCKS = {
    Discard: tuple(f"discard {face}" for face in UMP_FACES),
    Riichi: tuple(f"riichi {face}" for face in UMP_FACES),
    "open riichi": tuple(f"open riichi {face}" for face in UMP_FACES),
    Chi: tuple(f"chi {place}{red}" for place in CHI_PLACES for red in ("", " red")),
    Pon: ("pon", "pon red", "pon two reds"),
    Daiminkan: ("daiminkan",),
    Ankan: tuple(f"ankan {face}" for face in UMP_FACES[:KINDS]),
    Kakan: tuple(f"kakan {face}" for face in UMP_FACES[:KINDS]),
    Kita: ("kita",),
    Tsumo: ("tsumo",),
    Ron: ("ron",),
    KyushuKyuhai: ("kyushu kyuhai",),
    Pass: ("pass",),
    DeclareTenpai: ("tenpai",),
    DeclareNoten: ("noten",),
}
"""The names of the actions of each class, in the order of their numbers."""

ACTION_NAMES: tuple[str, ...] = tuple(name for names in _BLOCKS.values() for name in names)
"""The name of each number: ``discard 5m``, ``chi low red``. Tiles are in UMP's notation; ``5M`` is a red five."""

ACTIONS = len(ACTION_NAMES)
"""The number of action ids."""

_FIRST = dict(zip(_BLOCKS, accumulate((len(names) for names in _BLOCKS.values()), initial=0), strict=False))
"""The first number of each class."""

_DISCARD = _FIRST[Discard]
_RIICHI = _FIRST[Riichi]
_OPEN_RIICHI = _FIRST["open riichi"]
_CHI = _FIRST[Chi]
_PON = _FIRST[Pon]
_ANKAN = _FIRST[Ankan]
_KAKAN = _FIRST[Kakan]
_PASS = _FIRST[Pass]


def action_id(action: Action, tile: Face | None) -> int:
    """Return the number of an action, from 0 to ``ACTIONS`` - 1.

    ``tile`` is that of the question (``Question.tile``). Only the number of a chi depends on it: the place of the
    called tile in the run. Raises ValueError for a chi without a tile.
    """
    match action:  # the most frequent classes first
        case Discard(face=face):
            return _DISCARD + face
        case Pass():
            return _PASS
        case Chi(own=own):
            return _CHI + _chi_shape(own, tile)
        case Pon(own=own):
            return _PON + sum(face >= KINDS for face in own)
        case Riichi(face=face, opened=opened):
            return (_OPEN_RIICHI if opened else _RIICHI) + face
        case Ankan(kind=kind):
            return _ANKAN + kind
        case Kakan(face=face):
            return _KAKAN + KIND_OF[face]
        case Daiminkan() | Kita() | Tsumo() | Ron() | KyushuKyuhai() | DeclareTenpai() | DeclareNoten():
            return _FIRST[type(action)]
        case _:
            assert_never(action)


def actions_by_id(legal: Iterable[Action], tile: Face | None) -> dict[int, Action]:
    """Return the legal actions of a question by their numbers; ``tile`` is as for ``action_id``.

    Of a tile in the hand and an equal drawn one it keeps the drawn one.
    """
    found: dict[int, Action] = {}
    for action in legal:
        number = action_id(action, tile)
        if number not in found or (isinstance(action, Discard | Riichi) and action.tsumogiri):
            found[number] = action
    return found


_HELD = bytes([0, *[1] * 255])
"""Turns counts into a mask."""

_NO_OTHERS = bytes(ACTIONS - FACES)
"""The mask of all ids but those of discards if none is legal."""

_NOTHING: dict[int, Action] = {}


def _discards(question: TurnQuestion, faces: bytearray) -> bytearray:
    """Return the mask of the legal discards: the faces held."""
    if question.player.riichi:
        assert question.tile is not None
        mask = bytearray(ACTIONS)
        mask[question.tile] = 1
        return mask
    mask = faces.translate(_HELD) + _NO_OTHERS
    for kind in question.forbidden:
        mask[kind] = 0
        if kind in RED_OF:
            mask[RED_OF[kind]] = 0
    return mask


class LegalIds:
    """The legal action ids of one question.

    ``faces`` are the 37 counts of the seat's concealed tiles. A discard of the drawn tile goes before that of an equal
    one, so the discards are the faces held, and need no list of actions.
    """

    __slots__ = ("_others", "_tile", "mask")

    def __init__(self, question: Question, faces: bytearray) -> None:
        self._tile = tile = question.tile
        others: Sequence[Action]
        if type(question) is TurnQuestion:  # quicker than isinstance: questions are abstract
            mask, others = _discards(question, faces), question.extras()
        else:
            mask, others = bytearray(ACTIONS), question.legal()
        self.mask = mask
        """1 for each legal id."""
        self._others = _NOTHING
        if others:
            self._others = actions_by_id(others, tile)
            for number in self._others:
                mask[number] = 1

    def action(self, number: int) -> Action:
        """Return the action of a legal id."""
        if number >= FACES:
            return self._others[number]
        return DRAWN[number] if number == self._tile else FROM_HAND[number]


def _chi_shape(own: tuple[Face, Face], tile: Face | None) -> int:
    """Return twice the place of the called tile in the run, and 1 more if one of the own tiles is a red five."""
    if tile is None:
        raise ValueError("the number of a chi depends on the called tile")
    kind = KIND_OF[tile]
    place = sum(KIND_OF[face] < kind for face in own)
    return 2 * place + any(face >= KINDS for face in own)
