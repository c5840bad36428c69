"""Blocks of an arena in which programs play: several at a time, in this process, on a reactor of its own."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Coroutine, Generator, Iterable, Mapping
from concurrent.futures import Future
from functools import cache, partial
from itertools import islice
from threading import Thread
from types import TracebackType
from typing import Any, TypeVar

from twisted.internet.defer import Deferred, DeferredLock, ensureDeferred, gatherResults
from twisted.internet.pollreactor import PollReactor
from twisted.internet.process import reapProcessHandlers
from twisted.internet.task import LoopingCall
from twisted.logger import (
    FilteringLogObserver,
    LogLevel,
    LogLevelFilterPredicate,
    globalLogBeginner,
    textFileLogObserver,
)
from twisted.python.failure import Failure

from ump.arena.arena_setup import ArenaSetup
from ump.arena.block_play import Tempo, watched_player
from ump.arena.blocks import ArenaGame, PlannedBlock, PlayedBlock, joined_block, seat_names, seating_of
from ump.arena.watched import AnswerCounts, Clock
from ump.net.child_process import ChildSessions
from ump.net.connection_budget import Budget
from ump.net.connection_limits import OpenConnections
from ump.net.limits import ChildLimits, Limits, Rates
from ump.server.arena.door import Door
from ump.server.arena.game import GamePrograms, ProgramGame, ProgramTable
from ump.server.arena.programs import GameStopped, NetworkProgram, Program
from ump.server.bots import ChildBots
from ump.server.player_connection import PlayerConnection
from ump.server.seat_tokens import SeatTokens
from ump.table.clock import TimeControl
from ump.wire.dialect import RoomInfo

T = TypeVar("T")

REAP_SECONDS = 0.1
"""Seconds between looks for ended processes: the reactor gets no signals, because they go to the main thread."""

MOST_BOTS = 1_000
"""Processes and connections at a time: those of a game that is over need some seconds to end."""

UNLIMITED = 1_000_000
"""A rate for the bots of an arena, which are the operator's own."""

ROOM = "arena"
"""The name of the only room, for bots that ask."""

_LIMITS = Limits(
    Budget(connections=2 * MOST_BOTS, per_host=2 * MOST_BOTS),
    rates=Rates(connections=UNLIMITED, logins=UNLIMITED, games=UNLIMITED),
    children=MOST_BOTS,
    child=ChildLimits(nice=0),
)


class OwnReactor(PollReactor):
    """A reactor that looks for the ends of its own processes alone: those of others belong to other threads."""

    def __init__(self) -> None:
        super().__init__()
        self._processes: list[Any] = []

    def spawnProcess(self, *arguments: Any, **options: Any) -> Any:
        """Start a process, and remember it until its end."""
        process = super().spawnProcess(*arguments, **options)
        self._processes.append(process)
        return process

    def reap(self) -> None:
        """Look which processes have ended."""
        running: list[Any] = [each for each in self._processes if reapProcessHandlers.get(each.pid) is each]
        self._processes = running
        for process in running:
            process.reapProcess()


class ReactorThread:
    """Runs a reactor of its own, which is not that of the process, so that there may be several."""

    def __init__(self) -> None:
        self.reactor: Any = OwnReactor()
        self._reaping = LoopingCall(self.reactor.reap)
        self._reaping.clock = self.reactor
        self._thread = Thread(target=self._run, name="reactor", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def _run(self) -> None:
        self.reactor.callWhenRunning(self._reaping.start, REAP_SECONDS)
        self.reactor.run(installSignalHandlers=False)

    def call(self, function: Callable[..., T], *arguments: object) -> Future[T]:
        """Call a function in the thread, and return its result."""
        future: Future[T] = Future()

        def _run() -> None:
            try:
                future.set_result(function(*arguments))
            except BaseException as error:  # it belongs to the thread that waits for the result
                future.set_exception(error)

        self.reactor.callFromThread(_run)
        return future

    def begin(self, work: Callable[[], Coroutine[Deferred[Any], Any, T]]) -> Future[T]:
        """Run a coroutine in the thread, and return its result."""
        future: Future[T] = Future()

        def _run() -> None:
            ensureDeferred(work()).addCallbacks(future.set_result, _fail)

        def _fail(failure: Failure) -> None:
            assert failure.value is not None
            future.set_exception(failure.value)

        self.reactor.callFromThread(_run)
        return future

    def stop(self) -> None:
        """Stop the reactor, and wait for its thread."""
        self.reactor.callFromThread(self.reactor.stop)
        self._thread.join()


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
        self._started: set[GamePrograms] = set()
        """The programs of games that are not over, or of which a process still runs."""
        self._seating = DeferredLock()
        """Held while a game takes its programs: two games could wait for each other's."""
        self._is_open = True
        self._doors: dict[int, Door] = {}
        self._tokens = SeatTokens()

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
        """The addresses for bots that somebody else starts, a line for each of their players."""
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
            player: Door(
                self._setup.entrants[player].name, program, room, connections, self._sessions, self._tokens, reactor
            )
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
        bots = [bot for programs in self._started for bot in programs.running()]
        await gatherResults([ensureDeferred(bot.end()) for bot in bots])
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
            seat: watched_player(
                setup.entrants[player].kind, f"policy/{setup.seed}/{number}/{game}/{seat}", self._clock
            )
            for seat, player in enumerate(seating)
            if player not in self._programs
        }
        counts = {seat: AnswerCounts() for seat in range(len(seating)) if seat not in policies}
        programs = GamePrograms(seating, names, counts, self._programs, self._doors, self._children)
        self._started = {each for each in self._started if not each.is_over or each.running()} | {programs}
        try:
            await self._seating.acquire()
            try:
                players = await programs.seated()
            finally:
                self._seating.release()
            details = ProgramGame(
                setup.ruleset, self._times, f"{ROOM}-{number}-{game}", f"{setup.seed}/{number}", names, seating
            )
            table = ProgramTable(details, policies, players, counts, self._reactor, self._tokens, programs.again)
            self._tables.add(table)
            try:
                played = await table.play()
            finally:
                self._tables.discard(table)
            for seat, player in tuple(table.remaining.items()):
                self._let_go(seating[seat], player)
            return played
        finally:
            programs.stop()

    def _let_go(self, player: int, connection: PlayerConnection) -> None:
        """Let a program go after its game, or wait for the next one."""
        if connection.end_game() and player in self._doors:
            self._doors[player].give_back(connection)


@cache
def _log_bugs() -> None:
    """Write what Twisted logs as critical, which only bugs of the server are, to standard error.

    What was logged before the first arena of this process is not its own.
    """
    critical = LogLevelFilterPredicate(LogLevel.critical)
    observer = FilteringLogObserver(textFileLogObserver(sys.stderr), [critical])
    globalLogBeginner.beginLoggingTo([observer], discardBuffer=True, redirectStandardIO=False)
