"""What the sentences of every dialect share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Self

from ump.wire.text import WireError, quoted


class Sentence:
    """One sentence: a command word and its arguments. The id that stands before it belongs to the connection.

    It is no ``ABC``: every message is matched by class, and ``isinstance`` takes much longer on those.
    """

    __slots__ = ()
    NAME: ClassVar[str]
    """The command word."""

    @classmethod
    @abstractmethod
    def parse(cls, words: Sequence[str]) -> Self:
        """Read the words after the command; raises WireError if they are not of this sentence's form."""

    @abstractmethod
    def serialise(self) -> str:
        """Write command and arguments, as ``parse`` reads them; raises UnwritableError where it would not be read."""


class Bare(Sentence):
    """A sentence that is nothing but its command."""

    __slots__ = ()

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        """Read no words; raises WireError if there are any."""
        expect(not words, cls.NAME, words)
        return cls()

    def serialise(self) -> str:
        """Write the command."""
        return self.NAME


def expect(condition: bool, name: str, words: Sequence[str]) -> None:
    """Raise WireError, quoting the start of what was read, unless the condition holds."""
    if not condition:
        raise WireError(f"{name} cannot be read: {quoted(' '.join(words))}")
