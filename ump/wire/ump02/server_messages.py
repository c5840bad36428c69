"""The sentences of a UMP 0.2 server, each as a class whose docstring is its specification.

Direction: server to client. "All" means every player of the table, "one" the player concerned. Options stand before
arguments, as libump writes them. The questions are in ``questions``; ``dice``, ``kyokuend``, ``_illegal`` and
``_waiting`` are those of 0.1. Examples leave out the id.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Self

from ump.model.events import DrawReason
from ump.model.notation import UMP_FACES
from ump.model.seats import LETTERS, Seat
from ump.model.tiles import WINDS, Face
from ump.model.value import value
from ump.wire.sentence import expect
from ump.wire.text import encode, written
from ump.wire.ump01.server_messages import SET_ASIDE, Call
from ump.wire.ump01.words import TSUMOGIRI, option_words, parse_number, parse_score, parse_tile
from ump.wire.ump02.words import (
    RICHI,
    SEATS,
    OptionSentence,
    check_shown,
    format_hand,
    parse_hand,
    parse_seat,
    parse_tile_or_hidden,
)

RINSHAN = "rinshan"

_CALLS = {call.value: call for call in Call}
_DRAWS = {reason.value: reason for reason in DrawReason if reason is not DrawReason.EXHAUSTED}
_SIGNS = ("=", "+", "-")


@value
class Hello(OptionSentence):
    """The first sentence, to one, with id 0: answered by ``hello``. libump's own has no options.

    Format: ``hello [<option> ...]``. Example: ``hello name=ump ump=0.2``
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
class Error(OptionSentence):
    """An error message, to one; this server then closes the connection.

    Format: ``error <message>``, one percent-encoded word. Example: ``error too%20many%20connections``
    """

    NAME: ClassVar[str] = "error"
    message: str

    @classmethod
    def read(cls, arguments: Sequence[str], options: Mapping[str, str]) -> Self:
        """Read the message."""
        expect(len(arguments) >= 1, cls.NAME, arguments)
        return cls(arguments[0])

    def serialise(self) -> str:
        """Write the message; ``=`` is encoded, because a word with ``=`` would be an option."""
        return written(self.NAME, encode(self.message, is_value=True))


@value
class OwnSeat(OptionSentence):
    """The own seat of one player, to that player, before anything else of a game.

    Format: ``seat [gameid=<id>] <seat>``. Example: ``seat gameid=1 C0``
    """

    NAME: ClassVar[str] = "seat"
    seat: Seat
    game: str | None = None

    @classmethod
    def read(cls, arguments: Sequence[str], options: Mapping[str, str]) -> Self:
        """Read the seat and, if it is there, the game."""
        expect(len(arguments) >= 1, cls.NAME, arguments)
        return cls(parse_seat(arguments[0]), options.get("gameid"))

    def serialise(self) -> str:
        """Write game and seat."""
        return written(self.NAME, *_named("gameid", self.game), SEATS[self.seat])


@value
class Player(OptionSentence):
    """A player's seat and name, to all, for each seat.

    Format: ``player <seat> <name>``. Example: ``player B0 bob``
    """

    NAME: ClassVar[str] = "player"
    seat: Seat
    name: str

    @classmethod
    def read(cls, arguments: Sequence[str], options: Mapping[str, str]) -> Self:
        """Read seat and name."""
        expect(len(arguments) >= 2, cls.NAME, arguments)
        return cls(parse_seat(arguments[0]), arguments[1])

    def serialise(self) -> str:
        """Write seat and name."""
        return written(self.NAME, SEATS[self.seat], encode(self.name, is_value=True))


@value
class GameStart(OptionSentence):
    """A game begins, to all.

    Format: ``gamestart [id=<id>]``. Example: ``gamestart id=1``
    """

    NAME: ClassVar[str] = "gamestart"
    id: str | None = None

    @classmethod
    def read(cls, arguments: Sequence[str], options: Mapping[str, str]) -> Self:
        """Read the id, if there is one."""
        return cls(options.get("id"))

    def serialise(self) -> str:
        """Write the id, if there is one."""
        return written(self.NAME, *_named("id", self.id))


