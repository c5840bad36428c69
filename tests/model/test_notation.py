"""Notations: one table of cases for each, read and written; any other text raises only NotationError."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.rows import each_row

from ump.model.melds import Meld, MeldType
from ump.model.notation import (
    MAJIANG_FACES,
    MJAI_FACES,
    MPSZ_FACES,
    UMP_FACES,
    MajiangTile,
    NotationError,
    Shoupai,
    format_majiang_meld,
    format_majiang_tile,
    format_mpsz,
    format_shoupai,
    format_ump_faces,
    format_ump_hand,
    parse_id_meld,
    parse_id_tiles,
    parse_majiang_face,
    parse_majiang_meld,
    parse_majiang_tile,
    parse_mjai_face,
    parse_mpsz,
    parse_shoupai,
    parse_tenhou_tiles,
    parse_ump_face,
    parse_ump_faces,
    parse_ump_hand,
)
from ump.model.tiles import FACES, KINDS, RED_FIVES, TILES, Face, faces_of_tiles, sort_faces

M1, M5, P5, S5 = 0, 4, 13, 22
M0, P0, S0 = RED_FIVES
WHITE, GREEN, RED = 31, 32, 33

FACE_CASES = [
    # face, UMP, mjai, Majiang, MPSZ
    (0, "1m", "1m", "m1", "1m"),
    (8, "9m", "9m", "m9", "9m"),
    (9, "1p", "1p", "p1", "1p"),
    (26, "9s", "9s", "s9", "9s"),
    (27, "1z", "E", "z1", "1z"),
    (30, "4z", "N", "z4", "4z"),
    (31, "5z", "P", "z5", "5z"),
    (32, "6z", "F", "z6", "6z"),
    (33, "7z", "C", "z7", "7z"),
    (34, "5M", "5mr", "m0", "0m"),
    (35, "5P", "5pr", "p0", "0p"),
    (36, "5S", "5sr", "s0", "0s"),
]

chi, pon, daiminkan, ankan, kakan = MeldType.CHI, MeldType.PON, MeldType.DAIMINKAN, MeldType.ANKAN, MeldType.KAKAN

MAJIANG_MELDS = [
    # normal form, owner, meld
    ("m1-23", 0, Meld(chi, (1, 2), 0, 3)),
    ("s34-0", 2, Meld(chi, (20, S0), 21, 1)),
    ("p067-", 1, Meld(chi, (P0, 14), 15, 0)),
    ("p500+", 0, Meld(pon, (P0, P5), P0, 1)),
    ("s505=", 1, Meld(pon, (S0, S5), S5, 3)),
    ("s550-", 3, Meld(pon, (S5, S5), S0, 2)),
    ("z666=", 0, Meld(pon, (GREEN, GREEN), GREEN, 2)),
    ("s5505+", 3, Meld(daiminkan, (S0, S5, S5), S5, 0)),
    ("m5550", 0, Meld(ankan, (M0, M5, M5, M5))),
    ("z1111", 0, Meld(ankan, (27, 27, 27, 27))),
    ("s505-5", 1, Meld(kakan, (S0, S5), S5, 0, S5)),
    ("s555+0", 0, Meld(kakan, (S5, S5), S5, 1, S0)),
]

ID_MELDS = [
    # text, owner, meld; targets count to the right
    ("m13-2", 1, Meld(chi, (0, 2), 1, 0)),
    ("m78-6", 0, Meld(chi, (6, 7), 5, 3)),
    ("p50-5_2", 0, Meld(pon, (P0, P5), P5, 2)),
    ("s55-05_3", 0, Meld(kakan, (S5, S5), S0, 3, S5)),
    ("m550-5_1", 3, Meld(daiminkan, (M0, M5, M5), M5, 0)),
    ("z7777", 2, Meld(ankan, (RED, RED, RED, RED))),
]

ABSOLUTE_ID_MELDS = [
    ("m11-1_2", Meld(pon, (0, 0), 0, 2)),
    ("p22-2_1", Meld(pon, (10, 10), 10, 1)),
    ("s33-3_0", Meld(pon, (20, 20), 20, 0)),
    ("s99-99_0", Meld(kakan, (26, 26), 26, 0, 26)),
    ("m555-0_0", Meld(daiminkan, (M5, M5, M5), M0, 0)),
]

SHOUPAI = [
    ("", Shoupai(())),
    ("m1", Shoupai((0,))),
    ("_____________", Shoupai((), hidden=13)),
    ("_____________z1", Shoupai((27,), drawn=27, hidden=13)),
    ("m12z1___,s7-89", Shoupai((0, 1, 27), (Meld(chi, (25, 26), 24, 3),), hidden=3)),
    ("m1112345678999*", Shoupai((0, 0, 0, 1, 2, 3, M5, 5, 6, 7, 8, 8, 8), riichi=True)),
    ("m1112345678999p2", Shoupai((0, 0, 0, 1, 2, 3, M5, 5, 6, 7, 8, 8, 8, 10), drawn=10)),
    ("m1112340678999m5*", Shoupai((0, 0, 0, 1, 2, 3, M0, M5, 5, 6, 7, 8, 8, 8), drawn=M5, riichi=True)),
    ("m33p1177z11*,z4444", Shoupai((2, 2, 9, 9, 15, 15, 27, 27), (Meld(ankan, (30,) * 4),), riichi=True)),
    (
        "m33p1177z1133z5,z444=",
        Shoupai((2, 2, 9, 9, 15, 15, 27, 27, 29, 29, 31), (Meld(pon, (30, 30), 30, 2),), drawn=31),
    ),
    (
        "m123p05599z777,s67-8,",
        Shoupai((0, 1, 2, P0, P5, P5, 17, 17, 33, 33, 33), (Meld(chi, (23, 25), 24, 3),), called=True),
    ),
]

REFUSED: list[tuple[Callable[[str], object], list[str]]] = [
    (parse_ump_face, ["", "0m", "5Z", "8z", "m5", "5m ", "5m\n", "\uff15m", "1mm"]),
    (parse_ump_faces, ["1", "1m2", "1m 2m", "1M", "1m" * 600]),
    (
        parse_ump_hand,
        [
            "<1m2m3m",
            "<>",
            "()",
            "<1m1m2m>",
            "<8m9m1p>",
            "<1z2z3z>",
            "(1m1m1m)",
            "(1m1m1m1m>",
            "<1m1m1m1m1m>",
            "<1m2m3m>1m",
            "1m1m1m1m1m",
            "1m2m3m4m5m6m7m8m9m1p2p3p4p5p6p",
            "1m2m3m4m5m6m7m8m9m1p2p3p<1s2s3s>",
            "<1m2m3m><4m5m6m><7m8m9m><1p2p3p><4p5p6p>",
        ],
    ),
    (parse_mjai_face, ["", "1z", "5mR", "4mr", "e", "?", "5m "]),
    (parse_majiang_face, ["", "z0", "z8", "5m", "m10", "_", "m\u0665"]),
    (parse_majiang_tile, ["", "mm", "m9=*", "p5__", "m3*_", "_"]),
    (
        lambda text: parse_majiang_meld(text, 0),
        ["", "m123", "z1-23", "m1p2s3-", "m111+2", "m1+23", "m12=3", "m11+1", "m1+11", "m1111+1", "z8888", "m111-11"],
    ),
    (
        parse_shoupai,
        [
            "m",
            "123m",
            "p1m1",
            "m1*2",
            "m1,",
            "m1112345678999z1z2",
            "m1z1m2",
            "m11111",
            "m12z11223,s7-89,z444=,",
            "_" * 15,
            "m123p05599z77,s67-8,",
            "m1112345678999,",
            "m1,,z1111",
            "m1,x",
        ],
    ),
    (parse_mpsz, ["m", "123", "1m2", "0z", "8z", "12 3m", "1M", "\u0661m", "1" * 2000 + "m"]),
    (parse_tenhou_tiles, ["136", "1,1", "1,,2", ",", "1, 2", "-1", "0001", "1,"]),
    (parse_id_tiles, ["", "152", "[152", "[152,152]", "[109]", "[114]", "[194]", "[480]", "[510]", "[152,]", "[]\n"]),
    (
        lambda text: parse_id_meld(text, 0),
        [
            "",
            "m13-2_3",
            "m12-2",
            "m11-1",
            "m11-1_0",
            "m11-1_4",
            "m11-1_",
            "m11_1",
            "z7777_1",
            "m111",
            "m1111-1_1",
            "m55-055_1",
            "z12-3",
            "M13-2",
            "z88-8_1",
        ],
    ),
]


@each_row(("face", "ump", "mjai", "majiang", "mpsz"), FACE_CASES)
def test_each_notation_has_its_own_spelling_of_a_face(face: Face, ump: str, mjai: str, majiang: str, mpsz: str) -> None:
    """The tables of faces and the parsers have the same spellings."""
    assert (UMP_FACES[face], MJAI_FACES[face], MAJIANG_FACES[face], MPSZ_FACES[face]) == (ump, mjai, majiang, mpsz)
    assert (parse_ump_face(ump), parse_mjai_face(mjai), parse_majiang_face(majiang), *parse_mpsz(mpsz)) == (face,) * 4


def test_every_face_has_one_spelling() -> None:
    """In each notation, the 37 faces have different spellings, and each is read as its face."""
    tables: list[tuple[tuple[str, ...], Callable[[str], Face]]] = [
        (UMP_FACES, parse_ump_face),
        (MJAI_FACES, parse_mjai_face),
        (MAJIANG_FACES, parse_majiang_face),
        (MPSZ_FACES, lambda text: parse_mpsz(text)[0]),
    ]
    for spellings, parse in tables:
        assert [parse(spelling) for spelling in spellings] == list(range(FACES))


@each_row(
    ("text", "faces", "written"),
    [
        ("", (), ""),
        ("123m406p77z", (0, 1, 2, 12, P0, 14, RED, RED), "123m406p77z"),
        ("1m2m3m4p0p6p7z7z", (0, 1, 2, 12, P0, 14, RED, RED), "123m406p77z"),
        ("123m5p1m", (0, 1, 2, P5, 0), "123m5p1m"),
    ],
)
def test_mpsz_groups_neighbours_of_a_suit(text: str, faces: tuple[Face, ...], written: str) -> None:
    """Tiles are read in their order; neighbours of one suit are written together."""
    assert parse_mpsz(text) == faces
    assert format_mpsz(faces) == written


def test_ump_hand_is_sorted_and_followed_by_its_melds() -> None:
    """A red five stands before plain ones; closed kans have round brackets, other melds angle brackets."""
    melds = (Meld(chi, (10, 12), 11, 0), Meld(kakan, (GREEN, GREEN), GREEN, 2, GREEN), Meld(ankan, (S0, S5, S5, S5)))
    text = "5M5m5m7z<2p3p4p><6z6z6z6z>(5S5s5s5s)"
    assert format_ump_hand((RED, M5, M0, M5), melds) == text
    faces, read = parse_ump_hand(text)
    assert faces == (M0, M5, M5, RED)
    assert [meld.faces for meld in read] == [meld.faces for meld in melds]
    assert [meld.type for meld in read] == [chi, daiminkan, ankan]
    assert {meld.source for meld in read} == {None}


@each_row(
    ("text", "tile"),
    [
        ("m3", MajiangTile(2)),
        ("m0_", MajiangTile(M0, drawn=True)),
        ("p9_*", MajiangTile(17, drawn=True, riichi=True)),
        ("z1*=", MajiangTile(27, riichi=True, direction="=")),
        ("s4_+", MajiangTile(21, drawn=True, direction="+")),
    ],
)
def test_majiang_tile_with_marks(text: str, tile: MajiangTile) -> None:
    """The marks for drawn, riichi and direction follow the tile in this order."""
    assert parse_majiang_tile(text) == tile
    assert format_majiang_tile(tile) == text


@each_row(("text", "owner", "meld"), MAJIANG_MELDS)
def test_majiang_meld_in_normal_form(text: str, owner: int, meld: Meld) -> None:
    """Own tiles come first, red fives before plain ones, then the called tile with its direction, then an added one."""
    assert parse_majiang_meld(text, owner) == meld
    assert format_majiang_meld(meld, owner) == text


@each_row(
    ("text", "normal"),
    [
        ("m460-", "m40-6"),
        ("m304-", "m34-0"),
        ("s0050=", "s5000="),
        ("p055-", "p505-"),
        ("m0555", "m5550"),
        ("m3-12", "m123-"),
    ],
)
def test_majiang_meld_is_read_in_any_order(text: str, normal: str) -> None:
    """The digits of a meld may come in any order; it is written in normal form."""
    assert format_majiang_meld(parse_majiang_meld(text, 2), 2) == normal


def test_three_players_have_no_opposite() -> None:
    """At a table of three the left neighbour is two seats further on."""
    assert parse_majiang_meld("m111-", 0, 3).source == 2
    with pytest.raises(NotationError):
        parse_majiang_meld("m111=", 0, 3)


@each_row(("text", "hand"), SHOUPAI)
def test_shoupai_in_normal_form(text: str, hand: Shoupai) -> None:
    """The drawn tile stands at the end, riichi before the melds; a comma at the end means a discard is due."""
    assert parse_shoupai(text) == hand
    assert format_shoupai(hand) == text


def test_last_tile_of_a_full_shoupai_is_the_drawn_one() -> None:
    """A hand of 14 tiles without melds is read as if the last one had just been drawn."""
    assert parse_shoupai("m123p456s789z11222").drawn == 28
    assert format_shoupai(parse_shoupai("m123p456s789z11222")) == "m123p456s789z1122z2"
    assert parse_shoupai("m321p456s789z1122").faces[:3] == (0, 1, 2)


@each_row(("text", "owner", "meld"), ID_MELDS)
def test_id_meld_counts_targets_to_the_right(text: str, owner: int, meld: Meld) -> None:
    """Suit, own tiles, picked tiles, target: 1 is the right neighbour, and a run is from the left one."""
    assert parse_id_meld(text, owner) == meld


@each_row(("text", "meld"), ABSOLUTE_ID_MELDS)
def test_id_meld_with_absolute_targets(text: str, meld: Meld) -> None:
    """With absolute targets, the target is the seat."""
    assert parse_id_meld(text, 3, absolute=True) == meld


def test_id_meld_never_comes_from_its_owner() -> None:
    """A target that is the owner is refused, whether relative or absolute."""
    for text, absolute in (("m11-1_0", False), ("m11-1_3", True)):
        with pytest.raises(NotationError):
            parse_id_meld(text, 3, absolute=absolute)


def test_last_copy_of_a_five_is_red_among_ids() -> None:
    """Tenhou's tile 16 is id 153. Other kinds keep the order of their copies, and so do fives without red ones."""
    assert parse_id_tiles("[153, 150, 152, 110, 473]") == (16, 17, 19, 0, 135)
    assert parse_id_tiles("[150, 252, 253]", (0, 2, 0)) == (16, 52, 53)


