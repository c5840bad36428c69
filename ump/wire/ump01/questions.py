"""The questions, with what the extensions add to them: offers, the own hand, the time that is left."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, Self

from ump.model.actions import Action, Ankan, Chi, Daiminkan, Discard, Kakan, KyushuKyuhai, Pon, Riichi, Ron, Tsumo
from ump.model.notation import UMP_FACES
from ump.model.tiles import KIND_OF, Face, sort_faces
from ump.model.value import value
from ump.wire.sentence import Sentence, expect
from ump.wire.text import WireError, quoted
from ump.wire.ump01.words import parse_shown, parse_tile, parse_tiles

_TIME = re.compile(r"([0-9]{1,6}(?:\.[0-9])?)\+([0-9]{1,6}(?:\.[0-9])?)")


@value
class Time:
    """How long an answer may take, in seconds; written in tenths."""

    move: float
    """For this move."""
    bank: float
    """In the bank, until the end of the kyoku."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``10+20``."""
        match = _TIME.fullmatch(text)
        if match is None:
            raise WireError(f"{quoted(text)} is no time (10+20)")
        return cls(float(match[1]), float(match[2]))

    def serialise(self) -> str:
        """Write ``10+20``."""
        return "+".join(f"{seconds:.1f}".removesuffix(".0") for seconds in (self.move, self.bank))


@value
class Extras:
    """What a client may have asked to get with its questions."""

    offers: tuple[Action, ...] | None = None
    """What is legal; None where nothing is offered. Passing is not written, and not read: it always may be."""
    hand: str | None = None
    """The own hand, as UMP writes it."""
    time: Time | None = None

    def words(self) -> list[str]:
        """Write them as the words at the end of a question."""
        words = [] if self.offers is None else offer_words(self.offers)
        if self.hand is not None:
            words.append(f"_hand={self.hand}")
        if self.time is not None:
            words.append(f"_time={self.time.serialise()}")
        return words


class _Plain(Sentence):
    """A question without a tile."""

    __slots__ = ()
    extras: Extras

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        """Read what the extensions have added."""
        return cls(parse_extras(words))  # type: ignore[call-arg]

    def serialise(self) -> str:
        """Write it."""
        return " ".join((self.NAME, *self.extras.words()))


@value
class ReadyQuestion(_Plain):
    """Who is ready? To all, after ``gamestart`` and before each ``kyokuend``; answered by ``ok``.

    Format: ``ready? [_time=<move>+<bank>]``. Example: ``ready?``
    """

    NAME: ClassVar[str] = "ready?"
    extras: Extras = Extras()


@value
class SutehaiQuestion(_Plain):
    """What goes? To one, after its draw or its chi or pon; answered by a discard, a kan, tsumo, riichi.

    Format: ``sutehai? [sute=<tiles>] [richi=<tiles>] [openrichi=<tiles>] [ankan=<tiles>] [kakan=<tiles>] [tsumo]
    [ryukyoku] [_hand=<hand>] [_time=<move>+<bank>]``, the offers with ``_offer=1``.
    Examples: ``sutehai?``, ``sutehai? sute=1m2m3m richi=5z ankan=1m kakan=5z tsumo ryukyoku``,
    ``sutehai? _hand=1m2m3m5z<2p3p4p> _time=10+12.5``
    """

    NAME: ClassVar[str] = "sutehai?"
    extras: Extras = Extras()


@value
class TenpaiQuestion(_Plain):
    """Tenpai? To one who is tenpai and not in riichi at an exhausted wall; answered by ``yes`` or ``no``.

    Format: ``tenpai? [_time=<move>+<bank>]``. Example: ``tenpai?``
    """

    NAME: ClassVar[str] = "tenpai?"
    extras: Extras = Extras()


