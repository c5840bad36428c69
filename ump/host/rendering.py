"""Renderings: an event becomes messages once for all receivers that see it alike."""

from __future__ import annotations

from typing import final

from ump.model.events import Event, GameStarted
from ump.model.seats import Seat
from ump.table.view import private_to, view
from ump.wire.session import Render


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
        return self.event if self._is_open else view(self.event, seat)

    def rendered(self, render: Render, seat: Seat | None) -> tuple[str, ...]:
        """Return the messages that ``render`` returns for this seat."""
        is_private = seat is not None and seat == self._private_to
        for known, known_render, messages in self._known:
            if known is is_private and known_render is render:
                return messages
        messages = render(self.seen_by(seat), seat)
        if not isinstance(self.event, GameStarted):  # its messages name the seat of the receiver
            self._known.append((is_private, render, messages))
        return messages
