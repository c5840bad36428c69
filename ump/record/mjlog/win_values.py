"""What a win is worth, as mjlog says it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ump.model.constants import BAIMAN, HANEMAN, MANGAN, SANBAIMAN, YAKUMAN, YAKUMAN_HAN
from ump.model.seats import Seat
from ump.model.yaku import HandValue, Yaku
from ump.record.kyoku_tracker import payment
from ump.record.mjlog.attributes import SEATS, numbers
from ump.record.recorded_game import RecordError, sorted_yaku
from ump.rules.ruleset import Ruleset
from ump.rules.yaku_table import TENHOU_YAKU

YAKU: dict[int, Yaku] = {**dict(enumerate(TENHOU_YAKU)), TENHOU_YAKU.index(Yaku.RENHOU): Yaku.RENHOU_YAKUMAN}
"""Yaku by the numbers of Tenhou's records, where renhou is always a yakuman."""

LIMITS = (0, MANGAN, HANEMAN, BAIMAN, SANBAIMAN, YAKUMAN)
"""Basic points by limit: none, mangan, haneman, baiman, sanbaiman, yakuman."""

MOST_HAN = 100
"""Han of one yaku beyond this are damage."""

MOST_FU = 1_000


def read_value(fields: Mapping[str, str], winner: Seat, loser: Seat | None, dealer: Seat) -> tuple[HandValue, int]:
    """Read what an AGARI element says of a hand: its value, and what all payers together pay for it.

    The value follows from yaku, fu and limit, the payment stands as it is written: they may contradict each other.
    Raises RecordError for what cannot be read.
    """
    fu, worth, limit = numbers(fields, "ten", 3)[:3]
    if not 0 <= fu <= MOST_FU or not 0 <= limit < len(LIMITS):
        raise RecordError(f"ten holds no fu, points and limit: {fields['ten'][:40]!r}")
    if fields.get("yakuman"):
        named = tuple((_yaku(number), YAKUMAN_HAN) for number in numbers(fields, "yakuman"))
        times = len(named)
        return HandValue(sorted_yaku(named), YAKUMAN_HAN * times, 0, times, YAKUMAN * times), worth
    listed = numbers(fields, "yaku", 2)
    pairs = zip(listed[::2], listed[1::2], strict=False)
    named = tuple((_yaku(number), han) for number, han in pairs if han)
    if not all(0 < han <= MOST_HAN for _, han in named):
        raise RecordError(f"yaku holds impossible han: {fields['yaku'][:40]!r}")
    han = sum(count for _, count in named)
    values = [HandValue(sorted_yaku(named), han, fu, 0, base) for base in _bases(fu, han, limit)]
    fitting = [value for value in values if payment(_FOUR, value, winner, loser, dealer) == worth]
    return (fitting or values)[0], worth


_FOUR = Ruleset(uma=(0,) * SEATS)
"""A table of four; nothing else of the rules matters for what is paid."""


def _yaku(number: int) -> Yaku:
    if number not in YAKU:
        raise RecordError(f"there is no yaku {number}")
    return YAKU[number]


def _bases(fu: int, han: int, limit: int) -> Iterator[int]:
    """Yield the basic points that a hand may have; one that is rounded up to mangan has no limit in the record."""
    yield LIMITS[limit] or fu << (2 + min(han, YAKUMAN_HAN))
    if not limit:
        yield MANGAN
