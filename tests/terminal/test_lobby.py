"""The lobby of the terminal program: what it shows, what keys mean, and where the rooms come from."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

import pytest
from support.rows import each_row

pytest.importorskip("textual", reason="no textual; pip install 'ump-mahjong[terminal]'")

from textual.widgets import Static

from ump.bots.links import Address, Link, LinkError, read_address
from ump.terminal import connection
from ump.terminal.canvas import Look
from ump.terminal.connection import look_at
from ump.terminal.lobby import (
    AtTable,
    EnterRoom,
    LeaveProgram,
    ListedServer,
    LobbyEntries,
    LookAgain,
    LookAt,
    ServerView,
    Watch,
    Wish,
    read_view,
)
from ump.terminal.play_app import PlayApp, Wishes
from ump.terminal.words import WORDS
from ump.text.layout import width
from ump.wire.session import TableWish

HOME = read_address("localhost:19000")
CLUB = read_address("10.0.0.5:19000")


def room(name: str, **parts: Any) -> dict[str, Any]:
    """Return a room as ``/api/lobby`` has it."""
    usual = {
        "rules": "ump",
        "length": "hanchan",
        "seats": 4,
        "bots": 3,
        "access": "open",
        "rated": False,
        "move": 60.0,
        "bank": 600.0,
        "spectators": "masked",
        "waiting": [],
        "tables": [],
    }
    return {"name": name, **usual, **parts}


TABLE = {"name": "east-7", "players": ["ann", "bob", "cy\x1b", "dee"], "spectators": 2}
CONTENT = {
    "rooms": [
        room("main"),
        room("east", length="tonpu", bots=0, waiting=["zoe"], tables=[TABLE], access="users", rated=True),
        room("shut", spectators="none"),
    ]
}


def opened(*, view: object = CONTENT, is_watching: bool = False) -> LobbyEntries:
    """Return a lobby of a server with three rooms and a game, and another server."""
    lobby = LobbyEntries(HOME, "alice", is_watching=is_watching)
    lobby.servers = (ListedServer("", HOME), ListedServer("club", CLUB, ("east", "main")))
    lobby.show(read_view(view))
    return lobby


def test_what_it_shows() -> None:
    """Name, rooms with who may enter and who waits, games with their players, servers, and what Enter does."""
    text = "\n".join(opened().canvas(Look(columns=100)).lines())
    for part in (
        "Name  alice",
        "> main  East and South  with bots  60+600 s",
        "  east  East            4 players  60+600 s  rules ump  for users, rated, 1 waiting",
        "  east-7  ann, bob, cy?, dee",
        "  this computer  localhost:19000",
        "  club           10.0.0.5:19000   east, main",
        "Enter: play in main as alice.",
    ):
        assert part in text


def test_a_game_with_its_state() -> None:
    """The row of a game has round, tiles left and points, if the server says them."""
    board = {"bakaze": 1, "dealer": 2, "left": 40, "scores": [25_000, 31_000, 22_000, 22_000]}
    lobby = opened(view={**CONTENT, "boards": {"east-7": board}})
    expected = "east-7  {}  ann 25,000, bob 31,000, cy? 22,000, dee 22,000"
    for language, state in (("en", "South 3  40 tiles left"), ("ja", "南三局  残り40枚"), ("zh", "南三局  剩余40张")):
        text = "\n".join(lobby.canvas(Look(WORDS[language], columns=120)).lines())
        assert expected.format(state) in text


@each_row("language", list(WORDS))
def test_it_fits_every_terminal(language: str) -> None:
    """With many rooms and long names no line is too long, and the chosen room is in sight."""
    lobby = opened(view={"rooms": [room("N" * 200, tables=[TABLE]) for _ in range(100)]})
    for _ in range(60):
        lobby.press("down")
    lines = lobby.canvas(Look(WORDS[language])).lines()
    assert len(lines) == 24
    assert max(map(width, lines)) <= 80
    assert sum(line.startswith(" > ") for line in lines) == 1


KEYS: list[tuple[str, Wish | None]] = [
    ("enter", EnterRoom("main")),
    ("down down enter", EnterRoom("shut")),
    ("w", Watch("main")),
    ("down down w", None),
    ("down down down enter", Watch("east-7")),
    ("up enter", LookAt(CLUB)),
    ("up up w", None),
    ("r", LookAgain()),
    ("q", LeaveProgram()),
    ("escape", LeaveProgram()),
    ("j", None),
    ("n x enter enter", EnterRoom("main")),
]


@each_row(("keys", "wish"), KEYS)
def test_keys(keys: str, wish: Wish | None) -> None:
    """Up and down choose; Enter plays, watches or looks at another server; W watches."""
    lobby = opened()
    *before, last = keys.split()
    for key in before:
        assert lobby.press(key) is None
    assert lobby.press(last) == wish


def test_the_name_is_typed() -> None:
    """N begins; letters that are keys elsewhere are letters here. A name that the server would refuse is not taken."""
    lobby = opened()
    for key in ("n", *["backspace"] * 5, "q", "w", "space", "r"):
        assert lobby.press(key) is None
    assert lobby.name == "qw r"
    lobby.press("enter")
    assert lobby.press("enter") == EnterRoom("main")
    for key in ("n", *["backspace"] * 4, "enter"):
        assert lobby.press(key) is None
    assert lobby.notice
    assert lobby.press("down") is None
    assert lobby.press("enter") is None
    assert lobby.notice


def test_a_spectator_watches_rooms() -> None:
    """With ``ump watch`` Enter on a room watches it."""
    assert opened(is_watching=True).press("enter") == Watch("main")


def test_a_server_without_a_list() -> None:
    """Enter plays in its first room."""
    lobby = LobbyEntries(HOME, "alice")
    assert lobby.press("enter") is None
    lobby.show(ServerView())
    assert "does not list its rooms" in "\n".join(lobby.canvas(Look()).lines())
    assert lobby.press("enter") == EnterRoom(None)


@each_row("content", [None, [], {}, {"rooms": [1]}, {"rooms": {}}, {"rooms": [{"name": "x"}]}, {"rooms": 5}])
def test_another_content_is_refused(content: object) -> None:
    """A server may say anything."""
    with pytest.raises(ValueError):
        read_view(content)


# Looking at a server


class Hello(Link):
    """A link whose server says one line."""

    def __init__(self, line: str | None) -> None:
        self._line = line

    def receive(self) -> str | None:
        """Return the line."""
        return self._line

    def send(self, messages: list[str]) -> None:
        """Send nothing."""

    def close(self) -> None:
        """Do nothing."""


@pytest.fixture
def http() -> Iterator[ThreadingHTTPServer]:
    """Return a server of HTTP with a lobby."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path == "/api/lobby" else 404)
            self.end_headers()
            self.wfile.write(json.dumps(CONTENT).encode())

        def log_message(self, *arguments: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def test_rooms_are_at_the_port_that_the_hello_names(http: ThreadingHTTPServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without one, or if nothing answers there, the server lists no rooms; a line that is no hello is an error."""

    def seen(line: str | None, address: str = "127.0.0.1:9") -> ServerView:
        monkeypatch.setattr(connection, "connect_to", lambda address, name: Hello(line))
        return look_at(read_address(address))

    assert seen(f"0 hello ump=0.1 name=ump _http={http.server_port}") == read_view(CONTENT)
    assert seen("0 hello ump=0.1", f"ws://127.0.0.1:{http.server_port}/ump") == read_view(CONTENT)
    for said in ("", " _http=1", " _http=99999", " _http=x"):
        assert seen(f"0 hello ump=0.1{said}") == ServerView()
    for line in (None, "0 tsumo A 5"):
        with pytest.raises(LinkError):
            seen(line)


# The application


class Surroundings:
    """An application that begins in the lobby, and what it sees."""

    def __init__(self, answers: dict[Address, ServerView | LinkError], *, finds: bool = True) -> None:
        self.answers = answers
        self.connected: list[Address] = []
        self.app = PlayApp(
            Wishes(HOME, "alice", guard=0.0, opens_lobby=True),
            self._connect,
            look_at=self._look_at,
            find=(lambda: [ListedServer("club", CLUB)]) if finds else None,
        )

    def _look_at(self, address: Address) -> ServerView:
        answer = self.answers[address]
        if isinstance(answer, LinkError):
            raise answer
        return answer

    def _connect(self) -> Link:
        self.connected.append(self.app._wishes.address)
        return Refusing()

    async def until(self, text: str) -> None:
        """Wait until the lobby shows a text."""
        async with asyncio.timeout(60):
            while self.app.lobby is None or text not in str(self.app.query_one("#lobby", Static).render()):
                await asyncio.sleep(0.001)


class Refusing(Link):
    """A link to a server that refuses everybody, and leaves it to them to close."""

    def __init__(self) -> None:
        self._lines = ["0 hello ump=0.1 name=ump", "1 error this%20room%20is%20full"]
        self._closed = Event()

    def receive(self) -> str | None:
        """Return the next line; after the last one, wait until the link is closed."""
        if self._lines:
            return self._lines.pop(0)
        self._closed.wait(60)
        return None

    def send(self, messages: list[str]) -> None:
        """Send nothing."""

    def close(self) -> None:
        """Let ``receive`` end."""
        self._closed.set()


def test_a_refusal_leads_back_to_the_lobby() -> None:
    """This computer has no server, the network has one; its refusal is shown, and another room can be chosen."""
    around = Surroundings({HOME: LinkError("no connection"), CLUB: read_view(CONTENT)})

    async def play() -> None:
        async with around.app.run_test(size=(100, 30)) as pilot:
            await around.until("Start a server with scripts/serve")
            await around.until("no connection")
            await around.until("club")
            await pilot.press("down", "enter")
            await around.until("> main")
            await pilot.press("enter")
            await around.until("this room is full")
            assert around.connected == [CLUB]
            await around.until("> main")
            await pilot.press("q")

    asyncio.run(play())
    assert around.app.return_value == 0


def test_an_address_without_a_server() -> None:
    """If the person has named it, the program ends with the reason and status 1."""
    around = Surroundings({HOME: LinkError("localhost:19000 speaks HTTP")}, finds=False)

    async def play() -> None:
        async with around.app.run_test(size=(80, 24)):
            async with asyncio.timeout(60):
                while around.app.is_running:
                    await asyncio.sleep(0.001)

    asyncio.run(play())
    assert (around.app.return_value, around.app.reason) == (1, "localhost:19000 speaks HTTP")


def test_a_table_among_friends() -> None:
    """T takes a code, or what is to be new; anything else is explained."""
    lobby = opened()

    def typed(text: str) -> Wish | None:
        """Type a text, and Enter."""
        lobby.press("t")
        for key in text:
            lobby.press("space" if key == " " else key)
        return lobby.press("enter")

    assert typed("k7mq-2xab") == AtTable(TableWish("K7MQ2XAB"))
    assert typed("new tenhou tonpu") == AtTable(TableWish(rules="tenhou", length="tonpu"))
    assert typed("") == AtTable(TableWish())
    assert typed("no code") is None
    assert "K7MQ2XAB" in lobby.notice
    assert "table  no code_" in str(lobby.canvas(Look()).text())
    lobby.press("escape")
    assert lobby.press("enter") == EnterRoom("main")
