"""The sentences of the server that belong to extensions: a client receives them only if it asks for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

from ump.model.claims import Reason
from ump.model.commitments import PLAYER_TEXT
from ump.model.value import value
from ump.wire.sentence import Bare, Sentence, expect
from ump.wire.text import DIGEST, TOKEN, decode, encode, written
from ump.wire.ump01.words import parse_number

_REASONS = {reason.value: reason for reason in Reason}

NOTHING = "-"
"""Stands for a player who adds nothing to the walls, or has not revealed its text."""

PLAYERS = (3, 4)
"""The numbers of players that a game may have."""


@value
class Illegal(Sentence):
    """The reason why an answer was refused, to one, with ``_explain=1`` (extension).

    Format: ``_illegal <id of the question> <reason>``. Example: ``_illegal 57 furiten``
    """

    NAME: ClassVar[str] = "_illegal"
    id: int
    reason: Reason

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        """Read id and reason."""
        expect(len(words) == 2 and words[1] in _REASONS, cls.NAME, words)
        return cls(parse_number(words[0]), _REASONS[words[1]])

    def serialise(self) -> str:
        """Write id and reason."""
        return f"{self.NAME} {self.id} {self.reason.value}"


@value
class Late(Sentence):
    """The time for a question ran out, and the server has answered, to one, with ``_explain=1`` (extension).

    ``left``: how many more timeouts in a row let the server stop waiting for the client; 0: it does not wait any more,
    until the client sends a line. Format: ``_late <id of the question> <left>``. Example: ``_late 57 2``
    """

    NAME: ClassVar[str] = "_late"
    id: int
    left: int

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        """Read id and number."""
        expect(len(words) == 2, cls.NAME, words)
        return cls(parse_number(words[0]), parse_number(words[1]))

    def serialise(self) -> str:
        """Write id and number."""
        return f"{self.NAME} {self.id} {self.left}"


@value
class Waiting(Sentence):
    """The number of players in the room, to one that waits, with ``_explain=1`` (extension).

    Format: ``_waiting <seated> <needed>``. Example: ``_waiting 2 4``
    """

    NAME: ClassVar[str] = "_waiting"
    seated: int
    needed: int

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        """Read two numbers."""
        expect(len(words) == 2, cls.NAME, words)
        return cls(parse_number(words[0]), parse_number(words[1]))

    def serialise(self) -> str:
        """Write both numbers."""
        return f"{self.NAME} {self.seated} {self.needed}"


@value
class Notice(Sentence):
    """What the operator of the server says to everybody, to one, with ``_explain=1`` (extension).

    Format: ``_notice <text>``. Example: ``_notice The%20server%20restarts%20at%2020:00.``
    """

    NAME: ClassVar[str] = "_notice"
    text: str

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        """Read the text."""
        expect(len(words) == 1, cls.NAME, words)
        return cls(decode(words[0]))

    def serialise(self) -> str:
        """Write the text."""
        return written(self.NAME, encode(self.text, is_value=True))


@value
class SeatToken(Sentence):
    """The token with which the client can come back to its seat, with ``_resume=1`` (extension).

    Format: ``_resume <token>``. Example: ``_resume 00112233445566778899aabbccddeeff``
    """

    NAME: ClassVar[str] = "_resume"
    token: str

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        """Read a token."""
        expect(len(words) == 1 and TOKEN.fullmatch(words[0]) is not None, cls.NAME, words)
        return cls(words[0])

    def serialise(self) -> str:
        """Write the token."""
        return f"{self.NAME} {self.token}"


@value
class Commitment(Sentence):
    """The commitment to the secret of the walls, before the game, with ``_proof=1`` (extension).

    Format: ``_commitment <SHA-256 in hex>``. Example:
    ``_commitment 0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a``
    """

    NAME: ClassVar[str] = "_commitment"
    digest: str

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        """Read a digest."""
        expect(len(words) == 1 and DIGEST.fullmatch(words[0]) is not None, cls.NAME, words)
        return cls(words[0])

    def serialise(self) -> str:
        """Write the digest."""
        return f"{self.NAME} {self.digest}"


@value
class Secret(Sentence):
    """The secret of the walls, after the game, with ``_proof=1`` (extension).

    Format: ``_secret <64 hex digits>``. Example:
    ``_secret 0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a``
    """

    NAME: ClassVar[str] = "_secret"
    secret: str

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        """Read a secret."""
        expect(len(words) == 1 and DIGEST.fullmatch(words[0]) is not None, cls.NAME, words)
        return cls(words[0])

    def serialise(self) -> str:
        """Write the secret."""
        return f"{self.NAME} {self.secret}"


@value
class Seeds(Sentence):
    """The players' commitments to their texts for the walls, by seat, with ``_seed=`` or ``_proof=1`` (extension).

    Format: ``_seeds <SHA-256 in hex, or -> ..``, one word for each seat. Example:
    ``_seeds - 0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a - -``
    """

    NAME: ClassVar[str] = "_seeds"
    commitments: tuple[str | None, ...]

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        """Read the digests."""
        are_digests = all(word == NOTHING or DIGEST.fullmatch(word) for word in words)
        expect(len(words) in PLAYERS and are_digests, cls.NAME, words)
        return cls(tuple(map(_word_or_none, words)))

    def serialise(self) -> str:
        """Write the digests."""
        return " ".join((self.NAME, *(each or NOTHING for each in self.commitments)))


@value
class SeedQuestion(Bare):
    """The question for the text of the client's commitment, with ``_seed=`` (extension).

    Format and example: ``_seed?``
    """

    NAME: ClassVar[str] = "_seed?"


@value
class Texts(Sentence):
    """The texts that the players add to the walls, by seat, with ``_seed=`` or ``_proof=1`` (extension).

    Format: ``_texts <text, or -> ..``, one word for each seat. Example:
    ``_texts - 00112233445566778899aabbccddeeff - -``
    """

    NAME: ClassVar[str] = "_texts"
    texts: tuple[str | None, ...]

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        """Read the texts."""
        are_texts = all(word == NOTHING or PLAYER_TEXT.fullmatch(word) for word in words)
        expect(len(words) in PLAYERS and are_texts, cls.NAME, words)
        return cls(tuple(map(_word_or_none, words)))

    def serialise(self) -> str:
        """Write the texts."""
        return " ".join((self.NAME, *(each or NOTHING for each in self.texts)))


def _word_or_none(word: str) -> str | None:
    return None if word == NOTHING else word
