"""The client's side in 0.2: events read from libump's lines, and lines that are refused."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.libump_transcript import transcript_lines
from support.rows import each_row

from ump.model.claims import Verb
from ump.model.events import (
    DoraRevealed,
    GameEnded,
    GameStarted,
    HandDealt,
    HandOpened,
    HandWon,
    KanDeclared,
    KyokuDrawn,
    KyokuEnded,
    KyokuStarted,
    RiichiDeclared,
    RiichiPaid,
    TenpaiDeclared,
    TileCalled,
    TileDiscarded,
    TileDrawn,
)
from ump.model.melds import Meld, MeldType
from ump.model.notation import parse_ump_face, parse_ump_faces
from ump.model.phases import Phase
from ump.model.yaku import HandValue, Yaku
from ump.wire.text import WireError, encode
from ump.wire.ump.answers import read_claim_02
from ump.wire.ump.reader import (
    ClientEvent,
    HelloReceived,
    QuestionAsked,
    ReadyAsked,
    SeatAssigned,
    UmpReader,
)
from ump.wire.ump.sentences01 import Error, Illegal, Notice, Waiting
from ump.wire.ump.sentences02 import SERVER_NAMED, read_sentence

F, FACES = parse_ump_face, parse_ump_faces
HIDDEN = [f"haipai {seat}0 {tiles}" for tiles in ("xxxxxxxx",) * 3 + ("xx",) for seat in "ABCD"]
HAND = FACES("1m2m3m4m5m6m7m8m9m1p1p1p5z")
MINE = [f"haipai C0 {tiles}" for tiles in ("1m2m3m4m", "5m6m7m8m", "9m1p1p1p", "5z")]


def heard(*sentences: str, reader: UmpReader | None = None) -> list[ClientEvent]:
    """Return the events of a reader for sentences with ids from 1 on."""
    reader = reader or UmpReader("0.2")
    return [item for number, line in enumerate(sentences, 1) for item in reader.read(f"{number} {line}")]


def begun() -> UmpReader:
    """Return the reader of seat C after the deal."""
    reader = UmpReader("0.2")
    heard(*START, *KYOKU, *DEAL, reader=reader)
    return reader


START = ["seat gameid=1 C0", "player C0 c", "player A0 a", "player B0 b%3D", "player D0 d", "gamestart id=1"]
KYOKU = ["kyokustart 0 B0 1 2000 1z 4z 1z 2z 3z", *(f"point {seat}0 =25000" for seat in "ABCD"), "dice 2 6"]
DEAL = ["dora 9p 8p", *(MINE[at // 4] if at % 4 == 2 else line for at, line in enumerate(HIDDEN))]


def test_the_start_is_read_in_the_order_of_0_1() -> None:
    """Players come in the order of seats, hands complete, and the dora after them as in 0.1."""
    lines = ["hello ump=0.2 name=x", *START, "ready?", *KYOKU, *DEAL, "tsumo B0 69 xx", "sutehai B0 3z", "naki? 3z pon"]
    assert heard(*lines) == [
        HelloReceived(1, (("ump", "0.2"), ("name", "x"))),
        SeatAssigned(2),
        GameStarted(("a", "b=", "c", "d")),
        ReadyAsked(8),
        KyokuStarted(0, 1, 1, 2, (25000,) * 4, (2, 6)),
        HandDealt(0, None),
        HandDealt(1, None),
        HandDealt(2, HAND),
        HandDealt(3, None),
        DoraRevealed(F("8p")),
        TileDrawn(1, 69, None),
        TileDiscarded(1, F("3z"), False),
        QuestionAsked(len(lines), Phase.CALL, F("3z"), None),
    ]


def test_spectator_has_no_seat() -> None:
    """A spectator sees no hand, and receives the same events."""
    assert heard(*START[1:]) == [SeatAssigned(None), GameStarted(("a", "b=", "c", "d"))]


def test_errors_refusals_and_waiting_players_are_events() -> None:
    """Errors, refusals and waiting players are events; keep-alives and unknown sentences are not."""
    lines = [
        "ack",
        "error no%20such%3Droom",
        "_illegal 20 furiten",
        "_waiting 2 4",
        "_notice 100%25%20of%20a%3Db%2541",
        "area -",
        "sutehai?",
        "tenpai?",
    ]
    items = heard(*lines)
    assert [type(item) for item in items] == [
        Error,
        Illegal,
        Waiting,
        Notice,
        QuestionAsked,
        QuestionAsked,
    ]
    assert items[0] == Error("no such=room")
    assert items[3] == Notice("100% of a=b%41")


RIICHI_PLAIN = ["say D0 richi", "sutehai D0 5z richi", "richi D0 -1000", "tsumo A0 60 xx"]
RIICHI_CALLED = [
    "say D0 richi",
    "sutehai D0 9p richi",
    "say A0 pon",
    "open A0 <9p9p> 9p",
    "richi D0 -1000",
    "sutehai A0 1z",
]
RIICHI_PAID_FIRST = [*RIICHI_CALLED[:2], RIICHI_CALLED[4], *RIICHI_CALLED[2:4], RIICHI_CALLED[5]]
RIICHI_RONNED = [
    *("say D0 richi", "sutehai D0 9p tsumogiri richi", "say A0 ron", "open A0 1p9p", "agari ron=9p A0 1300 40 x 1"),
    *("point D0 -1300", "point A0 +3300", "ready?"),
]
CALLED = TileCalled(0, Meld(MeldType.PON, FACES("9p9p"), F("9p"), 3))


@each_row(
    ("lines", "events"),
    [
        (RIICHI_PLAIN, [TileDiscarded(3, F("5z"), False, True), RiichiPaid(3), TileDrawn(0, 60, None)]),
        (
            RIICHI_CALLED,
            [TileDiscarded(3, F("9p"), False, True), CALLED, RiichiPaid(3), TileDiscarded(0, F("1z"), False)],
        ),
        (
            RIICHI_PAID_FIRST,
            [TileDiscarded(3, F("9p"), False, True), RiichiPaid(3), CALLED, TileDiscarded(0, F("1z"), False)],
        ),
    ],
)
def test_riichi_is_paid_before_or_after_a_call(lines: list[str], events: list[ClientEvent]) -> None:
    """The payment may come before or after a call."""
    assert heard(*lines, reader=begun()) == [RiichiDeclared(3), *events]


def test_riichi_is_not_paid_after_a_ron_on_its_discard() -> None:
    """The stick is not paid."""
    declared, thrown, won, asked = heard(*RIICHI_RONNED, reader=begun())
    assert (declared, thrown) == (RiichiDeclared(3), TileDiscarded(3, F("9p"), True, True))
    assert isinstance(won, HandWon)
    assert (won.seat, won.loser, won.tile, won.faces, won.riichi) == (0, 3, F("9p"), FACES("1p9p"), False)
    assert (won.changes, won.value) == ((3300, 0, 0, -1300), HandValue((), 1, 40, 0, 0))
    assert isinstance(asked, ReadyAsked)


def test_all_kinds_of_kans_are_read() -> None:
    """Closed, open and added kans; the dora may come anywhere between the kan and the next discard."""
    reader = begun()
    lines = ["sutehai B0 6m", "say C0 pon", "open C0 <6m6m> 6m", "sutehai C0 5z", "tsumo C0 60 6m"]
    added = [*lines, "say C0 kan", "open C0 [6m6m6m] 6m", "naki? 6m ron", "dora 1m 9m", "tsumo C0 59 1z rinshan"]
    kakan = Meld(MeldType.KAKAN, FACES("6m6m"), F("6m"), 1, F("6m"))
    assert heard(*added, reader=reader)[3:] == [
        TileDrawn(2, 60, F("6m")),
        KanDeclared(2, kakan),
        QuestionAsked(8, Phase.CHANKAN, F("6m"), None),
        DoraRevealed(F("9m")),
        TileDrawn(2, 59, F("1z"), rinshan=True),
    ]
    ankan = Meld(MeldType.ANKAN, FACES("9s9s9s9s"))
    lines = ["sutehai C0 1z", "tsumo D0 58 xx", "say D0 kan", "open D0 (9s9s9s9s)", "tsumo D0 57 xx", "dora 2m 1m"]
    assert heard(*lines, reader=reader)[2:] == [
        KanDeclared(3, ankan),
        TileDrawn(3, 57, None, rinshan=True),
        DoraRevealed(F("1m")),
    ]
    daiminkan = Meld(MeldType.DAIMINKAN, FACES("7z7z7z"), F("7z"), 3)
    assert heard("sutehai D0 7z", "say A0 kan", "open A0 <7z7z7z> 7z", reader=reader)[1:] == [TileCalled(0, daiminkan)]


def test_the_winning_tile_of_tsumo_is_the_last() -> None:
    """The winning tile is the last one. Ura indicators, libump's names, and one pair for all dora."""
    yaku = " ".join(
        f"{encode(name)} {han}" for name, han in [("リーチ", 1), ("門前自摸", 1), ("タンヤオ", 1), ("ドラ", 3)]
    )
    lines = [
        "say D0 richi",
        "sutehai D0 5z richi",
        "richi D0 -1000",
        "tsumo D0 50 xx",
        "say D0 tsumo",
        "open D0 2p2p3p1p",
    ]
    worth = ["uradora 7p 6p", "uradora 6m 5M", f"agari D0 {encode('跳満')} 30 {yaku}"]
    points = ["point A0 -3000", "point B0 -6000", "point C0 -3000", "point D0 +12000"]
    won = heard(*lines, *worth, *points, "ready?", reader=begun())[4]
    assert isinstance(won, HandWon)
    assert (won.loser, won.tile, won.faces, won.ura) == (None, F("1p"), FACES("2p2p3p1p"), FACES("6p5M"))
    named = ((Yaku.RIICHI, 1), (Yaku.MENZEN_TSUMO, 1), (Yaku.TANYAO, 1), (Yaku.DORA, 3))
    assert won.value == HandValue(named, 6, 30, 0, 0)
    assert won.riichi
    assert won.changes == (-3000, -6000, -3000, 12000)


