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
from twisted.internet.interfaces import IDelayedCall
from twisted.internet.protocol import connectionDone
from twisted.internet.tcp import Connection as TCPConnection
from twisted.protocols.basic import LineOnlyReceiver
from twisted.python.failure import Failure

from ump.model.actions import Action, Discard
from ump.model.claims import Claim, Verb
from ump.model.events import Event, GameEnded, GameStarted
from ump.model.hand import Hand
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.tiles import Face
from ump.model.value import value
from ump.net.bots import Command
from ump.net.child import Child, ChildConnection, Ending
from ump.net.door import Door
from ump.net.limits import SILENT_SECONDS, Limits
from ump.players.claimable import claimable
from ump.players.observation import Observation
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Ruleset
from ump.table.chair import MAX_SILENT
from ump.wire.session import Render, Setting
from ump.wire.text import WireError
from ump.wire.ump01.claims import write_action, write_claim
from ump.wire.ump01.client import ClientBye, ClientHello
from ump.wire.ump01.heard import Asked, Dismissed, Failed, Greeted, Heard, ReadyAsked, Refused, Seated, Waited
from ump.wire.ump01.read import Reader

LONGEST_LINE = 8_192
"""Bytes; more without an end is no sentence."""

EXTENSIONS = (("_offer", "1"), ("_time", "1"), ("_explain", "1"))
"""What is asked of every server; who knows none of it passes it over."""

UNTIMED = 60.0
"""Seconds that a bot is told it has where the server does not say."""

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


class Known:
    """An event on its way to the one bot: the server has hidden what is hidden."""

    def __init__(self, event: Event) -> None:
        self._event = event

    def seen_by(self, seat: Seat | None) -> Event:
        """Return the event."""
        return self._event

    def rendered(self, render: Render, seat: Seat | None) -> tuple[str, ...]:
        """Return what ``render`` makes of it."""
        return render(self._event, seat)


class Question:
    """A question of the server, as a session wants to look at it; raises ValueError where it cannot be one."""

    def __init__(self, asked: Asked, seen: Observation) -> None:
        self._asked = asked
        self._seen = seen
        self._legal = self._list()

    @property
    def phase(self) -> Phase:
        """What kind of question it is."""
        return self._asked.phase

    @property
    def tile(self) -> Face | None:
        """The drawn tile (none after a call), or the tile in question."""
        return self._asked.tile

    @property
    def hand(self) -> Hand:
        """The own hand, as far as it was told."""
        return self._seen.hand

    def legal(self) -> tuple[Action, ...]:
        """Return what the server offers, or what the seat itself can know to be legal where it offers nothing."""
        return self._legal

    def _list(self) -> tuple[Action, ...]:
        seen, tile, offers = self._seen, self._asked.tile, self._asked.offers
        if offers is None:
            return claimable(seen, self._asked.phase, tile)
        if tile is None or Discard(tile, tsumogiri=True) not in offers:
            return offers
        has_equal = seen.hand.faces[tile] > 1 and not seen.in_riichi[seen.me]  # offers do not tell these two apart
        return (Discard(tile), *offers) if has_equal else offers

    def default(self) -> str:
        """Return what is answered for a bot that does not."""
        if self._asked.phase is not Phase.TURN:
            return write_claim(Claim(Verb.YES if self._asked.phase is Phase.DECLARE else Verb.NO))
        if self._asked.tile is not None:
            return write_action(Discard(self._asked.tile, tsumogiri=True))
        discards = [action for action in self._legal if isinstance(action, Discard)]
        return write_action(discards[-1]) if discards else write_claim(Claim(Verb.NO))


