"""The server of a check: its ports, and the client that comes or is started."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
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

from ump.bots.check.check import Check, CheckRoom
from ump.bots.check.play import RULES
from ump.bots.check.run import Transcripts
from ump.bots.check.situation import Situation
from ump.bots.check.starters import Awaited, ByItself, OverStreams
from ump.bots.check.verdict import Result, SituationVerdict
from ump.model.value import value
from ump.net.bot_commands import Command
from ump.net.connection_limits import OpenConnections
from ump.net.dialects import HTTP, hints, over, port_options
from ump.net.limits import DRAIN_SECONDS, PIPE_SECONDS, Limits
from ump.net.lines import LineFactory
from ump.server.http.site import make_site
from ump.server.lobby import Lobby
from ump.server.seat_tokens import SeatTokens
from ump.table.clock import TimeControl
from ump.wire.dialect import Hint, PortOption, RoomInfo, WebSocketPath

LOCAL = "127.0.0.1"
"""The address at which the check listens."""

ROOMS = ("main", "default")
"""The names of rooms that stand in what people type; all of them play the check."""

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
    bot: Command | None = None
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
        return any(verdict.result is Result.FAIL for verdict in self.verdicts)


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
        tokens = SeatTokens()
        self.check = Check(options.situations, options.times, tokens, reactor, trace=options.trace, announce=announce)
        self._lobby = Lobby([CheckRoom(name, self.check) for name in _room_names()], tokens)

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
        rooms = [RoomInfo(ROOMS[0], RULES[self.check.players], 0, self._options.times.move, self._options.times.bank)]
        if option.name == HTTP.name:
            return make_site(rooms, self._lobby, self._connections, self._reactor)
        return LineFactory(option.name, rooms, self._lobby, self._connections, self._reactor)


def _room_names() -> dict[str, None]:
    """Return the names of all rooms that clients may ask for: every one plays the check."""
    needed = (path.room for _, path in over(WebSocketPath) if path.room is not None)
    return dict.fromkeys((*ROOMS, *needed))


def _hints(option: str) -> tuple[Hint, ...]:
    """Return what to show about a port."""
    own = OWN_HINTS.get(option)
    return hints(option) if own is None else (own,)


def run_check(
    options: CheckOptions, announce: Callable[[int, Situation], None], invite: Callable[[Sequence[Hint]], None]
) -> CheckResult:
    """Play a check, and return what it has found. Raises PortInUse."""
    from twisted.internet import reactor as installed

    reactor: Any = installed
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
