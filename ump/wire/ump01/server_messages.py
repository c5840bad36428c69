"""The sentences of a UMP 0.1 server, each as a class whose docstring is its specification.

Direction: server to client. "All" means every player of the table, "one" the player concerned. Spectators receive the
sentences to all, but no questions. The questions are in ``questions``. Examples leave out the id.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import ClassVar, Self

from ump.model.events import DrawReason
from ump.model.notation import UMP_FACES, format_ump_faces
from ump.model.seats import LETTERS, Seat
from ump.model.tiles import WINDS, Face
from ump.model.value import value
from ump.wire.sentence import Bare, Sentence, expect
from ump.wire.text import decode, encode, written
from ump.wire.ump01.words import (
    TSUMOGIRI,
    option_words,
    parse_number,
    parse_score,
    parse_seat,
    parse_shown,
    parse_tile,
    parse_tiles,
    split_flag,
    split_options,
)


class Call(Enum):
    """The calls of a player; the values are UMP's words."""

    CHI = "chi"
    PON = "pon"
    KAN = "kan"
    KITA = "kita"
    """A north is set aside, in a game of three."""
    RON = "ron"
    TSUMO = "tsumo"
    RIICHI = "richi"
    TENPAI = "tenpai"
    NOTEN = "noten"


SET_ASIDE = "<4z>"
"""The tile that ``open`` shows after ``say B kita``."""

_CALLS = {call.value: call for call in Call}
_DRAWS = {reason.value: reason for reason in DrawReason if reason is not DrawReason.EXHAUSTED}
_SIGNS = ("=", "+", "-")


@value
class Hello(Sentence):
    """The first sentence, to one: answered by ``hello``.

    Format: ``hello ump=0.1 name=<server> [_rule=<preset>] [_length=<length>] [_seats=3]
    [_ext=<list>]``
    Example: ``hello ump=0.1 name=ump _rule=ump _length=hanchan _ext=_offer,_hand``
    """

    NAME: ClassVar[str] = "hello"
    options: tuple[tuple[str, str], ...]
    """Names and values, decoded, in their order."""

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        """Read options; raise WireError for any other word."""
        arguments, options = split_options(words)
        expect(not arguments, cls.NAME, words)
        return cls(tuple(options.items()))

    def serialise(self) -> str:
        """Write the options."""
        return written(self.NAME, *option_words(self.options))


@value
class Error(Sentence):
    """An error message, to one; the server closes the connection.

    Format: ``error <message>``, one percent-encoded word. Example: ``error too%20many%20connections``
    """

    NAME: ClassVar[str] = "error"
    message: str

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        """Read the message."""
        expect(len(words) == 1, cls.NAME, words)
        return cls(decode(words[0]))

    def serialise(self) -> str:
        """Write the message."""
        return written(self.NAME, encode(self.message))


@value
class GameStart(Sentence):
    """A game begins, to all; each receives its own seat, a spectator ``-``.

    Format: ``gamestart <seat> <name A> <name B> <name C> <name D>``
    Example: ``gamestart B alice bob carol dave``
    """

    NAME: ClassVar[str] = "gamestart"
    seat: Seat | None
    names: tuple[str, ...]

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        """Read seat and names."""
        names = tuple(decode(word) for word in words[1:])
        expect(1 <= len(names) <= len(LETTERS), cls.NAME, words)
        seat = None if words[0] == "-" else parse_seat(words[0])
        expect(seat is None or seat < len(names), cls.NAME, words)
        return cls(seat, names)

    def serialise(self) -> str:
        """Write seat and names."""
        seat = "-" if self.seat is None else LETTERS[self.seat]
        return written(self.NAME, seat, *(encode(name, is_value=True) for name in self.names))


@value
class KyokuStart(Sentence):
    """A kyoku begins, to all.

    Format: ``kyokustart <round wind> <dealer> <honba> <kyotaku>``, kyotaku in points.
    Example: ``kyokustart 1z A 0 1000``
    """

    NAME: ClassVar[str] = "kyokustart"
    bakaze: Face
    dealer: Seat
    honba: int
    kyotaku: int

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        """Read wind, dealer, honba and kyotaku."""
        expect(len(words) == 4, cls.NAME, words)
        bakaze = parse_tile(words[0])
        expect(bakaze in WINDS, cls.NAME, words)
        return cls(bakaze, parse_seat(words[1]), parse_number(words[2]), parse_number(words[3]))

    def serialise(self) -> str:
        """Write wind, dealer, honba and kyotaku."""
        return f"{self.NAME} {UMP_FACES[self.bakaze]} {LETTERS[self.dealer]} {self.honba} {self.kyotaku}"


