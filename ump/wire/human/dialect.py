"""The dialect for people as the server offers it. They reach it through the port for UMP as well."""

from __future__ import annotations

from ump.wire.dialect import DefaultPort, Dialect, Hint, LinePort, PortOption
from ump.wire.human.session import HumanSession

HUMAN = Dialect(
    name="plain words",
    open_session=lambda caller: HumanSession(caller.rooms),
    transports=(
        LinePort(
            PortOption("telnet", 19002, DefaultPort.CLOSED, "people at a terminal"),
            ending="\r\n",
            hints=(Hint("people", "telnet {host} {port}"),),
        ),
    ),
)
