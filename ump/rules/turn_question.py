"""The question on one's own turn: its answers and the rule for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import compress
from operator import itemgetter
from typing import Any

from ump.model.actions import Action, Ankan, Discard, Kakan, KyushuKyuhai, Riichi, Tsumo
from ump.model.claims import Reason
from ump.model.constants import KYUSHU_KINDS, MAX_KANS
from ump.model.melds import MeldType, place_of_pon
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.tiles import COPIES, FACES, IN_ORDER, KIND_OF, YAOCHU, Face, Kind
from ump.rules.analysis import kan_keeps_waits, tenpai_discards
from ump.rules.calls import faces_held
from ump.rules.facts import BoardFacts
from ump.rules.questions import Question

NONE: frozenset[Kind] = frozenset()

_IN_ORDER = itemgetter(*IN_ORDER)
"""Takes the counts of a hand by face and puts them in the order of a sorted hand."""
_FROM_HAND = tuple(Discard(face) for face in IN_ORDER)
"""The discard of each face from the hand, in that order. Values never change: one of each is enough."""
_DRAWN = tuple(Discard(face, tsumogiri=True) for face in range(FACES))
"""The discard of each face as the drawn tile."""


class TurnQuestion(Question):
    """``sutehai?``: after a draw, or after one's own chi or pon (then only a discard)."""

    __slots__ = ("_riichi_kinds", "forbidden")
    phase = Phase.TURN

    def __init__(self, board: BoardFacts, seat: Seat, tile: Face | None, forbidden: frozenset[Kind] = NONE) -> None:
        super().__init__(board, seat, tile)
        self.forbidden = forbidden
        """The kinds that kuikae forbids to discard after a call."""
        self._riichi_kinds: frozenset[Kind] | None = None

    @property
    def riichi_kinds(self) -> frozenset[Kind]:
        """The kinds whose discard leaves a tenpai hand, after a draw; worked out when first asked for."""
        if self._riichi_kinds is None:
            found = tenpai_discards(self.hand, self.board.ruleset.own_copies) if self._may_be_tenpai else NONE
            self._riichi_kinds = frozenset(found)
        return self._riichi_kinds

    @property
    def _may_be_tenpai(self) -> bool:
        """Whether the drawn tile is one with which a discard may leave the hand tenpai."""
        return self.tile is not None and self.player.tenpai_draws >> KIND_OF[self.tile] & 1 == 1

    def refusal(self, action: Action) -> Reason | None:
        """Look the action's rule up and apply it."""
        rule = _RULES.get(type(action))
        return Reason.NOT_ASKED if rule is None else rule(self, action)

    def certain(self) -> list[Discard]:
        """Return the discards in hand order, the drawn tile's own entry last; in riichi that one alone. No kuikae."""
        tile, discards = self.tile, list[Discard]()
        if not self.player.riichi:
            faces = self.player.hand.faces
            if tile is not None:
                faces = faces[:]
                faces[tile] -= 1
            discards += compress(_FROM_HAND, _IN_ORDER(faces))
        if tile is not None:
            discards.append(_DRAWN[tile])
        if self.forbidden:
            discards = [gone for gone in discards if KIND_OF[gone.face] not in self.forbidden]
        return discards

    def candidates(self) -> Iterator[Action]:
        """Riichi, kans, tsumo and nine terminals, as far as a look at the hand lets them."""
        tile, player = self.tile, self.player
        if tile is None:
            return
        if self._may_be_tenpai and _riichi_barred(self) is None:
            yield from self._riichi()
        if COPIES in player.hand.kinds:
            yield from (Ankan(kind) for kind, count in enumerate(player.hand.kinds) if count == COPIES)
        if player.hand.melds:
            yield from self._added()
        if KIND_OF[tile] in player.waits:
            yield Tsumo()
        if self.board.is_first_turn(self.seat):
            yield KyushuKyuhai()

    def default(self) -> Action:
        """Discard the drawn tile; after a call the rightmost tile that may go."""
        if self.tile is not None:
            return _DRAWN[self.tile]
        return self.legal()[-1]

    def _riichi(self) -> Iterator[Riichi]:
        discards = [gone for gone in self.certain() if KIND_OF[gone.face] in self.riichi_kinds]
        yield from (Riichi(gone.face, gone.tsumogiri) for gone in discards)
        if self.board.ruleset.open_riichi:
            yield from (Riichi(gone.face, gone.tsumogiri, opened=True) for gone in discards)

    def _added(self) -> Iterator[Kakan]:
        for meld in self.player.hand.melds:
            if meld.type is MeldType.PON:
                yield from (Kakan(face) for face in faces_held(self.player.hand.faces, meld.kind))


