"""The writing and reading of every sentence of UMP 0.1 and 0.2, with one table for both."""

from __future__ import annotations

import re
from contextlib import suppress
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.rows import each_row

from ump.model import actions
from ump.model.claims import Reason
from ump.model.events import DrawReason
from ump.model.notation import parse_ump_face, parse_ump_faces
from ump.model.seats import LETTERS
from ump.players.hints import AdvisedAnswer, Furiten
from ump.wire.session import Member, MemberState, Profile
from ump.wire.text import MAX_WRITTEN, UnwritableError, WireError
from ump.wire.ump import extras, sentences01, sentences02
from ump.wire.ump.answers import ANSWERS_01, read_claim, write_claim
from ump.wire.ump.sentence import Call, Sentence, split_words
from ump.wire.ump.sentences01 import ClientHello, Reveal

F, FACES = parse_ump_face, parse_ump_faces
HAIPAI = "1m3m5M6m2p2p7p9s9s1z3z5z7z"
WINDS = FACES("1z2z3z4z")
TEXT = "00112233445566778899aabbccddeeff"

SERVER_01: list[tuple[str, Sentence]] = [
    ("hello ump=0.1", sentences01.Hello((("ump", "0.1"),))),
    (
        "hello ump=0.1 name=a%3Db%20c _ext=_offer,_hand",
        sentences01.Hello((("ump", "0.1"), ("name", "a=b c"), ("_ext", "_offer,_hand"))),
    ),
    ("error line%20too%20long", sentences01.Error("line too long")),
    ("gamestart B alice bob %E5%B0%8F dave", sentences01.GameStart(1, ("alice", "bob", "小", "dave"))),
    ("gamestart - a b c d", sentences01.GameStart(None, ("a", "b", "c", "d"))),
    ("gamestart C a b c", sentences01.GameStart(2, ("a", "b", "c"))),
    ("ready?", sentences01.ReadyQuestion()),
    ("ready? _time=10+0", sentences01.ReadyQuestion(extras.Extras(time=extras.Time(10, 0)))),
    ("kyokustart 1z A 0 0", sentences01.KyokuStart(F("1z"), 0, 0, 0)),
    ("kyokustart 2z D 12 3000", sentences01.KyokuStart(F("2z"), 3, 12, 3000)),
    ("point A =25000", sentences01.Point(0, ("=", 25000))),
    ("point A =-1200", sentences01.Point(0, ("=", -1200))),
    ("point B -1000", sentences01.Point(1, ("-", 1000))),
    ("point D +3900", sentences01.Point(3, ("+", 3900))),
    ("dice 1 6", sentences01.Dice(1, 6)),
    ("haipai A", sentences01.Haipai(0, None)),
    (f"haipai C {HAIPAI}", sentences01.Haipai(2, FACES(HAIPAI))),
    ("dora 5M", sentences01.Dora(F("5M"))),
    ("tsumo A 69", sentences01.Tsumo(0, 69, None)),
    ("tsumo B 0 5P", sentences01.Tsumo(1, 0, F("5P"))),
    ("sutehai?", sentences01.SutehaiQuestion()),
    (
        "sutehai? sute=1m2m3m richi=5z openrichi=5z ankan=1m kakan=5z tsumo ryukyoku",
        sentences01.SutehaiQuestion(
            extras.Extras(
                (
                    actions.Discard(F("1m")),
                    actions.Discard(F("2m")),
                    actions.Discard(F("3m")),
                    actions.Riichi(F("5z")),
                    actions.Riichi(F("5z"), opened=True),
                    actions.Ankan(F("1m")),
                    actions.Kakan(F("5z")),
                    actions.Tsumo(),
                    actions.KyushuKyuhai(),
                )
            )
        ),
    ),
    (
        "sutehai? _hand=5M5m<2p3p4p>(6z6z6z6z) _time=4.5+20",
        sentences01.SutehaiQuestion(extras.Extras(None, "5M5m<2p3p4p>(6z6z6z6z)", None, extras.Time(4.5, 20))),
    ),
    (
        "sutehai? _hand=5M9m5m _drawn=5m",
        sentences01.SutehaiQuestion(extras.Extras(None, "5M9m5m", F("5m"))),
    ),
    ("sutehai A 5m", sentences01.Sutehai(0, F("5m"))),
    ("sutehai D 7z tsumogiri", sentences01.Sutehai(3, F("7z"), tsumogiri=True)),
    ("_waits 4m:3/7m:0 permanent", sentences01.WaitsNow(((3, 3), (6, 0)), Furiten.PERMANENT)),
    ("_shanten 2", sentences01.ShantenNow(2)),
    ("naku? 5m", sentences01.NakuQuestion(F("5m"))),
    (
        "naku? 5m chi=4m6m,6m7m pon=5m5M kan ron",
        sentences01.NakuQuestion(
            F("5m"),
            extras.Extras(
                (
                    actions.Chi((F("4m"), F("6m"))),
                    actions.Chi((F("6m"), F("7m"))),
                    actions.Pon((F("5M"), F("5m"))),
                    actions.Daiminkan(),
                    actions.Ron(),
                )
            ),
        ),
    ),
    (
        "naku? 1z ron _hand=1z _time=0+0.5",
        sentences01.NakuQuestion(F("1z"), extras.Extras((actions.Ron(),), "1z", None, extras.Time(0, 0.5))),
    ),
    *((f"say B {call.value}", sentences01.Say(1, call)) for call in Call),
    ("open B <4m6m> 5m", sentences01.Open(1, "<4m6m>", F("5m"))),
    ("open B (6z6z6z6z)", sentences01.Open(1, "(6z6z6z6z)")),
    ("open B <6m6m6m> 6m", sentences01.Open(1, "<6m6m6m>", F("6m"))),
    ("open A 2m2m5z5z7z7z5z<2p3p4p><6z6z6z>", sentences01.Open(0, "2m2m5z5z7z7z5z<2p3p4p><6z6z6z>")),
    ("agari B 30 riichi 1 dora 2", sentences01.Agari(1, 30, (("riichi", 1), ("dora", 2)))),
    ("agari A 0 %E5%9B%BD%E5%A3%AB%E7%84%A1%E5%8F%8C 13", sentences01.Agari(0, 0, (("国士無双", 13),))),
    ("ryukyoku", sentences01.Ryukyoku()),
    *(
        (f"ryukyoku {reason.value}", sentences01.Ryukyoku(reason))
        for reason in DrawReason
        if reason is not DrawReason.EXHAUSTED
    ),
    ("tenpai?", sentences01.TenpaiQuestion()),
    ("tenpai? _time=10+0", sentences01.TenpaiQuestion(extras.Extras(time=extras.Time(10, 0)))),
    ("kyokuend", sentences01.KyokuEnd()),
    ("gameend 32000 28000 41200 -1200", sentences01.GameEnd((32000, 28000, 41200, -1200))),
    ("bye", sentences01.Bye()),
    *((f"_illegal 57 {reason.value}", sentences01.Illegal(57, reason)) for reason in Reason),
    ("_waits 4m:3/7m:0", sentences01.WaitsNow(((F("4m"), 3), (F("7m"), 0)))),
    ("_waits 5z:1 permanent", sentences01.WaitsNow(((F("5z"), 1),), Furiten.PERMANENT)),
    ("_shanten 2", sentences01.ShantenNow(2)),
    ("_worth B 2000 8000 300 1000 8000", sentences01.Worth(1, 2000, 8000, 300, 1000, (8000,))),
    ("_worth A 8000 48000 0 0 48000 C", sentences01.Worth(0, 8000, 48000, 0, 0, (48000,), 2)),
    ("_worth D 2000 8000 0 0 2000/4000", sentences01.Worth(3, 2000, 8000, 0, 0, (2000, 4000))),
    ("_places 2 4900 1 45300 3 -50200", sentences01.Places(((2, 4900), (1, 45300), (3, -50200)))),
    ("_record 20260401T120000Z-main-1", sentences01.Record("20260401T120000Z-main-1")),
    ("_late 57 2", sentences01.Late(57, 2)),
    ("_advice 57 ron", sentences01.Advice(57, (AdvisedAnswer(actions.Ron()),))),
    (
        "_advice 57 sute=1z/-120/2/18/4 chi=4m6m/+90/0/7/0 no/-50/-/-/0",
        sentences01.Advice(
            57,
            (
                AdvisedAnswer(actions.Discard(F("1z")), -120.0, 2, 18, 0.04),
                AdvisedAnswer(actions.Chi((F("4m"), F("6m"))), 90.0, 0, 7, 0.0),
                AdvisedAnswer(actions.Pass(), -50.0),
            ),
        ),
    ),
    ("_waiting 2 4", sentences01.Waiting(2, 4)),
    ("_notice %E5%8D%93%20at%2020:00%3D", sentences01.Notice("卓 at 20:00=")),
    ("_you Mika%202", sentences01.You("Mika 2")),
    ("_table invitation=K7MQ2XAB seats=4", sentences01.FriendsTable((("invitation", "K7MQ2XAB"), ("seats", "4")))),
    (
        "_members Mika%3A:host - B:away",
        sentences01.Members((Member("Mika:", MemberState.HOST), None, Member("B", MemberState.AWAY))),
    ),
    ("_bots 3", sentences01.BotsSoon(3)),
    (
        "_players - bot:1500 -12?120 9?",
        sentences01.Profiles(
            (
                Profile(False),
                Profile(True, 1500),
                Profile(False, -12, is_provisional=True, margin=120),
                Profile(False, 9, is_provisional=True),
            )
        ),
    ),
    ("_away B", sentences01.Away(1)),
    ("_back B", sentences01.Back(1)),
    ("_pong", sentences01.Pong()),
    ("_watching 2", sentences01.Watching(2)),
    ("_say B 3", sentences01.Phrase(1, 3)),
    ("_you Mika%202 main-3", sentences01.You("Mika 2", "main-3")),
    (f"_commitment {'0a' * 32}", sentences01.Commitment("0a" * 32)),
    (f"_secret {'0a' * 32}", sentences01.Secret("0a" * 32)),
    (f"_seeds - {'0a' * 32} - -", sentences01.Seeds((None, "0a" * 32, None, None))),
    (f"_seeds {'0a' * 32} - -", sentences01.Seeds(("0a" * 32, None, None))),
    ("_seed?", sentences01.SeedQuestion()),
    (f"_texts - {TEXT} - -", sentences01.Texts((None, TEXT, None, None))),
    ("_resume 00112233445566778899aabbccddeeff", sentences01.SeatToken("00112233445566778899aabbccddeeff")),
]

