"""An arena in which programs play: how they are named, their ports, one game, and blocks of games.

It runs in this process, on a reactor of its own, several games at a time.
"""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from collections import Counter, deque
from collections.abc import Callable, Coroutine, Generator, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import islice
from threading import Thread
from time import monotonic
from types import TracebackType
from typing import Any, TypeAlias, TypeVar

from twisted.internet.defer import CancelledError, Deferred, DeferredLock, TimeoutError, ensureDeferred, gatherResults
from twisted.internet.interfaces import IProtocolFactory
from twisted.internet.pollreactor import PollReactor
from twisted.internet.process import reapProcessHandlers
from twisted.internet.task import LoopingCall
from twisted.logger import (
    FilteringLogObserver,
    Logger,
    LogLevel,
    LogLevelFilterPredicate,
    globalLogBeginner,
    textFileLogObserver,
)
from twisted.python.failure import Failure

from ump.arena.arena_setup import ArenaSetup
from ump.arena.block_play import Tempo, watched_player
from ump.arena.blocks import ArenaGame, PlannedBlock, PlayedBlock, joined_block, seat_names, seating_of
from ump.arena.play import PlayedGame
from ump.arena.watched import AnswerCounts, Clock, WatchedPlayer
from ump.model.choices import unknown
from ump.model.events import Event
from ump.model.seats import Seat
from ump.model.value import value
from ump.net.bot_commands import BOT_DIALECTS, BotCommand, CommandError, read_command
from ump.net.child_process import ChildSessions, StartedProgram
from ump.net.connection import Connection
from ump.net.connection_budget import Budget
from ump.net.connection_limits import OpenConnections
from ump.net.dialects import HTTP, port_options
from ump.net.endpoints import LOCAL, read_endpoint
from ump.net.limits import QUIT_SECONDS, ChildLimits, ClientLimits, Limits, Rates
from ump.net.lines import LineFactory
from ump.net.listener import Listener
from ump.net.programs import bot_environment
from ump.players.hints import HintScope
from ump.rules.ruleset import Ruleset
from ump.server.bots import BotSeat, ChildBot, ChildBots, Seated
from ump.server.http.site import make_site
from ump.server.lobby import Lobby
from ump.server.new_table import ArrangedGame, EmptySeat, NewGame, TableSetup
from ump.server.player_connection import PlayerConnection
from ump.server.seat_tokens import SeatTokens
from ump.server.settings import RoomSettings, Spectating
from ump.server.spectators import SpectatorTurns
from ump.server.table_runner import TableRunner
from ump.server.table_watch import TableWatch
from ump.server.waiting_room import WaitingRoom
from ump.table import journal_entries as je
from ump.table.chair import Presence
from ump.table.clock import TimeControl
from ump.table.messages import Ask
from ump.table.opening import TableSettings
from ump.table.receivers import Parcel, Rendering
from ump.wire.dialect import RoomInfo
from ump.wire.session import Introduction

# Players of an arena that are programs: how the command line names them.

CONNECT = "connect"
"""The word before the command of a bot that connects to the arena."""

WAIT = "wait"
"""The word before the ports at which the arena waits for bots that somebody else starts."""

PORTS = tuple(option.name for option in port_options())
"""The ports that a bot can connect to, by the names of the server's options."""

_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_FREE = LOCAL.format(0)


class GameStopped(Exception):
    """A game that did not come to its end: the arena is over, or the server has a bug."""


@value
class ChildProgram:
    """A bot that speaks over its standard streams: one process for each seat of each game."""

    command: BotCommand


@value
class NetworkProgram:
    """A bot that connects to ports of its own."""

    endpoints: tuple[tuple[str, str], ...]
    """The option of each port, and where it listens."""
    words: tuple[str, ...] = ()
    """The command that starts a bot for each seat of each game; empty: somebody else starts the bots."""

    def words_at(self, numbers: Mapping[str, int], name: str) -> list[str]:
        """Return the command for a bot of this name; ``numbers`` are its ports, by their options."""
        known = {option: str(number) for option, number in numbers.items()} | {"name": name}
        return [_PLACEHOLDER.sub(lambda found: known.get(found[1], found[0]), word) for word in self.words]


Program: TypeAlias = ChildProgram | NetworkProgram


