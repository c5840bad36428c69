"""The check of one client: its server and ports, the room in which the client waits, and all situations in turn."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred, TimeoutError, maybeDeferred
from twisted.internet.error import CannotListenError
from twisted.internet.interfaces import IListeningPort, IProtocolFactory
from twisted.logger import (
    FilteringLogObserver,
    LogLevel,
    LogLevelFilterPredicate,
    globalLogBeginner,
    textFileLogObserver,
)

from ump.bots.check.run import (
    Awaited,
    ByItself,
    ClientProcess,
    OverStreams,
    Run,
    SituationResult,
    SituationVerdict,
    Starter,
    Transcripts,
)
from ump.bots.check.situation import RULES, Situation
from ump.model.value import value
from ump.net.bot_commands import BotCommand
from ump.net.connection import Connection
from ump.net.connection_limits import OpenConnections
from ump.net.dialects import HTTP, hints, port_options
from ump.net.limits import DRAIN_SECONDS, PIPE_SECONDS, Limits
from ump.net.lines import LineFactory
from ump.net.wall_clock import monotonic_reactor
from ump.server.http.site import make_site
from ump.server.lobby import Lobby
from ump.server.seat_tokens import SeatTokens
from ump.server.settings import RoomSettings
from ump.server.spectators import SpectatorTurns
from ump.server.waiting_room import WaitingRoom
from ump.table.clock import TimeControl
from ump.wire.dialect import Hint, PortOption, RoomInfo
from ump.wire.session import Introduction

OVER = "the check is over"
"""The message to clients that come when all situations are played."""


class Check:
    """Plays the situations one after the other."""

    def __init__(
        self,
        situations: Sequence[Situation],
        times: TimeControl,
        reactor: Any,
        *,
        trace: Path | None = None,
        announce: Callable[[int, Situation], None] = lambda number, situation: None,
    ) -> None:
        """``announce`` is called before each situation; ``trace`` is the folder for transcripts."""
        self.over: Deferred[None] = Deferred()
        """Fires when all situations are played, or no further one can be."""
        self.verdicts: list[SituationVerdict] = []
        self._situations = situations
        self._starter: Starter = Awaited()
        self._times = times
        self._tokens = SeatTokens()
        self._reactor = reactor
        self._trace = trace
        self._announce = announce
        self._run: Run | None = None
        self._room = WaitingRoom(RoomSettings(ROOM), self.players, SpectatorTurns(reactor), self._arrived)
        self._lobby = Lobby([self._room], self._tokens)
        self._processes: list[ClientProcess] = []

    @property
    def players(self) -> int:
        """The number of players at the tables."""
        return self._situations[0].seats

    def begin(self, starter: Starter) -> None:
        """Begin with the first situation; ``starter`` brings the client."""
        self._starter = starter
        self._next()

    def _next(self) -> None:
        """Begin the next situation, or end."""
        self._run = None
        if len(self.verdicts) == len(self._situations):
            self._end()
            return
        situation = self._situations[len(self.verdicts)]
        self._announce(len(self.verdicts) + 1, situation)
        if self.over.called:  # meanwhile the user has interrupted the check
            return
        run = Run(situation, self._starter, self._times, self._tokens, self._reactor, self._take)
        self._run = run
        if not isinstance(self._starter, Awaited):
            self._room.dismiss_waiting("another client has been started")
        run.start()
        self._seat_client(run)

    def welcome(self, connection: Connection, introduction: Introduction) -> None:
        """Let a client play the next situation, or take its seat back, in whichever room it asks for."""
        self._lobby.welcome(connection, self._room.wanted_by(introduction))

    def _arrived(self) -> None:
        """Seat a client that has said hello, or let it wait for the next situation."""
        if self.over.called:
            self._room.dismiss_waiting(OVER)
        elif self._run is not None:
            self._seat_client(self._run)
            self._run.meet_again()

    def _seat_client(self, run: Run) -> None:
        if run.needs_client and self._room.waiting:
            run.seat(self._room.take())

    async def when_ended(self) -> None:
        """Wait until all clients that the check has started have ended."""
        for process in self._processes:
            await process.end.when_taken()

    def stop(self) -> None:
        """End before all situations are played."""
        if self._run is not None:
            self._run.stop()
            if self._run.process is not None:
                self._processes.append(self._run.process)
        self._end()

    def _take(self, run: Run, verdict: SituationVerdict) -> None:
        """Take the verdict on the current situation."""
        if self._trace is not None and run.transcripts:
            verdict = replace(verdict, trace=str(self._write(self._trace, run)))
        self.verdicts.append(verdict)
        if run.process is not None:
            self._processes = [each for each in (*self._processes, run.process) if each.end.status is None]
        staying = run.staying
        if staying is not None and isinstance(self._starter, Awaited):
            self._room.welcome(staying)
        elif staying is not None:
            staying.connection.dismiss()
        if run.is_fatal:
            self._end()
        else:
            self._reactor.callLater(0, self._next)

    def _write(self, folder: Path, run: Run) -> Path:
        path = folder / f"{len(self.verdicts) + 1:02}-{run.play.situation.name}.trace"
        path.write_text("".join(f"{line}\n" for line in _lines(run)), encoding="utf-8")
        return path

    def _end(self) -> None:
        if not self.over.called:
            self._run = None
            self._room.dismiss_waiting(OVER)
            self.over.callback(None)


def _lines(run: Run) -> Iterator[str]:
    for number, (transcript, first) in enumerate(run.transcripts):
        if number:
            yield "# another connection"
        yield from transcript.lines[first:]


LOCAL = "127.0.0.1"
"""The address at which the check listens."""

ROOM = "main"
"""The name of the room, for clients that ask; each other name leads to it, too."""

PLACEHOLDERS: Mapping[str, str] = {"ump": "listen", "mjai": "mjai", "majiang": "majiang", "http": HTTP.name}
"""The words in braces that a command may hold, with the server's option for the port that stands for each."""

