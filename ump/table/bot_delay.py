"""The time that built-in bots take for a decision, so that people at the table can follow."""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import sha256
from random import Random

from ump.model.value import value

_SECONDS = r"(\d{1,5}(?:\.\d{1,3})?)"
_WRITTEN = re.compile(rf"{_SECONDS}(?:-{_SECONDS})?", re.ASCII)


@value
class BotDelay:
    """How long a built-in bot thinks about its own turn, in seconds: a random time between two limits."""

    least: float = 0.0
    most: float = 0.0

    @classmethod
    def parse(cls, text: str) -> BotDelay:
        """Read ``0.5`` or ``0.3-1.2``; raises ValueError with a message for the operator."""
        match = _WRITTEN.fullmatch(text)
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
