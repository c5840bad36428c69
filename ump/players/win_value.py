"""A quick estimate of what a complete hand is worth: its han without dora, riichi and tsumo, and its class of fu.

The exact value (``ump.rules.score``) takes a hundred times as long, and a policy estimates hundreds of hands to answer
one question. Rare yaku of closed kans, and all that depend on the moment of the win, are left out.

A meld is one number here: a run is its first kind, an open triplet or kan ``TRIPLET`` more than its kind, a closed kan
``CLOSED_KAN`` more.
"""

from __future__ import annotations

from collections.abc import Iterator

from ump.model.melds import Meld, MeldType
from ump.model.tiles import DRAGONS, EAST, KIND_OF, KINDS, WHITE, YAOCHU, Kind
from ump.model.value import value
from ump.players.prospects import held_kinds

TRIPLET = 64
CLOSED_KAN = 128

ORDINARY = 0
PINFU = 1
SEVEN_PAIRS = 2
TRIPLETS = 3
"""The classes of fu; the last one has three hidden or four triplets."""

YAKUMAN = 13

MOST_KNOWN = 30_000
"""The estimates that are kept."""

_FU = ((30, 40), (20, 30), (25, 25), (40, 50))
"""The fu of a closed hand that wins by tsumo and by ron, for each class; an open hand has those of a tsumo, or 30."""


@value
class ValueConditions:
    """The winds that are yaku, and whether the hand is closed."""

    seat_wind: Kind
    round_wind: Kind
    is_closed: bool


@value
class WinValue:
    """The estimated value of a complete hand."""

    han: int
    """0 without a yaku; riichi, tsumo and dora are not counted."""
    form: int


def meld_code(meld: Meld) -> int:
    """Return the number of a meld."""
    kinds = sorted(KIND_OF[face] for face in meld.faces)
    if kinds[0] != kinds[1]:
        return kinds[0]
    return kinds[0] + (CLOSED_KAN if meld.type is MeldType.ANKAN else TRIPLET)


def fu_of(form: int, melds: tuple[int, ...], *, is_closed: bool, tsumo: bool) -> int:
    """Return the usual fu of a class, with those of closed kans."""
    usual = _FU[form][0 if tsumo else 1] if is_closed else 40 if form == TRIPLETS else 30
    kans = 0
    for code in melds:
        if code >= CLOSED_KAN:
            kans += 32 if code - CLOSED_KAN in YAOCHU else 16
    return (usual + kans) // 10 * 10 if kans else usual


_known: dict[tuple[bytes, Kind, bytes, Kind, Kind, bool], WinValue] = {}


def win_value(kinds: list[int], win: Kind, melds: tuple[int, ...], conditions: ValueConditions) -> WinValue:
    """Return the value of concealed tiles that are complete with ``win``, which is among them."""
    key = (bytes(kinds), win, bytes(melds), conditions.seat_wind, conditions.round_wind, conditions.is_closed)
    found = _known.get(key)
    if found is None:
        if len(_known) >= MOST_KNOWN:
            _known.clear()
        found = _known[key] = _Complete(kinds, win, melds, conditions).value()
    return found


