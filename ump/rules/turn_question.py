"""The question on a player's own turn: the legal answers, and why others are refused."""

from __future__ import annotations

from typing import assert_never

from ump.model.actions import (
    Action,
    Ankan,
    Chi,
    Daiminkan,
    DeclareNoten,
    DeclareTenpai,
    Discard,
    Kakan,
    Kita,
    KyushuKyuhai,
    Pass,
    Pon,
    Riichi,
    Ron,
    Tsumo,
)
from ump.model.claims import Reason
from ump.model.constants import KYUSHU_KINDS, MAX_KANS
from ump.model.melds import MeldType, place_of_pon
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.tiles import COPIES, FACES, IN_ORDER, KIND_OF, NORTH, PLACE_BIT, YAOCHU, Face, Kind
from ump.rules.analysis import kan_keeps_waits, leaves_tenpai, tenpai_discards
from ump.rules.questions import BoardFacts, Question, faces_held

NONE: frozenset[Kind] = frozenset()

FROM_HAND: tuple[Discard, ...] = tuple(Discard(face) for face in range(FACES))
"""The discard of each face from the hand. Actions are values: one of each is enough."""
DRAWN: tuple[Discard, ...] = tuple(Discard(face, tsumogiri=True) for face in range(FACES))
"""The discard of each face as the drawn tile."""

_IN_SUIT = 10
"""The number of faces of a suit: nine and the red five."""
_SUIT = (1 << _IN_SUIT) - 1
"""The mask of all faces of a suit."""
_YAOCHU_PLACES = sum(PLACE_BIT[kind] for kind in YAOCHU)
"""The mask of all terminals and honours."""


def _discards_of(suit: int) -> list[tuple[Discard, ...]]:
    """Return the discards from the hand for each mask of the held faces of a suit; suit 3 are the honours."""
    found: list[tuple[Discard, ...]] = [()]
    for face in IN_ORDER[suit * _IN_SUIT : (suit + 1) * _IN_SUIT]:
        found += [(*others, FROM_HAND[face]) for others in found]
    return found


_OF_M = _discards_of(0)
_OF_P = _discards_of(1)
_OF_S = _discards_of(2)
_OF_Z = _discards_of(3)


