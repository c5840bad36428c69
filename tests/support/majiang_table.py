"""A table whose four seats speak Majiang, in memory: the network's part, with a clock that jumps to what is due."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Sequence
from typing import Any, Protocol

from ump.game.game import Game
from ump.net.rendering import Rendering
from ump.table.clock import TimeControl
from ump.table.journal_entries import Answered as Played
from ump.table.journal_entries import Entry, Refused
from ump.table.messages import Ask, Finish, Lapse, Message, Refuse, Tell
from ump.table.table import Table
from ump.wire.majiang.session import MajiangSession
from ump.wire.session import Answered, Farewell, InStep, Introduced, Received, Stale, TableInfo, Unreadable

Said = dict[str, Any]

START = 1_000.0
LONGEST = 200_000
"""Messages after which a game will not end any more."""


class Client(Protocol):
    """One seat's player."""

    def hear(self, message: Said) -> Said | bytes | None:
        """Take a message; return the reply, or None for none."""


class MajiangTable:
    """One game, from the hello to the farewell."""

    def __init__(
        self,
        game: Game,
        clients: Sequence[Client],
        *,
        times: TimeControl | None = None,
        hello: Said | None = None,
    ) -> None:
        """Sit four clients down; ``hello`` is what all of them say of themselves."""
        self.now = START
        self.entries: list[Entry] = []
        """What the table remembered."""
        self.heard: list[list[Said]] = [[] for _ in clients]
        """Every message to each seat."""
        self.received: list[list[Received]] = [[] for _ in clients]
        """What each session made of the replies."""
        self.left: set[int] = set()
        """Who has said farewell."""
        self.sessions = [MajiangSession() for _ in clients]
        self._clients = clients
        self._game = game
        self._table = Table(
            game, times or TimeControl(10.0, 20.0), self.entries.append, retries=dict.fromkeys(range(4), 0)
        )
        self._inbox: deque[tuple[int, bytes]] = deque()
        for session in self.sessions:
            session.greet()
            assert session.take() == []
            said = session.receive(json.dumps({"hello": hello or {}}).encode(), self.now)
            assert isinstance(said, Introduced)

    def play(self) -> MajiangTable:
        """Play until everybody has left."""
        for seat, session in enumerate(self.sessions):
            session.sit(seat, TableInfo("table", self._game.ruleset))
        self._pass_on(self._table.begin(self.now))
        for _ in range(LONGEST):
            if len(self.left) == len(self.sessions):
                return self
            if self._inbox:
                seat, message = self._inbox.popleft()
                self._take(seat, self.sessions[seat].receive(message, self.now))
            else:
                self._let_time_pass()
        raise AssertionError("the game does not end")

    @property
    def refused(self) -> list[Refused]:
        """The answers that did not count."""
        return [entry for entry in self.entries if isinstance(entry, Refused)]

    @property
    def played(self) -> list[Played]:
        """The answers that did, and what was played for those who gave none."""
        return [entry for entry in self.entries if isinstance(entry, Played)]

    def _let_time_pass(self) -> None:
        """Go to the next instant at which anybody wants to do something."""
        dues = {seat: due for seat, session in enumerate(self.sessions) if (due := session.due()) is not None}
        due = self._table.due()
        self.now = max(self.now, min([*dues.values(), *([] if due is None else [due])]))
        for seat, instant in dues.items():
            if instant <= self.now and seat not in self.left:
                received = self.sessions[seat].tick(self.now)
                if received is not None:
                    self._take(seat, received)
                    return
                self._flush(seat)
        if due is not None and due <= self.now:
            self._pass_on(self._table.tick(self.now))

    def _take(self, seat: int, received: Received) -> None:
        self.received[seat].append(received)
        match received:
            case Answered():
                self._pass_on(self._table.answer(seat, received.number, received.answer, self.now))
            case Unreadable():
                self._pass_on(self._table.answer(seat, received.number, None, self.now))
            case InStep() | Stale():
                self._table.heard(seat, is_stale=isinstance(received, Stale))
            case Farewell():
                self.left.add(seat)
                self._flush(seat)
                self.sessions[seat].close()
                return
            case _:
                raise AssertionError(received)
        self._flush(seat)

    def _pass_on(self, messages: list[Message]) -> None:
        """Let the sessions say what the table wants to be said."""
        for message in messages:
            match message:
                case Tell():
                    rendering = Rendering(message.event)
                    for session in self.sessions:
                        session.tell(rendering, self.now)
                case Ask():
                    self.sessions[message.seat].ask(
                        message.number, message.question, message.move, message.bank, self.now
                    )
                case Lapse():
                    self.sessions[message.seat].lapse(message.number, self.now, by_time=message.by_time)
                case Refuse():
                    self.sessions[message.seat].refuse(message.number, message.reason, self.now)
                case Finish():
                    for session in self.sessions:
                        session.bye()
        for seat in range(len(self.sessions)):
            self._flush(seat)

    def _flush(self, seat: int) -> None:
        """Let a client hear what is said to it."""
        for text in self.sessions[seat].take():
            assert text.isascii() and "\n" not in text
            message: Said = json.loads(text)
            self.heard[seat].append(message)
            reply = self._clients[seat].hear(message)
            if reply is not None:
                self._inbox.append((seat, reply if isinstance(reply, bytes) else json.dumps(reply).encode()))


def type_of(message: Said) -> str:
    """Return the type of a message in today's form."""
    (type_,) = message.keys() - {"seq", "timer"}
    return type_
