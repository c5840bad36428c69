"""Outlooks, dangers and chances of places: what they say, and how they agree with drawing and with normal scores."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from random import Random
from statistics import mean

import pytest
from support.budgets import few, some
from support.rows import each_row

import ump
from ump.model.tiles import COPIES, KINDS, Kind
from ump.players.rates import SPREAD, SPREAD_MORE, SPREAD_PER_KYOKU
from ump.rules.shanten import shanten, shanten_and_ukeire

TURNS = 17

WIN_BIAS = 0.05
"""Of the chance to draw a win, on average over 100 hands; it is too low, since hands also improve."""

WIN_ERROR = 0.15
"""Of the chance of one hand, besides four deviations of the sampled one."""


class Drawer:
    """A player alone with its hand: it draws, and keeps the nearest hand that most of the live tiles help."""

    def __init__(self, kinds: list[int], live: list[int]) -> None:
        self.kinds, self._live = kinds[:], live[:]
        self.river: list[Kind] = []

    def draws_win(self, kind: Kind) -> bool:
        """Draw a tile and tell whether it wins; if not, discard."""
        self.kinds[kind] += 1
        self._live[kind] -= 1
        if shanten(self.kinds) < 0:
            return True
        held = [each for each in range(KINDS) if self.kinds[each]]
        discard = min(held, key=self._distance)
        self.kinds[discard] -= 1
        self.river.append(discard)
        return False

    def _distance(self, discard: Kind) -> tuple[int, int]:
        self.kinds[discard] -= 1
        number, mask = shanten_and_ukeire(self.kinds)
        self.kinds[discard] += 1
        return number, -sum(count for kind, count in enumerate(self._live) if mask >> kind & 1)


class Position:
    """A hand that a player alone holds after some turns, and the tiles that it has not seen."""

    def __init__(self, random: Random) -> None:
        wall = [*range(KINDS)] * COPIES
        random.shuffle(wall)
        dealt = [wall[:13].count(kind) for kind in range(KINDS)]
        player = Drawer(dealt, [COPIES - count for count in dealt])
        turns = random.randrange(14)
        drawn = 13
        while drawn < 13 + turns and not player.draws_win(wall[drawn]):
            drawn += 1
        if drawn < 13 + turns:  # it has won; go on with the tiles before
            player.kinds[wall[drawn]] -= 1
        self.draws = TURNS - turns
        self.kinds = player.kinds
        self.live = [COPIES - count - player.river.count(kind) for kind, count in enumerate(self.kinds)]
        self.hand = ump.hand(self.kinds, rules="tenhou")
        river = " ".join(ump.format_tiles([kind]) for kind in player.river)
        self.seen = ump.observed(self.hand, rivers={"south": river}, left=4 * self.draws)

    def walls(self, random: Random, number: int) -> list[list[Kind]]:
        """Return the draws of some walls, one tile more than turns."""
        pool = [kind for kind, count in enumerate(self.live) for _ in range(count)]
        return [random.sample(pool, self.draws + 1) for _ in range(number)]


@pytest.mark.parametrize("part", some(range(5), 5))
def test_the_chance_to_draw_a_win(part: int) -> None:
    """Of 500 hands, 0 to 5 from tenpai, against a player who draws from sampled walls: within the limits above."""
    random = Random(51 + part)
    walls = 40
    errors = []
    for _ in some(range(100), 5):
        position = Position(random)
        wins = 0
        for wall in position.walls(random, walls):
            player = Drawer(position.kinds, position.live)
            wins += any(map(player.draws_win, wall[:-1]))
        (outlook,) = ump.outlooks(position.seen, alone=True)
        error = outlook.win[-1] - wins / walls
        chance = (wins + 1) / (walls + 2)
        assert abs(error) < WIN_ERROR + 4 * sqrt(chance * (1 - chance) / walls), position.hand
        errors.append(error)
    assert abs(mean(errors)) < WIN_BIAS


def test_the_points_of_drawing_in_riichi() -> None:
    """Of 150 tenpai hands they are 80 to 120 % of those of sampled walls, with an ura indicator and lost sticks."""
    random = Random(52)
    expected, sampled, hands = 0.0, 0.0, 0
    while hands < few(150):
        position = Position(random)
        if position.hand.shanten or position.draws < 4:
            continue
        hands += 1
        (outlook,) = ump.outlooks(position.seen, alone=True)
        walls = position.walls(random, 200)
        expected += outlook.points[-1] * len(walls)
        for *draws, ura in walls:
            drawn = (kind for kind in draws if ump.format_tiles([kind]) in position.hand.waits)
            kind = next(drawn, None)
            sampled -= 1_000
            if kind is not None:
                win = position.hand.value(tsumo=kind, riichi=True, ura=ump.format_tiles([ura]))
                sampled += 1_000 + win.points
    assert 0.8 < expected / sampled < 1.2


def test_an_outlook_at_a_table() -> None:
    """By the draws left: without any nothing wins, and riichi beats folding; a better hand wins more often."""
    best, *others = ump.outlooks(ump.observed("123m406p789s11224z"))
    assert (best.discard, best.shanten, best.tiles, best.riichi) == ("4z", 0, 4, True)
    assert len(best.win) == len(best.points) == len(best.fold) == 69 // 4 + 1
    assert best.win[0] == 0 and list(best.win) == sorted(best.win) and 0.6 < best.win[-1] < 0.8
    assert best.points[-1] > max(2_000, best.fold[-1])
    assert len(others) == 11 and all(each.win[-1] < best.win[-1] and each.shanten for each in others)
    alone = ump.outlooks(ump.observed("123m406p789s11224z"), alone=True)[0]
    assert alone.discard == "4z" and alone.win[-1] < best.win[-1]
    (waiting,) = ump.outlooks(ump.observed(ump.hand("123m406p789s1122z")))
    assert waiting.discard is None and waiting.win[-1] == pytest.approx(best.win[-1], abs=0.01)


def test_a_hand_in_riichi() -> None:
    """It discards what it draws, and goes on in riichi."""
    seen = ump.observed("123m406p789s11224z", rivers={"south": "9m 4p*"})
    (outlook,) = ump.outlooks(seen)
    declaring = ump.outlooks(ump.observed("123m406p789s11224z", rivers={"south": "9m 4p"}))[0]
    assert (outlook.discard, outlook.riichi) == ("4z", True)
    assert outlook.win == pytest.approx(declaring.win)
    stick = outlook.points[-1] - declaring.points[-1]
    assert stick == pytest.approx(1_000 * (1 - outlook.win[-1]), abs=1)


def test_the_danger_of_tiles() -> None:
    """Of a riichi: own discards are safe, and so is what passed since; middle tiles are worse than suji and ends."""
    seen = ump.observed("123m406p789s11224z", kyoku="E2", rivers={"east": "1z9m4s*5s.", "west": "2z3z7m6m"})
    (riichi,) = [threat for threat in ump.threats(seen) if threat.tenpai == 1]
    tiles = riichi.by_tile
    assert riichi.seat == 1 and riichi.points == 8_700 and [*tiles][9] == "1p" and len(tiles) == KINDS
    assert tiles["4s"] == tiles["9m"] == tiles["6m"] == 0
    assert 0 < tiles["1s"] < tiles["6s"] < tiles["5p"] < 0.2
    melded = ump.observed("123m406p789s11224z", melds={"west": "<555z><234p><678p>"}, rivers={"west": "1m9m1s9s2z3z"})
    (open_hand,) = [threat for threat in ump.threats(melded) if threat.seat == 2]
    assert 0.3 < open_hand.tenpai < 0.9 and open_hand.by_tile["2z"] == 0


def test_what_an_observation_counts() -> None:
    """Each tile in sight once, also a called one that its river marks; the wall is what the rivers leave."""
    for east in ("3p> 9p", "9p"):
        seen = ump.observed(
            "13m406p789s11224z1m", dora="9p", rivers={"east": east}, melds={"west": "<234p>"}, seen="9p"
        )
        assert [seen.unseen(kind) for kind in (0, 9, 10, 11, 12, 17)] == [2, 4, 3, 3, 2, 1]
    assert (seen.left, seen.drawn, seen.me, seen.hand.kinds[0]) == (68, 0, 1, 2)


def test_the_chances_of_places() -> None:
    """They add up by seat and by place, agree with normal scores, and the last kyoku is surer than the first."""
    points = (31_000, 25_000, 24_000, 20_000)
    last = ump.place_chances(points)
    random = Random(53)
    deviation = SPREAD * sqrt((SPREAD_PER_KYOKU + SPREAD_MORE) / 2)
    first = 0
    for _ in range(2_000):
        scores = [random.gauss(each, deviation) for each in points]
        first += max(scores) == scores[0]
    assert last[0].chances[0] == pytest.approx(first / 2_000, abs=0.04)
    assert [sum(each.chances[place] for each in last) for place in range(4)] == pytest.approx([1] * 4, abs=1e-3)
    assert sum(each.expected for each in last) == pytest.approx(10, abs=1e-3)
    early = ump.place_chances(points, 8)
    assert last[0].expected < early[0].expected < early[3].expected < last[3].expected
    seen = ump.observed("123m406p789s1122z", rules="tenhou", kyoku="S4", points=points)
    assert ump.place_chances(seen) == last
    assert len(ump.place_chances((35_000,) * 3, 2)) == 3


@each_row(
    ("call", "message"),
    [
        (lambda: ump.observed("1m", kyoku="E5"), "kyoku='E5': expected a wind and a number, as in E1 or S4"),
        (lambda: ump.observed("1m", seat_wind="up"), "seat_wind: 'up' is no seat wind; choose east, south, west"),
        (lambda: ump.observed("1m", rivers={"east": "1m?"}), "cannot read '?'"),
        (lambda: ump.observed("1m", melds={"south": "<234p>"}), "own melds belong to the hand"),
        (lambda: ump.observed("1m", points=(1, 2)), "points: expected 4 scores, not 2"),
        (lambda: ump.observed("1112m", rivers={"east": "1m1m"}), "1m: 5 in sight, but only 4 exist"),
        (lambda: ump.place_chances((1, 2, 3), 0), "at least one kyoku"),
        (lambda: ump.outlooks(ump.observed("123x")), "'x' at position 4"),
        (lambda: ump.outlooks(ump.observed("123m")), "3 concealed tiles are not a hand"),
    ],
)
def test_errors_are_one_line(call: Callable[[], object], message: str) -> None:
    """They are ValueErrors that say what was expected."""
    with pytest.raises(ValueError) as found:
        call()
    assert message in str(found.value) and "\n" not in str(found.value)
