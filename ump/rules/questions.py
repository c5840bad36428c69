"""Questions: what a seat is asked, and which answers are legal.

``Question.refusal`` is the rule, written once: ``check`` raises its reason, ``legal`` lists the actions that it does
not refuse. Offers, refusals, built-in bots and clients all use these questions. To list quickly, a question names the
actions that are ``certain`` to be legal, and the few other ``candidates`` that it puts to the rule. Tests compare the
list with the rule.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import ClassVar

from ump.model.actions import Action, DeclareNoten, DeclareTenpai
from ump.model.claims import IllegalAction, Reason
from ump.model.hand import Hand
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.tiles import Face
from ump.rules.facts import BoardFacts, PlayerFacts


class Question(ABC):
    """One open question to one seat."""

    __slots__ = ("_legal", "board", "player", "seat", "tile")

    phase: ClassVar[Phase]

    def __init__(self, board: BoardFacts, seat: Seat, tile: Face | None) -> None:
        self.board = board
        self.player: PlayerFacts = board.players[seat]
        self.seat = seat
        self.tile = tile
        """TURN: the drawn tile, None after a call. CALL, CHANKAN: the tile in question. DECLARE: None."""
        self._legal: tuple[Action, ...] | None = None

    @property
    def hand(self) -> Hand:
        """The asked player's own hand, to look at only."""
        return self.player.hand

    @abstractmethod
    def refusal(self, action: Action) -> Reason | None:
        """Return why this action is not legal now, or None if it is."""

    @abstractmethod
    def certain(self) -> Sequence[Action]:
        """Return actions that are legal without a look at the rule, in the order in which they are offered."""

    @abstractmethod
    def candidates(self) -> Iterator[Action]:
        """Yield every other action that could be legal, in the order in which they are offered after those."""

    @abstractmethod
    def default(self) -> Action:
        """Return the action that is taken for a seat that does not answer."""

    def check(self, action: Action) -> None:
        """Raise IllegalAction with the reason unless the action is legal now."""
        reason = self.refusal(action)
        if reason is not None:
            raise IllegalAction(reason)

    def legal(self) -> tuple[Action, ...]:
        """Return every legal action. Worked out once: nothing moves while a question is open."""
        if self._legal is None:
            found = [action for action in self.candidates() if self.refusal(action) is None]
            self._legal = (*self.certain(), *found)
        return self._legal


class DeclareQuestion(Question):
    """``tenpai?``, to a tenpai player not in riichi at an exhausted wall."""

    __slots__ = ()
    phase = Phase.DECLARE

    def refusal(self, action: Action) -> Reason | None:
        """Both answers are free."""
        return None if isinstance(action, (DeclareTenpai, DeclareNoten)) else Reason.NOT_ASKED

    def certain(self) -> tuple[Action, ...]:
        """Tenpai, then noten."""
        return DeclareTenpai(), DeclareNoten()

    def candidates(self) -> Iterator[Action]:
        """Nothing else."""
        return iter(())

    def default(self) -> Action:
        """Show the hand: nobody gives points away by silence."""
        return DeclareTenpai()
