"""The sentences of a UMP 0.1 client, each as a class whose docstring is its specification.

Direction: client to server, always with the id of the question that it answers. Examples leave out the id.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Self

from ump.model.claims import Claim, Verb
from ump.model.commitments import PLAYER_TEXT
from ump.model.notation import UMP_FACES
from ump.model.tiles import Face
from ump.model.value import value
from ump.wire.sentence import Bare, Sentence, expect
from ump.wire.text import DIGEST, WireError, quoted, written
from ump.wire.ump01.words import TSUMOGIRI, option_words, parse_tile, parse_tiles, split_flag, split_options


class Answer(Sentence):
    """An answer to one of the game's questions."""

    __slots__ = ()

    @property
    @abstractmethod
    def claim(self) -> Claim:
        """The claim that the answer makes, not yet checked."""


@value
class ClientHello(Sentence):
    """The introduction of the client, with the extensions that it asks for.

    Format: ``hello [ump=0.1] [name=<text>] [user=<text>] [password=<text>] [_<extension>=<value> ...]``
    Example: ``hello ump=0.1 name=alice _offer=1``
    """

    NAME: ClassVar[str] = "hello"
    options: tuple[tuple[str, str], ...]
    """Names and values, decoded, in their order."""

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        """Read options; raise WireError for any other word, with a message for people who type ``hello alice``."""
        arguments, options = split_options(words)
        if arguments:
            raise WireError(f"hello takes options, as in: hello name=alice; {quoted(arguments[0])} is not an option")
        return cls(tuple(options.items()))

    def serialise(self) -> str:
        """Write the options."""
        return written(self.NAME, *option_words(self.options))


class _Discarding(Answer):
    """A discard, with or without a declaration."""

    __slots__ = ()
    VERB: ClassVar[Verb]
    tile: Face
    tsumogiri: bool

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        """Read a tile and perhaps ``tsumogiri``."""
        rest, tsumogiri = split_flag(words)
        expect(len(rest) == 1, cls.NAME, words)
        return cls(parse_tile(rest[0]), tsumogiri)  # type: ignore[call-arg]

    def serialise(self) -> str:
        """Write tile and flag."""
        flag = f" {TSUMOGIRI}" if self.tsumogiri else ""
        return f"{self.NAME} {UMP_FACES[self.tile]}{flag}"

    @property
    def claim(self) -> Claim:
        """A discard, perhaps with a declaration."""
        return Claim(self.VERB, (self.tile,), self.tsumogiri)


@value
class Sute(_Discarding):
    """Discard a tile.

    Format: ``sute <tile> [tsumogiri]``. Without the flag an equal tile of the hand is discarded before the drawn one.
    Example: ``sute 5m tsumogiri``
    """

    NAME: ClassVar[str] = "sute"
    VERB: ClassVar[Verb] = Verb.DISCARD
    tile: Face
    tsumogiri: bool = False


@value
class Richi(_Discarding):
    """Declare riichi with a discard.

    Format: ``richi <tile> [tsumogiri]``
    Example: ``richi 5z``
    """

    NAME: ClassVar[str] = "richi"
    VERB: ClassVar[Verb] = Verb.RIICHI
    tile: Face
    tsumogiri: bool = False


@value
class OpenRichi(_Discarding):
    """Declare open riichi with a discard, if the rules allow it.

    Format: ``openrichi <tile> [<hand>] [tsumogiri]``. The hand is ignored: the server knows it.
    Example: ``openrichi 5z``
    """

    NAME: ClassVar[str] = "openrichi"
    VERB: ClassVar[Verb] = Verb.OPEN_RIICHI
    tile: Face
    tsumogiri: bool = False

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        """Read a tile, perhaps a hand, perhaps ``tsumogiri``."""
        rest, tsumogiri = split_flag(words)
        expect(len(rest) in (1, 2), cls.NAME, words)
        return cls(parse_tile(rest[0]), tsumogiri)


class _Tiles(Answer):
    """A kan or a call, with tiles."""

    __slots__ = ()
    VERB: ClassVar[Verb]
    COUNTS: ClassVar[tuple[int, ...]]
    """The numbers of tiles that the answer may have."""
    tiles: tuple[Face, ...]

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        """Read tiles, with or without spaces between them."""
        tiles = parse_tiles(words)
        expect(len(tiles) in cls.COUNTS, cls.NAME, words)
        return cls(tiles)  # type: ignore[call-arg]

    def serialise(self) -> str:
        """Write the tiles, with spaces between them."""
        return " ".join((self.NAME, *(UMP_FACES[tile] for tile in self.tiles)))

    @property
    def claim(self) -> Claim:
        """A kan or a call."""
        return Claim(self.VERB, self.tiles)


@value
class Ankan(_Tiles):
    """Make a closed kan.

    Format: ``ankan <tile>``; all four tiles, as in 0.2, are accepted too.
    Example: ``ankan 6z``
    """

    NAME: ClassVar[str] = "ankan"
    VERB: ClassVar[Verb] = Verb.ANKAN
    COUNTS: ClassVar[tuple[int, ...]] = (1, 4)
    tiles: tuple[Face, ...]


