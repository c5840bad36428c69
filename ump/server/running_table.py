"""A running table as the front of a server needs it, whichever process runs it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from ump.model.seats import Seat
from ump.server.player_connection import PlayerConnection
from ump.server.spectators import TableShow
from ump.server.status.game_totals import GameSummary
from ump.table.opening import Opening


class RunningTable(Protocol):
    """A table with its players, from the beginning of its game until its room learns that the game is over."""

    @property
    def name(self) -> str:
        """The table's name."""

    @property
    def opening(self) -> Opening:
        """The opening of the game."""

    @property
    def players(self) -> Mapping[Seat, PlayerConnection]:
        """The connected players, by seat."""

    @property
    def show(self) -> TableShow:
        """The table as spectators see it."""

    @property
    def summary(self) -> GameSummary:
        """What the game, which is over, adds to the totals of the server."""

    def begin(self) -> None:
        """Begin the game."""

    def resume(self) -> None:
        """Go on with a game from a record: nobody is connected yet, and players who cannot come back have left."""

    def leave(self, seat: Seat) -> None:
        """Let default actions play the seat of a player who has left."""

    def come_back(self, seat: Seat, player: PlayerConnection) -> None:
        """Give a seat back to its player, with the kyoku so far and the open question."""

    def blame(self, player: PlayerConnection) -> str | None:
        """Return the fault with which a player has aborted the game, in words, or None if it has not."""

    def close(self) -> None:
        """End the game now, without a result; its players wait for the next one."""

    def stop(self) -> None:
        """End the game now, because the server stops. A recorded game can go on when the server starts again."""
