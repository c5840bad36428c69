"""The two questions of the game that carry tiles, with what the extensions add to them: offers, hand, time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar, Self

from ump.model.actions import Action, Ankan, Chi, Daiminkan, Discard, Kakan, KyushuKyuhai, Pon, Riichi, Ron, Tsumo
from ump.model.notation import UMP_FACES
from ump.model.tiles import Face
from ump.model.value import value
from ump.wire.sentence import Sentence, expect
from ump.wire.ump01.words import parse_tile, parse_tiles


@value
class Extras:
    """What a client may have asked to get with its questions."""

    offers: tuple[Action, ...] | None = None
    """Every legal action but passing; None where none are offered."""
    hand: str | None = None
    """The own hand, as UMP writes it."""
    time: str | None = None
    """Seconds for this move + seconds in the bank."""

    def words(self) -> list[str]:
        """Write them as the words at the end of a question."""
        words = [] if self.offers is None else offer_words(self.offers)
        if self.hand is not None:
            words.append(f"_hand={self.hand}")
        if self.time is not None:
            words.append(f"_time={self.time}")
        return words


@value
class SutehaiAsk(Sentence):
    """What goes? To one, after its draw or its chi or pon; answered by a discard, a kan, tsumo, riichi.

    Format: ``sutehai? [sute=<tiles>] [richi=<tiles>] [openrichi=<tiles>] [ankan=<tiles>] [kakan=<tiles>] [tsumo]
    [ryukyoku] [_hand=<hand>] [_time=<move>+<bank>]``, the offers with ``_offer=1``.
    Example: ``sutehai? sute=1m2m3m richi=5z tsumo _hand=1m2m3m..``
    """

    NAME: ClassVar[str] = "sutehai?"
    extras: Extras = Extras()

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        """Read what the extensions have added."""
        return cls(parse_extras(words))

    def serialise(self) -> str:
        """Write it."""
        return " ".join((self.NAME, *self.extras.words()))


@value
class NakuAsk(Sentence):
    """Will you call it? To one, on another's discard or on the tile of a kan; answered by a call, ron, or ``no``.

    Format: ``naku? <tile> [chi=<pairs>] [pon=<pairs>] [kan] [ron] [_hand=<hand>] [_time=<move>+<bank>]``, pairs
    parted by commas. Example: ``naku? 5m chi=4m6m,6m7m pon=5m5M kan ron``
    """

    NAME: ClassVar[str] = "naku?"
    tile: Face
    extras: Extras = Extras()

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        """Read the tile and what the extensions have added."""
        expect(len(words) >= 1, cls.NAME, words)
        return cls(parse_tile(words[0]), parse_extras(words[1:]))

    def serialise(self) -> str:
        """Write it."""
        return " ".join((self.NAME, UMP_FACES[self.tile], *self.extras.words()))


# Offers: actions as words, and back

_BARE: dict[str, Action] = {
    "tsumo": Tsumo(),
    "ryukyoku": KyushuKyuhai(),
    "kan": Daiminkan(),
    "ron": Ron(),
}
"""Offers that are one word."""

_LISTS: dict[str, Callable[[tuple[Face, ...]], Action]] = {
    "sute": lambda tiles: Discard(tiles[0]),
    "richi": lambda tiles: Riichi(tiles[0]),
    "openrichi": lambda tiles: Riichi(tiles[0], opened=True),
    "ankan": lambda tiles: Ankan(tiles[0]),
    "kakan": lambda tiles: Kakan(tiles[0]),
    "chi": lambda tiles: Chi((tiles[0], tiles[1])),
    "pon": lambda tiles: Pon((tiles[0], tiles[1])),
}
"""Offers that list tiles, in the order in which they are written: what each entry means."""

_PAIRS = ("chi", "pon")
"""Offers whose entries are two tiles; these are parted by commas, single tiles are glued."""


def offer_words(offers: Iterable[Action]) -> list[str]:
    """Write the legal actions of a question as offers; passing is never offered, it goes without saying."""
    lists: dict[str, list[str]] = {}
    bare: list[str] = []
    for action in offers:
        match action:
            case Discard(face) | Kakan(face):
                entry = ("sute" if isinstance(action, Discard) else "kakan", UMP_FACES[face])
            case Riichi(face, _, opened):
                entry = ("openrichi" if opened else "richi", UMP_FACES[face])
            case Ankan(kind):
                entry = ("ankan", UMP_FACES[kind])
            case Chi((first, second)) | Pon((first, second)):
                entry = ("chi" if isinstance(action, Chi) else "pon", UMP_FACES[first] + UMP_FACES[second])
            case _:
                bare += [word for word, meant in _BARE.items() if meant == action]
                continue
        name, text = entry
        if text not in lists.setdefault(name, []):  # the drawn tile and an equal one of the hand are one offer
            lists[name].append(text)
    glue = {name: "," if name in _PAIRS else "" for name in lists}
    return [*(f"{name}={glue[name].join(lists[name])}" for name in _LISTS if name in lists), *bare]


def parse_extras(words: Sequence[str]) -> Extras:
    """Read offers and the other additions; words that are not known are extensions, and skipped."""
    offers: list[Action] = []
    additions: dict[str, str | None] = {"_hand": None, "_time": None}
    for word in words:
        name, _, text = word.partition("=")
        if name in additions:
            additions[name] = text
        elif word in _BARE:
            offers.append(_BARE[word])
        elif name in _LISTS and text:
            offers += _listed(name, text, words)
    return Extras(tuple(offers) or None, additions["_hand"], additions["_time"])


def _listed(name: str, text: str, words: Sequence[str]) -> list[Action]:
    """Read the entries of one offer."""
    if name not in _PAIRS:
        return [_LISTS[name]((tile,)) for tile in parse_tiles([text])]
    pairs = [parse_tiles([pair]) for pair in text.split(",")]
    expect(all(len(pair) == 2 for pair in pairs), name, words)
    return [_LISTS[name](pair) for pair in pairs]
