"""Counts what a worker has sent to each client, in memory that the front reads after the death of the worker."""

from __future__ import annotations

import mmap
import os

PLACES = 8_192
"""How many clients of a worker can be counted at a time."""

_BYTES = 2 * 4 * PLACES


class SentCounts:
    """For each place two numbers: the messages that were sent, and whether one of them may not have been sent whole.

    A worker can be killed at any instant. It therefore marks a place before it writes to the client's stream, counts
    after that, and takes the mark away last: without a mark the count is right.
    """

    def __init__(self, descriptor: int) -> None:
        """Use the memory behind a descriptor; it is not needed after that."""
        self._numbers = memoryview(mmap.mmap(descriptor, _BYTES)).cast("I")

    def reset(self, place: int) -> None:
        """Begin to count for another client."""
        self._numbers[2 * place] = self._numbers[2 * place + 1] = 0

    def mark(self, place: int) -> None:
        """Note that messages are being sent, or wait until the client reads."""
        self._numbers[2 * place + 1] = 1

    def count(self, place: int, messages: int) -> None:
        """Count messages that were sent, or that wait."""
        self._numbers[2 * place] += messages

    def clear(self, place: int) -> None:
        """Note that all counted messages were sent whole."""
        self._numbers[2 * place + 1] = 0

    def sent(self, place: int) -> int:
        """Return how many messages were sent."""
        return self._numbers[2 * place]

    def is_marked(self, place: int) -> bool:
        """Return whether a message may have been sent only in part, or not at all, or without being counted."""
        return bool(self._numbers[2 * place + 1])


def shared_memory() -> int | None:
    """Return a descriptor of memory for counts, which a worker can inherit; None where the system has none."""
    if not hasattr(os, "memfd_create"):
        return None
    descriptor = os.memfd_create("ump-sent-counts")
    os.ftruncate(descriptor, _BYTES)
    return descriptor