OWN_HINTS: Mapping[str, Hint] = {
    "listen": Hint("UMP bots", "{host}:{port}"),
    "majiang": Hint("Majiang bots", "{host}:{port}"),
}
"""The addresses for bots, for ports whose usual hints are for people."""


@value
class CheckOptions:
    """The situations to check, and the way in which the client comes."""

    situations: tuple[Situation, ...]
    times: TimeControl
    bot: BotCommand | None = None
    """The command of a bot over standard streams."""
    client: tuple[str, ...] = ()
    """The command of a client that connects by itself; without both the client is awaited."""
    port: int | None = None
    """The port for UMP; mjai, Majiang and HTTP have the next ones. None: the usual or free ports."""
    trace: Path | None = None
    """The folder for transcripts."""


@value
class CheckResult:
    """The result of a check."""

    verdicts: tuple[SituationVerdict, ...]
    is_interrupted: bool
    """Whether the user has ended it."""

    @property
    def has_faults(self) -> bool:
        """Whether any situation has failed."""
        return any(verdict.result is SituationResult.FAIL for verdict in self.verdicts)


class PortInUse(Exception):
    """A port that cannot be opened; the message is one line."""


class CheckServer:
    """The ports and connections of a check, which plays while the reactor runs."""

    def __init__(self, options: CheckOptions, reactor: Any, announce: Callable[[int, Situation], None]) -> None:
        """``announce`` is called before each situation."""
        self._options = options
        self._reactor = reactor
        self._connections = OpenConnections(Limits(), Transcripts(reactor))
        self._ports: list[IListeningPort] = []
        self._opened: dict[str, int] = {}
        """The numbers of the open ports, by the options of the server."""
        self.is_closing = False
        """Whether the reactor stops."""
        self.check = Check(options.situations, options.times, reactor, trace=options.trace, announce=announce)

    def open(self) -> None:
        """Open the ports, if the client comes through one. Raises PortInUse."""
        if self._options.bot is None:
            known = {option.name: option for option in port_options()}
            self._opened = {name: self._open(known[name], place) for place, name in enumerate(PLACEHOLDERS.values())}

    def begin(self, invite: Callable[[Sequence[Hint]], None]) -> None:
        """Begin the check, when the reactor runs. ``invite`` tells the author how to reach the ports."""
        options, reactor = self._options, self._reactor
        if options.bot is not None:
            self.check.begin(OverStreams(options.bot, self._connections, reactor))
            return
        if options.client:
            addresses = {word: f"{LOCAL}:{self._opened[name]}" for word, name in PLACEHOLDERS.items()}
            self.check.begin(ByItself(options.client, addresses, reactor))
            return
        shown = [(hint, port) for name, port in self._opened.items() for hint in _hints(name)]
        invite([Hint(hint.label, hint.at("localhost", port)) for hint, port in shown])
        self.check.begin(Awaited())

    async def close(self) -> None:
        """Close the ports and all connections, and wait until the client has gone."""
        self.is_closing = True
        for port in self._ports:
            await maybeDeferred(port.stopListening)
        self.check.stop()
        for connection in self._connections:
            connection.dismiss()
        for seconds in (DRAIN_SECONDS, 2 * PIPE_SECONDS):
            with suppress(TimeoutError):
                await self._connections.empty().addTimeout(seconds, self._reactor)
            for connection in self._connections:
                connection.cut()
        await self.check.when_ended()

    def _open(self, option: PortOption, place: int) -> int:
        """Open a port, and return its number."""
        factory = self._factory(option)
        if self._options.port is not None:
            wanted = [self._options.port + place]
        else:
            wanted = [0] if self._options.client else [option.number, 0]
        for number in wanted:
            with suppress(CannotListenError):
                port = self._reactor.listenTCP(number, factory, interface=LOCAL)
                self._ports.append(port)
                return int(port.getHost().port)
        raise PortInUse(f"port {wanted[0]} cannot be opened: is it in use? choose another one with --port")

    def _factory(self, option: PortOption) -> IProtocolFactory:
        rooms = [RoomInfo(ROOM, RULES[self.check.players], 0, self._options.times.move, self._options.times.bank)]
        if option.name == HTTP.name:
            return make_site(rooms, self.check, self._connections, self._reactor)
        return LineFactory(option.name, rooms, self.check, self._connections, self._reactor)


