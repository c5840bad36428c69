"""Additional arrays beside the rows, for training: each group is a switch of the environments and of ``ump dataset``.

``oracle`` and ``targets`` hold hidden tiles: they are for critics and for learning what others hold, never for a player
to decide by. Players stand in turn order after the seat; with three players what belongs to the last one is 0.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from math import prod

from ump.game.board import Board
from ump.game.ending import cost_of_discard
from ump.model import events as ev
from ump.model.choices import unknown
from ump.model.seats import Seat, others_after
from ump.model.tiles import FACES, KIND_OF, KINDS, NORTH, RED_FIVES, Face
from ump.model.value import value
from ump.players.observation import MOST_EVENTS
from ump.rules.shanten import shanten, shanten_and_ukeire
from ump.table.view import view

OTHERS = 3
"""The other players that arrays have room for."""

NO_HAND = 127
"""The shanten number of no hand: the tile is not held, or none has to be discarded."""

NOTHING = 255
"""Stands for a tile that is hidden, or that an event does not have."""


class EventRows:
    """The events of a kyoku as numbers, as a seat sees them."""

    __slots__ = ("_rows", "_seat", "_seats", "_seen")

    def __init__(self, seat: Seat, seats: int) -> None:
        self._seat = seat
        self._seats = seats
        self._seen = 0
        """The number of events that are in the rows."""
        self._rows = bytearray()

    def follow(self, events: Sequence[ev.Event]) -> None:
        """Add the events of the kyoku so far that are not yet in the rows, without what the seat may not see."""
        for event in events[self._seen :]:
            for numbers in _event_rows(view(event, self._seat), self._seats):
                if numbers[1] != NOTHING:
                    numbers[1] = (numbers[1] - self._seat) % self._seats
                self._rows += bytes(numbers)
        self._seen = len(events)

    def arrays(self) -> tuple[bytes, bytes]:
        """Return the rows, with 0 behind the last one, and their number."""
        size = MOST_EVENTS * len(EVENT_FIELDS)
        kept = self._rows[:size]
        return bytes(kept) + bytes(size - len(kept)), struct.pack("=h", len(kept) // len(EVENT_FIELDS))


@value
class Moment:
    """A position from which a seat's arrays are made."""

    board: Board
    seat: Seat
    events: EventRows
    """The events of the kyoku that the seat has seen; needed by ``events`` alone."""


@value
class ExtraArray:
    """One of the arrays."""

    name: str
    type: str
    """The name of its type in numpy."""
    shape: tuple[int, ...]
    meaning: str

    @property
    def size(self) -> int:
        """The number of bytes."""
        return prod(self.shape) * struct.calcsize(_CODES[self.type])


_CODES = {"int8": "b", "uint8": "B", "int16": "h", "int32": "i"}
"""The code of each type for ``struct``."""

EVENT_FIELDS = ("type", "player", "tile", "own_1", "own_2", "own_3", "detail")
"""The numbers of an event."""

EVENT_TYPES: tuple[type[ev.Event], ...] = (
    ev.KyokuStarted,
    ev.HandDealt,
    ev.DoraRevealed,
    ev.TileDrawn,
    ev.RiichiDeclared,
    ev.TileDiscarded,
    ev.RiichiPaid,
    ev.TileCalled,
    ev.KanDeclared,
    ev.KitaDeclared,
    ev.HandOpened,
    ev.TenpaiDeclared,
)
"""The events of a kyoku before its result, numbered from 1; 0 stands behind the last one."""

ORACLE_ROWS = (
    *(f"{name}_{player}" for player in range(1, OTHERS + 1) for name in ("hand", "hand_red")),
    "wall",
    "wall_red",
    "next_draw",
    "rinshan",
    "ura",
)
"""The rows of ``oracle``."""

EVENTS = "events"
"""The group of which the events have to be kept."""

ARRAYS: dict[str, tuple[ExtraArray, ...]] = {
    "efficiency": (
        ExtraArray(
            "shanten",
            "int8",
            (KINDS + 1,),
            "shanten after the discard of each kind, and at last of the hand as it is; 127 if there is no such hand",
        ),
        ExtraArray("useful", "uint8", (KINDS + 1, KINDS), "1 for the kinds that lower it, if the hand has to draw"),
    ),
    EVENTS: (
        ExtraArray(
            EVENTS,
            "uint8",
            (MOST_EVENTS, len(EVENT_FIELDS)),
            "the events of the kyoku, as the seat sees them: 255 for what is hidden or missing, a row for each tile of"
            " a hand that is dealt or shown. The detail is 1 for replacement draws, tsumogiri, open riichi and tenpai;"
            " of melds it is the distance of the player who gave the tile. At the start the bakaze, honba and riichi"
            " sticks stand in the places of tiles",
        ),
        ExtraArray("events_length", "int16", (), "the number of these events"),
    ),
    "oracle": (
        ExtraArray(
            "oracle",
            "uint8",
            (len(ORACLE_ROWS), KINDS),
            "hidden: others' concealed tiles and red fives, the live wall, when the kind is drawn next, the replacement"
            " tile, ura indicators",
        ),
    ),
    "targets": (
        ExtraArray("tenpai", "uint8", (OTHERS,), "hidden: 1 for other players that are tenpai"),
        ExtraArray("waits", "uint8", (OTHERS, KINDS), "hidden: 1 for the kinds that they wait for"),
        ExtraArray("costs", "int32", (FACES,), "hidden: points that the discard of each held tile would cost by ron"),
    ),
}
"""The arrays of each group."""

GROUPS = tuple(ARRAYS)


