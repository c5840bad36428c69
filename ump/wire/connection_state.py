"""The states of a connection, as the sessions of all dialects have them."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final


class ConnectionState(Enum):
    """The state of a connection."""

    HELLO = "hello"
    """The client must introduce itself: first of all and, in some dialects, again after a game."""
    LOBBY = "lobby"
    """The client waits for a table. Messages of an earlier game may still wait for their replies."""
    SEATED = "seated"
    """The client has a seat at a table."""
    WATCHING = "watching"
    """The client watches a room."""
    LEAVING = "leaving"
    """No further game follows. In dialects with a farewell, the client may still reply to what it has received."""
    CLOSING = "closing"
    """The session drops everything that it receives."""


class ConnectionStep(Enum):
    """A reason for a connection to change its state."""

    INTRODUCED = "introduced"
    PROMPTED = "prompted"
    """The session asks the client to introduce itself again."""
    SAT = "sat"
    STOOD = "stood"
    WATCHED = "watched"
    LEFT = "left"
    """The server has no further game for the client."""
    CLOSED = "closed"


HELLO: Final = ConnectionState.HELLO
LOBBY: Final = ConnectionState.LOBBY
SEATED: Final = ConnectionState.SEATED
LEAVING: Final = ConnectionState.LEAVING
CLOSING: Final = ConnectionState.CLOSING
"""Names of the states that sessions compare with for every message, because enum lookups are slow in Python 3.11."""

TRANSITIONS: Mapping[ConnectionState, Mapping[ConnectionStep, ConnectionState]] = {
    HELLO: {
        ConnectionStep.INTRODUCED: LOBBY,
        ConnectionStep.LEFT: LEAVING,
        ConnectionStep.CLOSED: CLOSING,
    },
    LOBBY: {
        ConnectionStep.PROMPTED: HELLO,
        ConnectionStep.SAT: SEATED,
        ConnectionStep.WATCHED: ConnectionState.WATCHING,
        ConnectionStep.LEFT: LEAVING,
        ConnectionStep.CLOSED: CLOSING,
    },
    SEATED: {
        ConnectionStep.PROMPTED: HELLO,
        ConnectionStep.STOOD: LOBBY,
        ConnectionStep.LEFT: LEAVING,
        ConnectionStep.CLOSED: CLOSING,
    },
    ConnectionState.WATCHING: {ConnectionStep.CLOSED: CLOSING},
    LEAVING: {ConnectionStep.LEFT: LEAVING, ConnectionStep.CLOSED: CLOSING},
    CLOSING: {ConnectionStep.LEFT: CLOSING, ConnectionStep.CLOSED: CLOSING},
}
"""Every legal step. A step that is not listed is a bug of the server, and raises KeyError.

A client may leave by itself after its last game, and the server may then end the connection too.
"""
