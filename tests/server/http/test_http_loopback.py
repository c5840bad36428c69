"""HTTP over real sockets: one whole game over each transport."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import BytesIO
from typing import Any, TypeVar, cast

from support.memory_server import room, server_parts
from twisted.internet import reactor as installed
from twisted.internet.defer import Deferred
from twisted.internet.protocol import Protocol, connectionDone
from twisted.python.failure import Failure
from twisted.trial.unittest import TestCase
from twisted.web.client import Agent, FileBodyProducer, HTTPConnectionPool
from twisted.web.http_headers import Headers
from twisted.web.websocket import WebSocketClientEndpoint, WebSocketTransport

from clients.tsumogiri import ANSWERS, VERSIONS
from ump.net.connection_limits import OpenConnections
from ump.net.limits import Limits
from ump.server.http.site import make_site
from ump.server.lobby import Lobby
from ump.server.open_line import gathering_of
from ump.server.room import Room

reactor: Any = installed

Reply = Callable[[dict[str, Any]], dict[str, Any] | None]
"""Returns the answer to a message, or None."""


class Bot:
    """A client with a WebSocket. It keeps the messages and answers them."""

    def __init__(self, reply: Reply, first: dict[str, Any] | None) -> None:
        self.heard: list[dict[str, Any]] = []
        self.gone: Deferred[None] = Deferred()
        """Fires when the connection is closed."""
        self._reply = reply
        self._first = first
        self._transport: WebSocketTransport

    def negotiationStarted(self, transport: WebSocketTransport) -> None:
        """Note the transport."""
        self._transport = transport

    def negotiationFinished(self) -> None:
        """Send the first message, if there is one."""
        if self._first is not None:
            self._transport.sendTextMessage(json.dumps(self._first))

    def textMessageReceived(self, message: str) -> None:
        """Note a message, and answer."""
        self.heard.append(json.loads(message))
        reply = self._reply(self.heard[-1])
        if reply is not None:
            self._transport.sendTextMessage(json.dumps(reply))

    def bytesMessageReceived(self, data: bytes | bytearray) -> None:
        """Ignore binary messages."""

    def pongReceived(self, payload: bytes) -> None:
        """Ignore pongs."""

    def connectionLost(self, reason: Failure) -> None:
        """Note that the connection is closed."""
        self.gone.callback(None)


class UmpBot(Bot):
    """A client of UMP: it answers all sentences of a frame in one frame, and may send that in fragments."""

    def __init__(self, version: str) -> None:
        super().__init__(lambda message: None, None)
        self.sentences: list[str] = []
        self.frames = 0
        self._version = VERSIONS.index(version)
        self._drawn = ""

    def textMessageReceived(self, message: str) -> None:
        """Take a frame."""
        self.frames += 1
        answers = [self._answer(sentence) for sentence in message.split("\n")]
        text = "\r\n".join(answer for answer in answers if answer)
        if text:
            self._transport.sendTextMessage(text)

    def _answer(self, sentence: str) -> str:
        """Return the answer to a sentence, or "" if it needs none."""
        self.sentences.append(sentence)
        number, command, *words = sentence.split()
        arguments = [word for word in words if "=" not in word[1:]]
        if command == "tsumo" and arguments[2:] and arguments[2] != "xx":
            self._drawn = arguments[2]
        answer = ANSWERS.get(command, ("", ""))[self._version]
        return f"{number} {answer.format(name='bot', games=1, drawn=self._drawn)}" if answer else ""


B = TypeVar("B", bound=Bot)


class Bots:
    """Makes one bot."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot

    def buildProtocol(self, url: str) -> Bot:
        """Return the bot."""
        return self._bot


def as_mjai(message: dict[str, Any]) -> dict[str, Any] | None:
    """Pass where that is possible, else discard the last tile that may be."""
    if message["type"] != "request_action":
        return None
    actions = message["possible_actions"]
    chosen = next((action for action in actions if action["type"] == "none"), None)
    chosen = chosen or [action for action in actions if action["type"] == "dahai"][-1]
    return {**chosen, "request_id": message["request_id"]}


class AsMajiang:
    """Discards what it draws, as Majiang's messages have it, and passes on everything."""

    def __init__(self) -> None:
        self._id = 0
        self._wind = 0

    def __call__(self, message: dict[str, Any]) -> dict[str, Any] | None:
        """Reply to messages that need a reply."""
        if "kaiju" in message:
            self._id = message["kaiju"]["id"]
        if "qipai" in message:
            self._wind = (self._id - message["qipai"]["jushu"]) % 4
        if "seq" not in message:
            return None
        drawn = message.get("zimo", {})
        if drawn.get("l") == self._wind:
            return {"seq": message["seq"], "dapai": drawn["p"] + "_"}
        return {"seq": message["seq"]}


