"""``ump connect``: a line client for people, for machines without telnet or nc.

It prints what the server sends, and sends what is typed. At a terminal, incoming text does not tear the line that is
being typed: the line is erased, the text is printed, and the line is drawn again below it.
"""

from __future__ import annotations

import codecs
import os
import re
import shutil
import socket
import sys
import termios
import tty
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from select import select
from typing import ClassVar

from ump.bots.links import open_socket
from ump.model.installation import state_folder
from ump.text.layout import width
from ump.wire.dialect import WILL_ECHO, WONT_ECHO

# A line that a person types at a terminal: editing keys and history, without input or output.
#
# GNU readline is no choice here: it cannot redraw the line after other text has appeared in the middle of it.

LONGEST_LINE = 1_000
"""Characters of a line, at most."""

_KEY = re.compile(r"\x1b\[[0-9;]*[@-~]|\x1bO.|\x1b[^\[O]|[^\x1b]", re.DOTALL)


class LineEditor:
    """The line that is being typed, the cursor in it, and the lines before it."""

    def __init__(self, history: Sequence[str] = ()) -> None:
        self.history = list(history)
        """The lines that were typed, the oldest first."""
        self.text = ""
        self.cursor = 0
        """The number of characters before the cursor."""
        self.is_ended = False
        """Whether Ctrl-D was typed on an empty line."""
        self.is_hidden = False
        """Whether the line is a password: it is not shown, and no history has it."""
        self._recalled = len(self.history)
        """The place in the history of the line that is shown; its length for a new line."""
        self._draft = ""
        """The new line, while another one is shown."""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._pending = ""
        """The start of an escape sequence."""
        self._keys = self._bindings()

    def feed(self, data: bytes) -> Iterator[str]:
        """Take bytes of the keyboard; yield each line that they complete."""
        self._pending += self._decoder.decode(data)
        while (match := _KEY.match(self._pending)) is not None:
            self._pending = self._pending[match.end() :]
            key = match[0]
            if key in ("\r", "\n"):
                yield self._complete()
            elif key in self._keys:
                self._keys[key]()
            elif key.isprintable() and len(self.text) < LONGEST_LINE:
                self._replace(self.cursor, self.cursor, key)
        self._pending = self._pending[:LONGEST_LINE]

    def row(self, most: int) -> tuple[str, int]:
        """Return the part of the line of at most so many columns, and the column of the cursor in it."""
        if self.is_hidden:
            return "", 0
        start = 0
        while width(self.text[start : self.cursor]) >= most:
            start += 1
        end = len(self.text)
        while width(self.text[start:end]) > most:
            end -= 1
        return self.text[start:end], width(self.text[start : self.cursor])

    def _bindings(self) -> dict[str, Callable[[], None]]:
        """Return what each key does, by the characters that terminals send for it."""
        keys = (
            (self._left, "\x02", "\x1b[D", "\x1bOD"),
            (self._right, "\x06", "\x1b[C", "\x1bOC"),
            (self._home, "\x01", "\x1b[H", "\x1bOH", "\x1b[1~"),
            (self._end, "\x05", "\x1b[F", "\x1bOF", "\x1b[4~"),
            (self._older, "\x10", "\x1b[A", "\x1bOA"),
            (self._newer, "\x0e", "\x1b[B", "\x1bOB"),
            (self._erase_before, "\x7f", "\x08"),
            (self._erase_under, "\x1b[3~"),
            (self._erase_under_or_end, "\x04"),
            (self._erase_to_start, "\x15"),
            (self._erase_to_end, "\x0b"),
            (self._erase_word, "\x17"),
        )
        actions: dict[str, Callable[[], None]] = {}
        for action, *typed in keys:
            actions |= dict.fromkeys(typed, action)
        return actions

    def _complete(self) -> str:
        line = self.text
        if line and not self.is_hidden and self.history[-1:] != [line]:
            self.history.append(line)
        self._recalled = len(self.history)
        self._draft = ""
        self._show("")
        return line

    def _show(self, text: str) -> None:
        self.text, self.cursor = text, len(text)

    def _replace(self, start: int, end: int, by: str = "") -> None:
        self.text = self.text[:start] + by + self.text[end:]
        self.cursor = start + len(by)

    def _left(self) -> None:
        self.cursor = max(0, self.cursor - 1)

    def _right(self) -> None:
        self.cursor = min(len(self.text), self.cursor + 1)

    def _home(self) -> None:
        self.cursor = 0

    def _end(self) -> None:
        self.cursor = len(self.text)

    def _older(self) -> None:
        if self._recalled == len(self.history):
            self._draft = self.text
        self._recall(self._recalled - 1)

    def _newer(self) -> None:
        self._recall(self._recalled + 1)

    def _recall(self, place: int) -> None:
        if 0 <= place <= len(self.history):
            self._recalled = place
            self._show([*self.history, self._draft][place])

    def _erase_before(self) -> None:
        self._replace(max(0, self.cursor - 1), self.cursor)

    def _erase_under(self) -> None:
        self._replace(self.cursor, self.cursor + 1)

    def _erase_under_or_end(self) -> None:
        self.is_ended = not self.text
        self._erase_under()

    def _erase_to_start(self) -> None:
        self._replace(0, self.cursor)

    def _erase_to_end(self) -> None:
        self._replace(self.cursor, len(self.text))

    def _erase_word(self) -> None:
        before = self.text[: self.cursor].rstrip(" ")
        self._replace(before.rfind(" ") + 1, self.cursor)