CLIENT: list[tuple[str, Sentence]] = [
    (f"_seed {TEXT}", Reveal(TEXT)),
    (f"_seed {TEXT} {'0a' * 32}", Reveal(TEXT, "0a" * 32)),
    ("hello", ClientHello(())),
    ("hello name=a%20b ump=0.1", ClientHello((("name", "a b"), ("ump", "0.1")))),
]

SERVER_02: list[tuple[str, Sentence]] = [
    ("hello", sentences02.Hello(())),
    ("hello name=ump ump=0.2", sentences02.Hello((("name", "ump"), ("ump", "0.2")))),
    ("error no%20such%3Droom", sentences02.Error("no such=room")),
    ("seat gameid=1 C0", sentences02.OwnSeat(2, "1")),
    ("seat A0", sentences02.OwnSeat(0)),
    ("player A0 bot1", sentences02.Player(0, "bot1")),
    ("player D0 %E5%B1%B1%3D%20%25", sentences02.Player(3, "山= %")),
    ("gamestart id=1", sentences02.GameStart("1")),
    ("gamestart", sentences02.GameStart()),
    ("ready?", sentences01.ReadyQuestion()),
    ("kyokustart 0 A0 0 0 1z 1z 2z 3z 4z", sentences02.KyokuStart(0, 0, 0, 0, F("1z"), WINDS)),
    ("kyokustart 1 B0 12 3000 2z 4z 1z 2z 3z", sentences02.KyokuStart(1, 1, 12, 3000, F("2z"), FACES("4z1z2z3z"))),
    ("kyokustart 0 C0 0 0 1z 2z 3z 1z", sentences02.KyokuStart(0, 2, 0, 0, F("1z"), FACES("2z3z1z"))),
    ("point A0 =25000", sentences02.Point(0, (("=", 25000)))),
    ("point B0 =-1200", sentences02.Point(1, (("=", -1200)))),
    ("point C0 +13000", sentences02.Point(2, (("+", 13000)))),
    ("point D0 -12000", sentences02.Point(3, (("-", 12000)))),
    ("richi C0 -1000", sentences02.Richi(2, 1000)),
    ("dice 2 6", sentences01.Dice(2, 6)),
    ("dora 9p 8p", sentences02.Dora(F("9p"), F("8p"))),
    ("dora 6m 5M", sentences02.Dora(F("6m"), F("5M"))),
    ("uradora 7p 6p", sentences02.Uradora(F("7p"), F("6p"))),
    ("haipai C0 2m8s5m7z", sentences02.Haipai(2, FACES("2m8s5m7z"))),
    ("haipai A0 xxxxxxxx", sentences02.Haipai(0, (None,) * 4)),
    ("haipai A0 xx", sentences02.Haipai(0, (None,))),
    ("tsumo C0 67 5s", sentences02.Tsumo(2, 67, F("5s"))),
    ("tsumo D0 0 xx", sentences02.Tsumo(3, 0, None)),
    ("tsumo D0 30 5S rinshan", sentences02.Tsumo(3, 30, F("5S"), rinshan=True)),
    ("tsumo D0 22 xx rinshan", sentences02.Tsumo(3, 22, None, rinshan=True)),
    ("sutehai?", sentences02.SutehaiQuestion()),
    ("sutehai? richi=5z", sentences02.SutehaiQuestion(FACES("5z"))),
    ("sutehai? richi=5M5z tsumo ankan kakan ryukyoku",
     sentences02.SutehaiQuestion(FACES("5M5z"), ("tsumo", "ankan", "kakan", "ryukyoku"))),
    ("sutehai C0 2m", sentences02.Sutehai(2, F("2m"))),
    ("sutehai C0 5M tsumogiri", sentences02.Sutehai(2, F("5M"), tsumogiri=True)),
    ("sutehai C0 5z richi", sentences02.Sutehai(2, F("5z"), richi=True)),
    ("sutehai C0 5z tsumogiri richi", sentences02.Sutehai(2, F("5z"), tsumogiri=True, richi=True)),
    ("naki? 5p pon", sentences02.NakiQuestion(F("5p"), ("pon",))),
    ("naki? 6m ron kan pon chi", sentences02.NakiQuestion(F("6m"), ("ron", "kan", "pon", "chi"))),
    ("tenpai?", sentences01.TenpaiQuestion()),
    *((f"say B0 {call.value}", sentences02.Say(1, call)) for call in Call),
    ("open A0 <2p4p> 3p", sentences02.Open(0, "<2p4p>", F("3p"))),
    ("open A0 <5m5M> 5m", sentences02.Open(0, "<5m5M>", F("5m"))),
    ("open A0 <6m6m6m> 6m", sentences02.Open(0, "<6m6m6m>", F("6m"))),
    ("open A0 (9s9s9s9s)", sentences02.Open(0, "(9s9s9s9s)")),
    ("open A0 [6m6m6m] 6m", sentences02.Open(0, "[6m6m6m]", F("6m"))),
    ("open C0 3m5m9p9p9p3s4s5s7s8s9s3z3z", sentences02.Open(2, "3m5m9p9p9p3s4s5s7s8s9s3z3z")),
    ("agari ron=4m C0 3900 40 %E7%AB%8B%E7%9B%B4 1 dora 3",
     sentences02.Agari(2, "3900", 40, (("立直", 1), ("dora", 3)), F("4m"))),
    ("agari A0 %E5%BD%B9%E6%BA%80 0 %E5%A4%A7%E5%9B%9B%E5%96%9C 2",
     sentences02.Agari(0, "役満", 0, (("大四喜", 2),))),
    ("ryukyoku", sentences02.Ryukyoku()),
    *((f"ryukyoku {reason.value}", sentences02.Ryukyoku(reason))
      for reason in DrawReason if reason is not DrawReason.EXHAUSTED),
    ("kyokuend", sentences01.KyokuEnd()),
    ("gameend C0 55000 A0 13300 B0 -15000 D0 -53300",
     sentences02.GameEnd(((2, 55000), (0, 13300), (1, -15000), (3, -53300)))),
    ("_advice 57 sutehai:1z/-120/2/18/4 chi:4m6m/+90/0/7/0 no/-50/-/-/0",
     sentences02.Advice(57, (
         AdvisedAnswer(actions.Discard(F("1z")), -120.0, 2, 18, 0.04),
         AdvisedAnswer(actions.Chi((F("4m"), F("6m"))), 90.0, 0, 7, 0.0),
         AdvisedAnswer(actions.Pass(), -50.0),
     ))),
    ("ack", sentences02.Ack()),
    ("_illegal 20 not_held", sentences01.Illegal(20, Reason.NOT_HELD)),
    ("_late 20 2", sentences01.Late(20, 2)),
    ("_waiting 2 4", sentences01.Waiting(2, 4)),
    ("_notice %E5%8D%93%20at%2020:00%3D", sentences02.Notice("卓 at 20:00=")),
    (f"_commitment {'0a' * 32}", sentences01.Commitment("0a" * 32)),
    (f"_secret {'0a' * 32}", sentences01.Secret("0a" * 32)),
    (f"_seeds - {'0a' * 32} - -", sentences01.Seeds((None, "0a" * 32, None, None))),
    ("_seed?", sentences01.SeedQuestion()),
    (f"_texts - {TEXT} - -", sentences01.Texts((None, TEXT, None, None))),
    ("_resume 00112233445566778899aabbccddeeff", sentences01.SeatToken("00112233445566778899aabbccddeeff")),
]  # fmt: skip

