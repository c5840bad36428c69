"""Thinking time: of each player, some for each move and a bank that is refilled for every kyoku; and of built-in bots.

Operators and players write seconds. The table counts whole milliseconds since its game began, so that sums are exact
and a recorded game is rebuilt to the instant. Instants are arguments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import sha256
from random import Random

from ump.model.value import value

GRACE = 500
"""Milliseconds that every answer may take on top, for the network. They are not charged."""

LONGEST = 86_400
"""The most seconds that may be configured: a day. A larger number is a typing error."""

_WRITTEN = re.compile(r"(\d{1,5}(?:\.\d{1,3})?)\+(\d{1,5}(?:\.\d{1,3})?)", re.ASCII)


@value
class TimeControl:
    """The thinking time of a seat, in seconds."""

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

    @property
    def move_ms(self) -> int:
        """Milliseconds for each move."""
        return round(self.move * 1_000)

    @property
    def bank_ms(self) -> int:
        """Milliseconds on top of that for each kyoku."""
        return round(self.bank * 1_000)

    def __str__(self) -> str:
        """Write it in the form that ``parse`` reads."""
        return "+".join(str(seconds).removesuffix(".0") for seconds in (self.move, self.bank))


class Clock:
    """One seat's clock, in milliseconds."""

    __slots__ = ("_extra", "_full", "_move", "bank")

    def __init__(self, times: TimeControl) -> None:
        self._move, self._full = times.move_ms, times.bank_ms
        self._extra = 0
        self.bank = self._full
        """Milliseconds left for this kyoku."""

    def refill(self) -> None:
        """Fill the bank: a new kyoku begins."""
        self.bank = self._full + self._extra

    def extend(self, extra: int) -> None:
        """Let the bank of each kyoku, also of this one, have so many milliseconds more than the times say."""
        self.bank = max(0, self.bank + extra - self._extra)
        self._extra = extra

    def deadline(self, now: int, *, with_bank: bool) -> int:
        """Return the instant before which an answer to a question asked now counts."""
        return now + self._move + GRACE + (self.bank if with_bank else 0)

    def charge(self, spent: int) -> None:
        """Charge the bank for the part of a move of this many milliseconds that exceeds the move's own time."""
        over = spent - self._move - GRACE
        if over > 0:
            self.bank = max(0, self.bank - over)

    def left(self, spent: int, *, with_bank: bool) -> tuple[int, int]:
        """Return the milliseconds left of the move and of the bank after a question has been open for that long."""
        bank = self.bank if with_bank else 0
        left = self._move - spent
        return (left, bank) if left >= 0 else (0, max(0, bank + left))


_SECONDS = r"(\d{1,5}(?:\.\d{1,3})?)"
_DELAY = re.compile(rf"{_SECONDS}(?:-{_SECONDS})?", re.ASCII)


@value
class BotDelay:
    """The thinking time of a bot of the server in its own turn, in seconds: a random time between two limits."""

    least: float = 0.0
    most: float = 0.0

    @classmethod
    def parse(cls, text: str) -> BotDelay:
        """Read ``0.5`` or ``0.3-1.2``; raises ValueError with a message for the operator."""
        match = _DELAY.fullmatch(text)
        if match is None:
            raise ValueError(f"{text!r} is not a delay; write seconds as in 0.5, or least-most as in 0.3-1.2")
        least, most = float(match[1]), float(match[2] or match[1])
        if least > most:
            raise ValueError(f"{text!r}: the first number is larger than the second; write least-most as in 0.3-1.2")
        return cls(least, most)

    def __str__(self) -> str:
        """Write it in the form that ``parse`` reads."""
        limits = (self.least, self.most) if self.least != self.most else (self.most,)
        return "-".join(f"{seconds:g}" for seconds in limits)

    def draws(self, secret: str) -> Iterator[int]:
        """Yield the delays of a game with this secret, in milliseconds and without end.

        They are made from a hash of it, so that nobody who measures them learns anything about the walls.
        """
        chance = Random(sha256(f"ump-bot-delay-1/{secret}".encode()).digest())
        while True:
            yield round(chance.uniform(self.least, self.most) * 1_000)


NO_DELAY = BotDelay()
