"""The own hand in two lines with a mark under the chosen tile, and the server's hints in words."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ump.model.seats import Seat
from ump.model.tiles import Face
from ump.players.hints import Waits
from ump.terminal.choices import HeldTile
from ump.terminal.table_text import meld_text
from ump.text.position import Position
from ump.text.style import Style
from ump.text.text import width
from ump.text.wording import tile_word
from ump.wire.ump.client_events import HintReceived
from ump.wire.ump.extras import Hints

CHOSEN, LEGAL = "^^", "--"
"""The marks under the chosen tile, and under those that can be chosen where not all can."""


def hand_lines(
    tiles: Sequence[HeldTile],
    chosen: int | None,
    legal: Collection[int],
    position: Position,
    viewer: Seat,
    style: Style,
) -> list[str]:
    """Return the hand with its melds, and a line of marks; ``chosen`` and ``legal`` are places in ``tiles``.

    The drawn tile stands apart, in brackets.
    """
    hand, marks = " ", " "
    for place, tile in enumerate(tiles):
        word = tile_word(tile.face, style)
        text = f" [{word}]" if tile.is_drawn else word
        mark = CHOSEN if place == chosen else LEGAL if place in legal and len(legal) < len(tiles) else ""
        marks += " " * (width(hand) - width(marks) + 2 * tile.is_drawn) + mark
        hand += text + " "
    melds = [meld_text(meld, position, viewer, style) for meld in position.seen.melds[viewer]]
    return [f"{hand}  {' '.join(melds)}".rstrip(), marks.rstrip()]


def place_at(tiles: Sequence[HeldTile], column: int, style: Style) -> int | None:
    """Return the place of the tile at a column of ``hand_lines``, for the mouse; None between and after them."""
    at = 1
    for place, tile in enumerate(tiles):
        at += 2 * tile.is_drawn
        size = width(tile_word(tile.face, style))
        if at <= column < at + size:
            return place
        at += size + tile.is_drawn + 1
    return None


def hint_text(hints: Hints | HintReceived | None, face: Face | None, style: Style) -> str:
    """Return what the server says about the hand; ``face`` is the chosen tile, whose discard may leave tenpai."""
    match hints:
        case Hints():
            return _hint_of_question(hints, face, style)
        case HintReceived(waits=Waits() as waits):
            return _waits_text(waits, style)
        case HintReceived():
            return f"{hints.shanten}-shanten"
        case None:
            return ""


def _hint_of_question(hints: Hints, face: Face | None, style: Style) -> str:
    parts = [_waits_text(hints.waits, style)] if hints.waits is not None else []
    tenpai = dict(hints.discards)
    if face in tenpai:
        parts.append(f"{tile_word(face, style)} leaves tenpai: {_waits_text(tenpai[face], style)}")
    elif tenpai:
        parts.append("tenpai after " + " ".join(tile_word(each, style) for each in tenpai))
    if hints.shanten and not parts:
        parts.append(f"{hints.shanten}-shanten")
    return ", ".join(parts)


def _waits_text(waits: Waits, style: Style) -> str:
    """Return waits with the number of tiles that are left: ``waits 4m(3) 7m(2), furiten``."""
    text = "waits " + " ".join(f"{tile_word(kind, style)}({left})" for kind, left in waits.live)
    return text if waits.furiten is None else f"{text}, furiten ({waits.furiten.value})"
