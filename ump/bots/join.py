"""``ump join``: a bot behind standard streams plays as a client on any UMP 0.1 server.

First the bot is started once on trial, so that a bot that does not run takes no seat.

The client turns the server's lines into events and questions, passes them to a session in the bot's dialect, and writes
the bot's answers as sentences. The server judges these answers. If it asks the same question again, the client answers
with the default: a bot behind a pipe cannot be asked twice. A bot that is gone during its game gives its seat back.
"""

from __future__ import annotations

import sys
from collections import Counter
from signal import SIG_IGN, SIGINT, signal
from typing import Any

from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.endpoints import HostnameEndpoint, connectProtocol
from twisted.internet.interfaces import IDelayedCall
from twisted.internet.protocol import connectionDone
from twisted.internet.tcp import Connection as TCPConnection
from twisted.protocols.basic import LineOnlyReceiver
from twisted.python.failure import Failure

from ump.bots.bot_game import BotGame, BotTrial
from ump.bots.links import GREETING_SECONDS, PROBE_SECONDS
from ump.model.events import Event, GameEnded, GameStarted
from ump.model.seats import Ranking, Seat, places_of
from ump.model.value import value
from ump.net.bot_commands import Command
from ump.net.connection_limits import OpenConnections
from ump.net.limits import Limits
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Ruleset
from ump.text.layout import printable
from ump.wire.services import PROBE, Service, service_of, wrong_service
from ump.wire.session import TableInfo
from ump.wire.text import WireError
from ump.wire.ump import client_events as told
from ump.wire.ump import sentences01
from ump.wire.ump.client_events import ClientEvent
from ump.wire.ump.reader import Reader
from ump.wire.ump.sentences01 import Bye, ClientHello

LONGEST_LINE = 8_192
"""The length of the longest line, in bytes; a UMP server sends no longer one."""

EXTENSIONS = (("_offer", "1"), ("_time", "1"), ("_explain", "1"))
"""Options in the hello to every server; servers ignore options that they do not know."""

REPLACED = 3
"""The exit status if all games were played, but answers of the bot did not count."""

MOST_REPORTS = 100
"""Different messages about what happens often; a wrong server could cause ever new ones."""


@value
class JoinOptions:
    """Which bot plays on which server, and under which name."""

    host: str
    port: int
    command: Command
    name: str
    room: str | None = None
    games: int = 1
    """The number of games to play; 0: until the server ends."""
    user: str | None = None
    password: str | None = None
    rules: Ruleset | None = None
    """The rules for the bot's legal actions; None: the preset that the server names."""

    def hello(self) -> str:
        """Return the first sentence of the client; raise UnwritableError if an option is too long."""
        options = [("ump", "0.1"), ("name", self.name), *EXTENSIONS, ("_games", str(self.games))]
        given = (("_room", self.room), ("user", self.user), ("password", self.password))
        options += [(option, text) for option, text in given if text is not None]
        return ClientHello(tuple(options)).serialise()


