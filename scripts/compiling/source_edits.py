"""Changes to a source text that leave the numbers of its lines as they are, as far as possible."""

from __future__ import annotations

from collections import defaultdict


class SourceEdits:
    """Changes to a text. Lines and columns are those of its syntax tree (``ast``), whatever is changed before them."""

    def __init__(self, text: str) -> None:
        self._lines = text.splitlines()
        self._insertions: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)
        self._replacements: dict[int, str] = {}
        self._new_lines: defaultdict[int, list[str]] = defaultdict(list)

    def insert(self, line: int, column: int, text: str) -> None:
        """Insert a text into a line. ``ast`` counts columns in bytes of UTF-8, from 0."""
        self._insertions[line].append((column, text))

    def replace_line(self, line: int, expected: str, text: str) -> None:
        """Replace a line; raise ValueError if it is not the expected one."""
        found = self._lines[line - 1]
        if found != expected:
            raise ValueError(f"line {line}: expected {expected!r}, got {found!r}")
        self._replacements[line] = text

    def add_line(self, after: int, text: str) -> None:
        """Add a line after a line, in place of a blank one if there is one. Line 0 is before the text."""
        self._new_lines[after].append(text)

    def result(self) -> str:
        """Return the changed text."""
        written = []
        waiting = self._new_lines[0]
        for number, line in enumerate(self._lines, start=1):
            if not line.strip() and waiting:
                line = waiting.pop(0)
            elif line.strip():
                written += waiting
                waiting = []
                line = self._changed(number, line)
            written.append(line)
            waiting += self._new_lines[number]
        return "\n".join([*written, *waiting]) + "\n"

    def _changed(self, number: int, line: str) -> str:
        if number in self._replacements:
            return self._replacements[number]
        coded = line.encode("utf-8")
        for column, text in sorted(self._insertions[number], reverse=True):
            coded = coded[:column] + text.encode("utf-8") + coded[column:]
        return coded.decode("utf-8")
