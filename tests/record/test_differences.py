"""Descriptions of events and actions."""

from __future__ import annotations

import pytest

from ump.model.actions import Discard, Pass
from ump.model.events import HandDealt, KyokuStarted, TileDrawn
from ump.model.tiles import EAST
from ump.record.differences import describe


@pytest.mark.parametrize(
    ("thing", "text"),
    [
        pytest.param(Discard(0), "Discard face 1m", id="the first tile"),
        pytest.param(Discard(EAST, tsumogiri=True), "Discard face 1z tsumogiri", id="a switch that is on"),
        pytest.param(Pass(), "Pass", id="no field"),
        pytest.param(TileDrawn(0, 0, 4), "TileDrawn seat A left 0 face 5m", id="seat A, no tile left"),
        pytest.param(HandDealt(1, None), "HandDealt seat B", id="hidden tiles"),
        pytest.param(
            KyokuStarted(0, 0, 0, 1, (0, 25_000), (1, 2)),
            "KyokuStarted bakaze 0 dealer A honba 0 kyotaku 1 points (0, 25000) dice (1, 2)",
            id="zeros",
        ),
    ],
)
def test_all_fields_are_named(thing: object, text: str) -> None:
    """Only fields that are None or False are left out; a zero is not."""
    assert describe(thing) == text
