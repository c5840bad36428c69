"""The client's side: the events and questions that are read from any lines of a server."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.rows import each_row

from ump.game.deals import seeded_deals
from ump.game.game import Game
from ump.model.actions import Ankan, Chi, Daiminkan, DeclareNoten, DeclareTenpai, Discard, Pass, Pon, Riichi, Ron, Tsumo
from ump.model.claims import Reason
from ump.model.events import (
    DoraRevealed,
    DrawReason,
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
    RonDeclared,
    TenpaiDeclared,
    TileCalled,
    TileDiscarded,
    TileDrawn,
)
from ump.model.melds import Meld, MeldType
from ump.model.notation import parse_ump_face, parse_ump_faces
from ump.model.phases import Phase
from ump.model.yaku import HandValue, Yaku
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Length
from ump.table.view import view
from ump.wire.text import MAX_LINE, MAX_WRITTEN, WireError
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
from ump.wire.ump.render01 import render
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
    GameStarted(("a", "b", "c", "d")),
    KyokuStarted(0, A, 0, 0, (25_000,) * 4, (1, 2)),
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
    assert heard[-1] == KyokuEnded()
    return heard[3:-1]


def test_sentences_about_the_connection_have_ids() -> None:
    """Hello, questions of the room and bye come with their ids."""
    reader = UmpReader()
    assert reader.read("0 hello ump=0.1 name=%E5%8D%93 _ext=_offer,_hand") == [
        HelloReceived(0, (("ump", "0.1"), ("name", "卓"), ("_ext", "_offer,_hand")))
    ]
    assert reader.read("1 _waiting 2 4") == [Waiting(2, 4)]
    assert reader.read("1 _notice in%20ten%20minutes") == [Notice("in ten minutes")]
    assert reader.read("2 gamestart - a b c d") == [SeatAssigned(None), GameStarted(("a", "b", "c", "d"))]
    assert reader.read("3 ready?") == [ReadyAsked(3)]
    assert reader.read("4 ready? _time=10+0") == [ReadyAsked(4, Time(10, 0))]
    assert reader.read("5 _illegal 3 unreadable") == [Illegal(3, Reason.UNREADABLE)]
    assert reader.read("6 gameend 1 2 3 -6") == [GameEnded((1, 2, 3, -6), (), ())]
    assert reader.read("7 bye") == [ByeReceived(7)]
    assert reader.read("8 error line%20too%20long") == [Error("line too long")]


def test_kyoku_starts_with_its_scores() -> None:
    """Scores and dice are parts of the start, which is complete with the first deal."""
    lines = "kyokustart 2z C 3 2000|point A =-1200|point B =1200|point C =99000|point D =0|dice 6 5"
    assert events_of(UmpReader(), lines) == []
    assert events_of(UmpReader(), lines, f"haipai C|haipai D {HAND}|dora 4s") == [
        KyokuStarted(1, C, 3, 2, (-1_200, 1_200, 99_000, 0), (6, 5)),
        HandDealt(C, None),
        HandDealt(D, FACES(HAND)),
        DoraRevealed(F("4s")),
    ]


def test_questions_have_their_tile() -> None:
    """A question has its tile: the drawn one, none after a call, or the discard."""
    assert in_kyoku("tsumo A 69|sutehai A 2p tsumogiri|naku? 2p|say B pon|open B <2p2p> 2p|sutehai?|sutehai B 9s") == [
        TileDrawn(A, 69, None),
        TileDiscarded(A, F("2p"), True),
        QuestionAsked(9, Phase.CALL, F("2p"), None),
        TileCalled(B, PON),
        QuestionAsked(12, Phase.TURN, None, None),
        TileDiscarded(B, F("9s"), False),
    ]
    assert in_kyoku("tsumo B 3 5M|sutehai?")[-1] == QuestionAsked(8, Phase.TURN, F("5M"), None)


def test_offers_are_actions() -> None:
    """Offers become actions: a tile equal to the drawn one is the drawn one, and a pass is always offered."""
    asked = "tsumo B 60 5m|sutehai? sute=1m5m richi=5m ankan=1m tsumo _hand=1m1m1m1m5m _time=9.5+20"
    assert in_kyoku(asked)[-1] == QuestionAsked(
        8,
        Phase.TURN,
        F("5m"),
        (Discard(F("1m")), Discard(F("5m"), True), Riichi(F("5m"), True), Ankan(F("1m")), Tsumo()),
        "1m1m1m1m5m",
        Time(9.5, 20),
    )
    assert in_kyoku("sutehai A 5m|naku? 5m chi=4m6m,7m6m pon=5m5M kan ron")[-1] == QuestionAsked(
        8,
        Phase.CALL,
        F("5m"),
        (
            Pass(),
            Chi((F("4m"), F("6m"))),
            Chi((F("6m"), F("7m"))),
            Pon((F("5M"), F("5m"))),
            Daiminkan(),
            Ron(),
        ),
    )
    assert in_kyoku("tenpai?")[-1] == QuestionAsked(7, Phase.DECLARE, None, (DeclareTenpai(), DeclareNoten()))


def test_riichi_is_paid_after_its_discard() -> None:
    """Points are the payment only from the right seat at the right time."""
    assert in_kyoku("tsumo C 5|say C richi|sutehai C 1z|point C -1000|tsumo D 4|point D -1000|sutehai D 1z") == [
        TileDrawn(C, 5, None),
        RiichiDeclared(C),
        TileDiscarded(C, F("1z"), False, True),
        RiichiPaid(C),
        TileDrawn(D, 4, None),
        TileDiscarded(D, F("1z"), False),
    ]


def test_open_riichi_shows_its_hand() -> None:
    """The hand after the discard is an event of its own."""
    assert in_kyoku(f"tsumo A 69|say A richi|sutehai A 1z|open A {HAND}|point A -1000|tsumo B 68 1m")[2:] == [
        TileDiscarded(A, F("1z"), False, True),
        HandOpened(A, FACES(HAND), ()),
        RiichiPaid(A),
        TileDrawn(B, 68, F("1m")),
    ]


def test_all_kinds_of_kans_are_read() -> None:
    """An open kan takes another player's tile; a closed or added one is declared on the own turn, open to chankan."""
    pon = "tsumo A 69|sutehai A 2p|say B pon|open B <2p2p> 2p|sutehai B 9s"
    added = "tsumo B 60 2p|say B kan|open B <2p2p2p> 2p"
    assert in_kyoku(pon, added, "naku? 2p|tsumo B 59 1z")[4:] == [
        TileDrawn(B, 60, F("2p")),
        KanDeclared(B, KAKAN),
        QuestionAsked(15, Phase.CHANKAN, F("2p"), None),
        TileDrawn(B, 59, F("1z"), rinshan=True),
    ]
    assert in_kyoku("sutehai A 7z|say D kan|open D <7z7z7z> 7z|tsumo D 50|tsumo A 49")[1:] == [
        TileCalled(D, Meld(MeldType.DAIMINKAN, FACES("7z7z7z"), F("7z"), A)),
        TileDrawn(D, 50, None, rinshan=True),
        TileDrawn(A, 49, None),
    ]
    assert in_kyoku("tsumo C 50|say C kan|open C (5M5m5m5m)|naku? 5m")[1:] == [
        KanDeclared(C, Meld(MeldType.ANKAN, FACES("5M5m5m5m"))),
        QuestionAsked(10, Phase.CHANKAN, F("5m"), None),
    ]


