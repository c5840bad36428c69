"""The classes of sentences, and their words in 0.1 and in 0.2.

Parser, writer and form of a sentence are generated from the annotations of its fields.

    @sentence("tsumo")
    class Tsumo(Sentence):
        seat: Annotated[Seat, Word("<seat>", "[A-D]", parse_seat, LETTERS)]
        left: Annotated[int, Word("<left>", "[0-9]+", parse_number)]
        tile: Annotated[Face | None, Word("<tile>", "[1-9][mpsz]", parse_tile, UMP_FACES)] = None

reads and writes ``tsumo A 69 5m``, and ``tsumo A 69`` without a tile; its form is ``tsumo <seat> <left> [<tile>]``.
A field with a default is a word that may be missing. A class that has a method ``parse`` or ``serialise`` keeps it;
if it has a method ``fits``, ``parse`` refuses words for which that returns False. Generated code takes a tenth of
the time of a loop over the fields.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields
from enum import Enum
from itertools import chain, starmap
from operator import attrgetter
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Self, TypeAlias, TypeVar, dataclass_transform, get_origin, get_type_hints

from ump.model.claims import Reason
from ump.model.commitments import PLAYER_TEXT
from ump.model.constants import FULL_HAND
from ump.model.events import DrawReason
from ump.model.notation import UMP_FACES, NotationError, format_ump_faces, parse_ump_face, parse_ump_faces
from ump.model.seats import LETTERS, PLAYERS, Seat
from ump.model.tiles import WINDS, Face
from ump.model.value import value
from ump.wire.session import Member, MemberState, Profile
from ump.wire.text import DIGEST, GAME, RECORD, TOKEN, WireError, decode, encode, is_secret, quoted, written

T = TypeVar("T")

NO_OPTIONS: Mapping[str, str] = MappingProxyType({})

_MAX_ID_DIGITS = 9


class Misfit(Exception):
    """The words have another form than the sentence. ``parse`` turns it into a WireError that quotes all of them."""


@dataclass(frozen=True)
class Word:
    """The annotation of a field that is one word."""

    form: str
    """Its name in the documentation: ``<seat>``."""
    pattern: str
    """A regular expression for the word as this server writes it."""
    read: Callable[[str], Any]
    """Raises WireError for an unreadable word, or Misfit."""
    write: Callable[[Any], str] | Sequence[str] = str
    """A function, or a sequence that has the word of each value."""
    is_text: bool = False
    """Whether the word is free text, which is checked before it is written."""
    fits: Callable[[str], object] | None = None
    """Tells whether a word belongs to the form of the sentence; None if any does. It is asked before words are read."""


@dataclass(frozen=True)
class Rest:
    """The annotation of the last field of a sentence, if all further words are its own."""

    form: str
    read: Callable[[Sequence[str]], Any]
    """Raises WireError for unreadable words, or Misfit."""
    write: Callable[[Any], Iterable[str]]
    patterns: Mapping[str, str]
    """A regular expression for each word in angle brackets of the form."""
    is_text: bool = False
    has_number: Callable[[int], bool] | None = None
    """Tells whether there may be so many words; None if there may be any number."""


@dataclass(frozen=True)
class Flag:
    """The annotation of a field that is true if its name stands after the other words."""

    name: str


@dataclass(frozen=True)
class Option:
    """The annotation of a field that is an option ``name=word``; None if it is missing."""

    name: str
    word: Word
    is_always_sent: bool = False


class Sentence:
    """One sentence: a command word and its arguments. The id before it belongs to the connection.

    It is not an ``ABC``, because ``match`` and ``isinstance`` take several times as long with subclasses of one.
    """

    __slots__ = ()
    NAME: ClassVar[str]
    """The command word."""
    FORM: ClassVar[str]
    """Command and words as the documentation shows them, with ``[]`` around words that may be missing."""
    PATTERNS: ClassVar[Mapping[str, str]]
    """A regular expression for each word in angle brackets of the form, as this server writes it."""

    @classmethod
    def parse(cls, words: Sequence[str], options: Mapping[str, str] = NO_OPTIONS) -> Self:
        """Read the words after the command; raise WireError if the sentence has another form."""
        raise NotImplementedError

    def serialise(self) -> str:
        """Write command and arguments as ``parse`` reads them; raise UnwritableError if it could not read them."""
        raise NotImplementedError


@dataclass_transform(frozen_default=True)
def sentence(name: str, *, skips_more: bool = False) -> Callable[[type[T]], type[T]]:
    """Turn a class into the value class of the sentence with this command.

    ``skips_more``: more words than those of the form are ignored, and flags may have any order, as in 0.2.
    """

    def decorate(cls: type[T]) -> type[T]:
        """Return the class with what was generated."""
        made: Any = value(cls)
        made.NAME = name
        parts = _parts(made)
        made.FORM = " ".join((name, *_forms(parts)))
        made.PATTERNS = dict(pattern for _, part in parts for pattern in _patterns(part))
        if "parse" not in cls.__dict__:
            code = _parser(parts, skips_more=skips_more, checks="fits" in cls.__dict__)
            made.parse = classmethod(_generated(made, "parse", code, parts))
        if "serialise" not in cls.__dict__:
            made.serialise = _generated(made, "serialise", _writer(name, parts), parts)
        return made  # type: ignore[no-any-return]

    return decorate


def misfit(name: str, words: Sequence[str]) -> WireError:
    """Return the error for a sentence of another form, which quotes the start of its words."""
    return WireError(f"{name} cannot be read: {quoted(' '.join(words))}")


def split_id(line: str) -> tuple[int, list[str]]:
    """Split a line that is not empty into its id and the words after it; raise WireError if there is no id."""
    number, *words = line.split()
    if not (number.isascii() and number.isdigit() and len(number) <= _MAX_ID_DIGITS):
        raise WireError(f"{quoted(line)} does not begin with an id")
    return int(number), words


# Generated code

_Part = tuple[Field[Any], Word | Rest | Flag | Option]


def _parts(cls: Any) -> list[_Part]:
    """Return the fields of a sentence with their annotations."""
    hints = get_type_hints(cls, include_extras=True)
    parts = []
    for field in fields(cls):
        assert get_origin(hints[field.name]) is Annotated, f"{cls.__name__}.{field.name} is no word"
        parts.append((field, hints[field.name].__metadata__[0]))
    return parts


def _forms(parts: Sequence[_Part]) -> Iterator[str]:
    """Yield the forms of the words as they are written: options stand before the others."""
    for _, part in parts:
        if isinstance(part, Option):
            form = f"{part.name}={part.word.form}"
            if not part.is_always_sent:
                form = f"[{form}]"
            yield form
    for field, part in parts:
        if isinstance(part, Flag):
            yield f"[{part.name}]"
        elif isinstance(part, Rest) and part.form:
            yield part.form
        elif isinstance(part, Word):
            if field.default is MISSING:
                yield part.form
            else:
                yield f"[{part.form}]"


def _patterns(part: Word | Rest | Flag | Option) -> Iterable[tuple[str, str]]:
    """Return the words in angle brackets of a part, each with its regular expression."""
    match part:
        case Word(form, pattern) | Option(word=Word(form, pattern)):
            return [(form, pattern)]
        case Rest():
            return part.patterns.items()
        case Flag():
            return []


def _parser(parts: Sequence[_Part], *, skips_more: bool, checks: bool) -> list[str]:
    """Return the lines of ``parse``; ``read_x``, ``write_x`` and ``default_x`` are those of the field x."""
    needed = sum(isinstance(part, Word) and field.default is MISSING for field, part in parts)
    lines = ["count = len(words)"]
    if not skips_more:
        for field, part in parts:
            if isinstance(part, Flag):  # the only one, at the end
                lines += [f"{field.name} = count > 0 and words[-1] == {part.name!r}", f"count -= {field.name}"]
    lines.append(f"if not ({' and '.join(_conditions(parts, needed, skips_more=skips_more))}): raise Misfit")
    lines.append(f"made = cls({', '.join(_arguments(parts, skips_more=skips_more))})")
    if checks:
        lines.append("if not made.fits(): raise Misfit")
    return [
        "def parse(cls, words, options=NO_OPTIONS):",
        "    try:",
        *(f"        {line}" for line in lines),
        "        return made",
        "    except Misfit:",
        "        raise misfit(cls.NAME, words) from None",
    ]


def _conditions(parts: Sequence[_Part], needed: int, *, skips_more: bool) -> Iterator[str]:
    """Yield the conditions for the number of words and for words of a fixed form."""
    plain = [(field.name, part) for field, part in parts if isinstance(part, Word)]
    rest = [(field.name, part) for field, part in parts if isinstance(part, Rest)]
    if skips_more or rest:
        yield f"{needed} <= count"
    else:
        yield f"{needed} <= count <= {len(plain)}"
    for name, part in rest:
        if part.has_number is not None:
            yield f"has_number_{name}(count - {len(plain)})"
    for place, (name, word) in enumerate(plain):
        if word.fits is None:
            continue
        fits = f"fits_{name}(words[{place}])"
        if place >= needed:
            fits = f"(count <= {place} or {fits})"
        yield fits


def _arguments(parts: Sequence[_Part], *, skips_more: bool) -> Iterator[str]:
    """Yield the expression that reads each field."""
    place = 0
    for field, part in parts:
        name = field.name
        match part:
            case Word():
                read = f"read_{name}(words[{place}])"
                if field.default is not MISSING:
                    read += f" if count > {place} else default_{name}"
                yield read
                place += 1
            case Rest():
                yield f"read_{name}(words[{place}:])"
            case Flag() if skips_more:
                yield f"{part.name!r} in words[{place}:]"
            case Flag():
                yield name
            case Option():
                yield f"read_{name}(options[{part.name!r}]) if {part.name!r} in options else default_{name}"


def _writer(name: str, parts: Sequence[_Part]) -> list[str]:
    """Return the lines of ``serialise``: one f-string, or a call of ``written`` for a sentence with free text."""
    ordered = sorted(parts, key=lambda each: not isinstance(each[1], Option))
    if any(_word_of(part).is_text for _, part in parts if not isinstance(part, Flag)):
        words = [_checked(*each) for each in ordered]
        return ["def serialise(self):", f"    return written({', '.join([repr(name), *words])})"]
    return ["def serialise(self):", f"    return f{(name + ''.join(starmap(_appended, ordered)))!r}"]


def _word_of(part: Word | Rest | Option) -> Word | Rest:
    if isinstance(part, Option):
        return part.word
    return part


def _expression(field: Field[Any], part: Word | Option) -> str:
    """Return the expression for the text of one word."""
    write = _word_of(part).write
    if write is str:
        return f"self.{field.name}"
    if callable(write):
        return f"write_{field.name}(self.{field.name})"
    return f"write_{field.name}[self.{field.name}]"


def _appended(field: Field[Any], part: Word | Rest | Flag | Option) -> str:
    """Return what an f-string needs for a field, after the words before it."""
    attribute = f"self.{field.name}"
    match part:
        case Flag(name):
            return f'{{" {name}" if {attribute} else ""}}'
        case Rest():
            return f'{{" ".join(("", *write_{field.name}({attribute})))}}'
        case Option(name):
            text = f" {name}={{{_expression(field, part)}}}"
        case Word():
            text = f" {{{_expression(field, part)}}}"
    if field.default is MISSING:
        return text
    return f'{{"" if {_is_default(field)} else f"{text}"}}'


def _checked(field: Field[Any], part: Word | Rest | Flag | Option) -> str:
    """Return the arguments of ``written`` for a field of a sentence with free text, which has no flags."""
    attribute = f"self.{field.name}"
    if isinstance(part, Rest):
        return f"*write_{field.name}({attribute})"
    assert not isinstance(part, Flag)
    text = f'f"{{{_expression(field, part)}}}"'
    if isinstance(part, Option):
        text = f'f"{part.name}={{{_expression(field, part)}}}"'
    if field.default is MISSING:
        return text
    return f"*(() if {_is_default(field)} else ({text},))"


def _is_default(field: Field[Any]) -> str:
    """Return the expression that tells whether the word is missing."""
    if field.default is None:
        return f"self.{field.name} is default_{field.name}"
    return f"self.{field.name} == default_{field.name}"


def _generated(cls: Any, method: str, lines: Sequence[str], parts: Sequence[_Part]) -> Any:
    """Compile a method."""
    names: dict[str, Any] = {"Misfit": Misfit, "misfit": misfit, "written": written, "NO_OPTIONS": NO_OPTIONS}
    for field, part in parts:
        names[f"default_{field.name}"] = field.default
        if not isinstance(part, Flag):
            word = _word_of(part)
            names |= {f"read_{field.name}": word.read, f"write_{field.name}": word.write}
            names |= {f"fits_{field.name}": getattr(word, "fits", None)}
            names |= {f"has_number_{field.name}": getattr(word, "has_number", None)}
    exec("\n".join(lines), names)  # as dataclasses does; every name in it is one of this module's classes
    made = names[method]
    made.__qualname__, made.__module__ = f"{cls.__qualname__}.{method}", cls.__module__
    return made


# The words of sentences: what each is called, and how it is read and written, in 0.1 and in 0.2.

_NUMBER = re.compile(r"[0-9]{1,9}")
_OPTION = re.compile(r"([^=]+)=(.*)", re.DOTALL)
_SHOWN = re.compile(r"((?:[1-9][mpszMPS])*)((?:<(?:[1-9][mpszMPS])+>|\((?:[1-9][mpszMPS])+\))*)")
_SHOWN_02 = re.compile(r"(?:[1-9][mpszMPS])+|<(?:[1-9][mpszMPS])+>|\((?:[1-9][mpszMPS])+\)|\[(?:[1-9][mpszMPS])+\]")

TSUMOGIRI = "tsumogiri"
RICHI = "richi"

SEATS_02: tuple[str, ...] = tuple(f"{letter}0" for letter in LETTERS)
"""The word for each seat in 0.2; the index is the seat."""

HIDDEN = "xx"
"""A hidden tile in 0.2."""

SET_ASIDE = "<4z>"
"""The tile that ``open`` shows after ``say B kita``."""

NOTHING = "-"
"""Stands for a spectator's seat, and for a player who adds nothing to the walls, or has not revealed its text."""


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