@value
class Point(Sentence):
    """A score, or a change of it, to all. A change of 0 is not sent.

    Format: ``point <seat> =|+|-<points>``; a score below zero has its sign after the ``=``.
    Examples: ``point A =25000``, ``point B -1000``, ``point C =-1200``
    """

    NAME: ClassVar[str] = "point"
    seat: Seat
    sign: str
    """``=`` for a score, ``+`` or ``-`` for a change."""
    points: int

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        """Read seat, sign and points."""
        expect(len(words) == 2 and words[1][:1] in _SIGNS, cls.NAME, words)
        sign, points = words[1][0], words[1][1:]
        return cls(parse_seat(words[0]), sign, parse_score(points) if sign == "=" else parse_number(points))

    def serialise(self) -> str:
        """Write seat, sign and points."""
        return f"{self.NAME} {LETTERS[self.seat]} {self.sign}{self.points}"


@value
class Dice(Sentence):
    """The dice, to all; they have no effect.

    Format: ``dice <1-6> <1-6>``. Example: ``dice 3 5``
    """

    NAME: ClassVar[str] = "dice"
    first: int
    second: int

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        """Read two numbers from 1 to 6."""
        expect(len(words) == 2 and all(len(word) == 1 and word in "123456" for word in words), cls.NAME, words)
        return cls(int(words[0]), int(words[1]))

    def serialise(self) -> str:
        """Write both numbers."""
        return f"{self.NAME} {self.first} {self.second}"


@value
class Haipai(Sentence):
    """The first 13 tiles, to all, dealer first; only the player itself receives the tiles.

    Format: ``haipai <seat> [<tiles>]``. Example: ``haipai A 1m3m5M6m2p2p7p9s9s1z3z5z7z``
    """

    NAME: ClassVar[str] = "haipai"
    seat: Seat
    tiles: tuple[Face, ...] | None

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        """Read the seat and, unless they are hidden, the tiles."""
        expect(len(words) in (1, 2), cls.NAME, words)
        return cls(parse_seat(words[0]), parse_tiles(words[1:]) if words[1:] else None)

    def serialise(self) -> str:
        """Write the seat and, unless they are hidden, the tiles."""
        tiles = "" if self.tiles is None else f" {format_ump_faces(self.tiles)}"
        return f"{self.NAME} {LETTERS[self.seat]}{tiles}"


@value
class Dora(Sentence):
    """A dora indicator, to all: the first, that of each kan, and between a winner's ``open`` and ``agari`` each ura.

    Format: ``dora <indicator>``. Example: ``dora 4s``
    """

    NAME: ClassVar[str] = "dora"
    indicator: Face

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        """Read one tile."""
        expect(len(words) == 1, cls.NAME, words)
        return cls(parse_tile(words[0]))

    def serialise(self) -> str:
        """Write the tile."""
        return f"{self.NAME} {UMP_FACES[self.indicator]}"


@value
class Tsumo(Sentence):
    """A draw, to all, and how many tiles are left after it; only the player who draws receives the tile.

    Format: ``tsumo <seat> <left> [<tile>]``. Example: ``tsumo A 69 5m``
    """

    NAME: ClassVar[str] = "tsumo"
    seat: Seat
    left: int
    tile: Face | None

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        """Read seat, tiles left, the tile unless it is hidden."""
        expect(len(words) in (2, 3), cls.NAME, words)
        return cls(parse_seat(words[0]), parse_number(words[1]), parse_tile(words[2]) if words[2:] else None)

    def serialise(self) -> str:
        """Write seat, tiles left, the tile unless it is hidden."""
        tile = "" if self.tile is None else f" {UMP_FACES[self.tile]}"
        return f"{self.NAME} {LETTERS[self.seat]} {self.left}{tile}"


@value
class Sutehai(Sentence):
    """A discard, to all.

    Format: ``sutehai <seat> <tile> [tsumogiri]``. Example: ``sutehai C 9s tsumogiri``
    """

    NAME: ClassVar[str] = "sutehai"
    seat: Seat
    tile: Face
    tsumogiri: bool = False

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        """Read seat, tile, and ``tsumogiri`` if it is there."""
        rest, tsumogiri = split_flag(words)
        expect(len(rest) == 2, cls.NAME, words)
        return cls(parse_seat(rest[0]), parse_tile(rest[1]), tsumogiri)

    def serialise(self) -> str:
        """Write seat, tile, and ``tsumogiri`` if it is there."""
        flag = f" {TSUMOGIRI}" if self.tsumogiri else ""
        return f"{self.NAME} {LETTERS[self.seat]} {UMP_FACES[self.tile]}{flag}"


