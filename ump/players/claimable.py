"""The legal actions of a seat on a server that does not list them, worked out from what the seat has seen.

The rules are those of the game's own questions (``ump.rules.questions``). One case is not covered: the game refuses
calls of a discard that aborts the kyoku (four winds, four riichi, four kans).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ump.model.actions import Action, Chi, Discard, Kakan, Pon, Riichi
from ump.model.constants import DEALT_TILES, FULL_HAND
from ump.model.hand import Hand
from ump.model.melds import MeldType
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.tiles import COPIES, Face, Kind
from ump.model.yaku import HandValue
from ump.players.observation import Observation
from ump.rules.analysis import readiness
from ump.rules.call_question import CallQuestion, ChankanQuestion, Robbed
from ump.rules.questions import BoardFacts, DeclareQuestion, PlayerFacts, Question, kuikae_after
from ump.rules.score import Circumstances, hand_value, is_last_tile
from ump.rules.turn_question import TurnQuestion


def claimable(seen: Observation, phase: Phase, tile: Face | None) -> tuple[Action, ...]:
    """Return the legal answers to a question, as far as the seat can know them (see ``Policy.choose`` for ``tile``).

    Raises ValueError if what the seat has seen cannot have led to that question.
    """
    return _question(seen, phase, tile).legal()


def legal_actions(
    seen: Observation, phase: Phase, tile: Face | None, offers: tuple[Action, ...] | None
) -> tuple[Action, ...]:
    """Return the legal answers to a question: those that the server offers, or else those that the seat can know.

    Offers do not tell the drawn tile from an equal one in the hand: here both discards are listed. Raises ValueError
    as ``claimable`` does, also if nothing is legal, if the seat does not have the tiles of a player who is asked, or
    those of an offer, or if it may discard nothing in its turn.
    """
    if offers is None:
        _check_hand(seen.hand, phase, ())
        offers = claimable(seen, phase, tile)
        if offers:
            return offers
    if not offers:
        raise ValueError("a question without a legal answer")
    _check_hand(seen.hand, phase, offers)
    if tile is None or Discard(tile, tsumogiri=True) not in offers:
        return offers
    has_equal = seen.hand.faces[tile] > 1 and not seen.in_riichi[seen.me]
    return (Discard(tile), *offers) if has_equal else offers


def _check_hand(hand: Hand, phase: Phase, offers: tuple[Action, ...]) -> None:
    """Raise ValueError for a hand that no player has at a question, or for offers that no hand has.

    These are offers with a tile that is not held, and a turn without a discard. Only a server at fault leads to them.
    No policy has to expect them.
    """
    held = sum(hand.kinds) + 3 * len(hand.melds)
    needed = FULL_HAND if phase is Phase.TURN else DEALT_TILES
    if held != needed or max(hand.kinds) > COPIES:
        raise ValueError(f"a question of phase {phase.name} to a hand of {held} tiles")
    for offer in offers:
        if any(hand.faces[face] < count for face, count in Counter(_given_up(offer)).items()):
            raise ValueError("an offer of an action with tiles that are not held")
    if offers and phase is Phase.TURN and not discards_of(offers):
        raise ValueError("a turn without an offer to discard")


def discards_of(legal: Iterable[Action]) -> list[Discard]:
    """Return the discards among some actions."""
    return [action for action in legal if isinstance(action, Discard)]


def has_any(legal: Iterable[Action], *types: type[Action]) -> bool:
    """Tell whether there is an action of one of these types."""
    return any(isinstance(action, types) for action in legal)


def _given_up(offer: Action) -> tuple[Face, ...]:
    """Return the tiles that an action names and that leave the hand."""
    match offer:
        case Discard() | Riichi() | Kakan():
            return (offer.face,)
        case Chi() | Pon():
            return offer.own
        case _:
            return ()


def _question(seen: Observation, phase: Phase, tile: Face | None) -> Question:
    """Return the question that the game would ask."""
    if phase is Phase.DECLARE:
        return DeclareQuestion(_board(seen, seen.hand), seen.me, None)
    if phase is Phase.TURN:
        return _turn_after_call(seen) if tile is None else _turn(seen, tile)
    if tile is None or seen.source is None:
        raise ValueError(f"a question of phase {phase.name} is about a tile")
    board = _board(seen, seen.hand)
    if phase is Phase.CALL:
        return CallQuestion(board, seen.me, tile, seen.source)
    return ChankanQuestion(board, seen.me, tile, seen.source, _robbed(seen))


def _robbed(seen: Observation) -> Robbed:
    """Return what the tile in question was declared for."""
    if seen.kita:
        return Robbed.KITA
    is_closed = seen.kan is not None and seen.kan.type is MeldType.ANKAN
    return Robbed.CLOSED_KAN if is_closed else Robbed.ADDED_KAN


def _turn(seen: Observation, drawn: Face) -> TurnQuestion:
    before = seen.hand.copy()
    before.remove(drawn)
    return TurnQuestion(_board(seen, before), seen.me, drawn)


def _turn_after_call(seen: Observation) -> TurnQuestion:
    melds = seen.hand.melds
    if not melds or melds[-1].called is None or melds[-1].is_kan:
        raise ValueError("a turn without a drawn tile follows a chi or pon")
    forbidden = kuikae_after(seen.ruleset.kuikae, melds[-1])
    return TurnQuestion(_board(seen, None), seen.me, None, forbidden)


class _Player(PlayerFacts):
    """The facts about the seat itself."""

    def __init__(self, seen: Observation, waits: frozenset[Kind], tenpai_draws: int) -> None:
        self._seen = seen
        self.hand = seen.hand
        self.waits = waits
        self.tenpai_draws = tenpai_draws
        self.riichi = 1 if seen.in_riichi[seen.me] else 0

    @property
    def furiten(self) -> bool:
        """Whether the player may not win by ron."""
        return self._seen.is_furiten(self.waits)


class _Board(BoardFacts):
    """The facts about the table that one seat knows."""

    def __init__(self, seen: Observation, player: _Player) -> None:
        self._seen = seen
        self._player = player
        self.ruleset = seen.ruleset
        self.seats = seen.ruleset.seats
        self.has_chi = seen.ruleset.chi
        self.points = seen.points
        self.kans = seen.kans
        self.abort_due = None

    @property
    def left(self) -> int:
        """The number of tiles left in the live wall."""
        return self._seen.left

    def player(self, seat: Seat) -> _Player:
        """Return the facts about the seat itself: nothing is known about others."""
        return self._player

    def is_first_turn(self, seat: Seat) -> bool:
        """Tell whether the seat has not discarded yet and nobody has called."""
        return self._seen.is_first_turn

    def value_of(self, seat: Seat, tile: Face, loser: Seat | None = None, *, chankan: bool = False) -> HandValue | None:
        """Return the value of a win, without ippatsu and dora: these cannot be the one yaku that it needs."""
        seen = self._seen
        is_tsumo = loser is None
        is_last = is_last_tile(tsumo=is_tsumo, left=seen.left, rinshan=seen.rinshan, chankan=chankan)
        circumstances = Circumstances(
            tsumo=is_tsumo,
            seat_wind=seen.seat_wind,
            round_wind=seen.bakaze,
            riichi=self._player.riichi,
            rinshan=is_tsumo and seen.rinshan,
            chankan=chankan,
            haitei=is_tsumo and is_last,
            houtei=not is_tsumo and is_last,
            first_turn=seen.is_first_turn,
        )
        concealed = seen.hand.concealed
        return hand_value(
            seen.ruleset, concealed if is_tsumo else (*concealed, tile), seen.hand.melds, tile, circumstances
        )


def _board(seen: Observation, waiting: Hand | None) -> _Board:
    """Return the board of an observation; ``waiting`` is the hand of 3n + 1 tiles, None if waits do not matter."""
    if waiting is None:
        return _Board(seen, _Player(seen, frozenset(), 0))
    shanten, waits, draws = readiness(waiting, seen.ruleset.own_copies)
    return _Board(seen, _Player(seen, waits, draws if shanten < 2 else 0))
