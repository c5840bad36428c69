"""The player that discards what it draws."""

from __future__ import annotations

import pytest
from support.positions import face, position

from ump.model.actions import Action, DeclareNoten, DeclareTenpai, Discard, Pass, Pon, Ron, Tsumo
from ump.model.phases import Phase
from ump.players.tsumogiri import Tsumogiri

TENPAI = "234m567m34p456s88s"


@pytest.mark.parametrize(
    ("phase", "tile", "offers", "answer"),
    [
        (Phase.TURN, "5p", (Discard(face("2m")), Discard(face("5p"), True), Tsumo()), Discard(face("5p"), True)),
        (Phase.TURN, "0p", None, Discard(face("0p"), True)),
        (Phase.CALL, "8s", (Pass(), Pon((face("8s"), face("8s")))), Pass()),
        (Phase.CALL, "5p", (Pass(), Ron()), Pass()),
        (Phase.CHANKAN, "5p", (Pass(), Ron()), Pass()),
        (Phase.DECLARE, "", (DeclareTenpai(), DeclareNoten()), DeclareTenpai()),
    ],
)
def test_it_discards_what_it_draws(phase: Phase, tile: str, offers: tuple[Action, ...] | None, answer: Action) -> None:
    """Whatever else is offered, even a win."""
    drawn = face(tile) if tile else None
    assert Tsumogiri().choose(position(TENPAI, drawn=tile), phase, drawn, offers) == answer