@each_row(("han", "times"), [("1", 1), ("2", 2), ("13", 1), ("26", 2)])
def test_both_counts_of_a_yakuman_are_read(han: str, times: int) -> None:
    """Libump sends how many times the yakuman counts; the reader also accepts the han."""
    lines = ["tsumo A0 50 xx", "say A0 tsumo", "open A0 1z", f"agari A0 x 0 {encode('大四喜')} {han}", "kyokuend"]
    won = heard(*lines, reader=begun())[1]
    assert isinstance(won, HandWon)
    assert won.value == HandValue(((Yaku.DAISUUSHII, 13 * times),), 13 * times, 0, times, 0)


def test_shown_hands_belong_to_their_declarations() -> None:
    """Each shown hand belongs to the declaration after it; ids may decrease."""
    reader = begun()
    lines = ["750 open A0 9s", "749 say A0 tenpai", "751 say B0 noten", "752 say C0 noten", "753 say D0 noten"]
    points = ["755 ryukyoku", "756 point A0 +3000", "757 point B0 -1000", "758 point C0 -1000", "759 point D0 -1000"]
    items = [item for line in [*lines, *points, "760 ready?", "761 kyokuend"] for item in reader.read(line)]
    assert items[0] == TenpaiDeclared(0, True, FACES("9s"), ())
    assert [item.tenpai for item in items[:4] if isinstance(item, TenpaiDeclared)] == [True, False, False, False]
    drawn = items[4]
    assert isinstance(drawn, KyokuDrawn)
    assert drawn.changes == (3000, -1000, -1000, -1000)
    assert items[5:] == [ReadyAsked(760), KyokuEnded()]


