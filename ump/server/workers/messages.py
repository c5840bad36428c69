"""The values that the front and its workers send each other. The tables and connections are those of the front."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import TypeAlias

from ump.model.seats import Seat
from ump.model.value import value
from ump.net.limits import Limits
from ump.record.journal import journal_replay
from ump.server.journal_writer import Sync
from ump.server.prepared_game import PreparedGame
from ump.server.status.game_totals import GameSummary
from ump.server.status.histogram import Histogram
from ump.wire.session import Session

Number: TypeAlias = int
"""The number of a table or of a connection; 0 is none."""


# From the front


@value
class WorkerSettings:
    """The first value: what a worker must know of the options."""

    limits: Limits
    sync: Sync
    log_folder: Path | None


@value
class LentConnection:
    """A connection whose session goes on in a worker, while the front keeps its stream."""

    number: Number
    name: str
    """The player's name; empty for spectators."""
    host: str
    """The peer's address, as the log counts it."""
    peer: str
    session: Session
    is_traced: bool = False
    ending: str = ""
    """The end of each message that the worker writes to the stream itself; empty: the front writes all messages."""
    place: int = 0
    """The client's place in the counts of what was sent."""


@value
class CreateTable:
    """The table of a new game, with its players. The game begins with ``BeginGame``."""

    table: Number
    game: PreparedGame
    journal: Path | None
    """Its journal, which has the first line; None if the game is not recorded."""
    players: Mapping[Seat, LentConnection]


@value
class BeginGame:
    """The game of a new table begins."""

    table: Number


@value
class RestoreTable:
    """A game goes on from its journal, and these players sit at its table already."""

    table: Number
    journal: Path
    players: Mapping[Seat, LentConnection]


@value
class ComeBack:
    """A player comes back to a seat."""

    table: Number
    seat: Seat
    player: LentConnection


@value
class LeaveSeat:
    """A player has left a seat for good, or never came: default actions play it."""

    table: Number
    seat: Seat


@value
class CloseTable:
    """The operator ends a game."""

    table: Number


@value
class StopTable:
    """The server stops: the game is interrupted, and its players learn what becomes of it."""

    table: Number


@value
class Watch:
    """A spectator comes to a table."""

    table: Number
    spectator: LentConnection


@value
class Lost:
    """The stream of a connection is gone."""

    connection: Number
    is_lost: bool
    """Whether the client did not want that."""


@value
class Exceeded:
    """A client's message was too long to be read."""

    connection: Number


@value
class Waited:
    """The messages of a client that follow have waited for their turn to be read."""

    connection: Number
    seconds: float


@value
class Announce:
    """The operator tells a client something."""

    connection: Number
    text: str


@value
class ReturnPlayers:
    """The game is over: the front goes on with the sessions of its players. ``PlayersReturned`` answers."""

    table: Number


@value
class ReturnSpectators:
    """The show is over: the front goes on with the sessions of its spectators. ``SpectatorsReturned`` answers."""

    table: Number


@value
class LiftSeals:
    """A duplicate group is over: the logs of its games get their names."""

    group: str


@value
class Quit:
    """The worker ends."""


@value
class Ping:
    """Asks for a ``Pong``: everything sent before has been taken then."""

    number: int


# From a worker


@value
class GameOver:
    """The game of a table is over."""

    table: Number
    summary: GameSummary
    blames: Mapping[Seat, str]
    """For a player who has aborted the game: why, in words."""


@value
class ShowOver:
    """The spectators of a table have seen the end."""

    table: Number


@value
class PlayersReturned:
    """The sessions of the players who are still there, by connection."""

    table: Number
    sessions: Mapping[Number, Session]
    rests: Mapping[Number, bytes]
    """What the worker could not send."""
    answered: frozenset[Number]
    """The connections that answered a question in the game."""


@value
class SpectatorsReturned:
    """The sessions of the spectators who are still there, by connection."""

    table: Number
    sessions: Mapping[Number, Session]
    rests: Mapping[Number, bytes]
    """What the worker could not send."""


@value
class StopReading:
    """Nothing more is read from a client, which has broken the protocol."""

    connection: Number


@value
class End:
    """A connection ends when everything is sent."""

    connection: Number
    is_violation: bool = False
    """Whether the client has broken the protocol."""
    rest: bytes = b""
    """What the worker could not send."""


@value
class Cut:
    """A connection ends at once."""

    connection: Number


@value
class Remarked:
    """A line for the trace of a connection."""

    connection: Number
    text: str


@value
class Recorded:
    """The journal of a game that is over."""

    journal: Path
    summary: journal_replay.GameSummary


@value
class Said:
    """A line of a worker's log."""

    level: str
    namespace: str
    text: str
    fields: Mapping[str, str | int | float | None]
    traceback: str | None = None


@value
class Pong:
    """Answers a ``Ping``."""

    number: int
    delays: Histogram = field(hash=False)
    """How late the worker's turns were, since it started."""
    syncs: Histogram = field(hash=False)
    """How long its journals took to the disk."""
    memory: int = 0
    """Bytes of memory that the worker uses; 0: unknown."""