# Single words


def parse_seat(word: str) -> Seat:
    """Read ``A``..``D``; raise WireError for anything else."""
    if len(word) != 1 or word not in LETTERS:
        raise WireError(f"{quoted(word)} is not a seat")
    return LETTERS.index(word)


def parse_seat_02(word: str) -> Seat:
    """Read ``A0``..``D0``; raise WireError for anything else."""
    if word not in SEATS_02:
        raise WireError(f"{quoted(word)} is not a seat")
    return SEATS_02.index(word)


def parse_number(word: str) -> int:
    """Read a decimal number of at most nine digits, without a sign; raise WireError for anything else."""
    if _NUMBER.fullmatch(word) is None:
        raise WireError(f"{quoted(word)} is not a number")
    return int(word)


def parse_score(word: str) -> int:
    """Read a score, which may be negative; raise WireError for anything else."""
    if word[:1] == "-":
        return -parse_number(word[1:])
    return parse_number(word)


def parse_tile(word: str) -> Face:
    """Read one tile; raise WireError for anything else."""
    try:
        return parse_ump_face(word)
    except NotationError as error:
        raise WireError(str(error)) from error


def parse_tiles(words: Iterable[str]) -> tuple[Face, ...]:
    """Read tiles in their order, one or more to a word; raise WireError for anything else."""
    faces: list[Face] = []
    try:
        for word in words:
            faces += parse_ump_faces(word)
    except NotationError as error:
        raise WireError(str(error)) from error
    return tuple(faces)


