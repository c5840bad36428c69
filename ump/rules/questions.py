"""Questions to a seat, and their legal answers.

``Question.refusal`` is the rule, written once: ``check`` raises its reason, ``legal`` lists the actions that it does
not refuse. Offers, refusals, built-in bots and clients all use these questions. To list quickly, a question names the
actions that are ``certain`` to be legal, and the few other ``candidates`` that it puts to the rule. Tests compare the
list with the rule.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
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
        self.player: PlayerFacts = board.player(seat)
        self.seat = seat
        self.tile = tile
        """The drawn tile (TURN; None after a call), the tile in question (CALL, CHANKAN), or None (DECLARE)."""
        self._legal: tuple[Action, ...] | None = None

    @property
    def hand(self) -> Hand:
        """The hand of the asked player. Do not change it."""
        return self.player.hand

    @abstractmethod
    def refusal(self, action: Action) -> Reason | None:
        """Return why this action is not legal now, or None if it is."""

    @abstractmethod
    def certain(self) -> Sequence[Action]:
        """Return the actions that are known to be legal without the rule, in the order in which they are offered."""

    @abstractmethod
    def candidates(self) -> list[Action]:
        """Return every other action that could be legal, in the order in which they are offered after those."""

    @abstractmethod
    def default(self) -> Action:
        """Return the action that is taken for a seat that does not answer."""

    def check(self, action: Action) -> None:
        """Raise IllegalAction with the reason unless the action is legal now."""
        if self._legal is not None and action in self._legal:
            return  # the rule has been asked
        reason = self.refusal(action)
        if reason is not None:
            raise IllegalAction(reason)

    def legal(self) -> tuple[Action, ...]:
        """Return every legal action, in the order in which they are offered. Computed once per question."""
        if self._legal is None:
            legal = [*self.certain()]
            for action in self.candidates():
                if self.refusal(action) is None:
                    legal.append(action)
            self._legal = tuple(legal)
        return self._legal


class DeclareQuestion(Question):
    """The question at exhaustive draw to a player that is not in riichi: tenpai or noten.

    A player that is noten is asked only where all are, and can only say so.
    """

    __slots__ = ()
    phase = Phase.DECLARE

    def refusal(self, action: Action) -> Reason | None:
        """Return why this action is not legal now, or None if it is: noten always, and tenpai if the hand is."""
        if isinstance(action, DeclareTenpai):
            return None if self.player.waits else Reason.NOT_TENPAI
        return None if isinstance(action, DeclareNoten) else Reason.NOT_ASKED

    def certain(self) -> tuple[Action, ...]:
        """Return the legal declarations, tenpai first."""
        return (DeclareTenpai(), DeclareNoten()) if self.player.waits else (DeclareNoten(),)

    def candidates(self) -> list[Action]:
        """Return nothing."""
        return []

    def default(self) -> Action:
        """Return tenpai if the hand is, so that a seat that does not answer loses no points."""
        return self.certain()[0]
