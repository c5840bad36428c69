"""Renderings: an event is made into sentences once for all who are told it alike."""

from __future__ import annotations

from ump.model.events import Event, GameStarted
from ump.model.seats import Seat
from ump.table.view import view
from ump.wire.ump01.render import Language, render


class Rendering:
    """The sentences of one event, by language and by whether its tiles are hidden; the ids belong to connections."""

    __slots__ = ("_event", "_sentences")

    def __init__(self, event: Event) -> None:
        self._event = event
        self._sentences: dict[tuple[Language, bool], tuple[str, ...]] = {}

    def told(self, seat: Seat | None, language: Language) -> tuple[str, ...]:
        """Return what a seat is told, or who watches (None)."""
        viewed = view(self._event, seat)
        if type(viewed) is GameStarted:  # the one that names who is told
            return render(viewed, language, seat)
        key = (language, viewed is self._event)
        sentences = self._sentences.get(key)
        if sentences is None:
            sentences = self._sentences[key] = render(viewed, language)
        return sentences
