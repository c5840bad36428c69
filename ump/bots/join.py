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

from ump.bots.links import GREETING_SECONDS, PROBE, PROBE_SECONDS, Service, service_of, wrong_service
from ump.model.actions import Action, Discard
from ump.model.claims import Claim, IllegalAction, Reason, Verb
from ump.model.events import Event, GameEnded, GameStarted, KyokuStarted
from ump.model.hand import Hand
from ump.model.phases import Phase
from ump.model.seats import Ranking, Seat, places_of
from ump.model.tiles import Face
from ump.model.value import value
from ump.net.bot_commands import BotCommand
from ump.net.child_process import TRACEBACK, Child, ChildConnection, Ending
from ump.net.connection import Idle
from ump.net.connection_limits import OpenConnections
from ump.net.limits import SILENT_SECONDS, Limits
from ump.players.claimable import legal_actions
from ump.players.observation import Observation
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Ruleset
from ump.table.chair import MAX_SILENT
from ump.text.layout import printable
from ump.wire.session import Render, TableInfo
from ump.wire.text import WireError
from ump.wire.ump import reader as told
from ump.wire.ump import sentences01
from ump.wire.ump.answers import write_action, write_claim
from ump.wire.ump.reader import ClientEvent, QuestionAsked, ReadyAsked, UmpReader
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
    """The bot, the server on which it plays, and its name there."""

    host: str
    port: int
    command: BotCommand
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


# The connection to the server


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
        self._reader = UmpReader()
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
            case QuestionAsked() | ReadyAsked():
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


# One game of the bot: the server's events and questions go to a child process, its answers back


UNTIMED = 60.0
"""The time for a question, in seconds, that the bot receives if the server states none."""


class VisibleEvent:
    """An event for the bot. The server has already hidden what its seat may not see."""

    def __init__(self, event: Event) -> None:
        self._event = event

    def seen_by(self, seat: Seat | None) -> Event:
        """Return the event."""
        return self._event

    def rendered(self, render: Render, seat: Seat | None) -> tuple[str, ...]:
        """Return the texts that ``render`` makes of it."""
        return render(self._event, seat)


class ServerQuestion:
    """A question of the server, in the form that a session expects. Raises ValueError if the game cannot ask it."""

    def __init__(self, asked: QuestionAsked, seen: Observation) -> None:
        self._asked = asked
        self._seen = seen
        self._legal = legal_actions(seen, asked.phase, asked.tile, asked.offers)

    @property
    def phase(self) -> Phase:
        """The kind of question."""
        return self._asked.phase

    @property
    def tile(self) -> Face | None:
        """The drawn tile (None after a call), or the tile that others may call or win on."""
        return self._asked.tile

    @property
    def hand(self) -> Hand:
        """The own hand, as far as the server has shown it."""
        return self._seen.hand

    def legal(self) -> tuple[Action, ...]:
        """Return the actions that the server offers; if it offers none, those that the seat can know to be legal."""
        return self._legal

    def check(self, action: Action) -> None:
        """Raise IllegalAction unless the action is one of these; the server knows better reasons."""
        if action not in self._legal:
            raise IllegalAction(Reason.NOT_ASKED)

    def default(self) -> str:
        """Return the answer for a bot that gives none."""
        if self._asked.phase is not Phase.TURN:
            return write_claim(Claim(Verb.YES if self._asked.phase is Phase.DECLARE else Verb.NO))
        if self._asked.tile is not None:
            return write_action(Discard(self._asked.tile, tsumogiri=True))
        discards = [action for action in self._legal if isinstance(action, Discard)]
        return write_action(discards[-1]) if discards else write_claim(Claim(Verb.NO))


