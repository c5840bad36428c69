"""A bot of ``ump.bots`` at a server in memory, in any protocol."""

from __future__ import annotations

from collections.abc import Callable

from support.carried_client import CarriedClient
from support.memory_server import MAX_LINES, MemoryServer

from ump.bots.bot import Bot, BotPlayer
from ump.bots.conversations import PROTOCOLS, ClientFacts, Conversation
from ump.model.events import Event
from ump.model.seats import Ranking, Seat
from ump.net import dialects
from ump.wire.dialect import Caller
from ump.wire.session import Session

CALLER = Caller(name="me")

SESSIONS: dict[str, tuple[str, Callable[[Caller], Session]]] = {
    "ump-0.1": ("ump-0.1", dialects.UMP.open_session),
    "ump-0.2": ("ump-0.2", dialects.UMP.open_session),
    "mjai in lock-step": ("mjai", dialects.LOCKSTEP.open_session),
    "mjai in batches": ("mjai-pipe", dialects.BATCHES.open_session),
    "mjai line by line": ("mjai-pipe", dialects.LINES.open_session),
    "mjai on request": ("mjai-request", dialects.ON_REQUEST.open_session),
    "majiang": ("majiang", dialects.MAJIANG.open_session),
}
"""For each dialect: the protocol of the client, and how the server's session begins."""


class Watched(Bot):
    """A bot that keeps the messages to it besides questions."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.ranking: list[Ranking] = []
        self.started: list[tuple[Seat, tuple[str, ...]]] = []

    def game_started(self, seat: Seat, names: tuple[str, ...]) -> None:
        """Keep the seat and the names."""
        self.started.append((seat, names))

    def event(self, event: Event) -> None:
        """Keep the event."""
        self.events.append(event)

    def game_ended(self, ranking: Ranking) -> None:
        """Keep the ranking."""
        self.ranking.append(ranking)


class ClientChair(CarriedClient):
    """A bot with its conversation at a server in memory."""

    def __init__(
        self,
        dialect: str,
        bot: Bot,
        server: MemoryServer,
        *,
        games: int = 1,
        is_strict: bool = True,
        seat_token: str | None = None,
        caller: Caller = CALLER,
    ) -> None:
        protocol, open_session = SESSIONS[dialect]
        self.reports: list[str] = []
        self.player = BotPlayer(bot, self.reports.append, is_strict=is_strict)
        introduction = ClientFacts("me", games=games, seat_token=seat_token)
        self.conversation: Conversation = PROTOCOLS[protocol].converse(self.player, introduction)
        self._server = server
        super().__init__(server, open_session(caller), self.conversation.receive, self.conversation.begin())

    def play_on(self, until: Callable[[], bool] = lambda: False) -> None:
        """Play until the server closes the connection, or ``until`` is true."""
        for _ in range(MAX_LINES):
            while not until() and self.hear():
                pass
            if not self.is_open or until():
                return
            self._server.clock.advance(0 if self._is_busy() else 1)
        raise AssertionError("the game does not end")

    def _is_busy(self) -> bool:
        return any(call.getTime() <= self._server.clock.seconds() for call in self._server.clock.getDelayedCalls())
