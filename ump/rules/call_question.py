"""The questions to the others about a tile, a discard or that of a kan: their answers and the rule for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import IntEnum
from itertools import product
from typing import Any

from ump.model.actions import Action, Chi, Daiminkan, Pass, Pon, Ron
from ump.model.claims import Reason
from ump.model.constants import MAX_KANS
from ump.model.phases import Phase
from ump.model.seats import Seat, seat_after
from ump.model.tiles import KIND_OF, ORDER, YAOCHU, Face, Kind
from ump.rules.calls import RUNS_WITH, faces_held, kuikae_kinds
from ump.rules.facts import BoardFacts, PlayerFacts
from ump.rules.questions import Question


class Rank(IntEnum):
    """Which call goes first: ron, then pon and kan (never two of these for one tile), then chi."""

    PASS = 0
    CHI = 1
    PON = 2
    RON = 3


_PASS: tuple[Action, ...] = (Pass(),)

RANK_OF: dict[type, Rank] = {Pass: Rank.PASS, Chi: Rank.CHI, Pon: Rank.PON, Daiminkan: Rank.PON, Ron: Rank.RON}


class CallQuestion(Question):
    """``naku?`` on a discard."""

    __slots__ = ("kind", "source")
    phase = Phase.CALL

    def __init__(self, board: BoardFacts, seat: Seat, tile: Face, source: Seat) -> None:
        super().__init__(board, seat, tile)
        self.kind = KIND_OF[tile]
        """The kind of the tile."""
        self.source = source
        """Whose tile it is."""

    @property
    def rank(self) -> Rank:
        """The highest rank that this seat could claim."""
        return RANK_OF[type(self.legal()[-1])]

    def refusal(self, action: Action) -> Reason | None:
        """Look the action's rule up and apply it."""
        rule = _RULES.get(type(action))
        return Reason.NOT_ASKED if rule is None else rule(self, action)

    def certain(self) -> tuple[Action, ...]:
        """Pass."""
        return _PASS

    def candidates(self) -> Iterator[Action]:
        """By rank: chi from the lowest run on, pon, kan, ron; with the red five first."""
        kind, kinds, faces = self.kind, self.player.hand.kinds, self.player.hand.faces
        if _call(self) is None:
            if self.seat == seat_after(self.source, self.board.seats):
                for low, high in RUNS_WITH[kind]:
                    if kinds[low] and kinds[high]:
                        yield from map(Chi, product(faces_held(faces, low), faces_held(faces, high)))
            if kinds[kind] >= 2:
                held = faces_held(faces, kind)
                yield from (Pon((first, second)) for first, second in product(held, held))
            if kinds[kind] >= 3:
                yield Daiminkan()
        if kind in self.player.waits:
            yield Ron()

    def default(self) -> Action:
        """Let the tile go."""
        return Pass()


class ChankanQuestion(Question):
    """``naku?`` on the tile of an added kan, or of a closed one that thirteen orphans may rob."""

    __slots__ = ("closed", "kind", "source")
    phase = Phase.CHANKAN

    def __init__(self, board: BoardFacts, seat: Seat, tile: Face, source: Seat, *, closed: bool) -> None:
        super().__init__(board, seat, tile)
        self.kind = KIND_OF[tile]
        self.source = source
        self.closed = closed
        """Whether it is a closed kan."""

    @property
    def rank(self) -> Rank:
        """The highest rank that this seat could claim."""
        return RANK_OF[type(self.legal()[-1])]

    def refusal(self, action: Action) -> Reason | None:
        """Only ron and pass."""
        if isinstance(action, Pass):
            return None
        if not isinstance(action, Ron):
            return Reason.NOT_ASKED
        if self.closed and not may_rob_closed(self.board, self.seat):
            return Reason.NOT_COMPLETE
        return _win(self, chankan=True)

    def certain(self) -> tuple[Action, ...]:
        """Pass."""
        return _PASS

    def candidates(self) -> Iterator[Action]:
        """Ron."""
        yield Ron()

    def default(self) -> Action:
        """Let the tile go."""
        return Pass()


def may_rob_closed(board: BoardFacts, seat: Seat) -> bool:
    """Tell whether the ruleset and the shape let the seat rob a closed kan: thirteen orphans alone may."""
    return board.ruleset.kokushi_ankan and is_kokushi_tenpai(board, seat)


