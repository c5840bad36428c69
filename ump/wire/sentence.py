"""The base of the sentence classes of UMP 0.1 and 0.2, and the reading of the id that starts a server's line."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Self

from ump.wire.text import WireError, quoted

_MAX_ID_DIGITS = 9


class Sentence:
    """One sentence: a command word and its arguments. The id before it belongs to the connection.

    It is not an ``ABC``, because ``match`` and ``isinstance`` take several times as long with subclasses of one.
    """

    __slots__ = ()
    NAME: ClassVar[str]
    """The command word."""

    @classmethod
    @abstractmethod
    def parse(cls, words: Sequence[str]) -> Self:
        """Read the words after the command; raise WireError if the sentence has another form."""

    @abstractmethod
    def serialise(self) -> str:
        """Write command and arguments as ``parse`` reads them; raise UnwritableError if it could not read them."""


class Bare(Sentence):
    """A sentence that consists of its command alone."""

    __slots__ = ()

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        """Read no words; raise WireError if there are any."""
        expect(not words, cls.NAME, words)
        return cls()

    def serialise(self) -> str:
        """Write the command."""
        return self.NAME


def expect(condition: bool, name: str, words: Sequence[str]) -> None:
    """Raise WireError, which quotes the start of the words, unless the condition holds."""
    if not condition:
        raise WireError(f"{name} cannot be read: {quoted(' '.join(words))}")


def split_id(line: str) -> tuple[int, list[str]]:
    """Split a line that is not empty into its id and the words after it; raise WireError if there is no id."""
    number, *words = line.split()
    if not (number.isascii() and number.isdigit() and len(number) <= _MAX_ID_DIGITS):
        raise WireError(f"{quoted(line)} does not begin with an id")
    return int(number), words
