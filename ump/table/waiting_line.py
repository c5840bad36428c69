"""The players of a room that wait for a table, and the time at which built-in bots complete it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Generic, TypeVar

P = TypeVar("P")


class GamesLeft:
    """The number of games that a client still wants to play, and whether it took part in the current one."""

    def __init__(self, games: int) -> None:
        """Stay for this many games; 0 means until the client leaves."""
        self._left = games or None
        self.has_answered = False
        """Whether the client answered a question of the current game. Its table sets it."""

    def begin(self) -> None:
        """Begin a game."""
        self.has_answered = False

    def limit(self) -> None:
        """Make the current game the last one."""
        self._left = 1

    def end(self) -> bool:
        """End a game; return whether the client stays for another.

        A client that answered nothing in a whole game is away, and does not stay.
        """
        if self._left is not None:
            self._left -= 1
        return self._left != 0 and self.has_answered


class WaitingLine(Generic[P]):
    """Players in the order of their arrival; players that stay after a game go to the front together."""

    def __init__(self, seats: int, bots_after: float, owner: Callable[[P], str] | None) -> None:
        """``seats`` players make a table; built-in bots complete it ``bots_after`` seconds after its first player.

        ``owner`` returns whose bot a player is, for ``separate``.
        """
        self._seats = seats
        self._bots_after = bots_after
        self._owner = owner
        self._is_separate = False
        self._waiting: list[tuple[P, float]] = []
        """Each player, with the instant from which built-in bots count its time."""

    def __len__(self) -> int:
        return len(self._waiting)

    def __iter__(self) -> Iterator[P]:
        """Iterate over a copy: players may leave meanwhile."""
        return iter([player for player, _ in self._waiting])

    @property
    def missing(self) -> int:
        """The number of players that a table still needs; 0 or less if it can begin."""
        return self._seats - len(self._may_sit_together())

    def separate(self, is_separate: bool) -> None:
        """Let players of one owner never sit at the same table, or let them."""
        self._is_separate = is_separate and self._owner is not None

    def change(self, seats: int, bots_after: float) -> None:
        """Make the next tables of another size, or complete them after another time."""
        self._seats, self._bots_after = seats, bots_after

    def join(self, player: P, now: float) -> None:
        """Add a player at the end."""
        self._waiting.append((player, now))

    def stay(self, players: Sequence[P], now: float) -> None:
        """Add players at the front, so that they keep their table.

        If they have finished a game together and nobody else waits, built-in bots complete their next table at once:
        whoever wanted to join has had the whole game to come.
        """
        since = now if self._waiting else now - self._bots_after
        self._waiting[:0] = [(player, since) for player in players]

    def leave(self, player: P) -> None:
        """Remove a player."""
        self._waiting = [(other, since) for other, since in self._waiting if other is not player]

    @property
    def next_players(self) -> list[P]:
        """The players of the next table, from the front: as many as it seats, or all."""
        return self._may_sit_together()[: self._seats]

    def _may_sit_together(self) -> list[P]:
        """Return the players who may sit together: all, or the first of each owner."""
        players = [player for player, _ in self._waiting]
        if not self._is_separate or self._owner is None:
            return players
        firsts: dict[str, P] = {}
        for player in players:
            firsts.setdefault(self._owner(player), player)
        return list(firsts.values())

    def bots_due(self) -> float | None:
        """Return the instant at which built-in bots complete the table, or None if nobody waits."""
        if not self._waiting:
            return None
        return min(since for _, since in self._waiting) + self._bots_after
