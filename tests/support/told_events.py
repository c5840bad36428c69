"""The text that a reader receives: positions and lines from a list of events."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ump.model.events import Event
from ump.model.seats import Seat
from ump.rules.ruleset import Ruleset
from ump.table.view import view
from ump.text.layout import PLAIN, TextStyle
from ump.text.narration import narrate
from ump.text.position import Position

NAMES = ("Ann", "Ben", "Cid", "Dan")


def told(
    events: Iterable[Event],
    reader: Seat | None = 0,
    *,
    names: Sequence[str] = NAMES,
    rules: Ruleset | None = None,
    style: TextStyle = PLAIN,
) -> list[tuple[Event, list[str]]]:
    """Return each event with the lines that the reader gets for it."""
    position = Position(reader, names, rules or Ruleset())
    found = []
    for event in events:
        seen = view(event, reader)
        found.append((seen, narrate(seen, position, style)))
        position.see(seen)
    return found


def lines_of(
    events: Iterable[Event],
    kinds: type[Event] | tuple[type[Event], ...],
    reader: Seat | None = 0,
    *,
    names: Sequence[str] = NAMES,
    rules: Ruleset | None = None,
    style: TextStyle = PLAIN,
) -> list[str]:
    """Return the lines that the reader gets for events of these kinds."""
    pairs = told(events, reader, names=names, rules=rules, style=style)
    return [line for event, lines in pairs if isinstance(event, kinds) for line in lines]


def position_after(
    events: Iterable[Event], reader: Seat | None = 0, *, names: Sequence[str] = NAMES, rules: Ruleset | None = None
) -> Position:
    """Return the position of a reader after these events."""
    position = Position(reader, names, rules or Ruleset())
    for event in events:
        position.see(view(event, reader))
    return position
