"""Seals of records that would show the walls of games to come: they stay unreadable until their group is over."""

from __future__ import annotations

from collections.abc import Callable, Set
from functools import partial
from typing import TypeAlias

from ump.model.commitments import DuplicateGame

Publish: TypeAlias = Callable[[], object]
"""A function that lets everybody read a record."""


def at_once(publish: Publish) -> None:
    """Publish a record that shows nothing of another game."""
    publish()


class Seals:
    """Keeps the records of each duplicate group until its last game is over."""

    def __init__(self) -> None:
        self._kept: dict[str, list[Publish]] = {}

    def seal_of(self, duplicate: DuplicateGame | None) -> Callable[[Publish], None]:
        """Return a function that takes what publishes the record of a game: at once, or when its group is over."""
        return at_once if duplicate is None else partial(self._keep, duplicate.group)

    def _keep(self, group: str, publish: Publish) -> None:
        self._kept.setdefault(group, []).append(publish)

    def lift(self, group: str) -> None:
        """Publish the records of a group: none of its games will be played any more."""
        for publish in self._kept.pop(group, ()):
            publish()

    def lift_all_but(self, groups: Set[str]) -> None:
        """Publish the records of all groups except these, whose games go on."""
        for group in self._kept.keys() - groups:
            self.lift(group)
