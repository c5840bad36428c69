"""UMP as the server offers it: one port and one path for both versions, because the client's hello chooses."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ump.model.seats import LETTERS
from ump.wire.dialect import Caller, DefaultPort, Dialect, Framing, Hint, LinePort, PortOption, WebSocketPath
from ump.wire.human.session import HumanSession
from ump.wire.ump.sentences01 import Hello
from ump.wire.ump.session import UmpSession

SERVER_NAME = "ump"

EXTENSIONS = (
    "_offer",
    "_explain",
    "_lang",
    "_hand",
    "_waits",
    "_time",
    "_room",
    "_games",
    "_watch",
    "_resume",
    "_guest",
    "_tab",
    "_seat",
    "_table",
    "_proof",
    "_seed",
    "_results",
    "_person",
    "_human",
)
"""The extensions that a client may ask for in its hello."""


def greeting(caller: Caller) -> Hello:
    """Return the server's hello: protocol, name, the first room's rules as far as they are known, and extensions."""
    return Hello(tuple(_greeting_options(caller)))


def _greeting_options(caller: Caller) -> Iterator[tuple[str, str]]:
    yield "ump", "0.1"
    yield "name", SERVER_NAME
    if caller.ruleset is not None:
        yield "_rule", caller.ruleset.name
        yield "_length", caller.ruleset.length.value
        if caller.ruleset.seats != len(LETTERS):  # the usual number goes without saying
            yield "_seats", str(caller.ruleset.seats)
    yield "_ext", ",".join(EXTENSIONS)
    if caller.auth:
        yield "_auth", ",".join(caller.auth)
    if caller.pages is not None:
        yield "_http", str(caller.pages)
    yield "_human", "press_Enter"  # for a person who reads this line in telnet


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
                Hint("and then", "press Enter"),
                Hint("on a drawn table", "{ump} play {host}:{port}"),
            ),
            is_typed=True,
        ),
        WebSocketPath("ump", "UMP 0.1 and 0.2, one or more sentences in a frame", Framing.LINES, subprotocol="ump.0.1"),
    ),
)