def arrays_of(groups: Sequence[str]) -> tuple[ExtraArray, ...]:
    """Return the arrays of some groups. Raises ValueError for an unknown one."""
    found: list[ExtraArray] = []
    for group in groups:
        if group not in ARRAYS:
            raise ValueError(unknown("group of arrays", group, GROUPS))
        found += ARRAYS[group]
    return tuple(found)


def extras_at(groups: Sequence[str], moment: Moment) -> list[bytes]:
    """Return the bytes of the arrays of some groups, in their order."""
    found: list[bytes] = []
    for group in groups:
        if group == "efficiency":
            found += _efficiency(moment)
        elif group == EVENTS:
            found += moment.events.arrays()
        elif group == "oracle":
            found.append(_oracle(moment))
        else:
            found += _targets(moment)
    return found


def _efficiency(moment: Moment) -> tuple[bytes, bytes]:
    kinds = moment.board.players[moment.seat].hand.kinds[:]
    numbers = [NO_HAND] * (KINDS + 1)
    useful = bytearray((KINDS + 1) * KINDS)
    if sum(kinds) % 3 == 1:
        numbers[KINDS] = _useful_at(kinds, useful, KINDS)
    else:
        numbers[KINDS] = shanten(kinds)
        for kind in range(KINDS):
            if kinds[kind]:
                kinds[kind] -= 1
                numbers[kind] = _useful_at(kinds, useful, kind)
                kinds[kind] += 1
    return struct.pack(f"={KINDS + 1}b", *numbers), bytes(useful)


def _useful_at(kinds: list[int], useful: bytearray, row: int) -> int:
    """Write the useful kinds of a hand into a row, and return its shanten number."""
    number, mask = shanten_and_ukeire(kinds)
    for kind in range(KINDS):
        if mask >> kind & 1:
            useful[row * KINDS + kind] = 1
    return number


def _event_rows(event: ev.Event, seats: int) -> list[list[int]]:
    """Return the numbers of an event, with absolute seats; none for those without a type."""
    if type(event) not in EVENT_TYPES:
        return []
    row = [EVENT_TYPES.index(type(event)) + 1, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, 0]
    shown: tuple[Face, ...] | None = None
    match event:
        case ev.KyokuStarted(bakaze=bakaze, dealer=dealer, honba=honba, kyotaku=kyotaku):
            row[1:6] = [dealer, bakaze, min(honba, NOTHING), min(kyotaku, NOTHING), NOTHING]
        case ev.DoraRevealed(indicator=indicator):
            row[2] = indicator
        case ev.TileDrawn(seat=seat, face=face, rinshan=rinshan):
            row[1:3] = [seat, NOTHING if face is None else face]
            row[6] = int(rinshan)
        case ev.TileDiscarded(seat=seat, face=face, tsumogiri=tsumogiri):
            row[1:3] = [seat, face]
            row[6] = int(tsumogiri)
        case ev.TileCalled(seat=seat, meld=meld) | ev.KanDeclared(seat=seat, meld=meld):
            own = (*meld.own, NOTHING)[:3] if meld.added is None else (NOTHING,) * 3
            tile = meld.added if meld.added is not None else meld.called
            row[1:6] = [seat, meld.own[3] if tile is None else tile, *own]
            row[6] = 0 if meld.source is None else (meld.source - seat) % seats
        case ev.KitaDeclared(seat=seat):
            row[1:3] = [seat, NORTH]
        case ev.RiichiDeclared(seat=seat, opened=opened):
            row[1], row[6] = seat, int(opened)
        case ev.RiichiPaid(seat=seat):
            row[1] = seat
        case ev.TenpaiDeclared(seat=seat, tenpai=tenpai, faces=faces):
            row[1], row[6], shown = seat, int(tenpai), faces
        case ev.HandDealt(seat=seat, faces=faces) | ev.HandOpened(seat=seat, faces=faces):
            row[1], shown = seat, faces
        case _:
            pass  # the others have no type
    return [[*row[:2], face, *row[3:]] for face in shown] if shown else [row]


def _oracle(moment: Moment) -> bytes:
    board = moment.board
    rows = {name: bytearray(KINDS) for name in ORACLE_ROWS}
    for player, other in enumerate(others_after(moment.seat, board.seats), 1):
        hand = board.players[other].hand
        rows[f"hand_{player}"] = bytearray(hand.kinds)
        for face in RED_FIVES:
            rows[f"hand_red_{player}"][KIND_OF[face]] = hand.faces[face]
    for number, face in enumerate(board.wall.to_draw(), 1):
        kind = KIND_OF[face]
        rows["wall"][kind] += 1
        rows["wall_red"][kind] += face in RED_FIVES
        if not rows["next_draw"][kind]:
            rows["next_draw"][kind] = number
    rinshan = board.wall.next_rinshan
    if rinshan is not None:
        rows["rinshan"][KIND_OF[rinshan]] = 1
    for face in board.ura_indicators():
        rows["ura"][KIND_OF[face]] += 1
    return b"".join(rows.values())


def _targets(moment: Moment) -> tuple[bytes, bytes, bytes]:
    board, seat = moment.board, moment.seat
    tenpai, waits, costs = bytearray(OTHERS), bytearray(OTHERS * KINDS), [0] * FACES
    awaited: set[int] = set()
    for player, other in enumerate(others_after(seat, board.seats)):
        found = board.players[other].waits
        tenpai[player] = bool(found)
        awaited |= found
        for kind in found:
            waits[player * KINDS + kind] = 1
    hand = board.players[seat].hand
    if sum(hand.kinds) % 3 == 2:
        for face in range(FACES):
            if hand.faces[face] and KIND_OF[face] in awaited:
                costs[face] = cost_of_discard(board, seat, face)
    return bytes(tenpai), bytes(waits), struct.pack(f"={FACES}i", *costs)