VERSIONS: dict[str, tuple[ModuleType, list[tuple[str, Sentence]]]] = {
    "0.1": (sentences01, SERVER_01),
    "0.2": (sentences02, SERVER_02),
}
"""For each version its module, and its table."""


@each_row(
    ("module", "text", "sentence"),
    [(module, text, sentence) for module, table in VERSIONS.values() for text, sentence in table],
)
def test_a_sentence_is_written_and_read(module: ModuleType, text: str, sentence: Sentence) -> None:
    """Each text is read as its value, and each value written as its text; 0.1 folds spaces and tabs."""
    assert sentence.serialise() == text
    assert module.read_sentence(f"12 {text}") == (12, sentence)
    if module is sentences01:
        assert module.read_sentence("\t 12 " + text.replace(" ", "  \t") + "  ") == (12, sentence)


@each_row(("text", "sentence"), CLIENT)
def test_a_sentence_of_a_client_is_written_and_read(text: str, sentence: Sentence) -> None:
    """Each text is read as its value, and each value written as its text."""
    assert sentence.serialise() == text
    assert sentence.parse(text.split()[1:]) == sentence


@each_row("version", VERSIONS)
def test_the_table_has_every_sentence(version: str) -> None:
    """No sentence of the server is left out."""
    module, table = VERSIONS[version]
    assert {type(sentence) for _, sentence in table} == set(module.SERVER_NAMED.values())