@each_row(("parse", "text"), [(parse, text) for parse, texts in REFUSED for text in texts])
def test_invalid_text_is_refused(parse: Callable[[str], object], text: str) -> None:
    """Text that the notation does not allow raises NotationError with one line of ASCII."""
    with pytest.raises(NotationError) as caught:
        parse(text)
    assert str(caught.value).isascii()
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 200


READERS: list[Callable[[str], object]] = [
    *(parse for parse, _ in REFUSED),
    lambda text: parse_majiang_meld(text, 2, 3),
    lambda text: parse_id_meld(text, 3, absolute=True),
]
NEARLY = st.text("mpszMPSZr0123456789ESWNPFC-=+_*,<>()[] \n", max_size=40)


@pytest.mark.no_cover
@each_row("parse", READERS)
@given(text=st.text() | NEARLY)
def test_parsers_raise_only_notation_error(parse: Callable[[str], object], text: str) -> None:
    """Any string gives a value or NotationError."""
    try:
        parse(text)
    except NotationError as error:
        assert str(error).isascii()
        assert str(error).isprintable()


reds = st.sampled_from([(1, 1, 1), (0, 0, 0), (1, 2, 1), (0, 4, 1)])
walls = st.randoms(use_true_random=False).map(lambda random: tuple(random.sample(range(TILES), TILES)))
faces = st.lists(st.integers(0, FACES - 1), max_size=30).map(tuple)
seats = st.integers(0, 3)


