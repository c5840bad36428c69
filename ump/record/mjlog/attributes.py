"""Read the attributes of mjlog elements: numbers separated by commas, checked before they are converted."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ump.model.seats import Seat
from ump.model.tiles import TILES, Tile
from ump.record.recorded_game import RecordError

COLUMNS = 4
"""The seats that Tenhou's lists have. In a game of three, the entries of the fourth are 0 or empty."""

_NUMBERS = re.compile(r"-?[0-9]{1,9}(,-?[0-9]{1,9})*")
_RESULT = re.compile(r"-?[0-9]{1,7}(\.[0-9])?")
_SHOWN = 40
"""Characters of a wrong value that an error message shows."""


def text_of(fields: Mapping[str, str], name: str) -> str:
    """Return an attribute; raise RecordError if it is missing."""
    try:
        return fields[name]
    except KeyError:
        raise RecordError(f"{name} is missing") from None


def numbers_in(text: str, name: str) -> tuple[int, ...]:
    """Read integers separated by commas, none from an empty text; raise RecordError, which mentions ``name``."""
    if not text:
        return ()
    if not _NUMBERS.fullmatch(text):
        raise RecordError(f"{name}: expected numbers separated by commas, got {text[:_SHOWN]!r}")
    return tuple(map(int, text.split(",")))


def numbers(fields: Mapping[str, str], name: str, least: int = 0) -> tuple[int, ...]:
    """Read an attribute of at least ``least`` integers; raise RecordError if there are fewer."""
    found = numbers_in(text_of(fields, name), name)
    if len(found) < least:
        raise RecordError(f"{name}: expected {least} numbers, got {len(found)}")
    return found


def number(fields: Mapping[str, str], name: str, low: int, high: int) -> int:
    """Read an attribute that is one integer from ``low`` to ``high``; raise RecordError for anything else."""
    found = numbers(fields, name)
    if len(found) != 1 or not low <= found[0] <= high:
        raise RecordError(f"{name}: expected a number from {low} to {high}, got {fields[name][:_SHOWN]!r}")
    return found[0]


def seat(fields: Mapping[str, str], name: str, seats: int) -> Seat:
    """Read one of so many seats; raise RecordError for anything else."""
    return number(fields, name, 0, seats - 1)


def tile(fields: Mapping[str, str], name: str) -> Tile:
    """Read one physical tile; raise RecordError for anything else."""
    return number(fields, name, 0, TILES - 1)


def tiles(fields: Mapping[str, str], name: str, count: int | None = None) -> tuple[Tile, ...]:
    """Read distinct physical tiles, exactly ``count`` of them if it is given; raise RecordError for anything else."""
    found = numbers(fields, name)
    if not all(0 <= each < TILES for each in found):
        raise RecordError(f"{name}: expected tiles from 0 to {TILES - 1}, got {fields[name][:_SHOWN]!r}")
    if len(set(found)) != len(found):
        raise RecordError(f"{name} has a tile twice")
    if count is not None and len(found) != count:
        raise RecordError(f"{name}: expected {count} tiles, got {len(found)}")
    return found


def hundreds(fields: Mapping[str, str], name: str, seats: int) -> tuple[int, ...]:
    """Read the scores of so many seats, which mjlog writes in hundreds, in points; raise RecordError for fewer."""
    return tuple(100 * score for score in numbers(fields, name, seats)[:seats])


def tenths(text: str, name: str) -> int:
    """Read a number with at most one decimal place, in tenths; raise RecordError, which mentions ``name``."""
    if not _RESULT.fullmatch(text):
        raise RecordError(f"{name}: expected a number with at most one decimal place, got {text[:_SHOWN]!r}")
    return round(10 * float(text))