class Bridge(LineOnlyReceiver):
    """The connection to the server, and the games that the bot plays over it."""

    transport: TCPConnection
    delimiter = b"\n"
    MAX_LENGTH = LONGEST_LINE

    def __init__(self, options: JoinOptions, reactor: Any) -> None:
        self.options = options
        self.reactor = reactor
        self.connections = OpenConnections(Limits())
        """The open connections to bots."""
        self.over: Deferred[None] = Deferred()
        """Fires when the connection and all bots are gone."""
        self._reader = Reader()
        self._named: Ruleset | None = None
        """The preset that the server's hello names: that of its first room."""
        self._game: BotGame | None = None
        self._names: tuple[str, ...] = ()
        self._reports: Counter[str] = Counter()
        self._played = 0
        self._replaced = 0
        """The number of the bot's answers that were refused or unreadable."""
        self._is_greeted = False
        """Whether the server has said hello."""
        self._greeting: IDelayedCall | None = None
        """Looks what else the port is if no hello comes."""
        self._seat: Seat = 0
        self._has_failed = False
        self.is_interrupted = False
        """Whether the user has stopped the program."""
        self._is_leaving = False
        """Whether the client is closing the connection itself."""
        self._connecting: Deferred[Any] | None = None
        self._trial: BotTrial | None = None

    @property
    def status(self) -> int:
        """The exit status: 0 if the bot has completed at least one game, nothing has failed, and all answers count."""
        if self._has_failed or not self._played:
            return 1
        return REPLACED if self._replaced else 0

    def report(self, text: str) -> None:
        """Write a message to standard error."""
        print(f"ump join: {text}", file=sys.stderr, flush=True)

    def report_repeated(self, text: str) -> None:
        """Report something that may happen often: only the first, second, fourth, eighth ... time."""
        if text not in self._reports and len(self._reports) >= MOST_REPORTS:
            text = "more of the like"
        self._reports[text] += 1
        count = self._reports[text]
        if count & (count - 1) == 0:
            self.report(text if count == 1 else f"{text} ({count} times)")

    def fail(self, text: str) -> None:
        """Note a failure, and report it unless the user has interrupted the program."""
        if not self.is_interrupted:
            self.report(text)
        self._has_failed = True

    def send(self, number: int, text: str) -> None:
        """Send a sentence with its id."""
        self.transport.write(f"{number} {text}\r\n".encode("ascii"))

    def note_replaced(self) -> None:
        """Count an answer of the bot that did not count."""
        self._replaced += 1

    def give_up_seat(self) -> None:
        """Leave the server, so that it can fill the seat."""
        if self.connected and not self._is_leaving:
            self.send(0, Bye.NAME)
            self._leave()

    # Start and end

    def start(self) -> None:
        """Start the bot on trial; if it replies, connect."""
        self._trial = BotTrial(self.options.command, self.connections, self.reactor)
        self._trial.over.addCallback(self._connect)

    def _connect(self, problem: str | None) -> None:
        """Connect, or end with the problem of the bot."""
        if problem is not None:
            self.fail(problem)
        if problem is not None or self.is_interrupted:
            self.connections.empty().addCallback(self.over.callback)
            return
        endpoint = HostnameEndpoint(self.reactor, self.options.host, self.options.port)
        self._connecting = connectProtocol(endpoint, self)
        self._connecting.addErrback(self._cannot_connect)

    def interrupt(self) -> Deferred[None] | None:
        """Stop because the user asks for it. Return a Deferred for the reactor to wait for, None if all has ended."""
        if self.over.called:
            return None
        self.is_interrupted = True
        signal(SIGINT, SIG_IGN)  # a second Ctrl-C could not end it sooner
        if self.connected:
            self.send(0, Bye.NAME)
            self._leave()
        elif self._connecting is not None:
            self._connecting.cancel()
        elif self._trial is not None:
            self._trial.stop()
        return self.over

    def _cannot_connect(self, reason: Failure) -> None:
        if not reason.check(CancelledError):
            why = reason.getErrorMessage().rstrip(".")
            self.fail(f"no connection to {self.options.host} port {self.options.port}: {why}")
        self.over.callback(None)

    def _leave(self) -> None:
        self._is_leaving = True
        self.transport.loseConnection()

    def connectionMade(self) -> None:
        """Wait for the server's hello."""
        self.transport.setTcpNoDelay(True)
        self.transport.setTcpKeepAlive(True)
        self._greeting = self.reactor.callLater(GREETING_SECONDS, self._probe)

    def _probe(self) -> None:
        """Make a silent server say something: its answer shows which service it is."""
        self._greeting = self.reactor.callLater(PROBE_SECONDS, self._reject_service, b"")
        self.transport.write(PROBE)

    def _reject_service(self, answer: bytes) -> None:
        """Leave a port at which another service answers, or nothing."""
        self.fail(wrong_service(answer, Service.UMP, f"{self.options.host}:{self.options.port}"))
        self._leave()

    def _cancel_greeting(self) -> None:
        if self._greeting is not None and self._greeting.active():
            self._greeting.cancel()

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Dismiss the bot, and wait until its process has ended."""
        self._cancel_greeting()
        if not self._is_leaving and not self._is_greeted:
            self.fail(wrong_service(b"", Service.UMP, f"{self.options.host}:{self.options.port}"))
        elif not self._is_leaving:
            self.fail("the server has closed the connection")
        if self._game is not None:
            self._game.end()
        self.connections.empty().addCallback(self.over.callback)

    # From the server

    def lineReceived(self, line: bytes) -> None:
        """Process a line of the server; ignore an unreadable one, but not before the hello."""
        if self._is_leaving:
            return
        if not self._is_greeted:
            self._cancel_greeting()
            if service_of(line) is not Service.UMP:
                self._reject_service(line)
                return
            self._is_greeted = True
        try:
            events = self._reader.read(line.decode("ascii", "replace").rstrip("\r"))
        except WireError as error:
            self.report_repeated(f"ignored a line: {error}")
            return
        for event in events:
            try:
                self._take(event)
            except ValueError as error:
                self.fail(f"{self.options.host} does not play mahjong: {error}")
                self._leave()
                return
        if self._game is not None:
            self._game.connection.flush()

    def lineLengthExceeded(self, line: bytes) -> None:
        """Disconnect: this is no UMP server."""
        self.fail(f"{self.options.host} does not speak UMP: a line of more than {LONGEST_LINE} bytes")
        self._leave()

    def _take(self, event: ClientEvent) -> None:
        match event:
            case told.HelloReceived():
                self._named = PRESETS.get(dict(event.options).get("_rule", ""))
                self.send(event.id, self.options.hello())
            case told.SeatAssigned(seat):
                if seat is None:
                    raise ValueError("it gives us no seat")
                self._seat = seat
            case told.QuestionAsked() | told.ReadyAsked():
                self._in_game().ask(event)
            case sentences01.Illegal():
                self.report_repeated(f"the server refuses the bot's answer: {event.reason.value}")
                self.note_replaced()
            case told.ByeReceived():
                self.send(event.id, Bye.NAME)
                if self._game is not None:
                    self.fail("the server has ended before the game was over")
                self._leave()
            case sentences01.Error():
                self.fail(f"the server says: {event.message}")
                self._leave()
            case sentences01.Notice(text):
                self.report(f"the server says: {printable(text)}")
            case _:
                if isinstance(event, Event):
                    self._take_game_event(event)

    def _start_game(self, names: tuple[str, ...]) -> None:
        if self._game is not None:
            raise ValueError("a game begins before the last one is over")
        self._names = names
        table = TableInfo(f"{self.options.host}:{self.options.port}", self._rules_for(len(names)))
        self._game = BotGame(self, self.options.command, self.options.name, self._seat, table)

    def _rules_for(self, players: int) -> Ruleset:
        """Return the rules of a game: those of --rules, else a preset, first that of the server."""
        given = self.options.rules
        presets = (self._named, *PRESETS.values()) if given is None else (given,)
        found = next((rules for rules in presets if rules is not None and rules.seats == players), None)
        if found is None:
            raise ValueError(f"a game of {players}{'' if given is None else f', and --rules are for {given.seats}'}")
        return found

    def _take_game_event(self, event: Event) -> None:
        if isinstance(event, GameStarted):
            self._start_game(event.names)
        self._in_game().tell(event)
        if isinstance(event, GameEnded):
            points = event.points
            print(Ranking(self._names, points, event.places or places_of(points), self._seat), flush=True)
            self._played += 1
            self._game = None

    def _in_game(self) -> BotGame:
        if self._game is None:
            raise ValueError("an event before the start of the game")
        return self._game


def play(options: JoinOptions) -> int:
    """Play until the server ends, and return the exit status; raises KeyboardInterrupt if the user has ended it."""
    from twisted.internet import reactor as installed

    reactor: Any = installed
    bridge = Bridge(options, reactor)

    def stop(result: None) -> None:
        """Stop the reactor, unless the user has stopped it."""
        if reactor.running and not bridge.is_interrupted:
            reactor.stop()

    bridge.over.addCallback(stop)
    reactor.callWhenRunning(bridge.start)
    reactor.addSystemEventTrigger("before", "shutdown", bridge.interrupt)
    reactor.run()
    if bridge.is_interrupted:
        raise KeyboardInterrupt
    return bridge.status
