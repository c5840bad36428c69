"""Read the value of a win: yaku, han, fu, limit and points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ump.model.constants import BAIMAN, HANEMAN, MANGAN, SANBAIMAN, YAKUMAN, YAKUMAN_HAN
from ump.model.seats import Seat
from ump.model.yaku import HandValue, Yaku
from ump.record.kyoku_tracker import payment
from ump.record.mjlog.attributes import numbers
from ump.record.recorded_game import RecordError, sorted_yaku
from ump.rules.ruleset import Ruleset
from ump.rules.yaku_table import TENHOU_YAKU

YAKU: dict[int, Yaku] = {**dict(enumerate(TENHOU_YAKU)), TENHOU_YAKU.index(Yaku.RENHOU): Yaku.RENHOU_YAKUMAN}
"""Yaku by the numbers of Tenhou's records, where renhou is always a yakuman."""

LIMITS = (0, MANGAN, HANEMAN, BAIMAN, SANBAIMAN, YAKUMAN)
"""Base points by the number of the limit: none, mangan, haneman, baiman, sanbaiman, yakuman."""

MOST_HAN = 100
"""Limit of the han of one yaku; more means a damaged record."""

MOST_FU = 1_000
"""Limit of fu; more means a damaged record."""


def read_value(
    fields: Mapping[str, str], winner: Seat, loser: Seat | None, dealer: Seat, seats: int
) -> tuple[HandValue, int]:
    """Return the value of the hand in an AGARI element, and the points that all payers pay together.

    The value follows from yaku, fu and limit, the payment is the number in the record: they may contradict each other.
    Raise RecordError if an attribute is missing, malformed or out of range.
    """
    fu, worth, limit = numbers(fields, "ten", 3)[:3]
    if not 0 <= fu <= MOST_FU or not 0 <= limit < len(LIMITS):
        raise RecordError(f"ten: expected fu, points and limit, got {fields['ten'][:40]!r}")
    if fields.get("yakuman"):
        named = tuple((_yaku(number), YAKUMAN_HAN) for number in numbers(fields, "yakuman"))
        times = len(named)
        return HandValue(sorted_yaku(named), YAKUMAN_HAN * times, 0, times, YAKUMAN * times), worth
    listed = numbers(fields, "yaku", 2)
    pairs = zip(listed[::2], listed[1::2], strict=False)
    named = tuple((_yaku(number), han) for number, han in pairs if han)
    if not all(0 < han <= MOST_HAN for _, han in named):
        raise RecordError(f"yaku: impossible han in {fields['yaku'][:40]!r}")
    han = sum(count for _, count in named)
    values = [HandValue(sorted_yaku(named), han, fu, 0, base) for base in _bases(fu, han, limit)]
    rules = Ruleset(uma=(0,) * seats)  # nothing else in them affects the payment
    fitting = [value for value in values if payment(rules, value, winner, loser, dealer) == worth]
    return (fitting or values)[0], worth


def _yaku(number: int) -> Yaku:
    if number not in YAKU:
        raise RecordError(f"unknown yaku {number}")
    return YAKU[number]


def _bases(fu: int, han: int, limit: int) -> Iterator[int]:
    """Yield the possible base points: a hand that is rounded up to mangan has no limit in the record."""
    yield LIMITS[limit] or fu << (2 + min(han, YAKUMAN_HAN))
    if not limit:
        yield MANGAN
