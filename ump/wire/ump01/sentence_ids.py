"""Ids of the server's sentences: each sentence of a connection gets the next number."""

from __future__ import annotations

from collections.abc import Iterable


class SentenceIds:
    """The counter of one connection. It writes sentences as lines, which begin with the id."""

    __slots__ = ("next",)

    def __init__(self, first: int = 0) -> None:
        self.next = first
        """The id of the next sentence."""

    def add(self, sentence: str, lines: list[str]) -> None:
        """Append the line of one sentence to ``lines``."""
        lines.append(f"{self.next} {sentence}")
        self.next += 1

    def add_all(self, sentences: Iterable[str], lines: list[str]) -> None:
        """Append the lines of several sentences to ``lines``."""
        number = self.next
        for sentence in sentences:
            lines.append(f"{number} {sentence}")
            number += 1
        self.next = number