def is_kokushi_tenpai(board: BoardFacts, seat: Seat) -> bool:
    """Tell whether the seat is waiting for thirteen orphans.

    Nothing but terminals and honours, of at least twelve kinds: no other tenpai looks like that.
    """
    present = {kind for kind, count in enumerate(board.players[seat].hand.kinds) if count}
    return present <= YAOCHU and len(present) >= 12


def _win(question: CallQuestion | ChankanQuestion, *, chankan: bool) -> Reason | None:
    """A tile one waits for, no furiten, and a yaku with it."""
    player, tile = question.player, question.tile
    assert tile is not None
    if question.kind not in player.waits:
        return Reason.NOT_COMPLETE
    if player.furiten:
        return Reason.FURITEN
    value = question.board.value_of(question.seat, tile, question.source, chankan=chankan)
    return None if value else Reason.NO_YAKU


def _pass(question: CallQuestion, action: Pass) -> Reason | None:
    """Always allowed."""
    return None


def _call(question: CallQuestion) -> Reason | None:
    """What stands against any call but ron: riichi, an empty wall, a draw that is due."""
    if question.player.riichi:
        return Reason.IN_RIICHI
    if question.board.left == 0:
        return Reason.TOO_FEW_TILES
    return Reason.TOO_MANY_KANS if question.board.abort_due else None


def _holds(question: CallQuestion, own: tuple[Face, Face]) -> bool:
    """Tell whether both tiles are in the hand."""
    first, second = own
    faces = question.hand.faces
    return faces[first] > (first == second) and faces[second] > 0


def _chi(question: CallQuestion, action: Chi) -> Reason | None:
    """The next player's, two held tiles that make a run, and a tile left that may be discarded."""
    if question.seat != seat_after(question.source, question.board.seats):
        return Reason.NOT_NEXT
    kinds = (KIND_OF[action.own[0]], KIND_OF[action.own[1]])
    if kinds not in RUNS_WITH[question.kind] or not _holds(question, action.own):
        return Reason.NOT_HELD
    reason = _call(question)
    return reason if reason is not None else _leaves_discard(question, kinds)


def _leaves_discard(question: CallQuestion, own: tuple[Kind, Kind]) -> Reason | None:
    """A call that kuikae would leave without any discard is not legal."""
    forbidden = kuikae_kinds(question.board.ruleset.kuikae, question.kind, own)
    for kind, count in enumerate(question.hand.kinds):
        if count > own.count(kind) and kind not in forbidden:
            return None
    return Reason.NO_DISCARD


def _pon(question: CallQuestion, action: Pon) -> Reason | None:
    """Two held tiles of the same kind, sorted. Of the two tiles or more that stay, one can be the fourth at most."""
    first, second = action.own
    same = KIND_OF[first] == KIND_OF[second] == question.kind and ORDER[first] <= ORDER[second]
    if not same or not _holds(question, action.own):
        return Reason.NOT_HELD
    return _call(question)


def _daiminkan(question: CallQuestion, action: Daiminkan) -> Reason | None:
    """The three others of the kind in hand, and a replacement tile."""
    if question.hand.kinds[question.kind] < 3:
        return Reason.NOT_HELD
    reason = _call(question)
    if reason is None and len(question.board.kans) == MAX_KANS:
        return Reason.TOO_MANY_KANS
    return reason


def _ron(question: CallQuestion, action: Ron) -> Reason | None:
    """Win on the discard."""
    return _win(question, chankan=False)


_RULES: dict[type, Callable[[CallQuestion, Any], Reason | None]] = {
    Pass: _pass,
    Chi: _chi,
    Pon: _pon,
    Daiminkan: _daiminkan,
    Ron: _ron,
}


def may_call(player: PlayerFacts, kind: Kind, *, is_next: bool) -> bool:
    """Tell from a few counts whether a player might do anything with a discard of this kind.

    ``is_next``: it is that player's turn otherwise. A sieve for the usual case that nobody can: True is no promise,
    False is.
    """
    if kind in player.waits:
        return True
    if player.riichi:
        return False
    kinds = player.hand.kinds
    if kinds[kind] >= 2:
        return True
    if is_next:
        for low, high in RUNS_WITH[kind]:
            if kinds[low] and kinds[high]:
                return True
    return False