def read_program(kind: str) -> Program | None:
    """Read the kind of a player; return None if it is no program. Raises CommandError."""
    word, colon, rest = kind.partition(":")
    if not colon:
        return None
    if word in BOT_DIALECTS:
        return ChildProgram(read_command(word, rest))
    if word == CONNECT:
        return _read_connect(rest)
    return _read_wait(rest) if word == WAIT else None


def _read_connect(text: str) -> NetworkProgram:
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise CommandError(f"{text!r}: {str(error).lower()}") from None
    if not words or not words[0]:
        raise CommandError(f"{CONNECT}: expected a command, as in {CONNECT}:python bot.py 127.0.0.1:{{listen}}")
    if shutil.which(words[0]) is None:
        raise CommandError(f"{text!r}: there is no program {words[0]}")
    named = set(_PLACEHOLDER.findall(text))
    ports = tuple((option, _FREE) for option in PORTS if option in named)
    if not ports:
        listed = ", ".join(f"{{{option}}}" for option in PORTS)
        raise CommandError(f"{text!r}: the command does not say which port it connects to; use one of {listed}")
    return NetworkProgram(ports, words)


def _read_wait(text: str) -> NetworkProgram:
    ports = []
    for part in text.split(","):
        option, equals, given = part.partition("=")
        if not equals:
            raise CommandError(f"{WAIT}:{text}: expected OPTION=PORT, as in {WAIT}:mjai=21801")
        if option not in PORTS:
            raise CommandError(f"{WAIT}:{text}: {unknown('port', option, PORTS)}")
        try:
            ports.append((option, read_endpoint(given)))
        except ValueError as error:
            raise CommandError(f"{WAIT}:{text}: {error}") from None
    return NetworkProgram(tuple(ports))


# The ports of one network player of an arena, and its bots: those that wait for a game, and those that it starts.

CONNECT_SECONDS = 60.0
"""The time that a bot has to start: until it has said hello, or on top of its first answer if it need not say hello.

Bots that load a model need some of it, and all of them on a busy computer: node has taken 19 seconds there.
"""


class StartedBot(StartedProgram):
    """A process that connects to the arena by itself. Its output is read and dropped, but for its end."""

    def __init__(self, words: list[str], sessions: ChildSessions, reactor: Any) -> None:
        """Start it; raises OSError."""
        super().__init__(reactor, sessions)
        self.awaited: Deferred[PlayerConnection] | None = None
        """Cancelled if the bot ends before it has said hello."""
        self.gone: Deferred[None] = Deferred()
        """Fires when it has ended."""
        self._begun = reactor.seconds()
        self.launch(words, None, bot_environment())

    @property
    def age(self) -> float:
        """The seconds since its start."""
        return float(self._reactor.seconds() - self._begun)

    @property
    def why_absent(self) -> str:
        """Why no bot has come, in words."""
        why = f"it did not say hello in {CONNECT_SECONDS:g} seconds"
        if self.status is not None:
            why = f"it ended before it said hello, {self.status}"
        said = self.last_words.last_line
        return f"{why}: {said}" if said else why

    def outReceived(self, data: bytes) -> None:
        """Keep the end of its output."""
        self.last_words.take(data)

    def ended(self, status: str) -> None:
        """Tell those who wait for the bot, or for its end."""
        if self.awaited is not None:
            self.awaited.cancel()
        self.gone.callback(None)

    async def end(self) -> None:
        """End it now, and wait until it has ended."""
        self.terminate()
        await self.gone


@dataclass(frozen=True)
class ArenaParts:
    """The parts of an arena that all its ports and tables share."""

    ruleset: Ruleset
    settings: RoomSettings
    reactor: Any
    connections: OpenConnections
    sessions: ChildSessions
    tokens: SeatTokens
    turns: SpectatorTurns

    @property
    def info(self) -> RoomInfo:
        """The room for bots that ask."""
        times = self.settings.times
        return RoomInfo(self.settings.name, self.ruleset, 0, times.move, times.bank)