@value
class KyokuStart(OptionSentence):
    """A kyoku begins, to all.

    Format: ``kyokustart <round> <dealer> <honba> <kyotaku> <round wind> <wind of A0> <wind of B0> ...``; rounds are
    counted from 0 (east), kyotaku in points. Example: ``kyokustart 1 B0 0 1000 2z 4z 1z 2z 3z``
    """

    NAME: ClassVar[str] = "kyokustart"
    round: int
    dealer: Seat
    honba: int
    kyotaku: int
    bakaze: Face
    winds: tuple[Face, ...]
    """The wind of each seat."""

    @classmethod
    def read(cls, arguments: Sequence[str], options: Mapping[str, str]) -> Self:
        """Read all arguments."""
        expect(6 <= len(arguments) <= 5 + len(LETTERS), cls.NAME, arguments)
        counter, honba, kyotaku = (parse_number(arguments[place]) for place in (0, 2, 3))
        dealer = parse_seat(arguments[1])
        bakaze, *winds = map(parse_tile, arguments[4:])
        expect({bakaze, *winds} <= set(WINDS) and dealer < len(winds), cls.NAME, arguments)
        return cls(counter, dealer, honba, kyotaku, bakaze, tuple(winds))

    def serialise(self) -> str:
        """Write all arguments."""
        winds = " ".join(UMP_FACES[wind] for wind in (self.bakaze, *self.winds))
        return f"{self.NAME} {self.round} {SEATS[self.dealer]} {self.honba} {self.kyotaku} {winds}"


@value
class Point(OptionSentence):
    """A score, or a change of it, to all. A change of 0 is not sent.

    Format: ``point <seat> =|+|-<points>``; a score below zero has its sign after the ``=``.
    Examples: ``point A0 =25000``, ``point B0 -1000``, ``point C0 =-1200``
    """

    NAME: ClassVar[str] = "point"
    seat: Seat
    sign: str
    """``=`` for a score, ``+`` or ``-`` for a change."""
    points: int

    @classmethod
    def read(cls, arguments: Sequence[str], options: Mapping[str, str]) -> Self:
        """Read seat, sign and points."""
        expect(len(arguments) >= 2 and arguments[1][:1] in _SIGNS, cls.NAME, arguments)
        sign, points = arguments[1][0], arguments[1][1:]
        return cls(parse_seat(arguments[0]), sign, parse_score(points) if sign == "=" else parse_number(points))

    def serialise(self) -> str:
        """Write seat, sign and points."""
        return f"{self.NAME} {SEATS[self.seat]} {self.sign}{self.points}"


@value
class Richi(OptionSentence):
    """A riichi is accepted and its stick paid, to all.

    Format: ``richi <seat> -<points>``. Example: ``richi C0 -1000``
    """

    NAME: ClassVar[str] = "richi"
    seat: Seat
    points: int

    @classmethod
    def read(cls, arguments: Sequence[str], options: Mapping[str, str]) -> Self:
        """Read seat and points."""
        expect(len(arguments) >= 2 and arguments[1][:1] == "-", cls.NAME, arguments)
        return cls(parse_seat(arguments[0]), parse_number(arguments[1][1:]))

    def serialise(self) -> str:
        """Write seat and points."""
        return f"{self.NAME} {SEATS[self.seat]} -{self.points}"


class _Turned(OptionSentence):
    """A dora and its indicator."""

    __slots__ = ()
    dora: Face
    indicator: Face

    @classmethod
    def read(cls, arguments: Sequence[str], options: Mapping[str, str]) -> Self:
        """Read both tiles."""
        expect(len(arguments) >= 2, cls.NAME, arguments)
        return cls(parse_tile(arguments[0]), parse_tile(arguments[1]))  # type: ignore[call-arg]

    def serialise(self) -> str:
        """Write both tiles."""
        return f"{self.NAME} {UMP_FACES[self.dora]} {UMP_FACES[self.indicator]}"


@value
class Dora(_Turned):
    """A dora indicator is revealed, to all; the first one before the hands.

    Format: ``dora <dora> <indicator>``. Example: ``dora 9p 8p``
    """

    NAME: ClassVar[str] = "dora"
    dora: Face
    indicator: Face


@value
class Uradora(_Turned):
    """An ura indicator, to all, between ``open`` and ``agari`` of a winner in riichi.

    Format: ``uradora <dora> <indicator>``. Example: ``uradora 7p 6p``
    """

    NAME: ClassVar[str] = "uradora"
    dora: Face
    indicator: Face


@value
class Haipai(OptionSentence):
    """Tiles of the deal, to all: four, four, four and one for each seat in turn, starting with the dealer.

    Format: ``haipai <seat> <tiles>``, hidden tiles as ``xx``. Examples: ``haipai C0 2m8s5m7z``, ``haipai D0 xx``
    """

    NAME: ClassVar[str] = "haipai"
    seat: Seat
    tiles: tuple[Face | None, ...]

    @classmethod
    def read(cls, arguments: Sequence[str], options: Mapping[str, str]) -> Self:
        """Read seat and tiles."""
        expect(len(arguments) >= 2, cls.NAME, arguments)
        return cls(parse_seat(arguments[0]), parse_hand(arguments[1]))

    def serialise(self) -> str:
        """Write seat and tiles."""
        return f"{self.NAME} {SEATS[self.seat]} {format_hand(self.tiles)}"