def parse_tile_or_hidden(word: str) -> Face | None:
    """Read one tile of 0.2; return None if it is hidden."""
    if word == HIDDEN:
        return None
    return parse_tile(word)


def parse_shown(text: str) -> tuple[tuple[Face, ...], tuple[Face, ...]]:
    """Read the tiles of ``open``: return the concealed tiles, and the tiles of all melds, each in their order.

    Raises WireError for anything else.
    """
    match = _SHOWN.fullmatch(text)
    if match is None:
        raise WireError(f"{quoted(text)} is not a list of shown tiles")
    return parse_tiles([match[1]]), parse_tiles(re.findall(r"[^<>()]+", match[2]))


def _check_shown(text: str) -> str:
    parse_shown(text)
    return text


def check_shown_02(text: str) -> str:
    """Return the text unchanged; raise WireError unless it is concealed tiles or one bracketed meld."""
    if len(text) > 2 * FULL_HAND or _SHOWN_02.fullmatch(text) is None:
        raise WireError(f"{quoted(text)} is not a list of shown tiles")
    return text


def _parse_hand(text: str) -> tuple[Face | None, ...]:
    """Read the glued tiles of a hand or a part of it, each of which may be hidden, in their order."""
    if not text or len(text) > 2 * FULL_HAND:
        raise WireError(f"{quoted(text)} is not a list of tiles")
    return tuple(parse_tile_or_hidden(text[at : at + 2]) for at in range(0, len(text), 2))


