"""Which bots complete a table of a room, in which order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ump.model.value import value
from ump.net.bot_commands import Command
from ump.net.config import BotSeats


@value
class BotSeat:
    """A bot that is to have a seat."""

    kind: str
    """Its policy, or the dialect of a program."""
    name: str
    command: Command | None = None
    """What starts it, if it is a program of its own."""


def bot_seats(house: tuple[BotSeats, ...], places: int = 0) -> Iterator[BotSeat]:
    """Yield the bots that may complete a table: each kind as often as the room allows, in its order.

    ``places``: how many child processes may be started now; bots beyond that are left out.
    """
    numbers: Counter[str] = Counter()
    for seats in house:
        most = seats.most
        if seats.command is not None:
            most = min(most, places)
            places -= most
        for _ in range(most):
            numbers[seats.kind] += 1
            yield BotSeat(seats.kind, f"{seats.kind}-{numbers[seats.kind]}", seats.command)