@st.composite
def melds(draw: st.DrawFn, owner: int) -> Meld:
    """Draw a meld of this owner, of tiles that exist."""
    spelt = faces_of_tiles(draw(reds))
    copies = draw(st.permutations(range(4)))
    source = (owner + draw(st.integers(1, 3))) % 4
    type_ = draw(st.sampled_from(MeldType))
    if type_ is chi:
        low = draw(st.sampled_from([kind for kind in range(25) if kind % 9 < 7]))
        first, *own = draw(st.permutations([spelt[(low + step) * 4 + copies[step]] for step in range(3)]))
        return Meld(chi, sort_faces(own), first, (owner - 1) % 4)
    kind = draw(st.integers(0, KINDS - 1))
    one, two, three, four = (spelt[kind * 4 + copy] for copy in copies)
    return {
        pon: Meld(pon, sort_faces((one, two)), three, source),
        kakan: Meld(kakan, sort_faces((one, two)), three, source, four),
        daiminkan: Meld(daiminkan, sort_faces((one, two, three)), four, source),
        ankan: Meld(ankan, sort_faces((one, two, three, four))),
    }[type_]


@given(st.data(), seats)
def test_melds_round_trip(data: st.DataObject, owner: int) -> None:
    """Majiang's melds keep all information; UMP's melds keep the tiles."""
    meld = data.draw(melds(owner))
    assert parse_majiang_meld(format_majiang_meld(meld, owner), owner) == meld
    (read,) = parse_ump_hand(format_ump_hand((), (meld,)))[1]
    assert (read.faces, read.is_kan, read.is_open) == (meld.faces, meld.is_kan, meld.is_open)


