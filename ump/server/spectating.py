"""The view of a room that spectators have: nothing, a table without its hidden tiles, or all hands after some time."""

from __future__ import annotations

import re

from ump.model.value import value

_OPEN = re.compile(r"open:([0-9]{1,6})")


@value
class Spectating:
    """The view of a room that spectators have."""

    is_allowed: bool = True
    """Whether clients may watch the room."""
    delay: int | None = None
    """Seconds after which they see events with all hidden tiles; None: they see events at once, without such tiles."""

    @classmethod
    def parse(cls, text: str) -> Spectating:
        """Read ``masked``, ``open:SECONDS`` or ``none``; raises ValueError."""
        if text in _WORDS:
            return _WORDS[text]
        found = _OPEN.fullmatch(text)
        if found is None:
            raise ValueError("expected masked, open:SECONDS or none, as in open:300")
        return cls(delay=int(found[1]))

    @property
    def text(self) -> str:
        """The text that ``parse`` reads."""
        if not self.is_allowed:
            return "none"
        return "masked" if self.delay is None else f"open:{self.delay}"


MASKED = Spectating()
"""Events at once, without hidden tiles."""

_WORDS = {"masked": MASKED, "none": Spectating(is_allowed=False)}
