"""Locks by key: of all attempts on the same user, or from the same host, one at a time goes on."""

from __future__ import annotations

from collections.abc import Callable, Sequence


class KeyLocks:
    """The keys of the attempts that go on, and what waits for them.

    Without locks, attempts that arrive together would all be checked before the first failure is counted.
    """

    def __init__(self) -> None:
        self._waiting: dict[str, list[Callable[[], None]]] = {}
        """Of each locked key, the attempts that wait for it, in the order of their arrival."""

    def __len__(self) -> int:
        """Return how many keys are locked."""
        return len(self._waiting)

    def lock(self, keys: Sequence[str], again: Callable[[], None]) -> bool:
        """Lock all keys and return True; or lock none, return False, and call ``again`` once one of them is free."""
        for key in keys:
            if key in self._waiting:
                self._waiting[key].append(again)
                return False
        for key in keys:
            self._waiting[key] = []
        return True

    def free(self, keys: Sequence[str]) -> None:
        """Free keys that ``lock`` has locked, and let everything that waits for them try again."""
        waiting = [again for key in keys for again in self._waiting.pop(key)]
        for again in waiting:
            again()