class BotGame(Idle):
    """One game of the bot. When the bot is gone, the client leaves the server."""

    def __init__(self, link: Bridge, command: BotCommand, name: str, seat: Seat, table: TableInfo) -> None:
        """Start the bot with this name in a seat."""
        self._link = link
        self._seen = Observation(seat, table.ruleset)
        self._clock = link.reactor
        self._open: QuestionAsked | ReadyAsked | None = None
        """The question that the bot has not answered yet."""
        self._number = 0
        """The number of the last question, as the session knows it."""
        self._until = 0.0
        """The instant at which the time for the open question ends."""
        self._in_kyoku = False
        """Whether a kyoku has started."""
        self._has_moved = True
        """Whether an event has come since the last question."""
        self._is_gone = False
        self._silent = 0
        """The number of questions in a row that the bot has not answered in time."""
        self._last_words: list[str] = []
        """Lines of standard error since the game was over."""
        self._timer: IDelayedCall | None = None
        """Gives up on a bot that does not answer the open question."""
        self.connection = ChildConnection(command.open_session(name), self, link.connections, link.reactor)
        self.connection.occupant = self
        Child(self.connection, "the bot", link.reactor).start(command.at(seat), command.folder)
        self.connection.sit(seat, table)

    # From the server

    def tell(self, event: Event) -> None:
        """Pass an event on to the bot; raise ValueError if it contradicts earlier ones."""
        self._lapse()
        self._check(event)
        self._seen.see(event)
        self._has_moved = True
        if self._is_gone:
            return
        self.connection.session.tell(VisibleEvent(event), self._clock.seconds())
        if isinstance(event, GameEnded):
            self._cancel_timer()
            self.connection.say_bye()

    def _check(self, event: Event) -> None:
        """Raise ValueError if no game of these rules has this event now."""
        seats = self._seen.ruleset.seats
        match event:
            case GameStarted(names=listed) | KyokuStarted(points=listed) | GameEnded(points=listed):
                if len(listed) != seats:
                    raise ValueError(f"a list of {len(listed)} players in a game of {seats}")
                self._in_kyoku = isinstance(event, KyokuStarted)
            case _:
                if not self._in_kyoku:
                    raise ValueError("an event of a kyoku before its start")
                if getattr(event, "seat", 0) >= seats:
                    raise ValueError("an event of a player who is not there")

    def ask(self, asked: QuestionAsked | ReadyAsked) -> None:
        """Ask the bot. If it has answered this question before, or is gone, answer with the default."""
        self._lapse()
        is_again, self._has_moved = not self._has_moved, False
        self._number += 1
        if is_again or self._is_gone:
            self._answer_default(asked)
            return
        self._open = asked
        now = self._clock.seconds()
        move, bank = (UNTIMED, 0.0) if asked.time is None else (asked.time.move, asked.time.bank)
        self._until = now + move + bank
        self._timer = self._clock.callLater(max(SILENT_SECONDS, move + bank), self._give_up)
        question = ServerQuestion(asked, self._seen) if isinstance(asked, QuestionAsked) else None
        self.connection.session.ask(self._number, question, move, bank, now)

    def end(self) -> None:
        """Dismiss the bot at once."""
        self._is_gone = True
        self._open = None
        self._cancel_timer()
        self.connection.dismiss()

    def _lapse(self) -> None:
        """Close the open question: the server goes on without an answer."""
        if self._open is None:
            return
        self._open = None
        self._cancel_timer()
        now = self._clock.seconds()
        is_late = now >= self._until
        self.connection.session.lapse(self._number, now, by_time=is_late)
        if is_late:
            self._silent += 1
        if self._silent >= MAX_SILENT:
            self._give_up()

    def _give_up(self) -> None:
        self.connection.fail("it does not answer")

    def _cancel_timer(self) -> None:
        if self._timer is not None and self._timer.active():
            self._timer.cancel()

    def _answer_default(self, asked: QuestionAsked | ReadyAsked) -> None:
        text = ServerQuestion(asked, self._seen).default() if isinstance(asked, QuestionAsked) else "ok"
        self._link.send(asked.id, text)

    # From the bot

    @property
    def label(self) -> str:
        """The name of the bot in the log."""
        return self.connection.peer

    def answered(self, number: int, answer: Claim | Action | None, *, is_automatic: bool = False) -> None:
        """Pass an answer on to the server; None is an unreadable one."""
        self._silent = 0
        asked = self._open
        if asked is None or number != self._number:
            return
        self._open = None
        self._cancel_timer()
        if isinstance(asked, ReadyAsked):
            self._link.send(asked.id, "ok")
        elif answer is None:
            self._link.report_repeated("the bot's answer is unreadable; the default is used")
            self._link.note_replaced()
            self._answer_default(asked)
        else:
            self._link.send(asked.id, write_claim(answer) if isinstance(answer, Claim) else write_action(answer))

    def heard(self, *, is_stale: bool) -> None:
        """Note that the bot is alive: it has sent a message that answers no question."""
        self._silent = 0

    def left(self) -> None:
        """Give the seat back: the bot is gone."""
        self._cancel_timer()
        self._is_gone = True
        self._open = None
        self._link.give_up_seat()

    def failed(self, message: str) -> None:
        """Report why the bot was stopped."""
        self._link.fail(f"the bot was stopped: {message}")

    def complained(self, line: str) -> None:
        """Copy a line of the bot's standard error to ours; after the game, keep it until the bot has ended."""
        if self.connection.occupant is None:
            self._last_words.append(line)
        else:
            _copy_error(line)

    def ended(self, ending: Ending) -> None:
        """Report a bot that ends during its game; of one that has reached the end of its input, hide the traceback."""
        words = self._last_words
        if ending.is_early:
            self._link.fail(f"the bot ended during its game, {ending.status}")
        elif TRACEBACK in words:
            words = words[: words.index(TRACEBACK)]
        for line in words:
            _copy_error(line)


