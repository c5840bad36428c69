"""A situation: what a client is led through, and what is expected of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import Enum

from ump.bots.check.aims import Aim
from ump.bots.check.arrangement import Arrangement, Closing
from ump.model.actions import Action
from ump.model.seats import LETTERS
from ump.model.value import value

PATIENCE = 3
"""Turns of the client after which a situation that it has avoided is given up."""


class Stage(Enum):
    """The server's behaviour at the first turn of the client."""

    PLAY = "play"
    """Nothing but to play."""
    HOLD = "hold"
    """It takes no answer before the time for it is over."""
    DROP = "drop"
    """It cuts the connection, and keeps the seat."""
    STOP = "stop"
    """It stops, and the game with it."""
    FAREWELL = "farewell"
    """Nothing, but the client must leave properly after the game."""


@value
class Situation:
    """One situation: a game of one kyoku, or of two if the end of the first one matters."""

    name: str
    teaches: str
    """The point of the situation, in one sentence."""
    expected: str
    """The behaviour that is expected of the client."""
    arrangement: Arrangement
    client: str = "A"
    """The seat of the client; A deals."""
    aim: Aim | None = None
    """None: the situation is reached by what the server does."""
    missed: str = "the client avoided it"
    """Why it was not reached, if the client played on legally."""
    orders: Mapping[str, str] = field(default_factory=dict)
    """The actions of the other players, by the letters of their seats."""
    stage: Stage = Stage.PLAY
    has_next: bool = False
    """Whether another kyoku follows, in which the client shows that it has understood the end of this one."""
    wanted: type[Action] | None = None
    """The only sensible action at the question; another one is noted, not counted as a fault."""
    patience: int = PATIENCE
    rules: Mapping[str, bool] = field(default_factory=dict)
    """Changes of the rules."""
    seats: int = len(LETTERS)
    """The number of players."""

    @property
    def letters(self) -> str:
        """The letters of the seats."""
        return LETTERS[: self.seats]

    @property
    def last_kyoku(self) -> Arrangement:
        """The kyoku after a situation whose end matters: its win is so high that the game ends with it."""
        winner, loser = [letter for letter in self.letters if letter != self.client][:2]
        return Arrangement({}, closing=Closing(winner, loser, hand="119m19p19s123567z"))
