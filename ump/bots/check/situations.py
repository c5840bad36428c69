"""All situations of the check, in their order."""

from __future__ import annotations

from functools import partial

from ump.bots.check.situation import (
    Arrangement,
    Closing,
    Situation,
    Stage,
    after_call,
    after_return,
    after_timeout,
    barred_after_call,
    next_kyoku_after,
    offered,
    own_riichi,
    turn_after,
)
from ump.model.actions import Ankan, Chi, Daiminkan, Kakan, Kita, KyushuKyuhai, Pon, Riichi, Ron, Tsumo
from ump.model.events import DoraRevealed, HandWon, KanDeclared, KitaDeclared, KyokuDrawn, RiichiPaid, TileDiscarded
from ump.model.phases import Phase

NOTHING = "147m258p369s1357z"
"""A hand that is far from tenpai."""
TENPAI_ON_5S = "234m567p23467s88s"
"""Tenpai that waits for 2s, 5s and 8s, and wins with tanyao."""
TENPAI_ON_1M_4M = "23567m345p77788s"
"""Tenpai that waits for 1m, without a yaku, and 4m, with tanyao."""
NO_YAKU = "23567m789p77788s"
"""Tenpai that waits for 1m and 4m, without a yaku."""
TWO_RIICHI = "23499m24567p345s"
"""With 6p it can declare riichi with 2p or 6p."""
KOKUSHI_ON_9S = "119m19p1s1234567z"
PAIR_OF_7Z = "77z2345m345p99s8s1z"
"""Tenpai soon after a pon of 7z."""
PAIR_OF_5P = "550p1478m258s123z"
"""It can call a pon of 5p with or without the red one, or an open kan."""
TENPAI_ON_5P = "234678m345s46p88p"
"""Tenpai that waits for 5p, and wins with tanyao."""
DRAGONS = "556677z234m9s1s28p"
"""Two of each dragon."""
TENPAI_ON_4Z = "234m567p345s678s4z"
"""Tenpai that waits for 4z."""
SINGLE_WAITS = {"A": "123456789m111z2z", "B": "123456789p222z3z", "C": "123456789s333z4z", "D": "234m234p234s555z7z"}
"""Tenpai hands that never win, because other players hold the tiles that they wait for."""

FIRST_TURN = Arrangement({"A": NOTHING}, "9m", closing=Closing())

ANY = "any legal answer"

TURNS = (
    Situation(
        name="discard",
        teaches="The first turn of the dealer: every tile of the hand may be discarded.",
        expected="a legal discard",
        arrangement=FIRST_TURN,
        aim=offered(Phase.TURN),
    ),
    Situation(
        name="red-five",
        teaches="The hand holds a red five beside plain ones, and one alone; the drawn tile is red.",
        expected="a legal discard; a red five is not the plain tile",
        arrangement=Arrangement({"A": "255m180p2368s123z"}, "0m", closing=Closing()),
        aim=offered(Phase.TURN, tile="0m"),
    ),
    Situation(
        name="closed-kan",
        teaches="The drawn tile is the fourth of its kind: a closed kan is legal.",
        expected=ANY,
        arrangement=Arrangement({"A": "111m258p369s1357z"}, "1m", closing=Closing()),
        aim=offered(Phase.TURN, Ankan),
    ),
    Situation(
        name="added-kan",
        teaches="After a pon the fourth tile of the kind is drawn: it may be added to the pon.",
        expected=ANY,
        arrangement=Arrangement({"A": "7z", "C": PAIR_OF_7Z}, "9m9p9m9p7z", closing=Closing(winner="B", loser="D")),
        client="C",
        aim=offered(Phase.TURN, Kakan),
        missed="the client did not call the pon",
        orders={"A": "sute 7z"},
    ),
    Situation(
        name="nine-terminals",
        teaches="Nine different terminals and honours on the first draw: the kyoku may be aborted.",
        expected=ANY,
        arrangement=Arrangement({"A": "19m19p19s123z258m4p"}, "5z", closing=Closing()),
        aim=offered(Phase.TURN, KyushuKyuhai),
    ),
    Situation(
        name="riichi",
        teaches="Riichi is legal with two different discards.",
        expected="any legal answer; a riichi only with a discard that keeps tenpai",
        arrangement=Arrangement({"A": TWO_RIICHI}, "6p", closing=Closing()),
        aim=offered(Phase.TURN, Riichi, choices=2),
    ),
    Situation(
        name="in-riichi",
        teaches="In riichi only the drawn tile may be discarded.",
        expected="the drawn tile, a win, or a kan that keeps the waits",
        arrangement=Arrangement({"A": TWO_RIICHI}, "6p9s9s1s1z", closing=Closing()),
        aim=own_riichi,
        missed="the client did not declare riichi",
        patience=2,
    ),
    Situation(
        name="tsumo",
        teaches="The drawn tile completes the hand.",
        expected="a win",
        arrangement=Arrangement({"A": "6z", "B": TENPAI_ON_5S, "D": "66z1z"}, "9m9p5s", closing=Closing("C", "D")),
        client="B",
        aim=offered(Phase.TURN, Tsumo),
        orders={"A": "sute 6z", "D": "pon 6z, sute 1z"},
        wanted=Tsumo,
    ),
)
"""Situations about the client's own turns."""