CHUNK = 1 << 16
"""Bytes to read at a time, and the most that are kept of an unfinished line, or for a server that does not read."""

KEPT_LINES = 500
"""Lines of history that are kept for the next time."""

PROMPT = "> "
ERASE_ROW = "\r\x1b[K"

COLOR_ON = b"color on\r\n"
"""The request for colours, for servers that know people."""

_COMMAND = re.compile(rb"\xff[\xfb-\xfe].", re.DOTALL)
_UNFINISHED = re.compile(rb"\xff[\xfb-\xfe]?\Z")
_KNOWS_PEOPLE = re.compile(r"\d+ hello .*\b_ext=\S*\b_human\b")
_CONTROLS = re.compile(r"(\x1b\[[0-9;]*m)|[\x00-\x06\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


class Console:
    """Standard input and output that are no terminal: everything that comes in is sent unchanged."""

    LEAVES_AT_END: ClassVar[bool] = False
    """Whether the end of the input ends the conversation; otherwise the server closes it, after its last words."""

    def __init__(self) -> None:
        self.is_at_end = False
        """Whether the input has ended."""

    def fileno(self) -> int:
        """Return the file to wait for."""
        return sys.stdin.fileno()

    def read(self) -> bytes:
        """Return what was typed, to be sent."""
        data = os.read(self.fileno(), CHUNK)
        self.is_at_end = not data
        return data

    def hide_input(self, *, is_hidden: bool) -> None:
        """Do nothing: nothing is shown."""

    def show(self, text: str) -> None:
        """Print lines of the server."""
        data = text.encode()
        while data:
            data = data[os.write(sys.stdout.fileno(), data) :]


class TerminalConsole(Console):
    """A terminal, with a line that is being typed in its last row."""

    LEAVES_AT_END = True

    def __init__(self, editor: LineEditor) -> None:
        super().__init__()
        self._editor = editor
        self.show("")

    def read(self) -> bytes:
        """Let the editor take keys; return the lines that they complete."""
        lines = list(self._editor.feed(super().read()))
        self.is_at_end = self.is_at_end or self._editor.is_ended
        self.show("".join(f"{PROMPT}{'' if self._editor.is_hidden else line}\n" for line in lines))
        return "".join(f"{line}\r\n" for line in lines).encode()

    def hide_input(self, *, is_hidden: bool) -> None:
        """Do not show what is typed from now on, or show it again."""
        self._editor.is_hidden = is_hidden
        self.show("")

    def show(self, text: str) -> None:
        """Print lines above the one that is being typed."""
        if text and not text.endswith("\n"):
            text += "\n"
        width = shutil.get_terminal_size().columns - len(PROMPT)
        row, column = self._editor.row(max(width, 1))
        super().show(f"{ERASE_ROW}{text}{PROMPT}{row}\r\x1b[{len(PROMPT) + column}C")


class Incoming:
    """Turns the server's bytes into lines that are safe to print."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._unfinished = ""

    def lines(self, data: bytes) -> str:
        """Return the lines that these bytes complete.

        They have no control characters except tabs and colours, and none that turn the direction of the text. No more
        bytes complete the last line.
        """
        text = self._unfinished + self._decoder.decode(data, final=not data)
        end = len(text) if not data or len(text) > CHUNK else text.rfind("\n") + 1
        self._unfinished = text[end:]
        return _CONTROLS.sub(r"\1", text[:end])


class TelnetCommands:
    """Takes the commands of telnet out of the server's bytes: it asks that a password is not shown."""

    def __init__(self) -> None:
        self._unfinished = b""

    def take(self, data: bytes) -> tuple[bytes, bool | None]:
        """Return the other bytes, and whether to hide what is typed; None: as before."""
        data = self._unfinished + data
        self._unfinished = b""
        unfinished = _UNFINISHED.search(data)
        if unfinished is not None:
            data, self._unfinished = data[: unfinished.start()], unfinished[0]
        is_hidden: bool | None = None
        for found in _COMMAND.finditer(data):
            if found[0] in (WILL_ECHO, WONT_ECHO):
                is_hidden = found[0] == WILL_ECHO
        return _COMMAND.sub(b"", data), is_hidden


class TypedConversation:
    """A person and a server, until one of them leaves."""

    def __init__(self, server: socket.socket, console: Console, *, wants_colors: bool) -> None:
        self._server = server
        self._console = console
        self._wants_colors = wants_colors
        self._commands = TelnetCommands()
        self._incoming = Incoming()
        self._unsent = b""
        self._is_typing = True

    def hold(self) -> bool:
        """Carry everything in both directions; return whether it was the server that ended the conversation."""
        while True:
            reads = self._is_typing and len(self._unsent) < CHUNK
            sources: list[socket.socket | Console] = [self._server, *([self._console] if reads else [])]
            readable, writable, _ = select(sources, [self._server] if self._unsent else [], [])
            if self._server in readable and not self._hear():
                return True
            if self._console in readable:
                self._unsent += self._console.read()
                self._is_typing = not self._console.is_at_end
            if writable:
                self._send()
            if not self._is_typing and not self._unsent:
                if self._console.LEAVES_AT_END:
                    return False
                with suppress(OSError):  # the server may be gone already
                    self._server.shutdown(socket.SHUT_WR)

    def _hear(self) -> bool:
        """Print what the server sends; return whether the connection is open."""
        try:
            data = self._server.recv(CHUNK)
        except ConnectionError:
            data = b""
        text_bytes, is_hidden = self._commands.take(data)
        if is_hidden is not None:
            self._console.hide_input(is_hidden=is_hidden)
        text = self._incoming.lines(text_bytes) if text_bytes or not data else ""
        if self._wants_colors and text:
            self._wants_colors = False
            if _KNOWS_PEOPLE.match(text):
                self._unsent += COLOR_ON
        self._console.show(text)
        return bool(data)

    def _send(self) -> None:
        with suppress(ConnectionError):  # the next recv ends the conversation
            self._unsent = self._unsent[self._server.send(self._unsent) :]


def connect(host: str, port: int, *, colors: bool) -> int:
    """Talk to a server until it or the person leaves, and return the exit status; Ctrl-C raises KeyboardInterrupt.

    ``colors``: ask a server that knows people for colours, if the terminal shows them.
    """
    is_terminal = sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"
    wants_colors = colors and is_terminal and not os.environ.get("NO_COLOR")
    try:
        server = open_socket(host, port)
    except OSError as error:
        print(f"ump connect: no server at {host} port {port}: {error.strerror or error}", file=sys.stderr)
        return 1
    server.setblocking(False)
    try:
        with server, _terminal() if is_terminal else nullcontext(Console()) as console:
            is_over = TypedConversation(server, console, wants_colors=wants_colors).hold()
    except BrokenPipeError:  # nobody reads our output
        return 1
    except OSError as error:
        print(f"ump connect: the connection is lost: {error.strerror or error}", file=sys.stderr)
        return 1
    if is_over:
        print("ump connect: the server has closed the connection", file=sys.stderr)
    return 0


@contextmanager
def _terminal() -> Iterator[Console]:
    """Make the terminal pass on single keys; afterwards, restore it and keep the history."""
    file = sys.stdin.fileno()
    path = history_path()
    editor = LineEditor(_read_history(path))
    before = termios.tcgetattr(file)
    tty.setcbreak(file, termios.TCSADRAIN)
    try:
        yield TerminalConsole(editor)
    finally:
        termios.tcsetattr(file, termios.TCSADRAIN, before)
        os.write(sys.stdout.fileno(), ERASE_ROW.encode())
        _write_history(path, editor.history)


def history_path() -> Path:
    """Return the file of the history, in the user's folder for such things."""
    return state_folder() / "connect_history"


def _read_history(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()[-KEPT_LINES:]
    except OSError:
        return []


def _write_history(path: Path, lines: list[str]) -> None:
    """Keep the last lines for the next time, except passwords; without a writable folder, keep none."""
    kept = [line for line in lines if "password" not in line][-KEPT_LINES:]
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in kept)
