"""The deeds of each player in a game, counted from its events in one pass. ``docs/records.md`` defines every count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import fields

from ump.model import events as ev
from ump.model.seats import Seat
from ump.model.value import value


@value
class PlayerCounts:
    """The counts of one player in one game. The names are those of the columns in the index."""

    kyoku: int = 0
    """The kyoku that were played to a result."""
    wins: int = 0
    tsumo: int = 0
    """The wins by tsumo."""
    deal_ins: int = 0
    """The rons on this player's tiles; each of a double ron counts."""
    riichi: int = 0
    """The kyoku in which the player declared riichi, even if its tile was ronned."""
    calls: int = 0
    """The kyoku in which the player called at least one tile: chi, pon or open kan."""
    draws: int = 0
    """The exhaustive draws."""
    tenpai: int = 0
    """The exhaustive draws at which the player declared tenpai."""
    win_points: int = 0
    """Points received for wins, with honba and sticks."""
    deal_in_points: int = 0
    """Points paid for deal-ins, with honba."""
    answers: int = 0
    """The questions that the player answered itself; ``ready?`` is none."""
    answer_milliseconds: int = 0
    """The sum of the times from each of these questions to its answer."""
    longest_answer: int = 0
    """The longest of these times, in milliseconds."""
    refusals: int = 0
    """The refused answers."""
    timeouts: int = 0
    """The questions whose time ran out."""


COUNTED = tuple(field.name for field in fields(PlayerCounts))
"""The names of all counts."""


class GameCounter:
    """Counts the events of one game. Counts from other sources, such as answers, are added with ``count``."""

    def __init__(self, seats: int) -> None:
        self._counts: tuple[Counter[str], ...] = tuple(Counter() for _ in range(seats))
        self._begin_kyoku()

    def _begin_kyoku(self) -> None:
        """Forget what a kyoku without a result has had."""
        self._done: set[tuple[Seat, str]] = set()
        """The counts that this kyoku raises by one, if it comes to a result."""
        self._is_over = False

    def see_all(self, events: Iterable[ev.Event]) -> None:
        """Count events, most of which count nothing."""
        for event in events:
            kind = type(event)
            if kind is not ev.TileDrawn and kind is not ev.TileDiscarded:
                self.see(event)

    def see(self, event: ev.Event) -> None:
        """Count an event."""
        match event:
            case ev.KyokuStarted():
                self._begin_kyoku()
            case ev.RiichiDeclared():
                self._done.add((event.seat, "riichi"))
            case ev.TileCalled():
                self._done.add((event.seat, "calls"))
            case ev.TenpaiDeclared(tenpai=True):
                self._done.add((event.seat, "tenpai"))
            case ev.HandWon():
                self._end_kyoku(is_draw=False)
                self._win(event)
            case ev.KyokuDrawn():
                self._end_kyoku(is_draw=event.reason is ev.DrawReason.EXHAUSTED)
            case _:
                pass  # the others count nothing

    def count(self, seat: Seat, what: str, number: int = 1) -> None:
        """Raise a count, one of ``COUNTED``, by a number."""
        self._counts[seat][what] += number

    def note_answer(self, seat: Seat, milliseconds: int) -> None:
        """Count an answer and its time."""
        self.count(seat, "answers")
        self.count(seat, "answer_milliseconds", milliseconds)
        counts = self._counts[seat]
        counts["longest_answer"] = max(counts["longest_answer"], milliseconds)

    def counts(self) -> tuple[PlayerCounts, ...]:
        """Return the counts so far, by seat."""
        return tuple(PlayerCounts(**counts) for counts in self._counts)

    def _end_kyoku(self, *, is_draw: bool) -> None:
        """Count a kyoku at its first result; further ones are the other wins of a double ron."""
        if self._is_over:
            return
        self._is_over = True
        for seat in range(len(self._counts)):
            self.count(seat, "kyoku")
            if is_draw:
                self.count(seat, "draws")
        for seat, what in self._done:
            if what != "tenpai" or is_draw:
                self.count(seat, what)

    def _win(self, event: ev.HandWon) -> None:
        """Count a win and, with a ron, a deal-in."""
        self.count(event.seat, "wins")
        if event.changes:  # a record may not state them
            self.count(event.seat, "win_points", event.changes[event.seat])
        if event.loser is None:
            self.count(event.seat, "tsumo")
        else:
            self.count(event.loser, "deal_ins")
            if event.changes:
                self.count(event.loser, "deal_in_points", -event.changes[event.loser])
