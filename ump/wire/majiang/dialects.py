"""Majiang (電脳麻将) as the server offers it: its messages alone, and within the net play of kobalab's server."""

from __future__ import annotations

from ump.wire.dialect import DefaultPort, Dialect, Hint, LinePort, NetPlay, PortOption, WebSocketPath
from ump.wire.majiang.session import MajiangSession
from ump.wire.majiang.socketio_session import SocketIOMajiangSession

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
