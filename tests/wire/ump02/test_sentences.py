"""Tests the writing and reading of the sentences of 0.2."""

from __future__ import annotations

import re
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.rows import each_row

from ump.model.claims import Reason
from ump.model.events import DrawReason
from ump.model.notation import parse_ump_face, parse_ump_faces
from ump.model.seats import LETTERS
from ump.wire.sentence import Sentence
from ump.wire.text import UnwritableError, WireError
from ump.wire.ump01 import client_messages as client01
from ump.wire.ump01 import extension_messages
from ump.wire.ump01 import questions as questions01
from ump.wire.ump01 import server_messages as server01
from ump.wire.ump01.server_messages import Call
from ump.wire.ump02 import client_messages, questions, server_messages
from ump.wire.ump02.vocabulary import CLIENT_NAMED, SERVER_NAMED, read_sentence
from ump.wire.ump02.words import split_words

F, FACES = parse_ump_face, parse_ump_faces
WINDS = FACES("1z2z3z4z")

TEXT = "00112233445566778899aabbccddeeff"

SERVER: list[tuple[str, Sentence]] = [
    ("hello", server_messages.Hello(())),
    ("hello name=ump ump=0.2", server_messages.Hello((("name", "ump"), ("ump", "0.2")))),
    ("error no%20such%3Droom", server_messages.Error("no such=room")),
    ("seat gameid=1 C0", server_messages.OwnSeat(2, "1")),
    ("seat A0", server_messages.OwnSeat(0)),
    ("player A0 bot1", server_messages.Player(0, "bot1")),
    ("player D0 %E5%B1%B1%3D%20%25", server_messages.Player(3, "山= %")),
    ("gamestart id=1", server_messages.GameStart("1")),
    ("gamestart", server_messages.GameStart()),
    ("ready?", questions01.ReadyQuestion()),
    ("kyokustart 0 A0 0 0 1z 1z 2z 3z 4z", server_messages.KyokuStart(0, 0, 0, 0, F("1z"), WINDS)),
    ("kyokustart 1 B0 12 3000 2z 4z 1z 2z 3z", server_messages.KyokuStart(1, 1, 12, 3000, F("2z"), FACES("4z1z2z3z"))),
    ("kyokustart 0 C0 0 0 1z 2z 3z 1z", server_messages.KyokuStart(0, 2, 0, 0, F("1z"), FACES("2z3z1z"))),
    ("point A0 =25000", server_messages.Point(0, "=", 25000)),
    ("point B0 =-1200", server_messages.Point(1, "=", -1200)),
    ("point C0 +13000", server_messages.Point(2, "+", 13000)),
    ("point D0 -12000", server_messages.Point(3, "-", 12000)),
    ("richi C0 -1000", server_messages.Richi(2, 1000)),
    ("dice 2 6", server01.Dice(2, 6)),
    ("dora 9p 8p", server_messages.Dora(F("9p"), F("8p"))),
    ("dora 6m 5M", server_messages.Dora(F("6m"), F("5M"))),
    ("uradora 7p 6p", server_messages.Uradora(F("7p"), F("6p"))),
    ("haipai C0 2m8s5m7z", server_messages.Haipai(2, FACES("2m8s5m7z"))),
    ("haipai A0 xxxxxxxx", server_messages.Haipai(0, (None,) * 4)),
    ("haipai A0 xx", server_messages.Haipai(0, (None,))),
    ("tsumo C0 67 5s", server_messages.Tsumo(2, 67, F("5s"))),
    ("tsumo D0 0 xx", server_messages.Tsumo(3, 0, None)),
    ("tsumo D0 30 5S rinshan", server_messages.Tsumo(3, 30, F("5S"), rinshan=True)),
    ("tsumo D0 22 xx rinshan", server_messages.Tsumo(3, 22, None, rinshan=True)),
    ("sutehai?", questions.SutehaiQuestion()),
    ("sutehai? richi=5z", questions.SutehaiQuestion(FACES("5z"))),
    ("sutehai? richi=5M5z tsumo ankan kakan ryukyoku",
     questions.SutehaiQuestion(FACES("5M5z"), ("tsumo", "ankan", "kakan", "ryukyoku"))),
    ("sutehai C0 2m", server_messages.Sutehai(2, F("2m"))),
    ("sutehai C0 5M tsumogiri", server_messages.Sutehai(2, F("5M"), tsumogiri=True)),
    ("sutehai C0 5z richi", server_messages.Sutehai(2, F("5z"), richi=True)),
    ("sutehai C0 5z tsumogiri richi", server_messages.Sutehai(2, F("5z"), tsumogiri=True, richi=True)),
    ("naki? 5p pon", questions.NakiQuestion(F("5p"), ("pon",))),
    ("naki? 6m ron kan pon chi", questions.NakiQuestion(F("6m"), ("ron", "kan", "pon", "chi"))),
    ("tenpai?", questions01.TenpaiQuestion()),
    *((f"say B0 {call.value}", server_messages.Say(1, call)) for call in Call),
    ("open A0 <2p4p> 3p", server_messages.Open(0, "<2p4p>", F("3p"))),
    ("open A0 <5m5M> 5m", server_messages.Open(0, "<5m5M>", F("5m"))),
    ("open A0 <6m6m6m> 6m", server_messages.Open(0, "<6m6m6m>", F("6m"))),
    ("open A0 (9s9s9s9s)", server_messages.Open(0, "(9s9s9s9s)")),
    ("open A0 [6m6m6m] 6m", server_messages.Open(0, "[6m6m6m]", F("6m"))),
    ("open C0 3m5m9p9p9p3s4s5s7s8s9s3z3z", server_messages.Open(2, "3m5m9p9p9p3s4s5s7s8s9s3z3z")),
    ("agari ron=4m C0 3900 40 %E7%AB%8B%E7%9B%B4 1 dora 3",
     server_messages.Agari(2, "3900", 40, (("立直", 1), ("dora", 3)), F("4m"))),
    ("agari A0 %E5%BD%B9%E6%BA%80 0 %E5%A4%A7%E5%9B%9B%E5%96%9C 2",
     server_messages.Agari(0, "役満", 0, (("大四喜", 2),))),
    ("ryukyoku", server_messages.Ryukyoku()),
    *((f"ryukyoku {reason.value}", server_messages.Ryukyoku(reason))
      for reason in DrawReason if reason is not DrawReason.EXHAUSTED),
    ("kyokuend", server01.KyokuEnd()),
    ("gameend C0 55000 A0 13300 B0 -15000 D0 -53300",
     server_messages.GameEnd(((2, 55000), (0, 13300), (1, -15000), (3, -53300)))),
    ("ack", client_messages.Ack()),
    ("_illegal 20 not_held", extension_messages.Illegal(20, Reason.NOT_HELD)),
    ("_late 20 2", extension_messages.Late(20, 2)),
    ("_waiting 2 4", extension_messages.Waiting(2, 4)),
    ("_notice %E5%8D%93%20at%2020:00%3D", extension_messages.Notice("卓 at 20:00=")),
    (f"_commitment {'0a' * 32}", extension_messages.Commitment("0a" * 32)),
    (f"_secret {'0a' * 32}", extension_messages.Secret("0a" * 32)),
    (f"_seeds - {'0a' * 32} - -", extension_messages.Seeds((None, "0a" * 32, None, None))),
    ("_seed?", extension_messages.SeedQuestion()),
    (f"_texts - {TEXT} - -", extension_messages.Texts((None, TEXT, None, None))),
    ("_resume 00112233445566778899aabbccddeeff", extension_messages.SeatToken("00112233445566778899aabbccddeeff")),
]  # fmt: skip