def _format_hand(faces: Iterable[Face | None]) -> str:
    return "".join(map(_format_hidden, faces))


def _format_hidden(face: Face | None) -> str:
    if face is None:
        return HIDDEN
    return UMP_FACES[face]


def _parse_wind(word: str) -> Face:
    face = parse_tile(word)
    if face not in WINDS:
        raise Misfit
    return face


_SIGNS = ("=", "+", "-")


def _parse_change(word: str) -> tuple[str, int]:
    if word[0] == "=":
        return word[0], parse_score(word[1:])
    return word[0], parse_number(word[1:])


def _format_change(change: tuple[str, int]) -> str:
    return f"{change[0]}{change[1]}"


def _parse_receiver(word: str) -> Seat | None:
    if word == NOTHING:
        return None
    return parse_seat(word)


def _format_receiver(seat: Seat | None) -> str:
    if seat is None:
        return NOTHING
    return LETTERS[seat]


def _encode_value(text: str) -> str:
    return encode(text, is_value=True)


def _listed(form: str, values: Mapping[str, Any], write: Callable[[Any], str] = str) -> Word:
    """Return a word that is one of these."""
    return Word(form, "|".join(values), values.__getitem__, write, fits=values.__contains__)


def _matching(form: str, pattern: re.Pattern[str]) -> Word:
    """Return a word that is kept as it is if it matches."""
    return Word(form, pattern.pattern, str, fits=pattern.fullmatch)


