"""The one open question of a connection, and the rule for which line of the client answers it."""

from __future__ import annotations

import re
from collections import deque
from math import inf

from ump.model.phases import Phase
from ump.model.value import value
from ump.wire.session import LATE_SECONDS, Staleness

MOST_CLOSED = 16
"""Questions that are remembered after they were closed without an answer, to tell a client what became of its own."""

_LEADING_ID = re.compile(r" *([0-9]+)(?: |$)")


def split_line(line: bytes) -> tuple[str | None, list[str] | None]:
    """Split a line, without its end, into the id (None if there is none) and the words after it.

    Runs of spaces and tabs count as one space, because people type. The words are None if the line holds a byte other
    than tabs and printable ASCII, as from a stray key or an accent: such a line may still be an unreadable answer.
    """
    text = line.replace(b"\t", b" ").decode("latin-1")
    if not (text.isascii() and text.isprintable()):
        match = _LEADING_ID.match(text)
        return (None if match is None else match[1]), None
    words = text.split()
    given_id = words.pop(0) if words and words[0].isdigit() else None
    return given_id, words


def split_first_line(line: bytes) -> tuple[str | None, list[str] | None]:
    """Split a line before the hello in the same way, where texts may also be UTF-8 as it is: ``name=日本``.

    The words are None if the line is not UTF-8.
    """
    try:
        words = [word for word in line.decode().replace("\t", " ").split(" ") if word]
    except UnicodeDecodeError:
        return split_line(line)
    given_id = words.pop(0) if words and words[0].isascii() and words[0].isdigit() else None
    return given_id, words


def is_id(text: str, number: int) -> bool:
    """Tell whether digits, of any length and with leading zeros, are this id."""
    return text.lstrip("0") == str(number).lstrip("0")


def is_from_person(given_id: str | None, words: list[str] | None) -> bool:
    """Tell whether a first line was typed by a person; the arguments are the results of ``split_first_line``.

    Programs repeat the id of the server's hello, or say ``_human=0``, or ask for a later version of UMP.
    A program may ask for ``_human=1``. A line without any word, or with digits alone, is no message of a program.
    """
    if words == []:
        return True
    if words is None or words[:1] != ["hello"]:
        return given_id is None
    if given_id is not None:
        return "_human=1" in words
    return "_human=0" not in words and all(word == "ump=0.1" for word in words if word.startswith("ump="))


def without_id(line: bytes, given_id: str | None) -> bytes:
    """Return a line without the id that ``split_first_line`` has found in it."""
    return line if given_id is None else line.strip().removeprefix(given_id.encode())


@value
class AskedQuestion:
    """A question as this connection asked it."""

    number: int
    """The table's number of the question."""
    id: int
    """The id of the sentence that asked it."""
    phase: Phase | None
    """The kind of question; None for ``ready?``."""


class OpenQuestion:
    """Keeps the last question of a connection, and whether it is open.

    A question closes with the first line that answers it, readable or not. The table decides whether it is asked
    again; it then has a new number and a new id.
    """

    __slots__ = ("_closed", "_late_until", "last", "open")

    def __init__(self) -> None:
        self.open: AskedQuestion | None = None
        self.last: AskedQuestion | None = None
        """The last question, open or not."""
        self._closed: deque[tuple[int, Staleness]] = deque(maxlen=MOST_CLOSED)
        """The ids of questions that were closed without an answer of the client, and why."""
        self._late_until = -inf
        """The instant, in clock seconds, until which a line without an id is a late answer."""

    def id_of(self, number: int) -> int | None:
        """Return the id of the question with this number, or None if another question has been asked since."""
        return self.last.id if self.last is not None and self.last.number == number else None

    def answered_by(self, given_id: str | None, now: float) -> AskedQuestion | Staleness:
        """Return the question that a line with this id answers, or the reason why it answers none."""
        if given_id is None and now < self._late_until:
            return Staleness.LATE
        if self.open is None:
            return self._fate_of(given_id) or Staleness.NO_QUESTION
        if given_id is not None and given_id != str(self.open.id) and not is_id(given_id, self.open.id):
            return self._fate_of(given_id) or Staleness.OTHER_ID
        return self.open

    def _fate_of(self, given_id: str | None) -> Staleness | None:
        """Return why the question with this id takes no answer any more, or None if that is not known."""
        if given_id is None:
            return None
        return next((why for closed, why in self._closed if is_id(given_id, closed)), None)

    def lapse(self, number: int, now: float, *, by_time: bool) -> None:
        """Close the question with this number: its time has run out, or other players have decided."""
        if self.last is not None and self.last.number == number:
            self.open = None
            self._closed.append((self.last.id, Staleness.TIMED_OUT if by_time else Staleness.DECIDED))
            if by_time:
                self._late_until = now + LATE_SECONDS

    def refuse(self, number: int) -> int | None:
        """Close the question with this number, whose answer was refused, and return its id.

        Return None if another question has been asked since.
        """
        sentence_id = self.id_of(number)
        if sentence_id is not None:
            self.open = None
        return sentence_id
