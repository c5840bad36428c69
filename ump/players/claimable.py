"""The legal actions of a seat on a server that does not list them, worked out from what the seat has seen.

The rules are those of the game's own questions (``ump.rules.questions``). One case is not covered: the game refuses
calls of a discard that aborts the kyoku (four winds, four riichi, four kans).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from ump.model.actions import Action, Chi, Discard, Kakan, Pon, Riichi
from ump.model.constants import DEALT_TILES, FULL_HAND
from ump.model.events import DrawReason
from ump.model.hand import Hand
from ump.model.melds import MeldType
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.tiles import COPIES, Face, Kind
from ump.model.value import value
from ump.model.yaku import HandValue
from ump.players.observation import Observation
from ump.rules.analysis import waits_and_tenpai_draws
from ump.rules.call_question import CallQuestion, ChankanQuestion, Robbed
from ump.rules.calls import kuikae_after
from ump.rules.questions import DeclareQuestion, Question
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
    as ``claimable`` does, also if the seat does not have the tiles of a player who is asked, or those of an offer.
    """
    if offers == ():
        return offers
    _check_hand(seen.hand, phase, offers or ())
    if offers is None:
        return claimable(seen, phase, tile)
    if tile is None or Discard(tile, tsumogiri=True) not in offers:
        return offers
    has_equal = seen.hand.faces[tile] > 1 and not seen.in_riichi[seen.me]
    return (Discard(tile), *offers) if has_equal else offers


def _check_hand(hand: Hand, phase: Phase, offers: tuple[Action, ...]) -> None:
    """Raise ValueError for a hand that no player has at a question, or without a tile that the offers discard.

    Only a server at fault leads to one. No policy has to expect it.
    """
    held = sum(hand.kinds) + 3 * len(hand.melds)
    needed = FULL_HAND if phase is Phase.TURN else DEALT_TILES
    if held != needed or max(hand.kinds) > COPIES:
        raise ValueError(f"a question of phase {phase.name} to a hand of {held} tiles")
    for offer in offers:
        if any(hand.faces[face] < count for face, count in Counter(_given_up(offer)).items()):
            raise ValueError("an offer of an action with tiles that are not held")


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


@value
class _Player:
    """The player facts of the seat itself (``ump.rules.facts.PlayerFacts``)."""

    hand: Hand
    waits: frozenset[Kind]
    tenpai_draws: int
    riichi: int
    furiten: bool


class _Board:
    """The board facts that one seat knows (``ump.rules.facts.BoardFacts``)."""

    def __init__(self, seen: Observation, player: _Player) -> None:
        self._seen = seen
        self.ruleset = seen.ruleset
        self.seats = seen.ruleset.seats
        self.has_chi = seen.ruleset.chi
        self.players: Mapping[Seat, _Player] = {seen.me: player}
        self.points: Sequence[int] = seen.points
        self.left = seen.left
        self.abort_due: DrawReason | None = None

    @property
    def kans(self) -> list[Seat]:
        """The seat that made each kan."""
        return self._seen.kans

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
            riichi=self.players[seat].riichi,
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
    waits, tenpai_draws = (
        (frozenset[Kind](), 0) if waiting is None else waits_and_tenpai_draws(waiting, seen.ruleset.own_copies)
    )
    riichi = 1 if seen.in_riichi[seen.me] else 0
    return _Board(seen, _Player(seen.hand, waits, tenpai_draws, riichi, seen.is_furiten(waits)))
