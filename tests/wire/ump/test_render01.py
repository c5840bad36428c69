"""Tests which sentences each event becomes, their order and their text."""

from __future__ import annotations

import re
from typing import get_args
from urllib.parse import quote

from hypothesis import given
from hypothesis import strategies as st
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
from ump.wire.ump import sentences01
from ump.wire.ump.render01 import Language, render
from ump.wire.ump.sentence import Call, Sentence

F, FACES_OF = parse_ump_face, parse_ump_faces

CHI = Meld(MeldType.CHI, (F("4m"), F("6m")), F("5M"), 0)
PON = Meld(MeldType.PON, FACES_OF("5M5m"), F("5m"), 3)
KAKAN = Meld(MeldType.KAKAN, FACES_OF("5M5m"), F("5m"), 3, F("5m"))
DAIMINKAN = Meld(MeldType.DAIMINKAN, FACES_OF("1z1z1z"), F("1z"), 2)
ANKAN = Meld(MeldType.ANKAN, FACES_OF("6z6z6z6z"))

RON = HandWon(
    seat=1,
    loser=3,
    tile=F("9s"),
    faces=FACES_OF("2m2m7s8s"),
    melds=(CHI, PON, ANKAN),
    riichi=False,
    ura=(),
    value=HandValue(((Yaku.HATSU, 1), (Yaku.DORA, 2)), 3, 40, 0, 1280),
    changes=(0, 6200, 0, -5200),
    liable=None,
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
    changes=(4000, -1000, -1000, -1000),
    liable=2,
)

YAKUMAN = HandWon(
    seat=2,
    loser=None,
    tile=F("7z"),
    faces=FACES_OF("1m1m1m2m2m2m5z5z5z6z6z6z7z7z"),
    melds=(),
    riichi=False,
    ura=(),
    value=HandValue(((Yaku.SUUANKOU_TANKI, 26), (Yaku.DAISANGEN, 13)), 39, 0, 3, 24_000),
    changes=(-48_000, -48_000, 144_000, -48_000),
)

EVENTS: list[tuple[Event, tuple[Sentence, ...]]] = [
    (GameStarted(("a b", "b", "c", "d")), (sentences01.GameStart(None, ("a b", "b", "c", "d")),)),
    (
        KyokuStarted(1, 2, 3, 4, (25000, -1200, 0, 72200), (1, 6)),
        (
            sentences01.KyokuStart(F("2z"), 2, 3, 4000),
            sentences01.Point(0, ("=", 25000)),
            sentences01.Point(1, ("=", -1200)),
            sentences01.Point(2, ("=", 0)),
            sentences01.Point(3, ("=", 72200)),
            sentences01.Dice(1, 6),
        ),
    ),
    (HandDealt(1, None), (sentences01.Haipai(1, None),)),
    (HandDealt(1, FACES_OF("1m5M7z")), (sentences01.Haipai(1, FACES_OF("1m5M7z")),)),
    (DoraRevealed(F("5P")), (sentences01.Dora(F("5P")),)),
    (TileDrawn(3, 69, None), (sentences01.Tsumo(3, 69, None),)),
    (TileDrawn(0, 0, F("5m"), rinshan=True), (sentences01.Tsumo(0, 0, F("5m")),)),
    (RiichiDeclared(2), (sentences01.Say(2, Call.RIICHI),)),
    (RiichiDeclared(2, opened=True), (sentences01.Say(2, Call.RIICHI),)),
    (TileDiscarded(2, F("9s"), tsumogiri=False, riichi=True), (sentences01.Sutehai(2, F("9s")),)),
    (TileDiscarded(2, F("5S"), tsumogiri=True), (sentences01.Sutehai(2, F("5S"), tsumogiri=True),)),
    (RiichiPaid(2), (sentences01.Point(2, ("-", 1000)),)),
    (TileCalled(1, CHI), (sentences01.Say(1, Call.CHI), sentences01.Open(1, "<4m6m>", F("5M")))),
    (TileCalled(0, PON), (sentences01.Say(0, Call.PON), sentences01.Open(0, "<5M5m>", F("5m")))),
    (TileCalled(0, DAIMINKAN), (sentences01.Say(0, Call.KAN), sentences01.Open(0, "<1z1z1z>", F("1z")))),
    (KanDeclared(0, ANKAN), (sentences01.Say(0, Call.KAN), sentences01.Open(0, "(6z6z6z6z)"))),
    (KanDeclared(0, KAKAN), (sentences01.Say(0, Call.KAN), sentences01.Open(0, "<5M5m5m>", F("5m")))),
    (KitaDeclared(2), (sentences01.Say(2, Call.KITA), sentences01.Open(2, "<4z>"))),
    (RonDeclared(3), (sentences01.Say(3, Call.RON),)),
    (HandOpened(3, FACES_OF("1m2m5M"), (CHI, ANKAN)), (sentences01.Open(3, "1m2m5M<4m5M6m>(6z6z6z6z)"),)),
    (TenpaiDeclared(3, False, None, (CHI,)), (sentences01.Say(3, Call.NOTEN),)),
    (
        TenpaiDeclared(3, True, FACES_OF("1m2m"), (KAKAN,)),
        (sentences01.Open(3, "1m2m<5M5m5m5m>"), sentences01.Say(3, Call.TENPAI)),
    ),
    (
        RON,
        (
            sentences01.Say(1, Call.RON),
            sentences01.Open(1, "2m2m7s8s<4m5M6m><5M5m5m>(6z6z6z6z)"),
            sentences01.Agari(1, 40, (("發", 1), ("ドラ", 2))),
            sentences01.Point(3, ("-", 5200)),
            sentences01.Point(1, ("+", 6200)),
        ),
    ),
    (
        TSUMO,
        (
            sentences01.Say(0, Call.TSUMO),
            sentences01.Open(0, "2m3m4p4p1m<5M5m5m5m><1z1z1z1z>"),
            sentences01.Dora(F("1z")),
            sentences01.Dora(F("5S")),
            sentences01.Agari(0, 30, (("立直", 1), ("門前清自摸和", 1))),
            sentences01.Point(1, ("-", 1000)),
            sentences01.Point(2, ("-", 1000)),
            sentences01.Point(3, ("-", 1000)),
            sentences01.Point(0, ("+", 4000)),
        ),
    ),
    (
        YAKUMAN,
        (
            sentences01.Say(2, Call.TSUMO),
            sentences01.Open(2, "1m1m1m2m2m2m5z5z5z6z6z6z7z7z"),
            sentences01.Agari(2, 0, (("四暗刻単騎", 26), ("大三元", 13))),
            sentences01.Point(0, ("-", 48_000)),
            sentences01.Point(1, ("-", 48_000)),
            sentences01.Point(3, ("-", 48_000)),
            sentences01.Point(2, ("+", 144_000)),
        ),
    ),
    (
        KyokuDrawn(DrawReason.EXHAUSTED, (1500, -1500, 1500, -1500)),
        (
            sentences01.Ryukyoku(),
            sentences01.Point(1, ("-", 1500)),
            sentences01.Point(3, ("-", 1500)),
            sentences01.Point(0, ("+", 1500)),
            sentences01.Point(2, ("+", 1500)),
        ),
    ),
    (KyokuDrawn(DrawReason.SANCHAHO, (0, 0, 0, 0)), (sentences01.Ryukyoku(DrawReason.SANCHAHO),)),
    (KyokuEnded(), (sentences01.KyokuEnd(),)),
    (
        GameEnded((32000, 28000, 41200, -1200), (2, 3, 1, 4), (1, 2, 3, 4)),
        (sentences01.GameEnd((32000, 28000, 41200, -1200)),),
    ),
]