_value_of = attrgetter("value")


_WORD = "[^ =]+"


def _number(form: str, pattern: str = "[0-9]+") -> Word:
    return Word(form, pattern, parse_number)


def _text(form: str) -> Word:
    return Word(form, _WORD, decode, _encode_value, is_text=True)


def _text_02(form: str) -> Word:
    """Return a text of 0.2, where all words of a line have been decoded before."""
    return Word(form, _WORD, str, _encode_value, is_text=True)


DRAWS = {reason.value: reason for reason in DrawReason if reason is not DrawReason.EXHAUSTED}
_CALLS = {call.value: call for call in Call}
_REASONS = {reason.value: reason for reason in Reason}

_TILE = Word("<tile>", "[1-9][mpsMPS]|[1-7]z", parse_tile, UMP_FACES)
TILES = f"(?:{_TILE.pattern})+"
"""A regular expression for one or more tiles."""
_SEEN = f"(?:{HIDDEN}|{_TILE.pattern})+"
_WIND = Word("<wind>", "[1-4]z", _parse_wind, UMP_FACES)
_CALL = _listed("<call>", _CALLS, _value_of)
_DIGEST = _matching("<digest>", DIGEST)


def _parse_member(word: str) -> Member | None:
    if word == NOTHING:
        return None
    name, _, state = word.rpartition(":")
    if state not in _STATES or not name:
        raise Misfit
    return Member(decode(name), _STATES[state])


def _format_member(member: Member | None) -> str:
    if member is None:
        return NOTHING
    return f"{_encode_value(member.name).replace(':', '%3A')}:{member.state.value}"


def _parse_profile(word: str) -> Profile:
    if _PROFILE.fullmatch(word) is None:
        raise Misfit
    if word == NOTHING:
        return Profile(is_bot=False)
    rating = margin = None
    points, provisional, half = word.removeprefix(BOT).lstrip(":").partition(PROVISIONAL)
    if points:
        rating = int(points)
    if half:
        margin = int(half)
    return Profile(word.startswith(BOT), rating, bool(provisional), margin)


def _format_profile(profile: Profile) -> str:
    parts: list[str] = []
    if profile.is_bot:
        parts.append(BOT)
    if profile.rating is not None:
        rating = str(profile.rating)
        if profile.is_provisional:
            rating += PROVISIONAL
        if profile.is_provisional and profile.margin is not None:
            rating += str(profile.margin)
        parts.append(rating)
    return ":".join(parts) or NOTHING


