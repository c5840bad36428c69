"""The base class of bots, and the legal actions that it receives."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar, overload

from ump.model.actions import Action, Discard, Pass
from ump.model.events import Event
from ump.model.phases import Phase
from ump.model.seats import Ranking, Seat
from ump.model.tiles import Face
from ump.players.observation import Observation

A = TypeVar("A", bound=Action)


class Legal(Sequence[Action]):
    """The legal actions of one question, as a sequence, with the kind of question and its tile."""

    __slots__ = ("_actions", "phase", "tile")

    def __init__(self, actions: Iterable[Action], phase: Phase, tile: Face | None) -> None:
        self._actions = tuple(actions)
        self.phase = phase
        """The kind of question: TURN, CALL, CHANKAN or DECLARE."""
        self.tile = tile
        """The drawn tile at a TURN (None after a chi or pon), the tile in question at a CALL or CHANKAN, else None."""

    @overload
    def __getitem__(self, index: int) -> Action: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Action, ...]: ...
    def __getitem__(self, index: int | slice) -> Action | tuple[Action, ...]:
        return self._actions[index]

    def __len__(self) -> int:
        return len(self._actions)

    def __iter__(self) -> Iterator[Action]:
        return iter(self._actions)

    def __repr__(self) -> str:
        return f"Legal({self._actions!r}, {self.phase}, {self.tile!r})"

    def of(self, *types: type[A]) -> list[A]:
        """Return the actions of these types, as in ``legal.of(Tsumo, Ron)``; empty if there are none."""
        return [action for action in self._actions if isinstance(action, types)]

    @property
    def default(self) -> Action:
        """The action that a server plays for a seat that does not answer.

        That is the drawn tile (after a call the rightmost legal one), a pass, or tenpai if the hand is.
        """
        if self.phase is Phase.DECLARE:
            return self._actions[0]
        if self.phase is not Phase.TURN:
            return Pass()
        discards = self.of(Discard)
        drawn = [discard for discard in discards if discard.tsumogiri]
        return (drawn or discards or self._actions)[-1]


class Bot(ABC):
    """A bot. Subclasses must define ``decide``; the other methods do nothing unless they are overridden.

    One object plays all games of a connection, one after the other.
    """

    @abstractmethod
    def decide(self, observation: Observation, legal: Legal) -> Action:
        """Return one of the legal actions.

        Called on every own turn, and whenever another's tile can be called or won on. ``observation`` is what the seat
        has seen (``ump.players.observation``); read it, but do not change it. After a chi or pon ``legal`` has only
        discards.
        """

    def game_started(self, seat: Seat, names: tuple[str, ...]) -> None:
        """Note that a game begins; ``seat`` is the bot's own, 0 is the first dealer."""
        return

    def event(self, event: Event) -> None:
        """Note an event of the game, hidden tiles left out. The observation has it already."""
        return

    def game_ended(self, ranking: Ranking) -> None:
        """Note that a game has been played to its end."""
        return