@value
class Tsumo(OptionSentence):
    """A draw, to all, and how many tiles are left after it; only the player who draws receives the tile.

    Format: ``tsumo <seat> <left> <tile> [rinshan]``. Examples: ``tsumo A0 69 5m``, ``tsumo B0 40 xx rinshan``
    """

    NAME: ClassVar[str] = "tsumo"
    seat: Seat
    left: int
    tile: Face | None
    rinshan: bool = False
    """Whether the tile is the replacement tile of a kan."""

    @classmethod
    def read(cls, arguments: Sequence[str], options: Mapping[str, str]) -> Self:
        """Read seat, tiles left, the tile, and ``rinshan`` if it is there."""
        expect(len(arguments) >= 3, cls.NAME, arguments)
        tile = parse_tile_or_hidden(arguments[2])
        return cls(parse_seat(arguments[0]), parse_number(arguments[1]), tile, RINSHAN in arguments[3:])

    def serialise(self) -> str:
        """Write seat, tiles left, the tile, and ``rinshan`` if it is there."""
        flag = f" {RINSHAN}" if self.rinshan else ""
        return f"{self.NAME} {SEATS[self.seat]} {self.left} {format_hand((self.tile,))}{flag}"


@value
class Sutehai(OptionSentence):
    """A discard, to all.

    Format: ``sutehai <seat> <tile> [tsumogiri] [richi]``
    Examples: ``sutehai C0 9s tsumogiri``, ``sutehai C0 5z richi``
    """

    NAME: ClassVar[str] = "sutehai"
    seat: Seat
    tile: Face
    tsumogiri: bool = False
    richi: bool = False

    @classmethod
    def read(cls, arguments: Sequence[str], options: Mapping[str, str]) -> Self:
        """Read seat, tile, and the flags that are there."""
        expect(len(arguments) >= 2, cls.NAME, arguments)
        flags = arguments[2:]
        return cls(parse_seat(arguments[0]), parse_tile(arguments[1]), TSUMOGIRI in flags, RICHI in flags)

    def serialise(self) -> str:
        """Write seat, tile, and the flags that are there."""
        flags = (f" {TSUMOGIRI}" if self.tsumogiri else "") + (f" {RICHI}" if self.richi else "")
        return f"{self.NAME} {SEATS[self.seat]} {UMP_FACES[self.tile]}{flags}"


@value
class Say(OptionSentence):
    """A player says something, to all, before the meld, discard or win; ``tenpai`` and ``noten`` come after the hand.

    Format: ``say <seat> chi|pon|kan|ron|tsumo|richi|tenpai|noten``. Example: ``say B0 pon``
    """

    NAME: ClassVar[str] = "say"
    seat: Seat
    call: Call

    @classmethod
    def read(cls, arguments: Sequence[str], options: Mapping[str, str]) -> Self:
        """Read seat and call."""
        expect(len(arguments) >= 2 and arguments[1] in _CALLS, cls.NAME, arguments)
        return cls(parse_seat(arguments[0]), _CALLS[arguments[1]])

    def serialise(self) -> str:
        """Write seat and call."""
        return f"{self.NAME} {SEATS[self.seat]} {self.call.value}"


@value
class Open(OptionSentence):
    """Tiles are shown, to all: a new meld, or the concealed tiles of a hand.

    Format: ``open <seat> <tiles> [<tile>]``
    Examples: ``open B0 <4m6m> 5m`` (chi, pon, open kan), ``open B0 (6z6z6z6z)`` (closed kan), ``open B0 [6m6m6m] 6m``
    (added kan), ``open B0 <4z>`` (a north set aside), ``open B0 2m2m5z5z7z7z5z`` (a hand without its melds: on tsumo
    the winning tile is the last one, on ron it is left out)
    """

    NAME: ClassVar[str] = "open"
    seat: Seat
    tiles: str
    """Valid text."""
    claimed: Face | None = None
    """The called or added tile; only melds in ``<>`` and ``[]`` have one."""

    @classmethod
    def read(cls, arguments: Sequence[str], options: Mapping[str, str]) -> Self:
        """Read the seat, the shown tiles and, if there is one, the claimed tile."""
        expect(len(arguments) >= 2, cls.NAME, arguments)
        seat, tiles = parse_seat(arguments[0]), check_shown(arguments[1])
        if tiles[0] not in "<[" or tiles == SET_ASIDE:
            return cls(seat, tiles)
        expect(len(arguments) >= 3, cls.NAME, arguments)
        return cls(seat, tiles, parse_tile(arguments[2]))

    def serialise(self) -> str:
        """Write the seat, the shown tiles and, if there is one, the claimed tile."""
        claimed = "" if self.claimed is None else f" {UMP_FACES[self.claimed]}"
        return f"{self.NAME} {SEATS[self.seat]} {self.tiles}{claimed}"


