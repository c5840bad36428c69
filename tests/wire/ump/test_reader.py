"""The client's side: the events and questions that are read from any lines of a server, in UMP 0.1 and 0.2."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.libump_transcript import transcript_lines
from support.rows import each_row

from scripts.fuzzing.mutations import Mutator
from scripts.fuzzing.transcripts import UMP, UMP_02, from_servers
from ump.model import actions
from ump.model import events as ev
from ump.model.claims import Reason, Verb
from ump.model.melds import Meld, MeldType
from ump.model.notation import parse_ump_face, parse_ump_faces
from ump.model.phases import Phase
from ump.model.yaku import HandValue, Yaku
from ump.wire.text import MAX_LINE, MAX_WRITTEN, WireError, encode
from ump.wire.ump import sentences01, sentences02
from ump.wire.ump.answers import read_claim_02
from ump.wire.ump.extras import Time
from ump.wire.ump.reader import (
    ByeReceived,
    ClientEvent,
    HelloReceived,
    QuestionAsked,
    ReadyAsked,
    SeatAssigned,
    UmpReader,
)
from ump.wire.ump.sentence import DRAWS
from ump.wire.ump.sentences01 import Error, Illegal, Notice, Waiting

A, B, C, D = range(4)
F, FACES = parse_ump_face, parse_ump_faces
HAND = "1m1m2m3m4m5M7p8p9p3s4s5s7z"
PON = Meld(MeldType.PON, FACES("2p2p"), F("2p"), A)
KAKAN = replace(PON, type=MeldType.KAKAN, added=F("2p"))

START = "gamestart B a b c d|kyokustart 1z A 0 0|point A =25000|point B =25000|point C =25000|point D =25000|dice 1 2"
"""The start of a game; the event of its kyoku is complete with the line that follows."""

STARTED: list[ClientEvent] = [
    SeatAssigned(B),
    ev.GameStarted(("a", "b", "c", "d")),
    ev.KyokuStarted(0, A, 0, 0, (25_000,) * 4, (1, 2)),
]

OVER = "kyokuend"
"""A line that completes any event before it, and is itself one event."""


def events_of(reader: UmpReader, *texts: str) -> list[ClientEvent]:
    """Return the events of a reader for sentences separated by bars; their ids count from 0."""
    lines = [line for text in texts for line in text.split("|")]
    return [item for number, line in enumerate(lines) for item in reader.read(f"{number} {line}")]


def in_kyoku(*texts: str) -> list[ClientEvent]:
    """Return the events of sentences in a kyoku; ``kyokuend`` completes the last one."""
    heard = events_of(UmpReader(), START, *texts, OVER)
    assert heard[:3] == STARTED
    assert heard[-1] == ev.KyokuEnded()
    return heard[3:-1]


def test_sentences_about_the_connection_have_ids() -> None:
    """Hello, questions of the room and bye come with their ids."""
    reader = UmpReader()
    assert reader.read("0 hello ump=0.1 name=%E5%8D%93 _ext=_offer,_hand") == [
        HelloReceived(0, (("ump", "0.1"), ("name", "卓"), ("_ext", "_offer,_hand")))
    ]
    assert reader.read("1 _waiting 2 4") == [Waiting(2, 4)]
    assert reader.read("1 _notice in%20ten%20minutes") == [Notice("in ten minutes")]
    assert reader.read("2 gamestart - a b c d") == [SeatAssigned(None), ev.GameStarted(("a", "b", "c", "d"))]
    assert reader.read("3 ready?") == [ReadyAsked(3)]
    assert reader.read("4 ready? _time=10+0") == [ReadyAsked(4, Time(10, 0))]
    assert reader.read("5 _illegal 3 unreadable") == [Illegal(3, Reason.UNREADABLE)]
    assert reader.read("6 gameend 1 2 3 -6") == [ev.GameEnded((1, 2, 3, -6), (), ())]
    assert reader.read("7 bye") == [ByeReceived(7)]
    assert reader.read("8 error line%20too%20long") == [Error("line too long")]


def test_kyoku_starts_with_its_scores() -> None:
    """Scores and dice are parts of the start, which is complete with the first deal."""
    lines = "kyokustart 2z C 3 2000|point A =-1200|point B =1200|point C =99000|point D =0|dice 6 5"
    assert events_of(UmpReader(), lines) == []
    assert events_of(UmpReader(), lines, f"haipai C|haipai D {HAND}|dora 4s") == [
        ev.KyokuStarted(1, C, 3, 2, (-1_200, 1_200, 99_000, 0), (6, 5)),
        ev.HandDealt(C, None),
        ev.HandDealt(D, FACES(HAND)),
        ev.DoraRevealed(F("4s")),
    ]


def test_questions_have_their_tile() -> None:
    """A question has its tile: the drawn one, none after a call, or the discard."""
    assert in_kyoku("tsumo A 69|sutehai A 2p tsumogiri|naku? 2p|say B pon|open B <2p2p> 2p|sutehai?|sutehai B 9s") == [
        ev.TileDrawn(A, 69, None),
        ev.TileDiscarded(A, F("2p"), True),
        QuestionAsked(9, Phase.CALL, F("2p"), None),
        ev.TileCalled(B, PON),
        QuestionAsked(12, Phase.TURN, None, None),
        ev.TileDiscarded(B, F("9s"), False),
    ]
    assert in_kyoku("tsumo B 3 5M|sutehai?")[-1] == QuestionAsked(8, Phase.TURN, F("5M"), None)


def test_offers_are_actions() -> None:
    """Offers become actions: a tile equal to the drawn one is the drawn one, and a pass is always offered."""
    asked = "tsumo B 60 5m|sutehai? sute=1m5m richi=5m ankan=1m tsumo _hand=1m1m1m1m5m _time=9.5+20"
    assert in_kyoku(asked)[-1] == QuestionAsked(
        8,
        Phase.TURN,
        F("5m"),
        (
            actions.Discard(F("1m")),
            actions.Discard(F("5m"), True),
            actions.Riichi(F("5m"), True),
            actions.Ankan(F("1m")),
            actions.Tsumo(),
        ),
        "1m1m1m1m5m",
        Time(9.5, 20),
    )
    assert in_kyoku("sutehai A 5m|naku? 5m chi=4m6m,7m6m pon=5m5M kan ron")[-1] == QuestionAsked(
        8,
        Phase.CALL,
        F("5m"),
        (
            actions.Pass(),
            actions.Chi((F("4m"), F("6m"))),
            actions.Chi((F("6m"), F("7m"))),
            actions.Pon((F("5M"), F("5m"))),
            actions.Daiminkan(),
            actions.Ron(),
        ),
    )
    assert in_kyoku("tenpai?")[-1] == QuestionAsked(
        7, Phase.DECLARE, None, (actions.DeclareTenpai(), actions.DeclareNoten())
    )


def test_open_riichi_shows_its_hand() -> None:
    """The hand after the discard is an event of its own."""
    assert in_kyoku(f"tsumo A 69|say A richi|sutehai A 1z|open A {HAND}|point A -1000|tsumo B 68 1m")[2:] == [
        ev.TileDiscarded(A, F("1z"), False, True),
        ev.HandOpened(A, FACES(HAND), ()),
        ev.RiichiPaid(A),
        ev.TileDrawn(B, 68, F("1m")),
    ]


def test_tsumo_is_complete_with_its_last_payment() -> None:
    """The winning tile is the last concealed one; ura, value and payments belong to the win."""
    win = "say B tsumo|open B 2m2m4m6m5M|dora 1z|dora 9s|agari B 30 riichi 1 dora 2"
    payments = "point A -4000|point C -2000|point B +6000"
    riichi = "tsumo B 9 1z|say B richi|sutehai B 1z|tsumo B 8 5M"
    assert in_kyoku(riichi, win, payments)[-1] == ev.HandWon(
        B,
        None,
        F("5M"),
        FACES("2m2m4m6m5M"),
        (),
        True,
        FACES("1z9s"),
        HandValue(((Yaku.RIICHI, 1), (Yaku.DORA, 2)), 3, 30, 0, 0),
        (-4_000, 6_000, -2_000, 0),
    )


def test_two_rons_on_one_tile_are_two_wins() -> None:
    """Each win is an event; the han of an unknown yaku count."""
    first = "say B ron|open B 1m1m|agari B 30 %E7%AB%8B%E7%9B%B4 1 houdouchan 2|point A -3900|point B +3900"
    second = (
        "say D ron|open D 2m|agari D 0 %E5%9B%9B%E6%9A%97%E5%88%BB%E5%8D%98%E9%A8%8E 26|point A -64000|point D +64000"
    )
    heard = in_kyoku("tsumo A 69|sutehai A 5p", first, second)[2:]
    riichi = HandValue(((Yaku.RIICHI, 1),), 3, 30, 0, 0)
    suuankou = HandValue(((Yaku.SUUANKOU_TANKI, 26),), 26, 0, 2, 0)
    assert heard == [
        ev.HandWon(B, A, F("5p"), FACES("1m1m"), (), False, (), riichi, (-3_900, 3_900, 0, 0)),
        ev.HandWon(D, A, F("5p"), FACES("2m"), (), False, (), suuankou, (-64_000, 0, 0, 64_000)),
    ]


def test_results_fill_what_is_not_on_the_wire_otherwise() -> None:
    """A worth gives base points and who is liable, to its win alone; places and results belong to the end."""
    first = "say B ron|open B 1m1m|_worth B 2000 8000 300 0 8000|agari B 40 dora 4|point A -8300|point B +8300"
    second = "say C ron|open C 2m|_worth C 8000 32000 0 0 32000 D|agari C 0 daisangen 13|point A -16000|point D -16000"
    one, other = in_kyoku("tsumo A 69|sutehai A 5p", first, f"{second}|point C +32000")[2:]
    assert isinstance(one, ev.HandWon)
    assert isinstance(other, ev.HandWon)
    assert (one.value.base, one.liable) == (2_000, None)
    assert (other.value.base, other.value.yakuman, other.liable) == (8_000, 1, D)
    ended = in_kyoku("_places 4 -28900 1 39900 2 5000 3 -16000|gameend 21100 29900 25000 24000")
    assert ended == [ev.GameEnded((21_100, 29_900, 25_000, 24_000), (4, 1, 2, 3), (-289, 399, 50, -160))]
    with pytest.raises(WireError, match="4 scores, 3 places"):
        in_kyoku("_places 1 100 2 0 3 -100|gameend 21100 29900 25000 24000")


def test_the_loser_of_a_robbed_kan_is_its_owner() -> None:
    """The tile of the ron is the added one, and its loser the player who added it."""
    pon = "sutehai A 2p|say B pon|open B <2p2p> 2p|sutehai B 9s|tsumo B 60|say B kan|open B <2p2p2p> 2p"
    (won,) = in_kyoku(pon, "say C ron|open C 1p3p|agari C 30 chankan 1|point B -1000|point C +1000")[5:]
    assert isinstance(won, ev.HandWon)
    assert (won.seat, won.loser, won.tile) == (C, B, F("2p"))


def test_three_rons_are_a_draw() -> None:
    """Rons that announce a draw are not wins, in any order of the shown hands."""
    shown = [ev.HandOpened(seat, FACES("1z1z"), ()) for seat in (B, C, D)]
    said = [ev.RonDeclared(seat) for seat in (B, C, D)]
    drawn = ev.KyokuDrawn(ev.DrawReason.SANCHAHO, (0, 0, 0, 0))
    rons, opens = "sutehai A 5p|say B ron|say C ron|say D ron", "open B 1z1z|open C 1z1z|open D 1z1z"
    assert in_kyoku(rons, opens, "ryukyoku sanchaho")[1:] == [*said, *shown, drawn]
    assert in_kyoku(rons, "open D 1z1z|open B 1z1z|open C 1z1z|ryukyoku sanchaho")[1:] == [
        *said,
        shown[2],
        *shown[:2],
        drawn,
    ]
    assert in_kyoku(rons, "ryukyoku sanchaho")[1:] == [*said, drawn]


@each_row("line", ["", "   ", "9 dance a b", "9 _news %zz", "9", "9 sute 5m"])
def test_unknown_sentences_are_skipped(line: str) -> None:
    """The reader skips empty lines and sentences of a newer server, even in the middle of an event."""
    reader = UmpReader()
    events_of(reader, START, "sutehai A 5p|say B ron|open B 1m1m")
    assert reader.read(line) == []
    heard = events_of(reader, "agari B 30 tanyao 1|point A -1000|point B +1000", OVER)
    assert isinstance(heard[0], ev.HandWon)
    assert heard[0].changes == (-1_000, 1_000, 0, 0)


OUT_OF_PLACE = [
    "agari A 30 tanyao 1",
    "_worth A 2000 8000 0 0 8000",
    "dice 1 2",
    "say B chi|open B <4m6m> 5m",
    "say B pon|open B <2p2p> 2p",
    "say B kan|open B <2p2p2p> 2p",
    "sutehai A 5m|say B chi|open B 4m6m 5m",
    "sutehai A 5m|say B pon|open B <5m5m>",
    "sutehai A 5m|say B pon|open B <5m6m> 5m",
    "sutehai A 5m|say B pon|open B <5m> 5m",
    "sutehai A 5m|say B chi|open B <5m5m> 5m",
    "sutehai A 5m|say B chi|open B <6m7m8m> 5m",
    "sutehai A 5m|say B kan|open B <5m5m> 5m",
    "sutehai A 5m|say B chi|open B <7m8m> 6m",
    "sutehai A 2p|say B pon|open B <2p2p> 2p|tsumo B 9|say B kan|open B <2p2p2p> 3p",
    "sutehai A 2p|say B pon|open B <2p2p> 2p|tsumo B 9|say B kan|open B <3p3p3p> 3p",
    "tsumo B 9|say B kan|open B <2p2p2p> 2p",
    "tsumo B 9|say B kan|open B (2p3p4p5p)",
    "tsumo B 9|say B kan|open B 2p",
    "tsumo B 9|say B kan|open B (1z1z1z1z)|say B kan|open B (2z2z2z2z)|say B kan|open B (3z3z3z3z)|say B kan"
    "|open B (4z4z4z4z)|say B kan|open B (5z5z5z5z)",
    "say A ron|open A 1m|agari A 30 tanyao 1|kyokuend",
    "say A tsumo|open A <1m2m3m>|agari A 30 tanyao 1|kyokuend",
    "sutehai B 1m|say A ron|open A 1m|point A +1000|kyokuend",
    "kyokustart 1z A 0 0|point A =1|kyokuend",
    "kyokustart 1z A 0 500|point A =1|point B =1|point C =1|point D =1|kyokuend",
    "ryukyoku" + "|point A +1" * 40,
    "dora 1m" + "|dora 1m" * 5,
    "sutehai A 1m" + "|sutehai A 1m" * 136,
]
"""Well-formed sentences, of which the last contradicts the others."""


@each_row("lines", OUT_OF_PLACE)
def test_sentences_of_01_that_do_not_fit_are_rejected(lines: str) -> None:
    """A sentence that contradicts the earlier ones raises, and the reader continues after it."""
    reader = UmpReader()
    events_of(reader, START, "haipai A")
    with pytest.raises(WireError) as caught:
        events_of(reader, lines)
    assert str(caught.value).isascii()
    reader.read("99 kyokuend")
    assert events_of(reader, START, "tsumo A 69")[-2:] == [STARTED[2], ev.TileDrawn(A, 69, None)]


@each_row(
    "line",
    [
        "haipai D",
        "tsumo D 5",
        "sutehai D 5m",
        "say D pon",
        "open D 1m",
        "point D -1000",
        "agari D 30 tanyao 1",
        "kyokustart 1z D 0 0",
        "gameend 1 2 3 4",
        "gameend 1 2",
    ],
)
def test_three_players_have_no_fourth_seat(line: str) -> None:
    """A sentence about a seat that the game does not have raises."""
    reader = UmpReader()
    events_of(reader, "gamestart B a b c|kyokustart 1z A 0 0|point A =1|point B =1|point C =1|dice 1 1|haipai A")
    with pytest.raises(WireError):
        reader.read(f"9 {line}")
    assert reader.read("10 gameend 1 2 3") == [ev.GameEnded((1, 2, 3), (), ())]


def test_lines_are_bounded() -> None:
    """The reader accepts the longest sentence with its id, and raises for a longer line."""
    names = " ".join(["%F0%9F%80%84" * 32] * 4)
    line = f"123456789 gamestart A {names}"
    assert MAX_LINE < len(line) < MAX_WRITTEN
    assert UmpReader().read(line) == [SeatAssigned(A), ev.GameStarted(("🀄" * 32,) * 4)]
    with pytest.raises(WireError):
        UmpReader().read("1 error " + "a" * (MAX_WRITTEN + 99))


# UMP 0.2

HIDDEN = [f"haipai {seat}0 {tiles}" for tiles in ("xxxxxxxx",) * 3 + ("xx",) for seat in "ABCD"]
HAND_02 = FACES("1m2m3m4m5m6m7m8m9m1p1p1p5z")
MINE = [f"haipai C0 {tiles}" for tiles in ("1m2m3m4m", "5m6m7m8m", "9m1p1p1p", "5z")]


def heard_in_02(*sentences: str, reader: UmpReader | None = None) -> list[ClientEvent]:
    """Return the events of a reader for sentences with ids from 1 on."""
    reader = reader or UmpReader("0.2")
    return [item for number, line in enumerate(sentences, 1) for item in reader.read(f"{number} {line}")]


def begun_in_02() -> UmpReader:
    """Return the reader of seat C after the deal."""
    reader = UmpReader("0.2")
    heard_in_02(*START_02, *KYOKU_02, *DEAL_02, reader=reader)
    return reader


START_02 = ["seat gameid=1 C0", "player C0 c", "player A0 a", "player B0 b%3D", "player D0 d", "gamestart id=1"]
KYOKU_02 = ["kyokustart 0 B0 1 2000 1z 4z 1z 2z 3z", *(f"point {seat}0 =25000" for seat in "ABCD"), "dice 2 6"]
DEAL_02 = ["dora 9p 8p", *(MINE[at // 4] if at % 4 == 2 else line for at, line in enumerate(HIDDEN))]


def test_the_start_is_read_in_the_order_of_0_1() -> None:
    """Players come in the order of seats, hands complete, and the dora after them as in 0.1."""
    lines = [
        "hello ump=0.2 name=x",
        *START_02,
        "ready?",
        *KYOKU_02,
        *DEAL_02,
        "tsumo B0 69 xx",
        "sutehai B0 3z",
        "naki? 3z pon",
    ]
    assert heard_in_02(*lines) == [
        HelloReceived(1, (("ump", "0.2"), ("name", "x"))),
        SeatAssigned(2),
        ev.GameStarted(("a", "b=", "c", "d")),
        ReadyAsked(8),
        ev.KyokuStarted(0, 1, 1, 2, (25000,) * 4, (2, 6)),
        ev.HandDealt(0, None),
        ev.HandDealt(1, None),
        ev.HandDealt(2, HAND_02),
        ev.HandDealt(3, None),
        ev.DoraRevealed(F("8p")),
        ev.TileDrawn(1, 69, None),
        ev.TileDiscarded(1, F("3z"), False),
        QuestionAsked(len(lines), Phase.CALL, F("3z"), None),
    ]


def test_spectator_has_no_seat() -> None:
    """A spectator sees no hand, and receives the same events."""
    assert heard_in_02(*START_02[1:]) == [SeatAssigned(None), ev.GameStarted(("a", "b=", "c", "d"))]


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
    items = heard_in_02(*lines)
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
CALLED = ev.TileCalled(0, Meld(MeldType.PON, FACES("9p9p"), F("9p"), 3))


@each_row(
    ("lines", "events"),
    [
        (
            RIICHI_CALLED,
            [ev.TileDiscarded(3, F("9p"), False, True), CALLED, ev.RiichiPaid(3), ev.TileDiscarded(0, F("1z"), False)],
        ),
        (
            RIICHI_PAID_FIRST,
            [ev.TileDiscarded(3, F("9p"), False, True), ev.RiichiPaid(3), CALLED, ev.TileDiscarded(0, F("1z"), False)],
        ),
    ],
)
def test_riichi_is_paid_before_or_after_a_call(lines: list[str], events: list[ClientEvent]) -> None:
    """The payment may come before or after a call."""
    assert heard_in_02(*lines, reader=begun_in_02()) == [ev.RiichiDeclared(3), *events]


def test_riichi_is_not_paid_after_a_ron_on_its_discard() -> None:
    """The stick is not paid."""
    declared, thrown, won, asked = heard_in_02(*RIICHI_RONNED, reader=begun_in_02())
    assert (declared, thrown) == (ev.RiichiDeclared(3), ev.TileDiscarded(3, F("9p"), True, True))
    assert isinstance(won, ev.HandWon)
    assert (won.seat, won.loser, won.tile, won.faces, won.riichi) == (0, 3, F("9p"), FACES("1p9p"), False)
    assert (won.changes, won.value) == ((3300, 0, 0, -1300), HandValue((), 1, 40, 0, 0))
    assert isinstance(asked, ReadyAsked)


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
    won = heard_in_02(*lines, *worth, *points, "ready?", reader=begun_in_02())[4]
    assert isinstance(won, ev.HandWon)
    assert (won.loser, won.tile, won.faces, won.ura) == (None, F("1p"), FACES("2p2p3p1p"), FACES("6p5M"))
    named = ((Yaku.RIICHI, 1), (Yaku.MENZEN_TSUMO, 1), (Yaku.TANYAO, 1), (Yaku.DORA, 3))
    assert won.value == HandValue(named, 6, 30, 0, 0)
    assert won.riichi
    assert won.changes == (-3000, -6000, -3000, 12000)


@each_row(("han", "times"), [("1", 1), ("2", 2), ("13", 1), ("26", 2)])
def test_both_counts_of_a_yakuman_are_read(han: str, times: int) -> None:
    """Libump sends how many times the yakuman counts; the reader also accepts the han."""
    lines = ["tsumo A0 50 xx", "say A0 tsumo", "open A0 1z", f"agari A0 x 0 {encode('大四喜')} {han}", "kyokuend"]
    won = heard_in_02(*lines, reader=begun_in_02())[1]
    assert isinstance(won, ev.HandWon)
    assert won.value == HandValue(((Yaku.DAISUUSHII, 13 * times),), 13 * times, 0, times, 0)


def test_places_follow_from_the_order_of_results() -> None:
    """Places follow from the order, results are tenths of a thousand; the scores before uma are unknown."""
    (ended,) = heard_in_02("gameend C0 55000 A0 13300 B0 -15000 D0 -53300", reader=begun_in_02())
    assert ended == ev.GameEnded((), (2, 3, 1, 4), (133, -150, 550, -533))


def test_the_option_of_a_replay_is_ignored() -> None:
    """The reader ignores the option of a replay."""
    again = [
        line.replace(" ", " reconnect=1 ", 1) if " " in line else line for line in [*START_02, *KYOKU_02, *DEAL_02]
    ]
    assert heard_in_02(*again, "kyokuend") == heard_in_02(*START_02, *KYOKU_02, *DEAL_02, "kyokuend reconnect=1")


def test_an_incomplete_deal_ends_with_the_next_sentence() -> None:
    """The dora that waited for the deal comes out with the next sentence."""
    lines = [*START_02, *KYOKU_02, "dora 9p 8p", "haipai A0 xxxx", "tsumo B0 69 xx", "dora 1m 9m"]
    assert heard_in_02(*lines)[2:] == [
        ev.KyokuStarted(0, 1, 1, 2, (25000,) * 4, (2, 6)),
        ev.DoraRevealed(F("8p")),
        ev.TileDrawn(1, 69, None),
        ev.DoraRevealed(F("9m")),
    ]


WRONG = [
    (["haipai A0 xxxx"], "more than a hand"),
    ([*KYOKU_02, "haipai A0 " + "xx" * 14], "more than a hand"),
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
def test_sentences_of_02_that_do_not_fit_are_rejected(lines: list[str], words: str) -> None:
    """A sentence that contradicts the earlier ones raises, and the reader continues after it."""
    reader = begun_in_02()
    with pytest.raises(WireError, match=words):
        heard_in_02(*lines, reader=reader)
    assert heard_in_02("ready?", reader=reader)


# Both versions

KAN_OF_B = Meld(MeldType.KAKAN, FACES("6m6m"), F("6m"), C, F("6m"))

Scene = tuple[str, str, list[ClientEvent]]
"""The lines of 0.1, those of 0.2, and the events that both tell."""

SCENES: list[Scene] = [
    (
        "tsumo C 5|say C richi|sutehai C 1z|point C -1000|tsumo D 4|point D -1000|sutehai D 1z",
        "tsumo C0 5 xx|say C0 richi|sutehai C0 1z richi|richi C0 -1000|tsumo D0 4 xx|sutehai D0 1z",
        [
            ev.TileDrawn(C, 5, None),
            ev.RiichiDeclared(C),
            ev.TileDiscarded(C, F("1z"), False, True),
            ev.RiichiPaid(C),
            ev.TileDrawn(D, 4, None),
            ev.TileDiscarded(D, F("1z"), False),
        ],
    ),
    (
        "sutehai C 6m|say B pon|open B <6m6m> 6m|tsumo B 60 6m|say B kan|open B <6m6m6m> 6m"
        "|naku? 6m|dora 9m|tsumo B 59 1z",
        "sutehai C0 6m|say B0 pon|open B0 <6m6m> 6m|tsumo B0 60 6m|say B0 kan|open B0 [6m6m6m] 6m"
        "|naki? 6m ron|dora 1m 9m|tsumo B0 59 1z rinshan",
        [
            ev.TileDiscarded(C, F("6m"), False),
            ev.TileCalled(B, Meld(MeldType.PON, FACES("6m6m"), F("6m"), C)),
            ev.TileDrawn(B, 60, F("6m")),
            ev.KanDeclared(B, KAN_OF_B),
            QuestionAsked(13, Phase.CHANKAN, F("6m"), None),
            ev.DoraRevealed(F("9m")),
            ev.TileDrawn(B, 59, F("1z"), rinshan=True),
        ],
    ),
    (
        "sutehai A 7z|say D kan|open D <7z7z7z> 7z|tsumo D 50|tsumo A 49",
        "sutehai A0 7z|say D0 kan|open D0 <7z7z7z> 7z|tsumo D0 50 xx rinshan|tsumo A0 49 xx",
        [
            ev.TileDiscarded(A, F("7z"), False),
            ev.TileCalled(D, Meld(MeldType.DAIMINKAN, FACES("7z7z7z"), F("7z"), A)),
            ev.TileDrawn(D, 50, None, rinshan=True),
            ev.TileDrawn(A, 49, None),
        ],
    ),
    (
        "tsumo C 50|say C kan|open C (5M5m5m5m)|naku? 5m|tsumo C 49|dora 1m",
        "tsumo C0 50 xx|say C0 kan|open C0 (5M5m5m5m)|naki? 5m ron|tsumo C0 49 xx rinshan|dora 2m 1m",
        [
            ev.TileDrawn(C, 50, None),
            ev.KanDeclared(C, Meld(MeldType.ANKAN, FACES("5M5m5m5m"))),
            QuestionAsked(10, Phase.CHANKAN, F("5m"), None),
            ev.TileDrawn(C, 49, None, rinshan=True),
            ev.DoraRevealed(F("1m")),
        ],
    ),
    (
        f"say A noten|open B {HAND}|say B tenpai|say C noten|open D 1z1z|say D tenpai"
        "|ryukyoku|point A -1500|point C -1500|point B +1500|point D +1500",
        f"say A0 noten|open B0 {HAND}|say B0 tenpai|say C0 noten|open D0 1z1z|say D0 tenpai"
        "|ryukyoku|point A0 -1500|point B0 +1500|point C0 -1500|point D0 +1500",
        [
            ev.TenpaiDeclared(A, False, None, ()),
            ev.TenpaiDeclared(B, True, FACES(HAND), ()),
            ev.TenpaiDeclared(C, False, None, ()),
            ev.TenpaiDeclared(D, True, FACES("1z1z"), ()),
            ev.KyokuDrawn(ev.DrawReason.EXHAUSTED, (-1_500, 1_500, -1_500, 1_500)),
        ],
    ),
]


def draw_scenes() -> Iterator[Scene]:
    """Yield a scene for each reason of a draw."""
    for word, reason in [("", ev.DrawReason.EXHAUSTED), *DRAWS.items()]:
        events: list[ClientEvent] = [ev.HandOpened(B, FACES("1z1z"), ()), ev.KyokuDrawn(reason, (0, 0, 0, 0))]
        yield f"open B 1z1z|ryukyoku {word}", f"open B0 1z1z|ryukyoku {word}", events


@each_row(("in_01", "in_02", "events"), [*SCENES, *draw_scenes()])
def test_both_versions_tell_the_same(in_01: str, in_02: str, events: list[ClientEvent]) -> None:
    """Riichi is paid after its discard; kans take, add or hide tiles; a shown hand belongs to the tenpai after it.

    Payments belong to the draw, the word of ``ryukyoku`` is its reason, and a hand that is shown alone is an event.
    """
    assert in_kyoku(in_01) == events
    heard = events_of(begun_in_02(), *["ready?"] * 7, in_02, OVER)[7:]
    assert heard == [*events, ev.KyokuEnded()]


def test_ids_may_decrease() -> None:
    """As those of libump do when several players show their hands."""
    reader = begun_in_02()
    heard = [*reader.read("750 open A0 9s"), *reader.read("749 say A0 tenpai"), *reader.read("751 ready?")]
    assert heard == [ev.TenpaiDeclared(A, True, FACES("9s"), ()), ReadyAsked(751)]


@given(st.sampled_from(["0.1", "0.2"]), st.integers(0, 2**32))
def test_broken_streams(version: str, seed: int) -> None:
    """Lost, doubled, moved and mangled lines of whole games give values or WireError, nothing else."""
    games = from_servers(UMP if version == "0.1" else UMP_02)
    reader = UmpReader(version)
    for line in Mutator(games).make(Random(seed)).split(b"\n"):
        try:
            heard = reader.read(line.decode("utf-8", "surrogateescape"))
        except WireError as error:
            assert str(error).isascii()
        else:
            hash(tuple(heard))


WORDS = ["A", "A0", "5m", "<5m5m>", "xx", "=1", "-1", "1", "pon", "ron", "tenpai"]
ANY_LINE = st.one_of(
    st.text(),
    st.lists(st.sampled_from([*sentences01.SERVER_NAMED, *sentences02.SERVER_NAMED, *WORDS])).map(
        lambda words: " ".join(["1", *words])
    ),
)


@given(st.lists(ANY_LINE))
def test_any_lines_are_read_or_refused(lines: list[str]) -> None:
    """All lines give values or WireError."""
    in_01 = UmpReader()
    events_of(in_01, START)
    for reader in (in_01, begun_in_02()):
        for line in lines:
            try:
                assert isinstance(reader.read(line), list)
            except WireError:
                continue


# Recorded games of other programs


def test_a_game_of_libump_is_read(data: Path) -> None:
    """The reader accepts every line; the events are those counted by hand, and the scores add up."""
    reader = UmpReader("0.2")
    items = [item for line in transcript_lines(data) if line[0] == "<" for item in reader.read(line[2:])]
    counts = Counter(type(item) for item in items)
    assert counts[ev.KyokuStarted] == counts[ev.KyokuEnded] == 8
    assert counts[ev.HandDealt] == 32
    assert (counts[ev.HandWon], counts[ev.KyokuDrawn], counts[ev.RiichiDeclared], counts[ev.RiichiPaid]) == (5, 3, 6, 5)
    assert [item.seat for item in items if isinstance(item, ev.KanDeclared)] == [0, 3]
    assert all((item.faces is None) == (item.seat != 0) for item in items if isinstance(item, ev.HandDealt))
    _adds_up(items)
    assert items[-2:] == [ev.GameEnded((), (1, 2, 4, 3), (669, 98, -526, -241)), ReadyAsked(4844)]


def _adds_up(items: list[ClientEvent]) -> None:
    """Compare the scores of each kyoku with those of the previous one, its sticks and payments."""
    points: list[int] = []
    for item in items:
        match item:
            case ev.KyokuStarted(points=begun_with):
                assert not points or points == list(begun_with)
                points = list(begun_with)
            case ev.RiichiPaid(seat):
                points[seat] -= 1000
            case ev.HandWon(changes=changes) | ev.KyokuDrawn(changes=changes):
                points = [score + change for score, change in zip(points, changes, strict=True)]


def test_lines_of_libump_are_written_unchanged(data: Path) -> None:
    """Our sentences serialise to the bytes that were read."""
    for line in transcript_lines(data):
        if line[0] == "<":
            number, sentence = sentences02.read_sentence(line[2:])
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
    assert (counts[ev.KyokuStarted], counts[ev.HandWon], counts[ev.KyokuDrawn]) == (11, 7, 4)
    assert (counts[ev.RiichiDeclared], counts[ev.TileCalled]) == (15, 10)
    assert all(item.faces is not None and len(item.faces) == 13 for item in items if isinstance(item, ev.HandDealt))
    _riichi_informs(items)


def _riichi_informs(items: list[ClientEvent]) -> None:
    """Compare the scores with the payments alone, which include the stick in a record."""
    _adds_up([item for item in items if not isinstance(item, ev.RiichiPaid)])