EXAMPLES: dict[str, list[type[Sentence]]] = {
    "0.1": [*sentences01.SERVER_NAMED.values(), ClientHello, Reveal],
    "0.2": [*sentences02.SERVER_NAMED.values()],
}


@each_row(("version", "sentence"), [(version, kind) for version, kinds in EXAMPLES.items() for kind in kinds])
def test_the_examples_of_the_specification_hold(version: str, sentence: type[Sentence]) -> None:
    """The examples in the docstring of a class are read and written the same."""
    text = re.sub(r"\s+", " ", sentence.__doc__ or "")
    (listed,) = re.findall(r"Examples?: (``.*?)(?:\.? ?)$", text)
    for example in re.findall(r"``(.*?)``", listed):
        name, *words = example.split()
        if version == "0.1":
            assert name == sentence.NAME
            assert sentence.parse(words).serialise() == example
        else:
            arguments, options = split_words(example.split())
            assert sentence.parse(arguments[1:], options).serialise() == example


UNREADABLE_01 = [
    *("_players bot - bot:", "hello alice", "hello name=%", "hello =x", "error", "error two words", "error %zz"),
    *("gamestart", "gamestart A", "gamestart E a b c d", "gamestart D a b c", "gamestart A a b c d e"),
    *("ready? _time=soon", "kyokustart 5z A 0 0", "kyokustart 1z A 0", "kyokustart 1z A -1 0"),
    *("kyokustart 0 A 0 0", "point A 25000", "point A =", "point A +-5", "point A =--5", "point A =1234567890"),
    *("point E =1", "point A =１", "dice 0 1", "dice 7 1", "dice 1", "haipai", "haipai A 1m 2m", "haipai A 1x"),
    *("dora", "dora 0m", "tsumo A", "tsumo A -1", "tsumo A 69 1m 2m", "sutehai A", "sutehai A tsumogiri"),
    *("sutehai A 1m tsumogiri tsumogiri", "sutehai? sute=1", "sutehai? _hand=<", "sutehai? _drawn=5x", "naku?"),
    *("naku? chi=1m2m", "naku? 3m chi=1m2m4m", "naku? 3m chi=1m2m,", "say A", "say A riichi", "open A"),
    *("open A 8z", "open A <4m6m", "open A <>", "open A <4m6m>5m 5m", "open A <4m6m> 5m 5m", "agari A 30"),
    *("agari A 30 riichi", "agari A 30 riichi x", "agari A 30 %1 1", "ryukyoku exhausted"),
    *("ryukyoku because of nothing", "tenpai? _time=1", "kyokuend now", "gameend", "gameend 1 2 3 4 5"),
    *("gameend a", "bye bye", "_illegal 5", "_illegal 5 whatever", "_illegal x unreadable", "_waiting 2"),
    *("_resume", "_resume 0011", "_commitment 0a", "_secret", "_waiting two four"),
]

