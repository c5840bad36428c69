"""The questions to the other players about a discard or the tile of a kan, with their legal answers."""

from __future__ import annotations

from abc import abstractmethod
from enum import Enum, IntEnum, auto
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
from ump.model.constants import DEALT_TILES, MAX_KANS
from ump.model.phases import Phase
from ump.model.seats import Seat, seat_after
from ump.model.tiles import KIND_OF, ORDER, RED_OF, YAOCHU, Face, Kind
from ump.rules.questions import RUNS_WITH, BoardFacts, Question, faces_held, kuikae_kinds


class Rank(IntEnum):
    """The priority of an answer: ron, then pon and kan (never two of these for one tile), then chi."""

    PASS = 0
    CHI = 1
    PON = 2
    RON = 3


_RANKS: dict[type, Rank] = {Pass: Rank.PASS, Chi: Rank.CHI, Pon: Rank.PON, Daiminkan: Rank.PON, Ron: Rank.RON}
"""The rank of each answer to a question about a tile."""


def rank_of(action: Action) -> Rank:
    """Return the rank of an answer to a question about a tile; raises KeyError for any other action."""
    return _RANKS[type(action)]


_PASS: tuple[Action, ...] = (Pass(),)

_MOST_FORBIDDEN = 7
"""Tiles that kuikae may forbid to discard: the three others of the called kind, and four of another."""


class TileQuestion(Question):
    """A question about another player's tile. Passing is always legal."""

    __slots__ = ("_rank", "_runs", "kind", "source")

    def __init__(self, board: BoardFacts, seat: Seat, tile: Face, source: Seat) -> None:
        """Ask a seat about the tile of another seat, ``source``."""
        self.board = board  # as in Question; a call of its __init__ would take twice as long
        self.player = board.player(seat)
        self.seat = seat
        self.tile = tile
        self._legal = None
        self._rank: Rank | None = None
        self._runs: list[tuple[Kind, Kind]] | None = None
        self.kind = KIND_OF[tile]
        """The kind of the tile."""
        self.source = source
        """The seat that discarded it or made the kan."""

    @abstractmethod
    def clone(self, board: BoardFacts) -> TileQuestion:
        """Return the same question at a copy of the table."""

    @property
    def rank(self) -> Rank:
        """The highest rank among the legal answers. Computed once per question, and without a list of them."""
        if self._rank is None:
            self._rank = self._highest_rank()
        return self._rank

    @abstractmethod
    def _highest_rank(self) -> Rank: ...

    def certain(self) -> tuple[Action, ...]:
        """Return pass."""
        return _PASS

    def default(self) -> Action:
        """Return pass."""
        return Pass()

    def _refuse_win(self, *, chankan: bool) -> Reason | None:
        """Require that the player waits for the tile, is not furiten and has a yaku with it."""
        player = self.player
        if self.kind not in player.waits:
            return Reason.NOT_COMPLETE
        if player.furiten:
            return Reason.FURITEN
        if player.riichi:
            return None  # a yaku itself, and a hand takes long to value
        assert self.tile is not None
        value = self.board.value_of(self.seat, self.tile, self.source, chankan=chankan)
        return None if value else Reason.NO_YAKU


