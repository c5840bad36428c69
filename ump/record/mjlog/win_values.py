"""Read and write the value of a win: yaku, han, fu, limit and points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ump.model.constants import BAIMAN, HANEMAN, MANGAN, SANBAIMAN, YAKUMAN, YAKUMAN_HAN
from ump.model.events import HandWon
from ump.model.seats import Seat
from ump.model.yaku import HandValue, Yaku
from ump.record.kyoku_tracker import payment
from ump.record.mjlog.attributes import numbers
from ump.record.recorded_game import RecordError, sorted_yaku
from ump.rules.ruleset import Ruleset
from ump.rules.yaku_table import TENHOU_YAKU

YAKU: dict[int, Yaku] = {**dict(enumerate(TENHOU_YAKU)), TENHOU_YAKU.index(Yaku.RENHOU): Yaku.RENHOU_YAKUMAN}
"""Yaku by the numbers of Tenhou's records, where renhou is always a yakuman."""

_AS_HAN = {Yaku.RENHOU_YAKUMAN: Yaku.RENHOU}
"""The yaku of a hand that is no yakuman, where its number stands for the yakuman."""

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
        yakuman = [_yaku(number) for number in numbers(fields, "yakuman")]
        times = len(yakuman)
        named = tuple((yaku, YAKUMAN_HAN * yakuman.count(yaku)) for yaku in dict.fromkeys(yakuman))
        return HandValue(sorted_yaku(named), YAKUMAN_HAN * times, 0, times, YAKUMAN * times), worth
    listed = numbers(fields, "yaku", 2)
    pairs = zip(listed[::2], listed[1::2], strict=False)
    named = tuple((_AS_HAN.get(_yaku(number), _yaku(number)), han) for number, han in pairs if han)
    if not all(0 < han <= MOST_HAN for _, han in named):
        raise RecordError(f"yaku: impossible han in {fields['yaku'][:40]!r}")
    han = sum(count for _, count in named)
    values = [HandValue(sorted_yaku(named), han, fu, 0, base) for base in _bases(fu, han, limit)]
    rules = Ruleset(uma=(0,) * seats)  # nothing else in them affects the payment
    fitting = [value for value in values if payment(rules, value, winner, loser, dealer) == worth]
    return (fitting or values)[0], worth


def write_value(won: HandWon, bakaze: int, dealer: Seat) -> dict[str, str]:
    """Return the attributes of a win with its value: ``ten``, and ``yaku`` or ``yakuman``.

    A double yakuman stands there twice. Raises RecordError for a yaku that Tenhou does not know.
    """
    value = won.value
    worth = value.points(len(won.changes), is_dealer=won.seat == dealer, is_tsumo=won.loser is None)
    limit = sum(value.base >= base for base in LIMITS) - 1
    ten = {"ten": f"{value.fu},{worth},{limit}"}
    winds = {Yaku.ROUND_WIND: bakaze, Yaku.SEAT_WIND: (won.seat - dealer) % len(won.changes)}
    pairs = [(_number(yaku) + winds.get(yaku, 0), han) for yaku, han in value.yaku]
    if value.yakuman:
        return ten | {"yakuman": ",".join(str(number) for number, han in pairs for _ in range(han // YAKUMAN_HAN))}
    return ten | {"yaku": ",".join(f"{number},{han}" for number, han in pairs)}


def _number(yaku: Yaku) -> int:
    """Return Tenhou's number of a yaku, of a wind that of the east."""
    known = Yaku.RENHOU if yaku is Yaku.RENHOU_YAKUMAN else yaku
    if known not in TENHOU_YAKU:
        raise RecordError(f"Tenhou has no number for the yaku {yaku.romaji}")
    return TENHOU_YAKU.index(known)


def _yaku(number: int) -> Yaku:
    if number not in YAKU:
        raise RecordError(f"unknown yaku {number}")
    return YAKU[number]


def _bases(fu: int, han: int, limit: int) -> Iterator[int]:
    """Yield the possible base points: a hand that is rounded up to mangan has no limit in the record."""
    yield LIMITS[limit] or fu << (2 + min(han, YAKUMAN_HAN))
    if not limit:
        yield MANGAN
