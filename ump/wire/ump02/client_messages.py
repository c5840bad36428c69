"""The sentences of a UMP 0.2 client, each as a class whose docstring is its specification.

Direction: client to server, always with the id of the question that it answers. Examples leave out the id. ``tsumo``,
``ron``, ``no``, ``yes``, ``ryukyoku``, calls and kans are those of 0.1, but 0.2 writes their tiles without spaces:
``chi 4m6m``, ``pon 5m5M``, ``kan 6m6m6m``, ``ankan 6z6z6z6z``, ``kakan 5m``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Self

from ump.model.claims import Claim, Verb
from ump.model.notation import UMP_FACES
from ump.model.tiles import Face
from ump.model.value import value
from ump.wire.sentence import Bare, expect
from ump.wire.text import written
from ump.wire.ump01 import client_messages
from ump.wire.ump01.client_messages import Answer
from ump.wire.ump01.words import TSUMOGIRI, option_words, parse_tile
from ump.wire.ump02.words import RICHI, OptionSentence


@value
class ClientHello(OptionSentence):
    """The introduction of the client.

    Format: ``hello ump=0.2 [name=<text>] [user=<text>] [password=<text>] [lang=<language>] [_<extension>=<value> ...]``
    Example: ``hello name=alice ump=0.2``
    """

    NAME: ClassVar[str] = "hello"
    options: tuple[tuple[str, str], ...]
    """Names and values, decoded, in their order."""

    @classmethod
    def read(cls, arguments: Sequence[str], options: Mapping[str, str]) -> Self:
        """Read the options."""
        return cls(tuple(options.items()))

    def serialise(self) -> str:
        """Write the options."""
        return written(self.NAME, *option_words(self.options))


@value
class Sutehai(OptionSentence, Answer):
    """Discard a tile, with or without riichi.

    Format: ``sutehai <tile> [tsumogiri] [richi]``, the flags in either order. Without ``tsumogiri`` an equal tile of
    the hand is discarded before the drawn one. Examples: ``sutehai 5m tsumogiri``, ``sutehai 5z richi``
    """

    NAME: ClassVar[str] = "sutehai"
    tile: Face
    tsumogiri: bool = False
    richi: bool = False

    @classmethod
    def read(cls, arguments: Sequence[str], options: Mapping[str, str]) -> Self:
        """Read a tile and perhaps the flags."""
        tile, flags = arguments[:1], arguments[1:]
        expect(len(tile) == 1 and set(flags) <= {TSUMOGIRI, RICHI}, cls.NAME, arguments)
        return cls(parse_tile(tile[0]), TSUMOGIRI in flags, RICHI in flags)

    def serialise(self) -> str:
        """Write tile and flags."""
        flags = (f" {TSUMOGIRI}" if self.tsumogiri else "") + (f" {RICHI}" if self.richi else "")
        return f"{self.NAME} {UMP_FACES[self.tile]}{flags}"

    @property
    def claim(self) -> Claim:
        """A discard, perhaps with riichi."""
        return Claim(Verb.RIICHI if self.richi else Verb.DISCARD, (self.tile,), self.tsumogiri)


@value
class Tenpai(Bare, Answer):
    """Show a tenpai hand. Format and example: ``tenpai``."""

    NAME: ClassVar[str] = "tenpai"

    @property
    def claim(self) -> Claim:
        """The claim to be tenpai."""
        return Claim(Verb.YES)


@value
class Noten(Bare, Answer):
    """Keep the hand closed. Format and example: ``noten``; with the id of the question, any other word too."""

    NAME: ClassVar[str] = "noten"

    @property
    def claim(self) -> Claim:
        """The claim to be noten."""
        return Claim(Verb.NO)


@value
class Ack(Bare):
    """A sign of life, at any time and in both directions, with id 0 and without answer. Format and example: ``ack``."""

    NAME: ClassVar[str] = "ack"


ANSWERS: tuple[type[Answer], ...] = (
    Sutehai,
    client_messages.Tsumo,
    client_messages.Ankan,
    client_messages.Kakan,
    client_messages.Kita,
    client_messages.DeclareRyukyoku,
    client_messages.No,
    client_messages.Ron,
    client_messages.Pon,
    client_messages.Chi,
    client_messages.Kan,
    client_messages.Yes,
    client_messages.Ok,
    Tenpai,
    Noten,
)
"""The sentences that answer a question of the game or ``ready?``."""

ANSWER_NAMED: dict[str, type[Answer]] = {answer.NAME: answer for answer in ANSWERS}
