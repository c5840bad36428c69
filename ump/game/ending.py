"""The ends of a kyoku: wins, abortive draws, exhaustive draw, chombo."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ump.game.board import Board
from ump.model.constants import MANGAN
from ump.model.events import DrawReason, Event, HandOpened, HandWon, KyokuDrawn
from ump.model.seats import Seat, seats_from
from ump.model.tiles import KIND_OF, YAOCHU, Face
from ump.model.value import value
from ump.model.yaku import HandValue
from ump.rules.payments import Pao, nagashi_changes, noten_changes, ron_extras, win_changes
from ump.rules.ruleset import MultipleRon, Nagashi, Renchan

NAGASHI_VALUE = HandValue(yaku=(), han=5, fu=30, yakuman=0, base=MANGAN)
"""The value of nagashi mangan if it counts as a win."""


@value
class KyokuResult:
    """The result of a kyoku, from which the next one follows."""

    winners: tuple[Seat, ...]
    """The seats that have won, by nagashi mangan too if it counts as a win."""
    draw: DrawReason | None
    """The reason of a draw, or None. Nagashi mangan is a draw even if it counts as a win."""
    renchan: bool
    """Whether the dealer stays."""
    points: tuple[int, ...]
    """The scores after all payments, by seat."""
    kyotaku: int
    """The number of sticks that stay on the table."""

    @property
    def aborted(self) -> bool:
        """Whether it was an abortive draw or a chombo."""
        return self.draw not in (None, DrawReason.EXHAUSTED, DrawReason.NAGASHI_MANGAN)


def win(
    board: Board, winners: Sequence[Seat], loser: Seat | None, tile: Face, events: list[Event], *, chankan: bool = False
) -> KyokuResult:
    """End the kyoku with a win; ``winners`` from the nearest to the loser on.

    ``loser`` is None on tsumo. Appends what happens to ``events``.
    """
    in_riichi = [board.players[seat].riichi > 0 for seat in winners]
    extras = ron_extras(board.ruleset, board.honba, board.kyotaku, in_riichi)
    for seat, (honba, kyotaku) in zip(winners, extras, strict=True):
        event = _won(board, seat, loser, tile, chankan, honba, kyotaku)
        _pay(board, event.changes)
        events.append(event)
    board.kyotaku = 0
    return _result(board, tuple(winners), None, board.dealer in winners)


def cost_of_discard(board: Board, loser: Seat, tile: Face) -> int:
    """Return the points that a seat would pay if it discarded a tile now, and all who can win on it did so."""
    kind = KIND_OF[tile]
    winners: list[Seat] = []
    for seat in board.others[loser]:
        player = board.players[seat]
        if kind in player.waits and not player.furiten and board.value_of(seat, tile, loser) is not None:
            winners.append(seat)
    if len(winners) > 2 and board.ruleset.multiple_ron is MultipleRon.DOUBLE:
        return 0  # it aborts the kyoku
    if not winners:
        return 0
    if board.ruleset.multiple_ron is MultipleRon.HEAD_BUMP:
        winners = winners[:1]
    in_riichi = [board.players[seat].riichi > 0 for seat in winners]
    extras = ron_extras(board.ruleset, board.honba, board.kyotaku, in_riichi)
    cost = 0
    for seat, (honba, kyotaku) in zip(winners, extras, strict=True):
        cost -= _won(board, seat, loser, tile, False, honba, kyotaku).changes[loser]
    return cost


def _won(board: Board, seat: Seat, loser: Seat | None, tile: Face, chankan: bool, honba: int, kyotaku: int) -> HandWon:
    player = board.players[seat]
    ura = board.ura_indicators() if player.riichi else ()
    worth = board.value_of(seat, tile, loser, chankan=chankan, ura=ura)
    assert worth is not None, "accepted a win without value"
    pao = board.pao(seat, tsumo=loser is None)
    changes = win_changes(
        board.ruleset, worth, winner=seat, loser=loser, dealer=board.dealer, honba=honba, kyotaku=kyotaku, pao=pao
    )
    return HandWon(
        seat,
        loser,
        tile,
        _shown(player.hand.concealed, tile if loser is None else None),
        tuple(player.hand.melds),
        player.riichi > 0,
        ura,
        worth,
        changes,
        _liable(worth, pao),
        player.norths,
    )


def _shown(concealed: tuple[Face, ...], drawn: Face | None) -> tuple[Face, ...]:
    """Return the concealed tiles with the drawn one last."""
    if drawn is None:
        return concealed
    place = concealed.index(drawn)
    return (*concealed[:place], *concealed[place + 1 :], drawn)


def _liable(worth: HandValue, pao: Iterable[Pao]) -> Seat | None:
    """Return the seat that pays by pao for this hand, or None."""
    yaku = {name for name, _ in worth.yaku}
    return next((each.liable for each in pao if each.yaku is None or each.yaku in yaku), None)


def _pay(board: Board, changes: Sequence[int]) -> None:
    for seat, change in enumerate(changes):
        board.points[seat] += change


def _result(board: Board, winners: tuple[Seat, ...], draw: DrawReason | None, renchan: bool) -> KyokuResult:
    return KyokuResult(winners, draw, renchan, tuple(board.points), board.kyotaku)


def abort(board: Board, reason: DrawReason, shown: Iterable[Seat], events: list[Event]) -> KyokuResult:
    """End the kyoku with an abortive draw: hands are shown, nothing is paid, the dealer stays."""
    for seat in shown:
        hand = board.players[seat].hand
        events.append(HandOpened(seat, hand.concealed, tuple(hand.melds)))
    events.append(KyokuDrawn(reason, (0,) * board.seats))
    return _result(board, (), reason, True)


def chombo(board: Board, seat: Seat, events: list[Event]) -> KyokuResult:
    """End the kyoku with a foul: the seat pays the others a reversed mangan tsumo. No hand is shown, the sticks stay.

    The deal passes under every ruleset, as it mostly does if nobody is tenpai at exhaustive draw. Otherwise a dealer
    who only fouls would keep the game from ending.
    """
    changes = tuple(-change for change in nagashi_changes(board.ruleset, (seat,), board.dealer))
    _pay(board, changes)
    events.append(KyokuDrawn(DrawReason.CHOMBO, changes))
    return _result(board, (), DrawReason.CHOMBO, False)


def nagashi_players(board: Board) -> tuple[Seat, ...]:
    """Return the seats with nagashi mangan, the dealer first: only terminals and honours in the river, none called."""
    if board.ruleset.nagashi is Nagashi.NO:
        return ()
    return tuple(
        seat
        for seat in seats_from(board.dealer, board.seats)
        if not board.players[seat].river_called and all(KIND_OF[face] in YAOCHU for face in board.players[seat].river)
    )


def exhaust(board: Board, tenpai: Sequence[Seat], events: list[Event]) -> KyokuResult:
    """End the kyoku with an exhaustive draw; ``tenpai`` are the seats that have declared tenpai."""
    rivers = nagashi_players(board)
    if rivers:
        changes = _nagashi_changes(board, rivers)
        draw = DrawReason.NAGASHI_MANGAN
    else:
        changes = noten_changes(board.ruleset, tenpai)
        draw = DrawReason.EXHAUSTED
    _pay(board, changes)
    events.append(KyokuDrawn(draw, changes))
    if rivers and board.ruleset.nagashi is Nagashi.WIN:
        board.kyotaku = 0
        return _result(board, rivers, draw, board.dealer in rivers)
    return _result(board, (), draw, _stays(board, tenpai))


def _nagashi_changes(board: Board, rivers: Sequence[Seat]) -> tuple[int, ...]:
    """Return the payments of nagashi mangan; if it counts as a win, the first one gets honba and sticks."""
    ruleset = board.ruleset
    if ruleset.nagashi is not Nagashi.WIN:
        return nagashi_changes(ruleset, rivers, board.dealer)
    changes = win_changes(
        ruleset,
        NAGASHI_VALUE,
        winner=rivers[0],
        loser=None,
        dealer=board.dealer,
        honba=board.honba,
        kyotaku=board.kyotaku,
    )
    rest = nagashi_changes(ruleset, rivers[1:], board.dealer)
    return tuple(first + other for first, other in zip(changes, rest, strict=True))


def _stays(board: Board, tenpai: Sequence[Seat]) -> bool:
    """Tell whether the dealer stays on after an exhaustive draw."""
    renchan = board.ruleset.renchan
    return renchan is Renchan.NOTEN or (renchan is Renchan.TENPAI and board.dealer in tenpai)
