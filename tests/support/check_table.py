"""A check of a client in memory: clients of several protocols, sound ones and ones with planted faults."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path

from support.memory_server import MAX_LINES, Peer, ReactorClock, connect_peer
from twisted.internet.address import IPv4Address

from ump.bots.bot import Bot, BotPlayer, Legal
from ump.bots.check.check import Check
from ump.bots.check.run import Awaited, SituationResult, Transcripts
from ump.bots.check.situation import RULES, Situation
from ump.bots.check.situations import SITUATIONS
from ump.bots.conversations import PROTOCOLS, ClientFacts, Conversation
from ump.model.actions import Action
from ump.model.phases import Phase
from ump.net.connection_limits import OpenConnections
from ump.net.limits import Limits
from ump.net.lines import LineFactory
from ump.players.efficiency import Efficiency
from ump.players.observation import Observation
from ump.players.policy import Policy, Tsumogiri
from ump.table.clock import TimeControl
from ump.wire.dialect import RoomInfo
from ump.wire.session import ServerRefusal

PORTS = {"ump-0.1": "listen", "ump-0.2": "listen", "mjai": "mjai"}
"""The option of the port at which each protocol is spoken."""

MAX_TURNS = 60.0
"""Seconds by which the clock moves at most while nothing happens."""


class PolicyBot(Bot):
    """A bot that plays by a policy."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    def decide(self, observation: Observation, legal: Legal) -> Action:
        """Return the choice of the policy."""
        return self._policy.choose(observation, legal.phase, legal.tile, tuple(legal))


class Client:
    """A client with nothing wrong, on one connection. It plays one game, and comes back if the connection is lost."""

    POLICY: Callable[[], Policy] = Efficiency
    PROTOCOL = "ump-0.1"

    def __init__(self, peer: Peer, seat_token: str | None = None) -> None:
        """``seat_token`` takes the seat of an earlier connection back."""
        self.peer = peer
        self._introduction = ClientFacts("client", seat_token=seat_token)
        self.seen: list[str] = []
        """Every line that the client has received."""
        self.conversation = self._converse(BotPlayer(PolicyBot(self.POLICY()), lambda text: None))
        for message in self.conversation.begin():
            peer.say(message)

    def _converse(self, player: BotPlayer) -> Conversation:
        self.player = player
        return PROTOCOLS[self.PROTOCOL].converse(player, self._introduction)

    def play(self) -> bool:
        """Answer what has come; return whether anything had."""
        lines = self.peer.heard()
        for line in lines:
            self.seen.append(line)
            if self.peer.is_connected:
                self.take(line)
        return bool(lines)

    def take(self, line: str) -> None:
        """Answer a line."""
        for answer in self.answers(line):
            self.peer.say(answer)
        if self.conversation.is_over:
            self.peer.hang_up()

    def answers(self, line: str) -> Sequence[str]:
        """Return the answers to a line."""
        try:
            return [self.changed(line, answer) for answer in self.conversation.receive(line)]
        except ServerRefusal:
            self.player.seat_token = None
            self.peer.hang_up()
            return []

    def changed(self, line: str, answer: str) -> str:
        """Return what is sent in place of a sound answer."""
        return answer


class Careful(Client):
    """Discards what it draws."""

    POLICY = Tsumogiri


def as_phase(line: str) -> Phase | None:
    """Return the kind of question that a line of UMP asks, or None."""
    word = line.split()[1]
    return {"sutehai?": Phase.TURN, "naku?": Phase.CALL}.get(word)


class MemoryCheck:
    """A check whose clients connect in memory, again and again until it is over."""

    def __init__(
        self,
        make_client: type[Client],
        situations: Sequence[Situation] = SITUATIONS,
        trace: Path | None = None,
    ) -> None:
        self.clock = ReactorClock()
        connections = OpenConnections(Limits(), Transcripts(self.clock))
        self.check = Check(situations, TimeControl(10, 10), self.clock, trace=trace)
        self._connections = connections
        self._make_client = make_client
        self._ports = count(40_000)
        self.clients: list[Client] = []

    def connect(self, protocol: str) -> Peer:
        """Connect a peer."""
        rooms = [RoomInfo("main", RULES[self.check.players], 0, 10, 10)]
        factory = LineFactory(PORTS[protocol], rooms, self.check, self._connections, self.clock)
        return connect_peer(factory.buildProtocol(None), IPv4Address("TCP", "192.0.2.1", next(self._ports)))

    def play(self) -> dict[str, SituationResult]:
        """Play to the end, and return the result of each situation by its name."""
        self.check.begin(Awaited())
        client: Client | None = None
        for _ in range(MAX_LINES):
            if self.check.over.called:
                break
            if client is None or not client.peer.is_connected:
                token = None if client is None else client.player.seat_token
                client = self._make_client(self.connect(self._make_client.PROTOCOL), token)
                self.clients.append(client)
            if not client.play():
                self._wait()
        self.close()
        return {verdict.situation.name: verdict.result for verdict in self.check.verdicts}

    def _wait(self) -> None:
        """Run what is due, or move the clock to the next call."""
        due = min((call.getTime() for call in self.clock.getDelayedCalls()), default=self.clock.seconds())
        self.clock.advance(max(0.0, due - self.clock.seconds()))

    def close(self) -> None:
        """Disconnect, and check that nothing is left."""
        assert self.check.over.called
        for client in self.clients:
            client.peer.hang_up()
        self._connections.log.close()
        assert not self.clock.getDelayedCalls()
        assert not len(self._connections)
