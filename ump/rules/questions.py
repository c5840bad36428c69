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
from ump.model.events import DrawReason
from ump.model.hand import Hand
from ump.model.melds import Meld
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.tiles import EAST, FACES_OF, KIND_OF, KINDS, Face, Kind
from ump.model.yaku import HandValue
from ump.rules.ruleset import Kuikae, Ruleset

# The facts that the rules for legal answers need


class PlayerFacts(ABC):
    """The facts about the player that is asked."""

    __slots__ = ()

    hand: Hand
    """The concealed tiles, a drawn one included, and the melds."""
    waits: frozenset[Kind]
    """The kinds that the hand without the drawn tile waits for."""
    tenpai_draws: int
    """The kinds, as a bit mask, with which that hand, if closed, may be tenpai after a discard; no other does it."""
    riichi: int
    """0 not in riichi, 1 riichi, 2 double riichi."""

    @property
    @abstractmethod
    def furiten(self) -> bool:
        """Whether the player may not win by ron."""


class BoardFacts(ABC):
    """The facts about the table."""

    __slots__ = ()

    ruleset: Ruleset
    """The rules of the game."""
    has_chi: bool
    """Whether players may call chi."""
    seats: int
    """The number of players."""
    points: list[int]
    """The scores by seat."""
    kans: list[Seat]
    """The seat that made each kan."""
    abort_due: DrawReason | None
    """Why the kyoku is drawn if the discard passes ron: then nobody may call it."""

    @property
    @abstractmethod
    def left(self) -> int:
        """The number of tiles left in the live wall."""

    @abstractmethod
    def player(self, seat: Seat) -> PlayerFacts:
        """Return the facts about a player, at least about the one that is asked."""

    @abstractmethod
    def is_first_turn(self, seat: Seat) -> bool:
        """Tell whether the seat has not discarded yet and nobody has called."""

    @abstractmethod
    def value_of(self, seat: Seat, tile: Face, loser: Seat | None = None, *, chankan: bool = False) -> HandValue | None:
        """Return the value of a win with this tile, drawn or taken from the loser; None without a yaku."""


# Calls


def _runs_with(kind: Kind) -> tuple[tuple[Kind, Kind], ...]:
    """Return the pairs of kinds that make a run with this kind, lowest first."""
    if kind >= EAST:
        return ()
    pairs = ((kind - 2, kind - 1), (kind - 1, kind + 1), (kind + 1, kind + 2))
    first = kind - kind % 9
    return tuple(pair for pair in pairs if first <= pair[0] and pair[1] < first + 9)


RUNS_WITH: tuple[tuple[tuple[Kind, Kind], ...], ...] = tuple(_runs_with(kind) for kind in range(KINDS))
"""For each kind, the pairs of kinds that make a chi with it."""


def faces_held(faces: Sequence[int], kind: Kind) -> tuple[Face, ...]:
    """Return the held faces of a kind, the red five first; ``faces`` are the 37 counts of a hand."""
    return tuple([face for face in FACES_OF[kind] if faces[face]])


def kuikae_kinds(rule: Kuikae, called: Kind, own: tuple[Kind, Kind]) -> frozenset[Kind]:
    """Return the kinds that may not be discarded after calling this kind with these two (lowest first)."""
    if rule is Kuikae.ALLOWED:
        return frozenset()
    low, high = own
    if rule is Kuikae.SAME_TILE or low == high or high - low == 2:
        return frozenset((called,))
    other_end = high + 1 if called < low else low - 1
    in_suit = 0 <= other_end < EAST and other_end // 9 == called // 9
    return frozenset((called, other_end) if in_suit else (called,))


def kuikae_after(rule: Kuikae, meld: Meld) -> frozenset[Kind]:
    """Return the kinds that may not be discarded right after this chi or pon was called."""
    assert meld.called is not None
    return kuikae_kinds(rule, KIND_OF[meld.called], (KIND_OF[meld.own[0]], KIND_OF[meld.own[1]]))


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
    def clone(self, board: BoardFacts) -> Question:
        """Return the same question at a copy of the table."""

    @abstractmethod
    def refusal(self, action: Action) -> Reason | None:
        """Return why this action is not legal now, or None if it is."""

    @abstractmethod
    def certain(self) -> tuple[Action, ...]:
        """Return the actions that are known to be legal without the rule, in the order in which they are offered."""

    @abstractmethod
    def candidates(self) -> list[Action]:
        """Return every other action that could be legal, in the order in which they are offered after those."""

    @abstractmethod
    def default(self) -> Action:
        """Return the action that is taken for a seat that does not answer."""

    def check(self, action: Action) -> None:
        """Raise IllegalAction with the reason unless the action is legal now."""
        reason = self.refusal(action)
        if reason is not None:
            raise IllegalAction(reason)

    def legal(self) -> tuple[Action, ...]:
        """Return every legal action, in the order in which they are offered. Computed once per question."""
        if self._legal is None:
            found = self.candidates()  # mostly there are none
            self._legal = (*self.certain(), *self._not_refused(found)) if found else self.certain()
        return self._legal

    def extras(self) -> list[Action]:
        """Return the legal actions besides those that are ``certain``, in the order in which they are offered."""
        return self._not_refused(self.candidates())

    def _not_refused(self, actions: list[Action]) -> list[Action]:
        return [action for action in actions if self.refusal(action) is None]


class DeclareQuestion(Question):
    """The question at exhaustive draw to a player that is not in riichi: tenpai or noten.

    A player that is noten is asked only where all are, and can only say so.
    """

    __slots__ = ()
    phase = Phase.DECLARE

    def clone(self, board: BoardFacts) -> DeclareQuestion:
        """Return the same question at a copy of the table."""
        return DeclareQuestion(board, self.seat, self.tile)

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
