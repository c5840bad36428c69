"""Find the order of the moves of a kyoku in tenhou.net/6 JSON, which lists them for each seat alone.

After a discard the next seat draws, unless the next entry of another seat calls this tile. If both are possible, a call
comes first, as in Tenhou's viewer; if the rest then does not fit, the other way is tried.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from ump.model.notation import NotationError
from ump.model.seats import Seat, others_after
from ump.model.value import value
from ump.record.recorded_game import RecordError
from ump.record.tenhou6.tiles import NUMBERS, read_meld

Entry: TypeAlias = int | str
"""A tile or a meld, as the record has it."""

MOST_STEPS = 10_000
"""Limit of moves that are tried for one kyoku; a real one has 200, and seldom needs a second way."""

TSUMOGIRI = 60


@value
class Move:
    """A take or a discard of one seat."""

    seat: Seat
    entry: Entry
    """For tsumogiri, the number of the drawn tile."""
    is_take: bool
    tsumogiri: bool = False
    riichi: bool = False
    index: int = 0
    """Its place in the column of takes or discards."""


@value
class _Place:
    """How far the columns of all seats are used up."""

    takes: tuple[int, ...]
    discards: tuple[int, ...]
    seat: Seat
    """The seat that takes next."""
    moves: int
    """The number of moves before."""


class Columns:
    """The takes and the discards of each seat."""

    def __init__(self, takes: Sequence[Sequence[Entry]], discards: Sequence[Sequence[Entry]]) -> None:
        """Begin with a column of each player."""
        self._seats = len(takes)
        self._takes = takes
        self._discards = discards
        self._moves: list[Move] = []
        self._steps = 0
        self.furthest: list[Move] = []
        """The longest order that was found when no order fits."""

    def ordered(self, dealer: Seat) -> list[Move]:
        """Return all moves in an order that fits; raise RecordError if there is none."""
        nothing = (0,) * self._seats
        ways = [_Place(nothing, nothing, dealer, 0)]
        while ways:
            place = ways.pop()
            del self._moves[place.moves :]
            try:
                found = self._turn(place)
            finally:
                if len(self._moves) > len(self.furthest):
                    self.furthest = self._moves[:]
            if found is None:
                return self._moves
            ways += reversed(found)
        raise RecordError("takes and discards do not fit together")

    def _turn(self, place: _Place) -> list[_Place] | None:
        """Add the moves of one turn. Return the ways to go on, the likeliest first; None if all columns are used up."""
        takes, discards, seat = list(place.takes), list(place.discards), place.seat
        drawn: Entry | None = None
        while True:
            self._steps += 1
            if self._steps > MOST_STEPS:
                raise RecordError("takes and discards are too ambiguous")
            if takes[seat] == len(self._takes[seat]):
                return None if self._is_end(takes, discards) else []
            drawn = self._takes[seat][takes[seat]]
            takes[seat] += 1
            self._moves.append(Move(seat, drawn, is_take=True, index=takes[seat] - 1))
            column = self._discards[seat]
            is_kan = isinstance(drawn, str) and "m" in drawn
            if is_kan:
                discards[seat] += discards[seat] < len(column) and column[discards[seat]] == 0
                continue
            if discards[seat] == len(column):
                return None if self._is_end(takes, discards) else []
            entry = column[discards[seat]]
            discards[seat] += 1
            move = replace(_discard(seat, entry, drawn), index=discards[seat] - 1)
            self._moves.append(move)
            if isinstance(move.entry, int):
                break
        if self._is_end(takes, discards):
            return None
        following = self._following(takes, seat, move.entry)
        return [_Place(tuple(takes), tuple(discards), after, len(self._moves)) for after in following]

    def _is_end(self, takes: Sequence[int], discards: Sequence[int]) -> bool:
        used = [*zip(takes, self._takes, strict=True), *zip(discards, self._discards, strict=True)]
        return all(count == len(column) for count, column in used)

    def _following(self, takes: Sequence[int], seat: Seat, tile: int) -> list[Seat]:
        """Return the seats that may take next after a discard: callers, chi last, then the next seat for its draw."""
        callers: list[tuple[bool, Seat]] = []
        for other in others_after(seat, self._seats):
            column = self._takes[other]
            entry = column[takes[other]] if takes[other] < len(column) else None
            if isinstance(entry, str) and _calls(entry, other, seat, tile):
                callers.append(("c" in entry, other))
        after = (seat + 1) % self._seats
        column = self._takes[after]
        draws = [after] if takes[after] < len(column) and isinstance(column[takes[after]], int) else []
        return [caller for _, caller in sorted(callers)] + draws


def _calls(text: str, owner: Seat, source: Seat, tile: int) -> bool:
    """Tell whether a meld calls this tile from this seat."""
    try:
        meld = read_meld(text, owner)
    except NotationError as error:
        raise RecordError(str(error)) from None
    return meld.source == source and meld.called is not None and NUMBERS[meld.called] == tile


def _discard(seat: Seat, entry: Entry, drawn: Entry | None) -> Move:
    """Return the move of an entry among the discards; raise RecordError if it is none."""
    riichi = isinstance(entry, str) and entry.startswith("r")
    number: Entry = entry
    if riichi and isinstance(entry, str):
        if not entry[1:].isascii() or not entry[1:].isdigit() or len(entry) > 4:
            raise RecordError(f"discard {entry[:20]!a}")
        number = int(entry[1:])
    if number != TSUMOGIRI:
        return Move(seat, number, is_take=False, riichi=riichi)
    if not isinstance(drawn, int):
        raise RecordError("a drawn tile is discarded without a draw")
    return Move(seat, drawn, is_take=False, tsumogiri=True, riichi=riichi)