@value
class Agari(OptionSentence):
    """The value of a win, to all.

    Format: ``agari [ron=<tile>] <seat> <points> <fu> <yaku> <han> ...``; the points are those of the hand without honba
    and sticks (on tsumo their sum) or the name of a limit; dora are one pair, the last. A yakuman has fu 0, and instead
    of han the number of times it counts. Example: ``agari ron=4m B0 3900 30 %E7%AB%8B%E7%9B%B4 1 %E3%83%89%E3%83%A9 2``
    """

    NAME: ClassVar[str] = "agari"
    seat: Seat
    points: str
    fu: int
    yaku: tuple[tuple[str, int], ...]
    ron: Face | None = None

    @classmethod
    def read(cls, arguments: Sequence[str], options: Mapping[str, str]) -> Self:
        """Read the tile, seat, points, fu and pairs of yaku and han."""
        expect(len(arguments) >= 5 and len(arguments) % 2 == 1, cls.NAME, arguments)
        names, hans = arguments[3::2], map(parse_number, arguments[4::2])
        ron = parse_tile(options["ron"]) if "ron" in options else None
        yaku = tuple(zip(names, hans, strict=True))
        return cls(parse_seat(arguments[0]), arguments[1], parse_number(arguments[2]), yaku, ron)

    def serialise(self) -> str:
        """Write the tile, seat, points, fu and pairs of yaku and han."""
        ron = _named("ron", None if self.ron is None else UMP_FACES[self.ron])
        pairs = (word for name, han in self.yaku for word in (encode(name, is_value=True), str(han)))
        points = encode(self.points, is_value=True)
        return written(self.NAME, *ron, SEATS[self.seat], points, str(self.fu), *pairs)


@value
class Ryukyoku(OptionSentence):
    """The kyoku is drawn, to all; the reason is an addition to 0.2, and left out if the wall is exhausted.

    Format: ``ryukyoku [kyushukyuhai|sufonrenta|suchareach|sukaikan|sanchaho|nagashimangan|chombo]``
    Examples: ``ryukyoku``, ``ryukyoku kyushukyuhai``
    """

    NAME: ClassVar[str] = "ryukyoku"
    reason: DrawReason = DrawReason.EXHAUSTED

    @classmethod
    def read(cls, arguments: Sequence[str], options: Mapping[str, str]) -> Self:
        """Read the reason, if there is one."""
        return cls(_DRAWS.get(arguments[0], DrawReason.EXHAUSTED)) if arguments else cls()

    def serialise(self) -> str:
        """Write the reason, if there is one."""
        return self.NAME if self.reason is DrawReason.EXHAUSTED else f"{self.NAME} {self.reason.value}"


@value
class GameEnd(OptionSentence):
    """The game is over, to all: the results in order of places, with uma and oka, in points; their sum is 0.

    Format: ``gameend <seat> <points> <seat> <points> ...``
    Example: ``gameend C0 55000 A0 13300 B0 -15000 D0 -53300``
    """

    NAME: ClassVar[str] = "gameend"
    results: tuple[tuple[Seat, int], ...]

    @classmethod
    def read(cls, arguments: Sequence[str], options: Mapping[str, str]) -> Self:
        """Read pairs of seat and points."""
        expect(2 <= len(arguments) <= 2 * len(LETTERS) and len(arguments) % 2 == 0, cls.NAME, arguments)
        seats = [parse_seat(word) for word in arguments[::2]]
        expect(len(set(seats)) == len(seats), cls.NAME, arguments)
        return cls(tuple(zip(seats, map(parse_score, arguments[1::2]), strict=True)))

    def serialise(self) -> str:
        """Write pairs of seat and points."""
        return " ".join((self.NAME, *(f"{SEATS[seat]} {points}" for seat, points in self.results)))


def _named(name: str, text: str | None) -> list[str]:
    """Return an option as words of a sentence; no words if ``text`` is None."""
    return [] if text is None else option_words([(name, text)])