class _Complete:
    """A complete hand."""

    def __init__(self, kinds: list[int], win: Kind, melds: tuple[int, ...], conditions: ValueConditions) -> None:
        self._kinds = kinds
        self._win = win
        self._conditions = conditions
        self._melded_runs: list[Kind] = []
        self._melded_triplets: list[Kind] = []
        self._closed_kans = 0
        held = set(held_kinds(kinds))
        for code in melds:
            if code < TRIPLET:
                self._melded_runs.append(code)
                held.update(range(code, code + 3))
            else:
                self._melded_triplets.append(code % TRIPLET)
                held.add(code % TRIPLET)
            if code >= CLOSED_KAN:
                self._closed_kans += 1
        self._suits = {kind // 9 for kind in held if kind < EAST}
        self._honours = any(kind >= EAST for kind in held)
        self._simple = YAOCHU.isdisjoint(held)
        self._yakuhai = (*DRAGONS, conditions.seat_wind, conditions.round_wind)

    def value(self) -> WinValue:
        """Return the best value of all ways to split the hand."""
        if not self._suits:
            return WinValue(YAKUMAN, TRIPLETS)
        common = self._of_kinds()
        best: WinValue | None = None
        if self._is_pairs():
            best = WinValue(common + 2, SEVEN_PAIRS)
        for pair, runs, triplets in _splits(self._kinds):
            found = self._of_split(pair, runs, triplets)
            if best is None or common + found.han > best.han:
                best = WinValue(common + found.han, found.form)
        return best or WinValue(YAKUMAN, TRIPLETS)  # thirteen orphans

    def _of_kinds(self) -> int:
        """Return the han that any split has: tanyao, and those of one suit."""
        han = 1 if self._simple else 0
        if len(self._suits) == 1:
            han += (2 if self._honours else 5) + (1 if self._conditions.is_closed else 0)
        return han

    def _is_pairs(self) -> bool:
        return self._kinds.count(2) == 7

    def _of_split(self, pair: Kind, runs: list[Kind], triplets: list[Kind]) -> WinValue:
        """Return the han of one way to split the hand."""
        is_closed = self._conditions.is_closed
        hidden = len(triplets) + self._closed_kans
        if self._win in triplets and not any(run <= self._win <= run + 2 for run in runs):
            hidden -= 1  # the winning tile makes a triplet that counts as open
        all_runs = runs + self._melded_runs
        all_triplets = triplets + self._melded_triplets
        if hidden == 4 or sum(kind >= WHITE for kind in all_triplets) == 3:
            return WinValue(YAKUMAN, TRIPLETS)
        form = TRIPLETS if hidden == 3 or len(all_triplets) == 4 else ORDINARY
        han = self._of_triplets(pair, all_triplets, hidden) + self._of_runs(all_runs)
        han += self._of_ends(pair, all_runs, all_triplets)
        if is_closed:
            han += _equal_runs(runs)
            if len(runs) == 4 and pair not in self._yakuhai and self._two_sided(runs):
                return WinValue(han + 1, PINFU)
        return WinValue(han, form)

    def _of_triplets(self, pair: Kind, triplets: list[Kind], hidden: int) -> int:
        """Return the han of yakuhai, four triplets, three hidden ones, small dragons and three colours."""
        han = sum(map(self._yakuhai.count, triplets))
        if len(triplets) == 4:
            han += 2
        if hidden == 3:
            han += 2
        if pair >= WHITE and sum(kind >= WHITE for kind in triplets) == 2:
            han += 2
        if any(kind < 9 and kind + 9 in triplets and kind + 18 in triplets for kind in triplets):
            han += 2
        return han

    def _of_runs(self, runs: list[Kind]) -> int:
        """Return the han of three colours and of a straight."""
        han = 0
        each = 2 if self._conditions.is_closed else 1
        if any(run < 9 and run + 9 in runs and run + 18 in runs for run in runs):
            han += each
        if any(run % 9 == 0 and run + 3 in runs and run + 6 in runs for run in runs):
            han += each
        return han

    def _of_ends(self, pair: Kind, runs: list[Kind], triplets: list[Kind]) -> int:
        """Return the han of chanta, junchan and honroutou."""
        if self._simple or pair not in YAOCHU or not YAOCHU.issuperset(triplets):
            return 0
        if not all(run % 9 in (0, 6) for run in runs):
            return 0
        if not runs:
            return 2
        return (1 if self._honours else 2) + (1 if self._conditions.is_closed else 0)

    def _two_sided(self, runs: list[Kind]) -> bool:
        win = self._win
        return any((win == run and run % 9 != 6) or (win == run + 2 and run % 9 != 0) for run in runs)


def _equal_runs(runs: list[Kind]) -> int:
    """Return the han of one and of two pairs of equal runs."""
    pairs = sum(runs.count(run) // 2 for run in set(runs))
    return 3 if pairs == 2 else pairs


def _splits(kinds: list[int]) -> Iterator[tuple[Kind, list[Kind], list[Kind]]]:
    """Yield each way to split the tiles: the pair, the first kinds of the runs, the kinds of the triplets."""
    for pair, count in enumerate(kinds):
        if count >= 2:
            rest = kinds[:]
            rest[pair] -= 2
            for runs, triplets in _sets(rest, 0):
                yield pair, runs, triplets


def _sets(kinds: list[int], first: Kind) -> Iterator[tuple[list[Kind], list[Kind]]]:
    """Yield each way to split tiles into runs and triplets, none of them below ``first``."""
    while first < KINDS and not kinds[first]:
        first += 1
    if first == KINDS:
        yield [], []
        return
    if kinds[first] >= 3:
        kinds[first] -= 3
        for runs, triplets in _sets(kinds, first):
            yield runs, [*triplets, first]
        kinds[first] += 3
    if first < EAST and first % 9 <= 6 and kinds[first + 1] and kinds[first + 2]:
        for each in range(first, first + 3):
            kinds[each] -= 1
        for runs, triplets in _sets(kinds, first):
            yield [*runs, first], triplets
        for each in range(first, first + 3):
            kinds[each] += 1