UNREADABLE_02 = [
    *("dora 9p 8p", "x dora 9p 8p", "-1 dora 9p 8p", "1234567890 kyokuend", "٣ kyokuend", "1 error", "1 seat"),
    *("1 seat A", "1 seat A1", "1 seat E0", "1 player A0", "1 kyokustart 0 A0 0 0 1z"),
    *("1 kyokustart 0 A0 0 0 5z 1z 2z 3z 4z", "1 kyokustart 0 D0 0 0 1z 1z 2z 3z"),
    *("1 kyokustart 0 A0 0 0 1z 1z 2z 3z 4z 1z", "1 kyokustart 0 A0 -1 0 1z 1z 2z 3z 4z", "1 point A0"),
    *("1 point A0 25000", "1 point A0 +-1", "1 richi A0 +1000", "1 dice 7 1", "1 dora 9p", "1 dora xx 8p"),
    *("1 haipai A0", "1 haipai A0 x", "1 haipai A0 1", "1 haipai A0 " + "xx" * 15, "1 tsumo A0 69"),
    *("1 tsumo A0 5m 69", "1 sutehai A0 xx", "1 say A0 riichi", "1 open A0 <2p4p>", "1 open A0 [6m6m6m]"),
    *("1 open A0 <2p4p] 3p", "1 open A0 2m<2p3p4p>", "1 open A0 xx", "1 open A0 " + "1m" * 15),
    *("1 agari A0 3900 30", "1 agari A0 3900 30 dora", "1 agari ron=xx A0 3900 30 dora 1", "1 gameend A0 1 A0 2"),
    *("1 gameend A0 1 B0", "1 gameend A0 1.5 B0 2", "1 naki?", "1 naki? xx ron", "1 sutehai? richi=xx"),
]

