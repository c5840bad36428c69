"""Many hands at once: the same answers as for each alone, and errors that name the first wrong row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import pytest

pytest.importorskip("numpy", reason="arrays of hands need numpy, of the extra rl")

import numpy as np
from support.budgets import few
from support.rows import each_row

from ump.env.hand_arrays import CHI, CLOSED_KAN, NO_MELD, OPEN_KAN, PON, shanten, useful_tiles, values
from ump.model.hand import HandError
from ump.model.melds import Meld, MeldType
from ump.model.tiles import (
    EAST,
    FACES,
    FIVES,
    KIND_OF,
    KINDS,
    RED_OF,
    YAOCHU,
    Face,
    Kind,
    faces_of_tiles,
    sort_faces,
    tiles_of,
)
from ump.model.yaku import Yaku
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Ruleset
from ump.text.layout import hand_text
from ump.text.win import Win
from ump.text.written_hands import FrozenHand, hand, ukeire, value
from ump.text.written_hands import shanten as shanten_of

WINDS = ("east", "south", "west", "north")
YAKU = [*Yaku]
CODES = {
    MeldType.CHI: CHI,
    MeldType.PON: PON,
    MeldType.DAIMINKAN: OPEN_KAN,
    MeldType.KAKAN: OPEN_KAN,
    MeldType.ANKAN: CLOSED_KAN,
}


def counted(hands: list[tuple[Face, ...]]) -> Any:
    """Return the counts of 37 faces of each hand."""
    return np.array([np.bincount(faces, minlength=FACES) for faces in hands])


MANY = [pytest.param(seats, 20_000, seed, marks=pytest.mark.long) for seats in (4, 3) for seed in range(5)]
"""200,000 hands."""


@pytest.mark.parametrize(("seats", "size", "seed"), [(4, 1_500, 0), (3, 500, 0), *MANY])
def test_shanten_and_useful_tiles_are_those_of_each_hand(seats: int, size: int, seed: int) -> None:
    """Of random hands, as text, as a value and in an array."""
    random = Random(f"{seats}/{seed}")
    rules = PRESETS["tenhou" if seats == 4 else "tenhou3"]
    names = faces_of_tiles(rules.red_fives)
    hands = []
    for _ in range(size):
        tiles = random.sample(tiles_of(seats), random.choice((13, 13, 14, 10, 7, 4, 1)))
        hands.append(tuple(names[tile] for tile in tiles))
    numbers = shanten(counted(hands), seats=seats)
    between = [faces for faces in hands if len(faces) % 3 == 1]
    useful = iter(useful_tiles(counted(between), seats=seats))
    for faces, number in zip(hands, numbers, strict=True):
        text, held = hand_text(faces, ()), hand(faces, rules=rules)
        assert shanten_of(text, rules=rules) == held.shanten == number
        if len(faces) % 3 == 1:
            kinds = {f"{kind % 9 + 1}{'mpsz'[kind // 9]}" for kind in np.flatnonzero(next(useful))}
            assert {tile for tile, left in ukeire(text, rules=rules).items() if left} <= kinds
            assert held.ukeire.keys() <= kinds


class WinningHand:
    """A random complete hand, often of few suits, with melds, red fives and circumstances."""

    def __init__(self, random: Random, rules: Ruleset) -> None:
        self.random = random
        self.reds = list(rules.red_fives)
        self.melds: list[Meld] = []
        self.faces: list[Face] = []
        shape = random.random()
        if shape < 0.05:
            self.faces = [self.face(kind) for kind in random.sample(range(KINDS), 7) for _ in range(2)]
        elif shape < 0.07:
            self.faces = [*YAOCHU, random.choice([*YAOCHU])]
        else:
            self.add_sets()
        self.tile = random.choice(self.faces)
        self.is_closed = not any(meld.is_open for meld in self.melds)
        self.riichi = random.choice((0, 0, 1, 2)) if self.is_closed else 0
        self.tsumo = random.random() < 0.5
        self.seat, self.round = random.randrange(4), random.randrange(2)
        self.honba = random.randrange(3)
        self.is_last = random.random() < 0.1
        left = [kind for kind in range(KINDS) if self.kinds().count(kind) < 4]
        self.dora = random.sample(left, 1 + rules.kan_dora)
        has_ura = self.riichi and rules.ura_dora
        self.ura = [self.dora[0]] if has_ura and self.kinds().count(self.dora[0]) < 3 else []

    def kinds(self) -> list[Kind]:
        """Return the kinds of all tiles."""
        return [KIND_OF[face] for face in (*self.faces, *(face for meld in self.melds for face in meld.faces))]

    def face(self, kind: Kind) -> Face:
        """Return the kind, or its red five if one is left."""
        suit = FIVES.index(kind) if kind in FIVES else None
        if suit is None or not self.reds[suit] or self.random.random() < 0.6:
            return kind
        self.reds[suit] -= 1
        return RED_OF[kind]

    def add_sets(self) -> None:
        """Add four sets and a pair of which at most four tiles of a kind are needed."""
        pool = [*range(*self.random.choice(((0, 9), (0, 27), (9, 27), (9, 34), (0, 34), (0, 34))))]
        sets = [self.one_set(pool) for _ in range(4)] + [[self.random.choice(pool)] * 2]
        kinds = [kind for each in sets for kind in each]
        if max(map(kinds.count, kinds)) > 4:
            self.add_sets()
            return
        called = self.random.choice((0, 0, 1, 2, 3, 4))
        for number, each in enumerate(sets):
            faces = sort_faces(map(self.face, each))
            if len(faces) == 4 or number < min(called, 4):
                self.melds.append(self.meld(faces))
            else:
                self.faces += faces

    def one_set(self, pool: list[Kind]) -> list[Kind]:
        """Return a run, a triplet or a kan."""
        kind = self.random.choice(pool)
        if kind < EAST and kind % 9 < 7 and self.random.random() < 0.7:
            return [kind, kind + 1, kind + 2]
        return [kind] * self.random.choice((3, 3, 3, 4))

    def meld(self, faces: tuple[Face, ...]) -> Meld:
        """Return these tiles as a meld."""
        if len(faces) == 4 and self.random.random() < 0.5:
            return Meld(MeldType.ANKAN, faces)
        if len(faces) == 4:
            return Meld(MeldType.DAIMINKAN, faces[:3], faces[3])
        is_run = KIND_OF[faces[0]] != KIND_OF[faces[1]]
        return Meld(MeldType.CHI if is_run else MeldType.PON, faces[:2], faces[2])

    def value(self, rules: Ruleset) -> tuple[Win, Win]:
        """Return the values of the hand as a value and as text."""
        told = {
            "tsumo" if self.tsumo else "ron": self.tile,
            "seat_wind": WINDS[self.seat],
            "round_wind": WINDS[self.round],
            "riichi": self.riichi == 1,
            "double_riichi": self.riichi == 2,
            "haitei" if self.tsumo else "houtei": self.is_last,
            "dora": self.dora,
            "ura": self.ura,
            "honba": self.honba,
        }
        held = FrozenHand(self.faces, self.melds, rules)
        return held.value(**told), value(str(held), rules=rules, **told)  # type: ignore[arg-type]


def values_of(wins: list[WinningHand], rules: Ruleset) -> Any:
    """Return the values of the hands as an array."""
    return values(
        counted([tuple(win.faces) for win in wins]),
        [win.tile for win in wins],
        tsumo=[win.tsumo for win in wins],
        melds=[_filled([CODES[meld.type] + meld.kind for meld in win.melds], 4) for win in wins],
        red_melds=[sum(face >= KINDS for meld in win.melds for face in meld.faces) for win in wins],
        rules=rules,
        seat_wind=[win.seat for win in wins],
        round_wind=[win.round for win in wins],
        dora=[win.dora for win in wins],
        ura=[_filled(win.ura, 1) for win in wins],
        riichi=[win.riichi for win in wins],
        honba=[win.honba for win in wins],
        haitei=[win.is_last and win.tsumo for win in wins],
        houtei=[win.is_last and not win.tsumo for win in wins],
    )


def _filled(numbers: list[int], size: int) -> list[int]:
    return numbers + [NO_MELD] * (size - len(numbers))


@each_row("name", [name for name, rules in PRESETS.items() if rules.seats == 4])
def test_values_are_those_of_each_hand(name: str) -> None:
    """Of random complete hands, with each yaku, as text, as a value and in an array."""
    random, rules = Random(name), PRESETS[name]
    wins = [WinningHand(random, rules) for _ in range(few(1_000))]
    found = values_of(wins, rules)
    for row, win in enumerate(wins):
        held, written = win.value(rules)
        assert replace(held, melds=written.melds) == written  # text does not say whose tile was called
        worth = held.value
        expected = (0, 0, 0, 0) if worth is None else (worth.han, worth.fu, worth.yakuman, worth.base)
        assert (found.han[row], found.fu[row], found.yakuman[row], found.base[row]) == expected
        assert found.points[row] == held.points
        yaku = () if worth is None else worth.yaku
        assert {YAKU[place]: found.yaku[row, place] for place in np.flatnonzero(found.yaku[row])} == dict(yaku)


ONE = counted([(0, 1, 2, 12, 35, 14, 24, 25, 26, 27, 27, 28, 28, 28)] * 3)


def changed(row: int, face: Face, count: int) -> Any:
    """Return the hands with another count in one place."""
    counts = ONE.copy()
    counts[row, face] = count
    return counts


@each_row(
    ("call", "message"),
    [
        (lambda: shanten(ONE.astype(float)), "counts: expected integers, got float64"),
        (lambda: shanten(ONE[0]), r"counts: expected shape \(N, 34\) or \(N, 37\), got \(37,\)"),
        (lambda: shanten(changed(1, 3, 5)), "row 1: 5 tiles of 4m: there are 0 to 4"),
        (lambda: shanten(changed(2, 3, -1)), "row 2: -1 tiles of 4m"),
        (lambda: shanten(changed(1, 13, 4)), "row 1: 0p: 5 in the hand"),
        (lambda: shanten(changed(1, 0, 0)[:, :34]), "row 1: 12 concealed"),
        (lambda: shanten(changed(1, 0, 3)), "row 1: 16 concealed tiles are not a hand"),
        (lambda: shanten(ONE, seats=3), "row 0: games of 3 players have no 2m to 8m"),
        (lambda: useful_tiles(ONE), "row 0: 14 tiles: a hand with a tile to discard"),
        (lambda: values(ONE, 28, tsumo=True, dora=[[1, 27], [28, 28], [28, 28]]), "row 1: 2z: 5 in sight, but only 4"),
        (lambda: values(ONE, [27, 26, 4], tsumo=True), "row 2: the hand does not hold 5m"),
        (lambda: values(changed(1, 28, 2), 27, tsumo=True), "row 1: 13 tiles: a win has 14"),
        (lambda: values(ONE, [27, 27], tsumo=True), r"tile: expected shape \(3,\) or one value, got \(2,\)"),
        (lambda: values(ONE, 27, tsumo=True, riichi=[0, 3, 0]), "row 1: riichi=3: expected 0 to 2"),
        (lambda: values(ONE, 27, tsumo=True, melds=[[-1], [-1], [200]]), r"row 2: melds=\[200\]"),
        (lambda: values(ONE, 27, tsumo=True, ippatsu=[0, 1, 0]), "row 1: ippatsu needs riichi"),
        (lambda: values(ONE, 27, tsumo=True, ura=[3]), "row 0: ura dora need riichi"),
        (lambda: values(ONE, 27, tsumo=True, kita=1), "row 0: kita=1: expected 0 to 0"),
        (lambda: values(ONE, 27, tsumo=True, luck=1), "luck: no such circumstance"),
        (lambda: values(changed(1, 9, 1) - changed(1, 9, 0) + ONE, 27, tsumo=True), "row 1: 15 concealed"),
    ],
)
def test_errors_name_the_first_wrong_row(call: Callable[[], object], message: str) -> None:
    """In one line."""
    with pytest.raises(HandError, match=message) as found:
        call()
    assert "\n" not in str(found.value)


def test_hands_that_are_not_complete() -> None:
    """They are an error, as in the function for one hand; no hands at all are none."""
    counts = ONE.copy()
    counts[1, [0, 17]] = (0, 1)
    with pytest.raises(HandError, match="row 1: the hand is not complete with 1z"):
        values(counts, 27, tsumo=True)
    assert values(ONE[:0], 27, tsumo=True).points.shape == (0,)
    assert shanten(ONE[:0]).shape == (0,) and useful_tiles(ONE[:0]).shape == (0, 34)
