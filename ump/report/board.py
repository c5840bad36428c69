"""The board as text: what one seat sees of the table, at most 79 columns wide."""

from __future__ import annotations

from ump.report.position import Position
from ump.report.style import PLAIN, Style


def board_lines(position: Position, style: Style = PLAIN) -> list[str]:
    """Return the whole board: round, honba, sticks, dora, tiles left; each player; the own hand at the end."""
    return [*score_lines(position, style), *hand_lines(position, style)]


def hand_lines(position: Position, style: Style = PLAIN) -> list[str]:
    """Return the own hand with the drawn tile apart, then its melds; a second line if they do not fit on one."""
    return [f"hand {position.seen.hand.concealed}"]


def score_lines(position: Position, style: Style = PLAIN) -> list[str]:
    """Return each player's wind, points, name and place, one on a line."""
    return [f"{points} {name}" for points, name in zip(position.seen.points, position.names, strict=True)]
