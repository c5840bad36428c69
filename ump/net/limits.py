"""The limits of the network side, each with its reason."""

from __future__ import annotations

from dataclasses import KW_ONLY

from ump.model.setting import setting
from ump.model.value import value
from ump.net.connection_budget import NOBODY, Budget, Network, NetworkList, read_network, read_networks
from ump.net.endpoints import read_host_name
from ump.net.http.forwarded import UNIX, Proxy, read_proxy
from ump.wire.json_text import MAX_OBJECT
from ump.wire.text import MAX_LINE

# Connections

MAX_UNSENT = 64 * 1024
"""Bytes kept for a client that does not read, besides the 64 KiB of the transport. Both together hold a hanchan."""

IDLE_PER_SECOND = 1_000
"""Messages without effect that one client may send in a second. Each costs some microseconds. Answers are not counted,
because each of them needs a question first."""

ORDER_COST = 50
"""Messages without effect for which an order to a table counts: at most 20 of them in a second."""

IDLE_BYTES = 1_024
"""Bytes of a message without effect that count as one message: the longest line of UMP counts once, a long JSON text
up to sixty times."""

IDLE_REPORTED = 16
"""Messages without effect that the debug log and the trace explain in a second; further ones are only counted."""

SLICE = 4
"""Lines or frames of one client that are read at once: more than most clients of a game send before they wait."""

HTTP_SLICE = 4 * 1024
"""Bytes of one client's requests that are read at once, and never more than the head of one request."""

SLICES_PER_TURN = 8
"""Slices of clients with more input that the server takes in one turn of the reactor."""

SLICES_SECONDS = 0.0005
"""Time after which such a turn ends: a line may be a request for help, or begin a game."""

SLICE_PAUSE = 0.005
"""Seconds between two such turns: so at most 6,400 lines a second, in about 10 % of the time."""

MAX_HELD = 1_000
"""Messages of a client that are kept while its connection is held, the last ones."""

SPECTATOR_DELAY = 0.1
"""Seconds for which events are collected before spectators receive them together, at least."""

SPECTATORS_PER_TURN = 8
"""Spectators who are served in one turn of the reactor, those of all tables together: about a quarter millisecond."""

SPECTATOR_PAUSE = 0.004
"""Seconds between two such turns: so at most 2,000 spectators a second are served, in about 5 % of the time."""

MAX_LINES_FRAME = 16 * 1024
"""Bytes of a WebSocket message that holds lines: sixteen of the longest."""

HELLO_SECONDS = 60
"""Time for the hello, as the protocol page says: long enough to type it."""

PERSON_HELLO_SECONDS = 600
"""The same for a client that has turned out to be a person, who may read first."""

CLOSE_SECONDS = 5
"""Time for a client to take the last bytes of a connection that closes; then the connection is cut."""

DRAIN_SECONDS = 8
"""Time for all clients to leave a server that stops; then they are cut. It is longer than CLOSE_SECONDS, and shorter
than the 10 seconds that container engines grant."""

LOGOUT_SECONDS = 1
"""Time between the end of the last connection and the closing of the ports: clients that poll need one more request to
log out."""

TOO_MANY = "too many connections"
"""The message to a client that is turned away, or that has to make room for another one."""

TOO_MANY_LOGINS = "too many logins from your address; try again in a minute"
TOO_MANY_GAMES = "too many games from your address; try again in a minute"
TOO_MANY_CODES = "too many wrong codes from your address; try again in a minute"
TOO_MANY_LEFT = "too many games wait for players from your address who have gone; come back to them, or try again later"
TOO_MANY_WAIT = "too many players are waiting; try again later"
TOO_MANY_WATCH = "too many spectators; try again later"

SEED_SECONDS = 10
"""Time for all clients of a new game to reveal the texts that they add to its walls. Programs answer at once."""

# Bots that the server starts

MEBIBYTE = 1024 * 1024

QUIT_SECONDS = 3
"""Time for a bot to end by itself once its standard input is closed, to save what it has learnt; then SIGTERM is
sent."""

KILL_SECONDS = 3
"""Time between SIGTERM and SIGKILL. Together with QUIT_SECONDS it is shorter than DRAIN_SECONDS."""

PIPE_SECONDS = 1
"""Time after the end of a bot for which its own children may keep its pipes open."""

PLACE_SECONDS = 5
"""Seconds between two attempts to start bots for a table that they alone could complete."""

SILENT_SECONDS = 60
"""Time for a bot to answer a question of another server; then the bot is stopped."""

MAX_TAIL = 8 * 1024
"""Bytes of a bot's standard error that are kept for the report about its end."""

