"""Tests which sentences each event becomes, their order and their text."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

from support.rows import each_row

from ump.model.events import (
    DoraRevealed,
    DrawReason,
    Event,
    GameEnded,
    GameStarted,
    HandDealt,
    HandOpened,
    HandWon,
    KanDeclared,
    KitaDeclared,
    KyokuDrawn,
    KyokuEnded,
    KyokuStarted,
    RiichiDeclared,
    RiichiPaid,
    RonDeclared,
    TenpaiDeclared,
    TileCalled,
    TileDiscarded,
    TileDrawn,
)
from ump.model.melds import Meld, MeldType
from ump.model.notation import parse_ump_face, parse_ump_faces
from ump.model.seats import LETTERS
from ump.model.tiles import FACES
from ump.model.yaku import HandValue, Yaku
from ump.wire.text import encode
from ump.wire.ump import sentences02
from ump.wire.ump.render01 import Language
from ump.wire.ump.render02 import deal_sentences, points_label, render, start_sentences, win_sentences

F, FACES_OF = parse_ump_face, parse_ump_faces

CHI = Meld(MeldType.CHI, (F("4m"), F("6m")), F("5M"), 0)
PON = Meld(MeldType.PON, FACES_OF("5M5m"), F("5m"), 3)
KAKAN = Meld(MeldType.KAKAN, FACES_OF("5M5m"), F("5m"), 3, F("5m"))
DAIMINKAN = Meld(MeldType.DAIMINKAN, FACES_OF("1z1z1z"), F("1z"), 2)
ANKAN = Meld(MeldType.ANKAN, FACES_OF("6z6z6z6z"))

EVENTS: list[tuple[Event, tuple[str, ...]]] = [
    (
        KyokuStarted(1, 2, 3, 4, (25000, -1200, 0, 72200), (1, 6)),
        (
            "kyokustart 1 C0 3 4000 2z 3z 4z 1z 2z",
            *("point A0 =25000", "point B0 =-1200", "point C0 =0", "point D0 =72200"),
            "dice 1 6",
        ),
    ),
    (
        KyokuStarted(0, 0, 0, 0, (35000,) * 3, (1, 6)),
        ("kyokustart 0 A0 0 0 1z 1z 2z 3z", *(f"point {letter}0 =35000" for letter in "ABC"), "dice 1 6"),
    ),
    (DoraRevealed(F("5P")), ("dora 6p 5P",)),
    (DoraRevealed(F("4z")), ("dora 1z 4z",)),
    (DoraRevealed(F("9s")), ("dora 1s 9s",)),
    (TileDrawn(3, 69, None), ("tsumo D0 69 xx",)),
    (TileDrawn(0, 0, F("5m"), rinshan=True), ("tsumo A0 0 5m rinshan",)),
    (KitaDeclared(2), ("say C0 kita", "open C0 <4z>")),
    (RiichiDeclared(2), ("say C0 richi",)),
    (RiichiDeclared(2, opened=True), ("say C0 richi",)),
    (TileDiscarded(2, F("9s"), tsumogiri=False, riichi=True), ("sutehai C0 9s richi",)),
    (TileDiscarded(2, F("9s"), tsumogiri=True, riichi=True), ("sutehai C0 9s tsumogiri richi",)),
    (TileDiscarded(2, F("5S"), tsumogiri=True), ("sutehai C0 5S tsumogiri",)),
    (TileDiscarded(2, F("5S"), tsumogiri=False), ("sutehai C0 5S",)),
    (RiichiPaid(2), ("richi C0 -1000",)),
    (TileCalled(1, CHI), ("say B0 chi", "open B0 <4m6m> 5M")),
    (TileCalled(0, PON), ("say A0 pon", "open A0 <5M5m> 5m")),
    (TileCalled(0, DAIMINKAN), ("say A0 kan", "open A0 <1z1z1z> 1z")),
    (KanDeclared(0, ANKAN), ("say A0 kan", "open A0 (6z6z6z6z)")),
    (KanDeclared(0, KAKAN), ("say A0 kan", "open A0 [5M5m5m] 5m")),
    (RonDeclared(3), ("say D0 ron",)),
    (HandOpened(3, FACES_OF("1m2m5M"), (CHI, ANKAN)), ("open D0 1m2m5M",)),
    (TenpaiDeclared(3, False, None, (CHI,)), ("say D0 noten",)),
    (TenpaiDeclared(3, True, FACES_OF("1m2m"), (KAKAN,)), ("open D0 1m2m", "say D0 tenpai")),
    (
        KyokuDrawn(DrawReason.EXHAUSTED, (1500, -1500, 1500, -1500)),
        ("ryukyoku", "point A0 +1500", "point B0 -1500", "point C0 +1500", "point D0 -1500"),
    ),
    (KyokuDrawn(DrawReason.EXHAUSTED, (0, 0, 0, 0)), ("ryukyoku",)),
    (KyokuDrawn(DrawReason.SANCHAHO, (0, 0, 0, 0)), ("ryukyoku sanchaho",)),
    (KyokuEnded(), ("kyokuend",)),
    (
        GameEnded((32000, 28000, 41200, -1200), (2, 3, 1, 4), (120, -80, 412, -452)),
        ("gameend C0 41200 A0 12000 B0 -8000 D0 -45200",),
    ),
    (
        GameEnded((30000, 30000, 20000, 20000), (1, 1, 3, 3), (150, 150, -150, -150)),
        ("gameend A0 15000 B0 15000 C0 -15000 D0 -15000",),
    ),
]


@each_row(("event", "texts"), EVENTS)
def test_events_are_written_as_sentences(event: Event, texts: tuple[str, ...]) -> None:
    """The sentences of an event have the documented order, and are the same for all who see it alike."""
    assert render(event) == render(event, 1) == texts


def test_every_event_is_written() -> None:
    """Each event is written by ``render`` or by a function of its own."""
    assert {type(event) for event, _ in EVENTS} | {GameStarted, HandDealt, HandWon} == set(get_args(Event))


def test_draws_and_discards_match_their_classes() -> None:
    """Their fast path writes the same text as the sentence classes, for every seat and tile."""
    for seat in range(len(LETTERS)):
        for face in range(FACES):
            for flag in (False, True):
                drawn = TileDrawn(seat, face, face, rinshan=flag)
                assert render(drawn) == (sentences02.Tsumo(seat, face, face, flag).serialise(),)
                for riichi in (False, True):
                    thrown = TileDiscarded(seat, face, flag, riichi)
                    assert render(thrown) == (sentences02.Sutehai(seat, face, flag, riichi).serialise(),)


def test_a_game_starts_with_the_own_seat() -> None:
    """A spectator receives neither a seat nor the name of the game."""
    event = GameStarted(("a b", "b=1", "山", "d"))
    players = ("player A0 a%20b", "player B0 b%3D1", "player C0 %E5%B1%B1", "player D0 d")
    assert start_sentences(event, 1, "main 1") == ("seat gameid=main%201 B0", *players, "gamestart id=main%201")
    assert start_sentences(event, None, None) == (*players, "gamestart")


def test_hands_are_dealt_in_fours() -> None:
    """Hands are dealt four, four, four and one, in their order; hidden ones have the same length."""
    hands = [HandDealt(2, FACES_OF("1m2m3m4m5M6m7m8m9m1p2p3p4p")), HandDealt(3, None)]
    assert deal_sentences(hands) == (
        *("haipai C0 1m2m3m4m", "haipai D0 xxxxxxxx"),
        *("haipai C0 5M6m7m8m", "haipai D0 xxxxxxxx"),
        *("haipai C0 9m1p2p3p", "haipai D0 xxxxxxxx"),
        *("haipai C0 4p", "haipai D0 xx"),
    )
    assert deal_sentences([]) == ()


# Wins

RON = HandWon(
    seat=1,
    loser=3,
    tile=F("9s"),
    faces=FACES_OF("2m2m7s8s"),
    melds=(CHI, PON, ANKAN),
    riichi=False,
    ura=(),
    value=HandValue(((Yaku.HATSU, 1), (Yaku.DORA, 1), (Yaku.RED_DORA, 2)), 4, 40, 0, 2000),
    changes=(0, 9200, 0, -8200),
)
TSUMO = HandWon(
    seat=0,
    loser=None,
    tile=F("1m"),
    faces=FACES_OF("2m3m4p4p1m"),
    melds=(KAKAN, DAIMINKAN),
    riichi=True,
    ura=FACES_OF("1z5S"),
    value=HandValue(((Yaku.RIICHI, 1), (Yaku.MENZEN_TSUMO, 1)), 2, 30, 0, 480),
    changes=(4300, -1100, -2100, -1100),
)
YAKUMAN = HandWon(
    seat=2,
    loser=1,
    tile=F("7z"),
    faces=FACES_OF("1m1m1m2m2m2m5z5z5z6z6z6z7z"),
    melds=(),
    riichi=False,
    ura=(),
    value=HandValue(((Yaku.SUUANKOU_TANKI, 26), (Yaku.DAISANGEN, 13)), 39, 0, 3, 24_000),
    changes=(-48_000, -48_000, 96_000, 0),
    liable=0,
)


def test_a_ron_names_tile_limit_and_dora() -> None:
    """The tile is an option, the limit has its name, all dora are one pair; payments come before the gain."""
    assert win_sentences(RON, Language.JAPANESE, 0) == (
        "say B0 ron",
        "open B0 2m2m7s8s",
        f"agari ron=9s B0 {encode('満貫')} 40 {encode('發')} 1 {encode('ドラ')} 3",
        "point D0 -8200",
        "point B0 +9200",
    )


def test_a_tsumo_has_its_winning_tile_last() -> None:
    """The winning tile is last, ura come with their dora, payers in the order of seats."""
    assert win_sentences(TSUMO, Language.JAPANESE, 2) == (
        "say A0 tsumo",
        "open A0 2m3m4p4p1m",
        "uradora 2z 1z",
        "uradora 6s 5S",
        f"agari A0 2000 30 {encode('立直')} 1 {encode('門前清自摸和')} 1",
        *("point B0 -1100", "point C0 -2100", "point D0 -1100", "point A0 +4300"),
    )


def test_a_yakuman_has_a_count_instead_of_han() -> None:
    """A yakuman has no fu, and a count instead of han; any player may pay, not only the discarder."""
    assert win_sentences(YAKUMAN, Language.ENGLISH, 0) == (
        "say C0 ron",
        "open C0 1m1m1m2m2m2m5z5z5z6z6z6z7z",
        "agari ron=7z C0 yakuman 0 suuankoutanki 2 daisangen 1",
        *("point A0 -48000", "point B0 -48000", "point C0 +96000"),
    )


def test_only_names_depend_on_the_language() -> None:
    """Romanised names are ASCII."""
    for won in (RON, TSUMO, YAKUMAN):
        english, japanese = (win_sentences(won, language, 0) for language in (Language.ENGLISH, Language.JAPANESE))
        assert [text for text in english if not text.startswith("agari")] == [
            text for text in japanese if not text.startswith("agari")
        ]
        assert not any("%" in text for text in english)
        assert win_sentences(won, Language.CHINESE, 0)[0] == english[0]


LABELS = [
    # basic points, yakuman, dealer's, by ron, players: the label
    (480, 0, False, True, 4, "2000"),
    (480, 0, True, True, 4, "2900"),
    (480, 0, False, False, 4, "2000"),
    (480, 0, True, False, 4, "3000"),
    (240, 0, False, True, 4, "1000"),
    (240, 0, False, False, 4, "1100"),
    (240, 0, True, False, 4, "1500"),
    (1920, 0, False, True, 4, "7700"),
    (1920, 0, True, True, 4, "11600"),
    (1920, 0, False, False, 4, "7900"),
    (1920, 0, False, False, 3, "5900"),
    (1920, 0, True, False, 3, "7800"),
    (2000, 0, True, True, 4, "満貫"),
    (3000, 0, False, False, 4, "跳満"),
    (4000, 0, False, True, 4, "倍満"),
    (6000, 0, False, True, 4, "三倍満"),
    (8000, 0, False, True, 4, "数え役満"),
    (8000, 1, False, True, 4, "役満"),
    (16000, 2, True, False, 4, "役満"),
]


@each_row(("base", "yakuman", "dealer", "ron", "seats", "label"), LABELS)
def test_the_label_of_points_is_an_amount_or_a_limit(
    base: int, yakuman: int, dealer: bool, ron: bool, seats: int, label: str
) -> None:
    """The label is what the hand pays without honba and sticks, or the name of its limit."""
    value = replace(TSUMO.value, base=base, yakuman=yakuman)
    assert points_label(value, Language.JAPANESE, seats, is_dealer=dealer, is_ron=ron) == label


def test_every_name_is_one_word() -> None:
    """Each yaku and each limit can be written in both languages."""
    for yaku in Yaku:
        for language in Language:
            won = replace(RON, value=HandValue(((yaku, 1),), 1, 30, 0, 240))
            (text,) = [text for text in win_sentences(won, language, 0) if text.startswith("agari")]
            assert len(text.split(" ")) == 7
