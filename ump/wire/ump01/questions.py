"""The questions of UMP 0.1, with the additions of the extensions: offers, the own hand, hints, the time left."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar, Self, assert_never

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
from ump.model.tiles import KIND_OF, Face, sort_faces
from ump.model.value import value
from ump.wire.sentence import Sentence, expect
from ump.wire.text import WireError, quoted
from ump.wire.ump01.hints import HINTS, Hints
from ump.wire.ump01.words import parse_shown, parse_tile, parse_tiles

_TIME = re.compile(r"([0-9]{1,6}(?:\.[0-9])?)\+([0-9]{1,6}(?:\.[0-9])?)")


@value
class Time:
    """How long an answer may take, in seconds; written in tenths of a second."""

    move: float
    """The time for this move."""
    bank: float
    """The time in the bank, which lasts until the end of the kyoku."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``10+20``; raise WireError for anything else."""
        match = _TIME.fullmatch(text)
        if match is None:
            raise WireError(f"{quoted(text)} is not a time, as in 10+20")
        return cls(float(match[1]), float(match[2]))

    def serialise(self) -> str:
        """Write ``10+20``."""
        return "+".join(f"{seconds:.1f}".removesuffix(".0") for seconds in (self.move, self.bank))


@value
class Extras:
    """The additions to a question, for a client that asked for extensions in its hello."""

    offers: tuple[Action, ...] | None = None
    """The legal actions; None without ``_offer=1``. Passing is always legal, and neither written nor read."""
    hand: str | None = None
    """The own hand in UMP's notation, the drawn tile after the other concealed ones; None without ``_hand=1``."""
    drawn: Face | None = None
    """The drawn tile, with ``hand``; None after a call, and on the turns of others."""
    time: Time | None = None
    """The time left; None without ``_time=1``."""
    hints: Hints | None = None
    """The waits of the own hand; None without ``_waits=1``."""

    def words(self) -> list[str]:
        """Return the words that stand at the end of a question."""
        words = [] if self.offers is None else offer_words(self.offers)
        if self.hand is not None:
            words.append(f"_hand={self.hand}")
        if self.drawn is not None:
            words.append(f"_drawn={UMP_FACES[self.drawn]}")
        if self.hints is not None:
            words += self.hints.words()
        if self.time is not None:
            words.append(f"_time={self.time.serialise()}")
        return words


class _TilelessQuestion(Sentence):
    """A question that names no tile."""

    __slots__ = ()
    extras: Extras

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        """Read the additions of the extensions."""
        return cls(parse_extras(words))  # type: ignore[call-arg]

    def serialise(self) -> str:
        """Write the question."""
        words = self.extras.words()
        return f"{self.NAME} {' '.join(words)}" if words else self.NAME


@value
class ReadyQuestion(_TilelessQuestion):
    """The question whether a player is ready, to all, after ``gamestart`` and before ``kyokuend``; answered by ``ok``.

    Format: ``ready? [_time=<move>+<bank>]``. Example: ``ready?``
    """

    NAME: ClassVar[str] = "ready?"
    extras: Extras = Extras()


@value
class SutehaiQuestion(_TilelessQuestion):
    """The question for an action, to one, after its draw, chi or pon; answered by a discard, a kan, tsumo, riichi.

    Format: ``sutehai? [sute=<tiles>] [richi=<tiles>] [openrichi=<tiles>] [ankan=<tiles>] [kakan=<tiles>] [kita]
    [tsumo] [ryukyoku] [_hand=<hand>] [_drawn=<tile>] [_shanten=<shanten>] [_tenpai=<discards>] [_time=<move>+<bank>]``,
    the offers with ``_offer=1``. Examples: ``sutehai?``, ``sutehai? sute=1m2m3m richi=5z ankan=1m kakan=5z tsumo
    ryukyoku``, ``sutehai? _hand=1m3m5z2m<2p3p4p> _drawn=2m _tenpai=5z/2m:2 _time=10+12.5``
    """

    NAME: ClassVar[str] = "sutehai?"
    extras: Extras = Extras()


@value
class TenpaiQuestion(_TilelessQuestion):
    """The question whether to show a tenpai hand, to one, at an exhausted wall, if it is tenpai without riichi.

    It is answered by ``yes`` or ``no``. Format: ``tenpai? [_time=<move>+<bank>]``. Example: ``tenpai?``
    """

    NAME: ClassVar[str] = "tenpai?"
    extras: Extras = Extras()


