"""Blocks of an arena in which programs play: several at a time, in this process, on a reactor of its own."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from concurrent.futures import Future
from functools import cache, partial
from itertools import islice
from types import TracebackType

from twisted.internet.defer import Deferred, DeferredLock, ensureDeferred, gatherResults
from twisted.logger import (
    FilteringLogObserver,
    LogLevel,
    LogLevelFilterPredicate,
    globalLogBeginner,
    textFileLogObserver,
)

from ump.arena.arena_setup import ArenaSetup, PlannedBlock
from ump.arena.blocks import ArenaGame, PlayedBlock, joined_block, seat_names, seating_of, watched_policy
from ump.arena.contestants import AnswerCounts, Clock
from ump.arena.tempo import Tempo
from ump.model.seats import Seat
from ump.net.arena.door import Door, StartedBot
from ump.net.arena.game import ProgramGame, ProgramTable
from ump.net.arena.programs import ChildProgram, GameStopped, NetworkProgram, Program
from ump.net.arena.reactor_thread import ReactorThread
from ump.net.child_bots import ChildBots
from ump.net.child_sessions import ChildLimits, ChildSessions
from ump.net.connection_budget import Budget
from ump.net.connection_limits import OpenConnections
from ump.net.limits import Limits, Rates
from ump.net.player_connection import PlayerConnection
from ump.table.clock import TimeControl
from ump.wire.dialect import RoomInfo

MOST_BOTS = 1_000
"""Processes and connections at a time: those of a game that is over need some seconds to end."""

UNLIMITED = 1_000_000
"""A rate for the bots of an arena, which are the operator's own."""

ROOM = "arena"
"""The name of the only room, for bots that ask."""

_LIMITS = Limits(
    Budget(connections=2 * MOST_BOTS, per_host=2 * MOST_BOTS),
    Rates(connections=UNLIMITED, logins=UNLIMITED, games=UNLIMITED),
    children=MOST_BOTS,
    child=ChildLimits(),
)


