"""Descriptions of dialects for the server: the name of each, how its sessions begin, and how clients reach it.

``ump.net.dialects`` has the values. Options, ports, WebSocket paths, log lines and the tables in the documentation
follow from its list.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import TypeAlias

from ump.model.value import value
from ump.rules.ruleset import Ruleset
from ump.wire.session import Session


@value
class LoggedIn:
    """A login over HTTP, which the client's cookie refers to."""

    name: str
    uid: str
    """The public id of this login. It is not secret: other clients receive it."""
    user: str | None = None
    """The account name that came with the login."""
    password: str | None = None
    """The password that came with the login."""
    cookie: str | None = None
    """The secret by which the client is known; it must not be used as a name."""
    has_seat: bool = False
    """Whether the client comes back to a running game."""


@value
class RoomInfo:
    """A room of the server, as people and programs outside know it."""

    name: str
    ruleset: Ruleset
    bots: int
    """The number of built-in bots that may complete a table."""
    move: float
    """Seconds for each move."""
    bank: float
    """Seconds on top of that for each kyoku."""
    access: str = "open"
    """The clients that may enter: ``open``, ``users``, ``code`` (an invitation code is needed) or ``users+code``."""
    is_rated: bool = False
    """Whether its games count for a ladder, and begin in rounds."""


@value
class Caller:
    """The facts about a client that are known before its first message. Each transport fills in those that it knows."""

    rooms: tuple[RoomInfo, ...] = ()
    """The rooms of the server, the first one is for clients that name none; empty where no server is known."""
    name: str | None = None
    """The name of a bot that the server has started, or the name in the client's URL."""
    room: str | None = None
    """The room that the URL names."""
    token: str | None = None
    """The bearer token of the request, and the session of the URL. It is a secret, and must not be used as a name."""
    riichienv: str | None = None
    """The release of riichienv that the URL names, unchecked: the client reads observations with it."""
    wants_advice: bool = False
    """Whether the URL asks for advice."""
    auth: tuple[str, ...] = ()
    """The secrets for a login that the server takes here; empty if it knows no users, or the line is open."""
    pages: int | None = None
    """The port of the same computer with the pages of the server; None: there is none, or no client could read it."""
    login: LoggedIn | None = None
    """The login that came with the request; None where the transport has none, or the client has not logged in."""

    @property
    def ruleset(self) -> Ruleset | None:
        """The rules of the server's first room, for dialects that greet with them."""
        return self.rooms[0].ruleset if self.rooms else None


OpenSession: TypeAlias = Callable[[Caller], Session]
"""Begins the session of one client. Raises WireError, with a message for the client, for an invalid Caller."""


class DefaultPort(Enum):
    """Whether the server opens a port when no option names any port."""

    REQUIRED = "required"
    """The server opens it, or ends with an error."""
    OPTIONAL = "optional"
    """The server opens it, or logs a warning and goes on without it."""
    CLOSED = "closed"
    """The server does not open it."""


@value
class Hint:
    """A line that tells people how to reach a port."""

    label: str
    """The clients or the purpose, as in ``mjai bots``."""
    text: str
    """The text to type; ``{host}`` and ``{port}`` stand for the address of the port, ``{ump}`` for the command.

    ``{room}`` stands for the name of a room.
    """

    def in_room(self, name: str) -> Hint:
        """Return the hint for a room of this name."""
        return Hint(self.label, self.text.replace("{room}", name))

    def at(self, host: str, port: int, ump: str = "ump") -> str:
        """Return the text to type for a port at this address, where the command ``ump`` is called by this name."""
        address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        text = self.text.replace("{host}:{port}", address)
        return text.replace("{host}", host).replace("{port}", str(port)).replace("{ump}", ump).replace("{room}", "main")


@value
class PortOption:
    """A command-line option that opens ports of one kind."""

    name: str
    """The option, without its dashes."""
    number: int
    """The usual port."""
    default: DefaultPort
    serves: str
    """The clients or messages of the port, as ``--help`` names them: ``UMP``, ``mjai bots in lock-step``."""


@value
class LinePort:
    """A port of the dialect's own, over TCP, TLS or a UNIX socket. Each message is a line."""

    option: PortOption
    ending: str
    """The characters that end each line the server writes."""
    hints: tuple[Hint, ...]
    is_typed: bool = False
    """Whether people type there: then CR and CR NUL (RFC 854) end a line too."""


class Framing(Enum):
    """The way messages are put into the text frames of a WebSocket."""

    MESSAGE = "message"
    """Each frame holds one message."""
    LINES = "lines"
    """Each frame holds one or more messages, separated by line ends. The last may have a line end too."""


WILL_ECHO = b"\xff\xfb\x01"
"""The server offers to show what is typed (telnet, RFC 854 and 857). A client then does not; nor does the server.

Both commands are sent around a password, only to a person at a prompt. A client of telnet says nothing before a
server's first command, unless it was given no port. So it cannot be told from ``nc``, which shows these bytes.
"""

WONT_ECHO = b"\xff\xfc\x01"
"""The client shows again what is typed."""


class TokenUse(Enum):
    """The way a WebSocket path treats a bearer token."""

    IGNORED = "ignored"
    REQUIRED = "required"
    """A request without a token is refused."""
    OPTIONAL = "optional"
    """A client with a token is known by it; others have none."""


@value
class WebSocketPath:
    """A path of the HTTP port whose requests become WebSockets."""

    path: str
    """Without the slash before it; it may have several parts."""
    summary: str
    """Its description on the server's first page."""
    framing: Framing = Framing.MESSAGE
    token: TokenUse = TokenUse.IGNORED
    room: str | None = None
    """The room in which all clients of this path play; None: the client's choice."""
    subprotocol: str | None = None
    """The name that a client may give in Sec-WebSocket-Protocol; browsers want it confirmed."""


@value
class NetPlay:
    """A folder of the HTTP port where clients log in, then poll as Socket.IO does, then log out."""

    folder: str
    """Without the slash before it. The same paths are served at the root as well."""
    summary: str
    """Its description on the server's first page."""
    hint: Hint


@value
class StandardStreams:
    """Standard input and output of a bot that is started as a child process. Each message is a line."""

    key: str
    """The word before the command in ``--house KEY:COMMAND``, and the name of the option of ``ump join``."""


Transport: TypeAlias = LinePort | WebSocketPath | NetPlay | StandardStreams


@value
class Dialect:
    """A dialect as the server offers it."""

    name: str
    """The name in the documentation."""
    open_session: OpenSession
    transports: tuple[Transport, ...]
    """All ways in which clients reach it."""
