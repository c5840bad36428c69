"""Payments: wins with honba, riichi sticks and pao, noten penalties, nagashi mangan.

The functions return the change of each seat's points, by seat.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

from ump.model.constants import HONBA_POINTS, MANGAN, STICK_POINTS, YAKUMAN, YAKUMAN_HAN
from ump.model.melds import Meld, MeldType
from ump.model.seats import Seat, others_after
from ump.model.tiles import DRAGONS, WINDS, Kind
from ump.model.value import value
from ump.model.yaku import HandValue, Yaku, up_to_hundreds
from ump.rules.ruleset import PaoCover, PaoHonba, RonExtras, Ruleset


@value
class Pao:
    """A player that is liable for a win that its discard has made possible."""

    liable: Seat
    yaku: Yaku | None
    """The yakuman that the called tile made certain. None: the whole hand, won with the replacement tile of a kan."""


def win_changes(
    ruleset: Ruleset,
    value: HandValue,
    *,
    winner: Seat,
    loser: Seat | None,
    dealer: Seat,
    honba: int,
    kyotaku: int,
    pao: Sequence[Pao] = (),
) -> tuple[int, ...]:
    """Return the changes of points by a win; they add up to the value of the sticks on the table.

    ``loser`` dealt in; None on tsumo. ``honba`` and ``kyotaku`` (a number of sticks) are those that this winner gets.
    A ``pao`` for a yakuman that the hand does not have is ignored. On tsumo a liable player pays all that it is liable
    for, and all honba. On ron it pays half and the discarder the other half, and the ruleset says who pays the honba.
    If several players are liable, the first pays the honba and, if liability covers the whole hand, everything.
    """
    bill = _Bill(ruleset.seats, winner, dealer)
    liable = [each for each in pao if each.yaku is None or each.yaku in dict(value.yaku)]
    parts = _parts(ruleset, value, liable) if liable else [(value.base, None)]
    for base, answers in parts:
        if loser is None:
            bill.tsumo(base, answers)
        else:
            bill.ron(base, loser, answers)
    answers = liable[0].liable if liable else None
    if loser is None:
        bill.tsumo_honba(honba, answers)
    elif answers is None or ruleset.pao_honba is PaoHonba.DISCARDER:
        bill.ron_honba(honba, loser)
    else:
        bill.ron_honba(honba, answers)
    bill.changes[winner] += kyotaku * STICK_POINTS
    return tuple(bill.changes)


def ron_extras(ruleset: Ruleset, honba: int, kyotaku: int, in_riichi: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """Yield the honba and sticks of each winner, from the nearest to the discarder on.

    ``in_riichi`` says of each winner whether one of the ``kyotaku`` sticks is its own of this kyoku.
    """
    is_each = ruleset.ron_extras is RonExtras.EACH
    yield honba, kyotaku - sum(in_riichi[1:]) if is_each else kyotaku
    for has_stick in in_riichi[1:]:
        yield (honba, int(has_stick)) if is_each else (0, 0)


def noten_changes(ruleset: Ruleset, tenpai: Collection[Seat]) -> tuple[int, ...]:
    """Return the changes at exhaustive draw, when the noten players pay those in ``tenpai``."""
    noten = ruleset.seats - len(tenpai)
    if not tenpai or not noten:
        return (0,) * ruleset.seats
    gain, loss = ruleset.noten_penalty // len(tenpai), ruleset.noten_penalty // noten
    return tuple(gain if seat in tenpai else -loss for seat in range(ruleset.seats))


def nagashi_changes(ruleset: Ruleset, players: Collection[Seat], dealer: Seat) -> tuple[int, ...]:
    """Return the changes by nagashi mangan: each of the players is paid as for a mangan tsumo without honba."""
    total = [0] * ruleset.seats
    for player in players:
        bill = _Bill(ruleset.seats, player, dealer)
        bill.tsumo(MANGAN)
        total = [sum(both) for both in zip(total, bill.changes, strict=True)]
    return tuple(total)


def liabilities(ruleset: Ruleset, melds: Sequence[Meld]) -> tuple[Pao, ...]:
    """Return the players that are liable for yakuman that these melds make certain, the earliest first.

    The giver of the tile for the third dragon set, the fourth wind set or (in an open kan) the fourth kan is liable. A
    meld of the owner's tiles only makes nobody liable. An added kan keeps the position of its pon, and the giver
    of the pon counts. Call this right after each meld: only then the last kan is known to be the fourth.
    """
    if len(melds) < len(DRAGONS):  # big three dragons needs the fewest
        return ()
    return tuple(
        Pao(meld.source, yaku)
        for yaku, counts, needed in _certain(ruleset)
        for meld in [each for each in melds if counts(each)][needed - 1 : needed]
        if meld.source is not None and (yaku is not Yaku.SUUKANTSU or meld.type is MeldType.DAIMINKAN)
    )


def _certain(ruleset: Ruleset) -> Iterator[tuple[Yaku, Callable[[Meld], bool], int]]:
    """Yield each yakuman with pao, a test for the melds that count for it, and how many make it certain."""
    if ruleset.pao_daisangen:
        yield Yaku.DAISANGEN, _is_set_of(DRAGONS), len(DRAGONS)
    if ruleset.pao_daisuushii:
        yield Yaku.DAISUUSHII, _is_set_of(WINDS), len(WINDS)
    if ruleset.pao_suukantsu:
        yield Yaku.SUUKANTSU, lambda meld: meld.is_kan, 4


def _is_set_of(kinds: Collection[Kind]) -> Callable[[Meld], bool]:
    """Return a test for melds of one of these honours."""
    return lambda meld: meld.kind in kinds


def _parts(ruleset: Ruleset, value: HandValue, pao: Sequence[Pao]) -> Iterator[tuple[int, Seat | None]]:
    """Yield the base points of a hand in parts, each with the player who is liable for it, or None."""
    whole = [each.liable for each in pao if each.yaku is None or ruleset.pao_cover is PaoCover.WHOLE]
    if whole:
        yield value.base, whole[0]
        return
    rest = value.base
    for each in pao:
        part = sum(han for yaku, han in value.yaku if yaku is each.yaku) // YAKUMAN_HAN * YAKUMAN
        rest -= part
        yield part, each.liable
    if rest:
        yield rest, None


class _Bill:
    """The changes of points by one win, entered part by part."""

    def __init__(self, seats: int, winner: Seat, dealer: Seat) -> None:
        self.changes = [0] * seats
        self._winner = winner
        self._dealer = dealer

    def tsumo(self, base: int, liable: Seat | None = None) -> None:
        """Enter the payments of all others for these base points; a liable player pays them all."""
        single, double = up_to_hundreds(base), up_to_hundreds(2 * base)
        for seat in others_after(self._winner, len(self.changes)):
            share = double if self._dealer in (seat, self._winner) else single
            self._pay(seat if liable is None else liable, share)

    def tsumo_honba(self, honba: int, liable: Seat | None = None) -> None:
        """Enter the honba of all others; a liable player pays them all."""
        if not honba:
            return
        for seat in others_after(self._winner, len(self.changes)):
            self._pay(seat if liable is None else liable, honba * HONBA_POINTS)

    def ron(self, base: int, loser: Seat, liable: Seat | None = None) -> None:
        """Enter the discarder's payment for these base points; a liable player pays half of it."""
        points = up_to_hundreds(base * (6 if self._winner == self._dealer else 4))
        half = 0 if liable is None else points // 2
        self._pay(loser, points - half)
        if liable is not None:
            self._pay(liable, half)

    def ron_honba(self, honba: int, payer: Seat) -> None:
        """Enter the honba of all others as paid by one player."""
        self._pay(payer, honba * HONBA_POINTS * (len(self.changes) - 1))

    def _pay(self, payer: Seat, points: int) -> None:
        """Move points to the winner."""
        self.changes[payer] -= points
        self.changes[self._winner] += points