def _hints(option: str) -> tuple[Hint, ...]:
    """Return what to show about a port."""
    own = OWN_HINTS.get(option)
    return hints(option) if own is None else (own,)


def run_check(
    options: CheckOptions, announce: Callable[[int, Situation], None], invite: Callable[[Sequence[Hint]], None]
) -> CheckResult:
    """Play a check, and return what it has found. Raises PortInUse."""
    from twisted.internet import reactor as installed

    reactor = monotonic_reactor(installed)
    observer = FilteringLogObserver(
        textFileLogObserver(sys.stderr), [LogLevelFilterPredicate(defaultLogLevel=LogLevel.critical)]
    )
    globalLogBeginner.beginLoggingTo([observer], redirectStandardIO=False)  # internal errors only
    server = CheckServer(options, reactor, announce)
    server.open()
    is_interrupted = True

    def end(result: None) -> None:
        """Stop the reactor after the last situation."""
        nonlocal is_interrupted
        if not server.is_closing:
            is_interrupted = False
            reactor.stop()

    server.check.over.addCallback(end)
    reactor.callWhenRunning(server.begin, invite)  # from now on Ctrl-C ends the reactor
    reactor.addSystemEventTrigger("before", "shutdown", lambda: Deferred.fromCoroutine(server.close()))
    reactor.run()
    return CheckResult(tuple(server.check.verdicts), is_interrupted)