LINES = ["hello", "-1 hello", "1234567890 hello", "１ hello", "x1 bye", "= bye", "x dora 9p 8p", "٣ kyokuend"]


@each_row("text", UNREADABLE_01)
def test_other_forms_of_01_are_refused(text: str) -> None:
    """A known command in another form raises WireError."""
    with pytest.raises(WireError):
        sentences01.read_sentence(f"1 {text}")


@each_row("text", UNREADABLE_02)
def test_other_forms_of_02_are_refused(text: str) -> None:
    """A known command in another form raises WireError."""
    with pytest.raises(WireError):
        sentences02.read_sentence(text)


@each_row("words", ["alice", "name=%F", "name=a alice"])
def test_other_hellos_are_refused(words: str) -> None:
    """A hello has options only."""
    with pytest.raises(WireError):
        ClientHello.parse(words.split())


@each_row("line", LINES)
def test_a_line_begins_with_an_id(line: str) -> None:
    """An id is a decimal number of limited length in ASCII."""
    for module in (sentences01, sentences02):
        with pytest.raises(WireError):
            module.read_sentence(line)


@each_row("line", ["3", "3 _new 1 2", "3 HELLO", "3 sute 5m", "003 __init__", "3 area -", "3 _ex_ 5", "3 x=1"])
def test_unknown_sentences_are_no_error(line: str) -> None:
    """Extensions of other servers, and an id alone, are read as an id without a sentence."""
    assert sentences01.read_sentence(line) == sentences02.read_sentence(line) == (3, None)


