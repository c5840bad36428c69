"""Answers that a person leaves to the server: ``auto win``, ``auto pass`` and ``auto discard``."""

from __future__ import annotations

from ump.model.actions import Action, Discard, Pass, Ron, Tsumo
from ump.model.phases import Phase
from ump.wire.session import QuestionView

KINDS = {
    "win": "declare every win that is possible",
    "pass": "call nothing; you are still asked for ron",
    "discard": "discard what you draw, unless a win is possible",
}
"""The answers that can be left to the server, with their meaning."""


class Automatic:
    """The answers that a person has left to the server, until the kyoku ends."""

    def __init__(self) -> None:
        self._on: set[str] = set()

    def clear(self) -> None:
        """Turn everything off."""
        self._on.clear()

    def set(self, kind: str, *, on: bool) -> None:
        """Turn one of ``KINDS`` on or off."""
        (self._on.add if on else self._on.discard)(kind)

    def lines(self) -> list[str]:
        """Return the state of each, with its meaning."""
        return [f"  auto {kind:<8}{'on ' if kind in self._on else 'off'}  {text}" for kind, text in KINDS.items()]

    def answer(self, question: QuestionView) -> Action | None:
        """Return the answer to a question, or None if the person has to decide."""
        if not self._on:
            return None
        legal = question.legal()
        wins = [action for action in legal if isinstance(action, (Ron, Tsumo))]
        if wins:
            return wins[0] if "win" in self._on else None
        if question.phase in (Phase.CALL, Phase.CHANKAN) and "pass" in self._on:
            return Pass()
        if question.phase is Phase.TURN and question.tile is not None and "discard" in self._on:
            drawn = Discard(question.tile, tsumogiri=True)
            return drawn if drawn in legal else None
        return None
