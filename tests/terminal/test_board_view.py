"""The table as a widget, in a textual application without a terminal."""

from __future__ import annotations

import asyncio

import pytest
from support.told_events import position_after

from ump.model.events import DoraRevealed, KyokuStarted
from ump.model.notation import parse_ump_face as tile

pytest.importorskip("textual", reason="no textual; pip install 'ump-mahjong[terminal]'")

from textual.app import App, ComposeResult

from ump.terminal.table_text import BoardView

START = KyokuStarted(1, 2, 0, 0, (25_000,) * 4, (1, 1))


class OneBoard(App[None]):
    """An application with a board alone."""

    def compose(self) -> ComposeResult:
        """Yield the board, without a position."""
        yield BoardView()


def test_board_shows_the_position_from_a_viewer() -> None:
    """It is empty at first; East, or the viewer, sits at the bottom."""

    async def run() -> None:
        app = OneBoard()
        async with app.run_test(size=(80, 24)):
            board = app.query_one(BoardView)
            assert not board.text().plain
            board.show(position_after([START, DoraRevealed(tile("1m"))], None))
            assert "South 3" in board.text().plain
            assert board.text().plain.split()[-3:] == ["E", "Cid", "25,000"]
            board.show(board.position, 0)
            assert board.text().plain.split()[-3:] == ["W", "Ann", "25,000"]

    asyncio.run(run())
