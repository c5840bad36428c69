"""The parts of mjlog, the XML records of Tenhou: elements and attributes, melds, values of wins, and walls."""

from __future__ import annotations

import binascii
import re
import struct
from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha512
from random import Random
from typing import Any
from xml.parsers import expat

from ump.game.deals import Deal
from ump.model import events as ev
from ump.model.constants import BAIMAN, DEAD_WALL, HANEMAN, MANGAN, SANBAIMAN, YAKUMAN, YAKUMAN_HAN
from ump.model.melds import Meld, MeldType
from ump.model.seats import Seat
from ump.model.tiles import COPIES, KINDS, NORTH, TILES, Face, Tile, faces_of_tiles, sort_faces, tiles_of
from ump.model.value import value
from ump.model.yaku import TENHOU_YAKU, HandValue, Yaku
from ump.record.physical_tiles import payment
from ump.record.record_files import unpacked
from ump.record.recorded_game import RecordError, sorted_yaku
from ump.rules.presets import TENHOU, TENHOU3
from ump.rules.ruleset import KanDoraTime, Length, Ruleset

# Attributes: numbers separated by commas, checked before they are converted


COLUMNS = 4
"""The seats that Tenhou's lists have. In a game of three, the entries of the fourth are 0 or empty."""

_NUMBERS = re.compile(r"[+-]?[0-9]{1,9}(,[+-]?[0-9]{1,9})*")
_RESULT = re.compile(r"-?[0-9]{1,7}(\.[0-9])?")
_SHOWN = 40
"""Characters of a wrong value that an error message shows."""


def text_of(fields: Mapping[str, str], name: str) -> str:
    """Return an attribute; raise RecordError if it is missing."""
    try:
        return fields[name]
    except KeyError:
        raise RecordError(f"{name} is missing") from None


def numbers_in(text: str, name: str) -> tuple[int, ...]:
    """Read integers separated by commas, none from an empty text; raise RecordError, which mentions ``name``."""
    if not text:
        return ()
    if not _NUMBERS.fullmatch(text):
        raise RecordError(f"{name}: expected numbers separated by commas, got {text[:_SHOWN]!r}")
    return tuple(map(int, text.split(",")))


def read_numbers(fields: Mapping[str, str], name: str, least: int = 0) -> tuple[int, ...]:
    """Read an attribute of at least ``least`` integers; raise RecordError if there are fewer."""
    numbers = numbers_in(text_of(fields, name), name)
    if len(numbers) < least:
        raise RecordError(f"{name}: expected {least} numbers, got {len(numbers)}")
    return numbers


def read_number(fields: Mapping[str, str], name: str, low: int, high: int) -> int:
    """Read an attribute that is one integer from ``low`` to ``high``; raise RecordError for anything else."""
    numbers = read_numbers(fields, name)
    if len(numbers) != 1 or not low <= numbers[0] <= high:
        raise RecordError(f"{name}: expected a number from {low} to {high}, got {fields[name][:_SHOWN]!r}")
    return numbers[0]


def read_seat(fields: Mapping[str, str], name: str, seats: int) -> Seat:
    """Read one of so many seats; raise RecordError for anything else."""
    return read_number(fields, name, 0, seats - 1)


def read_tile(fields: Mapping[str, str], name: str) -> Tile:
    """Read one physical tile; raise RecordError for anything else."""
    return read_number(fields, name, 0, TILES - 1)


def read_tiles(fields: Mapping[str, str], name: str, count: int | None = None) -> tuple[Tile, ...]:
    """Read distinct physical tiles, exactly ``count`` of them if it is given; raise RecordError for anything else."""
    tiles = read_numbers(fields, name)
    if tiles and (min(tiles) < 0 or max(tiles) >= TILES):
        raise RecordError(f"{name}: expected tiles from 0 to {TILES - 1}, got {fields[name][:_SHOWN]!r}")
    if len(set(tiles)) != len(tiles):
        raise RecordError(f"{name} has a tile twice")
    if count is not None and len(tiles) != count:
        raise RecordError(f"{name}: expected {count} tiles, got {len(tiles)}")
    return tiles