CLIENT: list[tuple[str, Sentence]] = [
    (f"_seed {TEXT} {'0a' * 32}", client01.Reveal(TEXT, "0a" * 32)),
    ("hello name=bot0 ump=0.2", client_messages.ClientHello((("name", "bot0"), ("ump", "0.2")))),
    ("yes", client01.Yes()),
    ("ok", client01.Ok()),
    ("sutehai 2m", client_messages.Sutehai(F("2m"))),
    ("sutehai 5M tsumogiri", client_messages.Sutehai(F("5M"), tsumogiri=True)),
    ("sutehai 5z richi", client_messages.Sutehai(F("5z"), richi=True)),
    ("sutehai 5z tsumogiri richi", client_messages.Sutehai(F("5z"), tsumogiri=True, richi=True)),
    ("tsumo", client01.Tsumo()),
    ("kita", client01.Kita()),
    ("ryukyoku", client01.DeclareRyukyoku()),
    ("no", client01.No()),
    ("ron", client01.Ron()),
    ("tenpai", client_messages.Tenpai()),
    ("noten", client_messages.Noten()),
    ("ack", client_messages.Ack()),
    ("bye", client01.ClientBye()),
]


@each_row(("text", "sentence"), SERVER)
def test_server_sentences_are_read_and_written(text: str, sentence: Sentence) -> None:
    """Each text is read as its value, and each value written as its text."""
    assert read_sentence(SERVER_NAMED, f"12 {text}") == (12, sentence)
    assert sentence.serialise() == text


