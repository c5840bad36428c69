"""The limits of the network side, each with its reason."""

from __future__ import annotations

from ump.model.value import value
from ump.net.child_sessions import ChildLimits
from ump.net.connection_budget import Budget
from ump.net.network_list import NOBODY, NetworkList
from ump.wire.json_text import MAX_OBJECT
from ump.wire.text import MAX_LINE

# Connections

MAX_UNSENT = 64 * 1024
"""Bytes kept for a client that does not read, besides the 64 KiB of the transport. Both together hold a hanchan."""

IDLE_PER_SECOND = 1_000
"""Messages without effect that one client may send in a second. Each costs some microseconds. Answers are not counted,
because each of them needs a question first."""

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
"""What a client hears that is turned away, or that has to make room for another one."""

TOO_MANY_LOGINS = "too many logins from your address; try again in a minute"
TOO_MANY_GAMES = "too many games from your address; try again in a minute"
TOO_MANY_LEFT = "too many games wait for players from your address who have gone; come back to them, or try again later"
TOO_MANY_WAIT = "too many players are waiting; try again later"
TOO_MANY_WATCH = "too many spectators; try again later"

SEED_SECONDS = 10
"""Time for all clients of a new game to reveal the texts that they add to its walls. Programs answer at once."""

# Bots that the server starts

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

LOBBY_SECONDS = 1.0
"""Seconds for which an answer about the lobby is kept: with a thousand tables it takes milliseconds to make."""

MAX_CONVERSIONS = 8
"""Records that other processes convert for HTTP, the waiting ones included; one at a time, one for each host."""

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

    hello_seconds: int = HELLO_SECONDS
    """Time for the hello. People have at least PERSON_HELLO_SECONDS."""
    line: int = MAX_LINE
    """Bytes of a line of UMP, and of people."""
    message: int = MAX_OBJECT
    """Bytes of a message of mjai and Majiang."""
    unread: int = MAX_UNSENT
    """Bytes that are kept for a client that does not read its stream."""
    idle_lines: int = IDLE_PER_SECOND
    """Lines without effect in one second."""

    def longest(self, most: int) -> int:
        """Return how long a message may be of a dialect that reads at most so many bytes by itself."""
        return self.line if most == MAX_LINE else min(self.message, most)


@value
class Rates:
    """How often one host may do something, in a minute."""

    connections: int = 6_000
    """New connections. Clients of net play may open one for each request, many times a second."""
    logins: int = 600
    """Hellos, and logins for net play."""
    games: int = 600
    """Games that its players join. A bot that plays single kyokus alone may need one in a fraction of a second."""
    violations: int = 60
    """Connections that were closed because they broke a protocol, after which the host has to wait."""


@value
class Limits:
    """The limits that the operator can set."""

    budget: Budget = Budget()
    """How many connections may be open at the same time."""
    rates: Rates = Rates()
    """How much each host may do in a minute."""
    client: ClientLimits = ClientLimits()
    """The limits of each connection."""
    deny: NetworkList = NOBODY
    """The addresses that may not connect."""
    log_lines: int = 20
    """Lines of the log about one host's connections in a minute."""
    tables: int = 1_000
    """Games that run at the same time."""
    backlog: int = 1_024
    """Connections per port that the system accepts before the server does. A tournament starts with hundreds at once;
    the system may lower this number (Linux: net.core.somaxconn)."""
    children: int = 64
    """Bots that the server itself has started."""
    child: ChildLimits = ChildLimits()
    """The limits of each of them."""
