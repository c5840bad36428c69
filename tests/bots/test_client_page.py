"""The examples of docs/client.md: every block of code runs, and its bots play whole games."""

from __future__ import annotations

import io
import re
from contextlib import redirect_stdout

import pytest
from support.client_chair import SESSIONS, ClientChair
from support.memory_server import memory_server, room
from support.scripted_server import ROOT

from ump.bots import session
from ump.bots.conversations import PROTOCOLS
from ump.bots.links import LinkError

PAGE = (ROOT / "docs" / "client.md").read_text(encoding="utf-8")

BLOCKS = re.findall(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", PAGE, re.MULTILINE | re.DOTALL)


def test_examples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every block prints what the page shows, and each bot plays a game without a fault."""

    def refuse(*arguments: object, **options: object) -> None:
        raise LinkError("no connection to localhost:19000: Connection refused")

    monkeypatch.setattr(session, "open_link", refuse)
    variables: dict[str, object] = {"__name__": "page"}
    for code, shown in BLOCKS:
        with redirect_stdout(io.StringIO()) as printed:
            exec(compile(code, "docs/client.md", "exec"), variables)
        assert printed.getvalue() == shown
    for name in ("Counting", "Straight"):
        make_bot = variables[name]
        assert callable(make_bot)
        for dialect in SESSIONS:
            with memory_server(room(house=["tsumogiri:3"], house_after=0, length="kyoku")) as server:
                chair = ClientChair(dialect, make_bot(), server)
                chair.play_on()
            assert (chair.player.games, chair.player.refusals, chair.reports) == (1, 0, [])


def test_every_protocol_is_listed() -> None:
    """The table of addresses names every protocol."""
    table = PAGE[PAGE.index("## Addresses and protocols") : PAGE.index("## The arguments of decide")]
    assert set(PROTOCOLS) <= set(re.findall(r"`([a-z0-9.-]+)`", table))
