"""The words that only 0.2 has: seats of two characters, hidden tiles, and options anywhere in a sentence."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Self

from ump.model.constants import FULL_HAND
from ump.model.notation import UMP_FACES
from ump.model.seats import LETTERS, Seat
from ump.model.tiles import Face
from ump.wire.sentence import Sentence
from ump.wire.text import WireError, decode, quoted
from ump.wire.ump01.words import parse_tile, split_options

SEATS: tuple[str, ...] = tuple(f"{letter}0" for letter in LETTERS)
"""The word for each seat; the index is the seat."""

HIDDEN = "xx"
"""A hidden tile."""

RICHI = "richi"

_SHOWN = re.compile(r"(?:[1-9][mpszMPS])+|<(?:[1-9][mpszMPS])+>|\((?:[1-9][mpszMPS])+\)|\[(?:[1-9][mpszMPS])+\]")


def parse_seat(word: str) -> Seat:
    """Read ``A0``..``D0``; raise WireError for anything else."""
    if word not in SEATS:
        raise WireError(f"{quoted(word)} is not a seat")
    return SEATS.index(word)


def parse_tile_or_hidden(word: str) -> Face | None:
    """Read one tile; return None if it is hidden."""
    return None if word == HIDDEN else parse_tile(word)


def parse_hand(text: str) -> tuple[Face | None, ...]:
    """Read the glued tiles of a hand or a part of it, each of which may be hidden, in their order."""
    if not text or len(text) > 2 * FULL_HAND:
        raise WireError(f"{quoted(text)} is not a list of tiles")
    return tuple(parse_tile_or_hidden(text[at : at + 2]) for at in range(0, len(text), 2))


def format_hand(faces: Iterable[Face | None]) -> str:
    """Write glued tiles; None is a hidden tile."""
    return "".join(HIDDEN if face is None else UMP_FACES[face] for face in faces)


def check_shown(text: str) -> str:
    """Return the tiles of ``open`` unchanged; raise WireError unless they are concealed tiles or one bracketed meld."""
    if len(text) > 2 * FULL_HAND or _SHOWN.fullmatch(text) is None:
        raise WireError(f"{quoted(text)} is not a list of shown tiles")
    return text


def split_words(words: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Split the words of a line into arguments and options, both decoded.

    A word with ``=`` anywhere but at its start is an option; ``=25000`` is an argument. If an option is given twice,
    the last value wins. Raises WireError if a word cannot be decoded.
    """
    arguments, options = split_options(words)
    return [decode(argument) for argument in arguments], options


class OptionSentence(Sentence):
    """A sentence whose options may stand anywhere among its arguments; unknown options and arguments are skipped."""

    __slots__ = ()

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        """Read the words after the command; raise WireError if the sentence has another form."""
        return cls.read(*split_words(words))

    @classmethod
    @abstractmethod
    def read(cls, arguments: Sequence[str], options: Mapping[str, str]) -> Self:
        """Read decoded arguments and options; raise WireError if the sentence has another form."""
