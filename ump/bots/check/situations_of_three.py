"""The situations that only games of three players have, in their order."""

from __future__ import annotations

from functools import partial

from ump.bots.check.aims import next_kyoku_after, offered, turn_after
from ump.bots.check.arrangement import Arrangement, Closing
from ump.bots.check.situation import Situation
from ump.model.actions import Kita, Pon, Ron
from ump.model.events import HandWon, KitaDeclared, TileDiscarded
from ump.model.phases import Phase

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
