"""The end of a game: left-over sticks, final places, and results with uma and oka.

A result is (final score - return points) in thousands, plus the uma of the place. The first place also gets the oka,
seats * (return points - start points). Results are integers in tenths of a thousand points: +45.3 is 453.

* With equal scores the player nearer to the first dealer is ahead, or (``EqualScores.SHARE``) the players share their
  places: each gets an equal part of the uma and oka of these places, and at the first place an equal part of the
  left-over sticks. A remainder goes to those nearer to the first dealer (M.LEAGUE's rules, chapter 6, article 2):
  tenths of a thousand one by one (16.7, 16.7, 16.6), the hundreds of the sticks all to the nearest player (2,000
  points: 800, 600, 600).
* ``floating_uma`` has another uma for each number of players who have the return points, but for none and all.
* Chips, if there are any, are worth a number of points each and change the result, not the place.
* ``Rounding.WHOLE`` is Tenhou's way: the scores of all but the first are rounded to whole thousands, halves away from
  zero (22,500 is 23, -3,500 is -4), and the first gets minus their sum.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ump.model.constants import STICK_POINTS
from ump.model.events import HandWon
from ump.model.seats import Seat, others_after
from ump.model.yaku import Yaku
from ump.rules.ruleset import EqualScores, LeftSticks, Rounding, Ruleset


def final_points(ruleset: Ruleset, points: Sequence[int], kyotaku: int) -> tuple[int, ...]:
    """Return the final scores by seat: ``points`` and the ``kyotaku`` sticks that are left on the table."""
    final = list(points)
    if ruleset.left_sticks is LeftSticks.FIRST:
        first = _standing(ruleset, points)[0]
        each, rest = divmod(STICK_POINTS // 100 * kyotaku, len(first))
        for seat in first:
            final[seat] += 100 * each
        final[first[0]] += 100 * rest
    return tuple(final)


YAKUMAN_CHIPS = 5
"""Chips that each payer gives for a yakuman."""

_CHIP_YAKU = frozenset((Yaku.IPPATSU, Yaku.URA_DORA, Yaku.RED_DORA))
"""The yaku whose every han is a chip."""


def chips_of(ruleset: Ruleset, wins: Iterable[HandWon]) -> tuple[int, ...]:
    """Return the chips of each seat by these wins: the discarder pays them on ron, each other player on tsumo."""
    chips = [0] * ruleset.seats
    for won in wins if ruleset.chips else ():
        each = sum(han for yaku, han in won.value.yaku if yaku in _CHIP_YAKU) + YAKUMAN_CHIPS * won.value.yakuman
        for payer in others_after(won.seat, ruleset.seats) if won.loser is None else (won.loser,):
            chips[payer] -= each
            chips[won.seat] += each
    return tuple(chips)


def placement(
    ruleset: Ruleset, points: Sequence[int], kyotaku: int = 0, chips: Sequence[int] = ()
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the place of each seat (1 the best) and its result in tenths of a thousand points.

    ``points`` are the scores without the ``kyotaku`` sticks that are left on the table. (Scores that already include
    them work as well, unless three players share the first place: a remainder would make them unequal.) ``chips`` are
    those of each seat, which count in the results alone.
    """
    standing = _standing(ruleset, points)
    final = final_points(ruleset, points, kyotaku)
    above = [_above(ruleset, score) for score in final]
    if ruleset.rounding is Rounding.WHOLE:
        _settle(above, standing[0])
    prizes = [10 * uma for uma in _uma(ruleset, final)]
    if ruleset.rounding is Rounding.TENTHS:
        prizes[0] += ruleset.seats * (ruleset.return_points - ruleset.start_points) // 100
    places = [0] * len(points)
    results = [0] * len(points)
    taken = 0
    for group in standing:
        shares = _share(sum(prizes[taken : taken + len(group)]), len(group))
        for seat, share in zip(group, shares, strict=True):
            places[seat] = taken + 1
            results[seat] = above[seat] + share + (chips[seat] * ruleset.chips // 100 if chips else 0)
        taken += len(group)
    return tuple(places), tuple(results)


def _standing(ruleset: Ruleset, points: Sequence[int]) -> list[list[Seat]]:
    """Return the seats from the best to the last, grouped by shared place; of equal seats the lower one comes first."""
    standing: list[list[Seat]] = []
    for seat in sorted(range(len(points)), key=lambda seat: -points[seat]):
        if ruleset.equal_scores is EqualScores.SHARE and standing and points[standing[-1][0]] == points[seat]:
            standing[-1].append(seat)
        else:
            standing.append([seat])
    return standing


def _uma(ruleset: Ruleset, final: Sequence[int]) -> tuple[int, ...]:
    """Return the uma, which may depend on how many final scores are at the return points or above."""
    floating = sum(score >= ruleset.return_points for score in final)
    return ruleset.floating_uma[floating - 1] if 0 < floating <= len(ruleset.floating_uma) else ruleset.uma


def _above(ruleset: Ruleset, score: int) -> int:
    """Return a score minus the return points, in tenths of a thousand, rounded if the ruleset says so."""
    if ruleset.rounding is Rounding.WHOLE:
        score = (abs(score) + 500) // 1000 * (1000 if score > 0 else -1000)
    return (score - ruleset.return_points) // 100


def _settle(above: list[int], first: list[Seat]) -> None:
    """Give the first place what makes the sum zero: the oka and the differences by rounding."""
    rest = -sum(tenths for seat, tenths in enumerate(above) if seat not in first)
    for seat, share in zip(first, _share(rest, len(first)), strict=True):
        above[seat] = share


def _share(total: int, heads: int) -> list[int]:
    """Divide a number into integers that differ by at most 1, the larger ones first."""
    each, rest = divmod(total, heads)
    return [each + 1] * rest + [each] * (heads - rest)
