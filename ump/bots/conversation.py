"""A conversation with a server in some protocol: messages in, messages out, no input or output of its own."""

from __future__ import annotations

from abc import ABC, abstractmethod

from ump.bots.player import Player
from ump.bots.wall_check import WallCheck
from ump.model.value import value
from ump.wire.session import REPLACED, UNKNOWN_TOKEN


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
