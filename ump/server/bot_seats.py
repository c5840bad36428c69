"""The bots that complete a table of a room, in their order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count, islice

from ump.model.value import value
from ump.net.bot_commands import BOT_DIALECTS, BotSeats, Command


@value
class BotSeat:
    """A bot that takes a seat."""

    kind: str
    """The name of its policy, or the dialect of a child process."""
    name: str
    command: Command | None = None
    """The command that starts it, if it is a child process."""


def bot_seats(house: tuple[BotSeats, ...], places: int = 0, taken: Iterable[str] = ()) -> Iterator[BotSeat]:
    """Yield the bots that may complete a table: each kind as often as the room allows, in its order.

    At most ``places`` of them are child processes. No bot has a name of ``taken``, or that of another: those that the
    operator has named are ``alpha``, ``alpha-2``, and the others ``efficiency-1``, ``efficiency-2``.
    """
    used = set(taken)
    for seats in house:
        most = seats.most
        if seats.command is not None:
            most = min(most, places)
            places -= most
        for _ in range(most):
            name = next(name for name in _names(seats) if name not in used)
            used.add(name)
            yield BotSeat(seats.kind, name, seats.command)


def possible_names(house: tuple[BotSeats, ...]) -> Iterator[str]:
    """Yield the names that the bots of a room have, as long as fewer than ten players have taken one of them."""
    for seats in house:
        yield from islice(_names(seats), seats.most + 9)


def command_of(house: tuple[BotSeats, ...], dialect: str, name: str) -> Command | None:
    """Return the command that starts the bot of this name, which speaks this dialect; None if there is none."""
    for seats in house:
        if seats.command is not None and BOT_DIALECTS[seats.command.dialect].name == dialect:
            number = name.removeprefix(f"{seats.label}-")
            if name in (seats.label, f"{seats.label}-{number}") and (number.isdecimal() or name == seats.name):
                return seats.command
    return None


def _names(seats: BotSeats) -> Iterator[str]:
    """Yield the names that these bots may have, the first choice first."""
    for number in count(1):
        yield seats.label if number == 1 and seats.name is not None else f"{seats.label}-{number}"
