"""A bot of ``ump.bots`` that loses its connection in a game takes its seat back, also after the server has died."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.client_chair import CALLER, ClientChair, Watched
from support.killed_server import killed_server, listens
from support.memory_server import memory_server, room
from support.rows import each_row

from scripts.lab.server import KilledServer
from ump.bots.bot import Legal
from ump.bots.session import ClientOptions, play
from ump.model.actions import Action
from ump.model.events import GameStarted, KyokuStarted, TileDiscarded
from ump.players.observation import Observation
from ump.wire.dialect import Caller

ROOM = room(house=["efficiency:3"], house_after=0, length="tonpu")

CALLERS = {
    "ump-0.1": CALLER,
    "ump-0.2": CALLER,
    "mjai in lock-step": CALLER,
    "mjai on request": Caller(name="me", token="sesame"),
    "majiang": CALLER,
}
"""The dialects in which a player can come back, with what the server knows about the client."""


class Counting(Watched):
    """Plays the default, and counts the discards that it has heard of."""

    def __init__(self) -> None:
        super().__init__()
        self.asked_after: list[int] = []
        """For each question, how many events the bot had heard of."""

    def decide(self, observation: Observation, legal: Legal) -> Action:
        """Return the default."""
        self.asked_after.append(len(self.events))
        return legal.default

    @property
    def starts(self) -> list[KyokuStarted]:
        """The starts of kyoku so far."""
        return [event for event in self.events if isinstance(event, KyokuStarted)]

    @property
    def discards(self) -> int:
        """The number of discards so far, in all games."""
        return sum(isinstance(event, TileDiscarded) for event in self.events)


@each_row("dialect", CALLERS)
def test_a_seat_is_taken_back(dialect: str) -> None:
    """The bot receives the start of the game and the kyoku so far again, and plays to the end."""
    with memory_server(ROOM) as server:
        lost = Counting()
        first = ClientChair(dialect, lost, server, caller=CALLERS[dialect])
        first.play_on(until=lambda: lost.discards == 30)
        first.cut()
        server.clock.advance(20)
        back = Counting()
        second = ClientChair(dialect, back, server, seat_token=first.player.seat_token, caller=CALLERS[dialect])
        second.play_on()
        assert lost.started == back.started
        assert back.events[: len(lost.events)] == lost.events
        assert back.asked_after[0] >= len(lost.events)
        assert (lost.ranking, len(back.ranking)) == ([], 1)
        assert second.player.seat_token is None
        assert second.reports == []


@each_row("dialect", CALLERS)
def test_only_the_current_kyoku_is_repeated(dialect: str) -> None:
    """A bot that comes back in a later kyoku hears nothing of the earlier ones."""
    with memory_server(ROOM) as server:
        lost = Counting()
        first = ClientChair(dialect, lost, server, caller=CALLERS[dialect])
        first.play_on(until=lambda: len(lost.starts) == 2 and len(lost.events) == lost.asked_after[-1])
        first.cut()
        back = Counting()
        second = ClientChair(
            dialect, back, server, seat_token=first.player.seat_token, caller=CALLERS[dialect], games=2
        )
        second.play_on(until=lambda: len(back.asked_after) == 1)
        assert isinstance(back.events[0], GameStarted)
        assert back.events[1] == back.starts[0] == lost.starts[1]
        repeated = lost.events[lost.events.index(lost.starts[1]) :]
        assert back.events[1 : 1 + len(repeated)] == repeated
        assert back.asked_after[0] > len(repeated)
        assert second.reports == []


class Killing(Counting):
    """Kills the server at one of its decisions, and starts it again."""

    def __init__(self, server: KilledServer, kill_at: int) -> None:
        super().__init__()
        self._server = server
        self._kill_at = kill_at

    def decide(self, observation: Observation, legal: Legal) -> Action:
        """Return the default."""
        action = super().decide(observation, legal)
        if len(self.asked_after) == self._kill_at:
            self._server.kill()
            self._server.start()
        return action


@pytest.mark.long
@pytest.mark.once
@pytest.mark.no_cover
def test_a_killed_server(tmp_path: Path) -> None:
    """The game goes on after SIGKILL and a new start of the server, and the bot finishes it."""
    with killed_server(tmp_path) as (server, address):
        bot, reports = Killing(server, kill_at=5), list[str]()
        outcome = play(
            bot,
            ClientOptions(address, name="bot"),
            reports.append,
            sleep=lambda seconds: None if listens(server) else pytest.fail("no server"),
        )
    assert (outcome.games, outcome.refusals, outcome.failure) == (1, 0, None)
    assert [report.startswith("lost the connection") for report in reports] == [True]
    assert bot.started[0] == bot.started[1]
    assert len(bot.ranking) == 1
