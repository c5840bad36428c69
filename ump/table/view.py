"""The view of a seat: an event without the tiles that the seat may not see. No other module hides anything.

An event becomes messages once for all receivers that see it alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import final

from ump.model.events import Event, GameStarted, HandDealt, TileDrawn
from ump.model.seats import Seat
from ump.wire.session import Render


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


@final
class Rendering:
    """One event on its way to every receiver: an ``OutgoingEvent`` for their sessions."""

    __slots__ = ("_is_open", "_known", "_private_to", "event")

    def __init__(self, event: Event, *, is_open: bool = False) -> None:
        """Render an event; ``is_open`` hides nothing, from nobody."""
        self._is_open = is_open
        self.event = event
        """The event with everything hidden in it."""
        self._private_to = private_to(event)
        self._known: list[tuple[bool, Render, tuple[str, ...]]] = []
        """Messages made so far: whether they are private, by which render function, and the text.

        There are hardly ever more than two, so a linear search costs less than hashing."""

    def seen_by(self, seat: Seat | None) -> Event:
        """Return the event as this seat, or a spectator (None), may see it."""
        return self.event if self._is_open or self._private_to is None else view(self.event, seat)

    def rendered(self, render: Render, seat: Seat | None) -> tuple[str, ...]:
        """Return the messages that ``render`` returns for this seat."""
        is_private = seat is not None and seat == self._private_to
        for known, known_render, messages in self._known:
            if known is is_private and known_render is render:
                return messages
        messages = render(self.event if self._private_to is None else self.seen_by(seat), seat)
        if not isinstance(self.event, GameStarted):  # its messages name the seat of the receiver
            self._known.append((is_private, render, messages))
        return messages


@final
class EventBatch:
    """Several events on their way to spectators: an ``OutgoingEvents`` for their sessions."""

    __slots__ = ("_events", "_known")

    def __init__(self, events: Sequence[Rendering]) -> None:
        self._events = events
        self._known: dict[tuple[Render, int], list[str]] = {}
        """The messages made so far, by the render function and the first number."""

    def __iter__(self) -> Iterator[Rendering]:
        """Iterate over the events."""
        return iter(self._events)

    def numbered(self, render: Render, first: int) -> list[str]:
        """Return the messages for spectators, numbered from ``first`` on: made once for all who count alike."""
        messages = self._known.get((render, first))
        if messages is None:
            texts = [text for event in self._events for text in event.rendered(render, None)]
            messages = self._known[render, first] = [f"{number} {text}" for number, text in enumerate(texts, first)]
        return messages