MAX_LOGGED = 1_000
"""Lines of a bot's standard error that are logged, so that a bot in a loop does not keep the server busy."""

# Traces

MAX_TRACE = 4 * 1024 * 1024
"""Bytes of a part of a trace. Each trace has two parts at most, the older of which is replaced: the last hanchan or two
of a client, even with the observations of mjai on request."""

MAX_TRACES = 200
"""Traces in the folder, 1.6 GB in all. The oldest are removed; connections beyond this number are not traced."""

MAX_TRACED_TEXT = 64 * 1024
"""Characters of a message in a trace."""

MAX_TRACE_BACKLOG = 8 * 1024 * 1024
"""Bytes of all traces that wait for the disk. Beyond this, messages are left out of the traces."""

TRACE_SECONDS = 0.2
"""Time for which traces collect messages before these are written together."""

MAX_LOGGED_TEXT = 200
"""Characters of a client's message that the debug log quotes: every answer, without a bot's own remarks."""

# HTTP

MAX_BODY = 100_000
"""Bytes of a request's body: the longest message of any dialect has 64 KiB, and the packet around it adds some."""

MAX_RECORD = 2 * 1024 * 1024
"""Bytes of a record that a page sends for conversion: fifty times a hanchan in any format."""

MOST_SPARE = 8
"""HTTP streams of this computer that are served its own pages, such as ``/healthz``, when there are too many
connections. The oldest makes room for a new one."""

LOBBY_SECONDS = 1.0
"""Seconds for which an answer about the lobby is kept: with a thousand tables it takes milliseconds to make."""

BOARD_SECONDS = 3.0
"""Seconds for which the boards in it are kept: one takes up to a millisecond to make."""

MAX_JOBS = 64
"""Results that other processes make of records for HTTP, one at a time: those that wait included."""

MAX_BRANCHES = 256
"""Positions of recorded games, of a few kilobytes each, from which somebody may play on."""

MAX_JOBS_OF_HOST = 8
"""Those that one host has asked for."""

MAX_PROFILES = 8
"""People who let the server review their last games; each has one of those jobs at a time."""

MAX_JOB_BYTES = 16 * 1024 * 1024
"""Bytes of the records that wait."""

JOB_SECONDS = 2.0
"""Time for a result, for a client that wants to hear how far it is otherwise."""

MAX_KEPT_IN_MEMORY = 16 * 1024 * 1024
"""Bytes of the last results: a thousand replays of a hanchan."""

MAX_KEPT_IN_FOLDER = 256 * 1024 * 1024
"""Bytes of all results on the disk."""

MAX_HEADERS = 64
"""Header lines of a request. Browsers send about twenty."""

MAX_HEAD = 8 * 1024
"""Bytes of a request's first line and headers together."""

MAX_LENGTH_DIGITS = 15
"""Digits of a Content-Length. Python refuses to convert much longer ones."""

REQUEST_SECONDS = 60
"""Time for a whole request to arrive, from the beginning of the connection or the end of the request before it."""

SMALL_BODY = 2 * 1024
"""Bytes of a body before a login, and of those that always find room: the form of a login, and an answer of a game."""

MAX_BODIES = 16 * 1024 * 1024
"""Bytes of all larger bodies that are not answered yet: 160 of the longest at the same time."""

MAX_UNPOLLED = 256 * 1024
"""Bytes kept for a client that does not poll. One message more is kept, because a game record is a single message."""

PACKET_COST = 64
"""Bytes that each packet for a client that does not poll costs besides its text."""

MAX_LOGINS = 10_000
"""Logins that are remembered. The oldest without a connection is forgotten first."""

PING_INTERVAL = 25
"""Seconds between pings, as in Socket.IO servers. Proxies close connections that are silent for 60 seconds."""

PING_TIMEOUT = 20
"""Time for a client that polls to answer a ping."""


@value
class ClientLimits:
    """The limits of one connection."""

    hello_seconds: int = setting(
        HELLO_SECONDS, "Seconds for a program's hello, from {least} to {most}.", name="hello-time", most=3_600
    )
    """People have at least PERSON_HELLO_SECONDS."""
    line: int = setting(
        MAX_LINE,
        "Limit on bytes of a line of UMP, or of a person, from {least} to {most}.",
        name="line-length",
        least=256,
        most=MAX_LINES_FRAME,
    )
    message: int = setting(
        MAX_OBJECT,
        "Limit on bytes of a message of mjai or Majiang, from {least} to {most}.",
        name="message-length",
        least=1_024,
        most=MAX_OBJECT,
    )
    unread: int = setting(
        MAX_UNSENT,
        "KiB kept for a client that does not read its connection, from {least} to {most}.",
        unit=1_024,
        least=16,
        most=65_536,
    )
    """Bytes."""
    idle_lines: int = setting(
        IDLE_PER_SECOND,
        "Limit on a connection's lines per second that answer nothing, from {least} to {most}.",
        least=10,
        most=100_000,
    )
    pong_seconds: int = PING_TIMEOUT
    """Time for a client that polls to answer a ping. An arena gives its programs more."""

    def longest(self, most: int) -> int:
        """Return how long a message may be of a dialect that reads at most so many bytes by itself."""
        return self.line if most == MAX_LINE else min(self.message, most)


