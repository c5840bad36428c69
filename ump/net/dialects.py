"""The registry of dialects: one line for each, and what follows from them for options, ports and documentation.

To add a dialect, write its package in ``ump/wire`` with a value of the class ``Dialect``, and list that value here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from ump.rules.analysis import waits
from ump.wire.dialect import (
    DefaultPort,
    Dialect,
    Hint,
    LinePort,
    NetPlay,
    PortOption,
    StandardStreams,
    WebSocketPath,
)
from ump.wire.human.dialect import HUMAN
from ump.wire.majiang.dialects import MAJIANG, NET_PLAY
from ump.wire.majiang.session import MajiangSession
from ump.wire.majiang.socketio_session import SocketIOMajiangSession
from ump.wire.mjai import dialects as mjai
from ump.wire.ump.dialect import UMP

DIALECTS: tuple[Dialect, ...] = (
    UMP,
    HUMAN,
    mjai.LOCKSTEP,
    mjai.BATCHES,
    mjai.LINES,
    mjai.BATCHES_OF_THREE,
    mjai.LINES_OF_THREE,
    mjai.on_request(waits),
    mjai.validation(waits),
    MAJIANG,
    NET_PLAY,
)
"""All dialects of the server, in the order of the documentation."""

TELLING_WHOLE_GAMES = frozenset((MajiangSession.DIALECT, SocketIOMajiangSession.DIALECT))
"""The dialects, as records name them, whose returning clients receive the whole game."""

HTTP = PortOption("http", 8080, DefaultPort.OPTIONAL, "bots over WebSocket, and majiang-bot")
"""The port that all dialects over HTTP share."""

BOT_COMMAND = "python bot.py {seat}"
"""The command of a bot in examples."""

T = TypeVar("T", LinePort, WebSocketPath, NetPlay, StandardStreams)


def over(kind: type[T], dialects: Sequence[Dialect] = DIALECTS) -> Iterator[tuple[Dialect, T]]:
    """Yield each dialect that has a transport of this kind, with that transport."""
    for dialect in dialects:
        for transport in dialect.transports:
            if isinstance(transport, kind):
                yield dialect, transport


def port_options(dialects: Sequence[Dialect] = DIALECTS) -> tuple[PortOption, ...]:
    """Return the options that open ports: those of dialects with a port of their own, then that for HTTP."""
    return (*(port.option for _, port in over(LinePort, dialects)), HTTP)


def line_ports(dialects: Sequence[Dialect]) -> Mapping[str, tuple[Dialect, LinePort]]:
    """Return the dialects that have ports of their own, by the option that opens them."""
    return {port.option.name: (dialect, port) for dialect, port in over(LinePort, dialects)}


def bot_dialects(dialects: Sequence[Dialect] = DIALECTS) -> Mapping[str, Dialect]:
    """Return the dialects of bots that run as child processes, by the key that stands before their command."""
    return {streams.key: dialect for dialect, streams in over(StandardStreams, dialects)}


def hints(option: str, dialects: Sequence[Dialect] = DIALECTS) -> tuple[Hint, ...]:
    """Return what to log about a port that this option has opened."""
    if option != HTTP.name:
        return line_ports(dialects)[option][1].hints
    web_sockets = [path for _, path in over(WebSocketPath, dialects)]
    others = ", ".join(f"/{path.path}" for path in web_sockets[1:])
    first = [Hint("WebSocket bots", f"{url(path)}  (or {others})" if others else url(path)) for path in web_sockets[:1]]
    return (*first, *(net_play.hint for _, net_play in over(NetPlay, dialects)))


def url(path: WebSocketPath) -> str:
    """Return the URL of a WebSocket, with ``{host}`` and ``{port}``."""
    return f"ws://{{host}}:{{port}}/{path.path}"
