"""The whole application in textual's pilot, with a server that the test writes."""

from __future__ import annotations

import asyncio
import queue
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from urllib.parse import quote

import pytest

pytest.importorskip("textual", reason="no textual; pip install 'ump-mahjong[terminal]'")

from terminal.test_conversation import END, GAME, RESULT, TOKEN, WIN, lines_of
from textual.pilot import Pilot
from textual.widgets import Static

from ump.bots.links import Link, LinkError, read_address
from ump.terminal import connection
from ump.terminal.connection import LineReceived
from ump.terminal.play_app import Happened, PlayApp, Wishes
from ump.wire.human.session import BELL_SECONDS
from ump.wire.session import Interruption

HELLO = "0 hello ump=0.1 name=ump _rule=ump"
ADDRESS = read_address("localhost:19000")
PATIENCE = 60.0
"""Seconds after which something has not happened."""


class ScriptedLink(Link):
    """A link whose lines the test puts in."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.patience: float | None = None
        self._lines: queue.Queue[str | TimeoutError | None] = queue.Queue()

    def put(self, *lines: str | TimeoutError | None) -> None:
        """Let the server say lines; None ends the connection, TimeoutError is a silence."""
        for line in lines:
            self._lines.put(line)

    def expect(self, seconds: float | None) -> None:
        """Note after how many seconds it is a silence."""
        self.patience = seconds

    def receive(self) -> str | None:
        """Wait for the next line."""
        line = self._lines.get()
        if isinstance(line, TimeoutError):
            raise line
        return line

    def send(self, messages: list[str]) -> None:
        """Keep what is sent."""
        self.sent += messages

    def close(self) -> None:
        """End the connection."""
        self._lines.put(None)


class Table:
    """The application and the links that it has opened."""

    def __init__(self, *, is_watching: bool = False) -> None:
        self.links: list[ScriptedLink] = []
        self.refused = False
        self.hello = HELLO
        self.app = PlayApp(Wishes(ADDRESS, "alice", "east", is_watching, guard=0.0), self._open)
        self.pilot: Pilot[int]

    def _open(self) -> Link:
        if self.refused:
            raise LinkError("no connection to localhost:19000: Connection refused")
        self.links.append(ScriptedLink())
        self.links[-1].put(self.hello)
        return self.links[-1]

    @property
    def link(self) -> ScriptedLink:
        """The newest connection."""
        return self.links[-1]

    async def until(self, happened: Callable[[], bool]) -> None:
        """Let the application run until something has happened."""
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE):
                while True:
                    await self.pilot.pause()
                    if happened():
                        return
                    await asyncio.sleep(0.001)
        pytest.fail(f"it has not happened; the screen says {self.text('notice')!r}")

    async def say(self, text: str, start: int) -> None:
        """Let the server say lines, and wait until the last one is read."""
        self.link.put(*lines_of(text, start))
        await self.until(lambda: self.link._lines.empty())
        await self.pilot.pause()

    async def sends(self, line: str) -> None:
        """Wait for a line of the client."""
        await self.until(lambda: line in self.link.sent)

    def text(self, part: str) -> str:
        """Return what a part of the screen says."""
        return str(self.app.query_one(f"#{part}", Static).render())


def run(play: Callable[[Table], Awaitable[None]], *, is_watching: bool = False) -> Table:
    """Run the application in 80x24 without a terminal."""
    table = Table(is_watching=is_watching)

    async def go() -> None:
        async with table.app.run_test(size=(80, 24)) as table.pilot:
            await table.until(lambda: bool(table.links))
            await play(table)

    asyncio.run(go())
    return table


async def to_first_question(table: Table, hints: str = "") -> None:
    """Go on until alice may call pon."""
    await table.say(f"_resume {TOKEN}\n{GAME.replace(' _time=', f'{hints} _time=')}", 2)
    await table.sends("4 ok")
    await table.until(lambda: table.app.turn is not None)


def test_game_by_keys() -> None:
    """A pon, a typed discard, a ron, the result and the end of the game."""

    async def play(table: Table) -> None:
        await to_first_question(table)
        assert "P pon 6z6z" in table.text("actions")
        assert re.search(r"\b(10|\d)\+20 s", table.text("head"))  # some of the ten seconds may be over
        assert "East 1" in table.text("board")
        await table.pilot.press("p")
        await table.sends("17 pon 6z 6z")
        await table.say("say B pon\nopen B <6z6z> 6z\nsutehai? sute=1m3m4m5M2p4p5p6p6s7s", 18)
        await table.until(lambda: table.app.turn is not None)
        assert "6z6z<6z" in table.text("hand")
        await table.pilot.press("1", "m", "enter")
        await table.sends("20 sute 1m")
        await table.say(WIN, 21)
        await table.until(lambda: table.app.turn is not None)
        await table.pilot.press("r")
        await table.sends("30 ron")
        await table.say(RESULT, 31)
        await table.until(lambda: "Green Dragon" in table.text("result-text"))
        await table.until(lambda: "go on" in table.text("notice"))
        await table.pilot.press("enter")
        await table.sends("36 ok")
        await table.say(END, 37)
        await table.sends("39 bye")
        await table.until(lambda: "The game is over" in table.text("result-text"))
        await table.pilot.press("enter")
        await table.until(lambda: len(table.links) == 2)
        await table.pilot.press("q")

    assert run(play).app.return_value == 0


def test_tile_under_the_mouse_is_discarded() -> None:
    """A click on a tile discards it, one beside the tiles does not; an action is pressed by a click, too."""

    async def play(table: Table) -> None:
        await to_first_question(table)
        await table.pilot.click("#actions", offset=(7, 0))
        await table.sends("17 pon 6z 6z")
        await table.say("say B pon\nopen B <6z6z> 6z\nsutehai? sute=1m3m4m5M2p4p5p6p6s7s", 18)
        await table.until(lambda: table.app.turn is not None)
        await table.pilot.click("#hand", offset=(70, 0))
        assert len(table.link.sent) == 3
        await table.pilot.click("#hand", offset=(4, 0))
        await table.sends("20 sute 3m")

    run(play)


def test_lost_connection_takes_the_seat_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second connection sends the token, and the question is asked again. Help and scores do not disturb it."""
    monkeypatch.setattr(connection, "PAUSES", (0.0, 0.0))

    async def play(table: Table) -> None:
        await to_first_question(table)
        await table.pilot.press("?")
        assert "choose a tile" in table.text("result-text")
        await table.pilot.press("x")
        await table.pilot.press("s")
        assert "place 1" in table.text("result-text")
        table.link.put(None)
        await table.until(lambda: len(table.links) == 2)
        await table.until(lambda: bool(table.link.sent))
        assert table.link.sent[0].endswith(f"_resume={TOKEN}")
        await table.say(GAME, 1)
        await table.until(lambda: table.app.turn is not None)
        await table.pilot.press("x", "escape")
        await table.sends("15 no")

    run(play)


