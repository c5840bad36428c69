"""The front's side of streams that it shares with a worker: the front reads, and the worker writes."""

from __future__ import annotations

import os
import socket
from collections import deque

from ump.server.workers.sent_counts import PLACES, SentCounts, shared_memory

CHANNEL_DESCRIPTOR = 4
"""The descriptor from which a worker takes the sockets of clients."""

COUNTS_DESCRIPTOR = 5
"""The descriptor of the memory in which a worker counts what it sends."""


class Sharing:
    """The front's side of the streams that it shares with one worker; nothing is shared where the system cannot."""

    def __init__(self) -> None:
        self.counts: SentCounts | None = None
        """What the worker has sent; None if it writes to no stream itself."""
        self.descriptors: dict[int, int] = {}
        """The descriptors of the worker, by their numbers there and here."""
        self._free: deque[int] = deque()
        """Places in the counts that no client has; the worker may still count for those that were freed last."""
        self._ours: socket.socket | None = None
        memory = shared_memory()
        if memory is not None:
            self._ours, self._theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
            self._ours.setblocking(False)
            self.counts = SentCounts(memory)
            self.descriptors = {CHANNEL_DESCRIPTOR: self._theirs.fileno(), COUNTS_DESCRIPTOR: memory}
            self._free = deque(range(PLACES))

    def share(self, stream: socket.socket) -> int | None:
        """Send a client's socket to the worker; return the client's place in the counts, or None if that failed."""
        if self._ours is None or self.counts is None or not self._free:
            return None
        place = self._free.popleft()
        self.counts.reset(place)
        try:
            socket.send_fds(self._ours, [place.to_bytes(4, "big")], [stream.fileno()])
        except OSError:  # the worker has not taken the last ones yet
            self._free.append(place)
            return None
        return place

    def free(self, place: int) -> None:
        """Let another client have a place."""
        self._free.append(place)

    def close_theirs(self) -> None:
        """Close what only the worker needs, which has started."""
        if self._ours is not None:
            self._theirs.close()
            os.close(self.descriptors[COUNTS_DESCRIPTOR])

    def close(self) -> None:
        """Share nothing more. The counts stay readable."""
        if self._ours is not None:
            self._ours.close()
            self._ours = None