def test_tsumo_is_complete_with_its_last_payment() -> None:
    """The winning tile is the last concealed one; ura, value and payments belong to the win."""
    win = "say B tsumo|open B 2m2m4m6m5M|dora 1z|dora 9s|agari B 30 riichi 1 dora 2"
    payments = "point A -4000|point C -2000|point B +6000"
    riichi = "tsumo B 9 1z|say B richi|sutehai B 1z|tsumo B 8 5M"
    assert in_kyoku(riichi, win, payments)[-1] == HandWon(
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
        HandWon(B, A, F("5p"), FACES("1m1m"), (), False, (), riichi, (-3_900, 3_900, 0, 0)),
        HandWon(D, A, F("5p"), FACES("2m"), (), False, (), suuankou, (-64_000, 0, 0, 64_000)),
    ]


def test_results_fill_what_is_not_on_the_wire_otherwise() -> None:
    """A worth gives base points and who is liable, to its win alone; places and results belong to the end."""
    first = "say B ron|open B 1m1m|_worth B 2000 8000 300 0 8000|agari B 40 dora 4|point A -8300|point B +8300"
    second = "say C ron|open C 2m|_worth C 8000 32000 0 0 32000 D|agari C 0 daisangen 13|point A -16000|point D -16000"
    one, other = in_kyoku("tsumo A 69|sutehai A 5p", first, f"{second}|point C +32000")[2:]
    assert isinstance(one, HandWon)
    assert isinstance(other, HandWon)
    assert (one.value.base, one.liable) == (2_000, None)
    assert (other.value.base, other.value.yakuman, other.liable) == (8_000, 1, D)
    ended = in_kyoku("_places 4 -28900 1 39900 2 5000 3 -16000|gameend 21100 29900 25000 24000")
    assert ended == [GameEnded((21_100, 29_900, 25_000, 24_000), (4, 1, 2, 3), (-289, 399, 50, -160))]
    with pytest.raises(WireError, match="4 scores, 3 places"):
        in_kyoku("_places 1 100 2 0 3 -100|gameend 21100 29900 25000 24000")


