"""The table as text in 80 columns: four seats around a centre, or three, each with its river and its melds.

Marks follow a tile of a river as on the board of plain telnet: ``.`` tsumogiri, ``*`` riichi, ``>`` called. Rivers
read from left to right for all seats.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ump.model.melds import Meld
from ump.model.seats import Seat
from ump.model.tiles import Face, dora_of
from ump.players.hints import Waits
from ump.terminal.choices import HeldTile
from ump.text.board import river_words
from ump.text.layout import LINE, padded, shortened, width
from ump.text.position import Position
from ump.text.style import PLAIN, Role, Style
from ump.text.wording import (
    counted,
    name_word,
    points_word,
    round_words,
    tile_word,
    tile_words,
    wind_word,
)
from ump.wire.ump.client_events import HintReceived
from ump.wire.ump.extras import Hints

COLUMN = 25
"""The width of a player's column; three of them stand side by side."""

_ROWS = (6, 6, 7)
"""The number of discards in the rows of a river; a fourth row takes the rest."""

_SIDES = {4: ("own", "right", "opposite", "left"), 3: ("own", "right", "left")}
"""The sides of the seats, in turn order from the viewer on."""

_FROM = {"own": "me", "right": "right", "opposite": "opp", "left": "left"}
"""The names in a meld for the player whose tile was called."""


def table_lines(position: Position, viewer: Seat, style: Style = PLAIN) -> list[str]:
    """Return the table with ``viewer`` at the bottom, without the hands of players.

    ``viewer`` need not be the seat that observes: a spectator or a replay may turn the table.
    """
    sides = {side: seat for seat, side in sides_of(position, viewer).items()}
    boxes = {side: _box(seat, position, viewer, style) for side, seat in sides.items()}
    top = _shown_in(boxes["opposite"], LINE) if "opposite" in boxes else []
    left, right = boxes["left"], boxes["right"]
    centre = _centre(position, style)
    height = max(len(left), len(right), len(centre))
    rows = zip(_filled(left, height), _filled(centre, height), _filled(right, height), strict=True)
    middle = [f"{padded(one, COLUMN)} {padded(two, COLUMN)} {three}".rstrip() for one, two, three in rows]
    return [*top, *middle, *_shown_in(boxes["own"], LINE)]


def sides_of(position: Position, viewer: Seat) -> dict[Seat, str]:
    """Return where each seat stands: ``own``, ``right``, ``opposite`` or ``left`` as the viewer sees it."""
    seats = position.seen.ruleset.seats
    return {(viewer + step) % seats: side for step, side in enumerate(_SIDES[seats])}


def meld_text(meld: Meld, position: Position, viewer: Seat, style: Style) -> str:
    """Write a meld in few columns, the called tile last: ``<6m8m7m left>``, a closed kan ``(8p8p8p8p)``."""
    own = "".join(tile_words(meld.own, style))
    if meld.called is None or meld.source is None:
        return f"({own})"
    added = "" if meld.added is None else f"+{tile_word(meld.added, style)}"
    source = _FROM[sides_of(position, viewer)[meld.source]]
    return f"<{own}{tile_word(meld.called, style)} {source}{added}>"


def _box(seat: Seat, position: Position, viewer: Seat, style: Style) -> list[str]:
    """Return the lines of one player: name, melds, river; at most ``COLUMN`` wide."""
    lines = [_name(seat, position, style)]
    if seat != position.seen.seat:  # the own melds stand beside the own hand
        lines += _packed([meld_text(meld, position, viewer, style) for meld in position.seen.melds[seat]])
    shown = position.seen.opened[seat]
    if shown is not None and seat != position.seen.seat:
        lines += _packed([tile_word(face, style) for face in shown])
    river = river_words(seat, position, style)
    at = 0
    for count in (*_ROWS, len(river)):
        row = river[at : at + count]
        at += count
        if row:
            lines.append(" " + "".join(padded(word, 3) if width(word) < 3 else word for word in row).rstrip())
    return [*lines, *[""] * (len(_ROWS) - -(-len(river) // _ROWS[0]))]


def _name(seat: Seat, position: Position, style: Style) -> str:
    """Return wind, name, points, riichi and norths: ``W efficiency-1 30,700 R``."""
    seen = position.seen
    marks = ""
    if seen.norths[seat]:
        marks += f" N{seen.norths[seat]}"
    if seen.in_riichi[seat]:
        marks += " " + style.paint(Role.RIICHI, "RIICHI")
    is_active = seat in (position.turn, position.discarder)
    points = points_word(seen.points[seat])
    sign = ">" if is_active else " "
    room = COLUMN - len(points) - width(marks) - 4
    name = shortened(name_word(seat, position), room)
    head = f"{sign}{wind_word(seat, position)[0]} {name} {points}"
    return (style.paint(Role.TURN, head) if is_active else head) + marks


def _centre(position: Position, style: Style) -> list[str]:
    """Return the state of the kyoku: round, honba, sticks, tiles left, dora."""
    seen = position.seen
    lines = [
        f"{round_words(seen.bakaze, seen.dealer)}  {counted(seen.left, 'tile')} left",
        f"honba {seen.honba}   sticks {seen.kyotaku}",
    ]
    if seen.indicators:
        dora = dora_of(seen.ruleset.seats)
        pointed_at = tile_words((dora[indicator] for indicator in seen.indicators), style)
        lines.append(style.paint(Role.HEADING, f"dora {' '.join(pointed_at)}"))
        lines.append(f"(from {' '.join(tile_words(seen.indicators, style))})")
    inner = COLUMN - 2
    return ["." + "-" * inner + ".", *(f"|{padded(' ' + line, inner)}|" for line in lines), "'" + "-" * inner + "'"]


def _packed(words: list[str]) -> list[str]:
    """Return words in as few lines of a column as they need."""
    lines: list[str] = []
    for word in words:
        if lines and width(lines[-1]) + 1 + width(word) <= COLUMN:
            lines[-1] += f" {word}"
        else:
            lines.append(f" {word}")
    return lines


def _shown_in(box: list[str], columns: int) -> list[str]:
    """Return a box in the middle of a line of this many columns."""
    margin = " " * ((columns - COLUMN) // 2 + 1)
    return [f"{margin}{line}".rstrip() for line in box]


def _filled(lines: list[str], height: int) -> list[str]:
    return [*lines, *[""] * (height - len(lines))]


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