def test_a_hand_shown_alone_is_an_event() -> None:
    """Without a tenpai after it, a shown hand is an event of its own."""
    assert heard("open D0 1m9m", "ryukyoku kyushukyuhai", reader=begun())[:1] == [HandOpened(3, FACES("1m9m"), ())]


def test_places_follow_from_the_order_of_results() -> None:
    """Places follow from the order, results are tenths of a thousand; the scores before uma are unknown."""
    (ended,) = heard("gameend C0 55000 A0 13300 B0 -15000 D0 -53300", reader=begun())
    assert ended == GameEnded((), (2, 3, 1, 4), (133, -150, 550, -533))


def test_the_option_of_a_replay_is_ignored() -> None:
    """The reader ignores the option of a replay."""
    again = [line.replace(" ", " reconnect=1 ", 1) if " " in line else line for line in [*START, *KYOKU, *DEAL]]
    assert heard(*again, "kyokuend") == heard(*START, *KYOKU, *DEAL, "kyokuend reconnect=1")


def test_an_incomplete_deal_ends_with_the_next_sentence() -> None:
    """The dora that waited for the deal comes out with the next sentence."""
    lines = [*START, *KYOKU, "dora 9p 8p", "haipai A0 xxxx", "tsumo B0 69 xx", "dora 1m 9m"]
    assert heard(*lines)[2:] == [
        KyokuStarted(0, 1, 1, 2, (25000,) * 4, (2, 6)),
        DoraRevealed(F("8p")),
        TileDrawn(1, 69, None),
        DoraRevealed(F("9m")),
    ]


WRONG = [
    (["haipai A0 xxxx"], "more than a hand"),
    ([*KYOKU, "haipai A0 " + "xx" * 14], "more than a hand"),
    (["seat C0", "gamestart"], "players at the seats"),
    (["seat C0", "player A0 a", "player C0 c", "gamestart"], "players at the seats"),
    (["seat C0", "player A0 a", "gamestart"], "players at the seats"),
    (["gameend A0 100 C0 -100"], "does not name every seat"),
    (["gameend A0 100 B0 -100"], "ends with 2 scores"),
    (["uradora 9p 8p", "agari A0 1 30 x 1"], "agari must follow the first sentence"),
    (["open C0 [6m6m6m] 6m"], "nobody has discarded"),
    (["say A0 pon", "open A0 <9p9p> 9p"], "nobody has discarded"),
    (["x" * 3000], "longer"),
]