def read_hundreds(fields: Mapping[str, str], name: str, seats: int) -> tuple[int, ...]:
    """Read the scores of so many seats, which mjlog writes in hundreds, in points; raise RecordError for fewer."""
    return tuple(100 * score for score in read_numbers(fields, name, seats)[:seats])


def tenths(text: str, name: str) -> int:
    """Read a number with at most one decimal place, in tenths; raise RecordError, which mentions ``name``."""
    if not _RESULT.fullmatch(text):
        raise RecordError(f"{name}: expected a number with at most one decimal place, got {text[:_SHOWN]!r}")
    return round(10 * float(text))


# Elements
#
# Files may be hostile. Sizes are checked before parsing, and a document type is refused, because only it can declare
# entities.


MOST_ELEMENTS = 20_000
"""Limit of elements of a record; the longest known has 2,000."""

DEPTH = 2
"""Levels of elements: the root and its children."""

ROOT = "mjloggm"


@value
class Element:
    """One XML element: its name and its attributes."""

    tag: str
    fields: Mapping[str, str]
    doubled: tuple[str, ...] = ()
    """The attributes that stand twice, with different values; ``fields`` has the first one."""


def read_elements(data: bytes) -> tuple[Element, ...]:
    """Return the elements under the root, up to the end of a cut file; raise RecordError unless this is mjlog.

    An attribute may stand twice, as ``owari`` does in records of 2010.
    """
    text = _text(unpacked(data))
    try:
        return _Parser().parse(text)
    except _DoubledAttribute:
        return _Parser().parse(_TAG.sub(_with_single_attributes, text))


_TAG = re.compile(r"""<\w+(?:\s+\w+\s*=\s*(?:"[^"<]*"|'[^'<]*'))+""")
_ATTRIBUTE = re.compile(r"""(\s+(\w+)\s*=\s*)("[^"<]*"|'[^'<]*')""")

_AGAIN = ".again"
"""Ends the name of an attribute that stands a second time, with another value, until the element is read."""


class _DoubledAttribute(RecordError):
    """An element has an attribute twice, which XML forbids."""


def _with_single_attributes(match: re.Match[str]) -> str:
    """Return the beginning of a tag without an attribute that stands there again; another value is ``_AGAIN``."""
    first: dict[str, str] = {}

    def _single(attribute: re.Match[str]) -> str:
        name, given = attribute[2], attribute[3]
        if name not in first:
            first[name] = given
            return attribute[0]
        if given[1:-1] == first[name][1:-1] or f"{name}{_AGAIN}" in first:
            return ""
        first[f"{name}{_AGAIN}"] = given
        return f" {name}{_AGAIN}={given}"

    return _ATTRIBUTE.sub(_single, match[0])


def _text(data: bytes) -> str:
    if not data.strip():
        raise RecordError("empty")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.end == len(data) and "end of data" in error.reason:
            return data[: error.start].decode("utf-8")
        raise RecordError(f"not UTF-8: byte {error.start}") from None


_CUT = (
    expat.errors.codes[expat.errors.XML_ERROR_NO_ELEMENTS],
    expat.errors.codes[expat.errors.XML_ERROR_UNCLOSED_TOKEN],
)
"""The errors of a file that ends too early."""

_DOUBLED = expat.errors.codes[expat.errors.XML_ERROR_DUPLICATE_ATTRIBUTE]


