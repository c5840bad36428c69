"""The names of users as they were last read: guests with other names play on while the database is away."""

from __future__ import annotations

from collections.abc import Collection

from ump.model.owner import owner_of
from ump.wire.look_alikes import skeleton

MOST_NAMES = 100_000
"""Names that are remembered; with more users than that, none are."""

READ_AGAIN = 300.0
"""Seconds after which the names are read again, when a client comes."""


class ReservedNames:
    """The names of all users of one database at one instant."""

    def __init__(self) -> None:
        self._users: object = None
        """The database that they come from."""
        self._folded: frozenset[str] | None = None
        """The names as ``skeleton`` folds them; None if they are not known."""
        self._read_at = 0.0

    def is_due(self, users: object, now: float) -> bool:
        """Return whether the names of these users should be read; if so, they are due again after some time."""
        if users is self._users and now - self._read_at < READ_AGAIN:
            return False
        if users is not self._users:
            self._users, self._folded = users, None
        self._read_at = now
        return True

    def take(self, users: object, folded: Collection[str] | None) -> None:
        """Remember the names of these users."""
        if users is self._users:
            self._folded = None if folded is None else frozenset(folded)

    def may_have(self, users: object, name: str) -> bool:
        """Return whether a name may be that of one of these users, or of a user's bot, or may look like it."""
        return users is not self._users or self._folded is None or skeleton(owner_of(name)) in self._folded
