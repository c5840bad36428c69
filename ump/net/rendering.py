"""Renderings: an event is made into sentences once for all who are told it alike."""

from __future__ import annotations

from ump.model.events import Event, GameStarted
from ump.model.seats import Seat
from ump.table.view import view
from ump.wire.ump01.render import Language, render


class Rendering:
    """The sentences of one event, by view and language; the ids before them belong to the connections."""

    __slots__ = ("_event", "_is_personal", "_sentences")

    def __init__(self, event: Event) -> None:
        self._event = event
        self._is_personal = type(event) is GameStarted
        """Whether the sentences name who is told."""
        self._sentences: list[tuple[Event, Language, tuple[str, ...]]] = []
        """Hardly ever more than two, so that looking through them costs less than hashing."""

    def told(self, seat: Seat | None, language: Language) -> tuple[str, ...]:
        """Return what a seat is told, or who watches (None)."""
        viewed = view(self._event, seat)
        if self._is_personal:
            return render(viewed, language, seat)
        for known, spoken, sentences in self._sentences:
            if known is viewed and spoken is language:
                return sentences
        sentences = render(viewed, language)
        self._sentences.append((viewed, language, sentences))
        return sentences
