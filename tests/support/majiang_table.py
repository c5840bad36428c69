"""Four Majiang clients at a table in memory."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Protocol

from support.hosted_table import HostedTable, SessionSeat

from ump.game.game import Game
from ump.table.clock import TimeControl
from ump.table.journal_entries import ActionTaken, AnswerRefused
from ump.wire.majiang.session import MajiangSession
from ump.wire.session import Introduced, Received

Said = dict[str, Any]


class Client(Protocol):
    """One seat's player."""

    def hear(self, message: Said) -> Said | bytes | None:
        """Take a message; return the reply, or None for none."""


class _Texts:
    """A client that reads and writes text."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def hear(self, message: str) -> list[str | bytes]:
        reply = self._client.hear(json.loads(message))
        return [] if reply is None else [reply if isinstance(reply, bytes) else json.dumps(reply)]


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
        """Seat four clients, which all send this hello."""
        self._seats = [_IntroducedSeat(MajiangSession(), _Texts(client), hello or {}) for client in clients]
        self._table = HostedTable(game, self._seats, times)

    def play(self) -> MajiangTable:
        """Play until every client has left."""
        self._table.begin().play()
        assert all(seat.is_gone for seat in self._seats)
        return self

    @property
    def heard(self) -> list[list[Said]]:
        """Every message to each seat."""
        return [list(map(json.loads, seat.heard)) for seat in self._seats]

    @property
    def received(self) -> list[list[Received]]:
        """The results of each session for the client's replies."""
        return [[each for each in seat.received if not isinstance(each, Introduced)] for seat in self._seats]

    @property
    def refused(self) -> list[AnswerRefused]:
        """The refused answers."""
        return self._table.refused

    @property
    def played(self) -> list[ActionTaken]:
        """Every action that was played."""
        return self._table.played


class _IntroducedSeat(SessionSeat):
    """A seat whose client has said hello."""

    def __init__(self, session: MajiangSession, client: _Texts, hello: Said) -> None:
        super().__init__(session, client)
        self.received.append(session.receive(json.dumps({"hello": hello}).encode(), 0.0))


def type_of(message: Said) -> str:
    """Return the type of a message in today's form."""
    (type_,) = message.keys() - {"seq", "timer"}
    return type_