CALLS = (
    Situation(
        name="chi",
        teaches="A discard can be called for a chi in five ways, some with the red five.",
        expected="any legal answer; chi names the two tiles from the hand",
        arrangement=Arrangement({"A": "4m", "B": "23056m199p19s123z"}, closing=Closing("C", "D")),
        client="B",
        aim=offered(Phase.CALL, Chi, choices=3),
        orders={"A": "sute 4m"},
    ),
    Situation(
        name="pon",
        teaches="A five can be called for a pon with or without the red one, or for an open kan.",
        expected="any legal answer; pon names the two tiles from the hand",
        arrangement=Arrangement({"A": "5p", "C": PAIR_OF_5P}, closing=Closing("B", "D")),
        client="C",
        aim=offered(Phase.CALL, Pon, choices=2),
        orders={"A": "sute 5p"},
    ),
    Situation(
        name="open-kan",
        teaches="The hand holds three of the discarded tile: an open kan is legal.",
        expected=ANY,
        arrangement=Arrangement({"A": "7z", "B": "777z23456m34599s"}, closing=Closing("C", "D")),
        client="B",
        aim=offered(Phase.CALL, Daiminkan),
        orders={"A": "sute 7z"},
    ),
    Situation(
        name="after-call",
        teaches="After its own chi or pon a player discards without having drawn.",
        expected="a legal discard of a tile that it holds",
        arrangement=Arrangement({"A": "7z", "C": PAIR_OF_7Z}, closing=Closing("B", "D")),
        client="C",
        aim=after_call,
        missed="the client did not call",
        orders={"A": "sute 7z"},
    ),
    Situation(
        name="swap-call",
        teaches="After a chi neither the called kind nor the other end of the run may be discarded (kuikae).",
        expected="another discard",
        arrangement=Arrangement({"A": "4m", "B": "2344m777z567p189s"}, closing=Closing("C", "D")),
        client="B",
        aim=barred_after_call,
        missed="the client did not call",
        orders={"A": "sute 4m"},
    ),
    Situation(
        name="ron",
        teaches="A discard completes the hand.",
        expected="a win",
        arrangement=Arrangement({"A": "5s", "C": TENPAI_ON_5S}, closing=Closing("B", "D")),
        client="C",
        aim=offered(Phase.CALL, Ron),
        orders={"A": "sute 5s"},
        wanted=Ron,
    ),
    Situation(
        name="no-yaku",
        teaches="A discard completes the hand, but without a yaku: it may be called, not won on.",
        expected="chi or pass",
        arrangement=Arrangement({"A": "4m", "B": NO_YAKU}, closing=Closing("C", "D")),
        client="B",
        aim=offered(Phase.CALL, Chi, tile="4m"),
        orders={"A": "sute 4m"},
    ),
    Situation(
        name="furiten",
        teaches="Another tile that the hand waits for has passed in this turn: the next one may be called, not won on.",
        expected="chi or pass",
        arrangement=Arrangement({"A": "1m", "C": "4m", "D": TENPAI_ON_1M_4M}, "9p9p9p", closing=Closing("B", "A")),
        client="D",
        aim=offered(Phase.CALL, Chi, tile="4m"),
        orders={"A": "sute 1m", "C": "sute 4m"},
    ),
    Situation(
        name="chankan",
        teaches="A tile that another player adds to a pon completes the hand: it may be robbed.",
        expected="ron or pass",
        arrangement=Arrangement({"A": "4m", "B": "444m1z", "C": NO_YAKU}, "9p2z3z5z6z", closing=Closing("D", "A")),
        client="C",
        aim=offered(Phase.CHANKAN),
        missed="the client gave up its tenpai, or had won before",
        orders={"A": "sute 4m", "B": "pon 4m, sute 1z, kakan 4m"},
        wanted=Ron,
    ),
    Situation(
        name="closed-chankan",
        teaches="Thirteen orphans may rob a closed kan.",
        expected="ron, a yakuman, or pass",
        arrangement=Arrangement({"A": "999s", "D": KOKUSHI_ON_9S}, "9s", closing=Closing("B", "C", "4m")),
        client="D",
        aim=offered(Phase.CHANKAN),
        orders={"A": "ankan 9s"},
        rules={"kokushi_ankan": True},
    ),
)
"""Situations about the tiles of other players."""