class _Parser:
    """Collects the elements of one document."""

    def __init__(self) -> None:
        self.elements: list[Element] = []
        self.depth = 0
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.StartDoctypeDeclHandler = self.refuse_doctype

    def parse(self, text: str) -> tuple[Element, ...]:
        """Return the elements of the text; raise RecordError unless it is a well-formed record, or the start of one."""
        try:
            self.parser.Parse(text, True)
        except expat.ExpatError as error:
            if self.elements and error.code in _CUT:
                return tuple(self.elements)
            if error.code == _DOUBLED:
                raise _DoubledAttribute(f"not well-formed XML: {error}") from None
            raise RecordError(f"not well-formed XML: {error}") from None
        return tuple(self.elements)

    def start(self, tag: str, fields: dict[str, str]) -> None:
        """Add an element."""
        self.depth += 1
        if self.depth == 1:
            if tag != ROOT:
                raise RecordError(f"not a Tenhou record: the root element is {tag[:40]}, not {ROOT}")
            return
        if self.depth > DEPTH:
            raise RecordError(f"unexpected element inside {self.elements[-1].tag[:40]}")
        if len(self.elements) == MOST_ELEMENTS:
            raise RecordError(f"more than {MOST_ELEMENTS} elements")
        doubled = tuple(name.removesuffix(_AGAIN) for name in fields if name.endswith(_AGAIN))
        single = {name: text for name, text in fields.items() if not name.endswith(_AGAIN)}
        self.elements.append(Element(tag, single, doubled))

    def end(self, tag: str) -> None:
        """Go up one level."""
        self.depth -= 1

    def refuse_doctype(self, *declared: object) -> None:
        """Raise RecordError: no record has a document type."""
        raise RecordError("a document type is not allowed")


# ``GO type``: number of players, kind of lobby, and the ruleset that follows from them


ONLINE = 1 << 0
NO_REDS = 1 << 1
NO_KUITAN = 1 << 2
HANCHAN = 1 << 3
SANMA = 1 << 4
CHIPS = 1 << 9
OWN_COUNTING = ~((1 << 9) - 1)
"""Bits of lobbies that count more than points: chips, a ratio, gold.

Of the lower bits, 5 and 7 name the room, and 6 is set for fast games.
"""

_ROOM = 1 << 5 | 1 << 7
ROOMS = {0: "ippan", 1 << 7: "joukyuu", 1 << 5: "tokujou", _ROOM: "houou"}
"""The ranked rooms, from the lowest on, by the bits that name them."""

DAN = (
    "新人",
    *(f"{kyuu}級" for kyuu in range(9, 0, -1)),
    "初段",
    *(f"{dan}段" for dan in "二三四五六七八九十"),
    "天鳳位",
)
"""The ranks of players, the number of each first in records: 0 is a newcomer, 10 the first dan."""

CHANGES: tuple[tuple[int, bool, dict[str, Any]], ...] = (
    (NO_REDS, True, {"red_fives": (0, 0, 0)}),
    (NO_KUITAN, True, {"kuitan": False}),
    (HANCHAN, False, {"length": Length.TONPU}),
    (CHIPS, True, {"kiriage": True, "open_kan_dora": KanDoraTime.AT_ONCE, "uma": (30, 10, -10, -30)}),
)
"""Each entry: a bit, the value it must have, and how the rules then differ from those of a ranked hanchan.

The rules of lobbies with chips come from the one such record in dnovikoff/tenhou; other records may use other rules.
"""


@value
class GameType:
    """The type of a game, as GO names it."""

    bits: int

    @property
    def three_players(self) -> bool:
        """Whether the game has three players."""
        return bool(self.bits & SANMA)

    @property
    def own_counting(self) -> bool:
        """Whether the lobby counts more than points, by rules that the record does not contain."""
        return bool(self.bits & OWN_COUNTING)

    @property
    def room(self) -> str:
        """The ranked room."""
        return ROOMS[self.bits & _ROOM]

    def ruleset(self) -> Ruleset:
        """Return the rules of a game of this type."""
        changes: dict[str, Any] = {}
        for bit, is_set, fields in CHANGES:
            if bool(self.bits & bit) is is_set:
                changes |= fields
        if not self.three_players:
            return replace(TENHOU, **changes)
        changes.pop("uma", None)  # no record shows that of lobbies with chips
        return replace(TENHOU3, **changes)


