"""When to kill the server: moments of the game, drawn from a seed."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from random import Random
from threading import Timer

from ump.model.value import value


class Occasion(Enum):
    """What the server does when it is killed."""

    PLAYING = "playing"
    RETURNING = "taking players back"
    STARTING = "starting again"


LONGEST_DELAY = {Occasion.PLAYING: 0.005, Occasion.RETURNING: 0.02, Occasion.STARTING: 1.0}
"""Seconds from the beginning of an occasion to the kill, at most."""

_SHARES = (8, 1, 1)
"""How often each occasion is drawn."""

FIRST_STEP = 8
"""The steps before the first kill: until then not every player has a token."""

LAST_PART = 0.9
"""The part of the game in which kills begin; later ones might come too late."""


@value
class Kill:
    """One kill of the server."""

    step: int
    """It happens after so many steps of the game."""
    occasion: Occasion
    delay: float
    """Seconds from the beginning of the occasion."""


def draw_kills(count: int, steps: int, random: Random) -> list[Kill]:
    """Return the kills of a game of so many steps, in order."""
    last = max(FIRST_STEP, round(steps * LAST_PART))
    places = sorted(random.randint(FIRST_STEP, last) for _ in range(count))
    kills: list[Kill] = []
    for place in places:
        (occasion,) = random.choices(tuple(Occasion), _SHARES) if kills else (Occasion.PLAYING,)
        step = place if occasion is Occasion.PLAYING else kills[-1].step
        kills.append(Kill(step, occasion, random.uniform(0.0, LONGEST_DELAY[occasion])))
    return kills


class Killer:
    """Kills the server at the given moments, in a thread, whatever the server is doing then."""

    def __init__(self, kills: list[Kill]) -> None:
        self._kills = kills[::-1]
        self._timer: Timer | None = None
        self.done: list[Kill] = []
        """The kills that have happened."""

    def begin(self, occasion: Occasion, step: int, kill: Callable[[], None]) -> None:
        """Kill by calling ``kill`` soon, if that is the next occasion."""
        if self._timer is None and self._kills:
            following = self._kills[-1]
            if following.occasion is occasion and step >= following.step:
                self._timer = Timer(following.delay, kill)
                self._timer.start()

    @property
    def holds_the_game(self) -> bool:
        """Whether a kill is due that belongs to the time before the players go on."""
        return self._timer is not None and self._kills[-1].occasion is not Occasion.PLAYING

    def take(self) -> bool:
        """Count a server that has died; return whether it was killed."""
        if self._timer is None:
            return False
        self._timer.join()
        self._timer = None
        self.done.append(self._kills.pop())
        return True

    def close(self) -> None:
        """Kill no more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()
            self._timer = None
