"""The spectators of a table. They receive its events after the players, a few spectators at a time."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from ump.table.receivers import Client, Spectator
from ump.table.rendering import Batch, Rendering


class Audience:
    """Spectators, and the events that some of them have not received yet.

    A spectator that is behind receives everything that it has missed together. The events were made for all receivers,
    and so is their text.
    """

    def __init__(self) -> None:
        self._pending: list[Rendering] = []
        self._end = 0
        """How many events there have been, the pending ones included."""
        self._received: dict[Client, int] = {}
        """How many of them each spectator has received; the one that has waited the longest comes first."""
        self._batches: dict[int, Batch] = {}
        """The last events that somebody has missed, by the number of those before them."""

    def __len__(self) -> int:
        """Return how many spectators there are."""
        return len(self._received)

    @property
    def clients(self) -> list[Client]:
        """All spectators."""
        return list(self._received)

    @property
    def is_behind(self) -> bool:
        """Whether a spectator has not received all events."""
        return next(iter(self._received.values()), self._end) < self._end

    def add(self, client: Client) -> None:
        """Let a client watch, which has received everything up to now."""
        self._received[client] = self._end

    def remove(self, client: Client) -> None:
        """Let a spectator go, if it is one."""
        self._received.pop(client, None)
        if not self._received:
            self._pending, self._batches = [], {}

    def append(self, events: Sequence[Rendering]) -> None:
        """Keep events for the spectators. The caller checks that there are any."""
        self._end += len(events)
        self._pending = [*self._pending, *events]
        self._batches = {}

    def next_parcels(self, most: int) -> list[tuple[Spectator, Batch]]:
        """Return the next spectators who are behind, at most this many, with the events that they have missed."""
        first = self._end - len(self._pending)
        behind = [each for each in islice(self._received.items(), most) if each[1] < self._end]
        for client, _ in behind:
            del self._received[client]
            self._received[client] = self._end
        for _, received in behind:
            if received not in self._batches:
                self._batches[received] = Batch(self._pending[received - first :])
        missed = [(Spectator(client), self._batches[received]) for client, received in behind]
        if not self.is_behind:
            self._pending, self._batches = [], {}
        return missed
