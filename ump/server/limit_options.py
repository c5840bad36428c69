"""The options that set limits."""

from __future__ import annotations

from typing import Any

from ump.net.limits import MAX_LINES_FRAME, Limits
from ump.net.network_list import Network
from ump.server import option_kinds as kinds
from ump.server.option import Group, Option, Scope
from ump.wire.json_text import MAX_OBJECT


def _limit(name: str, most: int, help_text: str, section: str = "limits") -> Option[int]:
    return Option(name, kinds.number(1), most, Group.LIMITS, Scope.SERVER, help_text, str(most), section)


_BUDGET, _RATES = Limits().budget, Limits().rates

CONNECTIONS = _limit("connections", _BUDGET.connections, "Limit on connections of all ports together.")
PER_HOST = _limit("per-host", _BUDGET.per_host, "Limit on connections from one host: an address, or a /64 of IPv6.")
NEWCOMERS = _limit("newcomers", _BUDGET.newcomers, "Limit on connections without a hello.")
WAITING = _limit("waiting", _BUDGET.waiting, "Limit on players who wait for a table.")
SPECTATORS = _limit("spectators", _BUDGET.spectators, "Limit on connections that watch.")
HTTP_STREAMS = _limit("http-streams", _BUDGET.http_streams, "Limit on connections of HTTP ports, besides WebSockets.")
TABLES = _limit("tables", Limits().tables, "Limit on games that run at the same time.")
CONNECTION_RATE = _limit("connection-rate", _RATES.connections, "Limit on new connections per host and minute.")
LOGIN_RATE = _limit("login-rate", _RATES.logins, "Limit on hellos and logins per host and minute.")
GAME_RATE = _limit("game-rate", _RATES.games, "Limit on games that one host's players join per minute.")
VIOLATION_RATE = _limit(
    "violation-rate",
    _RATES.violations,
    "Limit on connections of one host per minute that break a protocol; then it may not connect for some time.",
)
HTTP_NAME: Option[tuple[str, ...]] = Option(
    "http-name",
    kinds.HTTP_NAMES,
    (),
    Group.LIMITS,
    Scope.SERVER,
    "Name under which clients reach the HTTP port, besides localhost and the server's own addresses.",
    section="http",
)
STATUS_FOR: Option[tuple[Network, ...]] = Option(
    "status-for",
    kinds.NETWORKS,
    (),
    Group.LIMITS,
    Scope.SERVER,
    "Address or network that may read /status and /metrics of the HTTP port, besides this computer.",
    section="http",
)
DENY: Option[str | None] = Option(
    "deny",
    kinds.text("FILE"),
    None,
    Group.LIMITS,
    Scope.SERVER,
    "File with addresses and networks that may not connect, one on each line; SIGHUP reads it again.",
    section="limits",
)
BACKLOG = _limit("backlog", Limits().backlog, "Connections to each port that may wait until the server accepts them.")
CHILDREN = _limit(
    "children", Limits().children, "Limit on bots that the server has started for --house.", "bots-as-child-processes"
)


def _child_limit(name: str, most: int, help_text: str) -> Option[int]:
    return Option(
        name,
        kinds.number(0),
        most,
        Group.LIMITS,
        Scope.SERVER,
        f"{help_text}; 0: no limit.",
        str(most),
        "bots-as-child-processes",
    )


def _client_limit(name: str, default: int, allowed: tuple[int, int], help_text: str) -> Option[int]:
    least, most = allowed
    help_text = f"{help_text}, from {least} to {most}."
    kind = kinds.number(least, most)
    return Option(name, kind, default, Group.LIMITS, Scope.SERVER, help_text, str(default), "limits")


_CLIENT = Limits().client

HELLO_TIME = _client_limit("hello-time", _CLIENT.hello_seconds, (1, 3_600), "Seconds for a program's hello")
LINE_LENGTH = _client_limit(
    "line-length", _CLIENT.line, (256, MAX_LINES_FRAME), "Limit on bytes of a line of UMP, or of a person"
)
MESSAGE_LENGTH = _client_limit(
    "message-length", _CLIENT.message, (1_024, MAX_OBJECT), "Limit on bytes of a message of mjai or Majiang"
)
UNREAD = _client_limit(
    "unread", _CLIENT.unread // 1_024, (16, 65_536), "KiB kept for a client that does not read its connection"
)
IDLE_LINES = _client_limit(
    "idle-lines", _CLIENT.idle_lines, (10, 100_000), "Limit on a connection's lines per second that answer nothing"
)

LOG_LINES = _client_limit(
    "log-lines", Limits().log_lines, (1, 1_000), "Limit on log lines about one host's connections per minute"
)

_CHILD = Limits().child

CHILD_CPU = _child_limit("child-cpu", _CHILD.cpu, "CPU seconds for each process of such a bot")
CHILD_MEMORY = _child_limit("child-memory", _CHILD.memory, "MiB of memory for each process of such a bot")
CHILD_OUTPUT = _child_limit("child-output", _CHILD.output, "MiB that such a bot may print, and write to each file")
CHILD_PROCESSES = _child_limit("child-processes", _CHILD.processes, "Limit on processes of such a bot")
CHILD_NICE: Option[int] = Option(
    "child-nice",
    kinds.number(0, 19),
    _CHILD.nice,
    Group.LIMITS,
    Scope.SERVER,
    "How far the priority of such a bot is below the server's, from 0 to 19, so that games come before thinking.",
    str(_CHILD.nice),
    "bots-as-child-processes",
)

LIMIT_OPTIONS: tuple[Option[Any], ...] = (
    CONNECTIONS,
    PER_HOST,
    NEWCOMERS,
    WAITING,
    SPECTATORS,
    HTTP_STREAMS,
    TABLES,
    CONNECTION_RATE,
    LOGIN_RATE,
    GAME_RATE,
    VIOLATION_RATE,
    HELLO_TIME,
    LINE_LENGTH,
    MESSAGE_LENGTH,
    UNREAD,
    IDLE_LINES,
    LOG_LINES,
    HTTP_NAME,
    STATUS_FOR,
    DENY,
    BACKLOG,
    CHILDREN,
    CHILD_CPU,
    CHILD_MEMORY,
    CHILD_OUTPUT,
    CHILD_PROCESSES,
    CHILD_NICE,
)
"""All of them, in the order of the documentation."""
