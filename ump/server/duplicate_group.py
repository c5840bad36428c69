"""A duplicate group: the same players play the same walls once with every rotation of the seats.

In the first game the seats are drawn by lot. In each further game everybody sits one seat further, so that after the
last game everybody has had the tiles of every seat. What is left between two players is less luck.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from twisted.logger import Logger

from ump.model.commitments import DuplicateGame
from ump.model.seats import Seat
from ump.net.connection import Idle
from ump.server.bot_seats import BotSeat
from ump.server.player_connection import PlayerConnection
from ump.server.prepared_game import NewGame
from ump.server.seed_exchange import Seated
from ump.server.settings import RoomSettings
from ump.server.table_runner import TableRunner
from ump.table.outcomes import End
from ump.wire.names import logged_name


class PlaceBetweenGames(Idle):
    """What the connection of a player occupies between two games of its group."""

    def __init__(self, group: str, player: PlayerConnection) -> None:
        self._group = group
        self._player = player

    @property
    def label(self) -> str:
        """What the log calls the player."""
        return f"{self._group}: {logged_name(self._player.name)}"

    def left(self, *, is_lost: bool) -> None:
        """Let the server play the seat in the next game, which is then the last of the group."""
        self._player.is_gone = True


class DuplicateGroup:
    """The games of one wall."""

    _log = Logger()

    def __init__(self, settings: RoomSettings, name: str, secret: str, players: Sequence[Seated]) -> None:
        """``players`` are those of the first game by seat, with bots as ``seated`` of ``next_game`` takes them."""
        self.name = name
        self._secret = secret
        self._settings = settings
        self._players = list(players)
        self._begun = 0
        """How many games have begun."""

    def next_game(self, name: str, seated: Callable[[Seated], Seated]) -> NewGame:
        """Return the next game; ``seated`` returns what sits down for a player or a bot."""
        seats = len(self._players)
        self._begun += 1
        seating = {seat: seated(self._players[self._first_seat_of(seat)]) for seat in range(seats)}
        duplicate = DuplicateGame(self.name, self._begun, seats)
        return NewGame(self._settings, name, self._secret, seating, duplicate=duplicate)

    def _first_seat_of(self, seat: Seat) -> Seat:
        """Return the seat that the player of a seat of the newest game has had in the first one."""
        return (seat + 1 - self._begun) % len(self._players)

    def goes_on(self, table: TableRunner) -> bool:
        """Return whether the same players can play another game of the group after that of this table, the newest."""
        present = {self._first_seat_of(seat): player for seat, player in table.players.items() if player.is_client}
        clients = {seat for seat, player in enumerate(self._players) if isinstance(player, PlayerConnection)}
        if self._begun == len(self._players) or table.summary.end is not End.COMPLETED or clients != present.keys():
            return False
        for seat, player in present.items():  # some may have come back, by another connection
            self._players[seat] = player
        return all(player.games.has_answered for player in present.values())

    @property
    def children(self) -> int:
        """How many of its bots are child processes, which start anew for each game."""
        return sum(isinstance(player, BotSeat) and player.command is not None for player in self._players)

    def stand(self, table: TableRunner) -> None:
        """Let the players of a table leave their seats for the next game; one whose session fails is cut.

        The bots that the server has started leave for good.
        """
        for player in tuple(table.players.values()):
            try:
                if player.is_client:
                    player.connection.occupant = PlaceBetweenGames(self.name, player)
                    player.connection.stand()
                else:
                    player.end_game()
            except Exception:  # a bug of the server must not affect the other players
                self._log.failure("{group}: {name} failed", group=self.name, name=logged_name(player.name))
                player.is_gone = True
                player.connection.cut()


def group_name(now: float, game: str) -> str:
    """Return the name of the group that begins with this game, at an instant in seconds since 1970."""
    return f"{datetime.fromtimestamp(now, UTC):%Y%m%dT%H%M%SZ}-{game}"
