"""``ump connect``: a person at a terminal or a pipe talks to a server over a real socket."""

from __future__ import annotations

import os
import pty
import socket
import struct
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread

import pytest
from click.testing import CliRunner
from support.programs import UMP, run

from ump.cli.main import main
from ump.terminal.connect import CHUNK, Incoming, connect, history_path
from ump.wire.dialect import WILL_ECHO, WONT_ECHO

HELLO = b"0 hello ump=0.1 name=ump _ext=_offer,_human\r\n"
PATIENCE = 30.0


class Terminal:
    """The other side of the terminal at which a person sits, or of the pipes that take its place."""

    def __init__(self, keyboard: int, screen: int) -> None:
        self._keyboard = keyboard
        self._screen = screen
        self.shown = b""
        """Everything that the client has written."""

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self._keyboard, keys.encode())

    def see(self, text: str) -> None:
        """Wait until the screen has been sent this text."""
        while text.encode() not in self.shown:
            data = os.read(self._screen, CHUNK)
            assert data, self.shown
            self.shown += data


Script = Callable[[socket.socket, Terminal], None]


@contextmanager
def standard_streams(monkeypatch: pytest.MonkeyPatch, *, at_terminal: bool) -> Iterator[Terminal]:
    """Replace standard input and output."""
    if at_terminal:
        ours, theirs = pty.openpty()
        ends = [ours, theirs]
        stdin, stdout, terminal = theirs, theirs, Terminal(ours, ours)
    else:
        (stdin, keyboard), (screen, stdout) = os.pipe(), os.pipe()
        ends = [stdin, keyboard, screen, stdout]
        terminal = Terminal(keyboard, screen)
    with monkeypatch.context() as patch, open(stdin, closefd=False) as source, open(stdout, "w", closefd=False) as sink:
        patch.setenv("TERM", "xterm")
        patch.delenv("NO_COLOR", raising=False)
        patch.setattr(sys, "stdin", source)
        patch.setattr(sys, "stdout", sink)
        yield terminal
    for end in ends:
        with suppress(OSError):  # a test may have closed it
            os.close(end)


def play(terminal: Terminal, script: Script, *, colors: bool = False) -> int:
    """Run the client while a script plays both the server and the person; return its exit status."""
    failed: list[BaseException] = []

    def run(listening: socket.socket) -> None:
        try:
            server, _ = listening.accept()
            with server:
                server.settimeout(PATIENCE)
                script(server, terminal)
        except BaseException as error:  # pytest sees only the main thread
            failed.append(error)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = Thread(target=run, args=(listening,))
        thread.start()
        status = connect("127.0.0.1", listening.getsockname()[1], colors=colors)
        thread.join(PATIENCE)
    for error in failed:
        raise error
    return status


@pytest.fixture(autouse=True)
def state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Keep the history in a folder of the test."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "ump" / "connect_history"


def test_text_that_arrives_while_a_line_is_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The line is erased, the text is printed, and the line is drawn again with its cursor."""

    def script(server: socket.socket, terminal: Terminal) -> None:
        server.sendall(HELLO)
        terminal.see("_human\n".replace("\n", "\r\n") + "> ")
        terminal.type("sute 1z\x1b[D")
        terminal.see("\x1b[8C")
        server.sendall(b"1 point A +1000\r\n2 rea")
        terminal.see("\r\x1b[K1 point A +1000\r\n> sute 1z\r\x1b[8C")
        server.sendall(b"dy?\r\n")
        terminal.see("\r\x1b[K2 ready?\r\n> sute 1z\r\x1b[8C")
        terminal.type("\x7f2\r")
        assert server.recv(100) == b"sute 2z\r\n"
        terminal.see("> sute 2z\r\n> ")
        terminal.type("\x04")
        assert server.recv(100) == b""

    with standard_streams(monkeypatch, at_terminal=True) as terminal:
        assert play(terminal, script) == 0


def test_utf_8_in_both_directions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Characters that arrive in pieces are put together; of control characters, colours and the bell are printed."""

    def script(server: socket.socket, terminal: Terminal) -> None:
        for byte in "山\x07\x1b[2J\x1b[31m東\x1b[0m\r\n".encode():
            server.sendall(bytes([byte]))
        terminal.see("山\x07[2J\x1b[31m東\x1b[0m\r\n")
        terminal.type("太郎\n")
        assert server.recv(100) == "太郎\r\n".encode()

    with standard_streams(monkeypatch, at_terminal=True) as terminal:
        assert play(terminal, script) == 0