def test_a_silent_server_is_asked_for_a_sign_of_life(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pong keeps the connection, the lack of one loses it; a server that knows no pings may be silent."""
    monkeypatch.setattr(connection, "PAUSES", (0.0,))

    async def play(table: Table) -> None:
        assert table.link.patience is None
        table.link.put(TimeoutError(), TimeoutError())
        await table.until(lambda: len(table.links) == 2)
        table.hello = f"{HELLO} _ext=_lang,_ping"
        table.link.put(None)
        await table.until(lambda: len(table.links) == 3 and bool(table.link.sent))
        assert table.link.patience == connection.SILENCE
        table.link.put(*[TimeoutError(), "1 _pong"] * 3)
        await table.until(lambda: table.link.sent.count("0 _ping") == 3)
        assert len(table.links) == 3
        table.refused = True
        table.link.put(TimeoutError(), TimeoutError())
        await table.until(lambda: "Enter: try again" in table.text("notice"))

    run(play)


def test_server_that_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """After the last attempt the person may try again, or leave."""
    monkeypatch.setattr(connection, "PAUSES", (0.0,))

    async def play(table: Table) -> None:
        table.refused = True
        table.link.put(None)
        await table.until(lambda: "Enter: try again" in table.text("notice"))
        table.refused = False
        await table.pilot.press("enter")
        await table.until(lambda: len(table.links) == 2 and bool(table.link.sent))
        await table.pilot.press("ctrl+c")

    assert run(play).app.return_value == 0


def test_news_while_the_screen_closes() -> None:
    """A line, a key or the clock may come when the parts of the screen are gone already."""

    async def play(table: Table) -> None:
        await to_first_question(table)

    app = run(play).app
    app.on_happened(Happened(app._connection, LineReceived("20 say B pon")))
    app.action_press("?")
    app._tick()


def test_server_that_refuses() -> None:
    """The program ends with the reason, and tries nothing more."""

    async def play(table: Table) -> None:
        table.link.put("1 error no%20such%20room")
        await table.until(lambda: not table.app.is_running)

    table = run(play)
    assert (table.app.return_value, table.app.reason) == (1, "no such room")
    assert len(table.links) == 1


def test_no_server() -> None:
    """The program ends with the reason if the first connection fails: it is not there, or another service."""
    table = Table()
    table.refused = True

    async def go() -> None:
        async with table.app.run_test(size=(80, 24)) as table.pilot:
            await table.until(lambda: not table.app.is_running)

    asyncio.run(go())
    expected = "no connection to localhost:19000: Connection refused"
    assert (table.app.return_value, table.app.reason) == (1, expected)


def test_server_that_stops_and_returns(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that takes the game up again later is tried again."""
    monkeypatch.setattr(connection, "PAUSES", (0.0, 0.0))

    async def play(table: Table) -> None:
        await to_first_question(table)
        table.link.put(f"16 error {quote(Interruption.RETURNS.value)}")
        await table.until(lambda: len(table.links) == 2)
        await table.until(lambda: bool(table.link.sent))
        assert table.link.sent[0].endswith(f"_resume={TOKEN}")

    run(play)


def test_contradiction_leads_to_a_new_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that contradicts itself is asked for the game again; an unreadable line is ignored."""
    monkeypatch.setattr(connection, "PAUSES", (0.0,))

    async def play(table: Table) -> None:
        table.link.put("1 tsumo A x", "2 tsumo A 69")
        await table.until(lambda: len(table.links) == 2)

    run(play)


def test_switches_answer_and_q_asks_first() -> None:
    """No calls passes; leaving a game needs two presses of q; hints say that there are none."""

    async def play(table: Table) -> None:
        await to_first_question(table)
        await table.pilot.press("h")
        assert "no hints" in table.text("notice")
        await table.pilot.press("e")
        assert table.text("notice") == "There is no advice now."
        await table.pilot.press("n")
        await table.sends("17 no")
        assert "no calls" in table.text("head")
        await table.pilot.press("q")
        assert "again to leave" in table.text("notice")
        await table.pilot.press("q")

    assert run(play).app.return_value == 0


def test_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key asks for advice, which stands in place of the table until the next key. Somebody away is rung before."""
    rung: list[str] = []
    monkeypatch.setattr(PlayApp, "bell", lambda _: rung.append("bell"))

    async def play(table: Table) -> None:
        table.app._bell.put_off(-BELL_SECONDS)
        await to_first_question(table, " _shanten=2 _advise")
        await table.pilot.press("e")
        await table.sends("17 _advise")
        await table.say("_advice 17 pon=6z6z/+900/1/14/0 no/-120/2/22/3", 18)
        assert [" ".join(line.split()) for line in table.text("result-text").splitlines()] == [
            "pon 6z 6z +900 points expected 1-shanten 14 tiles left",
            "pass -120 points expected 2-shanten 22 tiles left 3% to deal in",
        ]
        await table.pilot.press("x")
        assert not table.text("result-text")
        await table.pilot.press("e")
        assert "+900 points" in table.text("result-text")

    run(play)
    assert rung == ["bell"]


def test_keys_without_effect_explain_themselves() -> None:
    """A call that is not possible, a tile that is not held, a key that means nothing, and keys out of turn."""

    async def play(table: Table) -> None:
        await table.pilot.press("c")
        assert table.text("notice") == "It is not your turn."
        await to_first_question(table)
        await table.pilot.press("c")
        assert table.text("notice") == "No chi is possible now."
        await table.pilot.press("j")
        assert table.text("notice") == "j does nothing here; ? shows the keys."
        await table.pilot.press("p")
        await table.say("say B pon\nopen B <6z6z> 6z\nsutehai? sute=1m3m4m5M2p4p5p6p6s7s", 18)
        await table.until(lambda: table.app.turn is not None)
        await table.pilot.press("enter")
        assert table.text("notice").startswith("Choose a tile first")
        await table.pilot.press("9", "m")
        assert table.text("notice") == "You hold no 9m."
        await table.pilot.press("1", "m")
        assert not table.text("notice")

    run(play)


def test_a_report() -> None:
    """``!`` shows the seats and the reasons; what is typed is sent, or begun anew, until Escape."""

    async def play(table: Table) -> None:
        await table.pilot.press("!")
        assert table.text("notice") == "! does nothing here; ? shows the keys."
        await to_first_question(table)
        await table.pilot.press("!", *"dx", "backspace", "space", *"luck")
        assert " D  dave" in table.text("result-text") and "collusion" in table.text("result-text")
        assert table.text("notice") == "report d luck_"
        await table.pilot.press("enter")
        assert table.text("notice") == "report _"
        await table.pilot.press("escape")
        assert not table.text("result-text") and not table.text("notice")
        await table.pilot.press("!", *"D", "space", *"program", "enter")
        assert table.link.sent[-1] == "0 _report D program"
        assert not table.text("result-text")

    run(play)


def test_a_terminal_that_is_too_small() -> None:
    """It says what it needs, and goes on when it is large enough; a larger one has larger tiles."""

    async def play(table: Table) -> None:
        await to_first_question(table)
        await table.pilot.resize_terminal(60, 20)
        await table.until(lambda: "80x24" in table.text("small") and "60x20" in table.text("small"))
        assert not table.app.query_one("#board").display
        await table.pilot.resize_terminal(120, 40)
        await table.until(lambda: table.app.query_one("#board").display)
        assert table.app.look.is_large

    run(play)


def test_spectator() -> None:
    """A spectator sees the table, and no hand."""

    async def play(table: Table) -> None:
        assert table.app.conversation.position is None
        await table.sends("0 hello ump=0.1 _explain=1 _results=1 _ping=1 _person=1 _watch=east")
        await table.say("gamestart - carol alice bob dave\nkyokustart 1z A 0 0\ndora 3p\ntsumo A 69", 1)
        await table.until(lambda: "carol" in table.text("board"))
        assert not table.text("hand")

    run(play, is_watching=True)