class CallQuestion(TileQuestion):
    """The question about a discard: pass, chi, pon, open kan or ron."""

    __slots__ = ()
    phase = Phase.CALL

    def clone(self, board: BoardFacts) -> CallQuestion:
        """Return the same question at a copy of the table."""
        assert self.tile is not None
        twin = CallQuestion(board, self.seat, self.tile, self.source)
        twin._legal, twin._rank = self._legal, self._rank
        return twin

    def _highest_rank(self) -> Rank:
        if self.kind in self.player.waits and self._refuse_win(chankan=False) is None:
            return Rank.RON
        if self._call_barred() is not None:
            return Rank.PASS
        if self.player.hand.kinds[self.kind] >= 2:
            return Rank.PON
        return Rank.CHI if self._legal_runs() else Rank.PASS

    def certain(self) -> tuple[Action, ...]:
        """Return pass, then by rank: chi from the lowest run on, and pon; those with the red five first."""
        if self._call_barred() is not None:
            return _PASS
        found: list[Action] = [*_PASS]
        for low, high in self._legal_runs():
            found += [Chi(own) for own in self._pairs(low, high)]
        if self.player.hand.kinds[self.kind] >= 2:
            pairs = self._pairs(self.kind, self.kind)
            found += [Pon(own) for own in pairs if len(pairs) == 1 or self._refuse_pon(own) is None]
        return tuple(found)

    def _legal_runs(self) -> list[tuple[Kind, Kind]]:
        """Return the pairs of held kinds with which chi is legal, unless every call is barred; worked out once."""
        if self._runs is None:
            self._runs = []
            if self.board.has_chi and self.seat == seat_after(self.source, self.board.seats):
                kinds = self.player.hand.kinds
                pairs = [pair for pair in RUNS_WITH[self.kind] if kinds[pair[0]] and kinds[pair[1]]]
                self._runs += [pair for pair in pairs if self._no_discard_after(pair) is None]
        return self._runs

    def candidates(self) -> list[Action]:
        """Return open kan and ron where a look at the hand does not rule them out."""
        found: list[Action] = []
        if self.player.hand.kinds[self.kind] >= 3:
            found.append(Daiminkan())
        if self.kind in self.player.waits:
            found.append(Ron())
        return found

    def _pairs(self, low: Kind, high: Kind) -> list[tuple[Face, Face]]:
        """Return the pairs of held faces of two kinds, at least one each, those with a red five first."""
        faces = self.player.hand.faces
        if low not in RED_OF and high not in RED_OF:
            return [(low, high)]
        return [(first, second) for first in faces_held(faces, low) for second in faces_held(faces, high)]

    # The rule for each action

    def refusal(self, action: Action) -> Reason | None:
        """Return why this action is not legal now, or None if it is."""
        if isinstance(action, Pass):  # most answers; quicker than a class pattern
            return None
        match action:
            case Chi():
                return self._refuse_chi(action.own)
            case Pon():
                return self._refuse_pon(action.own)
            case Daiminkan():
                return self._refuse_daiminkan()
            case Ron():
                return self._refuse_win(chankan=False)
            case (
                Discard()
                | Riichi()
                | Ankan()
                | Kakan()
                | Kita()
                | Tsumo()
                | KyushuKyuhai()
                | DeclareTenpai()
                | DeclareNoten()
            ):
                return Reason.NOT_ASKED
            case _:
                assert_never(action)

    def _call_barred(self) -> Reason | None:
        """Return what rules out every call but ron: riichi, an empty wall, a draw that is due."""
        if self.player.riichi:
            return Reason.IN_RIICHI
        if self.board.left == 0:
            return Reason.TOO_FEW_TILES
        return Reason.TOO_MANY_KANS if self.board.abort_due else None

    def _refuse_chi(self, own: tuple[Face, Face]) -> Reason | None:
        """Require a game of four, the next player, two held tiles that make a run, and a discard that kuikae allows."""
        if not self.board.has_chi:
            return Reason.NOT_IN_RULESET
        if self.seat != seat_after(self.source, self.board.seats):
            return Reason.NOT_NEXT
        kinds = (KIND_OF[own[0]], KIND_OF[own[1]])
        if kinds not in RUNS_WITH[self.kind] or not self._holds(own):
            return Reason.NOT_HELD
        reason = self._call_barred()
        return reason if reason is not None else self._no_discard_after(kinds)

    def _no_discard_after(self, own: tuple[Kind, Kind]) -> Reason | None:
        """Refuse a call after which kuikae forbids every discard."""
        if DEALT_TILES - 3 * len(self.hand.melds) - len(own) > _MOST_FORBIDDEN:
            return None  # mostly
        forbidden = kuikae_kinds(self.board.ruleset.kuikae, self.kind, own)
        for kind, count in enumerate(self.hand.kinds):
            if count > own.count(kind) and kind not in forbidden:
                return None
        return Reason.NO_DISCARD

    def _refuse_pon(self, own: tuple[Face, Face]) -> Reason | None:
        """Require two held tiles of the kind, given sorted.

        Kuikae always leaves a discard: at least two tiles stay in the hand, and at most one is the fourth of the kind.
        """
        first, second = own
        same = KIND_OF[first] == KIND_OF[second] == self.kind and ORDER[first] <= ORDER[second]
        if not same or not self._holds(own):
            return Reason.NOT_HELD
        return self._call_barred()

    def _refuse_daiminkan(self) -> Reason | None:
        """Require the three other tiles of the kind, and a replacement tile."""
        if self.hand.kinds[self.kind] < 3:
            return Reason.NOT_HELD
        reason = self._call_barred()
        if reason is None and len(self.board.kans) == MAX_KANS:
            return Reason.TOO_MANY_KANS
        return reason

    def _holds(self, own: tuple[Face, Face]) -> bool:
        """Tell whether both tiles are in the hand."""
        first, second = own
        faces = self.hand.faces
        if first == second:
            return faces[first] >= 2
        return faces[first] > 0 and faces[second] > 0