def test_the_history_is_kept(monkeypatch: pytest.MonkeyPatch, state: Path) -> None:
    """The lines of one session are there in the next; a password is not."""

    def first(server: socket.socket, terminal: Terminal) -> None:
        terminal.see("> ")
        terminal.type("ok\nhello password=x\nno\n\x04")
        while server.recv(100):
            pass

    def second(server: socket.socket, terminal: Terminal) -> None:
        terminal.see("> ")
        terminal.type("\x1b[A\x1b[A\n\x04")
        assert server.recv(100) == b"ok\r\n"

    for script in (first, second):
        with standard_streams(monkeypatch, at_terminal=True) as terminal:
            assert play(terminal, script) == 0
    assert state.read_text() == "ok\nno\nok\n"
    assert state.stat().st_mode & 0o777 == 0o600


def test_a_password(monkeypatch: pytest.MonkeyPatch, state: Path) -> None:
    """While the server says that it would echo, nothing that is typed is shown or kept; commands may come in pieces."""

    def script(server: socket.socket, terminal: Terminal) -> None:
        server.sendall(b"Password:\r\n" + WILL_ECHO[:2])
        terminal.see("Password:")
        server.sendall(WILL_ECHO[2:])
        terminal.see("> ")
        terminal.type("secret\n")
        assert server.recv(100) == b"secret\r\n"
        server.sendall(WONT_ECHO + b"\r\nwelcome\r\n")
        terminal.see("welcome")
        terminal.type("shown\n")
        terminal.see("shown")
        assert server.recv(100) == b"shown\r\n"
        assert b"secret" not in terminal.shown
        terminal.type("\x04")

    with standard_streams(monkeypatch, at_terminal=True) as terminal:
        assert play(terminal, script) == 0
    assert state.read_text() == "shown\n"