@each_row(("event", "sentences"), EVENTS)
def test_events_are_written_as_sentences(event: Event, sentences: tuple[Sentence, ...]) -> None:
    """The text of an event is that of its sentences, in the documented order."""
    assert render(event) == tuple(sentence.serialise() for sentence in sentences)


def test_the_table_has_every_event() -> None:
    """No event is left out."""
    assert {type(event) for event, _ in EVENTS} == set(get_args(Event))


def test_draws_and_discards_match_their_classes() -> None:
    """Their fast path writes the same text as the sentence classes, for every seat and tile."""
    for seat in range(len(LETTERS)):
        for face in range(FACES):
            drawn, thrown = TileDrawn(seat, face, face), TileDiscarded(seat, face, tsumogiri=True)
            assert render(drawn) == (sentences01.Tsumo(seat, face, face).serialise(),)
            assert render(thrown) == (sentences01.Sutehai(seat, face, tsumogiri=True).serialise(),)


@given(st.tuples(*[st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=32)] * 4))
def test_no_name_breaks_a_line(names: tuple[str, ...]) -> None:
    """With any names a game starts with one line of six words, from which the names are read back."""
    (line,) = render(GameStarted(names), seat=1)
    assert re.fullmatch("gamestart B( [!-<>-~]+){4}", line)
    assert sentences01.GameStart.parse(line.split(" ")[1:]) == sentences01.GameStart(1, names)


@each_row("seat", [0, 3, None])
def test_only_gamestart_names_the_receiver(seat: int | None) -> None:
    """Each player receives its own seat, a spectator ``-``; all other events are the same for all."""
    names = ("a", "b", "c", "d")
    assert render(GameStarted(names), seat=seat) == (sentences01.GameStart(seat, names).serialise(),)
    for event, _ in EVENTS[1:]:
        assert render(event, seat=seat) == render(event)


def test_yaku_have_three_names() -> None:
    """Romanised names are ASCII; only ``agari`` depends on the language."""
    assert "agari B 40 hatsu 1 dora 2" in render(RON, language=Language.ENGLISH)
    assert f"agari B 40 {quote('发')} 1 {quote('宝牌')} 2" in render(RON, language=Language.CHINESE)
    for event, _ in EVENTS:
        english, japanese = render(event, language=Language.ENGLISH), render(event)
        differing = {text.split()[0] for text, other in zip(english, japanese, strict=True) if text != other}
        assert differing <= {"agari"}


@each_row("yaku", list(Yaku))
def test_yaku_names_are_one_word(yaku: Yaku) -> None:
    """Each name can be written in both languages; romanised names need no encoding."""
    assert sentences01.Agari(0, 30, ((yaku.romaji, 1),)).serialise() == f"agari A 30 {yaku.romaji} 1"
    assert len(sentences01.Agari(0, 30, ((yaku.japanese, 1),)).serialise().split()) == 5
