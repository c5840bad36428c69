"""A conversation with a server in some protocol: messages in, messages out, no input or output of its own."""

from __future__ import annotations

import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable

from ump.bots.player import Player
from ump.model.commitments import commitment_of, text_commitment_of
from ump.model.value import value
from ump.wire.session import REPLACED, UNKNOWN_TOKEN
from ump.wire.ump.sentences01 import Commitment, Proof, Reveal, Secret, Seeds, Texts

# A client's part in the walls of its games


def new_text() -> str:
    """Return 256 random bits in hex."""
    return secrets.token_hex(32)


class WallCheck:
    """One client's texts, over all its games and connections.

    The client reports what does not fit: then the server, or a player together with it, may have chosen the walls.
    """

    def __init__(self, report: Callable[[str], object], make_text: Callable[[], str] = new_text) -> None:
        self._report = report
        self._make_text = make_text
        self._text = make_text()
        """The text for the next game."""
        self._revealed: str | None = None
        """The text for the current game."""
        self._commitment: str | None = None
        self._commitments: tuple[str | None, ...] = ()
        self._texts: tuple[str | None, ...] = ()

    @property
    def commitment(self) -> str:
        """The commitment to the text for the next game."""
        return text_commitment_of(self._text)

    def reveal(self) -> Reveal:
        """Return the text, with the commitment to the one for the game after; raise ValueError if it would be wrong."""
        if self.commitment not in self._commitments or self._commitment is None:
            raise ValueError("the server asks for our text, but has not told our commitment and its own")
        self._revealed, self._text = self._text, self._make_text()
        return Reveal(self._revealed, self.commitment)

    def take(self, proof: Proof) -> None:
        """Take what the server says about the walls, and report what does not fit."""
        match proof:
            case Commitment(digest):
                self._commitment, self._commitments, self._texts = digest, (), ()
            case Seeds(commitments):
                self._commitments = commitments
            case Texts(texts):
                self._texts = texts
                self._check_texts()
            case Secret(secret):
                self._check_secret(secret)

    def _check_texts(self) -> None:
        if len(self._texts) != len(self._commitments):
            self._doubt("the server tells other players' texts than commitments")
        for committed, text in zip(self._commitments, self._texts, strict=False):
            if text is not None and text_commitment_of(text) != committed:
                self._doubt("a player's text does not fit its commitment")
            elif text is None and committed is not None:
                self._report("a player has not revealed its text for the walls, so the server plays its seat")
        if self._revealed is not None and self._revealed not in self._texts:
            self._doubt("the server leaves our text out")

    def _check_secret(self, secret: str) -> None:
        if commitment_of(secret) != self._commitment:
            self._doubt("the server's secret does not fit its commitment")
        self._commitment, self._revealed = None, None

    def _doubt(self, why: str) -> None:
        self._report(f"the walls are not proven: {why}")


# Conversations


@value
class Introduction:
    """The facts that a client states about itself."""

    name: str
    room: str | None = None
    """The room to play in; None: the server's choice."""
    games: int = 1
    """The number of games to stay for; 0: no limit."""
    user: str | None = None
    password: str | None = None
    seat_token: str | None = None
    """The token of the seat that the client takes back; it then asks for no name or room, and stays for that game."""
    walls: WallCheck | None = None
    """The client's part in the walls of its games, where the protocol has that; None: it takes no part."""


class ServerRefusal(Exception):
    """The server refuses the client or ends the connection with an error; the text is the server's."""

    @property
    def is_about_token(self) -> bool:
        """Whether the server has no seat for the token of a client that comes back."""
        return str(self) == UNKNOWN_TOKEN

    @property
    def is_final(self) -> bool:
        """Whether another program plays on in place of this one, so that coming back would only push it away."""
        return str(self).startswith(REPLACED)


class Conversation(ABC):
    """One connection as the client sees it."""

    def __init__(self, player: Player, introduction: Introduction) -> None:
        self.is_greeted = False
        """Whether the server has shown that it speaks this protocol."""
        self.is_over = False
        """Whether the client has nothing to wait for any more."""
        self._player = player
        self._introduction = introduction

    def begin(self) -> list[str]:
        """Return the messages that the client sends first; most protocols have none."""
        return []

    @abstractmethod
    def receive(self, message: str) -> list[str]:
        """Take one message without its line end, and return the messages to send.

        Raises WireError (a ValueError) for an unreadable message, ValueError for one that contradicts earlier ones,
        ServerRefusal for an error of the server, and BotFault if the player does not tolerate it.
        """