class ProgramPorts:
    """The ports of one player, and its room: each bot that connects is a copy of this player."""

    def __init__(self, name: str, program: NetworkProgram, parts: ArenaParts) -> None:
        self.name = name
        self._program = program
        self._sessions = parts.sessions
        self._reactor = parts.reactor
        self._room = WaitingRoom(parts.settings, parts.ruleset.seats, parts.turns, self._serve, has_copies=True)
        self._lobby = Lobby([self._room], parts.tokens)
        self._wanted: deque[Deferred[PlayerConnection]] = deque()
        """The places in games that wait for a bot."""
        self.listeners = [
            Listener(option, endpoint, self._factory(option, parts), (), parts.reactor)
            for option, endpoint in program.endpoints
        ]

    def _factory(self, option: str, parts: ArenaParts) -> IProtocolFactory:
        if option == HTTP.name:
            return make_site((parts.info,), self, parts.connections, parts.reactor)
        return LineFactory(option, (parts.info,), self, parts.connections, parts.reactor)

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
        ports = []
        for listener in self.listeners:
            address = listener.address or ("",)
            ports.append(f"{listener.option} {':'.join(map(str, address))}")
        return f"{self.name}: waiting for bots at {', '.join(ports)}"

    def close(self) -> None:
        """Close the ports, and let waiting bots go."""
        for listener in self.listeners:
            listener.stopService()
        self._lobby.close()
        for wanted in tuple(self._wanted):
            wanted.cancel()

    def start(self, name: str) -> StartedBot:
        """Start a bot for a seat; raises OSError."""
        numbers = {}
        for listener in self.listeners:
            if listener.address is not None:
                numbers[listener.option] = listener.address[1]
        return StartedBot(self._program.words_at(numbers, name), self._sessions, self._reactor)

    def welcome(self, connection: Connection, introduction: Introduction) -> None:
        """Let a bot wait for its game, or take its seat back, in whichever room it asks for.

        A bot that the arena has started plays one game.
        """
        if not self.is_by_hand:
            introduction = replace(introduction, games=1)
        self._lobby.welcome(connection, self._room.wanted_by(introduction))

    async def take(self, started: StartedBot | None, within: float | None = None) -> PlayerConnection | None:
        """Return a bot that has said hello, as soon as there is one; None if the started one does not come in time.

        ``within`` is given by a game that has lost a bot: it comes before games that have not begun, and waits for so
        many seconds instead of CONNECT_SECONDS. Bots that somebody else starts have no other limit.
        """
        if self._room.waiting:
            return self._room.take()
        if started is not None and started.status is not None:
            return None
        wanted: Deferred[PlayerConnection] = Deferred()
        if within is None:
            self._wanted.append(wanted)
        else:
            self._wanted.appendleft(wanted)
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

    def let_stay(self, player: PlayerConnection) -> None:
        """Let a bot that stays after its game play the next one."""
        self._room.welcome(player)

    def _serve(self) -> None:
        """Give the bots that wait to the games that want them, the oldest first."""
        while self._room.waiting and self._wanted:
            wanted = self._wanted.popleft()
            wanted.callback(self._room.take())


# One game of an arena in which programs have seats: a table of the server, its programs, and what the arena counts.

RETURN_SECONDS = 60.0
"""For how long a game is kept for each of its programs that have lost their connections, all losses together."""

MOST_RETURNS = 3
"""After so many returns to a game a program is not started again: it crashes in this game, whatever one does."""

LOOK_SECONDS = 0.5
"""Seconds between a game's checks whether the process of a lost connection has ended, too."""

LEFT = "it left its game, or its connection was lost"
"""The fault of a player that is gone, if nothing more is known."""