@given(faces)
def test_faces_round_trip_in_their_order(faces: tuple[Face, ...]) -> None:
    """Lists of faces keep their order in every notation for them."""
    assert parse_ump_faces(format_ump_faces(faces)) == faces
    assert parse_mpsz(format_mpsz(faces)) == faces


@pytest.mark.no_cover
@given(st.data(), walls, seats)
def test_hands_round_trip(data: st.DataObject, wall: tuple[int, ...], owner: int) -> None:
    """Hands of up to 14 tiles in UMP's and Majiang's notation; the last of 14 is the drawn one."""
    concealed = tuple(faces_of_tiles(data.draw(reds))[tile] for tile in wall[: data.draw(st.integers(0, 14))])
    drawn = concealed[-1] if len(concealed) == 14 else None
    hand = Shoupai(sort_faces(concealed), (), drawn, riichi=data.draw(st.booleans()))
    assert parse_shoupai(format_shoupai(hand, owner), owner) == hand
    assert parse_ump_hand(format_ump_hand(concealed)) == (sort_faces(concealed), ())


def test_longest_valid_text_is_read() -> None:
    """A whole wall of ids with separators is within the limit."""
    kinds = [*range(11, 20), *range(21, 30), *range(31, 40), *range(41, 48)]
    ids = [10 * kind + copy for kind in kinds for copy in range(4)]
    assert sorted(parse_id_tiles(str(ids))) == list(range(TILES))


