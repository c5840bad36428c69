"""A progress line on a terminal, for commands that take a while."""

from __future__ import annotations

import sys


def show_progress(text: str) -> None:
    """Replace the progress line on standard error with ``text``, if standard error is a terminal.

    A file or a pipe receives nothing: every line would stay in it.
    """
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


def clear_progress() -> None:
    """Erase the progress line, so that the next output starts on an empty line."""
    show_progress("")
