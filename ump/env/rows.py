"""The encoded observation: the rows of numbers that a network sees. The tables of docs/learning.md are made from it.

A row has 34 numbers from 0 to 255, one for each kind of tile (1m to 9m, 1p to 9p, 1s to 9s, then east south west north
white green red). A row about the whole table holds the same number for all kinds. ``ROWS`` says what each one holds.

There are two encoders, and tests compare them. ``TableRows`` follows the events of a table, hidden tiles included, and
has the rows of every seat at any time: for environments, which know everything. ``rows_of`` encodes an ``Observation``:
for policies, which know what one seat has seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from ump.model.constants import STICK_POINTS
from ump.model.events import (
    DoraRevealed,
    Event,
    GameEnded,
    HandDealt,
    HandOpened,
    HandWon,
    KanDeclared,
    KitaDeclared,
    KyokuDrawn,
    KyokuStarted,
    RiichiDeclared,
    RiichiPaid,
    TileCalled,
    TileDiscarded,
    TileDrawn,
)
from ump.model.melds import MeldType
from ump.model.phases import Phase
from ump.model.seats import Seat, others_after, seats_from, wind_of
from ump.model.tiles import COPIES, EAST, FACES, KIND_OF, KINDS, NORTH, RED_FIVES, Face, dora_of, tiles_of
from ump.model.value import value
from ump.players.observation import Observation
from ump.rules.call_question import CallQuestion, ChankanQuestion, TileQuestion
from ump.rules.questions import DeclareQuestion, Question
from ump.rules.ruleset import Ruleset
from ump.rules.turn_question import TurnQuestion

ENCODING = 1
"""The version of the rows and of the action ids. It changes whenever one of them does."""

PLAYERS = 4
"""The players that the rows have room for. In a game of three the rows of the last one are 0."""

MOST = 255
"""The largest number in a row; larger ones are cut."""

MOST_DISCARDS = 86
"""Discards of a kyoku: at most one for each of 70 draws, and one for each of 16 melds."""

MOST_LEFT = 70
"""Tiles in the live wall."""


@value
class Row:
    """One row of the observation."""

    name: str
    most: int
    """The largest number that the row can hold; divide by it to scale the row to 1."""
    is_even: bool
    """Whether all kinds have the same number."""
    meaning: str


def _for_kinds(name: str, most: int, meaning: str) -> Row:
    return Row(name, most, False, meaning)


def _for_table(name: str, most: int, meaning: str) -> Row:
    return Row(name, most, True, meaning)


OWN_ROWS = (
    *(_for_kinds(f"hand_{n}", 1, f"1 if the own concealed tiles hold at least {n} of the kind") for n in range(1, 5)),
    _for_kinds("hand_red", COPIES, "red fives among the own concealed tiles"),
    _for_kinds("drawn", 1, "1 for the tile that was just drawn by the seat"),
    _for_kinds("drawn_red", 1, "1 for that tile if it is a red five"),
    _for_kinds("offered", 1, "1 for the tile of another player that is on offer"),
    _for_kinds("offered_red", 1, "1 for that tile if it is a red five"),
    _for_kinds("passed", 1, "1 for kinds that have passed since the own last draw, or since the own riichi (furiten)"),
)
"""The rows about the seat's own tiles, and about its question."""

TABLE_ROWS = (
    _for_kinds("indicators", COPIES, "dora indicators"),
    _for_kinds("dora", COPIES, "how many indicators make the kind dora"),
    _for_kinds("unseen", COPIES, "tiles that are in no river, meld or indicator, and not in the own hand"),
    _for_kinds("round_wind", 1, "1 for the wind of the round"),
    _for_kinds("seat_wind", 1, "1 for the own wind"),
    _for_table("kyoku", PLAYERS, "number of the kyoku in the round, from 1: the 3 of east 3"),
    _for_table("honba", MOST, "honba"),
    _for_table("kyotaku", MOST, "riichi sticks on the table"),
    _for_table("left", MOST_LEFT, "tiles left in the live wall"),
    *(
        _for_table(f"phase_{phase.value}", 1, f"1 if the seat is asked a question of the phase {phase.value}")
        for phase in Phase
    ),
)
"""The rows of the whole table."""

