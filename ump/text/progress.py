"""Progress on a terminal, for commands that take a while: a line, or a small table."""

from __future__ import annotations

import sys


class _Display:
    """What the terminal shows now."""

    def __init__(self) -> None:
        self.above = 0
        """The lines above the last one."""


_DISPLAY = _Display()


def show_progress(text: str) -> None:
    """Replace the progress on standard error with ``text``, of one or more lines, if standard error is a terminal.

    A file or a pipe receives nothing: every line would stay in it.
    """
    if sys.stderr.isatty():
        erase = f"\r\x1b[{_DISPLAY.above}A\x1b[J" if _DISPLAY.above else "\r\x1b[K"
        print(f"{erase}{text}", end="", file=sys.stderr, flush=True)
        _DISPLAY.above = text.count("\n")


def clear_progress() -> None:
    """Erase the progress, so that the next output starts on an empty line."""
    show_progress("")