@each_row(("lines", "words"), WRONG)
def test_sentences_that_do_not_fit_are_rejected(lines: list[str], words: str) -> None:
    """A sentence that contradicts the earlier ones raises, and the reader continues after it."""
    reader = begun()
    with pytest.raises(WireError, match=words):
        heard(*lines, reader=reader)
    assert heard("ready?", reader=reader)


LINES = st.lists(
    st.lists(
        st.sampled_from(
            [*SERVER_NAMED, "A0", "B0", "C0", "5m", "<5m5m>", "xx", "=1", "-1", "1", "pon", "ron", "tenpai"]
        )
    )
)


@given(LINES)
def test_any_lines_are_read_or_refused(lines: list[list[str]]) -> None:
    """All lines give values or WireError."""
    reader = begun()
    for words in lines:
        try:
            reader.read(" ".join(["1", *words]))
        except WireError:
            continue


# Recorded games of other programs


def test_a_game_of_libump_is_read(data: Path) -> None:
    """The reader accepts every line; the events are those counted by hand, and the scores add up."""
    reader = UmpReader("0.2")
    items = [item for line in transcript_lines(data) if line[0] == "<" for item in reader.read(line[2:])]
    counts = Counter(type(item) for item in items)
    assert counts[KyokuStarted] == counts[KyokuEnded] == 8
    assert counts[HandDealt] == 32
    assert (counts[HandWon], counts[KyokuDrawn], counts[RiichiDeclared], counts[RiichiPaid]) == (5, 3, 6, 5)
    assert [item.seat for item in items if isinstance(item, KanDeclared)] == [0, 3]
    assert all((item.faces is None) == (item.seat != 0) for item in items if isinstance(item, HandDealt))
    _adds_up(items)
    assert items[-2:] == [GameEnded((), (1, 2, 4, 3), (669, 98, -526, -241)), ReadyAsked(4844)]


def _adds_up(items: list[ClientEvent]) -> None:
    """Compare the scores of each kyoku with those of the previous one, its sticks and payments."""
    points: list[int] = []
    for item in items:
        match item:
            case KyokuStarted(points=begun_with):
                assert not points or points == list(begun_with)
                points = list(begun_with)
            case RiichiPaid(seat):
                points[seat] -= 1000
            case HandWon(changes=changes) | KyokuDrawn(changes=changes):
                points = [score + change for score, change in zip(points, changes, strict=True)]


def test_lines_of_libump_are_written_unchanged(data: Path) -> None:
    """Our sentences serialise to the bytes that were read."""
    for line in transcript_lines(data):
        if line[0] == "<":
            number, sentence = read_sentence(line[2:])
            assert sentence is not None
            assert f"{number} {sentence.serialise()}" == line[2:]


def test_answers_of_libump_are_claims(data: Path) -> None:
    """Every sentence of its bot after the hello is a claim."""
    _, *answers = [line.split()[2:] for line in transcript_lines(data) if line[0] == ">"]
    verbs = Counter(read_claim_02(tuple(words)).verb for words in answers)
    assert set(verbs) == {
        Verb.YES,
        Verb.DISCARD,
        Verb.RIICHI,
        Verb.CHI,
        Verb.PON,
        Verb.KAKAN,
        Verb.RON,
        Verb.TSUMO,
    }
    assert (verbs[Verb.CHI], verbs[Verb.PON], verbs[Verb.KAKAN], verbs[Verb.RON]) == (12, 10, 1, 2)


def test_a_record_of_mleague_is_read(data: Path) -> None:
    """Its commands are sentences of 0.2, except those of records alone; all hands are open, and no call is missing."""
    (path,) = (data / "mleague").glob("L*.json")
    reader = UmpReader("0.2")
    items: list[ClientEvent] = []
    for entry in json.loads(path.read_text(encoding="utf-8")):
        words = [encode(word) if word[0] not in "=+-" else word for word in entry["args"] if word]
        if entry["cmd"] == "gameend" or (entry["cmd"] == "uradora" and not words):
            continue  # decimals; nothing
        items += reader.read(" ".join(("1", entry["cmd"], *words)))
    counts = Counter(type(item) for item in items)
    assert (counts[KyokuStarted], counts[HandWon], counts[KyokuDrawn]) == (11, 7, 4)
    assert (counts[RiichiDeclared], counts[TileCalled]) == (15, 10)
    assert all(item.faces is not None and len(item.faces) == 13 for item in items if isinstance(item, HandDealt))
    _riichi_informs(items)


def _riichi_informs(items: list[ClientEvent]) -> None:
    """Compare the scores with the payments alone, which include the stick in a record."""
    _adds_up([item for item in items if not isinstance(item, RiichiPaid)])
