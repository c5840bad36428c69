"""The journal of a running game, read while it grows, and the table that follows from it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import groupby, zip_longest
from pathlib import Path

from ump.model.actions import Chi, Daiminkan, DeclareNoten, DeclareTenpai, Pass, Pon, Ron
from ump.model.seats import Seat
from ump.model.value import value
from ump.record.journal import Journal, JournalHeader, JournalStep, read_header, read_step, write_header, write_step
from ump.table.chair import BeforeKyoku, Presence
from ump.table.journal_entries import ActionTaken, SeatDropped, SeatLeft, SeatReady, SeatReturned
from ump.table.messages import Ask
from ump.table.table import Table

_OF_CONNECTIONS = (SeatDropped, SeatReturned, SeatLeft)  # steps that the kills alone cause

_SIMULTANEOUS = (Pass, Ron, Chi, Pon, Daiminkan, DeclareTenpai, DeclareNoten)
"""Answers to questions that several seats may be asked at the same time. The order in which they come is chance."""


@value
class NextQuestion:
    """The question that one client has to answer now."""

    player: str
    number: int  # it is the so-manyth since the player has connected


class GrowingJournal:
    """A journal that a server writes. It is read from its first byte to its end, whatever happens to the server.

    A table of its own takes every step from the beginning: it tells who has to act, and checks what the server wrote
    after it had restored its table in another way.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb", buffering=0)
        self._offset = 0  # the bytes of the lines that have been taken
        self._header: JournalHeader | None = None
        self._table: Table | None = None
        self._asked: Counter[Seat] = Counter()  # the questions that each seat has been asked since its player returned
        self.played = 0  # the steps so far, apart from those of connections

    def close(self) -> None:
        self._file.close()

    def read(self) -> bool:
        """Take the lines that have been added; return whether there are any. Raises ValueError if one does not fit."""
        self._file.seek(self._offset)
        *lines, rest = self._file.read().split(b"\n")
        self._offset = self._file.tell() - len(rest)  # a restarted server may cut an unfinished line off
        for line in lines:
            self._take(line.decode("ascii"))
        return bool(lines)

    def _take(self, line: str) -> None:
        if self._header is None or self._table is None:
            self._header = read_header(line)
            self._table = self._header.opening.table()
            return
        step = read_step(line, len(self._header.players))
        given = step.entries[0]
        follows = self._table.apply(given, step.now)
        if follows.entries != step.entries:
            raise ValueError(f"{line} should have been followed by {follows.entries[1:]}")
        if isinstance(given, SeatReturned):
            self._asked[given.seat] = 0
        self._asked.update(message.seat for message in follows.messages if isinstance(message, Ask))
        if not isinstance(given, _OF_CONNECTIONS):
            self.played += 1

    @property
    def is_over(self) -> bool:
        return self._table is not None and self._table.end is not None

    def next_question(self) -> NextQuestion | None:
        """Return the question to answer next; None if the server has to go on first.

        One client answers at a time, so that the order of answers is the same in every game.
        """
        if self._header is None or self._table is None:
            return None
        chairs = self._table.chairs
        if any(chair.is_client and chair.presence is not Presence.PRESENT for chair in chairs):
            return None
        asked = [chair for chair in chairs if chair.open is not None]
        if not asked or any(not chair.is_client for chair in asked):
            return None
        seat = asked[0].seat
        return NextQuestion(self._header.opening.players[seat], self._asked[seat])

    def points(self) -> dict[str, int]:
        assert self._header is not None and self._table is not None
        return dict(zip(self._header.opening.players, self._table.game.points, strict=True))


@value
class Difference:
    """The first line in which two games differ."""

    number: int  # the number of the line, without those of connections
    undisturbed: str  # empty if the game is over there
    killed: str

    def __str__(self) -> str:
        return (
            f"line {self.number}: {self.undisturbed or 'nothing'} in the undisturbed game, {self.killed or 'nothing'}"
        )


def difference(undisturbed: Journal, killed: Journal) -> Difference | None:
    """Return where two games differ, apart from instants, tokens and connections; None if they are the same."""
    pairs = zip_longest(comparable(undisturbed), comparable(killed), fillvalue="")
    return next((Difference(number, *pair) for number, pair in enumerate(pairs, 1) if pair[0] != pair[1]), None)


def comparable(journal: Journal) -> list[str]:
    """Return the lines of a journal without what kills change: answers to simultaneous questions are sorted by seat."""
    players = tuple(replace(player, token=None) for player in journal.header.players)
    lines = [write_header(replace(journal.header, began="", players=players))]
    for are_simultaneous, group in groupby(filter(_is_of_game, journal.steps), _is_simultaneous):
        steps = list(group)
        lines += map(_line_of, _sorted(steps) if are_simultaneous else steps)
    return lines


def _is_of_game(step: JournalStep) -> bool:
    return len(step.entries) > 1 or not isinstance(step.entries[0], _OF_CONNECTIONS)


def _is_simultaneous(step: JournalStep) -> bool:
    """Tell whether a step answers a question that several seats may be asked at the same time."""
    given = step.entries[0]
    return isinstance(given, SeatReady) or (isinstance(given, ActionTaken) and isinstance(given.action, _SIMULTANEOUS))


def _sorted(steps: list[JournalStep]) -> list[JournalStep]:
    """Return answers to simultaneous questions by seat; what follows from all of them stays with the last."""
    answers = sorted((step.entries[0] for step in steps), key=lambda given: getattr(given, "seat", -1))
    return [
        JournalStep(0, [answer, *step.entries[1:]], step.start) for answer, step in zip(answers, steps, strict=True)
    ]


def _line_of(step: JournalStep) -> str:
    start = None if step.start is None else _with_everybody_here(step.start)
    return write_step(JournalStep(0, step.entries, start))


def _with_everybody_here(start: BeforeKyoku) -> BeforeKyoku:
    chairs = tuple(replace(chair, presence=Presence.PRESENT, grace=0, dropped_at=0) for chair in start.chairs)
    return replace(start, chairs=chairs)
