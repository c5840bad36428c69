"""Tenhou's walls from the seeds in its records."""

from __future__ import annotations

import gzip
import json
from base64 import b64encode
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from ump.record.mjlog.elements import read_elements
from ump.record.mjlog.game_reader import read_game
from ump.record.mjlog.shuffle import OF_GAME, OF_KYOKU, STATE, deal_of_kyoku, deals_of_game, mersenne_twister
from ump.record.recorded_game import RecordError

SAMPLE = 60


def test_generator_is_mt19937ar() -> None:
    """The first number in mt19937ar.out for its key, and the state of Random for the same words."""
    assert [mersenne_twister([0x123, 0x234, 0x345, 0x456]).getrandbits(32)] == [1067595299]
    key = [Random(7).getrandbits(32) | 1 for _ in range(STATE)]
    seed = sum(word << 32 * place for place, word in enumerate(key))
    assert mersenne_twister(key).getstate() == Random(seed).getstate()


def test_a_zero_word_at_the_end_counts() -> None:
    """The key is 624 words long even where the last is zero."""
    assert mersenne_twister([5, 0]).getstate() != mersenne_twister([5]).getstate()


@pytest.mark.parametrize("seed", [OF_GAME + "!", OF_GAME + "AAAA", OF_GAME, OF_GAME + b64encode(b"1" * 2500).decode()])
def test_damaged_seed_of_a_game_is_refused(seed: str) -> None:
    """Only 2,496 bytes in base64 are a seed."""
    with pytest.raises(RecordError):
        next(deals_of_game(seed))


@pytest.mark.parametrize("seed", [OF_KYOKU, OF_KYOKU + "1,,2", OF_KYOKU + "123456789", OF_KYOKU + "xyz"])
def test_damaged_seed_of_a_kyoku_is_refused(seed: str) -> None:
    """Only hexadecimal words of 32 bits are a seed."""
    with pytest.raises(RecordError):
        deal_of_kyoku(seed)


def test_every_deal_is_a_wall() -> None:
    """A deal has each tile once, and two dice."""
    seed = OF_GAME + b64encode(bytes(4 * STATE)).decode()
    for deal in (*islice(deals_of_game(seed), 20), deal_of_kyoku(OF_KYOKU + "1,2,3")):
        assert sorted(deal.tiles) == list(range(136))
        assert all(1 <= die <= 6 for die in deal.dice)


@pytest.mark.no_cover
def test_walls_are_tenhous(data: Path) -> None:
    """The walls equal those of walls.jsonl, and the dice those of the records."""
    with gzip.open(data / "tenhou" / "walls.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    rare = [row for row in rows if row["folder"] != "games"]
    for row in [*rows[:SAMPLE], *rare]:
        record = (data / "tenhou" / row["folder"] / row["file"]).read_bytes()
        kyoku = read_game(read_elements(record)).kyoku
        deals = [each.deal for each in kyoku]
        assert [deal and list(deal.tiles) for deal in deals] == row["walls"], row["file"]
        assert [deal and deal.dice for deal in deals] == [each.dice for each in kyoku]