EVENTS = (
    Situation(
        name="kan-dora",
        teaches="A closed kan of another player reveals a dora indicator at once.",
        expected="a legal answer at the next turn",
        arrangement=Arrangement({"A": "1111m", "B": NOTHING.replace("1", "2", 1)}, closing=Closing("C", "D")),
        client="B",
        aim=turn_after(DoraRevealed, 2),
        orders={"A": "ankan 1m"},
    ),
    Situation(
        name="late-kan-dora",
        teaches="An open kan of another player reveals a dora indicator before its next discard.",
        expected="a legal answer at the next turn",
        arrangement=Arrangement({"A": "2s", "D": "222s1z", "B": NOTHING}, closing=Closing("C", "D")),
        client="B",
        aim=turn_after(DoraRevealed, 2),
        orders={"A": "sute 2s", "D": "kan 2s, sute 1z"},
    ),
    Situation(
        name="fifth-kan",
        teaches="Another player has made four kans: no further kan is legal, although the hand has four of a kind.",
        expected="any legal answer, but no kan",
        arrangement=Arrangement(
            {"A": "111222333444m1z", "B": "8888s1479p58m123z"},
            "1m9p",
            "2m3m4m9p",
            closing=Closing("C", "D"),
        ),
        client="B",
        aim=turn_after(KanDeclared, 4),
        orders={"A": "ankan 1m, ankan 2m, ankan 3m, ankan 4m"},
    ),
    Situation(
        name="riichi-of-another",
        teaches="Another player declares riichi, pays its stick, and wins with ura dora.",
        expected="legal answers, also in the next kyoku",
        arrangement=Arrangement({"A": TENPAI_ON_4Z, "B": NOTHING}, "1z", closing=Closing("A", "C", hand=TENPAI_ON_4Z)),
        client="B",
        aim=next_kyoku_after(RiichiPaid),
        orders={"A": "richi 1z"},
        has_next=True,
    ),
    Situation(
        name="overruled",
        teaches="A tile that the client may call is won by another player, whose answer decides.",
        expected="no further answer to that question, and legal answers in the next kyoku",
        arrangement=Arrangement({"A": "5p", "B": TENPAI_ON_5P, "C": PAIR_OF_5P}),
        client="C",
        aim=next_kyoku_after(HandWon),
        orders={"A": "sute 5p", "B": "ron"},
        has_next=True,
    ),
    Situation(
        name="double-ron",
        teaches="Two players win on the same tile: there are two results before the next kyoku.",
        expected="legal answers in the next kyoku",
        arrangement=Arrangement({"A": "5p", "B": TENPAI_ON_5P, "C": "234678m345s46p22p", "D": "19m19p19s1234567z"}),
        client="D",
        aim=next_kyoku_after(HandWon, 2),
        orders={"A": "sute 5p", "B": "ron", "C": "ron"},
        has_next=True,
    ),
    Situation(
        name="four-kans",
        teaches="Four kans by two players abort the kyoku.",
        expected="legal answers in the next kyoku",
        arrangement=Arrangement(
            {"A": "11112222m9p1s9s6z7z", "B": NOTHING.replace("147", "588"), "C": "33334444m1p1s9s6z7z"},
            "9p1p",
            "9p1p9s1s",
        ),
        client="B",
        aim=next_kyoku_after(KyokuDrawn),
        missed="the kyoku was not aborted",
        orders={"A": "ankan 1m, ankan 2m", "C": "ankan 3m, ankan 4m"},
        has_next=True,
    ),
    Situation(
        name="pao",
        teaches="A player wins big three dragons, and the player who gave it the third dragon pays a share (pao).",
        expected="legal answers, also in the next kyoku",
        arrangement=Arrangement(
            {"A": "556677z", "B": DRAGONS, "D": "147m258p36s11233z"},
            closing=Closing("B", "C", "9s", hand=DRAGONS),
        ),
        client="D",
        aim=next_kyoku_after(HandWon),
        orders={"A": "sute 5z, sute 6z, sute 7z", "B": "pon 5z, sute 1s, pon 6z, sute 2p, pon 7z, sute 8p"},
        has_next=True,
        patience=12,
    ),
    Situation(
        name="exhausted-wall",
        teaches="The wall is exhausted: players with a tenpai hand are asked whether they show it.",
        expected="tenpai or noten",
        arrangement=Arrangement(SINGLE_WAITS, "6m6p6s7m"),
        aim=offered(Phase.DECLARE),
        missed="the client was not asked: it was not tenpai, was in riichi, or had won",
        patience=99,
    ),
)
"""Situations in which the client follows what others do."""

