"""What happens at a table in words: one or a few short lines for each event."""

from __future__ import annotations

from ump.model.events import Event
from ump.report.position import Position
from ump.report.style import PLAIN, Style


def narrate(event: Event, position: Position, style: Style = PLAIN) -> list[str]:
    """Return the lines that tell an event to the position's seat; empty for events that need no words.

    Call it before ``position.see(event)``: results state the points before and after. Lines have at most 79 columns.
    """
    return [type(event).__name__]
