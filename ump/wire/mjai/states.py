"""The states of an mjai connection, and the steps that lead from one to another."""

from __future__ import annotations

from enum import Enum
from typing import Final


class State(Enum):
    """The state of a connection."""

    HELLO = "hello"
    """The client must introduce itself."""
    LOBBY = "lobby"
    """The client waits for a table."""
    SEATED = "seated"
    """The client sits at a table, before the first kyoku or between two."""
    IN_KYOKU = "in kyoku"
    """The client has received an event of a kyoku, and not yet the end of that kyoku."""
    RIICHI_ECHOED = "riichi echoed"
    """As IN_KYOKU; the client has received its own ``reach`` before the game's event of it."""
    GAME_OVER = "game over"
    """The client has received the end of the game, and still sits at the table."""
    LEAVING = "leaving"
    """The last game is over; the client may still reply."""
    CLOSING = "closing"
    """The session drops everything that it receives."""


class Step(Enum):
    """A reason for a connection to change its state."""

    INTRODUCED = "introduced"
    SAT = "sat"
    GAME_STARTED = "game started"
    KYOKU_EVENT = "kyoku event"
    """The session sends any event between the start and the end of a kyoku."""
    RIICHI_ECHOED = "riichi echoed"
    """The session echoes the client's ``reach``, and asks for the tile."""
    RIICHI_SETTLED = "riichi settled"
    """The game's event of the riichi has come, or the next question without it."""
    KYOKU_ENDED = "kyoku ended"
    GAME_ENDED = "game ended"
    STOOD = "stood"
    LEFT = "left"
    """No further game follows."""
    CLOSED = "closed"


TRANSITIONS: dict[State, dict[Step, State]] = {
    State.HELLO: {
        Step.INTRODUCED: State.LOBBY,
        Step.LEFT: State.LEAVING,
        Step.CLOSED: State.CLOSING,
    },
    State.LOBBY: {
        Step.SAT: State.SEATED,
        Step.LEFT: State.LEAVING,
        Step.CLOSED: State.CLOSING,
    },
    State.SEATED: {
        Step.GAME_STARTED: State.SEATED,
        Step.KYOKU_EVENT: State.IN_KYOKU,
        Step.GAME_ENDED: State.GAME_OVER,
        Step.STOOD: State.LOBBY,
        Step.LEFT: State.LEAVING,
        Step.CLOSED: State.CLOSING,
    },
    State.IN_KYOKU: {
        Step.KYOKU_EVENT: State.IN_KYOKU,
        Step.RIICHI_ECHOED: State.RIICHI_ECHOED,
        Step.KYOKU_ENDED: State.SEATED,
        Step.GAME_ENDED: State.GAME_OVER,
        Step.STOOD: State.LOBBY,
        Step.LEFT: State.LEAVING,
        Step.CLOSED: State.CLOSING,
    },
    State.RIICHI_ECHOED: {
        Step.KYOKU_EVENT: State.RIICHI_ECHOED,
        Step.RIICHI_SETTLED: State.IN_KYOKU,
        Step.KYOKU_ENDED: State.SEATED,
        Step.GAME_ENDED: State.GAME_OVER,
        Step.STOOD: State.LOBBY,
        Step.LEFT: State.LEAVING,
        Step.CLOSED: State.CLOSING,
    },
    State.GAME_OVER: {
        Step.STOOD: State.LOBBY,
        Step.LEFT: State.LEAVING,
        Step.CLOSED: State.CLOSING,
    },
    State.LEAVING: {
        Step.CLOSED: State.CLOSING,
    },
    State.CLOSING: {
        Step.GAME_STARTED: State.CLOSING,
        Step.KYOKU_EVENT: State.CLOSING,
        Step.KYOKU_ENDED: State.CLOSING,
        Step.GAME_ENDED: State.CLOSING,
        Step.LEFT: State.CLOSING,
        Step.CLOSED: State.CLOSING,
    },
}
"""Every legal step. A step that is not listed is a bug of the server, and raises KeyError.

A table may still send events to a connection that is closing.
"""

HELLO: Final = State.HELLO
CLOSING: Final = State.CLOSING
IN_KYOKU: Final = State.IN_KYOKU
RIICHI_ECHOED: Final = State.RIICHI_ECHOED
KYOKU_EVENT: Final = Step.KYOKU_EVENT
"""Names of the members that sessions need for every message, because enum lookups are slow in Python 3.11."""

KYOKU_STATES = frozenset((State.IN_KYOKU, State.RIICHI_ECHOED))
"""The states during a kyoku."""

UNFINISHED_GAME = frozenset((State.SEATED, *KYOKU_STATES))
"""The states at a table before the end of the game."""
