"""The pace of a client's answers, so that a pass without a choice takes as long as one with a choice.

With ``ask_all`` every seat is asked about every discard. Many clients, and some sessions for them, pass at once where
nothing else is legal, and think where they could call. Then each pause would say that somebody could have called. So
the table holds such a pass for as long as the client might have thought.

A pass that took ``taken`` milliseconds, longer than a share ``u`` of the client's other passes without a choice, is
held until it has taken as long as the client's passes with a choice take in that share ``u`` of the cases. If the times
of both kinds are spread alike, that is no wait at all; if a client always passes at once, it is a random one of its own
times. In both cases nobody who measures the pauses can tell the two kinds of pass apart.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterable, Sequence
from hashlib import sha256
from math import sqrt

from ump.model.value import value

KEPT = 64
"""The number of times of each kind that are kept, the latest ones."""

ENOUGH = 4
"""With fewer passes with a choice than this, the times of the client's own turns count as well."""

ALIKE = 1.5
"""Up to so many standard deviations from chance (rank sum test), the passes without a choice count as slow enough."""


@value
class PaceState:
    """The times of one client, in milliseconds, the oldest first."""

    chosen: tuple[int, ...] = ()
    """Passes where something else was legal."""
    forced: tuple[int, ...] = ()
    """Passes where nothing else was legal, and passes that a session gave without its client."""
    turns: tuple[int, ...] = ()
    """Answers on the client's own turns, only from before there were ``ENOUGH`` passes of the first kind."""


class Pace:
    """The times of one client at a table."""

    __slots__ = ("_chosen", "_forced", "_secret", "_turns")

    def __init__(self, secret: str) -> None:
        """``secret`` is a secret of the table, from which all waits are drawn."""
        self._secret = secret
        self.state = PaceState()

    @property
    def state(self) -> PaceState:
        """The times as a value."""
        return PaceState(tuple(self._chosen), tuple(self._forced), tuple(self._turns))

    @state.setter
    def state(self, state: PaceState) -> None:
        """Replace the times."""
        self._chosen, self._forced, self._turns = map(_kept, (state.chosen, state.forced, state.turns))

    def note_chosen(self, taken: int) -> None:
        """Note how long a pass took where something else was legal."""
        self._chosen.append(taken)

    def note_forced(self, taken: int) -> None:
        """Note how long a pass took that the client had not to think about."""
        self._forced.append(taken)

    def note_turn(self, taken: int) -> None:
        """Note how long an answer on the client's own turn took."""
        if len(self._chosen) < ENOUGH:
            self._turns.append(taken)

    def wait(self, taken: int, number: int) -> int:
        """Return how long a pass without a choice is to take, at least ``taken``; ``number`` is that of its question.

        Without any time to compare with it is ``taken``: the first answers of a game cannot be hidden.
        """
        known = sorted(self._chosen if len(self._chosen) >= ENOUGH else [*self._chosen, *self._turns])
        forced = sorted(self._forced)
        if not known or (forced and not _are_slower(known, forced)):
            return taken
        below, upto = bisect_left(forced, taken), bisect_right(forced, taken)
        share = (below + _draw(f"{self._secret}/{number}") * (upto - below + 1)) / (len(forced) + 1)
        return max(taken, round(_quantile(known, share)))


def _kept(times: Iterable[int]) -> deque[int]:
    return deque(times, KEPT)


def _draw(seed: str) -> float:
    """Return a number from 0 to 1 that tells nothing about other things made from the same secret."""
    return int.from_bytes(sha256(f"ump-pass-1/{seed}".encode()).digest()[:6], "big") / (1 << 48)


def _are_slower(times: Sequence[int], others: Sequence[int]) -> bool:
    """Tell whether sorted times are longer than sorted others, by more than chance explains (rank sum test)."""
    count, other = len(times), len(others)
    ranks = sum(bisect_left(others, each) + bisect_right(others, each) for each in times) / 2
    return ranks - count * other / 2 > ALIKE * sqrt(count * other * (count + other + 1) / 12)


def _quantile(times: Sequence[int], share: float) -> float:
    """Return the time that this share of sorted times does not exceed, on a line between two of them."""
    place = min(max(share * len(times) - 0.5, 0.0), len(times) - 1.0)
    low = int(place)
    if low + 1 == len(times):
        return times[low]
    return times[low] + (times[low + 1] - times[low]) * (place - low)