def recorded(data: Path, name: str) -> list[tuple[str, str | None]]:
    """Return strings with their normal forms by kobalab/majiang-core, None for invalid ones."""
    rows = json.loads(gzip.decompress((data / "kobalab" / "unit-recorded" / name).read_bytes()))
    return [(row["args"][0], row.get("out")) for row in rows if row["args"][0] is not None]


def test_majiang_core_agrees_on_melds(data: Path) -> None:
    """Melds that kobalab/majiang-core accepts have the same normal form; others are refused."""
    for text, normal in recorded(data, "Shoupai.valid_mianzi.json.gz"):
        if normal is None:
            with pytest.raises(NotationError):
                parse_majiang_meld(text, 1)
        else:
            assert format_majiang_meld(parse_majiang_meld(text, 1), 1) == normal


def test_majiang_core_agrees_on_tiles(data: Path) -> None:
    """Tiles with marks that kobalab/majiang-core accepts are read and written alike; others are refused."""
    for text, normal in recorded(data, "Shoupai.valid_pai.json.gz"):
        if normal is None:
            with pytest.raises(NotationError):
                parse_majiang_tile(text)
        else:
            assert format_majiang_tile(parse_majiang_tile(text)) == normal


def test_majiang_core_hands_are_in_normal_form(data: Path) -> None:
    """The 2,500 hands of kobalab/majiang-core's scoring cases do not change when read and written."""
    for row in json.loads(gzip.decompress((data / "kobalab" / "hule.json.gz").read_bytes())):
        text = row["in"]["shoupai"]
        assert format_shoupai(parse_shoupai(text)) == text