class GameWatch(TableWatch):
    """Keeps the events of a game, and counts how programs answer."""

    def __init__(
        self,
        counts: Mapping[Seat, AnswerCounts],
        clock: Any,
        lost: Callable[[Seat], object],
        give_time: Callable[[Seat], object],
    ) -> None:
        """Count for the seats of programs, which ``counts`` has.

        ``lost`` hears soon of a seat that lost its player; ``give_time`` hears of a question to a program that starts.
        """
        self.starting: set[Seat] = set()
        """The seats whose programs have been started, and have not answered yet."""
        self.events: list[Event] = []
        self._counts = counts
        self._clock = clock
        self._lost = lost
        self._give_time = give_time
        self._away: set[Seat] = set()
        """The seats whose players may come back; the loss of each is counted."""
        self._asked: dict[Seat, float] = {}
        """When the open questions of programs were asked, by the clock."""

    def receive(self, parcels: Sequence[Parcel], now: float) -> None:
        """Keep events, and when programs are asked."""
        for parcel in parcels:
            if isinstance(parcel, Rendering):
                self.events.append(parcel.event)
            elif isinstance(parcel, Ask) and parcel.seat in self._counts:
                self._ask(parcel, now)

    def _ask(self, ask: Ask, now: float) -> None:
        """Note when a program is asked to act, or when one that starts is asked anything."""
        is_starting = ask.seat in self.starting
        if is_starting:
            self._give_time(ask.seat)
        if is_starting or ask.question is not None:
            self._asked[ask.seat] = now

    def see(self, entry: je.Entry) -> None:
        """Count the answers and losses of programs."""
        match entry:
            case je.ActionTaken(seat, _, je.Cause.ANSWER) | je.PassHeld(seat):
                self._count_answer(seat)
            case je.SeatReady(seat) if seat in self.starting and seat in self._asked:
                self._counts[seat].add_start(self._clock.seconds() - self._asked[seat])
            case je.ActionTaken(seat):
                self.starting.discard(seat)
            case je.AnswerRefused(seat) if seat in self._counts:
                self.starting.discard(seat)
                self._counts[seat].refusals += 1
            case je.SeatLeft(seat) if seat in self._counts and seat not in self._away:
                self._counts[seat].crashes += 1
            case je.SeatDropped(seat):
                self._counts[seat].crashes += 1
                self._away.add(seat)
                self._clock.callLater(0, self._lost, seat)
            case je.SeatReturned(seat):
                self._away.discard(seat)

    def _count_answer(self, seat: Seat) -> None:
        """Count the time of an answer; the first one of a program that was started is part of its start."""
        asked = self._asked.pop(seat, None)
        if asked is None:
            return
        seconds = self._clock.seconds() - asked
        if seat in self.starting:
            self.starting.discard(seat)
            self._counts[seat].add_start(seconds)
        else:
            self._counts[seat].add_answer(seconds)


@value
class ProgramGame:
    """A game of an arena, before its table is created."""

    name: str
    """The name of its table."""
    seed: str
    names: tuple[str, ...]
    """The players' names by seat."""
    seating: tuple[int, ...]
    """The player in each seat, as the arena counts them."""
    policies: Mapping[Seat, WatchedPlayer]
    counts: Mapping[Seat, AnswerCounts]
    """Those of all seats without a policy."""


Here: TypeAlias = Callable[[], Mapping[Seat, PlayerConnection]]
"""Returns the programs with connections, by seat."""

Again: TypeAlias = Callable[[Seat, Here], Coroutine[Deferred[Any], Any, PlayerConnection | None]]
"""Brings the program of a seat back, or returns None if it does not come."""


