"""The functions for hands, beside those of other libraries that are installed: hands per second of CPU time."""

from __future__ import annotations

import importlib.util
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from random import Random
from statistics import median
from typing import Any

import numpy as np

import ump
from scripts.lab.figures import Budget, Section, in_turns, ratio, spread
from ump.env import hand_arrays
from ump.model.notation import Shoupai, format_shoupai, parse_mpsz
from ump.model.tiles import TILES, faces_of_tiles, sort_faces

SECONDS = 0.04  # of each measurement
HANDS = 2_000
MANY = 50_000  # hands in an array

PEERS = {
    "mahjong": "mahjong",
    "riichienv": "riichienv",
    "cmajiang": "cmajiang",
    "mahjong_utils": "mahjong-utils",
    "kago_utils": "kago-utils",
}
"""The module and the distribution of each other library."""

TEXT, VALUE, WAITS, UKEIRE, DISCARDS, WIN = (
    "shanten of text",
    "shanten of a value",
    "waits of text",
    "ukeire of text",
    "discards of text",
    "value of a win as text",
)
ARRAY, USEFUL, WINS = "shanten, array", "useful tiles, array", "values of wins, array"

LEAST = {
    TEXT: 100_000,
    VALUE: 300_000,
    WAITS: 30_000,
    UKEIRE: 30_000,
    DISCARDS: 10_000,
    WIN: 30_000,
    ARRAY: 1_000_000,
    USEFUL: 300_000,
    WINS: 150_000,
}
"""Budgets: hands per second of an idle core."""
TIMES = {TEXT: 5.0, WIN: 3.0}
"""Budgets: times the rate of ``mahjong``."""


@dataclass(frozen=True)
class Work:
    """A question to one library; ``fresh`` makes the arguments of a run, outside of the measurement."""

    ask: Callable[[Any], object]
    fresh: Callable[[], Iterable[Any]]
    hands: int = 1  # of one argument

    def rate(self, _: int) -> float:
        """Return the hands per second."""
        arguments = [*self.fresh()]
        done = 0
        begun = time.process_time()
        while (spent := time.process_time() - begun) < SECONDS and done < len(arguments):
            for argument in arguments[done : done + 10]:
                self.ask(argument)
            done += 10
        return min(done, len(arguments)) * self.hands / spent


