"""Tests the writing and reading of the sentences of 0.2."""

from __future__ import annotations

import re
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.rows import each_row

from ump.model import actions
from ump.model.claims import Reason
from ump.model.events import DrawReason
from ump.model.notation import parse_ump_face, parse_ump_faces
from ump.model.seats import LETTERS
from ump.players.hints import AdvisedAnswer
from ump.wire.text import UnwritableError, WireError
from ump.wire.ump import sentences01, sentences02
from ump.wire.ump.sentence import Call, Sentence, split_words
from ump.wire.ump.sentences02 import SERVER_NAMED, read_sentence

F, FACES = parse_ump_face, parse_ump_faces
WINDS = FACES("1z2z3z4z")

TEXT = "00112233445566778899aabbccddeeff"

SERVER: list[tuple[str, Sentence]] = [
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


@each_row(("text", "sentence"), SERVER)
def test_server_sentences_are_read_and_written(text: str, sentence: Sentence) -> None:
    """Each text is read as its value, and each value written as its text."""
    assert read_sentence(f"12 {text}") == (12, sentence)
    assert sentence.serialise() == text


def test_every_sentence_has_a_case() -> None:
    """No sentence is left out."""
    assert {type(sentence) for _, sentence in SERVER} == set(SERVER_NAMED.values())


@each_row("sentence", SERVER_NAMED.values())
def test_the_examples_of_the_specification_hold(sentence: type[Sentence]) -> None:
    """The examples in the docstring of a class are read and written the same."""
    text = re.sub(r"\s+", " ", sentence.__doc__ or "")
    (listed,) = re.findall(r"Examples?: (``.*?)(?:\.? ?)$", text)
    for example in re.findall(r"``(.*?)``", listed):
        arguments, options = split_words(example.split())
        assert sentence.parse(arguments[1:], options).serialise() == example


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
    number, sentence = read_sentence(text)
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


UNREADABLE = [
    "dora 9p 8p",
    "x dora 9p 8p",
    "-1 dora 9p 8p",
    "1234567890 kyokuend",
    "٣ kyokuend",
    "1 error",
    "1 seat",
    "1 seat A",
    "1 seat A1",
    "1 seat E0",
    "1 player A0",
    "1 kyokustart 0 A0 0 0 1z",
    "1 kyokustart 0 A0 0 0 5z 1z 2z 3z 4z",
    "1 kyokustart 0 D0 0 0 1z 1z 2z 3z",
    "1 kyokustart 0 A0 0 0 1z 1z 2z 3z 4z 1z",
    "1 kyokustart 0 A0 -1 0 1z 1z 2z 3z 4z",
    "1 point A0",
    "1 point A0 25000",
    "1 point A0 +-1",
    "1 richi A0 +1000",
    "1 dice 7 1",
    "1 dora 9p",
    "1 dora xx 8p",
    "1 haipai A0",
    "1 haipai A0 x",
    "1 haipai A0 1",
    "1 haipai A0 " + "xx" * 15,
    "1 tsumo A0 69",
    "1 tsumo A0 5m 69",
    "1 sutehai A0 xx",
    "1 say A0 riichi",
    "1 open A0 <2p4p>",
    "1 open A0 [6m6m6m]",
    "1 open A0 <2p4p] 3p",
    "1 open A0 2m<2p3p4p>",
    "1 open A0 xx",
    "1 open A0 " + "1m" * 15,
    "1 agari A0 3900 30",
    "1 agari A0 3900 30 dora",
    "1 agari ron=xx A0 3900 30 dora 1",
    "1 gameend A0 1 A0 2",
    "1 gameend A0 1 B0",
    "1 gameend A0 1.5 B0 2",
    "1 naki?",
    "1 naki? xx ron",
    "1 sutehai? richi=xx",
]


@each_row("text", UNREADABLE)
def test_other_forms_are_refused(text: str) -> None:
    """A known command in another form raises WireError."""
    with pytest.raises(WireError):
        read_sentence(text)


@each_row("text", ["1 area -", "1", "1 x=1", "0 _ex_ 5"])
def test_unknown_commands_are_none(text: str) -> None:
    """A command of another server is read as an id without a sentence."""
    assert read_sentence(text)[1] is None


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
    assert read_sentence(line) == (1, sentences02.Player(seat, name))


@given(TEXTS, TEXTS)
def test_no_text_makes_an_option(points: str, yaku: str) -> None:
    """Names of yaku, limits and games, and errors, are read back."""
    for sentence in (
        sentences02.Agari(0, points, 30, ((yaku, 1),)),
        sentences02.Error(points),
        sentences02.OwnSeat(0, points),
        sentences02.GameStart(yaku),
    ):
        assert read_sentence(f"1 {sentence.serialise()}") == (1, sentence)


@given(st.lists(st.one_of(st.sampled_from([*SERVER_NAMED, "A0", "5m", "xx", "=1", "a=1", "%20", "1z"]), TEXTS)))
def test_any_line_is_read_or_refused(words: list[str]) -> None:
    """A line gives a sentence or WireError."""
    with suppress(WireError):
        read_sentence(" ".join(["1", *words]))