BOT, PROVISIONAL = "bot", "?"
_RATING = r"-?[0-9]{1,5}(?:\?[0-9]{0,4})?"
_PROFILE = re.compile(f"{NOTHING}|{BOT}(?::{_RATING})?|{_RATING}")

_STATES = {state.value: state for state in MemberState}
_PROFILES = Word("<profile>", _PROFILE.pattern, _parse_profile, _format_profile, fits=_PROFILE.fullmatch)
_MEMBER = Word("<member>", f"[^ :=]+:(?:{'|'.join(_STATES)})|-", _parse_member, _format_member)

Seat01: TypeAlias = Annotated[Seat, Word("<seat>", "[A-D]", parse_seat, LETTERS)]
Receiver: TypeAlias = Annotated[Seat | None, Word("<receiver>", "[A-D]|-", _parse_receiver, _format_receiver)]
Tile: TypeAlias = Annotated[Face, _TILE]
TileIfSeen: TypeAlias = Annotated[Face | None, _TILE]
Wind: TypeAlias = Annotated[Face, _WIND]
Honba: TypeAlias = Annotated[int, _number("<honba>")]
Kyotaku: TypeAlias = Annotated[int, _number("<kyotaku>", "[0-9]+000|0")]
Base: TypeAlias = Annotated[int, _number("<base>")]
HandPoints: TypeAlias = Annotated[int, _number("<value>")]
HonbaPoints: TypeAlias = Annotated[int, _number("<bonus>", "[0-9]+00|0")]
Shares: TypeAlias = Annotated[
    tuple[int, ...],
    Word(
        "<shares>",
        "[0-9]+(?:/[0-9]+)?",
        lambda word: tuple(map(parse_number, word.split("/"))),
        lambda shares: "/".join(map(str, shares)),
        fits=re.compile("[0-9]+(?:/[0-9]+)?").fullmatch,
    ),
]
SeatIfLiable: TypeAlias = Annotated[Seat | None, Word("<seat>", "[A-D]", parse_seat, LETTERS)]
RecordName: TypeAlias = Annotated[str, _matching("<record>", RECORD)]
Left: TypeAlias = Annotated[int, _number("<left>", "[1-6]?[0-9]")]
Fu: TypeAlias = Annotated[int, _number("<fu>")]
Count: TypeAlias = Annotated[int, _number("<count>")]
Id: TypeAlias = Annotated[int, _number("<id>")]
Die: TypeAlias = Annotated[int, _listed("<die>", {str(eyes): eyes for eyes in range(1, 7)})]
Change: TypeAlias = Annotated[
    tuple[str, int],
    Word("<change>", r"=-?[0-9]+|[+-][0-9]+", _parse_change, _format_change, fits=lambda word: word[:1] in _SIGNS),
]
"""``=`` and a score, or ``+`` or ``-`` and the points of a change."""
Said: TypeAlias = Annotated[Call, _CALL]
Draw: TypeAlias = Annotated[DrawReason, _listed("<draw>", DRAWS, _value_of)]
Refusal: TypeAlias = Annotated[Reason, _listed("<reason>", _REASONS, _value_of)]
Hand: TypeAlias = Annotated[
    tuple[Face, ...] | None,
    Word("<tiles>", TILES, lambda word: parse_tiles([word]), format_ump_faces),
]
Shown: TypeAlias = Annotated[str, Word("<shown>", f"(?:{_TILE.pattern}|[<>()])+", _check_shown)]
Token: TypeAlias = Annotated[str, _matching("<token>", TOKEN)]
Digest: TypeAlias = Annotated[str, _DIGEST]
NextDigest: TypeAlias = Annotated[str | None, _DIGEST]
PlayerText: TypeAlias = Annotated[str, _matching("<text>", PLAYER_TEXT)]
Message: TypeAlias = Annotated[str, Word("<text>", "[^ ]+", decode, encode, is_text=True)]
Text: TypeAlias = Annotated[str, _text("<text>")]
GameIfAny: TypeAlias = Annotated[str | None, _matching("<game>", GAME)]
Tsumogiri: TypeAlias = Annotated[bool, Flag(TSUMOGIRI)]

