"""Thinking time: seconds for each move, then a bank that is full again at every kyoku. Instants are handed in."""

from __future__ import annotations

import re

from ump.model.value import value

GRACE = 0.5
"""Seconds allowed for the way to the client and back; they cost nothing."""

LONGEST = 86_400
"""Seconds that may be configured at most: a day. Above it somebody has mistyped."""

_WRITTEN = re.compile(r"(\d{1,5}(?:\.\d{1,3})?)\+(\d{1,5}(?:\.\d{1,3})?)", re.ASCII)


@value
class TimeControl:
    """How long a seat may think."""

    move: float = 10.0
    """Seconds for each move."""
    bank: float = 20.0
    """Seconds beyond it, for all moves of a kyoku together."""

    @classmethod
    def parse(cls, text: str) -> TimeControl:
        """Read ``10+20``; raises ValueError with a message for the one who typed it."""
        match = _WRITTEN.fullmatch(text)
        if match is None:
            raise ValueError(f"{text!r} is no time: write seconds per move + seconds per kyoku, as in 10+20")
        move, bank = float(match[1]), float(match[2])
        if move == 0 and bank == 0:
            raise ValueError("some time to think there must be: 0+0 is none")
        if max(move, bank) > LONGEST:
            raise ValueError(f"{text!r} is too long: {LONGEST} seconds at most")
        return cls(move, bank)

    def __str__(self) -> str:
        """Write it as it is read."""
        return "+".join(str(seconds).removesuffix(".0") for seconds in (self.move, self.bank))


class Clock:
    """One seat's time."""

    __slots__ = ("bank", "times")

    def __init__(self, times: TimeControl) -> None:
        self.times = times
        self.bank = times.bank
        """Seconds left for this kyoku."""

    def refill(self) -> None:
        """A new kyoku begins."""
        self.bank = self.times.bank

    def deadline(self, now: float, *, with_bank: bool) -> float:
        """Return the instant until which an answer to a question asked now counts."""
        return now + self.times.move + GRACE + (self.bank if with_bank else 0.0)

    def charge(self, seconds: float) -> None:
        """Take what a move took beyond its own time from the bank."""
        over = seconds - self.times.move - GRACE
        if over > 0.0:
            self.bank = max(0.0, self.bank - over)

    def left(self, seconds: float, *, with_bank: bool) -> tuple[float, float]:
        """Return what is left of the move and of the bank when a question has been open for so many seconds."""
        bank = self.bank if with_bank else 0.0
        left = self.times.move - seconds
        return (left, bank) if left >= 0.0 else (0.0, max(0.0, bank + left))
