"""One game of an arena in which programs have seats: a table of the server, its programs, and what the arena counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, TypeAlias

from twisted.internet.defer import CancelledError, Deferred, ensureDeferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from ump.arena.blocks import ArenaGame
from ump.arena.play import PlayedGame
from ump.arena.watched import AnswerCounts, WatchedPlayer
from ump.game.deals import seeded_deals
from ump.game.game import Game
from ump.model.events import Event, GameEnded
from ump.model.seats import Seat
from ump.model.value import value
from ump.rules.ruleset import Ruleset
from ump.server.arena.door import Door, StartedBot
from ump.server.arena.programs import ChildProgram, GameStopped, Program
from ump.server.bots import ChildBots
from ump.server.player_connection import PlayerConnection
from ump.server.seat_tokens import KeptSeat, SeatTokens, hash_of, new_token, return_hashes
from ump.server.table_runner import TableRunner
from ump.table.chair import KyokuStart, Presence
from ump.table.clock import TimeControl
from ump.table.journal_entries import (
    ActionTaken,
    AnswerRefused,
    Cause,
    End,
    Entry,
    PassHeld,
    SeatDropped,
    SeatLeft,
    SeatReturned,
)
from ump.table.messages import Ask
from ump.table.opening import Opening, TableSettings
from ump.table.receivers import BuiltinBot, Parcel, Receiver, Rendering, SeatedBot, SeatedClient
from ump.table.table import Table
from ump.table.table_host import TableHost
from ump.wire.session import TableInfo

RETURN_SECONDS = 30.0
"""For how long a game is kept for each of its programs that have lost their connections, all losses together."""

MOST_RETURNS = 3
"""After so many returns to a game a program is not started again: it crashes in this game, whatever one does."""

LOOK_SECONDS = 0.5
"""Seconds between a game's checks whether the process of a lost connection has ended, too."""

LEFT = "it left its game, or its connection was lost"
"""The fault of a player that is gone, if nothing more is known."""


class GameWatch(Receiver):
    """Keeps the events of a game, and counts how programs answer. It is a log and the recorder of its table."""

    record_name = None

    def __init__(self, counts: Mapping[Seat, AnswerCounts], clock: Any, lost: Callable[[Seat], object]) -> None:
        """Count for the seats of programs, which ``counts`` has. ``lost`` hears soon of a seat that lost its player."""
        self.events: list[Event] = []
        self._counts = counts
        self._clock = clock
        self._lost = lost
        self._away: set[Seat] = set()
        """The seats whose players may come back; the loss of each is counted."""
        self._asked: dict[Seat, float] = {}
        """When the open questions of programs were asked, by the clock."""

    def receive(self, parcels: Sequence[Parcel], now: float) -> None:
        """Keep events, and when programs are asked."""
        for parcel in parcels:
            if isinstance(parcel, Rendering):
                self.events.append(parcel.event)
            elif isinstance(parcel, Ask) and parcel.seat in self._counts and parcel.question is not None:
                self._asked[parcel.seat] = now

    def record(self, entries: list[Entry], now: int, start: KyokuStart | None) -> Deferred[None] | None:
        """Count the answers of programs in a step."""
        for entry in entries:
            match entry:
                case ActionTaken(seat, _, Cause.ANSWER) | PassHeld(seat):
                    asked = self._asked.pop(seat, None)
                    if asked is not None:
                        self._counts[seat].add_answer(self._clock.seconds() - asked)
                case AnswerRefused(seat) if seat in self._counts:
                    self._counts[seat].refusals += 1
                case SeatLeft(seat) if seat in self._counts and seat not in self._away:
                    self._counts[seat].crashes += 1
                case SeatDropped(seat):
                    self._counts[seat].crashes += 1
                    self._away.add(seat)
                    self._clock.callLater(0, self._lost, seat)
                case SeatReturned(seat):
                    self._away.discard(seat)
        return None

    def finish(self, ended: GameEnded | None) -> None:
        """Do nothing: the game is written by the arena."""

    def give_up(self) -> None:
        """Do nothing: there is no file."""

    def suspend(self) -> None:
        """Do nothing: an arena plays an unfinished block again."""


@value
class ProgramGame:
    """The settings and players of a game of an arena."""

    ruleset: Ruleset
    times: TimeControl
    name: str
    """The name of its table."""
    seed: str
    names: tuple[str, ...]
    """The players' names by seat."""
    seating: tuple[int, ...]
    """The player in each seat, as the arena counts them."""


Here: TypeAlias = Callable[[], Mapping[Seat, PlayerConnection]]
"""Returns the programs with connections, by seat."""

Again: TypeAlias = Callable[[Seat, Here], Coroutine[Deferred[Any], Any, PlayerConnection | None]]
"""Brings the program of a seat back, or returns None if it does not come."""


