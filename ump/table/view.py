"""The view of a seat: an event without the tiles that the seat may not see. No other module hides anything."""

from __future__ import annotations

from functools import lru_cache

from ump.model.events import Event, HandDealt, TileDrawn
from ump.model.seats import Seat


def view(event: Event, seat: Seat | None) -> Event:
    """Return the event as this seat may see it; ``None`` is a spectator.

    It hides only the tiles that other seats are dealt and draw. A public event comes back as the same object.
    """
    if isinstance(event, TileDrawn):
        return event if event.seat == seat else _hidden_draw(event.seat, event.left, event.rinshan)
    if isinstance(event, HandDealt):
        return event if event.seat == seat else HandDealt(event.seat, None)
    return event


def private_to(event: Event) -> Seat | None:
    """Return the one seat that may see more of an event than all others, or None if the event is public.

    All other seats and spectators see the same, so an event is rendered at most twice per dialect.
    """
    return event.seat if isinstance(event, (TileDrawn, HandDealt)) else None


@lru_cache(1 << 10)
def _hidden_draw(seat: Seat, left: int, rinshan: bool) -> TileDrawn:
    """Return a draw without its tile; a table has some hundreds of different ones."""
    return TileDrawn(seat, left, None, rinshan)
