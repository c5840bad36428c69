"""Typed hands: the text determines the notation, and text in no notation is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ump.model.melds import MeldType
from ump.model.notation import NotationError, parse_written_hand, parse_written_tiles
from ump.model.tiles import Face

HAND: tuple[Face, ...] = (0, 1, 2, 12, 35, 14, 24, 25, 26, 27, 27, 28, 28)


@pytest.mark.parametrize(
    "text",
    [
        "123m406p789s1122z",
        "123m 406p 789s 1122z",
        "1m2m3m4p5P6p7s8s9s1z1z2z2z",
        "m123p406s789z1122",
        "m123 p406 s789 z1122",
        "1m 2m 3m 4p 5pr 6p 7s 8s 9s E E S S",
        "0,4,8,48,52,56,96,100,104,108,109,112,113",
        "0 4 8 48 52 56 96 100 104 108 109 112 113",
        "[110, 120, 130, 240, 253, 260, 370, 380, 390, 410, 411, 420, 421]",
        "110 120 130 240 253 260 370 380 390 410 411 420 421",
    ],
)
def test_one_hand_in_every_notation(text: str) -> None:
    """The same thirteen tiles in each notation."""
    hand = parse_written_hand(text)
    assert (hand.faces, hand.melds, hand.riichi) == (HAND, (), False)


@pytest.mark.parametrize(
    ("text", "melds"),
    [
        ("11z<2p3p4p>(6z6z6z6z)", [(MeldType.CHI, (10, 11, 12)), (MeldType.ANKAN, (32,) * 4)]),
        ("11z <234p> (6666z)", [(MeldType.CHI, (10, 11, 12)), (MeldType.ANKAN, (32,) * 4)]),
        ("11z <406p><0555s>", [(MeldType.CHI, (12, 35, 14)), (MeldType.DAIMINKAN, (36, 22, 22, 22))]),
        ("z11,p2-34,z6666", [(MeldType.CHI, (10, 11, 12)), (MeldType.ANKAN, (32,) * 4)]),
        ("11z p34-2 s55-05_3 z66-6_0", [(MeldType.CHI, (10, 11, 12)), (MeldType.KAKAN, (36, 22, 22, 22))]),
    ],
)
def test_melds_in_every_notation(text: str, melds: list[tuple[MeldType, tuple[Face, ...]]]) -> None:
    """Melds follow the concealed tiles, in brackets or after spaces and commas."""
    hand = parse_written_hand(text)
    assert hand.faces == (27, 27)
    assert [(meld.type, meld.faces) for meld in hand.melds][: len(melds)] == melds


def test_last_tile_is_the_drawn_one() -> None:
    """Tiles keep their order. Majiang's drawn tile is the last one, and its star means riichi."""
    assert parse_written_hand("123m406p789s1z22z1z").faces[-1] == 27
    assert parse_written_hand("m123p456s789z1122m9*").faces[-1] == 8
    assert parse_written_hand("m123p456s789z1122m9*").riichi
    assert parse_written_hand("m33p1177z1133z5,z444=").faces[-1] == 31
    assert parse_written_hand("m33p1177z1133z5 z44-4_0").faces[-1] == 31


def test_numbered_tiles_depend_on_the_red_fives() -> None:
    """The number of red fives decides which numbers mean them."""
    assert parse_written_tiles("16,17") == (34, 4)
    assert parse_written_tiles("16,17", (0, 0, 0)) == (4, 4)
    assert parse_written_tiles("[152, 153]", (2, 0, 0)) == (34, 34)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("110 111 120", "may be Tenhou's numbers or three-digit ids"),
        ("16 153", "is not a list of three-digit ids|must hold different ids"),
        ("hello", "is in no known notation"),
        ("12m 5P", "is in no known notation"),
        ("123m<12p>", "is in no known notation"),
        ("123m<", "is in no known notation"),
        ("m12_", "has hidden tiles"),
        ("11111m", "more than 4 tiles of a kind"),
        ("123456789m123456p", "more than 14 tiles"),
    ],
)
def test_text_in_no_notation_is_refused(text: str, problem: str) -> None:
    """One line says why, also if two notations would read different tiles."""
    with pytest.raises(NotationError, match=problem):
        parse_written_hand(text)


@given(st.text() | st.text("mpszMPSZr0123456789ESWNPFC-=+_*,<>()[] ", max_size=30))
def test_reading_raises_only_notation_error(text: str) -> None:
    """Any string gives tiles or NotationError."""
    for read in (parse_written_hand, parse_written_tiles):
        try:
            read(text)
        except NotationError as error:
            assert str(error).isprintable()
