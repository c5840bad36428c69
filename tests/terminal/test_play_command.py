"""The commands ``ump play`` and ``ump watch``: options, servers of the network, and what is missing."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import NoReturn

import pytest
from click.testing import CliRunner

pytest.importorskip("textual", reason="no textual; pip install 'ump-mahjong[terminal]'")

from ump.bots.links import read_address
from ump.cli import play as play_command
from ump.cli.main import main
from ump.net import announcement
from ump.net.announcement import FoundServer, NoLibraryError
from ump.terminal import play_app
from ump.terminal.canvas import TileForm
from ump.terminal.play_app import PlayApp, ServerLogin, Wishes
from ump.terminal.words import WORDS


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Wishes]:
    """Collect what the program would be started with; no screen opens, and no server is found."""
    found: list[Wishes] = []

    class Noted(PlayApp):
        """Notes how it is started, and ends at once."""

        def __init__(self, wishes: Wishes, find: Callable[[], object] | None = None) -> None:
            found.append(wishes)
            self.reason = "no such room" if wishes.room == "nosuch" else ""

        def run(self, *args: object, **options: object) -> int:
            """Return the exit status of somebody who left, or was refused."""
            return 1 if self.reason else 0

    monkeypatch.setattr(play_app, "PlayApp", Noted)
    monkeypatch.setattr(announcement, "find_servers", lambda seconds: [])
    return found


def test_play_takes_address_name_and_room(started: list[Wishes]) -> None:
    """The options reach the program; so do pictures instead of letters."""
    words = ["play", "example.org:1234", "--name", "alice", "--room", "east", "--tiles", "unicode"]
    assert CliRunner().invoke(main, words).exit_code == 0
    [wishes] = started
    assert (str(wishes.address), wishes.name, wishes.room) == ("example.org:1234", "alice", "east")
    assert wishes.look.tiles is TileForm.PICTURES
    assert not wishes.is_watching
    assert not wishes.opens_lobby


def test_a_user_is_asked_for_the_password(started: list[Wishes], monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless UMP_PASSWORD has it; no option does, because other users could read it. It is for that server alone."""
    monkeypatch.delenv("UMP_PASSWORD", raising=False)
    words = ["play", "tls://example.org:1234", "--user", "alice"]
    result = CliRunner().invoke(main, words, input="right horse\n")
    assert (result.exit_code, result.output) == (0, "Password or token of alice at tls://example.org:1234: \n")
    monkeypatch.setenv("UMP_PASSWORD", "another horse")
    assert CliRunner().invoke(main, [*words, "--name", "akagi"]).exit_code == 0
    first, second = started
    assert (first.name, first.login) == ("alice", ServerLogin(first.address, "alice", "right horse"))
    assert (second.name, second.login) == ("akagi", ServerLogin(first.address, "alice", "another horse"))
    for wrong in (["ws://example.org/ump", "--user", "alice"], ["--from", "x", "--user", "alice"]):
        assert CliRunner().invoke(main, ["play", *wrong]).exit_code == 2
    elsewhere = replace(first, address=read_address("other.example:1234"))
    assert PlayApp(first).conversation._introduction.password == "right horse"
    assert PlayApp(elsewhere).conversation._introduction.password is None


def test_a_refusal_is_the_last_line(started: list[Wishes]) -> None:
    """It is printed as it is, with the status of the program."""
    result = CliRunner().invoke(main, ["play", "localhost:1", "--room", "nosuch"])
    assert (result.exit_code, result.stderr) == (1, "ump: no such room\n")


def test_watch(started: list[Wishes], monkeypatch: pytest.MonkeyPatch) -> None:
    """A spectator chooses a room in the lobby, too; NO_COLOR is honoured."""
    monkeypatch.setenv("NO_COLOR", "1")
    assert CliRunner().invoke(main, ["watch", "ws://example.org:8080/ump"]).exit_code == 0
    [wishes] = started
    assert (wishes.is_watching, wishes.opens_lobby, wishes.look.is_coloured) == (True, True, False)


def test_without_an_address_nobody_else_is_there(started: list[Wishes]) -> None:
    """It is the usual port of this computer, and the lobby opens."""
    assert CliRunner().invoke(main, ["play", "--lang", "zh"]).exit_code == 0
    assert str(started[0].address) == play_command.DEFAULT
    assert started[0].opens_lobby
    assert started[0].look.words is WORDS["zh"]


def test_servers_of_the_network(started: list[Wishes], monkeypatch: pytest.MonkeyPatch) -> None:
    """The lobby lists them if no address is given; none are listed without the library."""
    found = FoundServer("club", "10.0.0.5", 19000, ("east",))
    monkeypatch.setattr(announcement, "find_servers", lambda seconds: [found])
    (listed,) = play_command._servers_of_network()
    assert (listed.name, str(listed.address), listed.rooms) == ("club", "10.0.0.5:19000", ("east",))

    def fail(seconds: float) -> NoReturn:
        raise NoLibraryError

    monkeypatch.setattr(announcement, "find_servers", fail)
    assert play_command._servers_of_network() == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["play", "nonsense"], "expected HOST:PORT"),
        (["play", "mjsonp://localhost:11600"], "expected HOST:PORT"),
        (["play", "localhost:1", "--name", "a\tb"], "--name"),
    ],
)
def test_wrong_command_lines(started: list[Wishes], words: list[str], message: str) -> None:
    """One line says what is wrong, and nothing starts."""
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 2
    assert message in result.output
    assert not started


def test_without_textual(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message says what to install, and what works without it."""
    monkeypatch.delitem(sys.modules, "ump.terminal.play_app")
    for name in [name for name in sys.modules if name.partition(".")[0] == "textual"]:
        monkeypatch.setitem(sys.modules, name, None)
    result = CliRunner().invoke(main, ["play", "localhost:1"])
    assert result.exit_code == 2
    assert "pip install 'ump-mahjong[terminal]'" in result.output
