"""Thinking time: seconds for each move, and a bank that is refilled for every kyoku. Instants are arguments."""

from __future__ import annotations

import re

from ump.model.value import value

GRACE = 0.5
"""Seconds that every answer may take on top, for the network. They are not charged."""

LONGEST = 86_400
"""The most seconds that may be configured: a day. A larger number is a typing error."""

_WRITTEN = re.compile(r"(\d{1,5}(?:\.\d{1,3})?)\+(\d{1,5}(?:\.\d{1,3})?)", re.ASCII)


@value
class TimeControl:
    """How long a seat may think, in seconds."""

    move: float = 10.0
    """Seconds for each move."""
    bank: float = 20.0
    """Seconds on top of that, shared by all moves of a kyoku."""

    @classmethod
    def parse(cls, text: str) -> TimeControl:
        """Read ``10+20``; raises ValueError with a message for the operator."""
        match = _WRITTEN.fullmatch(text)
        if match is None:
            raise ValueError(f"{text!r} is not a time control; write seconds per move + seconds per kyoku, as in 10+20")
        move, bank = float(match[1]), float(match[2])
        if move == 0 and bank == 0:
            raise ValueError("0+0 leaves no time to think")
        if max(move, bank) > LONGEST:
            raise ValueError(f"{text!r} is too long; the most is {LONGEST} seconds")
        return cls(move, bank)

    def __str__(self) -> str:
        """Write it in the form that ``parse`` reads."""
        return "+".join(str(seconds).removesuffix(".0") for seconds in (self.move, self.bank))


class Clock:
    """One seat's clock."""

    __slots__ = ("bank", "times")

    def __init__(self, times: TimeControl) -> None:
        self.times = times
        self.bank = times.bank
        """Seconds left for this kyoku."""

    def refill(self) -> None:
        """Fill the bank: a new kyoku begins."""
        self.bank = self.times.bank

    def deadline(self, now: float, *, with_bank: bool) -> float:
        """Return the instant before which an answer to a question asked now counts."""
        return now + self.times.move + GRACE + (self.bank if with_bank else 0.0)

    def charge(self, seconds: float) -> None:
        """Charge the bank for the part of a move of this many seconds that exceeds the move's own time."""
        over = seconds - self.times.move - GRACE
        if over > 0.0:
            self.bank = max(0.0, self.bank - over)

    def left(self, seconds: float, *, with_bank: bool) -> tuple[float, float]:
        """Return the seconds left of the move and of the bank after a question has been open for this many seconds."""
        bank = self.bank if with_bank else 0.0
        left = self.times.move - seconds
        return (left, bank) if left >= 0.0 else (0.0, max(0.0, bank + left))
