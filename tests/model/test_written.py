"""Typed hands: the text determines the notation, and text in no notation is refused."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.rows import each_row

from ump.model.melds import MeldType
from ump.model.notation import MAJIANG_FACES, MJAI_FACES, MPSZ_FACES, UMP_FACES, NotationError, format_mpsz
from ump.model.tiles import FACES, KIND_OF, KINDS, Face
from ump.model.written import KANJI_NUMBERS, UNICODE_KINDS, UNUSED_TILES, parse_written_hand, parse_written_tiles

KANJI_FACES = (
    *(number + suit for suit, number in product("萬筒索", KANJI_NUMBERS)),
    *"東南西北白發中",
    *("赤五萬", "赤五筒", "赤五索"),
)
"""Each face in kanji: the index is the face."""

HAND: tuple[Face, ...] = (0, 1, 2, 12, 35, 14, 24, 25, 26, 27, 27, 28, 28)


@each_row(
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
        "123M406P789S1122Z",
        "M123 P406 S789 Z1122",
        "123m406p789s EE SS",
        "一二三萬 四筒 赤五筒 六筒 七八九索 東東南南",
        "一万二万三万4筒0筒6筒七条八條九索东东南南",
        "一二三④赤⑤⑥789s東東南南",
        "１２３ｍ、４０６ｐ、７８９ｓ、１１２２ｚ",
        "123萬406餅789索1122字",
        "🀇🀈🀉 🀜0p🀞 🀖🀗🀘 🀀🀀🀁🀁",
        "🀇\ufe0e🀈\ufe0e🀉\ufe0e 🀜\ufe0e0p🀞\ufe0e 🀖🀗🀘 🀀🀀🀁🀁",
    ],
)
def test_one_hand_in_every_notation(text: str) -> None:
    """The same thirteen tiles in each notation."""
    assert parse_written_hand(text) == (HAND, (), False)


@each_row(
    ("text", "melds"),
    [
        ("11z<2p3p4p>(6z6z6z6z)", [(MeldType.CHI, (10, 11, 12)), (MeldType.ANKAN, (32,) * 4)]),
        ("11z <234p> (6666z)", [(MeldType.CHI, (10, 11, 12)), (MeldType.ANKAN, (32,) * 4)]),
        ("11z <406p><0555s>", [(MeldType.CHI, (12, 35, 14)), (MeldType.DAIMINKAN, (36, 22, 22, 22))]),
        ("z11,p2-34,z6666", [(MeldType.CHI, (10, 11, 12)), (MeldType.ANKAN, (32,) * 4)]),
        ("東東<二三四筒>(發發發發)", [(MeldType.CHI, (10, 11, 12)), (MeldType.ANKAN, (32,) * 4)]),
        ("🀀🀀 ＜🀚🀛🀜＞（🀅🀅🀅🀅）", [(MeldType.CHI, (10, 11, 12)), (MeldType.ANKAN, (32,) * 4)]),
        ("11Z <2P,3P,4P> Z6666", [(MeldType.CHI, (10, 11, 12)), (MeldType.ANKAN, (32,) * 4)]),
        ("Z11,P2-34,Z6666", [(MeldType.CHI, (10, 11, 12)), (MeldType.ANKAN, (32,) * 4)]),
        ("11z p34-2 s55-05_3 z66-6_0", [(MeldType.CHI, (10, 11, 12)), (MeldType.KAKAN, (36, 22, 22, 22))]),
    ],
)
def test_melds_in_every_notation(text: str, melds: list[tuple[MeldType, tuple[Face, ...]]]) -> None:
    """Melds follow the concealed tiles, in brackets or after spaces and commas."""
    faces, found, _ = parse_written_hand(text)
    assert faces == (27, 27)
    assert [(meld.type, meld.faces) for meld in found][: len(melds)] == melds


def test_last_tile_is_the_drawn_one() -> None:
    """Tiles keep their order. Majiang's drawn tile is the last one, and its star means riichi."""
    assert parse_written_hand("123m406p789s1z22z1z")[0][-1] == 27
    assert parse_written_hand("m123p456s789z1122m9*")[0][-1] == 8
    assert parse_written_hand("m123p456s789z1122m9*")[2]
    assert parse_written_hand("m33p1177z1133z5,z444=")[0][-1] == 31
    assert parse_written_hand("m33p1177z1133z5 z44-4_0")[0][-1] == 31


def test_numbered_tiles_depend_on_the_red_fives() -> None:
    """The number of red fives decides which numbers mean them."""
    assert parse_written_tiles("16,17") == (34, 4)
    assert parse_written_tiles("16,17", (0, 0, 0)) == (4, 4)
    assert parse_written_tiles("[152, 153]", (2, 0, 0)) == (34, 34)


@each_row(
    ("text", "faces"),
    [
        ("5M", (34,)),
        ("1m5M", (0, 34)),
        ("5M5m", (34, 4)),
        ("5P 東", (35, 27)),
        ("5M E", (34, 27)),
        ("5M1Z", (4, 27)),
        ("4M5M6M", (3, 4, 5)),
        ("123M5P", (0, 1, 2, 13)),
        ("555M", (4, 4, 4)),
        ("0M5M", (34, 4)),
        ("M5", (4,)),
        ("1m5MR", (0, 34)),
    ],
)
def test_a_capital_five_is_red_only_in_the_notation_of_ump(text: str, faces: tuple[Face, ...]) -> None:
    """Elsewhere upper case means nothing; a mixture is refused (see the next test)."""
    assert parse_written_tiles(text) == faces