_WHOSE = ("own", "the next player's", "the opposite player's", "the previous player's")
"""Players by their distance in turn order. With three players the third one is the previous player."""


def _player_rows(player: int) -> Iterator[Row]:
    """Yield the rows about one player."""
    whose = _WHOSE[player]
    kinds = (
        ("open", COPIES, "tiles in {} open melds"),
        ("ankan", 1, "1 for {} closed kans"),
        ("meld_red", COPIES, "red fives in {} melds"),
        ("river", COPIES, "{} discards, those that were called included"),
        ("from_hand", COPIES, "{} discards from the hand, not of the tile just drawn"),
        ("river_red", COPIES, "red fives among {} discards"),
        ("first", MOST_DISCARDS, "number of {} first discard of the kind, among all discards of the kyoku, from 1"),
        ("last", MOST_DISCARDS, "number of {} last discard of the kind"),
        ("riichi_tile", 1, "1 for the discard of {} riichi"),
        ("shown", COPIES, "{} concealed tiles, if the player has shown them (open riichi)"),
    )
    table = (
        ("thousands", MOST, "{} points, in whole thousands; 0 if they are negative"),
        ("hundreds", 9, "the hundreds of {} points; 0 if they are negative"),
        ("riichi", 1, "1 after {} declaration of riichi"),
        ("norths", COPIES, "{} norths set aside"),
        ("offers", 1, "1 if {} tile is on offer"),
    )
    for name, most, meaning in kinds:
        yield _for_kinds(f"{name}_{player}", most, meaning.format(whose))
    for name, most, meaning in table:
        yield _for_table(f"{name}_{player}", most, meaning.format(whose))


PLAYER_ROWS = tuple(row for player in range(PLAYERS) for row in _player_rows(player))
"""The rows of each player, all of which everybody sees, from the seat itself in turn order."""

ROWS: tuple[Row, ...] = (*OWN_ROWS, *TABLE_ROWS, *PLAYER_ROWS)
"""All rows, in order."""

ROWS_OF_PLAYER = len(PLAYER_ROWS) // PLAYERS

PLACES = {row.name: place for place, row in enumerate(ROWS)}
"""The place of each row."""

SHAPE = (len(ROWS), KINDS)
"""The shape of the observation."""

SIZE = len(ROWS) * KINDS
"""The number of bytes of an observation, one for each number."""


# The places of rows

_START = {name: place * KINDS for name, place in PLACES.items()}
"""The index of the first number of each row."""

_EVEN = tuple(bytearray([number]) * KINDS for number in range(MOST + 1))
"""A row of equal numbers. Parts of a bytearray are written three times as quickly from another one as from bytes."""

_ONES = _EVEN[1]
_NONE = _EVEN[0]
_NO_TILE = _NONE * 2
"""The two rows of the drawn tile without one."""

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
_LEFT = _START["left"]
_PHASES = _START["phase_turn"]
_LEFT_ROW = slice(_LEFT - _KYOKU, _PHASES - _KYOKU)
"""The row ``left`` among those of the table."""

_PLAYERS = _START["open_0"]
"""The index of the first number about players; the following are counted from there."""
_PLAYER = ROWS_OF_PLAYER * KINDS
"""The distance between equal rows of two players."""
_OPEN = _START["open_0"] - _PLAYERS
_ANKAN = _START["ankan_0"] - _PLAYERS
_MELD_RED = _START["meld_red_0"] - _PLAYERS
_RIVER = _START["river_0"] - _PLAYERS
_FROM_HAND = _START["from_hand_0"] - _PLAYERS
_RIVER_RED = _START["river_red_0"] - _PLAYERS
_FIRST = _START["first_0"] - _PLAYERS
_LAST = _START["last_0"] - _PLAYERS
_RIICHI_TILE = _START["riichi_tile_0"] - _PLAYERS
_SHOWN = _START["shown_0"] - _PLAYERS
_THOUSANDS = _START["thousands_0"] - _PLAYERS
_RIICHI = _START["riichi_0"] - _PLAYERS
_NORTHS = _START["norths_0"] - _PLAYERS
_OFFERS = _START["offers_0"] - _PLAYERS
_POINTS_ROWS = slice(_THOUSANDS, _THOUSANDS + 2 * KINDS)
_RIICHI_ROW = slice(_RIICHI, _RIICHI + KINDS)
_NORTHS_ROW = slice(_NORTHS, _NORTHS + KINDS)
_SHOWN_ROW = slice(_SHOWN, _SHOWN + KINDS)


