"""The line of a room that anybody may join: a game begins when a table is full, or when built-in bots complete it."""

from __future__ import annotations

from itertools import islice
from math import ceil

from twisted.internet.interfaces import IDelayedCall
from twisted.logger import Logger

from ump.net.limits import PLACE_SECONDS
from ump.server.bots import BotSeat, bot_seats
from ump.server.gathering import Gathering
from ump.server.rated_rounds import RatedRounds
from ump.server.room import Room


def gathering_of(room: Room) -> Gathering:
    """Return the gathering that a room of the operator has by its settings.

    Without records there are no ratings, so a rated room is then as any other.
    """
    ladder = room.parts.ladder
    if room.settings.rated and ladder is not None:
        return RatedRounds(room, ladder)
    return OpenLine(room)


class OpenLine(Gathering):
    """Players sit down in the order in which they came; built-in bots join only if they complete a table."""

    _log = Logger()

    def __init__(self, room: Room) -> None:
        self._room = room
        self._line = room.waiting_line
        self._clock = room.parts.clock
        self._children = room.parts.children
        self._timer: IDelayedCall | None = None
        """The arrival of the built-in bots."""
        self._has_complained = False
        """Whether the log already has the line that this table cannot fill."""

    def look(self) -> None:
        """Begin a game for every full table; tell the rest how many wait, and schedule built-in bots."""
        while self._line.missing <= 0 and self._begin([]):
            pass
        for player in self._room.line:
            player.connection.tell_waiting(len(self._line), self._room.players)
        self._arm()

    def stop(self) -> None:
        """Schedule no game until somebody comes."""
        if self._timer is not None and self._timer.active():
            self._timer.cancel()

    def _begin(self, bots: list[BotSeat]) -> bool:
        """Begin a game of the next players and these bots; return whether one begins."""
        has_begun = self._room.begin_game(self._line.next_players, bots)
        if has_begun:
            self._has_complained = False
        return has_begun

    def _arm(self) -> None:
        """Schedule the arrival of the built-in bots that complete the next table."""
        self.stop()
        due = self._line.bots_due()
        if due is None:
            self._has_complained = False
            return
        if self._line.missing <= 0:  # no game may begin now; the room looks again when one may
            return
        soonest = 0.0
        if self._has_complained and not self._bots():
            if not self._bots(places=self._room.players):
                return
            soonest = PLACE_SECONDS
        seconds = max(soonest, due - self._clock.seconds())
        self._timer = self._clock.callLater(seconds, self._complete)
        if seconds > 0 and self._bots():
            for player in self._line:
                player.connection.tell(lambda session: session.count_down(ceil(seconds)))

    def _bots(self, places: int | None = None) -> list[BotSeat]:
        """Return the bots that complete the table, or an empty list if the room has too few.

        At most ``places`` of them are child processes; by default, as many as may be started now.
        """
        if places is None:
            places = self._children.places
        names = (player.name for player in self._line)
        missing = self._line.missing
        bots = list(islice(bot_seats(self._room.settings.house, places, names), missing))
        return bots if len(bots) == missing else []

    def _complete(self) -> None:
        """Seat built-in bots beside the waiting players, or log that the room has too few.

        No arrival has made the server look for new bans, so it looks at those who have waited.
        """
        if self._bots():
            for player in self._room.line:
                if player.connection.look_again is not None:
                    player.connection.look_again(player.connection)
        if not len(self._line):
            return
        bots = self._bots()
        if bots:
            self._begin(bots)
            return
        if not self._has_complained:
            self._has_complained = True
            self._log.info(
                "{room}: a table cannot fill: {seated} of {seats} seated, and there are too few built-in bots",
                room=self._room.name,
                seated=len(self._line),
                seats=self._room.players,
            )
        self._arm()
