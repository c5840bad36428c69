"""The states of a UMP connection, 0.1 and 0.2 alike, and the steps that lead from one to another.

``TRANSITIONS`` is the whole table. A step that is not listed for a state is a bug in the server.
"""

from __future__ import annotations

from enum import Enum
from typing import Final


class ConnectionState(Enum):
    """The state of a connection."""

    HELLO = "hello"
    """The server has sent its hello and waits for the client's."""
    LOBBY = "lobby"
    """The client waits for a table."""
    SEATED = "seated"
    """The client has a seat at a table."""
    WATCHING = "watching"
    """The client watches a room."""
    CLOSING = "closing"
    """The connection is closing; all further lines are ignored."""


class ConnectionStep(Enum):
    """A reason for a connection to change its state."""

    INTRODUCED = "introduced"
    SAT = "sat"
    STOOD = "stood"
    WATCHED = "watched"
    CLOSED = "closed"


_State, _Step = ConnectionState, ConnectionStep

HELLO: Final = _State.HELLO
CLOSING: Final = _State.CLOSING
"""Names of the states that sessions compare with for every line, because enum lookups are slow in Python 3.11."""

TRANSITIONS: dict[ConnectionState, dict[ConnectionStep, ConnectionState]] = {
    _State.HELLO: {_Step.INTRODUCED: _State.LOBBY, _Step.CLOSED: _State.CLOSING},
    _State.LOBBY: {_Step.SAT: _State.SEATED, _Step.WATCHED: _State.WATCHING, _Step.CLOSED: _State.CLOSING},
    _State.SEATED: {_Step.STOOD: _State.LOBBY, _Step.CLOSED: _State.CLOSING},
    _State.WATCHING: {_Step.CLOSED: _State.CLOSING},
    _State.CLOSING: {_Step.CLOSED: _State.CLOSING},
}
"""The state to which each step leads from each state."""
