"""The players of the kill test: they decide by what they have received, and keep answers until they are due."""

from __future__ import annotations

import hashlib
import json
import select
import socket
from abc import ABC, abstractmethod
from collections import deque
from typing import Any

from scripts.lab.players import Efficient, PlayedDialect, Player, written
from scripts.lab.processes import LOOPBACK
from ump.bots.bot import Bot, BotPlayer, Legal
from ump.bots.conversations import ClientFacts, Conversation, LockstepConversation, MajiangConversation, UmpConversation
from ump.bots.ump_client import UMP_02, ClientNews, OpenQuestion
from ump.model.actions import Action
from ump.model.events import DoraRevealed, Event, KyokuStarted
from ump.players.observation import Observation
from ump.wire.ump.reader import ReadyAsked

CONNECT_SECONDS = 10.0


class Digesting(Bot):
    """Chooses by a digest of every event of the kyoku: one event more, less or changed leads to another game.

    Only the place of the indicators does not count: a record of Majiang has them behind the move that they came before.
    """

    def __init__(self) -> None:
        self._digest = hashlib.sha256()
        self._indicators: list[Event] = []

    def event(self, event: Event) -> None:
        """Add an event to the digest, which begins again with each kyoku."""
        if isinstance(event, KyokuStarted):
            self._digest = hashlib.sha256()
            self._indicators.clear()
        if isinstance(event, DoraRevealed):
            self._indicators.append(event)
        else:
            self._digest.update(repr(event).encode())

    def decide(self, observation: Observation, legal: Legal) -> Action:
        digest = self._digest.copy()
        digest.update(repr(self._indicators).encode())
        return legal[int.from_bytes(digest.digest()[:8], "big") % len(legal)]


class Held(Conversation):
    """A conversation that keeps the answers that decide something, and sends one on request."""

    def __init__(self, player: BotPlayer, introduction: ClientFacts, *version: Any) -> None:
        super().__init__(player, introduction, *version)
        self.held: deque[list[str]] = deque()  # answers that wait, the oldest first
        self.asked: int | None = None
        """The questions received, those in the history included; None if the dialect does not show all of them."""

    def release(self, question: int) -> list[str]:
        """Return the answer to the question that is the so-manyth of this connection; [] if it has not arrived.

        Earlier questions have been closed by the answers of others, and later ones are not due yet.
        """
        return self.held.popleft() if self.held else []


class HeldUmp01(Held, UmpConversation):
    """UMP 0.1: every question has a sentence, so that an answer to a closed one is never sent."""

    def _take(self, news: ClientNews) -> list[str]:
        if not isinstance(news, OpenQuestion | ReadyAsked):
            return super()._take(news)
        self.asked = (self.asked or 0) + 1
        self.held.clear()
        self.held.append(super()._take(news))
        return []

    def release(self, question: int) -> list[str]:
        """Return the answer to the question that is the so-manyth of this connection; [] if it has not arrived."""
        return super().release(question) if self.asked == question else []


class HeldUmp02(HeldUmp01):
    """UMP 0.2."""

    def __init__(self, player: BotPlayer, introduction: ClientFacts) -> None:
        super().__init__(player, introduction, UMP_02)


class _HeldJson(Held, ABC):
    """A dialect in which each message needs a reply. Only the choices between a call and a pass are held.

    Others may decide such a question before the reply has been sent. The server drops the reply then, but waits for it.
    """

    def _hold(self, message: str, replies: list[str]) -> list[str]:
        """Keep the replies to a message that asks for a call; return the others."""
        if not self._may_call(json.loads(message)):
            return replies
        self.held.append(replies)
        return []

    @abstractmethod
    def _may_call(self, message: dict[str, Any]) -> bool: ...


class HeldMjai(_HeldJson, LockstepConversation):
    """mjai over TCP."""

    def receive(self, message: str) -> list[str]:
        return self._hold(message, super().receive(message))

    def _may_call(self, message: dict[str, Any]) -> bool:
        return bool(message.get("possible_actions")) and message.get("actor") != self._reader.seat


class HeldMajiang(_HeldJson, MajiangConversation):
    """Majiang over TCP."""

    def receive(self, message: str) -> list[str]:
        return self._hold(message, super().receive(message))

    def _may_call(self, message: dict[str, Any]) -> bool:
        moved = message.get("dapai", message.get("gang"))
        if moved is None or len(message.get("timer", ())) < 2:
            return False
        return bool((self._player.seen.dealer + moved["l"]) % 4 != self._reader.seat)


class HeldPlayer(Player):
    """A player that answers on request, over a socket."""

    conversation: Held
    _socket: socket.socket | None = None

    def connect(self, port: int) -> None:
        """Connect with a new program; raises OSError."""
        self.close()
        self._socket = socket.create_connection((LOOPBACK, port), CONNECT_SECONDS)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._rest = b""
        self._socket.sendall(self.begin())

    def read(self, seconds: float) -> None:
        """Read what arrives within some seconds, and answer greetings; raises OSError if the connection is lost."""
        assert self._socket is not None
        if not select.select([self._socket], [], [], seconds)[0]:
            return
        data = self._socket.recv(1 << 16)
        if not data:
            raise ConnectionResetError("the server has closed the connection")
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._socket.sendall(self.receive(line))

    def answer(self, question: int) -> bool:
        """Answer the question that is the so-manyth of this connection, if it has arrived; return whether it has."""
        assert self._socket is not None
        messages = self.conversation.release(question)
        self._socket.sendall(written(messages))
        return bool(messages)

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None


UMP_0_1 = PlayedDialect("ump-0.1", "listen", HeldUmp01)
UMP_0_2 = PlayedDialect("ump-0.2", "listen", HeldUmp02)
MJAI = PlayedDialect("mjai", "mjai", HeldMjai)
MAJIANG = PlayedDialect("majiang", "majiang", HeldMajiang)


def seated_players(count: int) -> list[HeldPlayer]:
    """Return the players of a game, in the order in which they sit down; Majiang has no games of three."""
    players = [
        HeldPlayer("ump-0.1", UMP_0_1, Digesting, _complain),
        HeldPlayer("mjai", MJAI, Digesting, _complain),
        HeldPlayer("majiang", MAJIANG, Digesting, _complain),
        HeldPlayer("ump-0.2", UMP_0_2, Efficient, _complain),
    ]
    return [player for player in players if count == len(players) or player.dialect is not MAJIANG]


def _complain(fault: str) -> None:
    raise ValueError(fault)
