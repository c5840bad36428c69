"""A whole kyoku played by keys against a real server, which is killed and started again in between."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

pytest.importorskip("textual", reason="no textual; pip install 'ump-mahjong[terminal]'")

from support.killed_server import killed_server

from scripts.lab.server import KilledServer
from ump.model.events import GameEnded
from ump.terminal.play_app import PlayApp, Wishes

pytestmark = [pytest.mark.once, pytest.mark.usefixtures("prepared_starts")]


async def play_by_keys(app: PlayApp, server: KilledServer, kill_at: int) -> int:
    """Discard what is drawn, pass on everything else and go on; return how many questions were answered."""
    answered = 0
    async with app.run_test(size=(80, 24)) as pilot:
        while not app.conversation.is_over:
            await pilot.pause(0.01)
            if app.conversation.ready is not None:
                await pilot.press("enter")
            elif app.turn is not None:
                answered += 1
                if answered == kill_at:
                    server.kill()
                    while app.turn is not None:
                        await pilot.pause(0.01)
                    server.start()
                else:
                    await pilot.press("x", "y", "end", "enter")
    return answered


@pytest.mark.no_cover
def test_kyoku_by_keys(tmp_path: Path) -> None:
    """The game goes on after SIGKILL and a new start of the server, and ends with places."""
    with killed_server(tmp_path) as (server, address):
        app = PlayApp(Wishes(address, "me", guard=0.0))
        assert asyncio.run(play_by_keys(app, server, kill_at=3)) > 3
    assert app.conversation.is_over
    assert any(isinstance(result, GameEnded) for result in app.conversation.results)
