"""Boards and narration of whole games, as each seat and a spectator see them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from random import Random

import pytest
from support.policies import EagerPolicy, RareHandPolicy, helpful_deals

from ump.arena.environment import PlayedGame, play_game
from ump.model.events import Event, HandDealt, TileDrawn
from ump.model.seats import Seat
from ump.players.efficiency import Efficiency
from ump.report.board import board_lines, score_lines
from ump.report.layout import LINE
from ump.report.narration import narrate
from ump.report.position import Position
from ump.report.style import Style
from ump.report.text import width
from ump.table.view import view

NAMES = ("me", "efficiency-1", "32 characters long, a long name!", "x")

READERS: tuple[Seat | None, ...] = (0, 1, 2, 3, None)

COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@cache
def games() -> tuple[PlayedGame, ...]:
    """Return games of careful, eager and rare play, with all kinds of calls and results."""
    return (
        play_game([Efficiency() for _ in range(4)], seed="board", names=NAMES),
        play_game([EagerPolicy(Random(seat)) for seat in range(4)], seed="eager", names=NAMES),
        play_game(
            [RareHandPolicy(Random(seat)) for seat in range(4)], "tenhou", deals=helpful_deals("rare"), names=NAMES
        ),
    )


def told(game: PlayedGame, reader: Seat | None, style: Style) -> Iterator[tuple[Event, list[str], Position]]:
    """Yield each event as the reader receives it, its lines, and the position after it."""
    position = Position(reader, game.names, game.ruleset)
    for event in game.events:
        seen = view(event, reader)
        lines = narrate(seen, position, style)
        position.see(seen)
        yield seen, lines, position


@pytest.mark.parametrize("reader", READERS)
def test_lines_fit_a_terminal(reader: Seat | None) -> None:
    """Every line is plain ASCII, at most 79 columns wide and without trailing spaces."""
    for game in games():
        for event, lines, position in told(game, reader, Style()):
            if not isinstance(event, TileDrawn | HandDealt):
                lines = [*lines, *board_lines(position), *score_lines(position)]
            for line in lines:
                assert line.isascii()
                assert width(line) <= LINE
                assert line == line.rstrip()


@pytest.mark.parametrize("reader", READERS)
def test_colours_only_colour(reader: Seat | None) -> None:
    """Without their colours, coloured lines are the plain ones."""
    game = games()[0]
    for (_, plain, position), (_, coloured, twin) in zip(
        told(game, reader, Style()), told(game, reader, Style(is_coloured=True)), strict=True
    ):
        boards = board_lines(twin, Style(is_coloured=True))
        assert [COLOUR.sub("", line) for line in [*coloured, *boards]] == [*plain, *board_lines(position)]
