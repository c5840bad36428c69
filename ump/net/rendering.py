"""Renderings: an event is made into messages once for all who are told it alike."""

from __future__ import annotations

from ump.model.events import Event, GameStarted
from ump.model.seats import Seat
from ump.table.view import view
from ump.wire.session import Render


class Rendering:
    """One event on its way to all who are told: a ``Telling`` for their sessions."""

    __slots__ = ("_event", "_known")

    def __init__(self, event: Event) -> None:
        self._event = event
        self._known: list[tuple[Event, Render, tuple[str, ...]]] = []
        """Hardly ever more than two, so that looking through them costs less than hashing."""

    def seen_by(self, seat: Seat | None) -> Event:
        """Return the event as this seat may see it, or who watches (None)."""
        return view(self._event, seat)

    def rendered(self, render: Render, seat: Seat | None) -> tuple[str, ...]:
        """Return what ``render`` makes of it for this seat."""
        viewed = view(self._event, seat)
        for known, known_render, messages in self._known:
            if known is viewed and known_render is render:
                return messages
        messages = render(viewed, seat)
        if type(viewed) is not GameStarted:  # it names who is told
            self._known.append((viewed, render, messages))
        return messages
