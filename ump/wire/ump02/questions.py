"""The questions of 0.2 that differ from 0.1, with their offers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar, Self

from ump.model.actions import Action, Ankan, Chi, Daiminkan, Kakan, Kita, KyushuKyuhai, Pon, Riichi, Ron, Tsumo
from ump.model.notation import UMP_FACES, format_ump_faces
from ump.model.tiles import Face
from ump.model.value import value
from ump.wire.sentence import expect
from ump.wire.ump01.words import parse_tile, parse_tiles
from ump.wire.ump02.words import RICHI, OptionSentence

TURN_WORDS: dict[type[Action], str] = {
    Tsumo: "tsumo",
    Ankan: "ankan",
    Kakan: "kakan",
    Kita: "kita",
    KyushuKyuhai: "ryukyoku",
}
"""The words with which ``sutehai?`` offers actions, in their order; ``kita`` and ``ryukyoku`` are additions."""

CALL_WORDS: dict[type[Action], str] = {Ron: "ron", Daiminkan: "kan", Pon: "pon", Chi: "chi"}
"""The words with which ``naki?`` offers actions, in their order."""


@value
class SutehaiQuestion(OptionSentence):
    """The question for an action, to one, after its draw, chi or pon.

    Format: ``sutehai? [richi=<tiles>] [tsumo] [ankan] [kakan] [kita] [ryukyoku]``; ``richi=`` lists the tiles that
    may be discarded with riichi. Examples: ``sutehai?``, ``sutehai? richi=5z6z tsumo``
    """

    NAME: ClassVar[str] = "sutehai?"
    riichi: tuple[Face, ...] = ()
    offers: tuple[str, ...] = ()

    @classmethod
    def offering(cls, legal: Iterable[Action]) -> Self:
        """Return the question for these legal actions; 0.2 has no word for open riichi."""
        actions = tuple(legal)
        riichi = dict.fromkeys(action.face for action in actions if isinstance(action, Riichi) and not action.opened)
        return cls(tuple(riichi), _offered(actions, TURN_WORDS))

    @classmethod
    def read(cls, arguments: Sequence[str], options: Mapping[str, str]) -> Self:
        """Read the offers."""
        riichi = parse_tiles([options.get(RICHI, "")])
        return cls(riichi, tuple(word for word in arguments if word in TURN_WORDS.values()))

    def serialise(self) -> str:
        """Write the offers."""
        riichi = [f"{RICHI}={format_ump_faces(self.riichi)}"] if self.riichi else []
        return " ".join((self.NAME, *riichi, *self.offers))


@value
class NakiQuestion(OptionSentence):
    """The question whether to call a tile, to one, on another's discard or kan.

    Format: ``naki? <tile> [ron] [kan] [pon] [chi]``. Example: ``naki? 5p pon chi``
    """

    NAME: ClassVar[str] = "naki?"
    tile: Face
    offers: tuple[str, ...] = ()

    @classmethod
    def offering(cls, tile: Face, legal: Iterable[Action]) -> Self:
        """Return the question for these legal actions."""
        return cls(tile, _offered(tuple(legal), CALL_WORDS))

    @classmethod
    def read(cls, arguments: Sequence[str], options: Mapping[str, str]) -> Self:
        """Read the tile and the offers."""
        expect(len(arguments) >= 1, cls.NAME, arguments)
        return cls(parse_tile(arguments[0]), tuple(word for word in arguments[1:] if word in CALL_WORDS.values()))

    def serialise(self) -> str:
        """Write the tile and the offers."""
        return " ".join((self.NAME, UMP_FACES[self.tile], *self.offers))


def _offered(actions: Sequence[Action], words: Mapping[type[Action], str]) -> tuple[str, ...]:
    """Return the words for those kinds of action that occur."""
    present = {type(action) for action in actions}
    return tuple(word for kind, word in words.items() if kind in present)
