"""Renderings: an event is made into messages once for all who are told it alike."""

from __future__ import annotations

from ump.model.events import Event, GameStarted
from ump.model.seats import Seat
from ump.table.view import privy, view
from ump.wire.session import Render


class Rendering:
    """One event on its way to all who are told: a ``Telling`` for their sessions."""

    __slots__ = ("_event", "_known", "_privy")

    def __init__(self, event: Event) -> None:
        self._event = event
        self._privy = privy(event)
        self._known: list[tuple[bool, Render, tuple[str, ...]]] = []
        """What was made of it, for who is privy to it and for all others, by each dialect. Hardly ever more than two,
        so that looking through them costs less than hashing."""

    def seen_by(self, seat: Seat | None) -> Event:
        """Return the event as this seat may see it, or who watches (None)."""
        return view(self._event, seat)

    def rendered(self, render: Render, seat: Seat | None) -> tuple[str, ...]:
        """Return what ``render`` makes of it for this seat."""
        is_privy = seat is not None and seat == self._privy
        for known, known_render, messages in self._known:
            if known is is_privy and known_render is render:
                return messages
        messages = render(view(self._event, seat), seat)
        if not isinstance(self._event, GameStarted):  # that names who is told
            self._known.append((is_privy, render, messages))
        return messages
