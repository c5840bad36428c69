"""A room: its line of players who wait, and its running tables."""

from __future__ import annotations

from itertools import islice

from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger

from ump.net.config import RoomSettings
from ump.net.gallery import Gallery
from ump.net.guest import Guest
from ump.net.house import Filler, fillers
from ump.net.running import RunningTable
from ump.net.seeds import Seeds, by_lot


class Room:
    """Players line up in the order in which they come, and as many as the ruleset seats make a table.

    Who stays for another game goes to the front of the line, together: so they keep their table, and whoever is
    next in line takes the place of one who left. House players come only where they complete a table.
    """

    _log = Logger()

    def __init__(self, settings: RoomSettings, seeds: Seeds, clock: IReactorTime) -> None:
        self.settings = settings
        self.gallery = Gallery()
        self._seeds = seeds
        self._clock = clock
        self._line: list[Guest] = []
        self._tables: list[RunningTable] = []
        self._games = 0
        self._timer: IDelayedCall | None = None
        self._is_open = True
        self._is_named = False
        """Whether the log has said of this line that its table cannot fill."""

    @property
    def name(self) -> str:
        """What clients call the room."""
        return self.settings.name

    def welcome(self, guest: Guest) -> None:
        """Let a guest line up."""
        guest.wait_in(self, self._clock.seconds())
        self._line.append(guest)
        self._seat()

    def leave(self, guest: Guest) -> None:
        """Take one who has gone out of the line."""
        self._log.info("{room}: {name} leaves the line", room=self.name, name=guest.name)
        self._line.remove(guest)
        self._seat()

    def finish(self, table: RunningTable) -> None:
        """Put a table away that is over; who stays lines up in front."""
        self._tables.remove(table)
        self.gallery.close(table.screen)
        now = self._clock.seconds()
        staying = [guest for guest in table.guests.values() if guest.stays()]
        for guest in staying:
            guest.wait_in(self, now)
        self._line[:0] = staying
        self._seat()

    def close(self) -> None:
        """Seat nobody any more, and stop all games."""
        self._is_open = False
        self._stop_timer()
        for table in tuple(self._tables):
            table.stop()

    def _seat(self) -> None:
        """Open every table that is full, and see to the rest of the line."""
        if not self._is_open:
            return
        seats = self.settings.ruleset.seats
        while len(self._line) >= seats:
            self._open(self._line[:seats])
        self._tell_waiting()
        self._arm()

    def _open(self, guests: list[Guest], house: list[Filler] | None = None) -> None:
        """Begin a game of these guests from the head of the line."""
        del self._line[: len(guests)]
        self._is_named = False
        self._games += 1
        name = f"{self.name}-{self._games}"
        seed = self._seeds.of(name)
        players = by_lot([*guests, *(house or ())], seed)
        try:
            table = RunningTable(name, self.settings, seed, players, self._clock, self.finish)
        except Exception:  # ours, whatever it is: it must not reach the others in this room
            self._log.failure("{table} cannot be laid", table=name)
            for guest in guests:
                guest.turn_away("internal error, this table is closed")
            return
        self._tables.append(table)
        self.gallery.open(table.screen)
        table.begin()

    def _tell_waiting(self) -> None:
        seated, seats = len(self._line), self.settings.ruleset.seats
        for guest in self._line:
            guest.connection.tell_waiting(seated, seats)

    def _arm(self) -> None:
        """Set the timer for the house to complete the table that the line's head waits for."""
        self._stop_timer()
        if not self._line:
            self._is_named = False
        elif self._house() or not self._is_named:
            since = min(guest.since for guest in self._line)
            delay = since + self.settings.house_after - self._clock.seconds()
            self._timer = self._clock.callLater(max(0, delay), self._complete)

    def _stop_timer(self) -> None:
        if self._timer is not None and self._timer.active():
            self._timer.cancel()

    def _house(self) -> list[Filler]:
        """Return the house players who complete the table, or none where they are too few."""
        missing = self.settings.ruleset.seats - len(self._line)
        house = list(islice(fillers(self.settings.house), missing))
        return house if len(house) == missing else []

    def _complete(self) -> None:
        """Seat house players beside those who wait, or say that there are too few."""
        house = self._house()
        if house:
            self._open(self._line[:], house)
            return
        self._is_named = True
        self._log.info(
            "{room}: a table cannot fill: {seated} of {seats} seated, and the house players are too few",
            room=self.name,
            seated=len(self._line),
            seats=self.settings.ruleset.seats,
        )