def _discard(question: TurnQuestion, action: Discard | Riichi) -> Reason | None:
    """A tile that is held, in riichi only the drawn one; kuikae."""
    face = action.face
    if action.tsumogiri:
        if face != question.tile:
            return Reason.NOT_HELD
    elif question.hand.faces[face] <= (face == question.tile):
        return Reason.NOT_HELD
    elif question.player.riichi:
        return Reason.IN_RIICHI
    return Reason.KUIKAE if KIND_OF[face] in question.forbidden else None


def _riichi_barred(question: TurnQuestion) -> Reason | None:
    """Return what stands against riichi whatever tile goes."""
    board, ruleset = question.board, question.board.ruleset
    if question.player.riichi:
        return Reason.IN_RIICHI
    if not question.hand.is_closed:
        return Reason.NOT_CLOSED
    if ruleset.riichi_points and board.points[question.seat] < ruleset.riichi_points:
        return Reason.TOO_FEW_POINTS
    if board.left < ruleset.riichi_tiles:
        return Reason.TOO_FEW_TILES
    return None if question.riichi_kinds else Reason.NOT_TENPAI


def _riichi(question: TurnQuestion, action: Riichi) -> Reason | None:
    """A closed hand, points and tiles enough, and tenpai after the discard. Furiten riichi is allowed."""
    if action.opened and not question.board.ruleset.open_riichi:
        return Reason.NOT_IN_RULESET
    reason = _discard(question, action) or _riichi_barred(question)
    if reason is None and KIND_OF[action.face] not in question.riichi_kinds:
        return Reason.NOT_TENPAI
    return reason


def _kan(question: TurnQuestion) -> Reason | None:
    """A kan needs a drawn tile in hand, a live tile left, and a replacement tile."""
    if question.tile is None:
        return Reason.NOT_ASKED
    if question.board.left == 0:
        return Reason.TOO_FEW_TILES
    return Reason.TOO_MANY_KANS if len(question.board.kans) == MAX_KANS else None


def _ankan(question: TurnQuestion, action: Ankan) -> Reason | None:
    """Four concealed; in riichi only the drawn kind, and as the ruleset has it."""
    if not 0 <= action.kind < len(question.hand.kinds) or question.hand.kinds[action.kind] < COPIES:
        return Reason.NOT_HELD
    reason = _kan(question)
    if reason is not None or not question.player.riichi:
        return reason
    ruleset = question.board.ruleset
    assert question.tile is not None
    if KIND_OF[question.tile] != action.kind:
        return Reason.WAIT_CHANGES
    kept = kan_keeps_waits(question.hand, action.kind, ruleset.riichi_kan, ruleset.own_copies)
    return None if kept else Reason.WAIT_CHANGES


def _kakan(question: TurnQuestion, action: Kakan) -> Reason | None:
    """The fourth tile to one's own pon."""
    held = question.hand.faces[action.face] > 0
    if not held or place_of_pon(question.hand.melds, KIND_OF[action.face]) is None:
        return Reason.NOT_HELD
    return _kan(question)


def _tsumo(question: TurnQuestion, action: Tsumo) -> Reason | None:
    """A complete hand with a yaku, by one's own draw."""
    tile = question.tile
    if tile is None:
        return Reason.NOT_ASKED
    if KIND_OF[tile] not in question.player.waits:
        return Reason.NOT_COMPLETE
    return None if question.board.value_of(question.seat, tile) else Reason.NO_YAKU


def _kyushu(question: TurnQuestion, action: KyushuKyuhai) -> Reason | None:
    """Nine kinds of terminals and honours in 14 tiles, before any call."""
    if not question.board.ruleset.kyushu_kyuhai:
        return Reason.NOT_IN_RULESET
    if not question.board.is_first_turn(question.seat):
        return Reason.NOT_FIRST
    kinds = sum(question.hand.kinds[kind] > 0 for kind in YAOCHU)
    return None if kinds >= KYUSHU_KINDS else Reason.TOO_FEW_KINDS


_RULES: dict[type, Callable[[TurnQuestion, Any], Reason | None]] = {
    Discard: _discard,
    Riichi: _riichi,
    Ankan: _ankan,
    Kakan: _kakan,
    Tsumo: _tsumo,
    KyushuKyuhai: _kyushu,
}