def _copy_error(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


# The trial start of a bot


TRIAL_SECONDS = 3.0
"""Seconds for which a bot must live if it does not reply sooner. Bots that load a model may take longer to reply."""

_NAMES = ("trial", "a", "b", "c")


class BotTrial(Idle):
    """Starts the bot at seat 0, tells it that a game begins, and stops it at its first reply."""

    def __init__(self, command: BotCommand, connections: OpenConnections, reactor: Any) -> None:
        self.over: Deferred[str | None] = Deferred()
        """Fires with what is wrong, or with None."""
        self.connection = ChildConnection(command.open_session("trial"), self, connections, reactor)
        self.connection.occupant = self
        self._must_reply = command.dialect == "mjai"
        self._child = Child(self.connection, "the bot", reactor)
        self._child.start(command.at(0), command.folder)
        self._timer: IDelayedCall = reactor.callLater(TRIAL_SECONDS, self._finish, None)
        if not self.over.called:
            self._begin_game(reactor.seconds())

    def _begin_game(self, now: float) -> None:
        self.connection.sit(0, TableInfo("trial", PRESETS["ump"]))
        self.connection.session.tell(VisibleEvent(GameStarted(_NAMES)), now)
        self.connection.session.ask(1, None, TRIAL_SECONDS, 0.0, now)
        self.connection.flush()

    def stop(self) -> None:
        """Stop the bot: the user has interrupted the program."""
        self._finish(None)

    def _finish(self, problem: str | None) -> None:
        if self.over.called:
            return
        if self._timer.active():
            self._timer.cancel()
        self.connection.dismiss()
        self.over.callback(problem)

    # The occupant of the connection

    @property
    def label(self) -> str:
        """The name of the bot in the log."""
        return self.connection.peer

    def answered(self, number: int, answer: Claim | Action | None, *, is_automatic: bool = False) -> None:
        """End the trial if this is a reply of the bot; a bot that reads lines does not reply to the start of a game."""
        if self._must_reply:
            self._finish(None)

    # The observer of the process

    def failed(self, message: str) -> None:
        """Report why the bot was stopped."""
        self._finish(f"the bot was stopped: {message}")

    def complained(self, line: str) -> None:
        """Do nothing: the end of its standard error is printed if the bot fails, and the game prints all of it."""

    def ended(self, ending: Ending) -> None:
        """Report a bot that ends before it has replied, with the end of its standard error."""
        if not self.over.called:
            last = self._child.said_last()
            self._finish(f"the bot ended before its first reply, {ending.status}" + (f"\n{last}" if last else ""))


# The program


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