@value
class NakuQuestion(Sentence):
    """Will you call it? To one, on another's discard or on the tile of a kan; answered by a call, ron, or ``no``.

    Format: ``naku? <tile> [chi=<pairs>] [pon=<pairs>] [kan] [ron] [_hand=<hand>] [_time=<move>+<bank>]``, pairs
    parted by commas. Examples: ``naku? 5m``, ``naku? 5m chi=4m6m,6m7m pon=5m5M kan ron``
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


# Offers: actions as words, and back.

_BARE: dict[str, Action] = {
    "tsumo": Tsumo(),
    "ryukyoku": KyushuKyuhai(),
    "kan": Daiminkan(),
    "ron": Ron(),
}
"""Offers that are one word, in the order in which they are written, after the lists."""

_LISTS: dict[str, Callable[[Sequence[Face]], Action]] = {
    "sute": lambda tiles: Discard(tiles[0]),
    "richi": lambda tiles: Riichi(tiles[0]),
    "openrichi": lambda tiles: Riichi(tiles[0], opened=True),
    "ankan": lambda tiles: Ankan(KIND_OF[tiles[0]]),
    "kakan": lambda tiles: Kakan(tiles[0]),
    "chi": lambda tiles: Chi((tiles[0], tiles[1])),
    "pon": lambda tiles: Pon((tiles[0], tiles[1])),
}
"""Offers that list tiles, in the order in which they are written: what each entry means."""

_ENTRIES: dict[type[Action], Callable[[Any], tuple[str, tuple[Face, ...]]]] = {
    Discard: lambda action: ("sute", (action.face,)),
    Riichi: lambda action: ("openrichi" if action.opened else "richi", (action.face,)),
    Ankan: lambda action: ("ankan", (action.kind,)),
    Kakan: lambda action: ("kakan", (action.face,)),
    Chi: lambda action: ("chi", action.own),
    Pon: lambda action: ("pon", action.own[::-1]),  # the plain five first
}
"""In which list an action is offered, and with which tiles."""

_PAIRS = ("chi", "pon")
"""Offers whose entries are two tiles; these are parted by commas, single tiles are glued."""


def offer_words(offers: Iterable[Action]) -> list[str]:
    """Write the legal actions of a question as offers; passing and declaring are not offered, they always may be.

    The drawn tile and an equal one of the hand are one offer.
    """
    legal = tuple(offers)
    lists: dict[str, dict[str, None]] = {name: {} for name in _LISTS}  # as sets that keep their order
    for action in legal:
        entry = _ENTRIES.get(type(action))
        if entry is not None:
            name, tiles = entry(action)
            lists[name]["".join(UMP_FACES[tile] for tile in tiles)] = None
    words = [f"{name}={(',' if name in _PAIRS else '').join(entries)}" for name, entries in lists.items() if entries]
    return words + [word for word, action in _BARE.items() if action in legal]


def parse_extras(words: Sequence[str]) -> Extras:
    """Read offers and the other additions; words that are not known are extensions, and skipped.

    Which of two equal tiles is the drawn one is not said: a discard and a riichi are read without ``tsumogiri``.
    """
    offers: list[Action] = []
    hand: str | None = None
    time: Time | None = None
    for word in words:
        name, _, text = word.partition("=")
        if name == "_hand":
            parse_shown(text)
            hand = text
        elif name == "_time":
            time = Time.parse(text)
        elif word in _BARE:
            offers.append(_BARE[word])
        elif name in _LISTS:
            offers += _listed(name, text, words)
    return Extras(tuple(offers) or None, hand, time)


def _listed(name: str, text: str, words: Sequence[str]) -> list[Action]:
    """Read the entries of one offer."""
    if name not in _PAIRS:
        return [_LISTS[name]((tile,)) for tile in parse_tiles([text])]
    pairs = [sort_faces(parse_tiles([pair])) for pair in text.split(",")]
    expect(all(len(pair) == 2 for pair in pairs), name, words)
    return [_LISTS[name](pair) for pair in pairs]
