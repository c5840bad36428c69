"""The dialects as the server offers them, and what follows from them for options, ports and documentation.

To add a dialect, write its package in ``ump/wire`` with a session, and describe and list it here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TypeVar

from ump.rules.analysis import waits
from ump.wire.dialect import (
    Caller,
    DefaultPort,
    Dialect,
    Framing,
    Hint,
    LinePort,
    NetPlay,
    PortOption,
    StandardStreams,
    TokenUse,
    WebSocketPath,
)
from ump.wire.human.session import HumanSession
from ump.wire.majiang.session import MajiangSession, SocketIOMajiangSession
from ump.wire.mjai.lockstep_session import LockstepSession
from ump.wire.mjai.piped_session import BatchSession, BatchSessionOfThree, LineSession, LineSessionOfThree
from ump.wire.mjai.request_session import RequestSession
from ump.wire.mjai.riichienv_observation import is_older_form
from ump.wire.session import Introduction
from ump.wire.ump.hello import greeting
from ump.wire.ump.session import UmpSession

UMP = Dialect(
    name="UMP 0.1 and 0.2",
    open_session=lambda caller: UmpSession(greeting(caller), partial(HumanSession, caller.rooms)),
    transports=(
        LinePort(
            PortOption("listen", 19000, DefaultPort.REQUIRED, "UMP"),
            ending="\r\n",
            hints=(
                Hint("to play, type", "telnet {host} {port}"),
                Hint("or", "{ump} connect {host}:{port}"),
                Hint("and then", "a name and a room, as in: alice {room}"),
                Hint("on a drawn table", "{ump} play {host}:{port}"),
            ),
            is_typed=True,
        ),
        WebSocketPath("ump", "UMP 0.1 and 0.2, one or more sentences in a frame", Framing.LINES, subprotocol="ump.0.1"),
    ),
)

HUMAN = Dialect(
    name="plain words",
    open_session=lambda caller: HumanSession(caller.rooms),
    transports=(
        LinePort(
            PortOption("telnet", 19002, DefaultPort.CLOSED, "people at a terminal"),
            ending="\r\n",
            hints=(Hint("people", "telnet {host} {port}"),),
            is_typed=True,
        ),
    ),
)

VALIDATION_ROOM = "validate"
"""The room in which a bot is tested: one game against built-in bots that discard what they draw."""

LOCKSTEP = Dialect(
    name=LockstepSession.DIALECT,
    open_session=lambda caller: LockstepSession(),
    transports=(
        LinePort(
            PortOption("mjai", 11600, DefaultPort.OPTIONAL, "mjai bots in lock-step"),
            ending="\n",
            hints=(Hint("mjai bots", "mjsonp://{host}:{port}/default"),),
        ),
    ),
)

BATCHES = Dialect(
    name=BatchSession.DIALECT,
    open_session=lambda caller: BatchSession(Introduction(name=caller.name)),
    transports=(StandardStreams("mjai"),),
)

LINES = Dialect(
    name=LineSession.DIALECT,
    open_session=lambda caller: LineSession(Introduction(name=caller.name)),
    transports=(StandardStreams("mjai-lines"),),
)

BATCHES_OF_THREE = Dialect(
    name=BatchSessionOfThree.DIALECT,
    open_session=lambda caller: BatchSessionOfThree(Introduction(name=caller.name)),
    transports=(StandardStreams("mjai-nukidora"),),
)

LINES_OF_THREE = Dialect(
    name=LineSessionOfThree.DIALECT,
    open_session=lambda caller: LineSessionOfThree(Introduction(name=caller.name)),
    transports=(StandardStreams("mjai-lines-nukidora"),),
)


def _on_request(caller: Caller, *, is_validation: bool) -> RequestSession:
    """Open mjai on request; after a test, the bot receives whether all of its answers counted."""
    key = None if is_validation else caller.token  # a test is one game, to which nobody comes back
    is_older = caller.riichienv is not None and is_older_form(caller.riichienv)
    return RequestSession(
        caller.name,
        caller.room,
        key=key,
        is_validation=is_validation,
        waits=waits,
        is_older=is_older,
        wants_advice=caller.wants_advice,
    )


ON_REQUEST = Dialect(
    name=RequestSession.DIALECT,
    open_session=partial(_on_request, is_validation=False),
    transports=(
        WebSocketPath("mjai", "mjai on request", token=TokenUse.OPTIONAL),
        WebSocketPath("ws/ranked", "mjai on request, with a token", token=TokenUse.REQUIRED),
    ),
)


VALIDATION = Dialect(
    name="mjai validation",
    open_session=partial(_on_request, is_validation=True),
    transports=(
        WebSocketPath(
            "ws/validate", "mjai on request, a test of your bot", token=TokenUse.REQUIRED, room=VALIDATION_ROOM
        ),
    ),
)

EXAMPLE_HELLO = '{"hello":{"name":"me"}}'
"""The first message of a client."""

MAJIANG = Dialect(
    name="Majiang",
    open_session=lambda caller: MajiangSession(),
    transports=(
        LinePort(
            PortOption("majiang", 19001, DefaultPort.CLOSED, "Majiang messages, a line each"),
            ending="\n",
            hints=(Hint("Majiang bots", "nc {host} {port}"), Hint("first line", EXAMPLE_HELLO)),
        ),
        WebSocketPath("majiang", "Majiang messages"),
    ),
)

NET_PLAY = Dialect(
    name="Majiang net play",
    open_session=lambda caller: SocketIOMajiangSession(caller.login),
    transports=(
        NetPlay(
            "server",
            "net play as of majiang-server, by polling; at / too",
            Hint("majiang-bot", "majiang-bot -r {room} http://{host}:{port}/server"),
        ),
    ),
)

DIALECTS: tuple[Dialect, ...] = (
    UMP,
    HUMAN,
    LOCKSTEP,
    BATCHES,
    LINES,
    BATCHES_OF_THREE,
    LINES_OF_THREE,
    ON_REQUEST,
    VALIDATION,
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