Seat02: TypeAlias = Annotated[Seat, Word("<seat>", "[A-D]0", parse_seat_02, SEATS_02)]
Round: TypeAlias = Annotated[int, _number("<round>", "[0-3]")]
Seen: TypeAlias = Annotated[Face | None, Word("<seen>", _SEEN, parse_tile_or_hidden, _format_hidden)]
SeenHand: TypeAlias = Annotated[tuple[Face | None, ...], Word("<seen>", _SEEN, _parse_hand, _format_hand)]
Shown02: TypeAlias = Annotated[str, Word("<shown>", _SHOWN_02.pattern, check_shown_02)]
Stick: TypeAlias = Annotated[
    int,
    Word(
        "-1000",
        "-1000",
        lambda word: parse_number(word[1:]),
        lambda points: f"-{points}",
        fits=lambda word: word[:1] == "-",
    ),
]
Name02: TypeAlias = Annotated[str, _text_02("<name>")]
Text02: TypeAlias = Annotated[str, _text_02("<text>")]
Worth: TypeAlias = Annotated[str, _text_02("<worth>")]
Draw02: TypeAlias = Annotated[
    DrawReason,
    Word("<draw>", "|".join(DRAWS), lambda word: DRAWS.get(word, DrawReason.EXHAUSTED), _value_of),
]
Game: TypeAlias = Annotated[str | None, Option("gameid", _text_02("<game>"), is_always_sent=True)]
GameId: TypeAlias = Annotated[str | None, Option("id", _text_02("<game>"), is_always_sent=True)]
RonTile: TypeAlias = Annotated[Face | None, Option("ron", _TILE)]
RiichiTiles: TypeAlias = Annotated[
    tuple[Face, ...],
    Option(RICHI, Word("<tiles>", TILES, lambda word: parse_tiles([word]), format_ump_faces)),
]
Rinshan: TypeAlias = Annotated[bool, Flag("rinshan")]
Richi: TypeAlias = Annotated[bool, Flag(RICHI)]


# Several words