SCATTERED = [
    ("12 agari C0 ron=4m 3900 40 dora 3", "12 agari ron=4m C0 3900 40 dora 3"),
    ("12 agari C0 3900 40 dora 3 ron=4m", "12 agari ron=4m C0 3900 40 dora 3"),
    ("12 agari comment=a%20b ron=1m ron=4m C0 3900 40 dora 3", "12 agari ron=4m C0 3900 40 dora 3"),
    ("12 x=1 seat C0 gameid=1", "12 seat gameid=1 C0"),
    ("23 dora reconnect=1 9p 8p", "23 dora 9p 8p"),
    ("23 kyokuend reconnect=1", "23 kyokuend"),
    ("23 ready? reconnect=1", "23 ready?"),
    ("18 point A0 reconnect=1 =25000", "18 point A0 =25000"),
    ("18 point %410 %3D25000", "18 point A0 =25000"),
    ("18 %70oint A0 =2%35000", "18 point A0 =25000"),
    ("7 sutehai A0 5m richi tsumogiri later", "7 sutehai A0 5m tsumogiri richi"),
    ("7 tsumo A0 5 xx later rinshan", "7 tsumo A0 5 xx rinshan"),
    ("7 ryukyoku kazekaeshi", "7 ryukyoku"),
    ("7 sutehai? richi=5z tsumo openrichi", "7 sutehai? richi=5z tsumo"),
    ("7 naki? 5m nuki ron", "7 naki? 5m ron"),
    ("7 gameend A0 100 B0 -100 A0_rank=1", "7 gameend A0 100 B0 -100"),
    ("0 hello ump=0.2 name=a%3Db", "0 hello ump=0.2 name=a%3Db"),
]


@each_row(("text", "tidy"), SCATTERED)
def test_options_stand_anywhere(text: str, tidy: str) -> None:
    """Options are removed before arguments are counted, all words are decoded, unknown ones skipped."""
    number, sentence = sentences02.read_sentence(text)
    assert sentence is not None
    assert f"{number} {sentence.serialise()}" == tidy


def test_words_with_an_equals_sign_are_options() -> None:
    """An ``=`` at the start makes no option; the last value of a name wins."""
    words = ["=25000", "A0=25000", "b=", "c=d=e", "==", "A0=1", "%3D", "e%3Df"]
    assert split_words(words) == (["=25000", "==", "=", "e=f"], {"A0": "1", "b": "", "c": "d=e"})


@each_row("word", ["%", "%4", "%zz", "a%FF", "a=%", "a=%FF"])
def test_a_bad_escape_is_an_error(word: str) -> None:
    """This holds for arguments and options."""
    with pytest.raises(WireError):
        split_words([word])


@each_row(
    "sentence",
    [
        sentences02.Player(0, ""),
        sentences02.Error(""),
        sentences02.Agari(0, "", 30, ()),
        sentences02.Agari(0, "1", 30, (("", 1),)),
    ],
)
def test_an_empty_word_is_not_written(sentence: Sentence) -> None:
    """To libump an empty word is the end of the line."""
    with pytest.raises(UnwritableError):
        sentence.serialise()


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=32)


