"""Collects what a record states into kyoku, for formats whose readers return events one after the other."""

from __future__ import annotations

from dataclasses import replace

from ump.model.events import DoraRevealed, Event, HandDealt, KyokuStarted
from ump.model.seats import Seat
from ump.model.tiles import Face
from ump.record.lint.findings import Findings, Place, Rule
from ump.record.lint.statements import Entry, StatedKyoku, Unclear
from ump.record.recorded_game import Stated
from ump.rules.presets import TENHOU3
from ump.rules.ruleset import Ruleset


class Collector:
    """Collects the kyoku of one game. ``Findings.kyoku`` follows them."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self.kyoku: list[StatedKyoku] = []
        """The kyoku so far; the last one has no entries yet."""
        self._entries: list[Entry] = []
        self._started: KyokuStarted | None = None
        self._hands: dict[Seat, tuple[Face, ...] | None] = {}
        self._is_lost = True
        """Whether no kyoku is being read: before the first one, and after the start of one that is unreadable."""
        self._has_said = False

    def add(self, place: Place, event: Event, stated: Stated | None = None) -> None:
        """Add an event of the record."""
        match event:
            case KyokuStarted():
                self._finish()
                self._started, self._hands = event, {}
            case HandDealt():
                self._hands[event.seat] = event.faces
            case DoraRevealed() if self._started is not None:
                self._start(place, event.indicator)
                if stated is not None:
                    self.kyoku[-1] = replace(self.kyoku[-1], number=stated.number)
            case _:
                self.enter(Entry(place, event, stated))

    def enter(self, entry: Entry) -> None:
        """Add an entry to the current kyoku."""
        if not self._is_lost:
            self._entries.append(entry)
        elif not self._has_said:
            self._has_said = True
            self._findings.add(entry.place, Rule.UNREADABLE, "the start of a kyoku", "a move")

    def lose(self, place: Place, seat: Seat | None) -> None:
        """Note an entry that is some move of a seat, but makes no sense."""
        if not self._is_lost:
            self._entries.append(Entry(place, Unclear(seat)))

    def skip_kyoku(self) -> None:
        """Note the start of a kyoku that is unreadable: what follows up to the next one is left out."""
        self._finish()
        self._findings.kyoku += 1
        self._is_lost = self._has_said = True

    def finished(self) -> tuple[StatedKyoku, ...]:
        """Return all kyoku."""
        self._finish()
        return tuple(self.kyoku)

    def _start(self, place: Place, indicator: Face) -> None:
        started = self._started
        assert started is not None
        self._findings.kyoku += 1
        hands = tuple(self._hands.get(seat) for seat in range(len(started.points)))
        self.kyoku.append(StatedKyoku(place, started, hands, indicator, (), ordinal=self._findings.kyoku))
        self._started, self._is_lost = None, False

    def _finish(self) -> None:
        if self._entries:
            self.kyoku[-1] = replace(self.kyoku[-1], entries=tuple(self._entries))
        self._entries = []


def with_start(assumed: Ruleset, started: KyokuStarted | None) -> Ruleset:
    """Return assumed rules for a game with this first kyoku: its number of players and its starting points."""
    if started is None:
        return assumed
    if len(started.points) == TENHOU3.seats and assumed.seats != TENHOU3.seats:
        assumed = TENHOU3
    is_first = (started.bakaze, started.dealer, started.honba, started.kyotaku) == (0, 0, 0, 0)
    points = set(started.points)
    return replace(assumed, start_points=points.pop()) if is_first and len(points) == 1 else assumed