class TurnQuestion(Question):
    """The question after a draw, or after the seat's own chi or pon.

    Legal answers are a discard, riichi, a closed or added kan, kita, tsumo, and nine terminals (kyuushu kyuuhai).
    """

    __slots__ = ("_riichi_kinds", "forbidden")
    phase = Phase.TURN

    def __init__(self, board: BoardFacts, seat: Seat, tile: Face | None, forbidden: frozenset[Kind] = NONE) -> None:
        """Ask a seat; ``tile`` is the drawn tile, None after a call; kuikae forbids the kinds in ``forbidden``."""
        self.board = board  # as in Question; a call of its __init__ would take twice as long
        self.player = board.player(seat)
        self.seat = seat
        self.tile = tile
        self._legal = None
        self.forbidden = forbidden
        """The kinds that kuikae forbids to discard after a call."""
        self._riichi_kinds: frozenset[Kind] | None = None

    def clone(self, board: BoardFacts) -> TurnQuestion:
        """Return the same question at a copy of the table."""
        twin = TurnQuestion(board, self.seat, self.tile, self.forbidden)
        twin._legal, twin._riichi_kinds = self._legal, self._riichi_kinds
        return twin

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

    def certain(self) -> tuple[Discard, ...]:
        """Return the discards in hand order, the drawn tile last; in riichi only that one. Kuikae is respected."""
        tile = self.tile
        held = 0 if self.player.riichi else self.player.hand.held
        if tile is None:
            drawn: tuple[Discard, ...] = ()
        else:
            drawn = (DRAWN[tile],)
            if held and self.player.hand.faces[tile] == 1:
                held ^= PLACE_BIT[tile]
        discards = (
            *_OF_M[held & _SUIT],
            *_OF_P[held >> _IN_SUIT & _SUIT],
            *_OF_S[held >> 2 * _IN_SUIT & _SUIT],
            *_OF_Z[held >> 3 * _IN_SUIT],
            *drawn,
        )
        if self.forbidden:
            discards = tuple([discard for discard in discards if KIND_OF[discard.face] not in self.forbidden])
        return discards

    def candidates(self) -> list[Action]:
        """Return riichi, kans, kita, tsumo and nine terminals where a quick look at the hand does not rule them out."""
        found: list[Action] = []
        tile, player = self.tile, self.player
        if tile is None:
            return found
        hand, waits = player.hand, player.waits
        if player.tenpai_draws and player.tenpai_draws >> KIND_OF[tile] & 1 and self._riichi_barred() is None:
            found += self._riichis()
        if hand.quads:
            found += [Ankan(kind) for kind, count in enumerate(hand.kinds) if count == COPIES]
        for meld in hand.melds:
            if hand.kinds[KIND_OF[meld.own[0]]] and meld.type is MeldType.PON:
                found += [Kakan(face) for face in faces_held(hand.faces, meld.kind)]
        if hand.kinds[NORTH] and self.board.ruleset.kita:
            found.append(Kita())
        if waits and KIND_OF[tile] in waits:
            found.append(Tsumo())
        if not hand.melds and self.board.is_first_turn(self.seat):
            found.append(KyushuKyuhai())
        return found

    def default(self) -> Action:
        """Return the discard of the drawn tile; after a call, that of the rightmost tile that is legal."""
        if self.tile is not None:
            return DRAWN[self.tile]
        return self.legal()[-1]

    def _riichis(self) -> list[Riichi]:
        discards = [discard for discard in self.certain() if KIND_OF[discard.face] in self.riichi_kinds]
        found = [Riichi(discard.face, discard.tsumogiri) for discard in discards]
        if self.board.ruleset.open_riichi:
            found += [Riichi(discard.face, discard.tsumogiri, opened=True) for discard in discards]
        return found

    # The rule for each action

    def refusal(self, action: Action) -> Reason | None:
        """Return why this action is not legal now, or None if it is."""
        if isinstance(action, Discard):  # nearly every answer; quicker than a class pattern
            return self._refuse_discard(action)
        match action:
            case Riichi():
                return self._refuse_riichi(action)
            case Ankan():
                return self._refuse_ankan(action.kind)
            case Kakan():
                return self._refuse_kakan(action.face)
            case Kita():
                return self._refuse_kita()
            case Tsumo():
                return self._refuse_tsumo()
            case KyushuKyuhai():
                return self._refuse_kyushu()
            case Pass() | Chi() | Pon() | Daiminkan() | Ron() | DeclareTenpai() | DeclareNoten():
                return Reason.NOT_ASKED
            case _:
                assert_never(action)

    def _refuse_discard(self, action: Discard | Riichi) -> Reason | None:
        """Require a tile that is held, in riichi the drawn one, and that kuikae does not forbid."""
        face = action.face
        if action.tsumogiri:
            if face != self.tile:
                return Reason.NOT_HELD
        else:
            held = self.player.hand.faces[face]
            if face == self.tile:
                held -= 1  # the drawn one is discarded with tsumogiri
            if not held:
                return Reason.NOT_HELD
            if self.player.riichi:
                return Reason.IN_RIICHI
        return Reason.KUIKAE if KIND_OF[face] in self.forbidden else None

    def _riichi_barred(self) -> Reason | None:
        """Return why riichi is not legal with any discard, but for the waits that it leaves, or None."""
        board, ruleset = self.board, self.board.ruleset
        if self.player.riichi:
            return Reason.IN_RIICHI
        if not self.hand.is_closed:
            return Reason.NOT_CLOSED
        if ruleset.riichi_points and board.points[self.seat] < ruleset.riichi_points:
            return Reason.TOO_FEW_POINTS
        if board.left < ruleset.riichi_tiles:
            return Reason.TOO_FEW_TILES
        return None

    def _refuse_riichi(self, action: Riichi) -> Reason | None:
        """Require a closed hand that is tenpai after the discard, and enough points and tiles. Furiten is allowed."""
        if action.opened and not self.board.ruleset.open_riichi:
            return Reason.NOT_IN_RULESET
        reason = self._refuse_discard(action) or self._riichi_barred()
        if reason is None and not self._leaves_tenpai(KIND_OF[action.face]):
            return Reason.NOT_TENPAI
        return reason

    def _leaves_tenpai(self, kind: Kind) -> bool:
        """Tell whether the discard of this kind leaves a tenpai hand, after a draw, if only one has to be analysed."""
        if self._riichi_kinds is not None:
            return kind in self._riichi_kinds
        return self._may_be_tenpai and leaves_tenpai(self.hand, kind, self.board.ruleset.own_copies)

    def _kan_barred(self) -> Reason | None:
        """Return why no kan is legal: no tile was drawn, no live tile or no replacement tile is left."""
        if self.tile is None:
            return Reason.NOT_ASKED
        if self.board.left == 0:
            return Reason.TOO_FEW_TILES
        return Reason.TOO_MANY_KANS if len(self.board.kans) == MAX_KANS else None

    def _refuse_ankan(self, kind: Kind) -> Reason | None:
        """Require all four tiles concealed; in riichi the drawn kind, and what ``riichi_kan`` requires."""
        if not 0 <= kind < len(self.hand.kinds) or self.hand.kinds[kind] < COPIES:
            return Reason.NOT_HELD
        reason = self._kan_barred()
        if reason is not None or not self.player.riichi:
            return reason
        ruleset = self.board.ruleset
        assert self.tile is not None
        if KIND_OF[self.tile] != kind:
            return Reason.WAIT_CHANGES
        kept = kan_keeps_waits(self.hand, kind, ruleset.riichi_kan, ruleset.own_copies)
        return None if kept else Reason.WAIT_CHANGES

    def _refuse_kakan(self, face: Face) -> Reason | None:
        """Require a tile that is held and is the fourth of one of the player's pons."""
        hand = self.hand
        if not hand.faces[face] or place_of_pon(hand.melds, KIND_OF[face]) is None:
            return Reason.NOT_HELD
        return self._kan_barred()

    def _refuse_kita(self) -> Reason | None:
        """Require a north after a draw, in riichi the drawn one, and a live tile to refill the dead wall."""
        if not self.board.ruleset.kita:
            return Reason.NOT_IN_RULESET
        if self.tile is None:
            return Reason.NOT_ASKED
        if not self.hand.kinds[NORTH]:
            return Reason.NOT_HELD
        if self.player.riichi and self.tile != NORTH:
            return Reason.IN_RIICHI
        return None if self.board.left else Reason.TOO_FEW_TILES

    def _refuse_tsumo(self) -> Reason | None:
        """Require a hand that is complete with the drawn tile and has a yaku."""
        tile = self.tile
        if tile is None:
            return Reason.NOT_ASKED
        if KIND_OF[tile] not in self.player.waits:
            return Reason.NOT_COMPLETE
        has_yaku = self.hand.is_closed or self.board.value_of(self.seat, tile)  # a closed tsumo is a yaku itself
        return None if has_yaku else Reason.NO_YAKU

    def _refuse_kyushu(self) -> Reason | None:
        """Require nine different terminals and honours in the 14 tiles of the first draw, before any call."""
        if not self.board.ruleset.kyushu_kyuhai:
            return Reason.NOT_IN_RULESET
        if not self.board.is_first_turn(self.seat):
            return Reason.NOT_FIRST
        held = self.hand.held & _YAOCHU_PLACES
        return None if held.bit_count() >= KYUSHU_KINDS else Reason.TOO_FEW_KINDS