class ProgramTable:
    """A running game of an arena. A program whose connection is lost comes back, and goes on."""

    _log = Logger()

    def __init__(
        self,
        game: ProgramGame,
        policies: Mapping[Seat, WatchedPlayer],
        players: Mapping[Seat, PlayerConnection],
        counts: Mapping[Seat, AnswerCounts],
        clock: Any,
        tokens: SeatTokens,
        again: Again,
    ) -> None:
        """Seat policies and programs; the seats that have neither are played by the defaults of the rules.

        ``counts`` are those of all seats without a policy. ``tokens`` keep the seats of connections that know how to
        come back; ``again`` brings others back.
        """
        self._game = game
        self._tokens = tokens
        self._again = again
        self._returns: Counter[Seat] = Counter()
        """The number of times that each seat was given back, or was to be."""
        self._returning: dict[Seat, Deferred[None]] = {}
        """The attempts to bring programs back."""
        self._counts = counts
        self._policies = policies
        self._clock = clock
        self._watch = GameWatch(counts, clock, self._lost)
        self._over: Deferred[None] = Deferred()
        self._absent = counts.keys() - players.keys()
        self._players = {seat: player for seat, player in players.items() if not player.is_gone}
        self._absent |= players.keys() - self._players.keys()
        self._runner = self._open()

    def _open(self) -> TableRunner:
        """Create the table, and give the programs their seats."""
        game = self._game
        keys = {seat: self._sit(seat, player) for seat, player in self._players.items()}
        retries = {seat: player.connection.session.RETRIES for seat, player in self._players.items()}
        seats = range(game.ruleset.seats)
        opening = Opening(
            name=game.name,
            ruleset=game.ruleset,
            players=game.names,
            secret=game.seed,
            times=game.times,
            clients=tuple(self._counts),
            retries=tuple(retries.get(seat, 0) for seat in seats),
            settings=TableSettings(grace=RETURN_SECONDS, hints=False),
        )
        self._table = Table(
            Game(game.ruleset, game.names, seeded_deals(game.seed, game.ruleset.seats)),
            game.times,
            opening.clients,
            retries=retries,
            refusals=opening.settings.refusals,
            grace=round(RETURN_SECONDS * 1_000),
            is_unattended=True,
        )
        bots = [SeatedBot(BuiltinBot(policy, seat, game.ruleset), seat) for seat, policy in self._policies.items()]
        clients = [SeatedClient(player.connection, seat) for seat, player in self._players.items()]
        host = TableHost(self._table, [*clients, *bots, self._watch], keeps_game=True)
        runner = TableRunner(
            opening, host, self._players, self._clock, self._finish, recorder=self._watch, returning=self._counts
        )
        for seat, key in keys.items():
            if key is not None:
                self._tokens.enter(key, KeptSeat(runner, seat, game.names[seat]))
        return runner

    def _sit(self, seat: Seat, player: PlayerConnection) -> str | None:
        """Let a program sit down; return the hash by which it comes back, of a token or of its connection's key."""
        token = new_token() if player.connection.session.wants_token else None
        player.sit(seat, TableInfo(self._game.name, self._game.ruleset, token, hints=False))
        return next(iter(return_hashes(player.connection, None)), None) if token is None else hash_of(token)

    def _lost(self, seat: Seat) -> None:
        """Bring the program of a seat back, unless that was tried too often."""
        self._returns[seat] += 1
        if not self._is_away(seat) or seat in self._returning:
            return
        if self._returns[seat] > MOST_RETURNS:
            self._runner.leave(seat)
            return
        returning = self._returning[seat] = ensureDeferred(self._bring_back(seat))
        returning.addBoth(self._end_return, seat)

    async def _bring_back(self, seat: Seat) -> None:
        player = await self._again(seat, lambda: self.remaining)
        if player is None:
            if self._is_away(seat):
                self._runner.leave(seat)
        elif self._is_away(seat):
            self._runner.come_back(seat, player)
        else:
            player.turn_away("the seat has its player again")

    def _end_return(self, result: object, seat: Seat) -> None:
        """Forget an attempt; log a bug, and let the seat be played by the defaults."""
        del self._returning[seat]
        if isinstance(result, Failure) and not result.check(CancelledError):
            self._log.failure("{table}: a program did not come back", result, table=self._game.name)

    def _is_away(self, seat: Seat) -> bool:
        """Return whether the table waits for the program of a seat, and no connection of it has come."""
        is_dropped = self._table.chairs[seat].presence is Presence.DROPPED
        return not self._over.called and is_dropped and seat not in self._runner.players

    async def play(self) -> ArenaGame:
        """Play the game to its end; raises GameStopped."""
        self._runner.begin()
        for seat in sorted(self._absent):
            self._runner.leave(seat)
        await self._over
        game = self._game
        result = next((event for event in reversed(self._watch.events) if isinstance(event, GameEnded)), None)
        if result is None:
            raise GameStopped(f"{game.name}: the game broke down")
        answers = (
            self._policies[seat].counts if seat in self._policies else self._counted(seat)
            for seat in range(game.ruleset.seats)
        )
        played = PlayedGame(game.names, game.ruleset, tuple(self._watch.events), result)
        return ArenaGame(played, game.seating, tuple(answers))

    def _counted(self, seat: Seat) -> AnswerCounts:
        counts = self._counts[seat]
        counts.timeouts = self._table.chairs[seat].timeouts
        if counts.crashes and not counts.first_error:
            counts.first_error = LEFT
        return counts

    @property
    def remaining(self) -> Mapping[Seat, PlayerConnection]:
        """The programs that still have their seats."""
        return self._runner.players

    def stop(self) -> None:
        """End the game now."""
        self._runner.stop()
        self._finish(self._runner, End.STOPPED)

    def _finish(self, _runner: TableRunner, end: End = End.COMPLETED) -> None:
        self._tokens.forget(self._runner)
        for returning in tuple(self._returning.values()):
            returning.cancel()
        if not self._over.called:
            if end is End.STOPPED:
                self._over.errback(GameStopped(f"{self._game.name}: the arena is over"))
            else:
                self._over.callback(None)


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