def type_of(ruleset: Ruleset) -> GameType:
    """Return the type of a game with the length, the red fives and the open tanyao of a ruleset."""
    bits = ONLINE
    if ruleset.seats == TENHOU3.seats:
        bits |= SANMA
    for bit, is_set, fields in CHANGES:
        applies = all(getattr(ruleset, name) == changed for name, changed in fields.items())
        if bit != CHIPS and applies is is_set:
            bits |= bit
    return GameType(bits)


# Melds: one number of 16 bits
#
# Bits 0 and 1 say who discarded the called tile: 0 for a closed kan, else the steps from the caller to the right, of
# four seats in every game. The lowest set bit of bits 2 to 4 is the type of the meld. The number is complete: it also
# contains the pon of an added kan.


CHI, PON, KAKAN = 4, 8, 16
"""The bits for the type of a meld, of which the lowest set one counts; other kans have none of them."""

NUKI = 32
"""The bit for a north that is set aside, in three-player games; its tile follows in bits 8 to 15."""
TYPE = 63
"""The bits that tell a north that is set aside from melds."""

MOST = 1 << 16
"""Codes are below this: a meld has 16 bits."""


@value
class CodedMeld:
    """A meld with its physical tiles."""

    type: MeldType
    own: tuple[Tile, ...]
    """The tiles from the owner's hand; for an added kan, those of its pon."""
    called: Tile | None
    source: Seat | None
    added: Tile | None = None

    @property
    def given(self) -> tuple[Tile, ...]:
        """The tiles that leave the hand when the meld is made."""
        if self.added is None:
            return self.own
        return (self.added,)

    def as_meld(self, reds: tuple[int, ...]) -> Meld:
        """Return the meld in faces; ``reds`` is the number of red fives in each suit."""
        faces: dict[Tile | None, Face] = dict(enumerate(faces_of_tiles(reds)))
        own = sort_faces(faces[tile] for tile in self.own)
        return Meld(self.type, own, faces.get(self.called), self.source, faces.get(self.added))


def read_meld(seat: Seat, code: int) -> CodedMeld:
    """Return the meld of a seat from its code; raise RecordError if there is no such meld."""
    if not 0 <= code < MOST:
        raise RecordError(f"{code} is not a meld")
    steps = code & 3
    source: Seat | None = None
    if steps:
        source = (seat + steps) % COLUMNS
    if code & CHI:
        return _chi(code, source)
    if code & (PON | KAKAN):
        return _triplet(code, source)
    if code & NUKI:
        raise RecordError(f"meld {code} sets a north aside in a four-player game")
    return _kan(code, source)


def read_north(code: int) -> Tile | None:
    """Return the north that a code sets aside; None if it is the code of a meld."""
    if code & TYPE != NUKI or code >> 8 not in range(NORTH * COPIES, NORTH * COPIES + COPIES):
        return None
    return code >> 8


def write_north(tile: Tile) -> int:
    """Return the code of a north that is set aside; the inverse of ``read_north``."""
    return tile << 8 | NUKI


