"""The programs of one game of an arena: takes their seats at the start, and brings them back after a loss."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ump.arena.watched import AnswerCounts
from ump.model.seats import Seat
from ump.server.arena.door import Door, StartedBot
from ump.server.arena.game import RETURN_SECONDS, Here
from ump.server.arena.programs import ChildProgram, Program
from ump.server.child_bots import ChildBots
from ump.server.player_connection import PlayerConnection

LOOK_SECONDS = 0.5
"""How often a game looks whether the process of a lost connection has ended, too."""


class GamePrograms:
    """The processes and connections of the programs of one game."""

    def __init__(
        self,
        seating: Sequence[int],
        names: Sequence[str],
        counts: Mapping[Seat, AnswerCounts],
        programs: Mapping[int, Program],
        doors: Mapping[int, Door],
        children: ChildBots,
    ) -> None:
        """``seating`` and ``names`` are by seat, ``counts`` those of the seats of programs."""
        self._seating = seating
        self._names = names
        self._counts = counts
        self._programs = programs
        self._doors = doors
        self._children = children
        self._bots: dict[StartedBot, int] = {}
        """The processes that connect by themselves, each with its player."""
        self.is_over = False
        """Whether the game is over."""

    async def seated(self) -> dict[Seat, PlayerConnection]:
        """Return the programs of the game, by seat, without those that do not come."""
        players: dict[Seat, PlayerConnection] = {}
        expected: dict[Seat, StartedBot | None] = {}
        for seat in self._counts:
            if isinstance(self._programs[self._seating[seat]], ChildProgram):
                players[seat] = self._child(seat)
            elif self._door(seat).is_by_hand:
                expected[seat] = None
            elif (started := self._start(seat)) is not None:
                expected[seat] = started
        for seat, awaited in expected.items():
            player = await self._door(seat).take(awaited)
            if player is not None:
                players[seat] = player
            elif awaited is not None:
                self._counts[seat].first_error = awaited.why_absent
        return players

    async def again(self, seat: Seat, here: Here) -> PlayerConnection | None:
        """Bring the program of a seat back; None if it does not come. ``here`` returns the programs with connections.

        A command is started again if its process has ended. Otherwise the bot may connect again by itself: as copies
        of one player are alike, any of them may take the seat.
        """
        player = self._seating[seat]
        if isinstance(self._programs[player], ChildProgram):
            return self._child(seat)
        started = None
        for _ in range(round(RETURN_SECONDS / LOOK_SECONDS)):
            back = await self._door(seat).take(started, LOOK_SECONDS)
            if back is not None or (started is not None and started.status is not None):
                return back
            if seat in here():  # by its token
                return None
            seats = sum(self._seating[each] == player for each in here())
            if not self._door(seat).is_by_hand and started is None and self._running(player) <= seats:
                started = self._start(seat)
                if started is None:
                    return None
        return None

    def stop(self) -> None:
        """Let all processes that were started for this game end: it is over."""
        self.is_over = True
        for bot in self._bots:
            bot.stop()

    def running(self) -> set[StartedBot]:
        """Return the processes that connect by themselves and have not ended."""
        return {bot for bot in self._bots if bot.status is None}

    def _running(self, player: int) -> int:
        return sum(self._bots[bot] == player for bot in self.running())

    def _door(self, seat: Seat) -> Door:
        return self._doors[self._seating[seat]]

    def _child(self, seat: Seat) -> PlayerConnection:
        """Return a program on pipes, which starts when it sits down."""
        program = self._programs[self._seating[seat]]
        assert isinstance(program, ChildProgram)
        counts = self._counts[seat]

        def _report(why: str) -> None:
            counts.first_error = counts.first_error or why[:200]

        return self._children.start_later(self._names[seat], program.command, _report)

    def _start(self, seat: Seat) -> StartedBot | None:
        """Start a bot that connects by itself; None, with the reason counted, if that fails."""
        counts = self._counts[seat]
        try:
            bot = self._door(seat).start(self._names[seat])
        except OSError as error:
            counts.first_error = counts.first_error or f"it could not be started: {error.strerror or error}"
            return None
        self._bots[bot] = self._seating[seat]
        return bot
