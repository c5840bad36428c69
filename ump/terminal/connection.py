"""Carries lines between a server and the screen in a thread of its own, and connects again after a loss."""

from __future__ import annotations

import random
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from http.client import HTTPConnection, HTTPException, HTTPSConnection

from ump.bots.conversations import PROTOCOLS, open_link
from ump.bots.links import Address, Link, LinkError
from ump.model.value import value
from ump.terminal.lobby import ServerView, read_view
from ump.wire.json_text import MAX_DOCUMENT, read_document
from ump.wire.text import WireError
from ump.wire.ump.reader import HelloReceived, UmpReader

PAUSES = (0.1, 0.5, *[1.0] * 30, *[4.0] * 10)
"""Seconds before each attempt to connect again; after the last one the person decides."""

SILENCE = 2.0
"""Seconds without a line after which the server is asked for a sign of life, and in which it must give one."""

_PING, _PONG = "0 _ping", "_pong"
_ANSWERS_PINGS = re.compile(r"\d+ hello .*\b_ext=\S*\b_ping\b")

PROTOCOL = PROTOCOLS["ump-0.1"]


@value
class Connected:
    """A connection has begun, the first or a new one."""


@value
class LineReceived:
    """A line of the server."""

    line: str


@value
class ConnectionLost:
    """The connection has ended, or there was none."""

    reason: str
    pause: float | None
    """Seconds until the next attempt; None: there is none."""


News = Connected | LineReceived | ConnectionLost
Tell = Callable[[News], None]
"""Takes what happens to the connection; called in the connection's thread."""


def connect_to(address: Address, name: str) -> Link:
    """Open a link in UMP 0.1; raises OSError, mostly a LinkError with a reason for people."""
    return open_link(address, PROTOCOL, name=name, token=None, room=None)


class ScreenConnection:
    """The connection of one screen. ``start`` begins it, ``stop`` ends it from any thread."""

    def __init__(self, connect: Callable[[], Link], tell: Tell, *, jitter: float = 0.2) -> None:
        """``connect`` opens a link and may block; each pause is longer by up to ``jitter`` of it, by chance."""
        self._connect = connect
        self._tell = tell
        self._jitter = jitter
        self._link: Link | None = None
        self._stopped = threading.Event()
        self._attempt = threading.Event()
        self._thread: threading.Thread | None = None
        self._is_introduced = False
        """Whether anything has been sent, which begins with the hello."""

    def start(self) -> None:
        """Connect, and again after each loss."""
        self._thread = threading.Thread(target=self._run, name="connection", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Close, and tell nothing any more."""
        self._stopped.set()
        self._attempt.set()
        self._close()

    @property
    def is_stopped(self) -> bool:
        """Whether ``stop`` was called."""
        return self._stopped.is_set()

    def drop(self) -> None:
        """Close this connection, so that a new one is tried."""
        self._close()

    def try_now(self) -> None:
        """Connect at once: end the pause, or begin anew after the last attempt."""
        if self._thread is not None and not self._thread.is_alive() and not self._stopped.is_set():
            self.start()
        self._attempt.set()

    def send(self, lines: list[str]) -> None:
        """Send lines. If the connection is lost, the reading thread notices it."""
        link = self._link
        if lines and link is not None:
            self._is_introduced = True
            try:
                link.send(lines)
            except OSError:
                link.close()

    def _run(self) -> None:
        pauses = iter(PAUSES)
        while not self._stopped.is_set():
            reason = self._converse()
            if self._stopped.is_set():
                return
            if reason is None:  # lines have come: a new loss begins with the shortest pause
                reason, pauses = "the connection is lost", iter(PAUSES)
            pause = self._pause(pauses)
            self._tell(ConnectionLost(reason, pause))
            if pause is None:
                return
            self._attempt.clear()
            self._attempt.wait(pause)

    def _pause(self, pauses: Iterator[float]) -> float | None:
        pause = next(pauses, None)
        return None if pause is None else pause * (1 + self._jitter * random.random())

    def _converse(self) -> str | None:
        """Read one connection to its end; return why there was none, or None if the server has said something."""
        try:
            link = self._connect()
        except LinkError as error:
            return str(error)
        except OSError as error:
            return f"no connection: {error.strerror or error}"
        self._link = link
        self._is_introduced = has_spoken = False
        try:
            self._tell(Connected())
            while not self._stopped.is_set() and (line := self._next_line(link)) is not None:
                if not has_spoken and _ANSWERS_PINGS.match(line) is not None:
                    link.expect(SILENCE)
                has_spoken = True
                if line.split()[1:] != [_PONG]:
                    self._tell(LineReceived(line))
        except (OSError, ValueError):
            pass  # lost, or unreadable beyond repair: both mean a new connection
        finally:
            self._close()
        return None if has_spoken else "the server has said nothing"

    def _next_line(self, link: Link) -> str | None:
        """Return the next line, or None at the end; raise TimeoutError if the server gives no sign of life."""
        try:
            return link.receive()
        except TimeoutError:
            if self._is_introduced:
                link.send([_PING])
            return link.receive()

    def _close(self) -> None:
        link, self._link = self._link, None
        if link is not None:
            link.close()


# Looking at a server without playing


LOBBY_SECONDS = 5.0
"""Seconds to wait for the list of rooms."""


def look_at(address: Address) -> ServerView:
    """Return what a server says about its rooms; raises OSError, mostly a LinkError, if no server of UMP is there."""
    with closing(connect_to(address, "lobby")) as link:
        line = link.receive()
    try:
        hello = next(iter(UmpReader().read(line or "")), None)
    except WireError as error:
        raise LinkError(f"{address} does not speak UMP 0.1") from error
    if not isinstance(hello, HelloReceived):
        raise LinkError(f"{address} does not speak UMP 0.1")
    said = dict(hello.options).get("_http", "")
    port = address.port if address.is_web_socket else int(said) if said.isdecimal() and len(said) <= 5 else None
    if port is None:
        return ServerView()
    try:
        return read_view(_lobby(address, port))
    except (OSError, HTTPException, ValueError, OverflowError):
        return ServerView()


def _lobby(address: Address, port: int) -> object:
    """Return the content of the lobby of a server; raises OSError, HTTPException and ValueError."""
    kind = HTTPSConnection if address.scheme == "wss" else HTTPConnection
    with closing(kind(address.host, port, timeout=LOBBY_SECONDS)) as http:
        http.request("GET", "/api/lobby")
        response = http.getresponse()
        if response.status != 200:
            raise HTTPException(f"status {response.status}")
        return read_document(response.read(MAX_DOCUMENT))