@value
class NakuQuestion(Sentence):
    """The question about another's discard, kan or kita, to one; answered by a call, ron, or ``no``.

    Format: ``naku? <tile> [chi=<pairs>] [pon=<pairs>] [kan] [ron] [_hand=<hand>] [_shanten=<shanten>]
    [_waits=<waits>] [_furiten=<furiten>] [_time=<move>+<bank>]``, pairs
    separated by commas. Examples: ``naku? 5m``, ``naku? 5m chi=4m6m,6m7m pon=5m5M kan ron``
    """

    NAME: ClassVar[str] = "naku?"
    tile: Face
    extras: Extras = Extras()

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        """Read the tile and the additions of the extensions."""
        expect(len(words) >= 1, cls.NAME, words)
        return cls(parse_tile(words[0]), parse_extras(words[1:]))

    def serialise(self) -> str:
        """Write the question."""
        words = self.extras.words()
        text = f"{self.NAME} {UMP_FACES[self.tile]}"
        return f"{text} {' '.join(words)}" if words else text


# Offers: from actions to words, and back

_SINGLE_WORDS: dict[str, Action] = {
    "kita": Kita(),
    "tsumo": Tsumo(),
    "ryukyoku": KyushuKyuhai(),
    "kan": Daiminkan(),
    "ron": Ron(),
}
"""The offers of one word, in the order in which they are written, after the lists."""

_LISTS: dict[str, Callable[[Sequence[Face]], Action]] = {
    "sute": lambda tiles: Discard(tiles[0]),
    "richi": lambda tiles: Riichi(tiles[0]),
    "openrichi": lambda tiles: Riichi(tiles[0], opened=True),
    "ankan": lambda tiles: Ankan(KIND_OF[tiles[0]]),
    "kakan": lambda tiles: Kakan(tiles[0]),
    "chi": lambda tiles: Chi((tiles[0], tiles[1])),
    "pon": lambda tiles: Pon((tiles[0], tiles[1])),
}
"""The offers that list tiles, in the order in which they are written, and the action that an entry means."""

_PAIR_LISTS = ("chi", "pon")
"""The lists whose entries are two tiles. Commas separate these; single tiles are glued."""


def offer_words(offers: Iterable[Action]) -> list[str]:
    """Write the legal actions of a question as words; passing and declaring are always legal and not written.

    The drawn tile and an equal one of the hand are one offer.
    """
    legal = tuple(offers)
    lists: dict[str, dict[str, None]] = {name: {} for name in _LISTS}  # the inner ones are ordered sets
    for action in legal:
        entry = _list_entry(action)
        if entry is not None:
            name, text = entry
            lists[name][text] = None
    words = [
        f"{name}={(',' if name in _PAIR_LISTS else '').join(entries)}" for name, entries in lists.items() if entries
    ]
    return words + [word for word, action in _SINGLE_WORDS.items() if action in legal]


def _list_entry(action: Action) -> tuple[str, str] | None:
    """Return the list in which an action is offered and its entry there; None if it is in no list."""
    match action:
        case Discard():
            return "sute", UMP_FACES[action.face]
        case Riichi():
            return "openrichi" if action.opened else "richi", UMP_FACES[action.face]
        case Ankan():
            return "ankan", UMP_FACES[action.kind]
        case Kakan():
            return "kakan", UMP_FACES[action.face]
        case Chi():
            return "chi", UMP_FACES[action.own[0]] + UMP_FACES[action.own[1]]
        case Pon():  # the plain five before the red one
            return "pon", UMP_FACES[action.own[1]] + UMP_FACES[action.own[0]]
        case Kita() | Tsumo() | KyushuKyuhai() | Daiminkan() | Ron() | Pass() | DeclareTenpai() | DeclareNoten():
            return None
        case _:
            assert_never(action)


def parse_extras(words: Sequence[str]) -> Extras:
    """Read offers and the other additions; unknown words are extensions and are skipped.

    Offers do not say which of two equal tiles is the drawn one: a discard or riichi is read without ``tsumogiri``.
    Raises WireError if a known word has another form.
    """
    offers: list[Action] = []
    hints: dict[str, str] = {}
    hand: str | None = None
    drawn: Face | None = None
    time: Time | None = None
    for word in words:
        name, _, text = word.partition("=")
        if name == "_hand":
            parse_shown(text)
            hand = text
        elif name == "_drawn":
            drawn = parse_tile(text)
        elif name == "_time":
            time = Time.parse(text)
        elif name in HINTS:
            hints[name] = text
        elif word in _SINGLE_WORDS:
            offers.append(_SINGLE_WORDS[word])
        elif name in _LISTS:
            offers += _listed(name, text, words)
    return Extras(tuple(offers) or None, hand, drawn, time, Hints.parse(hints))


def _listed(name: str, text: str, words: Sequence[str]) -> list[Action]:
    """Return the actions of one list; ``words`` are quoted in an error."""
    if name not in _PAIR_LISTS:
        return [_LISTS[name]((tile,)) for tile in parse_tiles([text])]
    pairs = [sort_faces(parse_tiles([pair])) for pair in text.split(",")]
    expect(all(len(pair) == 2 for pair in pairs), name, words)
    return [_LISTS[name](pair) for pair in pairs]