@each_row(("text", "sentence"), CLIENT)
def test_client_sentences_are_read_and_written(text: str, sentence: Sentence) -> None:
    """Each text is read as its value, and each value written as its text."""
    assert read_sentence(CLIENT_NAMED, f"12 {text}") == (12, sentence)
    assert sentence.serialise() == text


def test_every_sentence_has_a_case() -> None:
    """No sentence is left out; calls and kans, which are written without spaces, are tested with the answers."""
    assert {type(sentence) for _, sentence in SERVER} == set(SERVER_NAMED.values())
    glued = {client01.Ankan, client01.Kakan, client01.Chi, client01.Pon, client01.Kan}
    assert {type(sentence) for _, sentence in CLIENT} | glued == set(CLIENT_NAMED.values())


@each_row(("text", "sentence"), [*SERVER, *CLIENT])
def test_every_docstring_has_its_format(text: str, sentence: Sentence) -> None:
    """The docstring of a class has a format, which begins with the command."""
    assert f"``{sentence.NAME}" in (type(sentence).__doc__ or "")


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
    number, sentence = read_sentence(SERVER_NAMED, text)
    assert sentence is not None
    assert f"{number} {sentence.serialise()}" == tidy


def test_words_with_an_equals_sign_are_options() -> None:
    """An ``=`` at the start makes no option; the last value of a name wins."""
    words = ["=25000", "A0=25000", "b=", "c=d=e", "==", "A0=1", "%3D", "e%3Df"]
    assert split_words(words) == (["=25000", "==", "=", "e=f"], {"A0": "1", "b": "", "c": "d=e"})


@pytest.mark.parametrize("word", ["%", "%4", "%zz", "a%FF", "a=%", "a=%FF"])
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
        read_sentence(SERVER_NAMED, text)


@pytest.mark.parametrize("text", ["1 area -", "1", "1 x=1", "0 _ex_ 5"])
def test_unknown_commands_are_none(text: str) -> None:
    """A command of another server is read as an id without a sentence."""
    assert read_sentence(SERVER_NAMED, text)[1] is None


@pytest.mark.parametrize(
    "sentence",
    [
        server_messages.Player(0, ""),
        server_messages.Error(""),
        server_messages.Agari(0, "", 30, ()),
        server_messages.Agari(0, "1", 30, (("", 1),)),
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
    line = f"1 {server_messages.Player(seat, name).serialise()}"
    assert re.fullmatch("1 player [A-D]0 [!-<>-~]+", line)
    assert read_sentence(SERVER_NAMED, line) == (1, server_messages.Player(seat, name))


@given(TEXTS, TEXTS)
def test_no_text_makes_an_option(points: str, yaku: str) -> None:
    """Names of yaku, limits and games, and errors, are read back."""
    for sentence in (
        server_messages.Agari(0, points, 30, ((yaku, 1),)),
        server_messages.Error(points),
        server_messages.OwnSeat(0, points),
        server_messages.GameStart(yaku),
        client_messages.ClientHello((("name", yaku),)),
    ):
        named = CLIENT_NAMED if isinstance(sentence, client_messages.ClientHello) else SERVER_NAMED
        assert read_sentence(named, f"1 {sentence.serialise()}") == (1, sentence)


@given(st.lists(st.one_of(st.sampled_from([*SERVER_NAMED, "A0", "5m", "xx", "=1", "a=1", "%20", "1z"]), TEXTS)))
def test_any_line_is_read_or_refused(words: list[str]) -> None:
    """A line gives a sentence or WireError."""
    with suppress(WireError):
        read_sentence(SERVER_NAMED, " ".join(["1", *words]))
