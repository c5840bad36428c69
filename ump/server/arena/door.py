"""The ports of one network player of an arena, and its bots: those that wait for a game, and those that it starts."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from twisted.internet.defer import CancelledError, Deferred, TimeoutError
from twisted.internet.error import ProcessExitedAlready
from twisted.internet.interfaces import IProtocolFactory
from twisted.internet.protocol import ProcessProtocol
from twisted.python.failure import Failure

from ump.net.child_process import ChildSessions, bot_environment, without_controls
from ump.net.connection import Connection, Idle
from ump.net.connection_limits import OpenConnections
from ump.net.dialects import HTTP
from ump.net.limits import KILL_SECONDS, MAX_TAIL, PIPE_SECONDS, QUIT_SECONDS
from ump.net.lines import LineFactory
from ump.net.listener import Listener
from ump.server.arena.programs import NetworkProgram
from ump.server.http.site import make_site
from ump.server.player_connection import PlayerConnection
from ump.server.seat_tokens import KeptSeat, SeatTokens, hash_of, return_hashes
from ump.wire.dialect import RoomInfo
from ump.wire.session import UNKNOWN_TOKEN, Introduction

CONNECT_SECONDS = 30.0
"""The time from the start of a bot until it has said hello. Bots that load a model may need some of it."""


class StartedBot(ProcessProtocol):
    """A process that connects to the arena by itself. Its output is read and dropped, but for its end."""

    transport: Any

    def __init__(self, words: list[str], sessions: ChildSessions, reactor: Any) -> None:
        """Start it; raises OSError."""
        self._sessions, self._reactor = sessions, reactor
        self._tail = bytearray()
        self.status: str | None = None
        """The status with which it ended; None while it runs."""
        self.awaited: Deferred[PlayerConnection] | None = None
        """Cancelled if the bot ends before it has said hello."""
        self.gone: Deferred[None] = Deferred()
        """Fires when it has ended."""
        launching = sessions.launching(words, None)
        reactor.spawnProcess(self, launching[0], launching, env=bot_environment())
        self._process: int = self.transport.pid
        sessions.add(self._process)

    @property
    def said_last(self) -> str:
        """The last line of its output, without control characters."""
        lines = without_controls(bytes(self._tail)).splitlines()
        return lines[-1] if lines else ""

    @property
    def why_absent(self) -> str:
        """Why no bot has come, in words."""
        why = f"it did not say hello in {CONNECT_SECONDS:g} seconds"
        if self.status is not None:
            why = f"it ended before it said hello, {self.status}"
        return f"{why}: {self.said_last}" if self.said_last else why

    def outReceived(self, data: bytes) -> None:
        """Keep the end of its output."""
        self._tail += data
        del self._tail[:-MAX_TAIL]

    errReceived = outReceived

    def processExited(self, reason: Failure) -> None:
        """Note its end, and close its pipes soon: other processes may hold them open."""
        error: Any = reason.value
        self.status = f"signal {error.signal}" if error.signal is not None else f"status {error.exitCode}"
        self._sessions.remove(self._process)
        if self.awaited is not None:
            self.awaited.cancel()
        self.gone.callback(None)
        self._reactor.callLater(PIPE_SECONDS, self.transport.loseConnection)

    def stop(self) -> None:
        """Let it end by itself after its game; send SIGTERM, then SIGKILL, if it does not."""
        self._reactor.callLater(QUIT_SECONDS, self.signal, "TERM")
        self._reactor.callLater(QUIT_SECONDS + KILL_SECONDS, self.signal, "KILL")

    async def end(self) -> None:
        """End it now, and wait until it has ended."""
        self.signal("TERM")
        killing = self._reactor.callLater(KILL_SECONDS, self.signal, "KILL")
        await self.gone
        if killing.active():
            killing.cancel()

    def signal(self, name: str) -> None:
        """Send a signal to it and to its children, if it still runs."""
        if self.status is None:
            with suppress(ProcessExitedAlready):
                self.transport.signalProcess(name)
            self._sessions.signal(self._process, name)


class WaitingBot(Idle):
    """The place that the connection of a bot occupies while it waits for a game."""

    def __init__(self, door: Door, player: PlayerConnection) -> None:
        self._door = door
        self._player = player

    @property
    def label(self) -> str:
        """The name of the bot in the log."""
        return f"{self._door.name}: {self._player.name}"

    def left(self) -> None:
        """Forget the bot."""
        self._player.is_gone = True
        self._door.forget(self._player)


class Door:
    """The host of the connections to the ports of one player: each of them is a copy of this player."""

    def __init__(
        self,
        name: str,
        program: NetworkProgram,
        room: RoomInfo,
        connections: OpenConnections,
        sessions: ChildSessions,
        tokens: SeatTokens,
        reactor: Any,
    ) -> None:
        self.name = name
        self._tokens = tokens
        self._program = program
        self._room = room
        self._sessions = sessions
        self._reactor = reactor
        self._ready: deque[PlayerConnection] = deque()
        self._wanted: deque[Deferred[PlayerConnection]] = deque()
        self._is_open = True
        self.listeners = [
            Listener(option, endpoint, self._factory(option, connections), (), reactor)
            for option, endpoint in program.endpoints
        ]

    def _factory(self, option: str, connections: OpenConnections) -> IProtocolFactory:
        rooms: Sequence[RoomInfo] = (self._room,)
        if option == HTTP.name:
            return make_site(rooms, self, connections, self._reactor)
        return LineFactory(option, rooms, self, connections, self._reactor)

    @property
    def is_by_hand(self) -> bool:
        """Whether somebody else starts the bots."""
        return not self._program.words

    def open(self) -> None:
        """Open the ports; raises PortError."""
        for listener in self.listeners:
            listener.startService()

    @property
    def invitation(self) -> str | None:
        """The addresses for bots that somebody else starts; None if the arena starts them."""
        if not self.is_by_hand:
            return None
        ports = (f"{each.option} {':'.join(map(str, each.address or ('',)))}" for each in self.listeners)
        return f"{self.name}: waiting for bots at {', '.join(ports)}"

    def close(self) -> None:
        """Close the ports, and turn waiting bots away."""
        self._is_open = False
        for listener in self.listeners:
            listener.stopService()
        for player in tuple(self._ready):
            self._ready.remove(player)
            player.connection.occupant = None
            player.connection.dismiss()
        for wanted in tuple(self._wanted):
            wanted.cancel()

    def start(self, name: str) -> StartedBot:
        """Start a bot for a seat; raises OSError."""
        numbers = {each.option: each.address[1] for each in self.listeners if each.address is not None}
        return StartedBot(self._program.words_at(numbers, name), self._sessions, self._reactor)

    async def take(self, started: StartedBot | None, within: float | None = None) -> PlayerConnection | None:
        """Return a bot that has said hello, as soon as there is one; None if the started one does not come in time.

        ``within`` is given by a game that has lost a bot: it comes before games that have not begun, and waits for so
        many seconds instead of CONNECT_SECONDS. Bots that somebody else starts have no other limit.
        """
        if self._ready:
            return self._ready.popleft()
        if started is not None and started.status is not None:
            return None
        wanted: Deferred[PlayerConnection] = Deferred()
        (self._wanted.append if within is None else self._wanted.appendleft)(wanted)
        if within is not None or started is not None:
            wanted.addTimeout(CONNECT_SECONDS if within is None else within, self._reactor)
        if started is not None:
            started.awaited = wanted
        try:
            return await wanted
        except (TimeoutError, CancelledError):
            return None
        finally:
            if wanted in self._wanted:
                self._wanted.remove(wanted)

    def give_back(self, player: PlayerConnection) -> None:
        """Let a bot that stays after its game play the next one."""
        player.connection.occupant = WaitingBot(self, player)
        self._ready.append(player)
        self._serve()

    def forget(self, player: PlayerConnection) -> None:
        """Remove a bot that has left while it waited."""
        with suppress(ValueError):
            self._ready.remove(player)

    def welcome(self, connection: Connection, introduction: Introduction) -> None:
        """Let a bot wait for its game, in whichever room it asks for."""
        if not self._is_open:
            connection.fail("the arena is over")
        elif introduction.watch is not None:
            connection.fail("an arena has no spectators")
        elif (kept := self._kept(connection, introduction)) is not None:
            kept.table.come_back(kept.seat, PlayerConnection(connection, kept.name, self._games(introduction)))
        elif introduction.token is not None:
            connection.turn_back(UNKNOWN_TOKEN)
        elif self._room.ruleset.seats not in connection.session.PLAYERS:
            connection.fail(f"{connection.session.DIALECT} has no words for {self._room.ruleset.seats} players")
        else:
            self.give_back(PlayerConnection(connection, introduction.name or self.name, self._games(introduction)))

    def _games(self, introduction: Introduction) -> int:
        """Return for how many games a bot stays; one that the arena starts plays one."""
        return introduction.games if self.is_by_hand else 1

    def _kept(self, connection: Connection, introduction: Introduction) -> KeptSeat | None:
        """Return the seat that a client comes back to, by its token or by what its connection is known by."""
        hashes = return_hashes(connection, None) if introduction.token is None else (hash_of(introduction.token),)
        return self._tokens.find_hash(hashes[0]) if hashes else None

    def _serve(self) -> None:
        """Give the bots that are ready to the games that want them, the oldest first."""
        while self._ready and self._wanted:
            wanted = self._wanted.popleft()
            wanted.callback(self._ready.popleft())