class ProgramTable:
    """A running game of an arena. A program whose connection is lost comes back, and goes on."""

    _log = Logger()

    def __init__(
        self, game: ProgramGame, players: Mapping[Seat, PlayerConnection], parts: ArenaParts, again: Again
    ) -> None:
        """Seat policies and programs; the seats that have neither are played by the defaults of the rules.

        ``again`` brings back programs that do not come back by themselves.
        """
        self._game = game
        self._parts = parts
        self._again = again
        self._returns: Counter[Seat] = Counter()
        """The number of times that each seat was given back, or was to be."""
        self._returning: dict[Seat, Deferred[None]] = {}
        """The attempts to bring programs back."""
        self._watch = GameWatch(game.counts, parts.reactor, self._lost, self._give_time)
        self._over: Deferred[None] = Deferred()
        self._runner = self._open(players)

    def _open(self, players: Mapping[Seat, PlayerConnection]) -> TableRunner:
        """Create the table, and give the programs their seats."""
        game, parts = self._game, self._parts
        seating: dict[Seat, Seated | EmptySeat] = {}
        for seat, name in enumerate(game.names):
            player = players.get(seat)
            if seat in game.policies:
                seating[seat] = BotSeat("policy", name)
            elif player is None or player.is_gone:
                seating[seat] = EmptySeat(name)
            else:
                player.name = name
                seating[seat] = player
                self._expect_start(seat, player)
        arranged = ArrangedGame(parts.ruleset, game.policies, self._watch, keeps_seats=True)
        setup = TableSetup(
            parts.reactor,
            parts.tokens,
            parts.turns,
            logs=None,
            recorder_of=lambda _: self._watch,
            finished=self._finish,
            standings=lambda: None,
        )
        return setup.create(NewGame(parts.settings, game.name, game.seed, seating, arranged=arranged))

    def _expect_start(self, seat: Seat, player: PlayerConnection) -> None:
        """Expect the start of a program on pipes: it has a seat before it can answer, unlike one that connects."""
        if isinstance(player, ChildBot):
            self._watch.starting.add(seat)

    def _give_time(self, seat: Seat) -> None:
        """Let the clock of a program that starts stand still for a while."""
        asked = self._runner.chairs[seat].open
        if asked is not None:
            asked.postpone(round(CONNECT_SECONDS * 1_000))

    def _lost(self, seat: Seat) -> None:
        """Bring the program of a seat back, unless that was tried too often."""
        self._returns[seat] += 1
        if not self._is_away(seat) or seat in self._returning:
            return
        if self._returns[seat] > MOST_RETURNS:
            self._runner.leave(seat)
            return
        returning = self._returning[seat] = ensureDeferred(self._bring_back(seat))
        returning.addBoth(self._end_return, seat)

    async def _bring_back(self, seat: Seat) -> None:
        player = await self._again(seat, lambda: self.remaining)
        if player is None:
            if self._is_away(seat):
                self._runner.leave(seat)
        elif self._is_away(seat):
            self._expect_start(seat, player)
            self._runner.come_back(seat, player)
        else:
            player.turn_away("the seat has its player again")

    def _end_return(self, result: object, seat: Seat) -> None:
        """Forget an attempt; log a bug, and let the seat be played by the defaults."""
        del self._returning[seat]
        if isinstance(result, Failure) and not result.check(CancelledError):
            self._log.failure("{table}: a program did not come back", result, table=self._game.name)

    def _is_away(self, seat: Seat) -> bool:
        """Return whether the table waits for the program of a seat, and no connection of it has come."""
        is_dropped = self._runner.chairs[seat].presence is Presence.DROPPED
        return not self._over.called and is_dropped and seat not in self._runner.players

    async def play(self) -> ArenaGame:
        """Play the game to its end; raises GameStopped."""
        game = self._game
        absent = game.counts.keys() - self._runner.players.keys()
        self._runner.begin()
        for seat in sorted(absent):
            self._runner.leave(seat)
        await self._over
        result = self._runner.result
        if result is None:
            raise GameStopped(f"{game.name}: the game broke down")
        answers = []
        for seat in range(len(game.names)):
            policy = game.policies.get(seat)
            answers.append(self._counted(seat) if policy is None else policy.counts)
        played = PlayedGame(game.names, self._parts.ruleset, tuple(self._watch.events), result)
        return ArenaGame(played, game.seating, tuple(answers))

    def _counted(self, seat: Seat) -> AnswerCounts:
        counts = self._game.counts[seat]
        counts.timeouts = self._runner.chairs[seat].timeouts
        if counts.crashes and not counts.first_error:
            counts.first_error = LEFT
        return counts

    @property
    def remaining(self) -> Mapping[Seat, PlayerConnection]:
        """The programs that still have their seats."""
        return self._runner.players

    def stop(self) -> None:
        """End the game now."""
        self._runner.stop()
        self._finish(self._runner, je.End.STOPPED)

    def _finish(self, _runner: TableRunner, end: je.End = je.End.COMPLETED) -> None:
        self._parts.tokens.forget(self._runner)
        for returning in tuple(self._returning.values()):
            returning.cancel()
        if not self._over.called:
            if end is je.End.STOPPED:
                self._over.errback(GameStopped(f"{self._game.name}: the arena is over"))
            else:
                self._over.callback(None)


