"""``view``: the part of each event that a seat may see."""

from __future__ import annotations

from typing import get_args

import pytest
from support.rows import each_row

from ump.model import events as ev
from ump.model.melds import Meld, MeldType
from ump.model.yaku import HandValue, Yaku
from ump.table.view import private_to, view

ALL = (0, 1, 2, 3, None)
"""Every seat, and None for spectators."""

THIRTEEN = tuple(range(13))


KAN = Meld(MeldType.ANKAN, (31, 31, 31, 31))

OPEN_TO_ALL = (
    ev.GameStarted(("Ton", "Nan", "Shaa", "Pei")),
    ev.KyokuStarted(0, 2, 0, 1, (25_000,) * 4, (3, 5)),
    ev.DoraRevealed(27),
    ev.RiichiDeclared(2, opened=True),
    ev.TileDiscarded(2, 34, tsumogiri=False),
    ev.RiichiPaid(2),
    ev.TileCalled(2, Meld(MeldType.PON, (31, 31), 31, 1)),
    ev.KanDeclared(2, KAN),
    ev.KitaDeclared(2),
    ev.RonDeclared(2),
    ev.HandOpened(2, THIRTEEN, ()),
    ev.TenpaiDeclared(2, True, THIRTEEN[:10], (KAN,)),
    ev.TenpaiDeclared(2, False, None, ()),
    ev.HandWon(
        2, 1, 8, THIRTEEN, (), True, (27,), HandValue(((Yaku.RIICHI, 1),), 1, 40, 0, 320), (0, -1_300, 2_300, 0)
    ),
    ev.KyokuDrawn(ev.DrawReason.EXHAUSTED, (1_500, 1_500, -1_500, -1_500)),
    ev.KyokuEnded(),
    ev.GameEnded((25_000,) * 4, (1, 2, 3, 4), (0, 0, 0, 0)),
)
HIDDEN = (ev.TileDrawn(2, 69, 34), ev.HandDealt(2, THIRTEEN))


def test_every_event_is_tested() -> None:
    """Every event of the model is listed in this file as open or hidden."""
    assert {type(event) for event in OPEN_TO_ALL + HIDDEN} == set(get_args(ev.Event))


@each_row("event", OPEN_TO_ALL)
@pytest.mark.parametrize("seat", ALL)
def test_open_events_are_not_copied(event: ev.Event, seat: int | None) -> None:
    """An event that hides nothing is returned as the same object, so that it is rendered once."""
    assert view(event, seat) is event


@each_row("event", HIDDEN)
def test_owner_sees_its_own_tiles(event: ev.Event) -> None:
    """The seat that draws or is dealt tiles sees all of the event."""
    assert view(event, 2) is event


@each_row(
    ("event", "seen"),
    [
        (ev.TileDrawn(2, 69, 34), ev.TileDrawn(2, 69, None)),
        (ev.TileDrawn(2, 40, 0, rinshan=True), ev.TileDrawn(2, 40, None, rinshan=True)),
        (ev.HandDealt(2, THIRTEEN), ev.HandDealt(2, None)),
    ],
)
@pytest.mark.parametrize("seat", [0, 1, 3, None])
def test_others_do_not_see_the_tiles(event: ev.Event, seen: ev.Event, seat: int | None) -> None:
    """The other seats and spectators see all of a draw or a deal except its tiles."""
    assert view(event, seat) == seen


def test_hidden_draws_do_not_depend_on_the_tile() -> None:
    """The views of two draws that differ only in the hidden tile have the same value, hash and repr."""
    first, second = view(ev.TileDrawn(0, 12, 5), 1), view(ev.TileDrawn(0, 12, 34), None)
    assert first == second
    assert hash(first) == hash(second)
    assert repr(first) == repr(second)


@each_row("event", [*OPEN_TO_ALL, *HIDDEN])
def test_private_events_differ_for_one_seat_only(event: ev.Event) -> None:
    """At most one seat sees more of an event, and all others see the same."""
    seats = [seat for seat in ALL if seat is None or seat != private_to(event)]
    assert all(view(event, seat) == view(event, None) for seat in seats)
    if private_to(event) is not None:
        assert view(event, private_to(event)) == event != view(event, None)