@value
class Say(Sentence):
    """A player says something, to all, before the meld, discard or win; ``tenpai`` and ``noten`` come after the hand.

    Format: ``say <seat> chi|pon|kan|ron|tsumo|richi|tenpai|noten``. Example: ``say B pon``
    """

    NAME: ClassVar[str] = "say"
    seat: Seat
    call: Call

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        """Read seat and call."""
        expect(len(words) == 2 and words[1] in _CALLS, cls.NAME, words)
        return cls(parse_seat(words[0]), _CALLS[words[1]])

    def serialise(self) -> str:
        """Write seat and call."""
        return f"{self.NAME} {LETTERS[self.seat]} {self.call.value}"


@value
class Open(Sentence):
    """Tiles are shown, to all: a new meld, or a hand.

    Format: ``open <seat> <tiles> [<claimed tile>]``
    Examples: ``open B <4m6m> 5m`` (chi, pon, open kan), ``open B (6z6z6z6z)`` (closed kan), ``open B <6m6m6m> 6m``
    (added kan), ``open B 2m2m5z5z7z7z5z<2p3p4p><6z6z6z>`` (a hand: on tsumo the winning tile is the last concealed
    one, on ron it is left out)
    """

    NAME: ClassVar[str] = "open"
    seat: Seat
    tiles: str
    """Valid text: ``words.parse_shown`` and ``ump.model.notation`` can read it."""
    claimed: Face | None = None

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        """Read the seat, the shown tiles and, if there is one, the claimed tile."""
        expect(len(words) in (2, 3), cls.NAME, words)
        parse_shown(words[1])
        return cls(parse_seat(words[0]), words[1], parse_tile(words[2]) if words[2:] else None)

    def serialise(self) -> str:
        """Write the seat, the shown tiles and, if there is one, the claimed tile."""
        claimed = "" if self.claimed is None else f" {UMP_FACES[self.claimed]}"
        return f"{self.NAME} {LETTERS[self.seat]} {self.tiles}{claimed}"


@value
class Agari(Sentence):
    """The value of a win, to all.

    Format: ``agari <seat> <fu> <yaku> <han> ...``; yaku in Japanese or, with ``_lang=en``, romanised. Dora are
    listed as yaku. A yakuman has fu 0 and 13 han. Example: ``agari B 30 riichi 1 tanyao 1 dora 2``
    """

    NAME: ClassVar[str] = "agari"
    seat: Seat
    fu: int
    yaku: tuple[tuple[str, int], ...]

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        """Read seat, fu and pairs of yaku and han."""
        expect(len(words) >= 4 and len(words) % 2 == 0, cls.NAME, words)
        names, hans = words[2::2], words[3::2]
        yaku = tuple((decode(name), parse_number(han)) for name, han in zip(names, hans, strict=True))
        return cls(parse_seat(words[0]), parse_number(words[1]), yaku)

    def serialise(self) -> str:
        """Write seat, fu and pairs of yaku and han."""
        pairs = (word for name, han in self.yaku for word in (encode(name), str(han)))
        return written(self.NAME, LETTERS[self.seat], str(self.fu), *pairs)


@value
class Ryukyoku(Sentence):
    """The kyoku is drawn, to all; without a reason if the wall is exhausted.

    Format: ``ryukyoku [kyushukyuhai|sufonrenta|suchareach|sukaikan|sanchaho|nagashimangan|chombo]``
    Example: ``ryukyoku kyushukyuhai``
    """

    NAME: ClassVar[str] = "ryukyoku"
    reason: DrawReason = DrawReason.EXHAUSTED

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        """Read the reason, if there is one."""
        expect(not words or (len(words) == 1 and words[0] in _DRAWS), cls.NAME, words)
        return cls(_DRAWS[words[0]]) if words else cls()

    def serialise(self) -> str:
        """Write the reason, if there is one."""
        return self.NAME if self.reason is DrawReason.EXHAUSTED else f"{self.NAME} {self.reason.value}"


@value
class KyokuEnd(Bare):
    """The kyoku is over, to all. Format and example: ``kyokuend``."""

    NAME: ClassVar[str] = "kyokuend"


@value
class GameEnd(Sentence):
    """The game is over, to all: the final scores before uma, with left-over sticks.

    Format: ``gameend <points A> <points B> <points C> <points D>``. Example: ``gameend 32000 28000 24000 16000``
    """

    NAME: ClassVar[str] = "gameend"
    points: tuple[int, ...]

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        """Read the scores."""
        expect(1 <= len(words) <= len(LETTERS), cls.NAME, words)
        return cls(tuple(parse_score(word) for word in words))

    def serialise(self) -> str:
        """Write the scores."""
        return " ".join((self.NAME, *map(str, self.points)))


@value
class Bye(Bare):
    """Farewell, to one; answered by ``bye``, then closed. Format and example: ``bye``."""

    NAME: ClassVar[str] = "bye"