def split_options(words: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Split words into arguments and decoded ``name=value`` options.

    If an option is given twice, the last value wins. Raises WireError if a value cannot be decoded.
    """
    arguments: list[str] = []
    options: dict[str, str] = {}
    for word in words:
        match = _OPTION.fullmatch(word)
        if match is None:
            arguments.append(word)
        else:
            options[match[1]] = _value(match[1], match[2])
    return arguments, options


def split_words(words: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Split the words of a line of 0.2 into arguments and options, both decoded.

    A word with ``=`` anywhere but at its start is an option; ``=25000`` is an argument. If an option is given twice,
    the last value wins. Raises WireError if a word cannot be decoded.
    """
    arguments, options = split_options(words)
    return [decode(argument) for argument in arguments], options


def _value(name: str, word: str) -> str:
    """Decode the value of an option; raise WireError, which quotes no secret, if that is not possible."""
    try:
        return decode(word)
    except WireError:
        if is_secret(name):
            raise WireError(f"{quoted(name)} is not percent-encoded UTF-8") from None
        raise


def option_words(options: Iterable[tuple[str, str]]) -> list[str]:
    """Write options as words, encoded."""
    return [f"{name}={_encode_value(text)}" for name, text in options]


def _read_options(words: Sequence[str]) -> tuple[tuple[str, str], ...]:
    arguments, options = split_options(words)
    if arguments:
        raise Misfit
    return tuple(options.items())


def _per_seat(word: Word, least: int = 1) -> Rest:
    """Return the annotation of one such word for each seat; other servers may have games of fewer than three."""

    def read(words: Sequence[str]) -> tuple[Any, ...]:
        if word.fits is not None and not all(map(word.fits, words)):
            raise Misfit
        return tuple(map(word.read, words))

    write = word.write
    if not callable(write):
        write = write.__getitem__
    return Rest(
        " ".join((*[word.form] * min(PLAYERS), f"[{word.form}]")),
        read,
        lambda values: map(write, values),
        {word.form: word.pattern},
        word.is_text,
        range(least, max(PLAYERS) + 1).__contains__,
    )


def _or_nothing(form: str, pattern: re.Pattern[str]) -> Word:
    """Return a word that is kept as it is if it matches; ``-`` stands for None."""

    def read(word: str) -> str | None:
        """Return the word, or None for ``-``."""
        if word == NOTHING:
            return None
        return word

    def write(word: str | None) -> str:
        """Return the word, or ``-`` for None."""
        return word or NOTHING

    def fits(word: str) -> bool:
        """Tell whether the word is ``-``, or matches."""
        return word == NOTHING or pattern.fullmatch(word) is not None

    return Word(form, f"{pattern.pattern}|{NOTHING}", read, write, fits=fits)


def _results(words: Sequence[str]) -> tuple[tuple[Seat, int], ...]:
    seats = list(map(parse_seat_02, words[::2]))
    if len(set(seats)) < len(seats):
        raise Misfit
    return tuple(zip(seats, map(parse_score, words[1::2]), strict=True))


def _places(words: Sequence[str]) -> tuple[tuple[int, int], ...]:
    return tuple(zip(map(parse_number, words[::2]), map(parse_score, words[1::2]), strict=True))


def _yaku(read_name: Callable[[str], str], write_name: Callable[[str], str]) -> Rest:
    """Return the annotation of pairs of yaku and han."""

    def read(words: Sequence[str]) -> tuple[tuple[str, int], ...]:
        return tuple((read_name(name), parse_number(han)) for name, han in zip(words[::2], words[1::2], strict=True))

    def write(pairs: Iterable[tuple[str, int]]) -> list[str]:
        """Return the words of the pairs."""
        words: list[str] = []
        for name, han in pairs:
            words += (write_name(name), str(han))
        return words

    return Rest(
        "<yaku> <han> ..",
        read,
        write,
        {"<yaku>": "[^ ]+", "<han>": "[0-9]+"},
        is_text=True,
        has_number=lambda number: number > 0 and number % 2 == 0,
    )


def offered(words: Iterable[str]) -> Rest:
    """Return the annotation of offers that are single words; unknown ones are skipped."""
    known = tuple(words)
    form = " ".join(f"[{word}]" for word in known)
    return Rest(form, lambda said: tuple(word for word in said if word in known), tuple, {})


Options: TypeAlias = Annotated[
    tuple[tuple[str, str], ...],
    Rest("<options>", _read_options, option_words, {"<options>": "[^ =]+=[^ ]+(?: [^ =]+=[^ ]+)*"}, is_text=True),
]
"""Names and values, decoded, in their order."""
Names: TypeAlias = Annotated[tuple[str, ...], _per_seat(_text("<name>"))]
Members: TypeAlias = Annotated[tuple[Member | None, ...], _per_seat(_MEMBER, min(PLAYERS))]
Profiles: TypeAlias = Annotated[tuple[Profile, ...], _per_seat(_PROFILES, min(PLAYERS))]
Scores: TypeAlias = Annotated[tuple[int, ...], _per_seat(Word("<points>", "-?[0-9]+", parse_score))]
Yaku: TypeAlias = Annotated[tuple[tuple[str, int], ...], _yaku(decode, encode)]
Sealed: TypeAlias = Annotated[tuple[str | None, ...], _per_seat(_or_nothing("<sealed>", DIGEST), min(PLAYERS))]
Added: TypeAlias = Annotated[tuple[str | None, ...], _per_seat(_or_nothing("<added>", PLAYER_TEXT), min(PLAYERS))]

Places: TypeAlias = Annotated[
    tuple[tuple[int, int], ...],
    Rest(
        "<place> <result> <place> <result> <place> <result> ..",
        _places,
        lambda places: map(str, chain.from_iterable(places)),
        {"<place>": "[1-4]", "<result>": "-?[0-9]+00|0"},
        has_number=range(2, 2 * len(LETTERS) + 1, 2).__contains__,
    ),
]

Winds: TypeAlias = Annotated[tuple[Face, ...], _per_seat(_WIND)]
"""The wind of each seat."""
Yaku02: TypeAlias = Annotated[tuple[tuple[str, int], ...], _yaku(str, _encode_value)]
Results: TypeAlias = Annotated[
    tuple[tuple[Seat, int], ...],
    Rest(
        "<seat> <points> <seat> <points> <seat> <points> ..",
        _results,
        lambda results: [f"{SEATS_02[seat]} {points}" for seat, points in results],
        {"<seat>": "[A-D]0", "<points>": "-?[0-9]+"},
        has_number=range(2, 2 * len(LETTERS) + 1, 2).__contains__,
    ),
]