class BotGame:
    """One game of the bot: what is told and asked goes to it, and when it is gone the defaults are answered."""

    def __init__(self, bridge: Bridge, seat: Seat, setting: Setting) -> None:
        self._bridge = bridge
        self._seen = Observation(seat, setting.ruleset)
        self._clock = bridge.reactor
        self._open: Asked | ReadyAsked | None = None
        """What the bot was asked and has not answered."""
        self._number = 0
        """How many questions there were: their numbers for the session."""
        self._until = 0.0
        """When the time for the open question is over."""
        self._has_moved = True
        """Whether anything has happened since the last question."""
        self._is_gone = False
        self._silent = 0
        """How many questions in a row ran out."""
        self._silence: IDelayedCall | None = None
        command = bridge.plan.command
        self.connection = ChildConnection(command.open_session(bridge.plan.name), self, bridge.door, bridge.reactor)
        Child(self.connection, "the bot", bridge.reactor).start(command.at(seat))
        self.connection.sit(seat, setting)

    # The server's side

    def tell(self, event: Event) -> None:
        """Tell the bot what has happened; raises ValueError where it cannot have."""
        self._lapse()
        self._seen.see(event)
        self._has_moved = True
        if self._is_gone:
            return
        self.connection.session.tell(Known(event), self._clock.seconds())
        if isinstance(event, GameEnded):
            self._hush()
            self.connection.say_bye()

    def ask(self, asked: Asked | ReadyAsked) -> None:
        """Ask the bot, unless it has answered this already or is gone."""
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
        self._silence = self._clock.callLater(max(SILENT_SECONDS, move + bank), self._give_up)
        question = Question(asked, self._seen) if isinstance(asked, Asked) else None
        self.connection.session.ask(self._number, question, move, bank, now)

    def end(self) -> None:
        """Let the bot go, whatever it is doing."""
        self._is_gone = True
        self._open = None
        self._hush()
        self.connection.dismiss()

    def _lapse(self) -> None:
        """Close the open question: the server goes on without the answer."""
        if self._open is None:
            return
        self._open = None
        self._hush()
        now = self._clock.seconds()
        is_late = now >= self._until
        self.connection.session.lapse(self._number, now, by_time=is_late)
        self._silent += is_late
        if self._silent >= MAX_SILENT:
            self._give_up()

    def _give_up(self) -> None:
        self.connection.fail("it does not answer")

    def _hush(self) -> None:
        if self._silence is not None and self._silence.active():
            self._silence.cancel()

    def _answer_default(self, asked: Asked | ReadyAsked) -> None:
        text = Question(asked, self._seen).default() if isinstance(asked, Asked) else "ok"
        self._bridge.say(asked.id, text)

    # The bot's side

    def answered(self, number: int, answer: Claim | Action | None) -> None:
        """The bot has answered."""
        self._silent = 0
        asked = self._open
        if asked is None or number != self._number:
            return
        self._open = None
        self._hush()
        if isinstance(asked, ReadyAsked):
            self._bridge.say(asked.id, "ok")
        elif answer is None:
            self._bridge.complain_again("the bot's answer cannot be read: the default is answered")
            self._answer_default(asked)
        else:
            self._bridge.say(asked.id, write_claim(answer) if isinstance(answer, Claim) else write_action(answer))

    def heard(self, *, is_stale: bool) -> None:
        """The bot has said something that answers nothing: it is there."""
        self._silent = 0

    def left(self) -> None:
        """The bot is gone: the defaults are answered from now on."""
        self._hush()
        self._is_gone = True
        asked, self._open = self._open, None
        if asked is not None:
            self._answer_default(asked)

    def failed(self, message: str) -> None:
        """The bot is given up."""
        self._bridge.fail(f"the bot is given up: {message}")

    def complained(self, line: str) -> None:
        """Hand on what the bot writes to its standard error."""
        print(line, file=sys.stderr, flush=True)

    def ended(self, ending: Ending) -> None:
        """Say that the bot has ended before its game."""
        if ending.is_early:
            self._bridge.fail(f"the bot has ended in its game, {ending.status}")


class Bridge(LineOnlyReceiver):
    """The connection to the server, from its hello until everything is over."""

    transport: TCPConnection
    delimiter = b"\n"
    MAX_LENGTH = LONGEST_LINE

    def __init__(self, plan: Plan, reactor: Any) -> None:
        self.plan = plan
        self.reactor = reactor
        self.door = Door(Limits())
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
        self.door.empty().addCallback(self.over.callback)

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

    def _take(self, heard: Heard) -> None:
        take = _TAKE.get(type(heard), Bridge._take_event)
        take(self, heard)

    def _take_greeted(self, greeted: Greeted) -> None:
        named = PRESETS.get(dict(greeted.options).get("_rule", ""))
        self._ruleset = self.plan.rules or named or self._ruleset
        self.say(greeted.id, self.plan.hello())

    def _take_seated(self, seated: Seated) -> None:
        if seated.seat is None:
            raise ValueError("there is no seat for us")
        setting = Setting(f"{self.plan.host}:{self.plan.port}", self._ruleset)
        self._game = BotGame(self, seated.seat, setting)

    def _take_asked(self, asked: Asked | ReadyAsked) -> None:
        self._in_game().ask(asked)

    def _take_refused(self, refused: Refused) -> None:
        self.complain_again(f"the server refuses the bot's answer: {refused.reason.value}")

    def _take_dismissed(self, dismissed: Dismissed) -> None:
        self.say(dismissed.id, ClientBye.NAME)
        if self._game is not None:
            self.fail("the server has ended before the game was over")
        self._leave()

    def _take_failed(self, failed: Failed) -> None:
        self.fail(f"the server says: {failed.message}")
        self._leave()

    def _take_waited(self, waited: Waited) -> None:
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
    Greeted: Bridge._take_greeted,
    Seated: Bridge._take_seated,
    Asked: Bridge._take_asked,
    ReadyAsked: Bridge._take_asked,
    Refused: Bridge._take_refused,
    Dismissed: Bridge._take_dismissed,
    Failed: Bridge._take_failed,
    Waited: Bridge._take_waited,
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
