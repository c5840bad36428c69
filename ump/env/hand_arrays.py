"""Many hands at once, as numpy arrays: shanten, useful tiles, and values of wins.

``counts`` are the concealed tiles: integers of shape (N, 34), or (N, 37) where the last three are the red fives of m, p
and s, which the first 34 do not count. A hand has 3n + 1 tiles between turns, 3n + 2 after a draw; melds mean three
fewer each. Needs numpy. All errors are HandErrors of one line, which name the first wrong row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from types import SimpleNamespace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ump.model.constants import FULL_HAND, HONBA_POINTS, MANGAN, MAX_MELDS, YAKUMAN, YAKUMAN_HAN
from ump.model.hand import HandError
from ump.model.notation import MPSZ_FACES
from ump.model.tiles import COPIES, EAST, FACES, FIVES, KIND_OF, KINDS, NORTH, dora_of, kinds_of
from ump.model.yaku import Yaku
from ump.rules import forms
from ump.rules.forms import KANCHAN, OPEN_WAIT, PAIR_WAIT, Form
from ump.rules.options import read_ruleset
from ump.rules.ruleset import Renhou, Ruleset
from ump.rules.score import RUN_WAITS, base_points, double_yakuman
from ump.rules.shanten import shantens, ukeire_masks

Ints: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = Any
"""An array of truth values: the types of numpy confuse one with a truth value."""

CHI = 0
PON = KINDS
OPEN_KAN = 2 * KINDS
CLOSED_KAN = 3 * KINDS
"""Added to the lowest kind of a meld: ``PON + 27`` is a pon of east."""
NO_MELD = -1

_CHUNK = 1 << 14
"""Hands that are valued together, so that the arrays of a step stay in the cache of a processor."""

_FACE_KINDS = np.array(KIND_OF)
_BITS = 1 << np.arange(KINDS, dtype=np.int64)


@dataclass(frozen=True)
class ValuedWins:
    """The values of N wins: arrays of integers of shape (N,), and the yaku."""

    han: Ints
    fu: Ints
    """Rounded; 0 for a yakuman and for a win without a yaku, of which all is 0."""
    yakuman: Ints
    base: Ints
    points: Ints
    """The payments of all together, with honba and without sticks."""
    yaku: NDArray[np.int8]
    """The han of each yaku, of shape (N, number of yaku), in the order of ``Yaku``."""


def shanten(counts: ArrayLike, *, seats: int = 4) -> NDArray[np.int8]:
    """Return the shanten number of each hand, of shape (N,): 0 tenpai, -1 complete."""
    kinds = _concealed(counts, seats)[0]
    return np.array(shantens(kinds.tobytes(), seats), dtype=np.int8)


def useful_tiles(counts: ArrayLike, *, seats: int = 4) -> Flags:
    """Return the kinds that lower the shanten number of each hand of 3n + 1 tiles, a mask of shape (N, 34).

    Those of a tenpai hand are its waits. A kind of which the hand holds all four is never useful.
    """
    kinds = _concealed(counts, seats)[0]
    sizes = kinds.sum(axis=1)
    _refuse(sizes % 3 == 2, lambda row: f"{sizes[row]} tiles: a hand with a tile to discard has no useful tiles")
    masks = np.array(ukeire_masks(kinds.tobytes(), seats), dtype=np.int64)
    return masks[:, np.newaxis] & _BITS != 0


def values(
    counts: ArrayLike,
    tile: ArrayLike,
    *,
    tsumo: ArrayLike,
    melds: ArrayLike = (),
    red_melds: ArrayLike = 0,
    rules: Ruleset | str = "ump",
    seat_wind: ArrayLike = 1,
    round_wind: ArrayLike = 0,
    dora: ArrayLike = (),
    ura: ArrayLike = (),
    riichi: ArrayLike = 0,
    honba: ArrayLike = 0,
    **luck: ArrayLike,
) -> ValuedWins:
    """Return the values of winning hands.

    ``counts`` include the winning ``tile``, a face (0 to 36). ``melds`` are of shape (N, 0 to 4): ``CHI``, ``PON``,
    ``OPEN_KAN`` or ``CLOSED_KAN`` plus the lowest kind, ``NO_MELD`` for none; ``red_melds`` is the number of red fives
    in them. ``dora`` and ``ura`` are the indicators, faces of shape (N, n) or (n,), -1 for none. Winds are 0 east to 3
    north, ``riichi`` is 2 for a double one. The other circumstances are those of ``ump.value``: ``open_riichi``,
    ``ippatsu``, ``rinshan``, ``chankan``, ``haitei``, ``houtei``, ``first_turn``, ``loser_in_riichi`` and ``kita``.
    Each is of shape (N,), or one value for all hands. An incomplete hand is an error; one without a yaku has 0 points.
    """
    ruleset = read_ruleset(rules) if isinstance(rules, str) else rules
    kinds, reds = _concealed(counts, ruleset.seats)
    size = len(kinds)
    winds = ruleset.seats - 1
    columns = {
        "tile": _column("tile", tile, size, 0, FACES - 1),
        "red_melds": _column("red_melds", red_melds, size, 0, sum(ruleset.red_fives)),
        "seat_wind": _column("seat_wind", seat_wind, size, 0, winds),
        "round_wind": _column("round_wind", round_wind, size, 0, winds),
        "riichi": _column("riichi", riichi, size, 0, 2),
        "honba": _column("honba", honba, size, 0, 1 << 20),
        "tsumo": _column("tsumo", tsumo, size, 0, 1) != 0,
        "kita": _column("kita", luck.pop("kita", 0), size, 0, COPIES if ruleset.kita else 0),
        "melds": _table("melds", melds, size, 4 * KINDS - 1, MAX_MELDS),
        "dora": _table("dora", dora, size, FACES - 1, 5),
        "ura": _table("ura", ura, size, FACES - 1, 5),
    }
    if unknown := luck.keys() - _LUCK:
        raise HandError(f"{min(unknown)}: no such circumstance; there are {', '.join(_LUCK)}, kita")
    columns |= {name: _column(name, luck.get(name, 0), size, 0, 1) != 0 for name in _LUCK}
    parts = []
    for at in range(0, max(size, 1), _CHUNK):
        rows = slice(at, at + _CHUNK)
        wins = _Wins(
            at,
            kinds[rows].astype(np.int64),
            reds[rows].astype(np.int64),
            ruleset,
            {name: each[rows] for name, each in columns.items()},
        )
        parts.append(wins.value())
    return ValuedWins(*(np.concatenate([vars(part)[name] for part in parts]) for name in ValuedWins.__annotations__))


_LUCK = (
    "open_riichi",
    "ippatsu",
    "rinshan",
    "chankan",
    "haitei",
    "houtei",
    "first_turn",
    "loser_in_riichi",
)


# Arguments


def _integers(name: str, given: ArrayLike) -> Ints:
    """Return an array of integers; raises HandError for other types."""
    array = np.asarray(given)
    if array.size == 0:
        array = array.astype(np.int64)
    if array.dtype.kind not in "iub":
        raise HandError(f"{name}: expected integers, got {array.dtype}")
    return array.astype(np.int64)


def _refuse(wrong: Any, reason: Callable[[int], str], first: int = 0) -> None:
    """Raise HandError for the first wrong row, with the reason for it; ``first`` is the number of the first row."""
    if wrong.any():
        row = int(wrong.argmax())
        raise HandError(f"row {first + row}: {reason(row)}")


def _concealed(counts: ArrayLike, seats: int) -> tuple[Any, Any]:
    """Return the counts of kinds and of red fives; raises HandError."""
    given = np.asarray(counts)
    if given.dtype.kind not in "iu":
        raise HandError(f"counts: expected integers, got {given.dtype}")
    if given.ndim != 2 or given.shape[1] not in (KINDS, FACES):
        raise HandError(f"counts: expected shape (N, {KINDS}) or (N, {FACES}), got {given.shape}")
    if given.size and (given.min() < 0 or given.max() > COPIES):
        wrong = (given < 0) | (given > COPIES)
        _refuse(wrong.any(axis=1), lambda row: _impossible(given[row], wrong[row]))
    kinds = given[:, :KINDS].astype(np.uint8)
    reds = np.zeros((len(given), len(FIVES)), dtype=np.uint8)
    if given.shape[1] == FACES:
        reds = given[:, KINDS:].astype(np.uint8)
        kinds[:, FIVES] += reds
        _check_copies(kinds[:, FIVES], "in the hand", MPSZ_FACES[KINDS:])
    absent = [kind for kind in range(KINDS) if kind not in kinds_of(seats)]
    if absent:
        _refuse(kinds[:, absent].any(axis=1), lambda row: f"games of {seats} players have no 2m to 8m")
    sizes = kinds.sum(axis=1, dtype=np.uint8)
    is_wrong = (sizes % 3 == 0) | (sizes > FULL_HAND)
    if is_wrong.any():
        _refuse(is_wrong, lambda row: f"{kinds[row].sum()} concealed tiles are not a hand: 13, or 14 after the draw")
    return kinds, reds


def _impossible(counts: Ints, wrong: Flags) -> str:
    """Return the first impossible count of a hand in words."""
    face = int(wrong.argmax())
    return f"{counts[face]} tiles of {MPSZ_FACES[face]}: there are 0 to {COPIES}"


def _check_copies(counts: Any, where: str, names: Sequence[str] = MPSZ_FACES, first: int = 0) -> None:
    """Refuse five of a kind; ``names`` are those of the columns."""
    if counts.size and counts.max() > COPIES:
        over = (counts > COPIES).any(axis=1)
        _refuse(
            over,
            lambda row: f"{names[counts[row].argmax()]}: {counts[row].max()} {where}, but only {COPIES} exist",
            first,
        )


def _column(name: str, given: ArrayLike, size: int, low: int, high: int) -> Ints:
    """Return an argument as one integer for each hand; raises HandError."""
    array = _integers(name, given)
    if array.shape not in ((), (size,)):
        raise HandError(f"{name}: expected shape ({size},) or one value, got {array.shape}")
    column = np.broadcast_to(array, (size,))
    _refuse((column < low) | (column > high), lambda row: f"{name}={column[row]}: expected {low} to {high}")
    return column


def _table(name: str, given: ArrayLike, size: int, high: int, most: int) -> Ints:
    """Return an argument as several integers for each hand, -1 for none; raises HandError."""
    array = _integers(name, given)
    if array.ndim not in (1, 2) or array.shape[-1] > most or (array.ndim == 2 and len(array) != size):
        raise HandError(f"{name}: expected shape ({size}, n) or (n,) with n up to {most}, got {array.shape}")
    table = np.broadcast_to(array, (size, array.shape[-1]))
    wrong = ((table < -1) | (table > high)).any(axis=1)
    _refuse(wrong, lambda row: f"{name}={table[row].tolist()}: expected -1 to {high}")
    return table


# Readings


class _PartReadings:
    """All readings of parts of hands that have occurred, found by their counts; the index takes 8 MB for the suits."""

    def __init__(self, first: int, kinds: int) -> None:
        self._first = first
        self._weights = 5 ** np.arange(kinds, dtype=np.int64)
        self._places = np.full(5**kinds, -1, dtype=np.int32)
        """The place in ``_numbers`` of the counts with this key."""
        self._list: list[forms.Reading] = []
        self._begin: list[int] = []
        self._number: list[int] = []
        self.readings = np.zeros((0, 3), dtype=np.int64)

    def find(self, counts: Ints) -> tuple[Ints, Ints]:
        """Return for each row of counts the place of its first reading in ``readings``, and how many it has."""
        keys = counts.astype(np.int64) @ self._weights
        places = self._places[keys]
        if (places < 0).any():
            unknown, rows = np.unique(keys[places < 0], return_index=True)
            for key, part in zip(unknown, counts[places < 0][rows], strict=True):
                self._add(int(key), bytes(part.tolist()))
            self.readings = np.array(self._list, dtype=np.int64).reshape(-1, 3)
            places = self._places[keys]
        return np.array(self._begin)[places], np.array(self._number)[places]

    def _add(self, key: int, counts: bytes) -> None:
        """Read the tiles of one part."""
        ways = forms.readings_of_part(self._first, counts)
        self._places[key] = len(self._begin)
        self._begin.append(len(self._list))
        self._number.append(len(ways))
        self._list += ways


@cache
def _suit_readings() -> _PartReadings:
    return _PartReadings(0, 9)


@cache
def _honour_readings() -> _PartReadings:
    return _PartReadings(EAST, KINDS - EAST)


def _count(mask: Any) -> Any:
    """Count the bits of each mask."""
    return np.bitwise_count(mask).astype(np.int64)


def _completions() -> tuple[Ints, Ints]:
    """Return for each kind the runs that it completes as counters, with the waits: from two below, one below, at it."""
    counters, waits = np.zeros((3, KINDS), dtype=np.int64), np.zeros((3, KINDS), dtype=np.int64)
    for kind, (lower, upper) in enumerate(RUN_WAITS):
        for counter, wait in lower:
            place = 1 if wait == KANCHAN else 0
            counters[place, kind], waits[place, kind] = counter, wait
        for counter, wait in upper:
            counters[2, kind], waits[2, kind] = counter, wait
    return counters, waits


_COUNTERS, _WAITS = _completions()


# Values


class _Wins:
    """A chunk of winning hands; ``first`` is the number of its first row."""

    def __init__(self, first: int, kinds: Ints, reds: Ints, ruleset: Ruleset, columns: dict[str, Any]) -> None:
        self._first = first
        self._kinds = kinds
        self._reds = reds
        self._ruleset = ruleset
        self._at = SimpleNamespace(**columns)
        self._tile = _FACE_KINDS[self._at.tile]
        self._rows = np.arange(len(kinds))
        self._read_melds()
        self._check()

    def _read_melds(self) -> None:
        """Read the melds as masks, and count their tiles."""
        size = len(self._kinds)
        self._runs, self._open, self._sets, self._kans, self._number = np.zeros((5, size), dtype=np.int64)
        self._all = self._kinds.copy()
        for meld in self._at.melds.T:
            kind, type_ = meld % KINDS, np.where(meld < 0, NO_MELD, meld - meld % KINDS)
            is_run, is_there = type_ == CHI, meld >= 0
            is_bad = is_run & ((kind >= EAST) | (kind % 9 > 6))
            if is_bad.any():
                row = int(is_bad.argmax())
                raise HandError(f"row {self._first + row}: no run begins with {MPSZ_FACES[kind[row]]}")
            is_kan = type_ >= OPEN_KAN
            bit = np.where(is_there & ~is_run, 1 << kind, 0)
            place = kind // 9 * 7 + kind % 9
            self._runs += np.where(is_run, 1 << forms.RUN_BITS * np.where(is_run, place, 0), 0)
            self._sets |= bit
            self._open |= np.where(type_ == CLOSED_KAN, 0, bit)
            self._kans |= np.where(is_kan, bit, 0)
            self._number += is_there
            self._all[self._rows, kind] += np.where(is_there, np.where(is_run, 1, 3) + is_kan, 0)
            for further in (1, 2):
                self._all[self._rows, np.where(is_run, kind + further, 0)] += is_run
        self._is_closed = (self._runs == 0) & (self._open == 0)

    def _check(self) -> None:
        """Refuse what is not a win."""
        at, first = self._at, self._first
        sizes = self._kinds.sum(axis=1) + 3 * self._number
        _refuse(
            sizes != FULL_HAND, lambda row: f"{sizes[row]} tiles: a win has {FULL_HAND}, a meld counts three", first
        )
        red = at.tile - KINDS
        held = np.where(red < 0, self._kinds[self._rows, self._tile], self._reds[self._rows, np.maximum(red, 0)])
        _refuse(held == 0, lambda row: f"the hand does not hold {MPSZ_FACES[at.tile[row]]}", first)
        in_sight = self._all.copy()
        for indicator in (*at.dora.T, *at.ura.T):
            in_sight[self._rows, _FACE_KINDS[indicator]] += indicator >= 0
        in_sight[:, NORTH] += at.kita
        _check_copies(in_sight, "in sight", first=first)
        most = np.array(self._ruleset.red_fives)
        _refuse((self._reds > most).any(axis=1), lambda row: "more red fives than the rules have", first)
        flags = forms.contradiction_flags(at, self._ruleset, self._is_closed, self._number > 0)
        for flag, reason in zip(flags, forms.CONTRADICTIONS, strict=True):
            if np.any(flag):
                raise HandError(f"row {first + int(np.argmax(flag))}: {reason}")
        no_ura = (at.ura >= 0).any(axis=1) & (at.riichi == 0)
        _refuse(no_ura, lambda row: "ura dora need riichi", first)

    def value(self) -> ValuedWins:
        """Return the values."""
        form, row = self._forms()
        worth = _FormWorths(form)
        order = np.lexsort((-worth.rank, row))
        ordered = row[order]
        is_best = np.ones(len(order), dtype=bool)
        is_best[1:] = ordered[1:] != ordered[:-1]
        missing = np.ones(len(self._rows), dtype=bool)
        missing[row] = False
        tile = self._at.tile
        _refuse(missing, lambda row: f"the hand is not complete with {MPSZ_FACES[tile[row]]}", self._first)
        best = order[is_best]
        yakuman, yaku, fu = worth.yakuman[best], worth.yaku[best], worth.fu[best]
        return self._pay(yakuman, yaku, np.where(form.is_standard[best], -(-fu // 10) * 10, fu))

    def _forms(self) -> tuple[Form, Ints]:
        """Return all forms of all hands, and the row of each."""
        row, runs, triplets, pair = self._readings()
        tile = self._tile[row]
        done = [runs & _COUNTERS[place, tile] != 0 for place in range(3)]
        done[2:2] = [pair >> tile & 1 != 0, triplets >> tile & 1 != 0]
        reading, block = np.nonzero(np.stack(done, axis=1))
        row, runs, triplets, pair, tile = (each[reading] for each in (row, runs, triplets, pair, tile))
        wait = np.choose(block, [_WAITS[0, tile], _WAITS[1, tile], PAIR_WAIT, OPEN_WAIT, _WAITS[2, tile]])
        opened = self._open[row] | np.where((block == 3) & ~self._at.tsumo[row], 1 << tile, 0)
        is_whole = self._number == 0
        mask = (self._all > 0) @ _BITS
        pairs = np.flatnonzero(is_whole & ((self._kinds == 2).sum(axis=1) == 7))
        orphans = np.flatnonzero(is_whole & (mask == forms.OUTER))
        many = len(row), len(pairs), len(orphans)

        def _with(standard: Ints, of_pairs: Any = 0) -> Ints:
            rest = np.zeros(many[1] + many[2], dtype=np.int64)
            rest[: many[1]] = of_pairs
            return np.concatenate([standard, rest])

        of = np.concatenate([row, pairs, orphans])
        kind = np.repeat([0, 1, 2], many)
        return self._form(
            of,
            _with(runs + self._runs[row]),
            _with(triplets | self._sets[row]),
            _with(pair, mask[pairs]),
            _with(opened),
            mask[of],
            _with(wait),
            kind,
        ), of

    def _form(
        self, row: Ints, runs: Ints, triplets: Ints, pairs: Ints, opened: Ints, mask: Ints, wait: Ints, kind: Ints
    ) -> Form:
        """Return the forms of these rows; ``kind`` is 0 for sets and a pair, 1 seven pairs, 2 thirteen orphans."""
        at, tile = self._at, self._tile[row]
        held = self._kinds[row, tile]
        is_tenhou = at.first_turn & at.tsumo & (at.seat_wind == 0)
        return Form(
            runs,
            triplets,
            pairs,
            opened,
            self._kans[row],
            mask,
            wait,
            kind == 0,
            kind == 2,
            (self._number > 0)[row],
            self._is_closed[row],
            at.tsumo[row],
            1 << EAST + at.seat_wind[row],
            1 << EAST + at.round_wind[row],
            self._has_nine_gates()[row],
            np.where(kind == 2, held == 2, held == np.array(forms.NINE_GATES)[tile % 9] + 1),
            is_tenhou[row] & self._ruleset.tenhou_any_tile,
            self._ruleset,
            _count,
            partial(forms.run_flags, _count),
        )

    def _has_nine_gates(self) -> Flags:
        """Tell of each hand whether the suit of the winning tile has nine gates."""
        gates = np.array(forms.NINE_GATES)
        suits = [(self._kinds[:, first : first + 9] >= gates).all(axis=1) for first in forms.SUIT_STARTS]
        suits.append(np.zeros(len(self._rows), dtype=bool))
        return np.choose(self._tile // 9, suits)

    def _readings(self) -> tuple[Ints, Ints, Ints, Ints]:
        """Return all readings of all hands as sets and a pair: row, runs, triplets, pair."""
        begins, numbers = [], []
        pairs = np.zeros(len(self._rows), dtype=np.int64)
        tables = [_suit_readings()] * 3 + [_honour_readings()]
        for first, table in zip(forms.PARTS, tables, strict=True):
            counts = self._kinds[:, first : first + 9]
            begin, number = table.find(counts)
            begins.append(begin)
            numbers.append(number)
            pairs += counts.sum(axis=1) % 3 == 2
        total = np.where(pairs == 1, numbers[0] * numbers[1] * numbers[2] * numbers[3], 0)
        row = np.repeat(self._rows, total)
        left = np.arange(len(row)) - np.repeat(np.cumsum(total) - total, total)
        runs, triplets, pair = np.zeros((3, len(row)), dtype=np.int64)
        for part in (3, 2, 1, 0):
            number = numbers[part][row]
            found = tables[part].readings[begins[part][row] + left % number]
            left //= number
            suit = 0 if part == 3 else part
            runs += found[:, 0] << 7 * forms.RUN_BITS * suit
            triplets |= found[:, 1] << 9 * suit
            pair |= found[:, 2] << 9 * suit
        return row, runs, triplets, pair

    def _pay(self, yakuman: Ints, yaku: Ints, fu: Ints) -> ValuedWins:
        """Return the values of hands with these yakuman and yaku of a shape, as han."""
        at, rules = self._at, self._ruleset
        table = np.zeros((len(fu), len(Yaku)), dtype=np.int16)
        is_renhou = at.first_turn & ~at.tsumo & (rules.renhou is not Renhou.NONE)
        counts_renhou = is_renhou & (rules.renhou is not Renhou.MANGAN)
        lucky = forms.lucky_yakuman_flags(at, rules, counts_renhou)
        double = double_yakuman(rules)
        for name, flag in zip((*forms.SHAPE_YAKUMAN, *forms.LUCKY_YAKUMAN), (*yakuman.T, *lucky), strict=True):
            each = 2 * YAKUMAN_HAN if name in double else YAKUMAN_HAN
            table[:, name.value] += np.where(flag, each, 0)
        if not rules.yakuman_add_up:
            best = table.argmax(axis=1)
            most = table[self._rows, best]
            table[:] = 0
            table[self._rows, best] = most
        is_yakuman = table.any(axis=1)
        for (name, _, _), han in zip(forms.SHAPE_YAKU, yaku.T, strict=True):
            table[:, name.value] += np.where(is_yakuman, 0, han)
        for (name, han), flag in zip(forms.LUCKY_YAKU, forms.lucky_flags(at, rules, counts_renhou), strict=True):
            table[:, name.value] += np.where(flag & ~is_yakuman, han, 0)
        has_yaku = table.any(axis=1)
        for name, number in self._dora().items():
            table[:, name.value] = np.where(has_yaku & ~is_yakuman, number, 0)
        han = table.sum(axis=1)
        times = np.where(is_yakuman, han // YAKUMAN_HAN, 0)
        fu = np.where(is_yakuman, 0, fu)
        base = np.where(is_yakuman, times * YAKUMAN, _base(rules, han, fu))
        if rules.renhou is Renhou.MANGAN:
            is_mangan = is_renhou & (base < MANGAN)
            table[is_mangan] = 0
            table[is_mangan, Yaku.RENHOU.value] = forms.RENHOU_HAN
            han, base = np.where(is_mangan, forms.RENHOU_HAN, han), np.where(is_mangan, MANGAN, base)
            has_yaku |= is_mangan
        base, fu = np.where(has_yaku, base, 0), np.where(has_yaku, fu, 0)
        return ValuedWins(han, fu, times, base, self._points(base), table.astype(np.int8))

    def _dora(self) -> dict[Yaku, Ints]:
        """Return the number of dora of each kind."""
        at = self._at
        counts = self._all.copy()
        counts[:, NORTH] += at.kita
        pointed = []
        for indicators in (at.dora, at.ura):
            dora = np.array(dora_of(self._ruleset.seats))[indicators]
            pointed.append(np.where(indicators >= 0, counts[self._rows[:, np.newaxis], dora], 0).sum(axis=1))
        ura = np.where(at.riichi > 0, pointed[1], 0)
        reds = self._reds.sum(axis=1) + at.red_melds
        return {Yaku.DORA: pointed[0] + at.kita, Yaku.URA_DORA: ura, Yaku.RED_DORA: reds}

    def _points(self, base: Ints) -> Ints:
        """Return what all payers pay together, as ``HandValue.points`` has it, with honba."""
        others = self._ruleset.seats - 1
        is_dealer = self._at.seat_wind == 0
        double = _up(2 * base)
        tsumo = np.where(is_dealer, double * others, double + _up(base) * (others - 1))
        ron = _up(np.where(is_dealer, 6, 4) * base)
        points = np.where(self._at.tsumo, tsumo, ron) + self._at.honba * HONBA_POINTS * others
        return np.where(base > 0, points, 0)


def _base(ruleset: Ruleset, han: Ints, fu: Ints) -> Any:
    """Return the base points of hands without yakuman."""
    size = YAKUMAN_HAN + 1
    table = np.array([[base_points(ruleset, many, 5 * five) for five in range(30)] for many in range(size)])
    return table[np.minimum(han, YAKUMAN_HAN), np.minimum(fu // 5, 29)]


def _up(points: Any) -> Any:
    """Return points rounded up to hundreds."""
    return -(-points // 100) * 100


class _FormWorths:
    """The yakuman, yaku and fu of forms: arrays with a row for each form, a column for each of the tables."""

    def __init__(self, form: Form) -> None:
        times = forms.fu_times(form)
        shape = np.where(form.is_standard, forms.fu_of_shape(times), 0)
        base, tsumo, without = forms.fu_of_win(shape, form.is_closed, form.is_tsumo)
        self.fu = np.where(form.is_standard, shape + base + tsumo + without, forms.SEVEN_PAIRS_FU)
        self.yakuman = np.stack(forms.yakuman_flags(form), axis=1)
        is_yakuman: Flags = self.yakuman.any(axis=1)
        flags = np.stack(np.broadcast_arrays(*forms.yaku_flags(form, shape)), axis=1)
        closed, opened = np.array([entry[1:] for entry in forms.SHAPE_YAKU]).T
        han = np.where(form.is_closed[:, np.newaxis], closed, opened)
        self.yaku = np.where(flags & ~is_yakuman[:, np.newaxis], han, 0)
        self.rank = self._yakuman_han(form.ruleset) * 100_000 + self.yaku.sum(axis=1) * 1_000 + self.fu

    def _yakuman_han(self, ruleset: Ruleset) -> Any:
        """Return the han of the yakuman of each form."""
        double = double_yakuman(ruleset)
        han = np.where([name in double for name in forms.SHAPE_YAKUMAN], 2 * YAKUMAN_HAN, YAKUMAN_HAN)
        each = np.where(self.yakuman, han, 0)
        return each.sum(axis=1) if ruleset.yakuman_add_up else each.max(axis=1)
