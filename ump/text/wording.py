"""Names of tiles, melds, dora and players for a person, who knows the others by where they sit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ump.model.melds import Meld
from ump.model.notation import UMP_FACES
from ump.model.seats import WIND_NAMES, Seat, seats_from, wind_of
from ump.model.tiles import KIND_OF, RED_FIVES, Face, pointed_at
from ump.model.written import UNICODE_KINDS
from ump.text.layout import TextRole, TextStyle, printable, role_of, shortened
from ump.text.position import Position

YOU = "you"
"""The reader's own place."""

_PLACES = {4: (YOU, "right", "opposite", "left"), 3: (YOU, "right", "left")}
"""The places of the players, in turn order from the reader on, by the number of players."""


PICTURES = tuple(UNICODE_KINDS[KIND_OF[face]] + "'" * (face in RED_FIVES) for face in range(len(UMP_FACES)))
"""Each face as a Unicode tile. Unicode has no red fives: an apostrophe marks them."""


# Tiles


def tile_word(face: Face, style: TextStyle) -> str:
    """Write one tile as two letters, ``5m`` or a red five ``5M``, or as its Unicode picture."""
    return style.paint(role_of(face), PICTURES[face] if style.is_pictured else UMP_FACES[face])


def tile_words(faces: Iterable[Face], style: TextStyle) -> list[str]:
    """Write tiles, in their order."""
    return [tile_word(face, style) for face in faces]


def meld_word(meld: Meld, position: Position, style: TextStyle) -> str:
    """Write a meld, the called tile last: ``<6m 8m 7m from left>``.

    An added kan is ``<8p 8p 8p from left + 8p>``, a closed kan ``(8p 8p 8p 8p)``.
    """
    words = tile_words(meld.own, style)
    if meld.called is None:
        return f"({' '.join(words)})"
    words.append(tile_word(meld.called, style))
    if meld.source is not None:
        words += ["from", place_word(meld.source, position)]
    if meld.added is not None:
        words += ["+", tile_word(meld.added, style)]
    return f"<{' '.join(words)}>"


def meld_words(melds: Iterable[Meld], position: Position, style: TextStyle) -> list[str]:
    """Write melds, in their order."""
    return [meld_word(meld, position, style) for meld in melds]


def dora_words(indicators: Sequence[Face], position: Position, style: TextStyle, name: str = "dora") -> str:
    """Write dora with their indicators: ``dora 2m (indicator 1m)``."""
    dora = " ".join(tile_words(pointed_at(indicators, position.seen.ruleset.seats), style))
    noun = "indicator" if len(indicators) == 1 else "indicators"
    return f"{name} {dora} ({noun} {' '.join(tile_words(indicators, style))})"


# Players


def seats_in_order(position: Position) -> tuple[Seat, ...]:
    """Return the seats as a board lists them: to the right and on, the reader last; for a spectator from East on."""
    seen = position.seen
    seats = seats_from(seen.dealer if seen.seat is None else seen.seat, seen.ruleset.seats)
    return seats if seen.seat is None else (*seats[1:], seen.seat)


def wind_word(seat: Seat, position: Position) -> str:
    """Return the wind of a player."""
    return WIND_NAMES[wind_of(seat, position.seen.dealer, position.seen.ruleset.seats)]


def place_word(seat: Seat, position: Position) -> str:
    """Return where a player sits as the reader sees it; a spectator knows players by their winds."""
    seen = position.seen
    if seen.seat is None:
        return wind_word(seat, position)
    seats = seen.ruleset.seats
    return _PLACES[seats][(seat - seen.seat) % seats]


def name_word(seat: Seat, position: Position) -> str:
    """Return the name of a player, safe to print and at most ``ump.text.layout.NAME`` columns wide."""
    return shortened(printable(position.names[seat]))


def player_words(seat: Seat, position: Position) -> str:
    """Return a player with its place and name, ``right efficiency-2``, or ``you``."""
    place = place_word(seat, position)
    return YOU if place == YOU else f"{place} {name_word(seat, position)}"


def player_cells(seat: Seat, position: Position) -> list[str]:
    """Return place, wind and name of a player, for a table; a spectator gets no place."""
    cells = [wind_word(seat, position), name_word(seat, position)]
    return cells if position.seen.seat is None else [place_word(seat, position), *cells]


def does(seat: Seat, verb: str, position: Position) -> str:
    """Return what a player does, such as ``right efficiency-2 calls`` or ``you call``; ``verb`` is in its base form."""
    who = player_words(seat, position)
    return f"{who} {verb}" if who == YOU else f"{who} {verb}s"


# Numbers and headings


def round_words(bakaze: int, dealer: Seat) -> str:
    """Return the name of a kyoku: ``East 4``."""
    return f"{WIND_NAMES[bakaze]} {dealer + 1}"


def points_word(points: int) -> str:
    """Write points with a separator of thousands: ``25,000``."""
    return f"{points:,}"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: ``1 tile``, ``20 tiles``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def heading(text: str, style: TextStyle) -> str:
    """Return a line as a heading."""
    return style.paint(TextRole.HEADING, text)