class GamePrograms:
    """The processes and connections of the programs of one game."""

    def __init__(
        self,
        game: ProgramGame,
        programs: Mapping[int, Program],
        ports: Mapping[int, ProgramPorts],
        children: ChildBots,
    ) -> None:
        self._seating = game.seating
        self._names = game.names
        self._counts = game.counts
        self._programs = programs
        self._ports = ports
        self._children = children
        self._bots: dict[StartedBot, int] = {}
        """The processes that connect by themselves, each with its player."""
        self.is_over = False
        """Whether the game is over."""

    async def seated(self) -> dict[Seat, PlayerConnection]:
        """Return the programs of the game, by seat, without those that do not come."""
        players: dict[Seat, PlayerConnection] = {}
        expected: dict[Seat, StartedBot | None] = {}
        for seat in self._counts:
            if isinstance(self._programs[self._seating[seat]], ChildProgram):
                players[seat] = self._child(seat)
            elif self._ports_of(seat).is_by_hand:
                expected[seat] = None
            elif (started := self._start(seat)) is not None:
                expected[seat] = started
        coming = [ensureDeferred(self._take(seat, awaited)) for seat, awaited in expected.items()]
        for seat, player in zip(expected, await gatherResults(coming), strict=True):
            if player is not None:
                players[seat] = player
        return players

    async def _take(self, seat: Seat, started: StartedBot | None) -> PlayerConnection | None:
        """Return a bot for a seat, and count its start if it was started here; None if it does not come."""
        player = await self._ports_of(seat).take(started)
        if started is None:
            return player
        if player is None:
            self._counts[seat].first_error = started.why_absent
        else:
            self._counts[seat].add_start(started.age)
        return player

    async def again(self, seat: Seat, here: Here) -> PlayerConnection | None:
        """Bring the program of a seat back; None if it does not come. ``here`` returns the programs with connections.

        A command is started again if its process has ended. Otherwise the bot may connect again by itself: as copies
        of one player are alike, any of them may take the seat.
        """
        player = self._seating[seat]
        if isinstance(self._programs[player], ChildProgram):
            return self._child(seat)
        started = None
        for _ in range(round(RETURN_SECONDS / LOOK_SECONDS)):
            back = await self._ports_of(seat).take(started, LOOK_SECONDS)
            if back is not None and started is not None:
                self._counts[seat].add_start(started.age)
            if back is not None or (started is not None and started.status is not None):
                return back
            if seat in here():  # by its token
                return None
            seats = sum(self._seating[each] == player for each in here())
            if not self._ports_of(seat).is_by_hand and started is None and self._running(player) <= seats:
                started = self._start(seat)
                if started is None:
                    return None
        return None

    def stop(self) -> None:
        """Let all processes that were started for this game end: it is over."""
        self.is_over = True
        for bot in self._bots:
            bot.terminate_in(QUIT_SECONDS)

    def running(self) -> set[StartedBot]:
        """Return the processes that connect by themselves and have not ended."""
        return {bot for bot in self._bots if bot.status is None}

    def _running(self, player: int) -> int:
        return sum(self._bots[bot] == player for bot in self.running())

    def _ports_of(self, seat: Seat) -> ProgramPorts:
        return self._ports[self._seating[seat]]

    def _child(self, seat: Seat) -> PlayerConnection:
        """Return a program on pipes, which starts when it sits down."""
        program = self._programs[self._seating[seat]]
        assert isinstance(program, ChildProgram)
        counts = self._counts[seat]

        def _report(why: str) -> None:
            counts.first_error = counts.first_error or why[:200]

        return self._children.start_later(self._names[seat], program.command, _report)

    def _start(self, seat: Seat) -> StartedBot | None:
        """Start a bot that connects by itself; None, with the reason counted, if that fails."""
        counts = self._counts[seat]
        try:
            bot = self._ports_of(seat).start(self._names[seat])
        except OSError as error:
            counts.first_error = counts.first_error or f"it could not be started: {error.strerror or error}"
            return None
        self._bots[bot] = self._seating[seat]
        return bot


# Blocks of an arena in which programs play: several at a time, in this process, on a reactor of its own.

T = TypeVar("T")

REAP_SECONDS = 0.1
"""Seconds between looks for ended processes: the reactor gets no signals, because they go to the main thread."""

MOST_BOTS = 1_000
"""Processes and connections at a time: those of a game that is over need some seconds to end."""

PONG_SECONDS = 120
"""The time for a bot of net play to answer a ping: it does not while it thinks, which is long on a busy computer."""

UNLIMITED = 1_000_000
"""A rate for the bots of an arena, which are the operator's own."""

ROOM = "arena"
"""The name of the only room, for bots that ask."""

_LIMITS = Limits(
    Budget(
        connections=2 * MOST_BOTS,
        per_host=2 * MOST_BOTS,
        waiting=2 * MOST_BOTS,
        room_waiting=2 * MOST_BOTS,
        host_waiting=2 * MOST_BOTS,
    ),
    rates=Rates(connections=UNLIMITED, logins=UNLIMITED, games=UNLIMITED),
    client=ClientLimits(pong_seconds=PONG_SECONDS),
    children=MOST_BOTS,
    child=ChildLimits(nice=0),
)


