"""A line that a person types at a terminal: editing keys and history, without input or output.

GNU readline is no choice here: it cannot redraw the line after other text has appeared in the middle of it.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator, Sequence

from ump.text.layout import width

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
        return {key: action for action, *typed in keys for key in typed}

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