@each_row(
    ("text", "part", "problem"),
    [
        ("16 153", "16", "not a three-digit id"),
        ("16,52,16", "16", "twice"),
        ("hello", "h", "not part of a tile"),
        ("123m406p789s1182z", "8", "there is no tile 8z; honours are 1z to 7z"),
        ("m12z08", "0", "there is no tile 0z"),
        ("123m 零萬", "零", "not part of a tile"),
        ("123m406", "406", "the suit is missing; add m, p, s or z"),
        ("123x", "x", "not a suit; suits are m, p, s, and z for honours"),
        ("123m,p,1z", "p", "a suit without a number"),
        ("12m 5P", "5P", "either a red five .UMP's 5P. or a plain one; write 0p or 5p"),
        ("12m 50mr", "50mr", "a red five stands alone"),
        ("赤4m", "赤4m", "only a five of m, p or s can be red"),
        ("1m 赤東", "赤東", "only a five of m, p or s can be red"),
        ("一二 三筒", "一二", "the suit is missing; write 一二萬, 筒 or 索"),
        ("🀇🀢", "🀢", "riichi is played without this tile"),
        ("123m<12p>", "<12p>", "not a meld"),
        ("123m<>", "<>", "not a meld"),
        ("123m<12x>", "x", "not a suit"),
        ("123m<", "<", "this bracket has no partner"),
        ("11111m", "1", "this is one 1m too many; there are 4 of a kind"),
        ("123456789m123456p", "6", "this is one tile too many; a hand has at most 14"),
        ("123456789m123p<234s>", "3", "this is one tile too many"),
        ("🀀🀀E <東東東>", "🀀", "this is one 1z too many"),
    ],
)
def test_an_error_points_at_the_wrong_part(text: str, part: str, problem: str) -> None:
    """The message quotes the part and gives its position, and the error has its place in the text."""
    with pytest.raises(NotationError, match=problem) as caught:
        parse_written_hand(text)
    error = caught.value
    assert error.span is not None
    assert (error.text, text[slice(*error.span)]) == (text, part)
    assert str(error).startswith(f"{part!r} at position {error.span[0] + 1}: ")


def test_the_position_is_that_of_the_wrong_tile() -> None:
    """Not of an equal tile before it."""
    for text, position in (("11111m", 5), ("1m 1m 1m 1m 1m", 13), ("1234567z8z", 9), ("1,2,1", 5)):
        with pytest.raises(NotationError, match=f"at position {position}: "):
            parse_written_hand(text)


@each_row(
    ("text", "problem"),
    [
        ("110 111 120", "may be Tenhou's numbers or three-digit ids"),
        ("m12_", "has hidden tiles"),
        ("1" * 1025, "is longer than 1024 characters"),
    ],
)
def test_text_that_is_wrong_as_a_whole_is_quoted(text: str, problem: str) -> None:
    """One line says why, also if two notations would read different tiles."""
    with pytest.raises(NotationError, match=problem) as caught:
        parse_written_hand(text)
    assert caught.value.span is None


@given(
    st.lists(st.integers(0, FACES - 1), max_size=30),
    st.sampled_from(
        [
            format_mpsz,
            lambda faces: "".join(UMP_FACES[face] for face in faces),
            lambda faces: " ".join(MJAI_FACES[face] for face in faces),
            lambda faces: " ".join(MAJIANG_FACES[face] for face in faces),
            lambda faces: "".join(KANJI_FACES[face] for face in faces),
            lambda faces: "".join(UNICODE_KINDS[face] if face < KINDS else MPSZ_FACES[face] for face in faces),
        ]
    ),
)
def test_tiles_are_read_back(faces: list[Face], write: Callable[[list[Face]], str]) -> None:
    """Reading is the inverse of writing, in every notation that has all tiles."""
    assert parse_written_tiles(write(faces)) == tuple(faces)


@given(st.lists(st.integers(0, FACES - 1), max_size=30))
def test_upper_case_reads_like_lower_case(faces: list[Face]) -> None:
    """If a text in upper case is not in UMP's notation; there is a tile with another number before each."""
    text = "".join(f"1{MPSZ_FACES[face]}" for face in faces)
    assert parse_written_tiles(text.upper()) == parse_written_tiles(text)


SIGNS = "mpszMPSZr0123456789ESWNPFC-=+_*,<>()[] １五萬筒索字赤東白發発中①⑤🀀🀇🀢\ufe0f\n"


@given(st.text() | st.text(SIGNS, max_size=30))
def test_reading_raises_only_notation_error(text: str) -> None:
    """Any string gives tiles or NotationError."""
    for read in (parse_written_hand, parse_written_tiles):
        try:
            read(text)
        except NotationError as error:
            assert str(error).isprintable()
            assert error.text == text
            assert error.span is None or 0 <= error.span[0] < error.span[1] <= len(text)


def test_every_sign_is_a_different_kind() -> None:
    """The tables of kanji and of Unicode tiles have one sign per kind; the rest of the Unicode block is unused."""
    assert [KIND_OF[parse_written_tiles(sign)[0]] for sign in UNICODE_KINDS] == list(range(KINDS))
    assert [parse_written_tiles(sign) for sign in KANJI_FACES] == [(face,) for face in range(FACES)]
    assert {*UNICODE_KINDS} | UNUSED_TILES == {chr(code) for code in range(0x1F000, 0x1F02C)}
