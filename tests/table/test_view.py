"""What each seat may see."""

from __future__ import annotations

import pytest

from ump.model.events import DoraRevealed, Event, GameStarted, HandDealt, TenpaiDeclared, TileDiscarded, TileDrawn
from ump.table.view import view

ALL = (0, 1, 2, 3, None)
"""Every seat, and who watches."""

THIRTEEN = tuple(range(13))


@pytest.mark.parametrize(
    "event",
    [
        GameStarted(("Ton", "Nan", "Shaa", "Pei")),
        DoraRevealed(27),
        TileDiscarded(1, 34, tsumogiri=False),
        TenpaiDeclared(1, True, THIRTEEN, ()),
    ],
)
@pytest.mark.parametrize("seat", ALL)
def test_what_is_open_to_all_is_one_object(event: Event, seat: int | None) -> None:
    """An event that hides nothing is passed on as it is, so that it is rendered once."""
    assert view(event, seat) is event


@pytest.mark.parametrize("event", [TileDrawn(2, 69, 34), HandDealt(2, THIRTEEN)])
def test_owner_sees_its_own_tiles(event: Event) -> None:
    """Who draws, and who is dealt to, sees everything."""
    assert view(event, 2) is event


@pytest.mark.parametrize(
    ("event", "seen"),
    [
        (TileDrawn(2, 69, 34), TileDrawn(2, 69, None)),
        (TileDrawn(2, 40, 0, rinshan=True), TileDrawn(2, 40, None, rinshan=True)),
        (HandDealt(2, THIRTEEN), HandDealt(2, None)),
    ],
)
@pytest.mark.parametrize("seat", [0, 1, 3, None])
def test_others_do_not_see_the_tiles(event: Event, seen: Event, seat: int | None) -> None:
    """The other seats and who watches see all of a draw or a deal but its tiles."""
    assert view(event, seat) == seen


def test_hidden_draws_do_not_depend_on_the_tile() -> None:
    """What is seen of two draws that differ in the tile alone is the same, whatever one compares."""
    first, second = view(TileDrawn(0, 12, 5), 1), view(TileDrawn(0, 12, 34), None)
    assert first == second
    assert hash(first) == hash(second)
    assert repr(first) == repr(second)