CONNECTION = (
    Situation(
        name="timeout",
        teaches="The time for an answer is over: the server answers for the client, whose own answer comes too late.",
        expected="legal answers to later questions",
        arrangement=FIRST_TURN,
        aim=after_timeout,
        missed="no question came after the timeout",
        stage=Stage.HOLD,
    ),
    Situation(
        name="reconnect",
        teaches="The connection is lost during the game.",
        expected="the client comes back to its seat, and answers the open question",
        arrangement=FIRST_TURN,
        aim=after_return,
        missed="the client gave no answer after its return",
        stage=Stage.DROP,
    ),
    Situation(
        name="cut-off",
        teaches="The server stops during the game.",
        expected="the client ends by itself, or connects again",
        arrangement=FIRST_TURN,
        stage=Stage.STOP,
    ),
    Situation(
        name="farewell",
        teaches="The game is over, and the server says goodbye.",
        expected="the client says goodbye or closes, and ends by itself or connects again",
        arrangement=FIRST_TURN,
        stage=Stage.FAREWELL,
    ),
)
"""Situations about the connection."""

SITUATIONS: tuple[Situation, ...] = (*TURNS, *CALLS, *EVENTS, *CONNECTION)
"""All situations, in the order in which they are played."""


# Situations of three players


FAR = "19m258p369s13567z"
"""A hand that is far from tenpai, without a north."""
WAITS_FOR_NORTH = "123456789p1144z"
"""Tenpai that waits for 1z and 4z, and wins with a straight and a half flush."""

_of_three = partial(Situation, seats=3)

OF_THREE: tuple[Situation, ...] = (
    _of_three(
        name="kita",
        teaches="The hand holds a north: it may be set aside.",
        expected="any legal answer",
        arrangement=Arrangement({"A": "19m258p369s13457z"}, "8p", closing=Closing("C", "B", "2z")),
        aim=offered(Phase.TURN, Kita),
    ),
    _of_three(
        name="kita-again",
        teaches="The replacement tile of a north is the next north.",
        expected="any legal answer",
        arrangement=Arrangement({"A": FAR}, "4z", "4z", closing=Closing("C", "B", "2z")),
        aim=turn_after(KitaDeclared),
        missed="the client kept its north",
    ),
    _of_three(
        name="kita-of-another",
        teaches="Another player sets a north aside, and draws a replacement tile.",
        expected="a legal answer at the next turn",
        arrangement=Arrangement({"A": "4z", "B": FAR}, closing=Closing("C", "A", "2z")),
        client="B",
        aim=turn_after(KitaDeclared),
        orders={"A": "kita"},
    ),
    _of_three(
        name="robbed-north",
        teaches="A north that another player sets aside completes the hand: it may be robbed, without chankan.",
        expected="ron or pass",
        arrangement=Arrangement({"A": "4z", "B": WAITS_FOR_NORTH}, closing=Closing("C", "A", "2z")),
        client="B",
        aim=offered(Phase.CHANKAN),
        orders={"A": "kita"},
        wanted=Ron,
    ),
    _of_three(
        name="no-chi",
        teaches="A discard would complete a run, but three players have no chi: the client is not asked.",
        expected="no answer before the next turn",
        arrangement=Arrangement({"A": "2p", "B": "19m1346p669s1357z"}, closing=Closing("C", "A", "2z")),
        client="B",
        aim=turn_after(TileDiscarded),
        orders={"A": "sute 2p"},
    ),
    _of_three(
        name="discarded-north",
        teaches="A north that is discarded may be called for a pon.",
        expected="any legal answer",
        arrangement=Arrangement({"A": "4z", "C": "19m258p69s135z44z"}, closing=Closing("B", "A", "2z")),
        client="C",
        aim=offered(Phase.CALL, Pon),
        orders={"A": "sute 4z"},
    ),
    _of_three(
        name="shared-tsumo",
        teaches="Another player wins with the replacement tile of its north, and the two others pay.",
        expected="legal answers, also in the next kyoku",
        arrangement=Arrangement({"B": "999m234567p234s4z", "C": FAR}, "1p8p", "8p"),
        client="C",
        aim=next_kyoku_after(HandWon),
        orders={"B": "kita, tsumo"},
        has_next=True,
    ),
)
"""All situations of three players, in the order in which they are played."""
