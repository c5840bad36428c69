"""The states of a Majiang connection, and the steps that lead from one to another."""

from __future__ import annotations

from enum import Enum
from typing import Final


class State(Enum):
    """The state of a connection."""

    HELLO = "hello"
    """The client must introduce itself."""
    LOBBY = "lobby"
    """The client waits for a table. Messages of an earlier game may still wait for their replies."""
    SEATED = "seated"
    LEAVING = "leaving"
    """No further game follows. With the reply to the last message the connection is over."""
    CLOSING = "closing"
    """The session drops everything that it receives."""


class Step(Enum):
    """A reason for a connection to change its state."""

    INTRODUCED = "introduced"
    SAT = "sat"
    STOOD = "stood"
    LEFT = "left"
    CLOSED = "closed"


TRANSITIONS: dict[State, dict[Step, State]] = {
    State.HELLO: {Step.INTRODUCED: State.LOBBY, Step.LEFT: State.LEAVING, Step.CLOSED: State.CLOSING},
    State.LOBBY: {Step.SAT: State.SEATED, Step.LEFT: State.LEAVING, Step.CLOSED: State.CLOSING},
    State.SEATED: {Step.STOOD: State.LOBBY, Step.LEFT: State.LEAVING, Step.CLOSED: State.CLOSING},
    State.LEAVING: {Step.LEFT: State.LEAVING, Step.CLOSED: State.CLOSING},
    State.CLOSING: {Step.LEFT: State.CLOSING, Step.CLOSED: State.CLOSING},
}
"""Every legal step. A step that is not listed is a bug of the server, and raises KeyError.

A Socket.IO client leaves by itself after its game, and the server may then end the connection too.
"""

HELLO: Final = State.HELLO
LEAVING: Final = State.LEAVING
CLOSING: Final = State.CLOSING
"""Names of the members that sessions need for every message, because enum lookups are slow in Python 3.11."""