def test_the_loser_of_a_robbed_kan_is_its_owner() -> None:
    """The tile of the ron is the added one, and its loser the player who added it."""
    pon = "sutehai A 2p|say B pon|open B <2p2p> 2p|sutehai B 9s|tsumo B 60|say B kan|open B <2p2p2p> 2p"
    (won,) = in_kyoku(pon, "say C ron|open C 1p3p|agari C 30 chankan 1|point B -1000|point C +1000")[5:]
    assert isinstance(won, HandWon)
    assert (won.seat, won.loser, won.tile) == (C, B, F("2p"))


def test_three_rons_are_a_draw() -> None:
    """Rons that announce a draw are not wins, in any order of the shown hands."""
    shown = [HandOpened(seat, FACES("1z1z"), ()) for seat in (B, C, D)]
    said = [RonDeclared(seat) for seat in (B, C, D)]
    drawn = KyokuDrawn(DrawReason.SANCHAHO, (0, 0, 0, 0))
    rons, opens = "sutehai A 5p|say B ron|say C ron|say D ron", "open B 1z1z|open C 1z1z|open D 1z1z"
    assert in_kyoku(rons, opens, "ryukyoku sanchaho")[1:] == [*said, *shown, drawn]
    assert in_kyoku(rons, "open D 1z1z|open B 1z1z|open C 1z1z|ryukyoku sanchaho")[1:] == [
        *said,
        shown[2],
        *shown[:2],
        drawn,
    ]
    assert in_kyoku(rons, "ryukyoku sanchaho")[1:] == [*said, drawn]


def test_shown_hands_belong_to_their_tenpai() -> None:
    """A shown hand belongs to the tenpai after it; payments belong to the draw."""
    declared = f"say A noten|open B {HAND}|say B tenpai|say C noten|open D 1z1z|say D tenpai"
    payments = "ryukyoku|point A -1500|point C -1500|point B +1500|point D +1500"
    assert in_kyoku(declared, payments) == [
        TenpaiDeclared(A, False, None, ()),
        TenpaiDeclared(B, True, FACES(HAND), ()),
        TenpaiDeclared(C, False, None, ()),
        TenpaiDeclared(D, True, FACES("1z1z"), ()),
        KyokuDrawn(DrawReason.EXHAUSTED, (-1_500, 1_500, -1_500, 1_500)),
    ]


@each_row("reason", list(DrawReason))
def test_every_draw_has_its_reason(reason: DrawReason) -> None:
    """The word of ``ryukyoku`` is the reason; no word means an exhausted wall."""
    word = "" if reason is DrawReason.EXHAUSTED else f" {reason.value}"
    assert in_kyoku(f"open B 1z1z|ryukyoku{word}") == [
        HandOpened(B, FACES("1z1z"), ()),
        KyokuDrawn(reason, (0, 0, 0, 0)),
    ]


@each_row("line", ["", "   ", "9 dance a b", "9 _news %zz", "9", "9 sute 5m"])
def test_unknown_sentences_are_skipped(line: str) -> None:
    """The reader skips empty lines and sentences of a newer server, even in the middle of an event."""
    reader = UmpReader()
    events_of(reader, START, "sutehai A 5p|say B ron|open B 1m1m")
    assert reader.read(line) == []
    heard = events_of(reader, "agari B 30 tanyao 1|point A -1000|point B +1000", OVER)
    assert isinstance(heard[0], HandWon)
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
def test_sentences_that_do_not_fit_are_rejected(lines: str) -> None:
    """A sentence that contradicts the earlier ones raises, and the reader continues after it."""
    reader = UmpReader()
    events_of(reader, START, "haipai A")
    with pytest.raises(WireError) as caught:
        events_of(reader, lines)
    assert str(caught.value).isascii()
    reader.read("99 kyokuend")
    assert events_of(reader, START, "tsumo A 69")[-2:] == [STARTED[2], TileDrawn(A, 69, None)]


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
    assert reader.read("10 gameend 1 2 3") == [GameEnded((1, 2, 3), (), ())]


