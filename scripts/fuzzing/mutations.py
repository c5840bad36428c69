"""Mutations: an input is a seed that was changed in a few places, with words of the other seeds."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

MOST_CHANGES = 6  # the most changes of one input; few are more likely than many
CHANGED_LINES = (0.5, 0.75, 1.0)  # shares of the lines of a session that are changed, each in one place
SESSION_LINES = 250  # the fewest lines of a session: several games are joined if need be
MOST_BYTES = 1 << 20  # a longer input is cut: repetition must not fill the memory
MOST_WORDS = 5_000  # words of the seeds that may be put anywhere

NUMBERS = (0, -1, 1, 4, 5, 13, 14, 34, 136, 255, 256, 2**31, 2**63, -(2**31), 10**30)

INTERESTING = (
    *(str(number).encode() for number in NUMBERS),
    *(b"", b"\0", b"\n", b"\r\n", b" ", b"\t", b"\xff", b"\xef\xbb\xbf", b"\x1b[A", b"\x1e", b"%", b"%zz", b"%00"),
    *(b"null", b"true", b"NaN", b"1e999", b"-0", b"[]", b"{}", b'""', b"[" * 200, b'{"a":' * 200, b"9" * 5_000),
    *("麻雀".encode(), b"\xed\xa0\x80", "\u202e\u200b".encode(), b"?", b"<", b"&#0;", b"<!ENTITY a 'b'>", b"\\ud800"),
)
"""Pieces that parsers often get wrong."""

_WORD = re.compile(rb"[A-Za-z_][A-Za-z0-9_.?-]*|-?[0-9]+|[^\sA-Za-z0-9]+")
_NUMBER = re.compile(rb"-?[0-9]+")

Change = Callable[[bytes, "Mutator"], bytes]


class Mutator:
    """Makes inputs from seeds; the same ``Random`` makes the same input."""

    def __init__(self, seeds: Sequence[bytes]) -> None:
        self.seeds = seeds
        words: dict[bytes, None] = dict.fromkeys(word for seed in seeds for word in _WORD.findall(seed[:MOST_BYTES]))
        self._words: tuple[bytes, ...] = (*list(words)[:MOST_WORDS], *INTERESTING)
        self.chance = Random()

    def make(self, chance: Random) -> bytes:
        self.chance = chance
        data = chance.choice(self.seeds)
        count = min(MOST_CHANGES, 1 + int(chance.expovariate(0.6)))
        for _ in range(count):
            data = chance.choice(CHANGES)(data, self)
        return data[:MOST_BYTES]

    def make_session(self, chance: Random) -> bytes:
        """Return an input of many lines, of which half to all were changed: as many as a whole game uses."""
        lines: list[bytes] = []
        while len(lines) < SESSION_LINES:
            lines += self.make(chance).split(b"\n")
        share = chance.choice(CHANGED_LINES)
        said = (self._line(line) if chance.random() < share else line for line in lines)
        return b"\n".join(said)[:MOST_BYTES]

    def _line(self, line: bytes) -> bytes:
        """Return a changed line, or two: no more, because a splice would bring a whole game of unchanged ones."""
        return b"\n".join(self.chance.choice(CHANGES)(line, self).split(b"\n")[:2])

    def word(self) -> bytes:
        """Return a word of the seeds, or an interesting piece."""
        return self.chance.choice(self._words)

    def span(self, data: bytes, most: int) -> tuple[int, int]:
        """Return the two ends of a piece of the data, at most so many bytes long."""
        start = self.chance.randint(0, len(data))
        return start, min(len(data), start + self.chance.randint(0, most))


def _flip(data: bytes, by: Mutator) -> bytes:
    if not data:
        return data
    place = by.chance.randrange(len(data))
    return data[:place] + bytes((data[place] ^ (1 << by.chance.randrange(8)),)) + data[place + 1 :]


def _overwrite(data: bytes, by: Mutator) -> bytes:
    start, end = by.span(data, 4)
    return data[:start] + by.chance.randbytes(end - start) + data[end:]


def _insert(data: bytes, by: Mutator) -> bytes:
    start, _ = by.span(data, 0)
    return data[:start] + by.word() + data[start:]


def _delete(data: bytes, by: Mutator) -> bytes:
    start, end = by.span(data, by.chance.choice((1, 4, 64)))
    return data[:start] + data[end:]


def _cut(data: bytes, by: Mutator) -> bytes:
    return data[: by.chance.randint(0, len(data))]


def _repeat(data: bytes, by: Mutator) -> bytes:
    start, end = by.span(data, 100)
    return data[:end] + data[start:end] * by.chance.choice((1, 2, 50)) + data[end:]


def _splice(data: bytes, by: Mutator) -> bytes:
    other = by.chance.choice(by.seeds)
    return data[: by.chance.randint(0, len(data))] + other[by.chance.randint(0, len(other)) :]


def _replace_word(data: bytes, by: Mutator) -> bytes:
    start, _ = by.span(data, 0)
    found = _WORD.search(data, start) or _WORD.search(data)
    return data if found is None else data[: found.start()] + by.word() + data[found.end() :]


def _change_number(data: bytes, by: Mutator) -> bytes:
    start, _ = by.span(data, 0)
    found = _NUMBER.search(data, start) or _NUMBER.search(data)
    if found is None or len(found[0]) > 18:
        return data
    if by.chance.random() < 0.7:
        number = int(found[0]) + by.chance.randint(-3, 3)
    else:
        number = by.chance.choice(NUMBERS)
    return data[: found.start()] + str(number).encode() + data[found.end() :]


def _shuffle_lines(data: bytes, by: Mutator) -> bytes:
    """Exchange, drop or repeat lines: the wrong order."""
    lines = data.split(b"\n")
    one, other = by.chance.randrange(len(lines)), by.chance.randrange(len(lines))
    match by.chance.randrange(3):
        case 0:
            lines[one], lines[other] = lines[other], lines[one]
        case 1:
            del lines[one]
        case _:
            lines.insert(other, lines[one])
    return b"\n".join(lines)


def _change_json(data: bytes, by: Mutator) -> bytes:
    """Change one value of a line of JSON, or of JSON over several lines; its syntax stays right."""
    lines = data.split(b"\n")
    place = by.chance.randrange(len(lines))
    for first, last in ((place, place + 1), (0, len(lines))):
        try:
            read = json.loads(b"\n".join(lines[first:last]))
        except (ValueError, RecursionError):
            continue
        changed = json.dumps(_with_change(read, by), separators=(",", ":")).encode()
        return b"\n".join((*lines[:first], changed, *lines[last:]))
    return data


def _with_change(read: Any, by: Mutator) -> Any:
    """Return a value of JSON with a change somewhere in it."""
    if isinstance(read, dict | list) and read and by.chance.random() < 0.85:
        keys = list(read) if isinstance(read, dict) else range(len(read))
        key = by.chance.choice(keys)
        if by.chance.random() < 0.1:
            del read[key]
        else:
            read[key] = _with_change(read[key], by)
        return read
    return _another(read, by)


def _another(read: Any, by: Mutator) -> Any:
    """Return another value of JSON in the place of one."""
    match by.chance.randrange(6):
        case 0:
            return by.chance.choice((None, True, False, [], {}, "", 0.5, [[]], [None]))
        case 1:
            return by.chance.choice(NUMBERS)
        case 2:
            return by.word().decode("utf-8", "replace")
        case 3 if isinstance(read, int):
            return read + by.chance.randint(-3, 3)
        case 3:
            return [read, read]
        case 4:
            return {"type": read}
        case _:
            return str(read)


CHANGES: tuple[Change, ...] = (
    *(_flip, _overwrite, _insert, _delete, _cut, _repeat, _splice, _shuffle_lines),
    *(_replace_word, _replace_word, _change_number, _change_number, _change_json, _change_json, _change_json),
)
"""All changes; the last ones keep inputs so well-formed that they get past the first check."""
