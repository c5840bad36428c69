"""The clients of a soak: they play one game after another in all dialects, die at random, and come back or do not."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Awaitable, Callable
from random import Random

from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, CloseConnection, Ping, RejectConnection, Request, TextMessage

from scripts.lab.players import MAJIANG, MJAI, UMP_0_1, UMP_0_2, Efficient, PlayedDialect, Player
from scripts.lab.processes import LOOPBACK
from ump.bots.bot import Bot, BotFault
from ump.model.seats import Ranking, Seat
from ump.wire.json_text import MAX_DOCUMENT
from ump.wire.session import ServerRefusal

THINKING = (0.05, 0.4)  # seconds from a question to its answer, at least and at most
DEATHS = 0.35  # the share of connections that die before their game is over
RETURNS = 0.75  # the share of the dead that come back to their seats
LIFE_SECONDS = 90.0  # A connection that dies does so within this time
AWAY_SECONDS = 12.0  # A client that comes back does so within this time
RETRY_SECONDS = 0.5  # seconds between two attempts to reach a server that is starting


DIALECTS = (UMP_0_1, MJAI, MAJIANG, UMP_0_2)


class Noting(Efficient):
    """Plays like the built-in bot, and notes that a game has begun."""

    def __init__(self, began: Callable[[], object]) -> None:
        self._began = began

    def game_started(self, seat: Seat, names: tuple[str, ...]) -> None:
        self._began()


class Account:
    """The results that all clients have seen: the record has to say the same."""

    def __init__(self) -> None:
        self.begun: set[str] = set()  # the names of clients that were told of a game; each name is used for one game
        self.ended: dict[str, tuple[int, ...]] = {}
        """The final points by seat, by the name of a client that was told of them."""
        self.events: Counter[str] = Counter()  # the events of the clients' lives, with their numbers
        self.refusals: Counter[str] = Counter()  # the server's reasons for refused answers
        self.faults: list[str] = []  # messages that fit no game


class WebSocketStream:
    """The lines of a WebSocket, as a reader and a writer of ``asyncio``."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._frames = WSConnection(ConnectionType.CLIENT)
        self._lines: deque[bytes] = deque()
        self._part = ""
        self._is_open = False
        self.transport = writer.transport

    @classmethod
    async def open(cls, port: int, target: str) -> WebSocketStream:
        """Connect; raises OSError if the server does not accept it."""
        stream = cls(*await asyncio.open_connection(LOOPBACK, port))
        stream._writer.write(stream._frames.send(Request(host=LOOPBACK, target=target)))
        try:
            while not stream._is_open:
                await stream._fill()
        except asyncio.IncompleteReadError as error:
            raise ConnectionResetError("the server has closed the connection") from error
        return stream

    async def readuntil(self, separator: bytes) -> bytes:
        """Return the next line; raises IncompleteReadError when the WebSocket is closed."""
        while not self._lines:
            await self._fill()
        return self._lines.popleft() + separator

    def write(self, data: bytes) -> None:
        """Send each line in a frame of its own."""
        for line in data.decode().splitlines():
            self._writer.write(self._frames.send(TextMessage(line)))

    async def drain(self) -> None:
        """Wait until the other side has read."""
        await self._writer.drain()

    async def _fill(self) -> None:
        data = await self._reader.read(MAX_DOCUMENT)
        if not data:
            raise asyncio.IncompleteReadError(b"", None)
        self._frames.receive_data(data)
        for event in self._frames.events():
            self._take(event)

    def _take(self, event: object) -> None:
        match event:
            case AcceptConnection():
                self._is_open = True
            case RejectConnection():
                raise ConnectionRefusedError
            case Ping():
                self._writer.write(self._frames.send(event.response()))
            case CloseConnection():
                raise asyncio.IncompleteReadError(b"", None)
            case TextMessage():
                self._part += event.data
                if event.message_finished:
                    self._lines += self._part.encode().splitlines()
                    self._part = ""


Reader = asyncio.StreamReader | WebSocketStream
Writer = asyncio.StreamWriter | WebSocketStream


class Visitor:
    """One client at a time: it plays a game under a new name, then the next."""

    def __init__(
        self,
        dialect: PlayedDialect,
        number: int,
        rooms: tuple[str, ...],
        connect: Callable[[str], Awaitable[tuple[Reader, Writer]]],
        account: Account,
        seed: str,
    ) -> None:
        """``connect`` connects to the server with a room, or raises OSError."""
        self._dialect = dialect
        self._number = number
        self._rooms = rooms
        self._connect = connect
        self._account = account
        self._chance = Random(f"{seed} {number}")
        self.is_closing = False  # whether it begins no new games

    async def run(self) -> None:
        games = 0
        while not self.is_closing:
            games += 1
            name = f"{self._dialect.name}-{self._number}-{games}"
            await self._play(name, self._chance.choice(self._rooms))

    async def _play(self, name: str, room: str) -> None:
        """Play one game over as many connections as it takes, or until the client stays away."""
        player = self._player(name, room)
        while True:
            dies = self._chance.random() < DEATHS
            try:
                async with asyncio.timeout(self._chance.uniform(0, LIFE_SECONDS) if dies else None):
                    await self._converse(player)
            except TimeoutError:
                self._account.events["clients killed"] += 1
            except ConnectionRefusedError:
                dies = False  # the server is starting
            except OSError:
                self._account.events["connections lost with the server"] += 1
                dies = False
            except (ValueError, BotFault) as error:
                self._account.faults.append(f"{name}: {error}")
                return
            except ServerRefusal as error:
                self._account.events[f"refused: {error}"] += 1
                return
            else:
                return
            if dies and self._chance.random() > RETURNS:
                self._account.events["of which stayed away"] += 1
                return
            if self.is_closing and player.token is None:
                return
            await asyncio.sleep(self._chance.uniform(0, AWAY_SECONDS) if dies else RETRY_SECONDS)

    def _player(self, name: str, room: str) -> Player:
        def note_end(ranking: Ranking) -> None:
            self._account.ended[name] = ranking.points

        def report(fault: str) -> None:
            self._account.refusals[fault] += 1

        def make_bot() -> Bot:
            return Noting(lambda: self._account.begun.add(name))

        return Player(name, self._dialect, make_bot, report, note_end, room)

    async def _converse(self, player: Player) -> None:
        """Hold a conversation to its end; raises OSError if the connection is lost before."""
        reader, writer = await self._connect(player.room)
        try:
            await _send(writer, player.begin())
            while not player.conversation.is_over:
                if self.is_closing and not player.program.is_in_game and player.token is None:
                    return  # it waits for a table that will not be filled
                await self._receive(reader, writer, player)
        finally:
            writer.transport.abort()

    async def _receive(self, reader: Reader, writer: Writer, player: Player) -> None:
        """Take one message, and answer it after some thought; while waiting for a table, return every second."""
        async with asyncio.timeout(None if player.program.is_in_game else 1.0) as patience:
            try:
                line = await reader.readuntil(b"\n")
            except asyncio.IncompleteReadError as error:
                raise ConnectionResetError("the server has closed the connection") from error
            except asyncio.CancelledError:
                if patience.expired():
                    return
                raise
        decisions = player.program.decisions
        answers = player.receive(line)
        if player.program.decisions > decisions:
            await asyncio.sleep(self._chance.uniform(*THINKING))
        await _send(writer, answers)


async def _send(writer: Writer, answers: bytes) -> None:
    writer.write(answers)
    await writer.drain()
