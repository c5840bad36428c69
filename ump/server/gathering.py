"""The gathering of a room: it brings players together."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable

from ump.server.ladder import Ladder
from ump.server.new_table import NewGame
from ump.server.player_connection import PlayerConnection
from ump.server.table_runner import TableRunner
from ump.wire.session import Ordered


class Gathering(ABC):
    """Decides who of a room's line plays together, when their game may begin, and what comes after it.

    Each room has one: its open line, rated rounds, a table among friends or a tournament. The room keeps the line, the
    tables and the limits; it tells its gathering of each change, and begins the games that the gathering wants.
    """

    offers_rematch = True
    """Whether people who have met here may play again as friends; others meet again by themselves."""

    publishes_walls = True
    """Whether the walls of a game are over with the last game of its players, so that everybody may know them."""

    @property
    def names(self) -> Iterable[str]:
        """The names of its players, also of those who are away: nobody else may take them."""
        return ()

    @property
    def ladder(self) -> Ladder | None:
        """The ladder for which its games count; None: they are not rated."""
        return None

    @abstractmethod
    def look(self) -> None:
        """Begin the games that may begin now, and tell those who wait. Called after each change of the line."""

    def order(self, player: PlayerConnection, given: Ordered) -> None:  # noqa: B027  # most take no orders
        """Take an order of a player in the line."""

    def after(self, table: TableRunner) -> NewGame | None:
        """Note the end of a game; return the one that its players play next, None: they go back to the line."""
        return None

    def rate_again(self) -> None:  # noqa: B027  # most have no ladder
        """Compute the ladder anew, because games count for it no more, or again."""

    def stop(self) -> None:  # noqa: B027  # some have no timer
        """Begin no more games, and let no timer run."""