class Hands:
    """Random hands: of 13 and of 14 tiles, and complete ones without melds, as text."""

    def __init__(self) -> None:
        random = Random(1)
        faces = faces_of_tiles((1, 1, 1))
        deals = [sort_faces([faces[tile] for tile in random.sample(range(TILES), 14)]) for _ in range(HANDS)]
        self.of_14 = [ump.format_tiles(deal) for deal in deals]
        self.of_13 = [ump.format_tiles(deal[1:]) for deal in deals]
        self.wins = [_complete(random) for _ in range(HANDS // 4)]


def _complete(random: Random) -> str:
    """Return a complete hand without melds: often two suits, as people collect them."""
    pool = [*range(*random.choice(((0, 18), (9, 27), (0, 27), (9, 34))))]
    while True:
        kinds = []
        for _ in range(4):
            kind = random.choice(pool)
            is_run = kind < 27 and kind % 9 < 7 and random.random() < 0.8
            kinds += [kind, kind + 1, kind + 2] if is_run else [kind] * 3
        kinds += [random.choice(pool)] * 2
        if max(map(kinds.count, kinds)) <= 4:
            return ump.format_tiles(sort_faces(kinds))


def ours(hands: Hands) -> dict[str, Work]:
    """Return the questions to ump."""
    many = MANY // HANDS
    counts = np.array([ump.hand(text).counts for text in hands.of_13] * many)
    wins = np.array([ump.hand(text).counts for text in hands.wins] * many * 4)
    tiles = np.array([ump.hand(text).faces[-1] for text in hands.wins] * many * 4)
    return {
        TEXT: Work(ump.shanten, lambda: hands.of_13),
        VALUE: Work(ump.shanten, lambda: map(ump.hand, hands.of_13 * 5)),
        WAITS: Work(ump.waits, lambda: hands.of_13),
        UKEIRE: Work(ump.ukeire, lambda: hands.of_13),
        DISCARDS: Work(ump.discards, lambda: hands.of_14),
        WIN: Work(lambda text: ump.value(text, tsumo=text[-2:], riichi=True, dora="1z"), lambda: _with_last(hands)),
        ARRAY: Work(hand_arrays.shanten, lambda: [counts], MANY),
        USEFUL: Work(hand_arrays.useful_tiles, lambda: [counts], MANY),
        WINS: Work(lambda each: hand_arrays.values(each, tiles, tsumo=True, riichi=1, dora=[27]), lambda: [wins], MANY),
    }


def _with_last(hands: Hands) -> list[str]:
    """Return complete hands whose text ends with a tile alone."""
    texts = []
    for text in hands.wins:
        faces = parse_mpsz(text)
        texts.append(ump.format_tiles(faces[:-1]) + ump.format_tiles(faces[-1:]))
    return texts


def _mahjong(hands: Hands) -> dict[str, Work]:
    from mahjong.hand_calculating.hand import HandCalculator
    from mahjong.hand_calculating.hand_config import HandConfig
    from mahjong.shanten import Shanten
    from mahjong.tile import TilesConverter

    def tiles(text: str) -> list[int]:
        return TilesConverter.one_line_string_to_136_array(text, has_aka_dora=True)

    def value(text: str) -> object:
        of_hand = tiles(text)
        config = HandConfig(is_tsumo=True, is_riichi=True, player_wind=28, round_wind=27)
        return HandCalculator().estimate_hand_value(of_hand, of_hand[-1], dora_indicators=[108], config=config)

    arrays = [TilesConverter.to_34_array(tiles(text)) for text in hands.of_13]
    return {
        TEXT: Work(
            lambda text: Shanten.calculate_shanten(TilesConverter.to_34_array(tiles(text))), lambda: hands.of_13
        ),
        VALUE: Work(Shanten.calculate_shanten, lambda: arrays),
        WIN: Work(value, lambda: hands.wins),
    }


def _riichienv(hands: Hands) -> dict[str, Work]:
    import riichienv as library

    conditions = library.Conditions(tsumo=True, riichi=True, player_wind=library.SOUTH, round_wind=library.EAST)
    lists = [library.parse_hand(text)[0] for text in hands.of_13]
    return {
        TEXT: Work(lambda text: library.calculate_shanten(library.parse_hand(text)[0]), lambda: hands.of_13),
        VALUE: Work(library.calculate_shanten, lambda: lists * 5),
        WAITS: Work(lambda text: library.HandEvaluator(library.parse_hand(text)[0]).get_waits(), lambda: hands.of_13),
        WIN: Work(
            lambda text: library.HandEvaluator.calc_from_text(text, dora_indicators="1z", conditions=conditions),
            lambda: hands.wins,
        ),
    }


def _cmajiang(hands: Hands) -> dict[str, Work]:
    import cmajiang as library

    def shoupai(text: str) -> str:
        return format_shoupai(Shoupai(parse_mpsz(text)))

    of_13, wins = list(map(shoupai, hands.of_13)), list(map(shoupai, hands.wins))
    held = [library.Shoupai(text) for text in of_13]
    return {
        TEXT: Work(lambda text: library.xiangting(library.Shoupai(text)), lambda: of_13),
        VALUE: Work(library.xiangting, lambda: held * 5),
        UKEIRE: Work(lambda text: library.tingpai(library.Shoupai(text)), lambda: of_13),
        WIN: Work(lambda text: library.hule(library.Shoupai(text), lizhi=1, baopai=["z1"]), lambda: wins),
    }


def _mahjong_utils(hands: Hands) -> dict[str, Work]:
    from mahjong_utils.models.tile import parse_tiles
    from mahjong_utils.shanten import shanten

    def analyse(text: str) -> object:
        return shanten(parse_tiles(text))

    return {
        UKEIRE: Work(analyse, lambda: hands.of_13),
        DISCARDS: Work(analyse, lambda: hands.of_14),
    }


def _kago_utils(hands: Hands) -> dict[str, Work]:
    from kago_utils.hai import Hai34String
    from kago_utils.shanten import Shanten

    plain = [text.replace("0", "5") for text in hands.of_13]
    held = [Hai34String(text) for text in plain]
    return {
        TEXT: Work(lambda text: Shanten.calculate_shanten(Hai34String(text), 0), lambda: plain),
        VALUE: Work(lambda hand: Shanten.calculate_shanten(hand, 0), lambda: held),
    }


ASKS: dict[str, Callable[[Hands], dict[str, Work]]] = {
    "mahjong": _mahjong,
    "riichienv": _riichienv,
    "cmajiang": _cmajiang,
    "mahjong_utils": _mahjong_utils,
    "kago_utils": _kago_utils,
}


def measure_library(runs: int) -> Section:
    """Measure each question to each library, in turns; the first turn only warms up."""
    hands = Hands()
    works = {("ump", question): work for question, work in ours(hands).items()}
    missing = [PEERS[name] for name in PEERS if importlib.util.find_spec(name) is None]
    for name, distribution in PEERS.items():
        if distribution not in missing:
            works |= {(distribution, question): work for question, work in ASKS[name](hands).items()}
    section = Section(f"Hands a second of CPU time, random hands and closed wins, {runs} runs")
    rates = in_turns({key: work.rate for key, work in works.items()}, runs, "hands, run")
    for question in LEAST:
        for (library, asked), each in rates.items():
            if asked == question:
                section.lines.append(_line(question, library, rates["ump", question], each))
                section.runs[f"{question}, {library}"] = each
    if missing:
        section.notes.append(f"to compare more: {sys.executable} -m pip install {' '.join(missing)}")
    judge(section, rates)
    return section


def _line(question: str, library: str, own: Sequence[float], rates: Sequence[float]) -> dict[str, str | float]:
    """Return a line of the table."""
    line: dict[str, str | float] = {
        "question": question,
        "library": library,
        "hands/CPU-s": median(rates),
        "least .. most": spread(rates, 0),
    }
    if library != "ump":
        line["ump is"] = f"{ratio(own, rates):.3g} times as fast"
    return line


def judge(section: Section, rates: dict[tuple[str, str], list[float]]) -> None:
    """Compare the rates with the budgets."""
    for question, least in LEAST.items():
        section.budgets.append(Budget(question, median(rates["ump", question]), least, "a second", at_least=True))
    for question, times in TIMES.items():
        if ("mahjong", question) in rates:
            found = ratio(rates["ump", question], rates["mahjong", question])
            section.budgets.append(Budget(f"{question}, over mahjong's rate", found, times, "times", at_least=True))
