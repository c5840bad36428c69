"""Seats at a table, numbered from the first dealer of the game. Where a seat may be None, None is a spectator."""

from __future__ import annotations

from functools import cache
from typing import TypeAlias

Seat: TypeAlias = int

PLAYERS = (3, 4)
"""The numbers of players that a game can have."""

LETTERS = "ABCD"
"""The names of the seats in UMP."""


def seat_after(seat: Seat, seats: int) -> Seat:
    """Return the seat whose turn follows; ``seats`` is the number of players."""
    return (seat + 1) % seats


@cache
def others_after(seat: Seat, seats: int) -> tuple[Seat, ...]:
    """Return the other seats in turn order, the next one first."""
    return tuple((seat + step) % seats for step in range(1, seats))


@cache
def seats_from(seat: Seat, seats: int) -> tuple[Seat, ...]:
    """Return every seat in turn order, this one first."""
    return (seat, *others_after(seat, seats))


def wind_of(seat: Seat, dealer: Seat, seats: int) -> int:
    """Return a seat's own wind: 0 east (the dealer), 1 south, 2 west, 3 north."""
    return (seat - dealer) % seats
