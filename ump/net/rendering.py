"""Renderings: an event is made into messages once for all who are told it alike."""

from __future__ import annotations

from ump.model.events import Event, GameStarted
from ump.model.seats import Seat
from ump.table.view import private_to, view
from ump.wire.session import Render


class Rendering:
    """One event on its way to all who are told: a ``OutgoingEvent`` for their sessions."""

    __slots__ = ("_event", "_known", "_private_to")

    def __init__(self, event: Event) -> None:
        self._event = event
        self._private_to = private_to(event)
        self._known: list[tuple[bool, Render, tuple[str, ...]]] = []
        """Messages made so far: whether they are private, by which render function, and the text.

        Hardly ever more than two, so a linear search costs less than hashing."""

    def seen_by(self, seat: Seat | None) -> Event:
        """Return the event as this seat may see it, or who watches (None)."""
        return view(self._event, seat)

    def rendered(self, render: Render, seat: Seat | None) -> tuple[str, ...]:
        """Return what ``render`` makes of it for this seat."""
        is_private = seat is not None and seat == self._private_to
        for known, known_render, messages in self._known:
            if known is is_private and known_render is render:
                return messages
        messages = render(view(self._event, seat), seat)
        if not isinstance(self._event, GameStarted):  # that names who is told
            self._known.append((is_private, render, messages))
        return messages