# The rows of an observation


def rows_of(seen: Observation, phase: Phase | None, tile: Face | None) -> bytearray:
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
        at = _PLAYERS + player * _PLAYER
        _encode_melds(rows, seen, at, seat)
        thousands, hundreds = divmod(max(seen.points[seat], 0) // 100, 10)
        state = (thousands, hundreds, seen.in_riichi[seat], seen.norths[seat], seat == source)
        _fill(rows, _THOUSANDS + at, state)
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
        at = _PLAYERS + (discard.seat - me) % seats * _PLAYER + KIND_OF[face]
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
    """Encode the tiles that a player has laid down or shown; ``at`` is the index of its first number."""
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


# The rows of a table

_NOTHING = bytearray()

_OWN_PART = 0
_PHASE_PART = 2
"""The places of the own rows and of the phase's among the parts of an observation."""

_OWN = _KYOKU
"""The length of the rows that are different for each seat. The table's, the phase's and the players' follow."""

QUESTIONS: tuple[type[Question], ...] = (TurnQuestion, CallQuestion, ChankanQuestion, DeclareQuestion)
"""The classes of questions, one for each phase. They are quicker to look up than members of an Enum."""

_PHASE_ROWS = {kind: b"".join(_EVEN[kind.phase is phase] for phase in Phase) for kind in QUESTIONS}
"""The rows of the phase for each class of questions."""

_NO_PHASE = bytes(KINDS * len(Phase))
_NO_TABLE = bytes(_PHASES - _KYOKU)
_NO_PLAYER = bytes(_PLAYER)


@cache
def _others(seats: int) -> tuple[tuple[int, ...], ...]:
    """Return the index of the first own number of each other seat, by seat."""
    return tuple(tuple(other * _OWN for other in others_after(seat, seats)) for seat in range(seats))


@cache
def _fresh(seats: int) -> bytes:
    """Return the own rows of all seats before any tile is seen."""
    in_game = {tile // COPIES for tile in tiles_of(seats)}
    unseen = bytes([COPIES if kind in in_game else 0 for kind in range(KINDS)])
    return (bytes(_UNSEEN) + unseen + bytes(_OWN - _UNSEEN - KINDS)) * seats


def _slices(first: int, count: int) -> tuple[slice, ...]:
    """Return the places of so many own numbers, from this one on, by seat."""
    return tuple(slice(first + start, first + start + count) for start in range(0, PLAYERS * _OWN, _OWN))


_OWN_ROWS = _slices(0, _OWN)
_DRAWN_ROWS = _slices(_DRAWN, 2 * KINDS)
_PASSED_ROW = _slices(_PASSED, KINDS)


def show_offer(rows: bytearray | memoryview, question: TileQuestion) -> None:
    """Write the tile of a question into the rows of the asked seat."""
    face = question.tile
    assert face is not None
    rows[_OFFERED + question.kind] = 1
    rows[_OFFERED_RED + question.kind] = _RED[face]
    offers = _PLAYERS + _OFFERS + (question.source - question.seat) % question.board.seats * _PLAYER
    rows[offers : offers + KINDS] = _ONES


class TableRows:
    """The rows of all seats at one table. ``see`` takes the events of the game, hidden tiles included, in order.

    What everybody sees is stored once, and each seat has it in the order in which it sees the players. Each event
    changes a few numbers, so that an observation costs no more than its copy. There are few objects, and each kyoku
    takes over those of the last one: tables that are played in turns push each other out of the processor's cache.
    """

    __slots__ = (
        "_discards",
        "_dora",
        "_faces",
        "_in_riichi",
        "_kinds",
        "_kyotaku",
        "_opened",
        "_others",
        "_own",
        "_pending",
        "_pending_of",
        "_players",
        "_points",
        "_seats",
        "_seen",
        "_table",
    )

    def __init__(self, ruleset: Ruleset) -> None:
        self._seats = seats = ruleset.seats
        self._others = _others(seats)
        self._dora = dora_of(seats)
        self._own = bytearray(seats * _OWN)
        self._table = bytearray(_NO_TABLE)
        self._players = [bytearray(_NO_PLAYER) for _ in range(PLAYERS)]
        self._seen = [self._parts(seat) for seat in range(seats)]
        """All rows in the order in which a seat sees them; its own and the phase's are put in when asked for."""
        self._clear()

    def clone(self) -> TableRows:
        """Return an independent copy."""
        twin = TableRows.__new__(TableRows)
        twin._seats, twin._others, twin._dora = self._seats, self._others, self._dora
        twin._own, twin._table = self._own[:], self._table[:]
        twin._players = [player[:] for player in self._players]
        twin._seen = [twin._parts(seat) for seat in range(self._seats)]
        twin._faces, twin._kinds, twin._points = self._faces[:], self._kinds[:], self._points[:]
        twin._kyotaku, twin._discards = self._kyotaku, self._discards
        twin._in_riichi, twin._opened = self._in_riichi[:], self._opened[:]
        twin._pending, twin._pending_of = self._pending, self._pending_of
        return twin

    def _parts(self, seat: Seat) -> list[bytes | bytearray]:
        in_turn = [self._players[player] for player in seats_from(seat, self._seats)]
        return [_NOTHING, self._table, _NO_PHASE, *in_turn, *self._players[self._seats :]]

    def _clear(self) -> None:
        """Forget the previous kyoku."""
        seats = self._seats
        self._own[:] = _fresh(seats)
        self._table[:] = _NO_TABLE
        for player in self._players:
            player[:] = _NO_PLAYER
        self._faces = bytearray(seats * FACES)
        """The number of concealed tiles of each face, seat by seat."""
        self._kinds = bytearray(seats * KINDS)
        """The number of concealed tiles of each kind, seat by seat."""
        self._points = [0] * seats
        self._kyotaku = 0
        self._discards = 0
        self._in_riichi = [False] * seats
        self._opened: list[tuple[Face, ...] | None] = [None] * seats
        self._pending = -1
        """The kind of the last tile that others could win on, -1 if it has passed; see ``Observation``."""
        self._pending_of: Seat = 0
        """The seat whose tile it was."""

    @property
    def blocks(self) -> tuple[bytearray, ...]:
        """A row of 0, a row of 1, and the rows of all seats, in which ``rows_in_blocks`` finds those of one seat.

        Events change these same bytearrays.
        """
        return (_NONE, _ONES, self._own, self._table, *self._players)

    def faces(self, seat: Seat) -> bytearray:
        """Return the number of concealed tiles of each face in a seat's hand."""
        return self._faces[seat * FACES : seat * FACES + FACES]

    def of(self, seat: Seat, question: Question | None = None) -> bytearray:
        """Return the rows of a seat; ``question`` is the open one to it."""
        parts = self._seen[seat]
        parts[_OWN_PART] = self._own[_OWN_ROWS[seat]]
        parts[_PHASE_PART] = _NO_PHASE if question is None else _PHASE_ROWS[type(question)]
        rows = _NOTHING.join(parts)
        if type(question) is not TurnQuestion and isinstance(question, TileQuestion):  # slow: questions are abstract
            show_offer(rows, question)
        return rows

    def see(self, events: Sequence[Event]) -> None:
        """Update the rows with events. Raises ValueError if a seat gives away a tile that it does not hold."""
        for event in events:
            if isinstance(event, TileDrawn):
                self._draw(event)
            elif isinstance(event, TileDiscarded):
                self._discard(event)
            else:
                self._see(event)

    def _draw(self, event: TileDrawn) -> None:
        face, seat = event.face, event.seat
        assert face is not None
        if self._pending >= 0:
            self._pass()
        self._table[_LEFT_ROW] = _EVEN[event.left]
        own, kind = self._own, KIND_OF[face]
        at = seat * _OWN + kind
        own[_DRAWN + at] = 1
        own[_UNSEEN + at] -= 1
        held = seat * KINDS + kind  # the same as _add, without a call
        count = self._kinds[held]
        own[_HAND + count * KINDS + at] = 1
        self._kinds[held] = count + 1
        self._faces[seat * FACES + face] += 1
        if face >= KINDS:
            own[_DRAWN_RED + at] = 1
            own[_HAND_RED + at] += 1
        if not self._in_riichi[seat]:
            own[_PASSED_ROW[seat]] = _NONE

    def _discard(self, event: TileDiscarded) -> None:
        face, seat = event.face, event.seat
        own, player, kind = self._own, self._players[seat], KIND_OF[face]
        at, held = seat * _OWN + kind, seat * KINDS + kind  # the same as _remove, without a call
        self._faces[seat * FACES + face] -= 1
        self._kinds[held] = count = self._kinds[held] - 1
        own[_HAND + count * KINDS + at] = 0
        own[_DRAWN_ROWS[seat]] = _NO_TILE
        if not (event.tsumogiri or self._in_riichi[seat]):
            own[_PASSED_ROW[seat]] = _NONE
        self._discards = number = self._discards + 1
        player[_RIVER + kind] += 1
        if not event.tsumogiri:
            player[_FROM_HAND + kind] += 1
        if face >= KINDS:
            player[_RIVER_RED + kind] += 1
            own[_HAND_RED + at] -= 1
        if not player[_FIRST + kind]:
            player[_FIRST + kind] = number
        player[_LAST + kind] = number
        if event.riichi:
            player[_RIICHI_TILE + kind] = 1
        self._pending, self._pending_of = kind, seat
        unseen = _UNSEEN + kind
        for other in self._others[seat]:
            own[unseen + other] -= 1

    def _see(self, event: Event) -> None:
        """Update the rows with an event that is neither a draw nor a discard."""
        match event:
            case KyokuStarted():
                self._start(event)
            case HandDealt(seat=seat, faces=faces) if faces is not None:
                for face in faces:
                    self._add(seat, face)
                    self._own[seat * _OWN + _UNSEEN + KIND_OF[face]] -= 1
            case TileCalled() | KanDeclared():
                self._call(event)
            case KitaDeclared(seat=seat):
                self._lay_down(seat, (NORTH,))
                self._pending, self._pending_of = NORTH, seat
                player = self._players[seat]
                player[_NORTHS_ROW] = _EVEN[player[_NORTHS] + 1]
            case RiichiDeclared(seat=seat):
                self._in_riichi[seat] = True
                self._players[seat][_RIICHI_ROW] = _ONES
            case DoraRevealed(indicator=indicator):
                own = self._own
                for start in range(0, len(own), _OWN):
                    own[start + _INDICATORS + KIND_OF[indicator]] += 1
                    own[start + _DORA + self._dora[indicator]] += 1
                    own[start + _UNSEEN + KIND_OF[indicator]] -= 1
            case HandOpened():
                self._open(event)
            case RiichiPaid() | HandWon() | KyokuDrawn() | GameEnded():
                self._pay(event)
            case _:
                pass  # the others change nothing here

    def _start(self, event: KyokuStarted) -> None:
        self._clear()
        self._points, self._kyotaku = list(event.points), event.kyotaku
        self._table[: 2 * KINDS] = _EVEN[event.dealer + 1] + _EVEN[min(event.honba, MOST)]
        for seat in range(self._seats):
            self._own[seat * _OWN + _ROUND_WIND + EAST + event.bakaze] = 1
            self._own[seat * _OWN + _SEAT_WIND + EAST + wind_of(seat, event.dealer, self._seats)] = 1
        self._show_points()

    def _call(self, event: TileCalled | KanDeclared) -> None:
        """Lay down the tiles of a meld; the called tile is visible already."""
        seat, meld = event.seat, event.meld
        laid = meld.own if meld.added is None else (meld.added,)
        self._lay_down(seat, laid)
        if isinstance(event, TileCalled):
            self._pass()
            assert meld.called is not None
            laid = (*laid, meld.called)
        elif meld.added is not None:
            self._pending, self._pending_of = meld.kind, seat
        player = self._players[seat]
        if meld.type is MeldType.ANKAN:
            player[_ANKAN + meld.kind] = 1
        for face in laid:
            if meld.type is not MeldType.ANKAN:
                player[_OPEN + KIND_OF[face]] += 1
            if face >= KINDS:
                player[_MELD_RED + KIND_OF[face]] += 1

    def _lay_down(self, seat: Seat, faces: tuple[Face, ...]) -> None:
        """Move tiles from a hand to where everybody sees them."""
        self._own[_DRAWN_ROWS[seat]] = _NO_TILE
        for face in faces:
            self._remove(seat, face)
        # of a hand that is shown, only the drawn tile is new
        self._show(seat, faces if self._opened[seat] is None else faces[:1])

    def _open(self, event: HandOpened) -> None:
        seat, before = event.seat, self._opened[event.seat]
        if before is None:
            self._show(seat, event.faces)
        self._opened[seat] = event.faces
        player = self._players[seat]
        player[_SHOWN_ROW] = _NONE
        for face in event.faces:
            player[_SHOWN + KIND_OF[face]] += 1

    def _pay(self, event: RiichiPaid | HandWon | KyokuDrawn | GameEnded) -> None:
        if isinstance(event, RiichiPaid):
            self._points[event.seat] -= STICK_POINTS
            self._kyotaku += 1
        elif isinstance(event, GameEnded):
            self._points = list(event.points)
        elif event.changes:  # a record may not state them
            self._points = [points + change for points, change in zip(self._points, event.changes, strict=True)]
            self._kyotaku -= sum(event.changes) // STICK_POINTS  # points that nobody loses come from the sticks
        self._show_points()

    def _show_points(self) -> None:
        """Write the rows of the points, and of the riichi sticks."""
        for player, points in zip(self._players, self._points, strict=False):
            thousands, hundreds = divmod(max(points, 0) // 100, 10)
            player[_POINTS_ROWS] = _EVEN[min(thousands, MOST)] + _EVEN[hundreds]
        self._table[2 * KINDS : 3 * KINDS] = _EVEN[min(self._kyotaku, MOST)]

    def _pass(self) -> None:
        """Note that the last tile has passed all others."""
        if self._pending >= 0:
            passed = _PASSED + self._pending
            for other in self._others[self._pending_of]:
                self._own[passed + other] = 1
            self._pending = -1

    def _add(self, seat: Seat, face: Face) -> None:
        """Add a tile to a hand."""
        own, kind = self._own, KIND_OF[face]
        at, held = seat * _OWN + kind, seat * KINDS + kind
        count = self._kinds[held]
        own[_HAND + count * KINDS + at] = 1
        self._kinds[held] = count + 1
        self._faces[seat * FACES + face] += 1
        if face >= KINDS:
            own[_HAND_RED + at] += 1

    def _remove(self, seat: Seat, face: Face) -> None:
        """Remove a tile from a hand."""
        own, kind = self._own, KIND_OF[face]
        at, held = seat * _OWN + kind, seat * KINDS + kind
        self._faces[seat * FACES + face] -= 1  # ValueError if it is not held
        self._kinds[held] = count = self._kinds[held] - 1
        own[_HAND + count * KINDS + at] = 0
        if face >= KINDS:
            own[_HAND_RED + at] -= 1

    def _show(self, seat: Seat, faces: tuple[Face, ...]) -> None:
        """Let the other seats see tiles for the first time."""
        for other in self._others[seat]:
            for face in faces:
                self._own[other + _UNSEEN + KIND_OF[face]] -= 1


# The rows of many tables at once


def rows_in_blocks(seat: Seat, seats: int, kind: type[Question]) -> list[int]:
    """Return the number of each row of an observation among those of ``TableRows.blocks``.

    ``kind`` is the class of the seat's question. ``show_offer`` writes the tile in question.
    """
    asked = [1 if kind.phase is phase else 0 for phase in Phase]  # the row of 1, or that of 0
    length = _OWN // KINDS
    own, table = 2 + seat * length, 2 + seats * length
    first = table + (_PHASES - _KYOKU) // KINDS
    players = [first + player * ROWS_OF_PLAYER for player in (*seats_from(seat, seats), *range(seats, PLAYERS))]
    of_players = [row for player in players for row in range(player, player + ROWS_OF_PLAYER)]
    return [*range(own, own + length), *range(table, first), *asked, *of_players]