_TABLE_SETTINGS = TableSettings(grace=RETURN_SECONDS, hints=HintScope.NONE)


class OwnReactor(PollReactor):
    """A reactor that looks for the ends of its own processes alone: those of others belong to other threads."""

    seconds = staticmethod(monotonic)

    def __init__(self) -> None:
        super().__init__()
        self._processes: list[Any] = []

    def spawnProcess(self, *arguments: Any, **options: Any) -> Any:
        """Start a process, and remember it until its end."""
        process = super().spawnProcess(*arguments, **options)
        self._processes.append(process)
        return process

    def reap(self) -> None:
        """Look which processes have ended."""
        running: list[Any] = [each for each in self._processes if reapProcessHandlers.get(each.pid) is each]
        self._processes = running
        for process in running:
            process.reapProcess()


class ReactorThread:
    """Runs a reactor of its own, which is not that of the process, so that there may be several."""

    def __init__(self) -> None:
        self.reactor: Any = OwnReactor()
        self._reaping = LoopingCall(self.reactor.reap)
        self._reaping.clock = self.reactor
        self._thread = Thread(target=self._run, name="reactor", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def _run(self) -> None:
        self.reactor.callWhenRunning(self._reaping.start, REAP_SECONDS)
        self.reactor.run(installSignalHandlers=False)

    def call(self, function: Callable[..., T], *arguments: object) -> Future[T]:
        """Call a function in the thread, and return its result."""
        future: Future[T] = Future()

        def _run() -> None:
            try:
                future.set_result(function(*arguments))
            except BaseException as error:  # it belongs to the thread that waits for the result
                future.set_exception(error)

        self.reactor.callFromThread(_run)
        return future

    def begin(self, work: Callable[[], Coroutine[Deferred[Any], Any, T]]) -> Future[T]:
        """Run a coroutine in the thread, and return its result."""
        future: Future[T] = Future()

        def _run() -> None:
            ensureDeferred(work()).addCallbacks(future.set_result, _fail)

        def _fail(failure: Failure) -> None:
            assert failure.value is not None
            future.set_exception(failure.value)

        self.reactor.callFromThread(_run)
        return future

    def stop(self) -> None:
        """Stop the reactor, and wait for its thread."""
        self.reactor.callFromThread(self.reactor.stop)
        self._thread.join()


class ProgramArena:
    """Plays blocks of an arena. Each block follows from its number, as far as its programs do."""

    def __init__(
        self,
        setup: ArenaSetup,
        programs: Mapping[int, Program],
        times: TimeControl,
        clock: Clock,
        report: Callable[[str], object] = lambda _: None,
    ) -> None:
        """``programs`` are the players that are programs; the others are policies. ``clock`` is that of policies.

        ``report`` takes what the operator should know while games are played.
        """
        self._report = report
        self._setup = setup
        self._programs = programs
        self._times = times
        self._clock = clock
        self._thread = ReactorThread()
        reactor = self._thread.reactor
        self._parts = ArenaParts(
            setup.ruleset,
            RoomSettings(ROOM, times=times, table=_TABLE_SETTINGS, spectators=Spectating(is_allowed=False)),
            reactor,
            OpenConnections(_LIMITS),
            ChildSessions(_LIMITS.child, reactor),
            SeatTokens(),
            SpectatorTurns(reactor),
        )
        self._children = ChildBots(_LIMITS, reactor, sessions=self._parts.sessions)
        self._tables: set[ProgramTable] = set()
        self._games: set[Deferred[ArenaGame]] = set()
        self._started: set[GamePrograms] = set()
        """The programs of games that are not over, or of which a process still runs."""
        self._seating = DeferredLock()
        """Held while a game takes its programs: two games could wait for each other's."""
        self._is_open = True
        self._ports: dict[int, ProgramPorts] = {}

    def __enter__(self) -> ProgramArena:
        """Open the ports; raises PortError."""
        self._thread.start()
        try:
            self._thread.call(self._open).result()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Stop all games, bots and ports."""
        self._thread.begin(self._close).result()
        self._thread.stop()

    @property
    def invitations(self) -> list[str]:
        """The addresses for bots that somebody else starts, a line for each of their players."""
        return [ports.invitation for ports in self._ports.values() if ports.invitation is not None]

    def results(self, planned: Iterable[PlannedBlock], at_once: int) -> Generator[PlayedBlock, None, None]:
        """Yield these blocks in their order; so many are played at a time, and fewer if programs answer slowly."""
        waiting = iter(planned)
        running: deque[Future[PlayedBlock]] = deque()
        tempo = Tempo(at_once, self._times.move, self._programs.keys())
        while True:
            for each in islice(waiting, max(0, tempo.blocks - len(running))):
                running.append(self._thread.begin(partial(self._play, each)))
            if not running:
                return
            played = running.popleft().result()
            slow = tempo.see(played[0])
            if slow is not None:
                self._report(f"answers of programs take up to {slow:,.0f} ms; blocks at a time: {tempo.blocks}")
            yield played

    # In the thread of the reactor

    def _open(self) -> None:
        """Prepare processes, and open the ports."""
        _log_bugs()
        for player, program in self._programs.items():
            if isinstance(program, NetworkProgram):
                self._ports[player] = ProgramPorts(self._setup.entrants[player].name, program, self._parts)
        for ports in self._ports.values():
            ports.open()

    async def _close(self) -> None:
        """Stop all games, bots and ports."""
        self._is_open = False
        for ports in self._ports.values():
            ports.close()
        for game in tuple(self._games):
            game.cancel()
        for table in tuple(self._tables):
            table.stop()
        bots = [bot for programs in self._started for bot in programs.running()]
        await gatherResults([ensureDeferred(bot.end()) for bot in bots])
        await self._children.stopService()

    async def _play(self, planned: PlannedBlock) -> PlayedBlock:
        """Play the games of a block, one after the other."""
        setup = self._setup
        number, lineup = planned.number, planned.lineup
        games = []
        for game in range(setup.ruleset.seats):
            if not self._is_open:
                raise GameStopped("the arena is over")
            playing = ensureDeferred(self._play_game(number, game, seating_of(lineup, game)))
            self._games.add(playing)
            try:
                games.append(await playing)
            finally:
                self._games.discard(playing)
        return joined_block(number, games, len(setup.entrants))

    async def _play_game(self, number: int, game: int, seating: tuple[int, ...]) -> ArenaGame:
        planned = self._planned(number, game, seating)
        programs = GamePrograms(planned, self._programs, self._ports, self._children)
        self._started = {each for each in self._started if not each.is_over or each.running()} | {programs}
        try:
            await self._seating.acquire()
            try:
                players = await programs.seated()
            finally:
                self._seating.release()
            table = ProgramTable(planned, players, self._parts, programs.again)
            self._tables.add(table)
            try:
                played = await table.play()
            finally:
                self._tables.discard(table)
            for seat, player in tuple(table.remaining.items()):
                self._let_go(seating[seat], player)
            return played
        finally:
            programs.stop()

    def _planned(self, number: int, game: int, seating: tuple[int, ...]) -> ProgramGame:
        """Return a game of a block, with its policies."""
        setup = self._setup
        policies: dict[Seat, WatchedPlayer] = {}
        counts: dict[Seat, AnswerCounts] = {}
        for seat, player in enumerate(seating):
            if player in self._programs:
                counts[seat] = AnswerCounts()
            else:
                seed = f"policy/{setup.seed}/{number}/{game}/{seat}"
                policies[seat] = watched_player(setup.entrants[player].kind, seed, self._clock)
        names = tuple(seat_names(setup.entrants, seating))
        return ProgramGame(f"{ROOM}-{number}-{game}", f"{setup.seed}/{number}", names, seating, policies, counts)

    def _let_go(self, player: int, connection: PlayerConnection) -> None:
        """Let a program go after its game, or wait for the next one."""
        if connection.end_game() and player in self._ports:
            self._ports[player].let_stay(connection)


@cache
def _log_bugs() -> None:
    """Write what Twisted logs as critical, which only bugs of the server are, to standard error.

    What was logged before the first arena of this process is not its own.
    """
    critical = LogLevelFilterPredicate(LogLevel.critical)
    observer = FilteringLogObserver(textFileLogObserver(sys.stderr), [critical])
    globalLogBeginner.beginLoggingTo([observer], discardBuffer=True, redirectStandardIO=False)