class Robbed(Enum):
    """The declaration of a tile that another player may win on."""

    ADDED_KAN = auto()
    CLOSED_KAN = auto()
    """Only thirteen orphans may rob it, if the ruleset says so."""
    KITA = auto()
    """A win on a north that is set aside is not chankan: it needs another yaku."""

    @property
    def is_kan(self) -> bool:
        """Whether a win on the tile is chankan."""
        return self is not Robbed.KITA


class ChankanQuestion(TileQuestion):
    """The question about the tile of a kan, or about a north that is set aside: pass or ron.

    It is asked about a closed kan only if the ruleset lets thirteen orphans rob it.
    """

    __slots__ = ("robbed",)
    phase = Phase.CHANKAN

    def __init__(self, board: BoardFacts, seat: Seat, tile: Face, source: Seat, robbed: Robbed) -> None:
        """Ask a seat about a tile that ``source`` has declared."""
        super().__init__(board, seat, tile, source)
        self.robbed = robbed
        """The declaration of the tile."""

    def clone(self, board: BoardFacts) -> ChankanQuestion:
        """Return the same question at a copy of the table."""
        assert self.tile is not None
        twin = ChankanQuestion(board, self.seat, self.tile, self.source, self.robbed)
        twin._legal, twin._rank = self._legal, self._rank
        return twin

    def _highest_rank(self) -> Rank:
        return Rank.PASS if self.refusal(Ron()) else Rank.RON

    def candidates(self) -> list[Action]:
        """Return ron."""
        return [Ron()]

    def refusal(self, action: Action) -> Reason | None:
        """Return why this action is not legal now, or None if it is."""
        if isinstance(action, Pass):
            return None
        if not isinstance(action, Ron):
            return Reason.NOT_ASKED
        if self.robbed is Robbed.CLOSED_KAN and not may_rob_closed(self.board, self.seat):
            return Reason.NOT_COMPLETE
        return self._refuse_win(chankan=self.robbed.is_kan)


def may_rob_closed(board: BoardFacts, seat: Seat) -> bool:
    """Tell whether the ruleset and the shape of the hand let the seat rob a closed kan: only thirteen orphans may."""
    return board.ruleset.kokushi_ankan and is_kokushi_tenpai(board, seat)


def is_kokushi_tenpai(board: BoardFacts, seat: Seat) -> bool:
    """Tell whether the seat, known to be tenpai, waits for thirteen orphans.

    Its tiles are terminals and honours only, of at least twelve kinds: no other tenpai hand looks like that.
    """
    present = {kind for kind, count in enumerate(board.player(seat).hand.kinds) if count}
    return present <= YAOCHU and len(present) >= 12