@value
class Kakan(_Tiles):
    """Add the fourth tile to a pon of one's own.

    Format: ``kakan <tile>``
    Example: ``kakan 6z``
    """

    NAME: ClassVar[str] = "kakan"
    VERB: ClassVar[Verb] = Verb.KAKAN
    COUNTS: ClassVar[tuple[int, ...]] = (1,)
    tiles: tuple[Face, ...]


@value
class Chi(_Tiles):
    """Call a run with two tiles of one's own.

    Format: ``chi <own> <own>``, in either order; the tiles may be left out if only one run is possible.
    Example: ``chi 4m 6m``
    """

    NAME: ClassVar[str] = "chi"
    VERB: ClassVar[Verb] = Verb.CHI
    COUNTS: ClassVar[tuple[int, ...]] = (0, 2)
    tiles: tuple[Face, ...] = ()


@value
class Pon(_Tiles):
    """Call a triplet with two tiles of one's own.

    Format: ``pon <own> <own>``; the tiles may be left out if there is only one way.
    Example: ``pon 5m 5M``
    """

    NAME: ClassVar[str] = "pon"
    VERB: ClassVar[Verb] = Verb.PON
    COUNTS: ClassVar[tuple[int, ...]] = (0, 2)
    tiles: tuple[Face, ...] = ()


@value
class Kan(_Tiles):
    """Call a kan with three tiles of one's own.

    Format: ``kan``; the three tiles may be added.
    Example: ``kan``
    """

    NAME: ClassVar[str] = "kan"
    VERB: ClassVar[Verb] = Verb.KAN
    COUNTS: ClassVar[tuple[int, ...]] = (0, 3)
    tiles: tuple[Face, ...] = ()


class _Word(Bare, Answer):
    """An answer of one word."""

    __slots__ = ()
    VERB: ClassVar[Verb]

    @property
    def claim(self) -> Claim:
        """The claim of this word."""
        return Claim(self.VERB)


@value
class Tsumo(_Word):
    """Win with the drawn tile. Format and example: ``tsumo``."""

    NAME: ClassVar[str] = "tsumo"
    VERB: ClassVar[Verb] = Verb.TSUMO


@value
class Kita(_Word):
    """Set a north aside, in a game of three (extension). Format and example: ``kita``."""

    NAME: ClassVar[str] = "kita"
    VERB: ClassVar[Verb] = Verb.KITA


@value
class DeclareRyukyoku(_Word):
    """Declare nine terminals on the first draw (extension). Format and example: ``ryukyoku``."""

    NAME: ClassVar[str] = "ryukyoku"
    VERB: ClassVar[Verb] = Verb.RYUKYOKU


@value
class Ron(_Word):
    """Win with another's tile. Format and example: ``ron``."""

    NAME: ClassVar[str] = "ron"
    VERB: ClassVar[Verb] = Verb.RON


@value
class No(_Word):
    """Pass; at an exhausted wall: noten. Format and example: ``no``."""

    NAME: ClassVar[str] = "no"
    VERB: ClassVar[Verb] = Verb.NO


@value
class Yes(_Word):
    """Tenpai; ready. Format and example: ``yes``."""

    NAME: ClassVar[str] = "yes"
    VERB: ClassVar[Verb] = Verb.YES


@value
class Ok(_Word):
    """Ready. Format and example: ``ok``."""

    NAME: ClassVar[str] = "ok"
    VERB: ClassVar[Verb] = Verb.YES


@value
class Reveal(Sentence):
    """Reveal the text of one's commitment for the walls of a game, with ``_seed=`` (extension).

    Format: ``_seed <text> [<commitment to the text for the next game>]``. Example:
    ``_seed 00112233445566778899aabbccddeeff``
    """

    NAME: ClassVar[str] = "_seed"
    text: str
    commitment: str | None = None

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        """Read a text and perhaps a digest."""
        text, commitment = words[:1], words[1:]
        expect(len(text) == 1 and PLAYER_TEXT.fullmatch(text[0]) is not None, cls.NAME, words)
        expect(len(commitment) < 2 and all(map(DIGEST.fullmatch, commitment)), cls.NAME, words)
        return cls(text[0], *commitment)

    def serialise(self) -> str:
        """Write text and digest."""
        return " ".join((self.NAME, self.text, *([] if self.commitment is None else [self.commitment])))


@value
class ClientBye(Bare):
    """Leave, at any time and with any id. Format and example: ``bye``."""

    NAME: ClassVar[str] = "bye"


ANSWERS: tuple[type[Answer], ...] = (
    Sute,
    Richi,
    OpenRichi,
    Ankan,
    Kakan,
    Kita,
    Tsumo,
    DeclareRyukyoku,
    Chi,
    Pon,
    Kan,
    Ron,
    No,
    Yes,
    Ok,
)
"""The sentences that answer a question of the game or ``ready?``."""

ANSWER_NAMED: dict[str, type[Answer]] = {answer.NAME: answer for answer in ANSWERS}