def test_lines_are_bounded() -> None:
    """The reader accepts the longest sentence with its id, and raises for a longer line."""
    names = " ".join(["%F0%9F%80%84" * 32] * 4)
    line = f"123456789 gamestart A {names}"
    assert MAX_LINE < len(line) < MAX_WRITTEN
    assert UmpReader().read(line) == [SeatAssigned(A), GameStarted(("🀄" * 32,) * 4)]
    with pytest.raises(WireError):
        UmpReader().read("1 error " + "a" * (MAX_WRITTEN + 99))


@cache
def real_games() -> tuple[tuple[str, ...], ...]:
    """Return the lines of some games of random players, as a seat or spectator receives them, with questions."""
    return tuple(real_game(seed, seat) for seed, seat in enumerate((0, 1, 2, None)))


def real_game(seed: int, seat: int | None) -> tuple[str, ...]:
    """Return the lines of one game as one seat receives them."""
    rng = random.Random(seed)
    rules = replace(PRESETS["ump"], length=Length.KYOKU, open_riichi=True)
    game = Game(rules, ("a", "b=", "山", "d"), seeded_deals(f"read-{seed}"))
    lines: list[str] = []
    events = game.begin()
    while True:
        lines += [line for event in events for line in render(view(event, seat), seat=seat)]
        if game.over:
            return tuple(f"{number} {line}" for number, line in enumerate(lines))
        if game.between_kyoku:
            events = [*game.proceed()]
            continue
        asked, question = next(iter(game.questions.items()))
        if asked == seat:
            words = {Phase.TURN: "sutehai? sute=1m richi=2m", Phase.DECLARE: "tenpai?"}
            lines.append(words.get(question.phase, "naku? 5m pon=5m5m ron"))
        events = game.answer(asked, rng.choice(question.legal()))


def mutated(rng: random.Random, line: str) -> str:
    """Return a line with one thing wrong in it."""
    words = line.split(" ")
    at = rng.randrange(len(words))
    other = rng.choice(rng.choice(rng.choice(real_games())).split(" "))
    match rng.randrange(6):
        case 0:
            words[at] = other
        case 1:
            del words[at]
        case 2:
            words.insert(at, other)
        case 3:
            words[at] = words[at][::-1]
        case 4:
            place = rng.randrange(len(line))
            return line[:place] + chr(rng.choice((0, 9, 32, 37, 48, 65, 127, 160, 0x3042, 0xD800))) + line[place + 1 :]
        case _:
            return line[: rng.randrange(len(line))]
    return " ".join(words)


def broken(rng: random.Random, rate: int, lines: tuple[str, ...]) -> list[str]:
    """Return the lines with about one in ``rate`` lost, doubled, mangled or moved."""
    stream = list(lines)
    for at in range(len(lines) - 1, -1, -1):
        if rng.randrange(rate) == 0:
            match rng.randrange(4):
                case 0:
                    del stream[at]
                case 1:
                    stream.insert(at, stream[at])
                case 2:
                    stream.insert(rng.randrange(len(stream)), stream.pop(at))
                case _:
                    stream[at] = mutated(rng, stream[at])
    return stream


@given(st.integers(0, 3), st.integers(0, 2**32), st.integers(1, 30))
def test_broken_streams(which: int, seed: int, rate: int) -> None:
    """Lost, doubled, moved and mangled lines give values or WireError, nothing else."""
    rng = random.Random(seed)
    reader = UmpReader()
    for line in broken(rng, rate, real_games()[which]):
        try:
            heard = reader.read(line)
        except WireError as error:
            assert str(error).isascii()
        else:
            hash(tuple(heard))


@given(st.lists(st.one_of(st.text(), st.sampled_from(["1 say A ron", "1 open A 1m", "1 ryukyoku", "1 dora 1m"]))))
def test_any_lines(lines: list[str]) -> None:
    """All lines give values or WireError."""
    reader = UmpReader()
    for line in lines:
        try:
            assert isinstance(reader.read(line), list)
        except WireError:
            continue
