"""The states of a person's connection, and the steps that lead from one to another.

``TRANSITIONS`` is the whole table. A step that is not listed for a state is a bug in the server.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum


class PersonState(Enum):
    """The state of a person's connection."""

    PROMPT = "prompt"
    """The person chooses a name and a room: first of all, and again after a game."""
    LOBBY = "lobby"
    """The person waits for a table."""
    SEATED = "seated"
    """The person has a seat at a table."""
    WATCHING = "watching"
    """The person watches a room."""
    CLOSING = "closing"
    """The connection is closing; all further lines are ignored."""


class PersonStep(Enum):
    """A reason for a connection to change its state."""

    INTRODUCED = "introduced"
    PROMPTED = "prompted"
    SAT = "sat"
    STOOD = "stood"
    WATCHED = "watched"
    CLOSED = "closed"


_State, _Step = PersonState, PersonStep

TRANSITIONS: Mapping[PersonState, Mapping[PersonStep, PersonState]] = {
    _State.PROMPT: {_Step.INTRODUCED: _State.LOBBY, _Step.CLOSED: _State.CLOSING},
    _State.LOBBY: {
        _Step.PROMPTED: _State.PROMPT,
        _Step.SAT: _State.SEATED,
        _Step.WATCHED: _State.WATCHING,
        _Step.CLOSED: _State.CLOSING,
    },
    _State.SEATED: {_Step.PROMPTED: _State.PROMPT, _Step.STOOD: _State.LOBBY, _Step.CLOSED: _State.CLOSING},
    _State.WATCHING: {_Step.CLOSED: _State.CLOSING},
    _State.CLOSING: {_Step.CLOSED: _State.CLOSING},
}
"""The state to which each step leads from each state."""
