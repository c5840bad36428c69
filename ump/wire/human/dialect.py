"""The dialect for people as the server offers it. They reach it through the port for UMP as well.

Around a password, the server sends two commands of telnet to a person at a prompt (RFC 854 and 857). A client of telnet
says nothing before a server's first command, unless it was given no port. So it cannot be told from ``nc``, which shows
these bytes.
"""

from __future__ import annotations

from ump.wire.dialect import DefaultPort, Dialect, Hint, LinePort, PortOption
from ump.wire.human.session import HumanSession

WILL_ECHO = b"\xff\xfb\x01"
"""The server offers to show what is typed. A client of telnet then does not; nor does the server."""

WONT_ECHO = b"\xff\xfc\x01"
"""The client shows again what is typed."""


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
