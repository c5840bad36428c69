"""The bots that complete a table of a room, in their order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ump.model.value import value
from ump.net.bot_commands import BotSeats, Command


@value
class BotSeat:
    """A bot that takes a seat."""

    kind: str
    """The name of its policy, or the dialect of a child process."""
    name: str
    command: Command | None = None
    """The command that starts it, if it is a child process."""


def bot_seats(house: tuple[BotSeats, ...], places: int = 0) -> Iterator[BotSeat]:
    """Yield the bots that may complete a table: each kind as often as the room allows, in its order.

    At most ``places`` of them are child processes.
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
