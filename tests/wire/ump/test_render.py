"""The sentences that each event becomes in UMP 0.1 and 0.2, their order and their text."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import get_args

from hypothesis import given
from hypothesis import strategies as st
from support.rows import each_row

from ump.model import events as ev
from ump.model.melds import Meld, MeldType
from ump.model.notation import parse_ump_face, parse_ump_faces
from ump.model.seats import LETTERS
from ump.model.tiles import FACES
from ump.model.yaku import HandValue, Yaku
from ump.wire.text import encode
from ump.wire.ump import render01, render02, sentences01, sentences02
from ump.wire.ump.render01 import Language

F, FACES_OF = parse_ump_face, parse_ump_faces

CHI = Meld(MeldType.CHI, (F("4m"), F("6m")), F("5M"), 0)
PON = Meld(MeldType.PON, FACES_OF("5M5m"), F("5m"), 3)
KAKAN = Meld(MeldType.KAKAN, FACES_OF("5M5m"), F("5m"), 3, F("5m"))
DAIMINKAN = Meld(MeldType.DAIMINKAN, FACES_OF("1z1z1z"), F("1z"), 2)
ANKAN = Meld(MeldType.ANKAN, FACES_OF("6z6z6z6z"))

Texts = tuple[str, ...]

STARTED = ev.KyokuStarted(1, 2, 3, 4, (25000, -1200, 0, 72200), (1, 6))
STARTED_OF_THREE = ev.KyokuStarted(0, 0, 0, 0, (35000,) * 3, (1, 6))
SHOWN = ev.HandOpened(3, FACES_OF("1m2m5M"), (CHI, ANKAN))
TENPAI = ev.TenpaiDeclared(3, True, FACES_OF("1m2m"), (KAKAN,))
DRAWN = ev.KyokuDrawn(ev.DrawReason.EXHAUSTED, (1500, -1500, 1500, -1500))
NOBODY_PAYS = ev.KyokuDrawn(ev.DrawReason.EXHAUSTED, (0, 0, 0, 0))
THREE_RONS = ev.KyokuDrawn(ev.DrawReason.SANCHAHO, (0, 0, 0, 0))
ENDED = ev.GameEnded((32000, 28000, 41200, -1200), (2, 3, 1, 4), (120, -80, 412, -452))
ENDED_ALIKE = ev.GameEnded((30000, 30000, 20000, 20000), (1, 1, 3, 3), (150, 150, -150, -150))

EVENTS: list[tuple[ev.Event, Texts, Texts]] = [
    (
        STARTED,
        ("kyokustart 2z C 3 4000", "point A =25000", "point B =-1200", "point C =0", "point D =72200", "dice 1 6"),
        (
            "kyokustart 1 C0 3 4000 2z 3z 4z 1z 2z",
            *("point A0 =25000", "point B0 =-1200", "point C0 =0", "point D0 =72200"),
            "dice 1 6",
        ),
    ),
    (
        STARTED_OF_THREE,
        ("kyokustart 1z A 0 0", *(f"point {letter} =35000" for letter in "ABC"), "dice 1 6"),
        ("kyokustart 0 A0 0 0 1z 1z 2z 3z", *(f"point {letter}0 =35000" for letter in "ABC"), "dice 1 6"),
    ),
    (ev.DoraRevealed(F("5P")), ("dora 5P",), ("dora 6p 5P",)),
    (ev.DoraRevealed(F("4z")), ("dora 4z",), ("dora 1z 4z",)),
    (ev.DoraRevealed(F("9s")), ("dora 9s",), ("dora 1s 9s",)),
    (ev.TileDrawn(3, 69, None), ("tsumo D 69",), ("tsumo D0 69 xx",)),
    (ev.TileDrawn(0, 0, F("5m"), rinshan=True), ("tsumo A 0 5m",), ("tsumo A0 0 5m rinshan",)),
    (ev.RiichiDeclared(2), ("say C richi",), ("say C0 richi",)),
    (ev.RiichiDeclared(2, opened=True), ("say C richi",), ("say C0 richi",)),
    (ev.TileDiscarded(2, F("9s"), tsumogiri=False, riichi=True), ("sutehai C 9s",), ("sutehai C0 9s richi",)),
    (
        ev.TileDiscarded(2, F("9s"), tsumogiri=True, riichi=True),
        ("sutehai C 9s tsumogiri",),
        ("sutehai C0 9s tsumogiri richi",),
    ),
    (ev.TileDiscarded(2, F("5S"), tsumogiri=True), ("sutehai C 5S tsumogiri",), ("sutehai C0 5S tsumogiri",)),
    (ev.TileDiscarded(2, F("5S"), tsumogiri=False), ("sutehai C 5S",), ("sutehai C0 5S",)),
    (ev.RiichiPaid(2), ("point C -1000",), ("richi C0 -1000",)),
    (ev.TileCalled(1, CHI), ("say B chi", "open B <4m6m> 5M"), ("say B0 chi", "open B0 <4m6m> 5M")),
    (ev.TileCalled(0, PON), ("say A pon", "open A <5M5m> 5m"), ("say A0 pon", "open A0 <5M5m> 5m")),
    (ev.TileCalled(0, DAIMINKAN), ("say A kan", "open A <1z1z1z> 1z"), ("say A0 kan", "open A0 <1z1z1z> 1z")),
    (ev.KanDeclared(0, ANKAN), ("say A kan", "open A (6z6z6z6z)"), ("say A0 kan", "open A0 (6z6z6z6z)")),
    (ev.KanDeclared(0, KAKAN), ("say A kan", "open A <5M5m5m> 5m"), ("say A0 kan", "open A0 [5M5m5m] 5m")),
    (ev.KitaDeclared(2), ("say C kita", "open C <4z>"), ("say C0 kita", "open C0 <4z>")),
    (ev.RonDeclared(3), ("say D ron",), ("say D0 ron",)),
    (SHOWN, ("open D 1m2m5M<4m5M6m>(6z6z6z6z)",), ("open D0 1m2m5M",)),
    (ev.TenpaiDeclared(3, False, None, (CHI,)), ("say D noten",), ("say D0 noten",)),
    (TENPAI, ("open D 1m2m<5M5m5m5m>", "say D tenpai"), ("open D0 1m2m", "say D0 tenpai")),
    (
        DRAWN,
        ("ryukyoku", "point B -1500", "point D -1500", "point A +1500", "point C +1500"),
        ("ryukyoku", "point A0 +1500", "point B0 -1500", "point C0 +1500", "point D0 -1500"),
    ),
    (NOBODY_PAYS, ("ryukyoku",), ("ryukyoku",)),
    (THREE_RONS, ("ryukyoku sanchaho",), ("ryukyoku sanchaho",)),
    (ev.KyokuEnded(), ("kyokuend",), ("kyokuend",)),
    (ENDED, ("gameend 32000 28000 41200 -1200",), ("gameend C0 41200 A0 12000 B0 -8000 D0 -45200",)),
    (ENDED_ALIKE, ("gameend 30000 30000 20000 20000",), ("gameend A0 15000 B0 15000 C0 -15000 D0 -15000",)),
]

RON = ev.HandWon(
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
TSUMO = ev.HandWon(
    seat=0,
    loser=None,
    tile=F("1m"),
    faces=FACES_OF("2m3m4p4p1m"),
    melds=(KAKAN, DAIMINKAN),
    riichi=True,
    ura=FACES_OF("1z5S"),
    value=HandValue(((Yaku.RIICHI, 1), (Yaku.MENZEN_TSUMO, 1)), 2, 30, 0, 480),
    changes=(4300, -1100, -2100, -1100),
    liable=2,
)
YAKUMAN = ev.HandWon(
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
YAKUMAN_BY_RON = replace(YAKUMAN, loser=1, faces=YAKUMAN.faces[:-1], changes=(-48_000, -48_000, 96_000, 0), liable=0)

DEALER = 3
"""The dealer of these wins, who is no winner."""

WINS: list[tuple[ev.HandWon, Texts, Texts]] = [
    (
        RON,
        (
            *("say B ron", "open B 2m2m7s8s<4m5M6m><5M5m5m>(6z6z6z6z)"),
            f"agari B 40 {encode('發')} 1 {encode('ドラ')} 1 {encode('赤ドラ')} 2",
            *("point D -8200", "point B +9200"),
        ),
        (
            *("say B0 ron", "open B0 2m2m7s8s"),
            f"agari ron=9s B0 {encode('満貫')} 40 {encode('發')} 1 {encode('ドラ')} 3",
            *("point D0 -8200", "point B0 +9200"),
        ),
    ),
    (
        TSUMO,
        (
            *("say A tsumo", "open A 2m3m4p4p1m<5M5m5m5m><1z1z1z1z>", "dora 1z", "dora 5S"),
            f"agari A 30 {encode('立直')} 1 {encode('門前清自摸和')} 1",
            *("point B -1100", "point C -2100", "point D -1100", "point A +4300"),
        ),
        (
            *("say A0 tsumo", "open A0 2m3m4p4p1m", "uradora 2z 1z", "uradora 6s 5S"),
            f"agari A0 2000 30 {encode('立直')} 1 {encode('門前清自摸和')} 1",
            *("point B0 -1100", "point C0 -2100", "point D0 -1100", "point A0 +4300"),
        ),
    ),
    (
        YAKUMAN,
        (
            *("say C tsumo", "open C 1m1m1m2m2m2m5z5z5z6z6z6z7z7z"),
            f"agari C 0 {encode('四暗刻単騎')} 26 {encode('大三元')} 13",
            *("point A -48000", "point B -48000", "point D -48000", "point C +144000"),
        ),
        (
            *("say C0 tsumo", "open C0 1m1m1m2m2m2m5z5z5z6z6z6z7z7z"),
            f"agari C0 {encode('役満')} 0 {encode('四暗刻単騎')} 2 {encode('大三元')} 1",
            *("point A0 -48000", "point B0 -48000", "point D0 -48000", "point C0 +144000"),
        ),
    ),
    (
        YAKUMAN_BY_RON,
        (
            *("say C ron", "open C 1m1m1m2m2m2m5z5z5z6z6z6z7z"),
            f"agari C 0 {encode('四暗刻単騎')} 26 {encode('大三元')} 13",
            *("point A -48000", "point B -48000", "point C +96000"),
        ),
        (
            *("say C0 ron", "open C0 1m1m1m2m2m2m5z5z5z6z6z6z7z"),
            f"agari ron=7z C0 {encode('役満')} 0 {encode('四暗刻単騎')} 2 {encode('大三元')} 1",
            *("point A0 -48000", "point B0 -48000", "point C0 +96000"),
        ),
    ),
]


@each_row(("event", "texts_01", "texts_02"), EVENTS)
def test_events_are_written_as_sentences(event: ev.Event, texts_01: Texts, texts_02: Texts) -> None:
    """The sentences of an event have the documented order, and are the same for all who see it alike."""
    assert render01.render(event) == render01.render(event, 1) == texts_01
    assert render02.render(event) == render02.render(event, 1) == texts_02


@each_row(("won", "texts_01", "texts_02"), WINS)
def test_wins_are_written_as_sentences(won: ev.HandWon, texts_01: Texts, texts_02: Texts) -> None:
    """Payments come before the gain, payers in the order of seats; any player may pay, not only the discarder.

    0.2 has the winning tile of a ron as an option, and that of a tsumo last; its limit has a name, all dora are one
    pair, ura come with their dora, and a yakuman has a count instead of han.
    """
    assert render01.render(won) == render01.render(won, 1) == texts_01
    assert render02.win_sentences(won, Language.JAPANESE, DEALER) == texts_02


def test_every_event_is_written() -> None:
    """Each event is in a table, or has tests of its own."""
    written = {type(event) for event, _, _ in [*EVENTS, *WINS]}
    assert written | {ev.GameStarted, ev.HandDealt} == set(get_args(ev.Event))


def test_draws_and_discards_match_their_classes() -> None:
    """Their fast path writes the same text as the sentence classes, for every seat and tile."""
    for seat in range(len(LETTERS)):
        for face in range(FACES):
            for flag in (False, True):
                drawn = ev.TileDrawn(seat, face, face, rinshan=flag)
                assert render01.render(drawn) == (sentences01.Tsumo(seat, face, face).serialise(),)
                assert render02.render(drawn) == (sentences02.Tsumo(seat, face, face, flag).serialise(),)
                for riichi in (False, True):
                    thrown = ev.TileDiscarded(seat, face, flag, riichi)
                    assert render01.render(thrown) == (sentences01.Sutehai(seat, face, flag).serialise(),)
                    assert render02.render(thrown) == (sentences02.Sutehai(seat, face, flag, riichi).serialise(),)


@given(st.tuples(*[st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=32)] * 4))
def test_no_name_breaks_a_line(names: tuple[str, ...]) -> None:
    """With any names a game of 0.1 starts with one line of six words, from which the names are read back."""
    (line,) = render01.render(ev.GameStarted(names), seat=1)
    assert re.fullmatch("gamestart B( [!-<>-~]+){4}", line)
    assert sentences01.GameStart.parse(line.split(" ")[1:]) == sentences01.GameStart(1, names)


def test_a_game_starts_with_the_own_seat() -> None:
    """A spectator receives ``-`` in 0.1, and neither a seat nor the name of the game in 0.2."""
    event = ev.GameStarted(("a b", "b=1", "山", "d"))
    names = "a%20b b%3D1 %E5%B1%B1 d"
    assert render01.render(event, 0) == (f"gamestart A {names}",)
    assert render01.render(event, 3) == (f"gamestart D {names}",)
    assert render01.render(event, None) == (f"gamestart - {names}",)
    players = ("player A0 a%20b", "player B0 b%3D1", "player C0 %E5%B1%B1", "player D0 d")
    started = ("seat gameid=main%201 B0", *players, "gamestart id=main%201")
    assert render02.start_sentences(event, 1, "main 1") == started
    assert render02.start_sentences(event, None, None) == (*players, "gamestart")


def test_hands_are_dealt() -> None:
    """0.1 deals whole hands, 0.2 four, four, four and one, in their order; hidden ones have the same length there."""
    hands = [ev.HandDealt(2, FACES_OF("1m2m3m4m5M6m7m8m9m1p2p3p4p")), ev.HandDealt(3, None)]
    assert [render01.render(hand) for hand in hands] == [("haipai C 1m2m3m4m5M6m7m8m9m1p2p3p4p",), ("haipai D",)]
    assert render02.deal_sentences(hands) == (
        *("haipai C0 1m2m3m4m", "haipai D0 xxxxxxxx"),
        *("haipai C0 5M6m7m8m", "haipai D0 xxxxxxxx"),
        *("haipai C0 9m1p2p3p", "haipai D0 xxxxxxxx"),
        *("haipai C0 4p", "haipai D0 xx"),
    )
    assert render02.deal_sentences([]) == ()


def test_yaku_have_names_in_three_languages() -> None:
    """Romanised names are ASCII, and those of limits, too."""
    chinese = f"{encode('发')} 1 {encode('宝牌')}"
    assert "agari B 40 hatsu 1 dora 1 akadora 2" in render01.render(RON, language=Language.ENGLISH)
    assert any(f"agari B 40 {chinese} 1" in text for text in render01.render(RON, language=Language.CHINESE))
    assert any(f" 40 {chinese} 3" in text for text in render02.win_sentences(RON, Language.CHINESE, 0))
    by_ron = render02.win_sentences(YAKUMAN_BY_RON, Language.ENGLISH, 0)
    assert "agari ron=7z C0 yakuman 0 suuankoutanki 2 daisangen 1" in by_ron


@each_row(("event", "texts_01", "texts_02"), [*EVENTS, *WINS])
def test_only_agari_depends_on_the_language(event: ev.Event, texts_01: Texts, texts_02: Texts) -> None:
    """All other sentences are the same in each language, and in English all are ASCII without an escape."""
    in_01 = render01.render(event, language=Language.ENGLISH)
    if isinstance(event, ev.HandWon):
        in_02 = render02.win_sentences(event, Language.ENGLISH, DEALER)
    else:
        in_02 = render02.render(event)
    for english, japanese in ((in_01, texts_01), (in_02, texts_02)):
        differing = {text.split()[0] for text, other in zip(english, japanese, strict=True) if text != other}
        assert differing <= {"agari"}
        assert not any("%" in text for text in english)


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
    assert render02.points_label(value, Language.JAPANESE, seats, is_dealer=dealer, is_ron=ron) == label


@each_row("yaku", list(Yaku))
def test_every_name_is_one_word(yaku: Yaku) -> None:
    """Each yaku can be written in every language; romanised names need no encoding."""
    assert sentences01.Agari(0, 30, ((yaku.romaji, 1),)).serialise() == f"agari A 30 {yaku.romaji} 1"
    assert len(sentences01.Agari(0, 30, ((yaku.japanese, 1),)).serialise().split()) == 5
    for language in Language:
        won = replace(RON, value=HandValue(((yaku, 1),), 1, 30, 0, 240))
        (text,) = [text for text in render02.win_sentences(won, language, 0) if text.startswith("agari")]
        assert len(text.split(" ")) == 7
