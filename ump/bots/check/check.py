"""The check of one client: all situations in turn, and the room in which the client waits for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred

from ump.bots.check.run import Run
from ump.bots.check.situation import Situation
from ump.bots.check.starters import Awaited, ClientProcess, Starter
from ump.bots.check.verdict import SituationVerdict
from ump.net.connection import Idle
from ump.record.branch import Branch
from ump.server.player_connection import PlayerConnection
from ump.server.seat_tokens import SeatTokens
from ump.server.settings import OPEN, RoomSettings
from ump.server.spectators import Spectators, SpectatorTurns
from ump.table.clock import TimeControl

OVER = "the check is over"
"""The message to clients that come when all situations are played."""


class WaitingPlace(Idle):
    """The place that the connection of a client occupies between two situations."""

    def __init__(self, check: Check, player: PlayerConnection) -> None:
        self._check = check
        self._player = player

    @property
    def label(self) -> str:
        """The name of the client in reports."""
        return self._player.name

    def left(self) -> None:
        """Forget the client."""
        self._check.forget(self._player)


class Check:
    """Plays the situations one after the other."""

    def __init__(
        self,
        situations: Sequence[Situation],
        times: TimeControl,
        tokens: SeatTokens,
        reactor: Any,
        *,
        trace: Path | None = None,
        announce: Callable[[int, Situation], None] = lambda number, situation: None,
    ) -> None:
        """``announce`` is called before each situation; ``trace`` is the folder for transcripts."""
        self.over: Deferred[None] = Deferred()
        """Fires when all situations are played, or no further one can be."""
        self.verdicts: list[SituationVerdict] = []
        self._situations = situations
        self._starter: Starter = Awaited()
        self._times = times
        self._tokens = tokens
        self._reactor = reactor
        self.spectators = Spectators(SpectatorTurns(reactor))
        """Nobody: the tables cannot be watched."""
        self._trace = trace
        self._announce = announce
        self._run: Run | None = None
        self._waiting: list[PlayerConnection] = []
        self._processes: list[ClientProcess] = []

    @property
    def players(self) -> int:
        """The number of players at the tables."""
        return self._situations[0].seats

    def begin(self, starter: Starter) -> None:
        """Begin with the first situation; ``starter`` brings the client."""
        self._starter = starter
        self._next()

    def _next(self) -> None:
        """Begin the next situation, or end."""
        self._run = None
        if len(self.verdicts) == len(self._situations):
            self._end()
            return
        situation = self._situations[len(self.verdicts)]
        self._announce(len(self.verdicts) + 1, situation)
        if self.over.called:  # meanwhile the user has interrupted the check
            return
        run = Run(situation, self._starter, self._times, self._tokens, self._reactor, self._take)
        self._run = run
        if not isinstance(self._starter, Awaited):
            for player in self.waiting:
                self.turn_away(player, "another client has been started")
        run.start()
        if self._waiting and run.needs_client:
            run.seat(self._waiting.pop(0))

    def arrive(self, player: PlayerConnection) -> None:
        """Take a client that has said hello."""
        run = self._run
        if run is not None and run.needs_client:
            run.seat(player)
        elif self.over.called:
            player.turn_away(OVER)
        else:
            self._wait(player)
            if run is not None:
                run.meet_again()

    def forget(self, player: PlayerConnection) -> None:
        """Remove a waiting client that has left."""
        self._waiting.remove(player)

    async def when_ended(self) -> None:
        """Wait until all clients that the check has started have ended."""
        for process in self._processes:
            await process.end.when_taken()

    def stop(self) -> None:
        """End before all situations are played."""
        if self._run is not None:
            self._run.stop()
            if self._run.process is not None:
                self._processes.append(self._run.process)
        self._end()

    def _wait(self, player: PlayerConnection) -> None:
        self._waiting.append(player)
        player.connection.occupant = WaitingPlace(self, player)

    def _take(self, run: Run, verdict: SituationVerdict) -> None:
        """Take the verdict on the current situation."""
        if self._trace is not None and run.transcripts:
            verdict = replace(verdict, trace=str(self._write(self._trace, run)))
        self.verdicts.append(verdict)
        if run.process is not None:
            self._processes = [each for each in (*self._processes, run.process) if each.end.status is None]
        staying = run.staying
        if staying is not None and isinstance(self._starter, Awaited):
            self._wait(staying)
        elif staying is not None:
            staying.connection.dismiss()
        if run.is_fatal:
            self._end()
        else:
            self._reactor.callLater(0, self._next)

    def _write(self, folder: Path, run: Run) -> Path:
        path = folder / f"{len(self.verdicts) + 1:02}-{run.play.situation.name}.trace"
        path.write_text("".join(f"{line}\n" for line in _lines(run)), encoding="utf-8")
        return path

    @property
    def waiting(self) -> tuple[PlayerConnection, ...]:
        """The clients that wait for their next situation."""
        return tuple(self._waiting)

    def turn_away(self, player: PlayerConnection, message: str) -> None:
        """Turn a waiting client away."""
        self._waiting.remove(player)
        player.turn_away(message)

    def _end(self) -> None:
        if not self.over.called:
            self._run = None
            for player in self.waiting:
                self.turn_away(player, OVER)
            self.over.callback(None)


class CheckRoom:
    """A room of the lobby whose clients play the check."""

    def __init__(self, name: str, check: Check) -> None:
        self.name = name
        self.players = check.players
        self.spectators = check.spectators
        self.is_watchable = True
        self.is_rated = False
        self.names = ()  # the others are scripted
        self.access = OPEN
        self.settings = RoomSettings(name)
        self._check = check

    @property
    def line(self) -> tuple[PlayerConnection, ...]:
        """The clients that wait."""
        return self._check.waiting

    def welcome(self, player: PlayerConnection) -> None:
        """Let a client play the next situation."""
        self._check.arrive(player)

    def play_on(self, player: PlayerConnection, branch: Branch) -> None:
        """Let a client play the next situation: this server keeps no other positions."""
        self.welcome(player)

    def expel(self, player: PlayerConnection, message: str) -> None:
        """Turn a waiting client away."""
        self._check.turn_away(player, message)

    def dismiss_waiting(self, message: str) -> None:
        """Do nothing: the check turns clients away when it is over."""

    def close(self) -> None:
        """End the check."""
        self._check.stop()


def _lines(run: Run) -> Iterator[str]:
    for number, (transcript, first) in enumerate(run.transcripts):
        if number:
            yield "# another connection"
        yield from transcript.lines[first:]