class LoopbackTests(TestCase):
    """A server of the test's own, on a port that the system chooses."""

    timeout = 60

    def setUp(self) -> None:
        """Start a server with three built-in bots."""
        self.connections = OpenConnections(Limits())
        settings = room(length="kyoku", house=["tsumogiri:3"], house_after=0, time="5+5")
        parts = server_parts(reactor)
        lobby = Lobby([Room(settings, parts, gathering_of)], parts.tokens)
        port = reactor.listenTCP(0, make_site([settings.info], lobby, self.connections, reactor), interface="127.0.0.1")
        self.addCleanup(port.stopListening)
        self.address = f"127.0.0.1:{port.getHost().port}"

    async def play(self, path: str, reply: Reply, first: dict[str, Any] | None = None) -> Bot:
        """Let a bot play until the server closes."""
        return await self.let_play(path, Bot(reply, first))

    async def let_play(self, path: str, bot: B) -> B:
        """Let a bot play until the server closes."""
        await WebSocketClientEndpoint.new(reactor, f"ws://{self.address}{path}").connect(Bots(bot))
        await bot.gone
        await self.connections.empty()
        return bot

    async def test_a_bot_plays_mjai_on_request(self) -> None:
        """A bot plays in mjai on request."""
        bot = await self.play("/mjai?room=main", as_mjai)
        types = [message["type"] for message in bot.heard]
        assert types[:2] == ["start_game", "start_kyoku"] and types[-1] == "end_game"
        acknowledged = [message["status"] for message in bot.heard if message["type"] == "action_ack"]
        assert set(acknowledged) == {"accepted"} and len(acknowledged) == types.count("request_action")

    async def test_a_client_plays_ump_01_in_frames(self) -> None:
        """A game in UMP 0.1: a step of the table arrives as one frame."""
        bot = await self.let_play("/ump?room=main", UmpBot("0.1"))
        words = [sentence.split()[1] for sentence in bot.sentences]
        assert words[:3] == ["hello", "gamestart", "ready?"] and words[-2:] == ["gameend", "bye"]
        assert [int(sentence.split()[0]) for sentence in bot.sentences] == list(range(len(words)))
        assert bot.frames < len(words) * 2 / 3

    async def test_a_client_plays_ump_02_in_frames(self) -> None:
        """A game in UMP 0.2, which the client's hello has chosen."""
        bot = await self.let_play("/ump", UmpBot("0.2"))
        words = [sentence.split()[1] for sentence in bot.sentences]
        assert words[0] == "hello" and "kyokustart" in words and words[-1] == "gameend"
        assert "_illegal" not in words and bot.frames < len(words) / 2

    async def test_a_bot_plays_majiang_over_websocket(self) -> None:
        """A bot plays in Majiang over WebSocket."""
        bot = await self.play("/majiang", AsMajiang(), {"hello": {"name": "bot"}})
        assert [message["seq"] for message in bot.heard if "seq" in message] == list(
            range(1, 1 + sum("seq" in message for message in bot.heard))
        )
        assert "kaiju" in bot.heard[0] and "jieju" in bot.heard[-1]

    async def test_a_bot_plays_by_polling(self) -> None:
        """A bot logs in, plays by polling and logs out, as majiang-bot does."""
        self.pool = HTTPConnectionPool(reactor)
        self.addCleanup(self.pool.closeCachedConnections)
        names = await PollingBot(self.address, Agent(reactor, pool=self.pool)).play()
        assert names[:4] == ["HELLO", "ROOM", "START", "GAME"] and names[-1] == "END"
        await self.connections.empty()


class PollingBot:
    """A client of net play, one request after the other."""

    def __init__(self, address: str, agent: Agent) -> None:
        self._base = f"http://{address}/server"
        self._agent = agent
        self._headers = Headers()
        self._path = "/socket.io/?EIO=4&transport=polling"

    async def play(self) -> list[str]:
        """Play one game; return the names of the events."""
        await self._fetch("/auth/", "name=bot&passwd=*")
        opening = json.loads((await self._fetch(self._path))[1:])
        self._path += f"&sid={opening['sid']}"
        await self._fetch(self._path, '40\x1e42["ROOM","main"]')
        reply, names = AsMajiang(), []
        while "END" not in names:
            for packet in (await self._fetch(self._path)).split("\x1e"):
                if not packet.startswith("42"):
                    continue
                name, *arguments = json.loads(packet[2:])
                names.append(name)
                answer = reply(arguments[0]) if name == "GAME" else None
                if answer is not None:
                    await self._fetch(self._path, "42" + json.dumps(["GAME", answer]))
        await self._fetch("/logout", "")
        return names

    async def _fetch(self, path: str, body: str | None = None) -> str:
        """Make a request, keep the cookie of the response, and return its body."""
        method, producer = (b"GET", None) if body is None else (b"POST", FileBodyProducer(BytesIO(body.encode())))
        response = cast("Any", await self._agent.request(method, (self._base + path).encode(), self._headers, producer))
        assert response.code in (200, 302), response.code
        for cookie in response.headers.getRawHeaders(b"Set-Cookie", []):
            self._headers.setRawHeaders(b"Cookie", [cookie.partition(b";")[0]])
        content = Content()
        response.deliverBody(content)
        return (await content.whole).decode()


class Content(Protocol):
    """The body of a response."""

    def __init__(self) -> None:
        self.whole: Deferred[bytes] = Deferred()
        self._data = b""

    def dataReceived(self, data: bytes) -> None:
        """Take a part of the body."""
        self._data += data

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Pass on the complete body."""
        self.whole.callback(self._data)
