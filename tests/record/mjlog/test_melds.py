"""Decoding melds."""

from __future__ import annotations

import pytest

from ump.model.melds import Meld, MeldType
from ump.record.mjlog.melds import MOST, CodedMeld, read_meld
from ump.record.recorded_game import RecordError

CHI_1 = (0 * 3 + 1) << 10 | 1 << 7 | 0 << 5 | 3 << 3 | 4 | 3
"""123m with copies 3, 0, 1; the 2m is called from the player to the left."""
PON = (33 * 3 + 2) << 9 | 1 << 5 | 8 | 2
KAKAN = (33 * 3 + 2) << 9 | 1 << 5 | 16 | 2


@pytest.mark.parametrize(
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


@pytest.mark.parametrize("code", [-1, MOST, 0xFFFF, 21 * 3 << 10 | 7, CHI_1 & ~3, PON & ~3, 136 << 8, 120 << 8 | 32])
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
