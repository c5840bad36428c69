"""Boards and narration of whole games, as each seat and a spectator see them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from random import Random

import pytest
from support.budgets import some
from support.policies import EagerPolicy, RareHandPolicy, helpful_deals
from support.rows import each_row

from ump.arena.play import PlayedGame, play_game
from ump.model.events import Event, HandDealt, KyokuEnded, TileDrawn
from ump.model.notation import parse_ump_face
from ump.model.seats import Seat
from ump.model.tiles import COPIES, KIND_OF, KINDS, Kind
from ump.players.efficiency import Efficiency
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Length
from ump.table.view import view
from ump.text.board import board_lines, score_lines, waits_lines
from ump.text.layout import LINE, TextStyle, width
from ump.text.narration import narrate
from ump.text.position import Position

SHORT = replace(PRESETS["tenhou"], length=Length.TONPU)

NAMES = ("me", "efficiency-1", "32 characters long, a long name!", "x")

READERS: tuple[Seat | None, ...] = (*some(range(4)), None)

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
TILE = r"([1-9][mps]|[1-7]z|5[MPS])"
INDICATORS = re.compile(r"\(indicators? ([^)]*)\)")
CALLED = re.compile(TILE + r"[.*]*>")
CALLED_FROM = re.compile(TILE + r" from (\w+)")

pytestmark = pytest.mark.no_cover

every_reader = each_row("reader", READERS)


@cache
def games() -> tuple[PlayedGame, ...]:
    """Return games of careful, eager and rare play, with all kinds of calls and results."""
    eager = [EagerPolicy(Random(seat)) for seat in range(4)]
    rare = [RareHandPolicy(Random(seat)) for seat in range(4)]
    return (
        play_game([Efficiency() for _ in range(4)], SHORT, seed="board", names=NAMES),
        play_game(eager, SHORT, seed="eager", names=NAMES),
        play_game(rare, SHORT, deals=helpful_deals("rare"), names=NAMES),
    )


def told(game: PlayedGame, reader: Seat | None, style: TextStyle) -> Iterator[tuple[Event, list[str], Position]]:
    """Yield each event as the reader receives it, its lines, and the position after it."""
    position = Position(reader, game.names, game.ruleset)
    for event in game.events:
        seen = view(event, reader)
        lines = narrate(seen, position, style)
        position.see(seen)
        yield seen, lines, position


def boards(reader: Seat | None) -> Iterator[tuple[list[str], Position]]:
    """Yield the boards of a reader after each draw, with their positions."""
    for game in games():
        for event, _, position in told(game, reader, TextStyle()):
            if isinstance(event, TileDrawn):
                yield board_lines(position), position


def rows(board: list[str], *labels: str) -> Iterator[tuple[str, str]]:
    """Yield the lines of a board with these labels, joined where they wrap, after the place of their player."""
    place = label = ""
    for line in board:
        if not line.startswith(" "):
            place = line.split()[0]
        elif line.strip():
            label = line[:8].strip() or label
            if label in labels:
                yield place, line[8:]


def kinds(text: str) -> Counter[Kind]:
    """Count the tiles of a text by kind."""
    return Counter(KIND_OF[parse_ump_face(tile)] for tile in re.findall(TILE, text))


@every_reader
def test_lines_fit_a_terminal(reader: Seat | None) -> None:
    """Every line is plain ASCII, at most 79 columns wide and without trailing spaces."""
    for game in games():
        for event, lines, position in told(game, reader, TextStyle()):
            if isinstance(event, TileDrawn | KyokuEnded):
                lines = [*lines, *board_lines(position), *score_lines(position), *waits_lines(position)]
            for line in lines:
                assert line.isascii()
                assert width(line) <= LINE
                assert line == line.rstrip()


@every_reader
def test_a_board_shows_what_the_reader_has_seen(reader: Seat | None) -> None:
    """Each tile that the reader has seen is on the board once, a called one also in its river; no other tile is."""
    for board, position in boards(reader):
        shown = Counter[Kind]()
        for _, row in rows(board, "river"):
            shown += kinds(CALLED.sub("", row))
        for _, row in rows(board, "melds", "hand"):
            shown += kinds(row)
        for indicators in INDICATORS.findall("\n".join(board)):
            shown += kinds(indicators)
        assert shown == {kind: seen for kind in range(KINDS) if (seen := COPIES - position.seen.unseen(kind))}


@every_reader
def test_called_marks_agree_with_melds(reader: Seat | None) -> None:
    """For each tile in a meld that came from a player, a tile in that player's river has the mark of a call."""
    for board, _ in boards(reader):
        marked = Counter((place, tile) for place, row in rows(board, "river") for tile in CALLED.findall(row))
        called = Counter(
            (place, tile) for _, row in rows(board, "melds", "hand") for tile, place in CALLED_FROM.findall(row)
        )
        assert marked == called


@every_reader
def test_hidden_draws_have_no_words(reader: Seat | None) -> None:
    """Nothing is said about tiles that others are dealt and draw."""
    for game in games():
        for event, lines, _ in told(game, reader, TextStyle()):
            if isinstance(event, TileDrawn | HandDealt) and event.seat != reader:
                assert lines == []


@every_reader
def test_colours_only_colour(reader: Seat | None) -> None:
    """Without their colours, coloured lines are the plain ones."""
    coloured = TextStyle(is_coloured=True)
    for event, lines, position in told(games()[0], reader, coloured):
        assert list(map(width, lines)) == [width(COLOUR.sub("", line)) for line in lines]
        if isinstance(event, TileDrawn):
            painted = [*board_lines(position, coloured), *waits_lines(position, coloured)]
            assert [COLOUR.sub("", line) for line in painted] == [*board_lines(position), *waits_lines(position)]
