"""The players of the kill test: clients of UMP 0.1 that come back with tokens, and decide by what they received."""

from __future__ import annotations

import hashlib
import select
import socket
from collections.abc import Callable

from ump.client.bot import Bot, Legal
from ump.client.conversation import Introduction
from ump.client.player import Player
from ump.client.ump_conversations import Ump01Conversation
from ump.model.actions import Action
from ump.model.events import Event, KyokuStarted
from ump.players.efficiency import Efficiency
from ump.players.observation import Observation
from ump.wire.ump01.client_events import ClientEvent, PlayersWaiting, QuestionAsked, ReadyAsked, TokenReceived

HOST = "127.0.0.1"

CONNECT_SECONDS = 10.0


class Digesting(Bot):
    """Chooses by a digest of every event of the kyoku: one event more, less or changed leads to another game."""

    def __init__(self) -> None:
        self._digest = hashlib.sha256()

    def event(self, event: Event) -> None:
        """Add an event to the digest, which begins again with each kyoku."""
        if isinstance(event, KyokuStarted):
            self._digest = hashlib.sha256()
        self._digest.update(repr(event).encode())

    def decide(self, observation: Observation, legal: Legal) -> Action:
        """Return one of the legal actions."""
        return legal[int.from_bytes(self._digest.digest()[:8], "big") % len(legal)]


class Efficient(Bot):
    """Plays like the built-in bot, so that the game has riichi and wins."""

    def decide(self, observation: Observation, legal: Legal) -> Action:
        """Return one of the legal actions."""
        return Efficiency().choose(observation, legal.phase, legal.tile, tuple(legal))


class ReturningConversation(Ump01Conversation):
    """UMP 0.1 of a client that asks for a token, or comes back with it, and answers when it is told to."""

    def __init__(self, player: Player, introduction: Introduction, token: str | None) -> None:
        super().__init__(player, introduction)
        self.token = token
        """The token; None until the server has sent it."""
        self.is_waiting = False
        """Whether the client is in the line of a room."""
        self.asked = 0
        """The questions received, those in the history included."""
        self.answer: list[str] = []
        """The answer to the last one; empty if there is none, or it has been taken."""

    def _options(self) -> list[tuple[str, str]]:
        if self.token is not None:
            return [("_resume", self.token), ("_explain", "1")]
        return [*super()._options(), ("_resume", "1")]

    def _take(self, event: ClientEvent) -> list[str]:
        match event:
            case TokenReceived(token):
                self.token = token
            case PlayersWaiting():
                self.is_waiting = True
            case QuestionAsked() | ReadyAsked():
                self.asked += 1
                self.answer = super()._take(event)
            case _:
                return super()._take(event)
        return []


class Client:
    """One player, over one connection after the other."""

    def __init__(self, name: str, make_bot: Callable[[], Bot]) -> None:
        self.name = name
        self._make_bot = make_bot
        self._token: str | None = None
        self._link: Connection | None = None

    def is_greeted(self) -> bool:
        """Whether the player has answered the server's hello."""
        return self._link is not None and self._link.conversation.is_greeted

    def is_waiting(self) -> bool:
        """Whether the player is in the line of a room."""
        return self._link is not None and self._link.conversation.is_waiting

    def connect(self, port: int) -> None:
        """Connect with a new program, which knows nothing but the token; raises OSError."""
        self.close()
        player = Player(self._make_bot(), _complain, is_strict=True)
        conversation = ReturningConversation(player, Introduction(self.name), self._token)
        self._link = Connection(port, conversation)

    def receive(self, seconds: float) -> None:
        """Read what arrives within some seconds; raises OSError if the connection is lost."""
        assert self._link is not None
        try:
            self._link.receive(seconds)
        finally:
            self._token = self._link.conversation.token

    def answer(self, question: int) -> bool:
        """Answer the question that is the so-manyth of this connection, if it has arrived; return whether it has.

        Earlier questions have been closed by the answers of others, and later ones are not due yet.
        """
        assert self._link is not None
        conversation = self._link.conversation
        if conversation.asked != question or not conversation.answer:
            return False
        answer, conversation.answer = conversation.answer, []
        self._link.send(answer)
        return True

    def close(self) -> None:
        """Close the connection."""
        if self._link is not None:
            self._link.close()
            self._link = None


class Connection:
    """A connection, and the conversation over it."""

    def __init__(self, port: int, conversation: ReturningConversation) -> None:
        self.conversation = conversation
        self._socket = socket.create_connection((HOST, port), CONNECT_SECONDS)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._rest = b""

    def receive(self, seconds: float) -> None:
        """Read what arrives within some seconds, and answer greetings; raises OSError if the connection is lost."""
        if not select.select([self._socket], [], [], seconds)[0]:
            return
        data = self._socket.recv(1 << 16)
        if not data:
            raise ConnectionResetError("the server has closed the connection")
        *lines, self._rest = (self._rest + data).split(b"\r\n")
        self.send([answer for line in lines for answer in self.conversation.receive(line.decode("ascii"))])

    def send(self, answers: list[str]) -> None:
        """Send answers; raises OSError if the connection is lost."""
        if answers:
            self._socket.sendall("".join(f"{answer}\r\n" for answer in answers).encode("ascii"))

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()


def _complain(fault: str) -> None:
    raise ValueError(fault)
