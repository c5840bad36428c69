"""The board as text: what one seat sees of the table, at most 79 columns wide.

Each player has a line with place, wind, points and name, and then its river. Marks follow a tile of a river: ``.``
tsumogiri, ``*`` riichi, ``>`` called.
"""

from __future__ import annotations

from ump.model.events import TileDiscarded
from ump.model.seats import Seat
from ump.model.tiles import KIND_OF
from ump.rules.placement import placement
from ump.text.layout import PLAIN, Role, Style, beside_or_below, columns, padded, wrapped
from ump.text.wording import (
    Position,
    counted,
    dora_words,
    meld_word,
    name_word,
    place_word,
    player_cells,
    points_word,
    round_words,
    seats_in_order,
    tile_word,
    tile_words,
    wind_word,
)

_LABELS = {"river": "  river ", "melds": "  melds ", "shown": "  shown ", "hand": "  hand  "}
"""The beginnings of the lines below a player's line."""

_PLACE, _WIND, _POINTS = 8, 5, 7
"""The widths of columns: ``opposite``, ``South`` and ``-12,300``."""


def board_lines(position: Position, style: Style = PLAIN) -> list[str]:
    """Return the whole board: round, honba, sticks, tiles left, dora; each player; the own hand at the end."""
    lines = _state_lines(position, style)
    for seat in seats_in_order(position):
        lines.append(_player_line(seat, position, style))
        lines += wrapped(_LABELS["river"], river_words(seat, position, style))
        if seat == position.seen.seat:
            lines += hand_lines(position, style)
        else:
            lines += _shown_lines(seat, position, style)
    return lines


def hand_lines(position: Position, style: Style = PLAIN) -> list[str]:
    """Return the own hand with the drawn tile apart, then its melds, below it if they do not fit on one line.

    Empty for a spectator, who has no hand.
    """
    seen = position.seen
    if seen.seat is None:
        return []
    faces = list(seen.hand.concealed)
    drawn = seen.drawn if seen.drawer == seen.seat else None
    if drawn is not None:
        faces.remove(drawn)
    hand = _LABELS["hand"] + " ".join(tile_words(faces, style))
    if drawn is not None:
        hand += f"  [{tile_word(drawn, style)}]"
    melds = [meld_word(meld, position, style) for meld in seen.hand.melds]
    return beside_or_below(hand, melds, _LABELS["melds"])


def score_lines(position: Position, style: Style = PLAIN) -> list[str]:
    """Return each player's place, wind, name, points, rank and difference to the reader; then honba and sticks."""
    seen = position.seen
    ranks, _ = placement(seen.ruleset, seen.points)
    rows = []
    for seat in seats_in_order(position):
        rows.append([*player_cells(seat, position), points_word(seen.points[seat]), f"place {ranks[seat]}"])
        if seen.seat is not None:
            rows[-1].append("" if seat == seen.seat else f"{seen.points[seat] - seen.points[seen.seat]:+,}")
    numbers = range(len(player_cells(0, position)), len(rows[0]))
    sticks = f"honba {seen.honba} | sticks {seen.kyotaku}"
    return [*columns(rows, right=numbers), f"{round_words(seen.bakaze, seen.dealer)} | {sticks}"]


def _state_lines(position: Position, style: Style) -> list[str]:
    """Return the state of the kyoku, on two lines if there are many dora."""
    seen = position.seen
    parts = [round_words(seen.bakaze, seen.dealer), f"honba {seen.honba}", f"sticks {seen.kyotaku}"]
    parts.append(f"{counted(seen.left, 'tile')} left")
    if seen.indicators:
        parts.append(dora_words(seen.indicators, position, style))
    return wrapped("", parts, " | ")


def _player_line(seat: Seat, position: Position, style: Style) -> str:
    """Return place, wind, points and name of a player, riichi, and what it is doing."""
    seen = position.seen
    points = max(_POINTS, *(len(points_word(each)) for each in seen.points))
    places = [padded(wind_word(seat, position), _WIND), padded(points_word(seen.points[seat]), points, right=True)]
    if seen.seat is not None:
        places.insert(0, padded(place_word(seat, position), _PLACE))
    is_active = seat in (position.turn, position.discarder)
    head = " ".join([*places, name_word(seat, position)])
    parts = [style.paint(Role.TURN, head) if is_active else head]
    if seen.norths[seat]:
        parts.append(f"{counted(seen.norths[seat], 'north')} aside")
    if seen.in_riichi[seat]:
        parts.append(style.paint(Role.RIICHI, "RIICHI"))
    if is_active:
        parts.append(_doing(seat, position, style))
    return "  ".join(parts)


def _doing(seat: Seat, position: Position, style: Style) -> str:
    """Return what the player that is to move is doing."""
    seen = position.seen
    if seat == position.turn and not (seen.awaits_replacement and seen.source == seat):
        return "to discard"
    assert seen.last_tile is not None
    deed = "sets aside" if seen.kita else "discards" if seen.kan is None else "declares kan"
    return f"{deed} {tile_word(seen.last_tile, style)}"


def river_words(seat: Seat, position: Position, style: Style) -> list[str]:
    """Return the discards of a player with their marks."""
    called = position.called[seat]
    river = position.seen.rivers[seat]
    return [_discard(discard, style, is_called=at in called) for at, discard in enumerate(river)]


def _discard(discard: TileDiscarded, style: Style, *, is_called: bool) -> str:
    """Return a discard with its marks."""
    riichi = style.paint(Role.RIICHI, "*") if discard.riichi else ""
    return tile_word(discard.face, style) + ("." if discard.tsumogiri else "") + riichi + (">" if is_called else "")


def _shown_lines(seat: Seat, position: Position, style: Style) -> list[str]:
    """Return the melds of another player, and its hand if it has been shown."""
    seen = position.seen
    lines = []
    if seen.melds[seat]:
        lines += wrapped(_LABELS["melds"], [meld_word(meld, position, style) for meld in seen.melds[seat]])
    shown = seen.opened[seat]
    if shown is not None:
        kans = {meld.kind for meld in seen.melds[seat] if not meld.is_open}  # later ones: they were in the shown hand
        lines += wrapped(_LABELS["shown"], tile_words((face for face in shown if KIND_OF[face] not in kans), style))
    return lines
