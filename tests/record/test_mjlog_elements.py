"""The parts of mjlog: files as elements, damaged and hostile ones included, melds, and walls from the seeds."""

from __future__ import annotations

import gzip
import json
from base64 import b64encode
from itertools import islice
from pathlib import Path
from random import Random

import pytest
from support.rows import each_row

from ump.model.melds import Meld, MeldType
from ump.record.mjlog import read_game
from ump.record.mjlog_elements import (
    MOST,
    MOST_ELEMENTS,
    OF_GAME,
    OF_KYOKU,
    STATE,
    CodedMeld,
    Element,
    deal_of_kyoku,
    deals_of_game,
    mersenne_twister,
    read_elements,
    read_meld,
)
from ump.record.record_files import MOST_BYTES
from ump.record.recorded_game import RecordError

# Elements


ONE = b'<mjloggm ver="2.3"><GO type="9" lobby="0"/></mjloggm>'
PACKED = gzip.compress(ONE, mtime=0)  # without a time stamp, which would change the names of the tests


@each_row("data", [ONE, PACKED, b"\xef\xbb\xbf" + ONE, b'<?xml version="1.0"?>\n' + ONE])
def test_plain_and_packed_are_the_same(data: bytes) -> None:
    """A record is the list of the elements under its root, with or without gzip."""
    assert read_elements(data) == (Element("GO", {"type": "9", "lobby": "0"}),)


def test_an_attribute_twice() -> None:
    """Equal values are one; of different ones the first is kept and the name is listed, however many there are."""
    go = '<GO type="9" lobby="0" type=\'9\' lobby="1" lobby="2" type="9"/>'
    (element,) = read_elements(ONE.replace(b'<GO type="9" lobby="0"/>', go.encode()))
    assert element == Element("GO", {"type": "9", "lobby": "0"}, ("lobby",))


BOMB = gzip.compress(b"<mjloggm>" + b" " * (50 * MOST_BYTES) + b"</mjloggm>", mtime=0)


@each_row(
    ("data", "why"),
    [
        (b"", "empty"),
        (b" \n", "empty"),
        (b"no record", "not well-formed XML: syntax error: line 1, column 0"),
        (ONE.replace(b"</mjloggm>", b"</x>"), "not well-formed XML: mismatched tag: line 1, column"),
        (ONE + ONE, "not well-formed XML: junk after document element: line 1, column 53"),
        (b"<html/>", "not a Tenhou record: the root element is html, not mjloggm"),
        (b"<mjloggm><GO><UN/></GO></mjloggm>", "unexpected element inside GO"),
        (b"<mjloggm>\xff</mjloggm>", "not UTF-8: byte 9"),
        (b"<mjloggm>" + b"<UN/>" * (MOST_ELEMENTS + 1) + b"</mjloggm>", f"more than {MOST_ELEMENTS} elements"),
        (b" " * (MOST_BYTES + 1), f"more than {MOST_BYTES} bytes"),
        (BOMB, f"unpacks to more than {MOST_BYTES} bytes"),
        (PACKED[:-9], "damaged gzip: Compressed file ended before the end-of-stream marker was reached"),
        (PACKED[:4] + b"\xff" * 30, "damaged gzip"),
        (b'<!DOCTYPE mjloggm [<!ENTITY a "b">]><mjloggm>&a;</mjloggm>', "a document type is not allowed"),
        (b'<!DOCTYPE mjloggm SYSTEM "file:///etc/passwd"><mjloggm/>', "a document type is not allowed"),
        (b"<mjloggm>&a;</mjloggm>", "not well-formed XML: undefined entity"),
    ],
)
def test_anything_else_is_refused_in_one_line(data: bytes, why: str) -> None:
    """Damaged or large files, other XML, and files that declare entities raise a RecordError with the reason."""
    with pytest.raises(RecordError) as caught:
        read_elements(data)
    assert str(caught.value).startswith(why)
    assert "\n" not in str(caught.value)


# Melds


CHI_1 = (0 * 3 + 1) << 10 | 1 << 7 | 0 << 5 | 3 << 3 | 4 | 3
"""123m with copies 3, 0, 1; the 2m is called from the player to the left."""
PON = (33 * 3 + 2) << 9 | 1 << 5 | 8 | 2
KAKAN = (33 * 3 + 2) << 9 | 1 << 5 | 16 | 2


@each_row(
    ("code", "meld"),
    [
        (CHI_1, CodedMeld(MeldType.CHI, (3, 9), 4, 0)),
        (PON, CodedMeld(MeldType.PON, (132, 134), 135, 3)),
        (KAKAN, CodedMeld(MeldType.KAKAN, (132, 134), 135, 3, 133)),
        (16 << 8, CodedMeld(MeldType.ANKAN, (16, 17, 18, 19), None, None)),
        (17 << 8 | 1, CodedMeld(MeldType.DAIMINKAN, (16, 18, 19), 17, 2)),
    ],
)
def test_decoding_a_meld(code: int, meld: CodedMeld) -> None:
    """Each type of meld, made by seat 1, with its physical tiles and the seat that discarded the called tile."""
    assert read_meld(1, code) == meld


def test_red_five_is_a_face_of_its_own() -> None:
    """The ruleset decides which tiles are red; players see faces."""
    coded = read_meld(1, 17 << 8 | 1)
    assert coded.as_meld((1, 1, 1)) == Meld(MeldType.DAIMINKAN, (34, 4, 4), 4, 2)
    assert coded.as_meld((0, 0, 0)) == Meld(MeldType.DAIMINKAN, (4, 4, 4), 4, 2)


@each_row("code", [-1, MOST, 0xFFFF, 21 * 3 << 10 | 7, CHI_1 & ~3, PON & ~3, 136 << 8, 120 << 8 | 32])
def test_other_codes_are_refused(code: int) -> None:
    """Codes beyond 16 bits, without a tile, without a discarder, or of a north set aside."""
    with pytest.raises(RecordError):
        read_meld(0, code)


def test_every_code_is_a_meld_or_refused() -> None:
    """All 16-bit codes give distinct tiles from 0 to 135, or raise RecordError."""
    for code in range(MOST):
        try:
            coded = read_meld(2, code)
        except RecordError:
            continue
        tiles = [tile for tile in (*coded.own, coded.called, coded.added) if tile is not None]
        assert len(set(tiles)) == len(tiles) and all(0 <= tile < 136 for tile in tiles)
        coded.as_meld((1, 1, 1))


# Walls from the seeds


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


@each_row("seed", [OF_GAME + "!", OF_GAME + "AAAA", OF_GAME, OF_GAME + b64encode(b"1" * 2500).decode()])
def test_damaged_seed_of_a_game_is_refused(seed: str) -> None:
    """Only 2,496 bytes in base64 are a seed."""
    with pytest.raises(RecordError):
        next(deals_of_game(seed))


@each_row("seed", [OF_KYOKU, OF_KYOKU + "1,,2", OF_KYOKU + "123456789", OF_KYOKU + "xyz"])
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
