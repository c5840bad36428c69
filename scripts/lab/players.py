"""Players of all dialects: bots that hold a game over one connection after the other."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ump.bots.bot import Bot, BotPlayer, Legal
from ump.bots.conversations import (
    ClientFacts,
    Conversation,
    LockstepConversation,
    MajiangConversation,
    UmpConversation,
)
from ump.bots.ump_client import UMP_02
from ump.model.actions import Action
from ump.model.seats import Ranking
from ump.model.value import value
from ump.players.efficiency import Efficiency
from ump.players.observation import Observation


@value
class PlayedDialect:
    """A dialect, and where it is spoken."""

    name: str
    port: str  # the option that opens its port
    conversation: Callable[[BotPlayer, ClientFacts], Conversation]


UMP_0_1 = PlayedDialect("ump-0.1", "listen", UmpConversation)
UMP_0_2 = PlayedDialect("ump-0.2", "listen", partial(UmpConversation, version=UMP_02))
MJAI = PlayedDialect("mjai", "mjai", LockstepConversation)
MAJIANG = PlayedDialect("majiang", "majiang", MajiangConversation)


class Efficient(Bot):
    """Plays like the built-in bot, so that the game has riichi and wins."""

    def decide(self, observation: Observation, legal: Legal) -> Action:
        return Efficiency().choose(observation, legal.phase, legal.tile, tuple(legal))


class Player:
    """One player of one game: lines in, lines out.

    On each connection it is a new program, which knows nothing of earlier ones but the token of its seat.
    """

    def __init__(
        self,
        name: str,
        dialect: PlayedDialect,
        make_bot: Callable[[], Bot],
        report: Callable[[str], None],
        announce: Callable[[Ranking], None] = lambda ranking: None,
        room: str = "",
    ) -> None:
        """``report`` is called with each refused answer, ``announce`` at the end of the game."""
        self.name = name
        self.dialect = dialect
        self._make_program: Callable[[], BotPlayer] = lambda: BotPlayer(make_bot(), report, announce, is_strict=True)
        self.room = room
        self.token: str | None = None  # that of its seat, as far as the server has said it
        self._start_program()

    def _start_program(self) -> None:
        self.program = self._make_program()
        self.program.seat_token = self.token
        facts = ClientFacts(self.name, self.room or None, seat_token=self.token)
        self.conversation = self.dialect.conversation(self.program, facts)

    def begin(self) -> bytes:
        """Return what a new program says on a new connection, before the server says anything."""
        self._start_program()
        return written(self.conversation.begin())

    def receive(self, line: bytes) -> bytes:
        """Take a line of the server, and return the answers.

        Raises ValueError, BotFault or ServerRefusal as a conversation does.
        """
        answers = self.conversation.receive(line.decode("utf-8").rstrip("\r\n"))
        self.token = self.program.seat_token
        return written(answers)


def written(messages: list[str]) -> bytes:
    return "".join(f"{message}\r\n" for message in messages).encode()
