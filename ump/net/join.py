"""The bridge: a bot behind standard streams as a client of any UMP 0.1 server.

What the server says becomes events again, and its questions become questions of a session in the bot's dialect; what
the bot answers becomes a sentence. Whether an answer counts is for the server to say: where it asks the same question
again, the default is answered, because a bot behind a pipe cannot be asked twice.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from signal import SIG_IGN, SIGINT, signal
from typing import Any

from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.endpoints import HostnameEndpoint, connectProtocol
from twisted.internet.protocol import connectionDone
from twisted.internet.tcp import Connection as TCPConnection
from twisted.protocols.basic import LineOnlyReceiver
from twisted.python.failure import Failure

from ump.model.events import Event, GameEnded, GameStarted
from ump.model.value import value
from ump.net.bot_commands import Command
from ump.net.bot_game import BotGame
from ump.net.connection_limits import OpenConnections
from ump.net.limits import Limits
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Ruleset
from ump.wire.session import TableInfo
from ump.wire.text import WireError
from ump.wire.ump01.client_events import (
    AnswerRefused,
    ByeReceived,
    ClientEvent,
    ErrorReceived,
    HelloReceived,
    PlayersWaiting,
    QuestionAsked,
    ReadyAsked,
    SeatAssigned,
)
from ump.wire.ump01.client_messages import ClientBye, ClientHello
from ump.wire.ump01.read import Reader

LONGEST_LINE = 8_192
"""Bytes; more without an end is no sentence."""

EXTENSIONS = (("_offer", "1"), ("_time", "1"), ("_explain", "1"))
"""What is asked of every server; who knows none of it passes it over."""

INTERRUPTED = 130


@value
class Plan:
    """Which bot is to play where, and as whom."""

    host: str
    port: int
    command: Command
    name: str
    room: str | None = None
    games: int = 1
    """How many games to stay for; 0: until the server ends."""
    user: str | None = None
    password: str | None = None
    rules: Ruleset | None = None
    """What the hand is read by; None: the preset that the server names."""

    def hello(self) -> str:
        """Return what the client says first."""
        options = [("ump", "0.1"), ("name", self.name), *EXTENSIONS, ("_games", str(self.games))]
        wanted = (("_room", self.room), ("user", self.user), ("password", self.password))
        options += [(option, text) for option, text in wanted if text is not None]
        return ClientHello(tuple(options)).serialise()


class Bridge(LineOnlyReceiver):
    """The connection to the server, from its hello until everything is over."""

    transport: TCPConnection
    delimiter = b"\n"
    MAX_LENGTH = LONGEST_LINE

    def __init__(self, plan: Plan, reactor: Any) -> None:
        self.plan = plan
        self.reactor = reactor
        self.connections = OpenConnections(Limits())
        """Where bots are counted, until the last of them is gone."""
        self.over: Deferred[None] = Deferred()
        """Fires when the connection and all bots are gone."""
        self._reader = Reader()
        self._ruleset = plan.rules or PRESETS["ump"]
        self._game: BotGame | None = None
        self._names: tuple[str, ...] = ()
        self._complaints: Counter[str] = Counter()
        self._played = 0
        self._has_failed = False
        self._is_interrupted = False
        self._is_leaving = False
        """Whether the end of the connection is nothing to complain about."""
        self._connecting: Deferred[Any] | None = None

    @property
    def status(self) -> int:
        """The exit status: whether games were played to their end, and all of them by the bot."""
        if self._is_interrupted:
            return INTERRUPTED
        return 1 if self._has_failed or not self._played else 0

    def complain(self, text: str) -> None:
        """Say something on standard error."""
        print(f"ump join: {text}", file=sys.stderr, flush=True)

    def complain_again(self, text: str) -> None:
        """Say something that may come often: the first, second, fourth, eighth .. time."""
        self._complaints[text] += 1
        count = self._complaints[text]
        if count & (count - 1) == 0:
            self.complain(text if count == 1 else f"{text} ({count} times)")

    def fail(self, text: str) -> None:
        """Say what went wrong, unless the user has wished for the end."""
        if not self._is_interrupted:
            self.complain(text)
        self._has_failed = True

    def say(self, number: int, text: str) -> None:
        """Say a sentence."""
        self.transport.write(f"{number} {text}\r\n".encode("ascii"))

    # From beginning to end

    def start(self) -> None:
        """Connect."""
        endpoint = HostnameEndpoint(self.reactor, self.plan.host, self.plan.port)
        self._connecting = connectProtocol(endpoint, self)
        self._connecting.addErrback(self._cannot_connect)

    def interrupt(self) -> Deferred[None] | None:
        """End at the user's wish; the reactor waits for the Deferred."""
        if self.over.called:
            return None
        self._is_interrupted = True
        signal(SIGINT, SIG_IGN)  # the end has begun: a second Ctrl-C could not hasten it
        if self.connected:
            self.say(0, ClientBye.NAME)
            self._leave()
        elif self._connecting is not None:
            self._connecting.cancel()
        return self.over

    def _cannot_connect(self, reason: Failure) -> None:
        if not reason.check(CancelledError):
            why = reason.getErrorMessage().rstrip(".")
            self.fail(f"no connection to {self.plan.host} port {self.plan.port}: {why}")
        self.over.callback(None)

    def _leave(self) -> None:
        self._is_leaving = True
        self.transport.loseConnection()

    def connectionMade(self) -> None:
        """Wait for the server's hello."""
        self.transport.setTcpNoDelay(True)
        self.transport.setTcpKeepAlive(True)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Let the bot go, and wait for its end."""
        if not self._is_leaving:
            self.fail("the server has closed the connection")
        if self._game is not None:
            self._game.end()
        self.connections.empty().addCallback(self.over.callback)

    # What the server says

    def lineReceived(self, line: bytes) -> None:
        """Take a line; one that is not understood is passed over."""
        try:
            heard = self._reader.read(line.decode("ascii", "replace").rstrip("\r"))
        except WireError as error:
            self.complain_again(f"passed over: {error}")
            return
        for each in heard:
            try:
                self._take(each)
            except ValueError as error:
                self.fail(f"{self.plan.host} does not play mahjong: {error}")
                self._leave()
                return
        if self._game is not None:
            self._game.connection.flush()

    def lineLengthExceeded(self, line: bytes) -> None:
        """Leave: this is no server of UMP."""
        self.fail(f"{self.plan.host} does not speak UMP: a line of more than {LONGEST_LINE} bytes")
        self._leave()

    def _take(self, heard: ClientEvent) -> None:
        take = _TAKE.get(type(heard), Bridge._take_event)
        take(self, heard)

    def _take_greeted(self, greeted: HelloReceived) -> None:
        named = PRESETS.get(dict(greeted.options).get("_rule", ""))
        self._ruleset = self.plan.rules or named or self._ruleset
        self.say(greeted.id, self.plan.hello())

    def _take_seated(self, seated: SeatAssigned) -> None:
        if seated.seat is None:
            raise ValueError("there is no seat for us")
        setting = TableInfo(f"{self.plan.host}:{self.plan.port}", self._ruleset)
        self._game = BotGame(self, seated.seat, setting)

    def _take_asked(self, asked: QuestionAsked | ReadyAsked) -> None:
        self._in_game().ask(asked)

    def _take_refused(self, refused: AnswerRefused) -> None:
        self.complain_again(f"the server refuses the bot's answer: {refused.reason.value}")

    def _take_dismissed(self, dismissed: ByeReceived) -> None:
        self.say(dismissed.id, ClientBye.NAME)
        if self._game is not None:
            self.fail("the server has ended before the game was over")
        self._leave()

    def _take_failed(self, failed: ErrorReceived) -> None:
        self.fail(f"the server says: {failed.message}")
        self._leave()

    def _take_waited(self, waited: PlayersWaiting) -> None:
        """Wait."""

    def _take_event(self, event: Event) -> None:
        self._in_game().tell(event)
        if isinstance(event, GameStarted):
            self._names = event.names
        elif isinstance(event, GameEnded):
            ranking = sorted(zip(event.points, self._names, strict=True), reverse=True)
            print(", ".join(f"{name} {points}" for points, name in ranking), flush=True)
            self._played += 1
            self._game = None

    def _in_game(self) -> BotGame:
        if self._game is None:
            raise ValueError("something happens before the game has begun")
        return self._game


_TAKE: dict[type, Callable[[Bridge, Any], None]] = {
    HelloReceived: Bridge._take_greeted,
    SeatAssigned: Bridge._take_seated,
    QuestionAsked: Bridge._take_asked,
    ReadyAsked: Bridge._take_asked,
    AnswerRefused: Bridge._take_refused,
    ByeReceived: Bridge._take_dismissed,
    ErrorReceived: Bridge._take_failed,
    PlayersWaiting: Bridge._take_waited,
}
"""What is made of what the server says besides events."""


def play(plan: Plan) -> int:
    """Play until the server says farewell, and return the exit status."""
    from twisted.internet import reactor as installed

    reactor: Any = installed
    bridge = Bridge(plan, reactor)

    def stop(result: None) -> None:
        """End, unless that is what the user has done."""
        if reactor.running and bridge.status != INTERRUPTED:
            reactor.stop()

    bridge.over.addCallback(stop)
    reactor.callWhenRunning(bridge.start)
    reactor.addSystemEventTrigger("before", "shutdown", bridge.interrupt)
    reactor.run()
    return bridge.status