@value
class Rates:
    """Limits on what one host may do in a minute."""

    connections: int = setting(6_000, "Limit on new connections per host and minute.", name="connection-rate")
    """Clients of net play may open one for each request, many times a second."""
    logins: int = setting(600, "Limit on hellos and logins per host and minute.", name="login-rate")
    games: int = setting(600, "Limit on games that one host's players join per minute.", name="game-rate")
    """A bot that plays single kyokus alone may need one in a fraction of a second."""
    violations: int = setting(
        60,
        "Limit on connections of one host per minute that break a protocol; then it may not connect for some time. "
        "Also on its wrong codes of tables, rooms and tournaments; then the server looks at none from there.",
        name="violation-rate",
    )


_CHILD_SECTION = "bots-as-child-processes"


def _child_limit(default: int, name: str, help_text: str) -> int:
    return setting(default, f"{help_text}; 0: no limit.", name=name, least=0, section=_CHILD_SECTION)


@value
class ChildLimits:
    """Limits on the resources of a bot as a child process. 0 sets no limit."""

    cpu: int = _child_limit(3_600, "child-cpu", "CPU seconds for each process of such a bot")
    """All threads together: an hour for one game."""
    memory: int = _child_limit(4_096, "child-memory", "MiB of memory for each process of such a bot")
    """Data alone: address space that is only reserved does not count on Linux."""
    output: int = _child_limit(256, "child-output", "MiB that such a bot may print, and write to each file")
    """To its standard output and error in its game."""
    processes: int = _child_limit(64, "child-processes", "Limit on processes of such a bot")
    """Threads are not counted."""
    nice: int = setting(
        5,
        "How far the priority of such a bot is below the server's, from {least} to {most}, so that games come before "
        "thinking.",
        name="child-nice",
        least=0,
        most=19,
        section=_CHILD_SECTION,
    )
    """A third of the time of a core that both want."""

    @property
    def output_bytes(self) -> int | None:
        """The limit on its output in bytes; None without one."""
        return self.output * MEBIBYTE or None


@value
class Limits:
    """The limits that the operator can set."""

    budget: Budget = Budget()
    _: KW_ONLY
    tables: int = setting(1_000, "Limit on games that run at the same time.")
    rates: Rates = Rates()
    client: ClientLimits = ClientLimits()
    log_lines: int = setting(
        20, "Limit on log lines about one host's connections per minute, from {least} to {most}.", most=1_000
    )
    http_names: tuple[str, ...] = setting(
        (),
        "Name under which clients reach the HTTP port, besides localhost and the server's own addresses.",
        name="http-name",
        metavar="NAME",
        read=read_host_name,
        section="http",
        needs="http",
    )
    status_for: tuple[Network, ...] = setting(
        (),
        "Address or network that may read /status and /metrics of the HTTP port, besides this computer.",
        metavar="NETWORK",
        read=read_network,
        section="http",
        needs="http",
    )
    trusted_proxies: tuple[Proxy, ...] = setting(
        (),
        "Address or network of a proxy, or unix, whose X-Forwarded-For, Forwarded and X-Forwarded-Proto name clients.",
        name="trusted-proxy",
        metavar="NETWORK",
        read=read_proxy,
        words=(UNIX,),
        section="http",
        needs="http",
    )
    deny: NetworkList = setting(
        NOBODY,
        "File with addresses and networks that may not connect, one on each line; SIGHUP reads it again.",
        shown="",
        metavar="FILE",
        read=str,
        prepare=read_networks,
    )
    backlog: int = setting(1_024, "Connections to each port that may wait until the server accepts them.")
    """A tournament starts with hundreds at once; the system may lower this number (Linux: net.core.somaxconn)."""
    private_tables: int = setting(200, "Limit on tables among friends; 0: nobody may make one.", least=0)
    """Each keeps a room of its own, until an hour after its last player."""
    children: int = setting(
        64, "Limit on bots that the server has started for --house.", section="bots-as-child-processes"
    )
    child: ChildLimits = ChildLimits()