def write_meld(seat: Seat, meld: CodedMeld) -> int:
    """Return the code of a meld of this seat; the inverse of ``read_meld``."""
    steps = 0
    if meld.source is not None:
        steps = (meld.source - seat) % COLUMNS
    if meld.called is None:
        return min(meld.own) << 8
    if meld.type is MeldType.DAIMINKAN:
        return meld.called << 8 | steps
    tiles = sorted((*meld.own, meld.called))
    place = tiles.index(meld.called)
    kind = tiles[0] // COPIES
    if meld.type is MeldType.CHI:
        copies = sum(tile % COPIES << (3 + 2 * step) for step, tile in enumerate(tiles))
        return ((kind // 9 * 7 + kind % 9) * 3 + place) << 10 | copies | CHI | steps
    (fourth,) = {kind * COPIES + copy for copy in range(COPIES)} - set(tiles)
    code = (kind * 3 + place) << 9 | fourth % COPIES << 5 | steps
    if meld.added is None:
        return code | PON
    return code | KAKAN


def _chi(code: int, source: Seat | None) -> CodedMeld:
    """Decode a chi: three consecutive tiles of one suit, one of them called."""
    order, place = divmod(code >> 10, 3)
    if order >= 21 or source is None:
        raise RecordError(f"meld {code} is not a chi")
    kind = order // 7 * 9 + order % 7
    tiles = [(kind + step) * COPIES + (code >> (3 + 2 * step) & 3) for step in range(3)]
    called = tiles.pop(place)
    return CodedMeld(MeldType.CHI, tuple(tiles), called, source)


def _triplet(code: int, source: Seat | None) -> CodedMeld:
    """Decode a pon, or the added kan that it became."""
    kind, place = divmod(code >> 9, 3)
    if kind >= KINDS or source is None:
        raise RecordError(f"meld {code} is not a pon")
    fourth = kind * COPIES + (code >> 5 & 3)
    tiles = [tile for tile in range(kind * COPIES, kind * COPIES + COPIES) if tile != fourth]
    called = tiles.pop(place)
    if code & PON:
        return CodedMeld(MeldType.PON, tuple(tiles), called, source)
    return CodedMeld(MeldType.KAKAN, tuple(tiles), called, source, fourth)


def _kan(code: int, source: Seat | None) -> CodedMeld:
    """Decode an open or a closed kan. A closed kan names one of its tiles, too; it has no meaning."""
    called = code >> 8
    kind = called // COPIES
    if kind >= KINDS:
        raise RecordError(f"meld {code} is not a kan")
    tiles = tuple(range(kind * COPIES, kind * COPIES + COPIES))
    if source is None:
        return CodedMeld(MeldType.ANKAN, tiles, None, None)
    return CodedMeld(MeldType.DAIMINKAN, tuple(tile for tile in tiles if tile != called), called, source)


# Values of wins: yaku, han, fu, limit and points


YAKU: dict[int, Yaku] = {**dict(enumerate(TENHOU_YAKU)), TENHOU_YAKU.index(Yaku.RENHOU): Yaku.RENHOU_YAKUMAN}
"""Yaku by the numbers of Tenhou's records, where renhou is always a yakuman."""

_AS_HAN = {Yaku.RENHOU_YAKUMAN: Yaku.RENHOU}
"""The yaku of a hand that is no yakuman, where its number stands for the yakuman."""

LIMITS = (0, MANGAN, HANEMAN, BAIMAN, SANBAIMAN, YAKUMAN)
"""Base points by the number of the limit: none, mangan, haneman, baiman, sanbaiman, yakuman."""

MOST_HAN = 100
"""Limit of the han of one yaku; more means a damaged record."""

MOST_FU = 1_000
"""Limit of fu; more means a damaged record."""


def read_value(
    fields: Mapping[str, str], winner: Seat, loser: Seat | None, dealer: Seat, seats: int
) -> tuple[HandValue, int, str | None]:
    """Return the value of the hand in an AGARI element, the points of all payers together, and unknown yaku.

    The value follows from yaku, fu and limit, the payment is the number in the record: they may contradict each other.
    If a number of a yaku is unknown, the value has none. Raise RecordError if an attribute is missing, malformed or
    out of range.
    """
    fu, worth, limit = read_numbers(fields, "ten", 3)[:3]
    if not 0 <= fu <= MOST_FU or not 0 <= limit < len(LIMITS):
        raise RecordError(f"ten: expected fu, points and limit, got {fields['ten'][:40]!r}")
    if fields.get("yakuman"):
        yakuman = read_numbers(fields, "yakuman")
        times = len(yakuman)
        named, unknown = _named([(number, YAKUMAN_HAN * yakuman.count(number)) for number in dict.fromkeys(yakuman)])
        return HandValue(named, YAKUMAN_HAN * times, 0, times, YAKUMAN * times), worth, unknown
    listed = read_numbers(fields, "yaku", 2)
    pairs = [(number, han) for number, han in zip(listed[::2], listed[1::2], strict=False) if han]
    total = 0
    for _, han in pairs:
        if not 0 < han <= MOST_HAN:
            raise RecordError(f"yaku: impossible han in {fields['yaku'][:40]!r}")
        total += han
    named, unknown = _named(pairs)
    named = sorted_yaku(tuple((_AS_HAN.get(yaku, yaku), han) for yaku, han in named))
    values = [HandValue(named, total, fu, 0, base) for base in _bases(fu, total, limit)]
    rules = Ruleset(uma=(0,) * seats)  # nothing else in them affects the payment
    for possible in values:
        if payment(rules, possible, winner, loser, dealer) == worth:
            return possible, worth, unknown
    return values[0], worth, unknown


def write_value(won: ev.HandWon, bakaze: int, dealer: Seat) -> dict[str, str]:
    """Return the attributes of a win with its value: ``ten``, and ``yaku`` or ``yakuman``.

    A double yakuman stands there twice. Raises RecordError for a yaku that Tenhou does not know.
    """
    value = won.value
    worth = value.points(len(won.changes), is_dealer=won.seat == dealer, is_tsumo=won.loser is None)
    limit = sum(value.base >= base for base in LIMITS) - 1
    ten = {"ten": f"{value.fu},{worth},{limit}"}
    winds = {Yaku.ROUND_WIND: bakaze, Yaku.SEAT_WIND: (won.seat - dealer) % len(won.changes)}
    numbers: list[int] = []
    for yaku, han in value.yaku:
        number = _number(yaku) + winds.get(yaku, 0)
        if value.yakuman:
            numbers += [number] * (han // YAKUMAN_HAN)
        else:
            numbers += (number, han)
    name = "yaku"
    if value.yakuman:
        name = "yakuman"
    return {**ten, name: ",".join(map(str, numbers))}


def _number(yaku: Yaku) -> int:
    """Return Tenhou's number of a yaku, of a wind that of the east."""
    if yaku is Yaku.RENHOU_YAKUMAN:
        return TENHOU_YAKU.index(Yaku.RENHOU)
    if yaku not in TENHOU_YAKU:
        raise RecordError(f"Tenhou has no number for the yaku {yaku.romaji}")
    return TENHOU_YAKU.index(yaku)


def _named(pairs: Sequence[tuple[int, int]]) -> tuple[tuple[tuple[Yaku, int], ...], str | None]:
    """Return yaku by their numbers, or none and the unknown numbers."""
    unknown = [f"yaku {number}" for number, _ in pairs if number not in YAKU]
    if unknown:
        return (), ", ".join(unknown)
    return sorted_yaku(tuple((YAKU[number], han) for number, han in pairs)), None


def _bases(fu: int, han: int, limit: int) -> Iterator[int]:
    """Yield the possible base points: a hand that is rounded up to mangan has no limit in the record."""
    yield LIMITS[limit] or fu << (2 + min(han, YAKUMAN_HAN))
    if not limit:
        yield MANGAN


# Walls from the seeds
#
# There are two kinds of seed, and both lead to random numbers r. The tiles 0..135 are shuffled by exchanging place i
# with place i + r[i] % (136 - i), for i from 0; r[135] and r[136], modulo 6, are the dice. With three players the 108
# tiles are shuffled in the same way, and the dice are the same two numbers. ``ump.rules.wall`` describes the order of
# the list.
#
# * ``mt19937ar-sha512-n288-base64,<base64>``: one seed for the whole game. 624 little-endian 32-bit words seed a
#   Mersenne Twister (MT19937, ``init_by_array``). For each kyoku 288 of its numbers, as little-endian bytes in nine
#   blocks of 1,024 bits, are hashed with SHA-512; the digests are the numbers r. (Published by Tenhou; the crate
#   tenhou-shuffle is tested with the published validation data.)
# * ``mt19937ar,<hexadecimal>,...``: one seed for each kyoku, in records of 2009. The words seed the Mersenne Twister,
#   whose numbers are r; then the upper and the lower tile of each stack in the dead wall change places. (Derived from
#   records: it reproduces every deal, draw, indicator and die of the records that the tests use.)


OF_GAME = "mt19937ar-sha512-n288-base64,"
"""Prefix of the seed of a whole game."""
OF_KYOKU = "mt19937ar,"
"""Prefix of the seed of one kyoku."""

STATE = 624
"""Words in the state of the Mersenne Twister, and in the seed of a game."""

NUMBERS = 288
"""Random numbers that are hashed for one kyoku."""

BLOCK = 128
"""Bytes in one hashed block."""

WORD = 0xFFFFFFFF
"""Mask of a 32-bit word."""

_HEX = re.compile(r"[0-9A-Fa-f]{1,8}(,[0-9A-Fa-f]{1,8}){0,623}")


def mersenne_twister(key: Sequence[int]) -> Random:
    """Return the generator that ``init_by_array`` of mt19937ar.c seeds with these 32-bit words.

    ``Random(seed)`` does the same with the words of one large number, but drops leading words that are zero.
    """
    state = [19650218]
    for place in range(1, STATE):
        state.append((1812433253 * (state[-1] ^ state[-1] >> 30) + place) & WORD)
    steps = max(STATE, len(key))
    last = state[0]
    for step in range(steps):
        place = step % (STATE - 1) + 1
        at = step % len(key)
        state[place] = last = ((state[place] ^ (last ^ last >> 30) * 1664525) + key[at] + at) & WORD
    for step in range(steps, steps + STATE - 1):
        place = step % (STATE - 1) + 1
        state[place] = last = ((state[place] ^ (last ^ last >> 30) * 1566083941) - place) & WORD
    state[0] = 0x80000000
    generator = Random()
    generator.setstate((3, (*state, STATE), None))
    return generator


def deals_of_game(seed: str, seats: int = 4) -> Iterator[Deal]:
    """Yield the deals of a game without end; raise RecordError unless this is an ``OF_GAME`` seed."""
    try:
        key = b64decode(seed.removeprefix(OF_GAME), validate=True)
    except (binascii.Error, ValueError):
        raise RecordError("the seed is not base64") from None
    if len(key) != 4 * STATE:
        raise RecordError(f"seed: expected {4 * STATE} bytes, got {len(key)}")
    return _deals(mersenne_twister(struct.unpack(f"<{STATE}I", key)), seats)


def _deals(generator: Random, seats: int) -> Iterator[Deal]:
    """Yield the deal of each kyoku from the generator of its game."""
    while True:
        drawn = struct.pack(f"<{NUMBERS}I", *(generator.getrandbits(32) for _ in range(NUMBERS)))
        digest = b"".join(sha512(drawn[at : at + BLOCK]).digest() for at in range(0, len(drawn), BLOCK))
        yield _dealt(struct.unpack(f"<{len(digest) // 4}I", digest), seats)


def deal_of_kyoku(seed: str, seats: int = 4) -> Deal:
    """Return the deal of one kyoku; raise RecordError unless this is an ``OF_KYOKU`` seed."""
    text = seed.removeprefix(OF_KYOKU)
    if not _HEX.fullmatch(text):
        raise RecordError("the seed of the kyoku is not a list of hexadecimal words")
    generator = mersenne_twister([int(word, 16) for word in text.split(",")])
    deal = _dealt([generator.getrandbits(32) for _ in range(TILES + 1)], seats)
    stacks: list[Tile] = []
    for place in range(0, DEAD_WALL, 2):
        stacks += (deal.tiles[place + 1], deal.tiles[place])
    return Deal((*stacks, *deal.tiles[DEAD_WALL:]), deal.dice)


def _dealt(numbers: Sequence[int], seats: int) -> Deal:
    """Shuffle the tiles and roll the dice with these random numbers."""
    tiles = list(tiles_of(seats))
    for place in range(len(tiles) - 1):
        other = place + numbers[place] % (len(tiles) - place)
        tiles[place], tiles[other] = tiles[other], tiles[place]
    return Deal(tuple(tiles), (numbers[TILES - 1] % 6 + 1, numbers[TILES] % 6 + 1))