@given(st.integers(0, len(LETTERS) - 1), TEXTS)
def test_no_name_breaks_a_line(seat: int, name: str) -> None:
    """Any name is written as one word without ``=`` and read back."""
    line = f"1 {sentences02.Player(seat, name).serialise()}"
    assert re.fullmatch("1 player [A-D]0 [!-<>-~]+", line)
    assert sentences02.read_sentence(line) == (1, sentences02.Player(seat, name))


@given(TEXTS, TEXTS)
def test_no_text_makes_an_option(points: str, yaku: str) -> None:
    """Names of yaku, limits and games, and errors, are read back."""
    for sentence in (
        sentences02.Agari(0, points, 30, ((yaku, 1),)),
        sentences02.Error(points),
        sentences02.OwnSeat(0, points),
        sentences02.GameStart(yaku),
    ):
        assert sentences02.read_sentence(f"1 {sentence.serialise()}") == (1, sentence)


def test_offers_of_other_servers_are_read() -> None:
    """Pairs may have any order, a closed kan may be named by its red five, unknown words are skipped."""
    read = extras.parse_extras(["chi=6m4m", "ankan=5M", "_new=1", "maybe"])
    assert read == extras.Extras((actions.Chi((F("4m"), F("6m"))), actions.Ankan(F("5m"))))


def test_equal_tiles_are_one_offer() -> None:
    """The drawn tile and an equal one of the hand are one offer; to pass and to declare are not offered."""
    both = (actions.Discard(0), actions.Discard(0, tsumogiri=True), actions.Discard(1))
    assert extras.offer_words(both) == ["sute=1m2m"]
    assert extras.offer_words((actions.Pass(), actions.DeclareTenpai(), actions.DeclareNoten())) == []


def test_the_longest_sentences_fit() -> None:
    """Four names of 32 characters with four encoded bytes each fit in a line."""
    assert len(sentences01.GameStart(0, ("\U0001f004" * 32,) * 4).serialise()) < MAX_WRITTEN


PATTERNS = {pattern for each in sentences01.SERVER_NAMED.values() for pattern in each.PATTERNS.values()}
WORDS = st.one_of(
    st.text(max_size=8),
    st.one_of(*(st.from_regex(pattern, fullmatch=True) for pattern in sorted(PATTERNS))),
    st.sampled_from(["E", "8z", "-1", "tsumogiri", "sute=1m", "chi=1m2m", "kan", "name=%41", "=", "%", "_hand=1m<"]),
)


@given(st.sampled_from(list(sentences01.SERVER_NAMED)), st.lists(WORDS, max_size=6))
def test_any_words_are_read_or_refused(name: str, words: list[str]) -> None:
    """Any words after a command are read or raise WireError; every sentence that is read can be written."""
    try:
        _, sentence = sentences01.read_sentence(" ".join(("7", name, *words)))
    except WireError as error:
        assert str(error).isascii()
        return
    if sentence is not None:
        written = sentence.serialise()
        _, again = sentences01.read_sentence(f"7 {written}")
        assert again is not None
        assert again.serialise() == written


@given(
    st.lists(st.one_of(st.sampled_from([*sentences02.SERVER_NAMED, "A0", "5m", "xx", "=1", "a=1", "%20", "1z"]), TEXTS))
)
def test_any_line_of_02_is_read_or_refused(words: list[str]) -> None:
    """A line gives a sentence or WireError."""
    with suppress(WireError):
        sentences02.read_sentence(" ".join(["1", *words]))


@given(st.sampled_from(list(ANSWERS_01)), st.lists(WORDS, max_size=4))
def test_any_answer_is_read_or_refused(name: str, words: list[str]) -> None:
    """Any words after a command are read or raise WireError; every claim that is read can be written."""
    try:
        claim = read_claim((name, *" ".join(words).split()))
    except WireError as error:
        assert str(error).isascii()
        return
    assert read_claim(tuple(write_claim(claim).split())).verb is claim.verb
