"""What the sentences of 0.2 have that those of 0.1 have not: options anywhere, and percent-encoding everywhere."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Self

from ump.wire.sentence import Sentence
from ump.wire.text import decode
from ump.wire.ump01.words import split_options


def parted(words: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Part the words of a line into arguments and options, both decoded; of an option given twice the last one counts.

    A word with ``=`` anywhere but at its start is an option: ``=25000`` is none. Raises WireError where one cannot be
    decoded.
    """
    arguments, options = split_options(words)
    return [decode(argument) for argument in arguments], options


class OptionSentence(Sentence):
    """A sentence whose options may stand anywhere among its arguments; what is not known of either is passed over."""

    __slots__ = ()

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        """Read the words after the command; raises WireError if they are not of this sentence's form."""
        return cls.read(*parted(words))

    @classmethod
    @abstractmethod
    def read(cls, arguments: Sequence[str], options: Mapping[str, str]) -> Self:
        """Read arguments and options; raises WireError if they are not of this sentence's form."""
