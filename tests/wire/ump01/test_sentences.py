"""Tests the writing and reading of every sentence, with one table for both."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.rows import each_row

from ump.model import actions
from ump.model.claims import Reason
from ump.model.events import DrawReason
from ump.model.notation import parse_ump_face, parse_ump_faces
from ump.players.hints import Furiten, Waits
from ump.wire.sentence import Sentence
from ump.wire.text import MAX_WRITTEN, WireError
from ump.wire.ump01 import client_messages, extension_messages, hints, questions, server_messages
from ump.wire.ump01.server_messages import Call
from ump.wire.ump01.vocabulary import CLIENT_NAMED, CLIENT_SAYS, SERVER_NAMED, SERVER_SAYS, read_sentence

TEXT = "00112233445566778899aabbccddeeff"

F = parse_ump_face
HAIPAI = "1m3m5M6m2p2p7p9s9s1z3z5z7z"

SERVER = [
    ("hello ump=0.1", server_messages.Hello((("ump", "0.1"),))),
    (
        "hello ump=0.1 name=a%3Db%20c _ext=_offer,_hand",
        server_messages.Hello((("ump", "0.1"), ("name", "a=b c"), ("_ext", "_offer,_hand"))),
    ),
    ("error line%20too%20long", server_messages.Error("line too long")),
    ("gamestart B alice bob %E5%B0%8F dave", server_messages.GameStart(1, ("alice", "bob", "小", "dave"))),
    ("gamestart - a b c d", server_messages.GameStart(None, ("a", "b", "c", "d"))),
    ("gamestart C a b c", server_messages.GameStart(2, ("a", "b", "c"))),
    ("ready?", questions.ReadyQuestion()),
    ("ready? _time=10+0", questions.ReadyQuestion(questions.Extras(time=questions.Time(10, 0)))),
    ("kyokustart 1z A 0 0", server_messages.KyokuStart(F("1z"), 0, 0, 0)),
    ("kyokustart 2z D 12 3000", server_messages.KyokuStart(F("2z"), 3, 12, 3000)),
    ("point A =25000", server_messages.Point(0, "=", 25000)),
    ("point A =-1200", server_messages.Point(0, "=", -1200)),
    ("point B -1000", server_messages.Point(1, "-", 1000)),
    ("point D +3900", server_messages.Point(3, "+", 3900)),
    ("dice 1 6", server_messages.Dice(1, 6)),
    ("haipai A", server_messages.Haipai(0, None)),
    (f"haipai C {HAIPAI}", server_messages.Haipai(2, parse_ump_faces(HAIPAI))),
    ("dora 5M", server_messages.Dora(F("5M"))),
    ("tsumo A 69", server_messages.Tsumo(0, 69, None)),
    ("tsumo B 0 5P", server_messages.Tsumo(1, 0, F("5P"))),
    ("sutehai?", questions.SutehaiQuestion()),
    (
        "sutehai? sute=1m2m3m richi=5z openrichi=5z ankan=1m kakan=5z tsumo ryukyoku",
        questions.SutehaiQuestion(
            questions.Extras(
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
        questions.SutehaiQuestion(questions.Extras(None, "5M5m<2p3p4p>(6z6z6z6z)", None, questions.Time(4.5, 20))),
    ),
    (
        "sutehai? _hand=5M9m5m _drawn=5m",
        questions.SutehaiQuestion(questions.Extras(None, "5M9m5m", F("5m"))),
    ),
    ("sutehai A 5m", server_messages.Sutehai(0, F("5m"))),
    ("sutehai D 7z tsumogiri", server_messages.Sutehai(3, F("7z"), tsumogiri=True)),
    ("_waits 4m:3/7m:0 permanent", hints.WaitsNow(Waits(((3, 3), (6, 0)), Furiten.PERMANENT))),
    ("_shanten 2", hints.ShantenNow(2)),
    ("naku? 5m", questions.NakuQuestion(F("5m"))),
    (
        "naku? 5m chi=4m6m,6m7m pon=5m5M kan ron",
        questions.NakuQuestion(
            F("5m"),
            questions.Extras(
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
        questions.NakuQuestion(F("1z"), questions.Extras((actions.Ron(),), "1z", None, questions.Time(0, 0.5))),
    ),
    *((f"say B {call.value}", server_messages.Say(1, call)) for call in Call),
    ("open B <4m6m> 5m", server_messages.Open(1, "<4m6m>", F("5m"))),
    ("open B (6z6z6z6z)", server_messages.Open(1, "(6z6z6z6z)")),
    ("open B <6m6m6m> 6m", server_messages.Open(1, "<6m6m6m>", F("6m"))),
    ("open A 2m2m5z5z7z7z5z<2p3p4p><6z6z6z>", server_messages.Open(0, "2m2m5z5z7z7z5z<2p3p4p><6z6z6z>")),
    ("agari B 30 riichi 1 dora 2", server_messages.Agari(1, 30, (("riichi", 1), ("dora", 2)))),
    ("agari A 0 %E5%9B%BD%E5%A3%AB%E7%84%A1%E5%8F%8C 13", server_messages.Agari(0, 0, (("国士無双", 13),))),
    ("ryukyoku", server_messages.Ryukyoku()),
    *(
        (f"ryukyoku {reason.value}", server_messages.Ryukyoku(reason))
        for reason in DrawReason
        if reason is not DrawReason.EXHAUSTED
    ),
    ("tenpai?", questions.TenpaiQuestion()),
    ("tenpai? _time=10+0", questions.TenpaiQuestion(questions.Extras(time=questions.Time(10, 0)))),
    ("kyokuend", server_messages.KyokuEnd()),
    ("gameend 32000 28000 41200 -1200", server_messages.GameEnd((32000, 28000, 41200, -1200))),
    ("bye", server_messages.Bye()),
    *((f"_illegal 57 {reason.value}", extension_messages.Illegal(57, reason)) for reason in Reason),
    ("_waits 4m:3/7m:0", hints.WaitsNow(Waits(((F("4m"), 3), (F("7m"), 0))))),
    ("_waits 5z:1 permanent", hints.WaitsNow(Waits(((F("5z"), 1),), Furiten.PERMANENT))),
    ("_shanten 2", hints.ShantenNow(2)),
    ("_late 57 2", extension_messages.Late(57, 2)),
    ("_waiting 2 4", extension_messages.Waiting(2, 4)),
    ("_notice %E5%8D%93%20at%2020:00%3D", extension_messages.Notice("卓 at 20:00=")),
    (f"_commitment {'0a' * 32}", extension_messages.Commitment("0a" * 32)),
    (f"_secret {'0a' * 32}", extension_messages.Secret("0a" * 32)),
    (f"_seeds - {'0a' * 32} - -", extension_messages.Seeds((None, "0a" * 32, None, None))),
    (f"_seeds {'0a' * 32} - -", extension_messages.Seeds(("0a" * 32, None, None))),
    ("_seed?", extension_messages.SeedQuestion()),
    (f"_texts - {TEXT} - -", extension_messages.Texts((None, TEXT, None, None))),
    ("_resume 00112233445566778899aabbccddeeff", extension_messages.SeatToken("00112233445566778899aabbccddeeff")),
]

CLIENT = [
    (f"_seed {TEXT}", client_messages.Reveal(TEXT)),
    (f"_seed {TEXT} {'0a' * 32}", client_messages.Reveal(TEXT, "0a" * 32)),
    ("hello", client_messages.ClientHello(())),
    ("hello name=a%20b ump=0.1", client_messages.ClientHello((("name", "a b"), ("ump", "0.1")))),
    ("sute 5m", client_messages.Sute(F("5m"))),
    ("sute 5M tsumogiri", client_messages.Sute(F("5M"), tsumogiri=True)),
    ("richi 5z", client_messages.Richi(F("5z"))),
    ("richi 5z tsumogiri", client_messages.Richi(F("5z"), tsumogiri=True)),
    ("openrichi 5z", client_messages.OpenRichi(F("5z"))),
    ("openrichi 5z tsumogiri", client_messages.OpenRichi(F("5z"), tsumogiri=True)),
    ("ankan 6z", client_messages.Ankan((F("6z"),))),
    ("kakan 5M", client_messages.Kakan((F("5M"),))),
    ("kita", client_messages.Kita()),
    ("tsumo", client_messages.Tsumo()),
    ("ryukyoku", client_messages.DeclareRyukyoku()),
    ("chi", client_messages.Chi()),
    ("chi 4m 6m", client_messages.Chi((F("4m"), F("6m")))),
    ("chi 6m 4m", client_messages.Chi((F("6m"), F("4m")))),
    ("pon", client_messages.Pon()),
    ("pon 5m 5M", client_messages.Pon((F("5m"), F("5M")))),
    ("kan", client_messages.Kan()),
    ("kan 6m 6m 6m", client_messages.Kan((F("6m"),) * 3)),
    ("ron", client_messages.Ron()),
    ("no", client_messages.No()),
    ("yes", client_messages.Yes()),
    ("ok", client_messages.Ok()),
    ("bye", client_messages.ClientBye()),
]

BOTH = [*((SERVER_NAMED, *case) for case in SERVER), *((CLIENT_NAMED, *case) for case in CLIENT)]
SIDES = {"server": SERVER_NAMED, "client": CLIENT_NAMED}


@each_row(("named", "text", "sentence"), BOTH)
def test_a_sentence_is_written_and_read(named: dict[str, type[Sentence]], text: str, sentence: Sentence) -> None:
    """Each text is read as its value, and each value written as its text."""
    assert sentence.serialise() == text
    assert read_sentence(named, f"12 {text}") == (12, sentence)


@each_row(("named", "text", "sentence"), BOTH)
def test_spaces_and_tabs_are_folded(named: dict[str, type[Sentence]], text: str, sentence: Sentence) -> None:
    """Any number of spaces and tabs between, before and after the words gives the same sentence."""
    loose = "\t 12 " + text.replace(" ", "  \t") + "  "
    assert read_sentence(named, loose) == (12, sentence)


def test_the_table_has_every_sentence() -> None:
    """No sentence of either side is left out."""
    assert {type(sentence) for _, sentence in SERVER} == set(SERVER_SAYS)
    assert {type(sentence) for _, sentence in CLIENT} == set(CLIENT_SAYS)
    assert (len(SERVER_NAMED), len(CLIENT_NAMED)) == (len(SERVER_SAYS), len(CLIENT_SAYS))


@each_row("sentence", [*SERVER_SAYS, *CLIENT_SAYS])
def test_the_examples_of_the_specification_hold(sentence: type[Sentence]) -> None:
    """Each class docstring has a format, and its examples are read and written the same."""
    text = re.sub(r"\s+", " ", sentence.__doc__ or "")
    assert re.search(r"Format(: | and example: )``", text)
    (listed,) = re.findall(r"[Ee]xamples?: (``.*?)(?:\.? ?)$", text)
    for example in re.findall(r"``(.*?)``", listed):
        name, *words = example.split()
        assert name == sentence.NAME
        assert sentence.parse(words).serialise() == example


MALFORMED = {
    "server": [
        "hello alice",
        "hello name=%",
        "hello =x",
        "error",
        "error two words",
        "error %zz",
        "gamestart",
        "gamestart A",
        "gamestart E a b c d",
        "gamestart D a b c",
        "gamestart A a b c d e",
        "ready? _time=soon",
        "kyokustart 5z A 0 0",
        "kyokustart 1z A 0",
        "kyokustart 1z A -1 0",
        "kyokustart 0 A 0 0",
        "point A 25000",
        "point A =",
        "point A +-5",
        "point A =--5",
        "point A =1234567890",
        "point E =1",
        "point A =１",
        "dice 0 1",
        "dice 7 1",
        "dice 1",
        "haipai",
        "haipai A 1m 2m",
        "haipai A 1x",
        "dora",
        "dora 0m",
        "tsumo A",
        "tsumo A -1",
        "tsumo A 69 1m 2m",
        "sutehai A",
        "sutehai A tsumogiri",
        "sutehai A 1m tsumogiri tsumogiri",
        "sutehai? sute=1",
        "sutehai? _hand=<",
        "sutehai? _drawn=5x",
        "naku?",
        "naku? chi=1m2m",
        "naku? 3m chi=1m2m4m",
        "naku? 3m chi=1m2m,",
        "say A",
        "say A riichi",
        "open A",
        "open A 8z",
        "open A <4m6m",
        "open A <>",
        "open A <4m6m>5m 5m",
        "open A <4m6m> 5m 5m",
        "agari A 30",
        "agari A 30 riichi",
        "agari A 30 riichi x",
        "agari A 30 %1 1",
        "ryukyoku exhausted",
        "ryukyoku because of nothing",
        "tenpai? _time=1",
        "kyokuend now",
        "gameend",
        "gameend 1 2 3 4 5",
        "gameend a",
        "bye bye",
        "_illegal 5",
        "_illegal 5 whatever",
        "_illegal x unreadable",
        "_waiting 2",
        "_resume",
        "_resume 0011",
        "_commitment 0a",
        "_secret",
        "_waiting two four",
    ],
    "client": [
        "hello alice",
        "hello name=%F",
        "sute",
        "sute 0m",
        "sute 5m6m",
        "sute 5m 6m",
        "sute tsumogiri",
        "sute tsumogiri 5m",
        "richi",
        "openrichi",
        "openrichi 5z 1m2m 3m",
        "ankan",
        "ankan 6z6z",
        "ankan 6z 6z 6z",
        "kakan",
        "kakan 6z 6z",
        "tsumo 5m",
        "ryukyoku now",
        "chi 4m",
        "chi 4m5m6m",
        "chi 4m 5m 6m",
        "chi 4m,5m",
        "pon x",
        "kan 5m",
        "ron 5m",
        "no no",
        "yes please",
        "ok then",
        "bye bye",
    ],
}


@each_row(("side", "text"), [(side, text) for side, texts in MALFORMED.items() for text in texts])
def test_other_forms_are_refused(side: str, text: str) -> None:
    """A known command in another form raises WireError."""
    with pytest.raises(WireError):
        read_sentence(SIDES[side], f"1 {text}")


@pytest.mark.parametrize("line", ["hello", "-1 hello", "1234567890 hello", "１ hello", "x1 bye", "= bye"])
def test_a_line_begins_with_an_id(line: str) -> None:
    """An id is a decimal number of limited length in ASCII."""
    with pytest.raises(WireError):
        read_sentence(SERVER_NAMED, line)


@pytest.mark.parametrize("line", ["3", "3 _new 1 2", "3 HELLO", "3 sute 5m", "003 __init__"])
def test_unknown_sentences_are_no_error(line: str) -> None:
    """Extensions of other servers, and an id alone, are read as an id without a sentence."""
    assert read_sentence(SERVER_NAMED, line) == (3, None)


def test_tiles_without_spaces_are_read() -> None:
    """The tiles of a call need no spaces; a closed kan may have all four tiles."""
    assert read_sentence(CLIENT_NAMED, "1 pon 4m4m") == (1, client_messages.Pon((F("4m"), F("4m"))))
    assert read_sentence(CLIENT_NAMED, "1 ankan 6z6z6z6z") == (1, client_messages.Ankan((F("6z"),) * 4))


def test_open_riichi_may_name_the_hand() -> None:
    """The hand of an open riichi is ignored: the server knows it."""
    assert read_sentence(CLIENT_NAMED, "1 openrichi 5z what?") == (1, client_messages.OpenRichi(F("5z")))
    assert read_sentence(CLIENT_NAMED, f"1 openrichi 5z {HAIPAI} tsumogiri") == (
        1,
        client_messages.OpenRichi(F("5z"), True),
    )


def test_offers_of_other_servers_are_read() -> None:
    """Pairs may have any order, a closed kan may be named by its red five, unknown words are skipped."""
    extras = questions.parse_extras(["chi=6m4m", "ankan=5M", "_new=1", "maybe"])
    assert extras == questions.Extras((actions.Chi((F("4m"), F("6m"))), actions.Ankan(F("5m"))))


def test_equal_tiles_are_one_offer() -> None:
    """The drawn tile and an equal one of the hand are one offer; to pass and to declare are not offered."""
    both = (actions.Discard(0), actions.Discard(0, tsumogiri=True), actions.Discard(1))
    assert questions.offer_words(both) == ["sute=1m2m"]
    assert questions.offer_words((actions.Pass(), actions.DeclareTenpai(), actions.DeclareNoten())) == []


def test_the_longest_sentences_fit() -> None:
    """Four names of 32 characters with four encoded bytes each fit in a line."""
    assert len(server_messages.GameStart(0, ("\U0001f004" * 32,) * 4).serialise()) < MAX_WRITTEN


NAMES = st.sampled_from([*SERVER_NAMED, *CLIENT_NAMED])
WORDS = st.one_of(
    st.text(max_size=8),
    st.sampled_from(["A", "B", "D", "E", "-", "1", "-1", "25000", "=1", "+1", "-5", "riichi", "ron", "unreadable"]),
    st.sampled_from(["5m", "5M", "8z", "1z", "1m2m", "<1m>", "(1m1m1m1m)", "tsumogiri", "sute=1m", "chi=1m2m", "kan"]),
    st.sampled_from(["name=%41", "=", "%", "_hand=1m<", "_hand=1m", "_time=1+2"]),
)


@given(st.sampled_from(list(SIDES)), NAMES, st.lists(WORDS, max_size=6))
def test_any_words_are_read_or_refused(side: str, name: str, words: list[str]) -> None:
    """Any words after a command are read or raise WireError; every sentence that is read can be written."""
    try:
        _, sentence = read_sentence(SIDES[side], " ".join(("7", name, *words)))
    except WireError as error:
        assert str(error).isascii()
        return
    if sentence is not None:
        written = sentence.serialise()
        _, again = read_sentence(SIDES[side], f"7 {written}")
        assert again is not None
        assert again.serialise() == written