def test_a_folder_for_the_history_that_is_not_writable(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The client works without a history."""

    def script(server: socket.socket, terminal: Terminal) -> None:
        terminal.see("> ")
        terminal.type("ok\n\x04")
        assert server.recv(100) == b"ok\r\n"

    (tmp_path / "ump").write_text("a file")
    with standard_streams(monkeypatch, at_terminal=True) as terminal:
        assert play(terminal, script) == 0


def test_the_folder_of_the_history(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without XDG_STATE_HOME it is the folder that the standard names."""
    monkeypatch.setenv("HOME", "/home/me")
    for value in ("", "relative"):
        monkeypatch.setenv("XDG_STATE_HOME", value)
        assert history_path() == Path("/home/me/.local/state/ump/connect_history")


@pytest.mark.parametrize(
    ("hello", "colors", "sent"),
    [
        (HELLO, True, b"color on\r\nok\r\n"),
        (HELLO, False, b"ok\r\n"),
        (b"0 hello ump=0.1 name=_human _ext=_offer\r\n", True, b"ok\r\n"),
        (b'{"type":"hello","protocol":"_human"}\n', True, b"ok\r\n"),
    ],
)
def test_colours(monkeypatch: pytest.MonkeyPatch, hello: bytes, colors: bool, sent: bytes) -> None:
    """Only a server whose hello lists the extension for people is asked for colours."""

    def script(server: socket.socket, terminal: Terminal) -> None:
        server.sendall(hello)
        terminal.see(hello.decode().split()[-1])
        heard = b""
        while len(heard) < len(sent) - len(b"ok\r\n"):
            heard += server.recv(100)
        terminal.type("ok\n")
        while len(heard) < len(sent):
            heard += server.recv(100)
        assert heard == sent

    with standard_streams(monkeypatch, at_terminal=True) as terminal:
        assert play(terminal, script, colors=colors) == 0


@pytest.mark.parametrize("variable", ["NO_COLOR", "TERM"])
def test_terminals_without_colours(monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    """With NO_COLOR, or on a terminal that cannot do anything, nothing asks for colours."""

    def script(server: socket.socket, terminal: Terminal) -> None:
        server.sendall(HELLO)
        terminal.see("_human")
        terminal.type("ok\n")
        assert server.recv(100) in (b"ok\r\n", b"ok\n")

    with standard_streams(monkeypatch, at_terminal=True) as terminal:
        monkeypatch.setenv(variable, "dumb")
        assert play(terminal, script, colors=True) == 0


def test_pipes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a terminal the input is sent as it is; after its end the client waits for the server's last words."""

    def script(server: socket.socket, terminal: Terminal) -> None:
        server.sendall(HELLO)
        terminal.see(HELLO.decode().replace("\r", ""))
        terminal.type("hello\nbye")
        os.close(terminal._keyboard)
        heard = b""
        while data := server.recv(100):
            heard += data
        assert heard == b"hello\nbye"
        server.sendall(b"1 bye\r\nunfinished")

    with standard_streams(monkeypatch, at_terminal=False) as terminal:
        assert play(terminal, script, colors=True) == 0
        terminal.see("1 bye\nunfinished")


def test_a_server_that_does_not_read_at_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A file larger than all buffers arrives whole, although the server writes as much before it reads."""
    size = 8_000_000
    (tmp_path / "input").write_bytes(b"x" * size)

    def script(server: socket.socket, terminal: Terminal) -> None:
        server.sendall(b"y" * size)
        heard = 0
        while data := server.recv(1 << 20):
            heard += len(data)
        assert heard == size

    with (
        standard_streams(monkeypatch, at_terminal=False) as terminal,
        open(tmp_path / "input") as source,
        open(tmp_path / "output", "w") as sink,
    ):
        monkeypatch.setattr(sys, "stdin", source)
        monkeypatch.setattr(sys, "stdout", sink)
        assert play(terminal, script) == 0
    assert (tmp_path / "output").stat().st_size == size


def test_a_server_that_breaks_off(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A lost connection ends the client like one that was closed; the last words are printed."""

    def script(server: socket.socket, terminal: Terminal) -> None:
        server.sendall(b"unfinished")
        terminal.see("> ")
        terminal.type("ok\n")
        assert server.recv(100) == b"ok\r\n"
        server.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    with standard_streams(monkeypatch, at_terminal=True) as terminal:
        assert play(terminal, script) == 0
        terminal.see("unfinished\r\n")
    assert capsys.readouterr().err == "ump connect: the server has closed the connection\n"


def test_a_reader_that_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The client ends when nobody reads its output, as in ``ump connect | head``."""

    def script(server: socket.socket, terminal: Terminal) -> None:
        os.close(terminal._screen)
        server.sendall(HELLO)
        server.recv(100)

    with standard_streams(monkeypatch, at_terminal=False) as terminal:
        assert play(terminal, script) == 1


def test_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C ends the client as any command, and the terminal is as before."""

    def interrupt(*streams: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("ump.terminal.connect.select", interrupt)
    with standard_streams(monkeypatch, at_terminal=True) as terminal, pytest.raises(KeyboardInterrupt):
        play(terminal, lambda server, terminal: None)


def test_no_server() -> None:
    """An unreachable server is one plain sentence and status 1; a wrong address is a usage error."""
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    result = CliRunner().invoke(main, ["connect", f"127.0.0.1:{port}"])
    assert (result.exit_code, result.output) == (
        1,
        f"ump connect: no server at 127.0.0.1 port {port}: Connection refused\n",
    )
    assert CliRunner().invoke(main, ["connect", "localhost"]).exit_code == 2


def test_lines_are_bounded() -> None:
    """A line that does not end is printed in pieces."""
    incoming = Incoming()
    assert incoming.lines(b"x" * CHUNK) == ""
    assert incoming.lines(b"x") == "x" * (CHUNK + 1)


def test_the_direction_of_a_line_is_not_turned() -> None:
    """Marks that would show the rest of a line from right to left are left out; text of any script stays."""
    assert Incoming().lines("a\u202eb\u2067c\u200f שלום 東\n".encode()) == "abc שלום 東\n"


def test_python_m_ump() -> None:
    """``python -m ump`` is the command ``ump``."""
    ended = run(*UMP, "--help")
    assert ended.returncode == 0
    assert ended.stdout.startswith("Usage: python -m ump [OPTIONS] COMMAND")
    assert "connect" in ended.stdout