class ProgramArena:
    """Plays blocks of an arena. Each block follows from its number, as far as its programs do."""

    def __init__(
        self,
        setup: ArenaSetup,
        programs: Mapping[int, Program],
        times: TimeControl,
        clock: Clock,
        report: Callable[[str], object] = lambda _: None,
    ) -> None:
        """``programs`` are the players that are programs; the others are policies. ``clock`` is that of policies.

        ``report`` takes what the operator should know while games are played.
        """
        self._report = report
        self._setup = setup
        self._programs = programs
        self._times = times
        self._clock = clock
        self._thread = ReactorThread()
        self._reactor = reactor = self._thread.reactor
        self._sessions = ChildSessions(_LIMITS.child, reactor)
        self._children = ChildBots(_LIMITS, reactor, sessions=self._sessions)
        self._tables: set[ProgramTable] = set()
        self._games: set[Deferred[ArenaGame]] = set()
        self._started: set[StartedBot] = set()
        """The bots that connect by themselves and have not ended."""
        self._seating = DeferredLock()
        """Held while a game takes its programs: two games could wait for each other's."""
        self._is_open = True
        self._doors: dict[int, Door] = {}

    def __enter__(self) -> ProgramArena:
        """Open the ports; raises PortError."""
        self._thread.start()
        try:
            self._thread.call(self._open).result()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Stop all games, bots and ports."""
        self._thread.begin(self._close).result()
        self._thread.stop()

    @property
    def invitations(self) -> list[str]:
        """Where bots that somebody else starts may connect to, a line for each of their players."""
        return [door.invitation for door in self._doors.values() if door.invitation is not None]

    def results(self, planned: Iterable[PlannedBlock], at_once: int) -> Generator[PlayedBlock, None, None]:
        """Yield these blocks in their order; so many are played at a time, and fewer if programs answer slowly."""
        waiting = iter(planned)
        running: deque[Future[PlayedBlock]] = deque()
        tempo = Tempo(at_once, self._times.move, self._programs.keys())
        while True:
            for each in islice(waiting, max(0, tempo.blocks - len(running))):
                running.append(self._thread.begin(partial(self._play, each)))
            if not running:
                return
            played = running.popleft().result()
            slow = tempo.see(played[0])
            if slow is not None:
                self._report(f"answers of programs take up to {slow:,.0f} ms; blocks at a time: {tempo.blocks}")
            yield played

    # In the thread of the reactor

    def _open(self) -> None:
        """Prepare processes, and open the ports."""
        _log_bugs()
        reactor = self._reactor
        connections = OpenConnections(_LIMITS)
        room = RoomInfo(ROOM, self._setup.ruleset, 0, self._times.move, self._times.bank)
        self._doors = {
            player: Door(self._setup.entrants[player].name, program, room, connections, self._sessions, reactor)
            for player, program in self._programs.items()
            if isinstance(program, NetworkProgram)
        }
        for door in self._doors.values():
            door.open()

    async def _close(self) -> None:
        """Stop all games, bots and ports."""
        self._is_open = False
        for door in self._doors.values():
            door.close()
        for game in tuple(self._games):
            game.cancel()
        for table in tuple(self._tables):
            table.stop()
        await gatherResults([ensureDeferred(bot.end()) for bot in self._started if bot.status is None])
        await self._children.stopService()

    async def _play(self, planned: PlannedBlock) -> PlayedBlock:
        """Play the games of a block, one after the other."""
        setup = self._setup
        number, lineup = planned.number, planned.lineup
        games = []
        for game in range(setup.ruleset.seats):
            if not self._is_open:
                raise GameStopped("the arena is over")
            playing = ensureDeferred(self._play_game(number, game, seating_of(lineup, game)))
            self._games.add(playing)
            try:
                games.append(await playing)
            finally:
                self._games.discard(playing)
        return joined_block(number, games, len(setup.entrants))

    async def _play_game(self, number: int, game: int, seating: tuple[int, ...]) -> ArenaGame:
        setup = self._setup
        names = tuple(seat_names(setup.entrants, seating))
        policies = {
            seat: watched_policy(
                setup.entrants[player].kind, f"policy/{setup.seed}/{number}/{game}/{seat}", self._clock
            )
            for seat, player in enumerate(seating)
            if player not in self._programs
        }
        counts = {seat: AnswerCounts() for seat in range(len(seating)) if seat not in policies}
        bots: list[StartedBot] = []
        try:
            await self._seating.acquire()
            try:
                players = await self._seated(seating, names, counts, bots)
            finally:
                self._seating.release()
            details = ProgramGame(
                setup.ruleset, self._times, f"{ROOM}-{number}-{game}", f"{setup.seed}/{number}", names, seating
            )
            table = ProgramTable(details, policies, players, counts, self._reactor)
            self._tables.add(table)
            try:
                played = await table.play()
            finally:
                self._tables.discard(table)
            for seat, player in tuple(table.remaining.items()):
                self._let_go(seating[seat], player)
            return played
        finally:
            for bot in bots:
                bot.stop()

    async def _seated(
        self, seating: Sequence[int], names: Sequence[str], counts: Mapping[Seat, AnswerCounts], bots: list[StartedBot]
    ) -> dict[Seat, PlayerConnection]:
        """Return the programs of a game, by seat, without those that do not come. ``bots`` takes the started ones."""
        players: dict[Seat, PlayerConnection] = {}
        expected: dict[Seat, tuple[Door, StartedBot | None]] = {}
        for seat in counts:
            program = self._programs[seating[seat]]
            if isinstance(program, ChildProgram):
                players[seat] = self._children.start_later(names[seat], program.command, _reporter(counts[seat]))
                continue
            door = self._doors[seating[seat]]
            try:
                started = door.start(names[seat])
            except OSError as error:
                counts[seat].first_error = f"it could not be started: {error.strerror or error}"
                continue
            if started is not None:
                bots.append(started)
                self._started = {bot for bot in self._started if bot.status is None} | {started}
            expected[seat] = door, started
        for seat, (door, started) in expected.items():
            player = await door.take(started)
            if player is not None:
                players[seat] = player
            elif started is not None:
                counts[seat].first_error = started.why_absent
        return players

    def _let_go(self, player: int, connection: PlayerConnection) -> None:
        """Let a program go after its game, or wait for the next one."""
        if connection.end_game() and player in self._doors:
            self._doors[player].give_back(connection)


def _reporter(counts: AnswerCounts) -> Callable[[str], None]:
    """Return a function that keeps why a bot does not play on."""

    def _report(why: str) -> None:
        counts.first_error = counts.first_error or why[:200]

    return _report


@cache
def _log_bugs() -> None:
    """Write what Twisted logs as critical, which only bugs of the server are, to standard error.

    What was logged before the first arena of this process is not its own.
    """
    critical = LogLevelFilterPredicate(LogLevel.critical)
    observer = FilteringLogObserver(textFileLogObserver(sys.stderr), [critical])
    globalLogBeginner.beginLoggingTo([observer], discardBuffer=True, redirectStandardIO=False)
