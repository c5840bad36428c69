"""The attributes of mjlog elements: numbers between commas, bounded before they are read."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ump.model.seats import Seat
from ump.model.tiles import TILES, Tile
from ump.record.recorded_game import RecordError

SEATS = 4

_NUMBERS = re.compile(r"-?[0-9]{1,9}(,-?[0-9]{1,9})*")
_RESULT = re.compile(r"-?[0-9]{1,7}(\.[0-9])?")
_SHOWN = 40


def text_of(fields: Mapping[str, str], name: str) -> str:
    """Return an attribute; raises RecordError where it is missing."""
    try:
        return fields[name]
    except KeyError:
        raise RecordError(f"{name} is missing") from None


def numbers_in(text: str, name: str) -> tuple[int, ...]:
    """Read integers between commas, none in an empty text; raises RecordError. ``name`` is what is read."""
    if not text:
        return ()
    if not _NUMBERS.fullmatch(text):
        raise RecordError(f"{name} holds no numbers: {text[:_SHOWN]!r}")
    return tuple(map(int, text.split(",")))


def numbers(fields: Mapping[str, str], name: str, least: int = 0) -> tuple[int, ...]:
    """Read an attribute of at least so many integers; raises RecordError."""
    found = numbers_in(text_of(fields, name), name)
    if len(found) < least:
        raise RecordError(f"{name} holds {len(found)} numbers, not {least}")
    return found


def number(fields: Mapping[str, str], name: str, low: int, high: int) -> int:
    """Read an attribute that is one integer of low..high; raises RecordError."""
    found = numbers(fields, name)
    if len(found) != 1 or not low <= found[0] <= high:
        raise RecordError(f"{name} is no number of {low}..{high}: {fields[name][:_SHOWN]!r}")
    return found[0]


def seat(fields: Mapping[str, str], name: str) -> Seat:
    """Read a seat; raises RecordError."""
    return number(fields, name, 0, SEATS - 1)


def tile(fields: Mapping[str, str], name: str) -> Tile:
    """Read one tile; raises RecordError."""
    return number(fields, name, 0, TILES - 1)


def tiles(fields: Mapping[str, str], name: str, count: int | None = None) -> tuple[Tile, ...]:
    """Read tiles, so many if a count is given, each of them once; raises RecordError."""
    found = numbers(fields, name)
    if not all(0 <= each < TILES for each in found):
        raise RecordError(f"{name} holds what is no tile: {fields[name][:_SHOWN]!r}")
    if len(set(found)) != len(found):
        raise RecordError(f"{name} holds a tile twice")
    if count is not None and len(found) != count:
        raise RecordError(f"{name} holds {len(found)} tiles, not {count}")
    return found


def hundreds(fields: Mapping[str, str], name: str) -> tuple[int, ...]:
    """Read the scores of four seats, written in hundreds of points; raises RecordError."""
    return tuple(100 * score for score in numbers(fields, name, SEATS)[:SEATS])


def tenths(text: str, name: str) -> int:
    """Read a number with at most one decimal place, in tenths; raises RecordError."""
    if not _RESULT.fullmatch(text):
        raise RecordError(f"{name} holds no result: {text[:_SHOWN]!r}")
    return round(10 * float(text))
