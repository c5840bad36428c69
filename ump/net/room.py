"""A room: its line of players who wait, and its running tables."""

from __future__ import annotations

from itertools import islice

from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger

from ump.net.child_bots import Children
from ump.net.config import RoomSettings
from ump.net.gallery import Gallery
from ump.net.game_quota import GameQuota
from ump.net.guest import Guest
from ump.net.house import Filler, fillers
from ump.net.limits import PLACE_SECONDS
from ump.net.log_folder import LogFolder
from ump.net.running import RunningTable
from ump.net.seeds import Seeds, by_lot


class Room:
    """Players line up in the order in which they come, and as many as the ruleset seats make a table.

    Who stays for another game goes to the front of the line, together: so they keep their table, and whoever is
    next in line takes the place of one who left. House players come only where they complete a table.
    """

    _log = Logger()

    def __init__(
        self,
        settings: RoomSettings,
        seeds: Seeds,
        clock: IReactorTime,
        *,
        quota: GameQuota | None = None,
        logs: LogFolder | None = None,
        children: Children | None = None,
    ) -> None:
        """Open a room; its games count for the quota and are logged in the folder, where there is one.

        ``children`` starts the bots among its house players; without it there are none.
        """
        self.settings = settings
        self._children = children
        self._quota = quota or GameQuota()
        self._logs = logs
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
        staying = [guest for guest in table.guests.values() if self._stays(guest)]
        for guest in staying:
            guest.wait_in(self, now)
        self._line[:0] = staying
        self._quota.end()
        self._seat()

    def _stays(self, guest: Guest) -> bool:
        """Tell whether a guest plays another game; one that cannot be told what is next goes."""
        try:
            return guest.stays()
        except Exception:  # ours, whatever it is: it must not reach the others
            self._log.failure("{room}: {name} cannot be told what is next", room=self.name, name=guest.name)
            guest.connection.cut()
            return False

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
        while len(self._line) >= seats and self._quota.begin():
            self._open(self._line[:seats])
        self._tell_waiting()
        self._arm()

    def _open(self, guests: list[Guest], house: list[Filler] | None = None) -> None:
        """Begin a game, which the quota knows of, of these guests from the head of the line."""
        del self._line[: len(guests)]
        self._is_named = False
        self._games += 1
        name = f"{self.name}-{self._games}"
        seed = self._seeds.of(name)
        players = by_lot([*guests, *map(self._come, house or ())], seed)
        try:
            log = None if self._logs is None else self._logs.open(name, self._clock.seconds())
            table = RunningTable(name, self.settings, seed, players, self._clock, self.finish, log)
        except Exception:  # ours, whatever it is: it must not reach the others in this room
            self._log.failure("{table} cannot be laid", table=name)
            for player in players:
                if isinstance(player, Guest):
                    player.turn_away("internal error, this table is closed")
            self._quota.end()
            return
        self._tables.append(table)
        self.gallery.open(table.screen)
        table.begin()

    def _come(self, filler: Filler) -> Guest | Filler:
        """Return a house player as who takes its seat: a bot of its own is a guest of the table."""
        if filler.command is None or self._children is None:
            return filler
        return self._children.guest(filler.name, filler.command)

    def _tell_waiting(self) -> None:
        seated, seats = len(self._line), self.settings.ruleset.seats
        for guest in self._line:
            guest.connection.tell_waiting(seated, seats)

    def _arm(self) -> None:
        """Set the timer for the house to complete the table that the line's head waits for."""
        self._stop_timer()
        if not self._line:
            self._is_named = False
            return
        soonest = 0.0
        if self._is_named and not self._house():
            if not self._house(places=self.settings.ruleset.seats):
                return
            soonest = PLACE_SECONDS
        since = min(guest.since for guest in self._line)
        delay = since + self.settings.house_after - self._clock.seconds()
        self._timer = self._clock.callLater(max(soonest, delay), self._complete)

    def _stop_timer(self) -> None:
        if self._timer is not None and self._timer.active():
            self._timer.cancel()

    def _house(self, places: int | None = None) -> list[Filler]:
        """Return the house players who complete the table, or none where they are too few.

        ``places``: how many bots of the server's own may be among them; by default, as many as may be started now.
        """
        missing = self.settings.ruleset.seats - len(self._line)
        if places is None or self._children is None:
            places = 0 if self._children is None else self._children.places
        house = list(islice(fillers(self.settings.house, places), missing))
        return house if len(house) == missing else []

    def _complete(self) -> None:
        """Seat house players beside those who wait, or say that there are too few."""
        house = self._house()
        if house:
            if self._quota.begin():
                self._open(self._line[:], house)
            return
        if not self._is_named:
            self._is_named = True
            self._log.info(
                "{room}: a table cannot fill: {seated} of {seats} seated, and the house players are too few",
                room=self.name,
                seated=len(self._line),
                seats=self.settings.ruleset.seats,
            )
        self._arm()
