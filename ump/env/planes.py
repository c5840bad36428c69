"""Encode what one seat sees as rows of small numbers, the input of a network; ``ump.env.rows`` explains each row.

An ``Observation`` is all that is read, and ``ump.table.view`` decides what that one sees.
"""

from __future__ import annotations

from collections.abc import Sequence

from ump.env.rows import MOST, PLACES, ROWS_OF_PLAYER, SIZE
from ump.model.melds import MeldType
from ump.model.phases import Phase
from ump.model.seats import Seat, seats_from
from ump.model.tiles import COPIES, EAST, FACES, KIND_OF, KINDS, RED_FIVES, Face, dora_of
from ump.players.observation import Observation

_START = {name: place * KINDS for name, place in PLACES.items()}
"""The index of the first number of each row."""

_EVEN = tuple(bytes([number]) * KINDS for number in range(MOST + 1))
"""A row of equal numbers."""

_ONES = bytes([1]) * COPIES

_RED = tuple(face >= KINDS for face in range(FACES))

_HAND = _START["hand_1"]
_HAND_RED = _START["hand_red"]
_DRAWN = _START["drawn"]
_DRAWN_RED = _START["drawn_red"]
_OFFERED = _START["offered"]
_OFFERED_RED = _START["offered_red"]
_PASSED = _START["passed"]
_INDICATORS = _START["indicators"]
_DORA = _START["dora"]
_UNSEEN = _START["unseen"]
_ROUND_WIND = _START["round_wind"]
_SEAT_WIND = _START["seat_wind"]
_KYOKU = _START["kyoku"]

_PLAYER = ROWS_OF_PLAYER * KINDS
"""The distance between equal rows of two players."""
_OPEN = _START["open_0"]
_ANKAN = _START["ankan_0"]
_MELD_RED = _START["meld_red_0"]
_SHOWN = _START["shown_0"]
_RIVER = _START["river_0"]
_FROM_HAND = _START["from_hand_0"]
_RIVER_RED = _START["river_red_0"]
_THOUSANDS = _START["thousands_0"]
_FIRST = _START["first_0"]
_LAST = _START["last_0"]
_RIICHI_TILE = _START["riichi_tile_0"]


def planes(seen: Observation, phase: Phase | None, tile: Face | None) -> bytearray:
    """Return the observation of a seat as ``SIZE`` numbers, row by row.

    ``phase`` and ``tile`` are those of the open question to the seat, None without one. Raises ValueError for the
    observation of a spectator.
    """
    rows = bytearray(SIZE)
    _encode_hand(rows, seen)
    _encode_table(rows, seen, phase)
    _encode_rivers(rows, seen)
    source = None
    if tile is not None and phase in _OFFERING:
        source = seen.source
        rows[_OFFERED + KIND_OF[tile]] = 1
        rows[_OFFERED_RED + KIND_OF[tile]] = _RED[tile]
    for player, seat in enumerate(seats_from(seen.me, seen.ruleset.seats)):
        _encode_melds(rows, seen, player * _PLAYER, seat)
        thousands, hundreds = divmod(max(seen.points[seat], 0) // 100, 10)
        state = (thousands, hundreds, seen.in_riichi[seat], seen.norths[seat], seat == source)
        _fill(rows, _THOUSANDS + player * _PLAYER, state)
    return rows


_OFFERING = (Phase.CALL, Phase.CHANKAN)
"""The phases whose tile belongs to another player."""


def _fill(rows: bytearray, start: int, numbers: Sequence[int]) -> None:
    """Write each number into all places of a row; the rows follow each other from ``start`` on."""
    rows[start : start + len(numbers) * KINDS] = b"".join([_EVEN[min(number, MOST)] for number in numbers])


def _encode_hand(rows: bytearray, seen: Observation) -> None:
    """Encode the own concealed tiles."""
    hand = seen.hand
    for kind, count in enumerate(hand.kinds):
        if count:
            first = _HAND + kind
            rows[first : first + count * KINDS : KINDS] = _ONES[:count]
    for face in RED_FIVES:
        rows[_HAND_RED + KIND_OF[face]] = hand.faces[face]
    if seen.drawer == seen.seat and seen.drawn is not None:
        rows[_DRAWN + KIND_OF[seen.drawn]] = 1
        rows[_DRAWN_RED + KIND_OF[seen.drawn]] = _RED[seen.drawn]
    for kind in seen.passed:
        rows[_PASSED + kind] = 1


def _encode_table(rows: bytearray, seen: Observation, phase: Phase | None) -> None:
    """Encode what concerns the whole table."""
    dora = dora_of(seen.ruleset.seats)
    for face in seen.indicators:
        rows[_INDICATORS + KIND_OF[face]] += 1
        rows[_DORA + dora[face]] += 1
    rows[_UNSEEN : _UNSEEN + KINDS] = bytes(map(seen.unseen, range(KINDS)))
    rows[_ROUND_WIND + EAST + seen.bakaze] = 1
    rows[_SEAT_WIND + EAST + seen.seat_wind] = 1
    asked = [phase is each for each in Phase]
    _fill(rows, _KYOKU, (seen.dealer + 1, seen.honba, seen.kyotaku, seen.left, *asked))


def _encode_rivers(rows: bytearray, seen: Observation) -> None:
    """Encode all discards in their order."""
    me, seats = seen.me, seen.ruleset.seats
    for number, discard in enumerate(seen.discards, 1):
        face = discard.face
        at = (discard.seat - me) % seats * _PLAYER + KIND_OF[face]
        rows[_RIVER + at] += 1
        if not discard.tsumogiri:
            rows[_FROM_HAND + at] += 1
        if _RED[face]:
            rows[_RIVER_RED + at] += 1
        if not rows[_FIRST + at]:
            rows[_FIRST + at] = number
        rows[_LAST + at] = number
        if discard.riichi:
            rows[_RIICHI_TILE + at] = 1


def _encode_melds(rows: bytearray, seen: Observation, at: int, seat: Seat) -> None:
    """Encode the tiles that a player has laid down or shown; ``at`` is the distance of its rows from the own ones."""
    for meld in seen.melds[seat]:
        is_open = meld.type is not MeldType.ANKAN
        for face in meld.faces:
            if _RED[face]:
                rows[_MELD_RED + at + KIND_OF[face]] += 1
            if is_open:
                rows[_OPEN + at + KIND_OF[face]] += 1
        if not is_open:
            rows[_ANKAN + at + meld.kind] = 1
    for face in seen.opened[seat] or ():
        rows[_SHOWN + at + KIND_OF[face]] += 1
