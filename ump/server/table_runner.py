"""Runs a table: a timer and connections around its host, its recorder, and its reports for the log."""

from __future__ import annotations

import errno
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import ParamSpec, Protocol, TypeAlias

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure as TracedFailure

from ump.model.actions import Action
from ump.model.claims import Claim, Reason
from ump.model.commitments import commitment_of
from ump.model.events import Event, GameEnded
from ump.model.game_result import GameResult
from ump.model.notation import UMP_FACES
from ump.model.seats import LETTERS, Seat
from ump.model.value import value
from ump.net.connection import DROPPED, LATE, REFUSED, SILENT, Connection
from ump.net.connection_limits import Said
from ump.record.branch import Branch
from ump.record.journal import PlayerKind
from ump.rules.questions import Question
from ump.server.log_folder import GameLog
from ump.server.player_connection import PlayerConnection
from ump.server.spectators import Broadcast, SpectatorTurns, TableShow
from ump.server.status import AnswerTimes, GameNumbers
from ump.table import journal_entries as je
from ump.table.chair import BeforeKyoku, Chair, Presence
from ump.table.messages import Answer, Ask, Begin, Drop, Extend, Heard, Input, Lapse, Leave, PlayOn, Return, Stop, Tick
from ump.table.opening import Opening
from ump.table.receivers import Client
from ump.table.table import Step, Table
from ump.table.table_host import Delivery, Failure, TableHost
from ump.wire.names import logged_name
from ump.wire.session import PHRASES, Interruption, Note, Order, Ordered, Profile, ReportReason, Session, TableInfo

P = ParamSpec("P")

FULL = (errno.ENOSPC, errno.EDQUOT)
"""The errors of a disk, or of a share of it, that has no room."""

RETRY_SECONDS = 2.0
"""Seconds between two attempts to record a step, or to begin a game, while the disk is full."""

DISK_SECONDS = 600.0
"""Seconds for which a game waits for room on the disk; then its table is closed."""

DISK_IS_FULL = "The server's disk is full. This game pauses until there is room, for ten minutes at most."
DISK_HAS_ROOM = "There is room on the server's disk again. The game goes on."

DIRECTOR_PAUSES = "The director pauses this game after this hand."
DIRECTOR_PAUSED = "The director pauses this game."
DIRECTOR_GOES_ON = "The game goes on."
DIRECTOR_CLOSES = "The director has ended this game: it does not count."
OPERATOR_CLOSES = "The operator has closed this table: its game has no result."
MORE_TIME = "The director gives each player of this table {} seconds more in each hand, from now on."
NO_MORE_TIME = "The director takes back the extra time of this table."

FOR_LATER = (Order.AGAIN, Order.KICK)
"""The orders of a player that concern the game after this one."""

MOST_IN_PAUSE = 8
"""Answers and other lines of one player that are kept in a pause."""


PHRASE_SECONDS = 3
"""Time between two phrases of one player."""

PHRASES_A_KYOKU = 10
"""Phrases of one player in a kyoku."""

COUNT_SECONDS = 5
"""Time between two counts of the spectators."""


class Recorder(Protocol):
    """Records the steps of a table, each before anything of it is sent."""

    @property
    def record_name(self) -> str | None:
        """The name by which pages ask for the record when the game is over; None if they cannot."""

    def record(self, entries: list[je.Entry], now: int, start: BeforeKyoku | None) -> Deferred[None] | None:
        """Record one step, at an instant in milliseconds since the game began.

        ``start`` is the state before the kyoku that the step starts, if it starts one. Nothing of the step is sent, and
        no further step is recorded, before the Deferred fires; None: the step is recorded. An OSError of a full disk,
        raised or as the failure of the Deferred, pauses the game, and the step is recorded again. Any other exception
        ends the table: no game goes on unrecorded.
        """

    def finish(self, ended: GameEnded | None) -> None:
        """Complete the record: the game is over, with this result or without one. Raises nothing."""

    def give_up(self) -> None:
        """Set the record aside: a step could not be recorded, so the game is over. Raises nothing."""

    def suspend(self) -> None:
        """Leave the record as it is: the server stops, and may go on with the game later. Raises nothing."""


def info_of(
    opening: Opening, recorder: Recorder | None, seat: Seat, token: str | None = None, *, is_return: bool = False
) -> TableInfo:
    """Return what a player receives that sits down, or comes back, at this seat of a table with this opening.

    The record of a game whose walls are played again cannot be read when it is over, so it has no name for players.
    """
    return TableInfo(
        opening.name,
        opening.ruleset,
        token,
        commitment_of(opening.secret),
        is_return=is_return,
        hints=opening.settings.hints,
        seeds=opening.seeds,
        duplicate=opening.duplicate,
        record=None if recorder is None or opening.duplicate is not None else recorder.record_name,
        name=opening.players[seat],
    )


@value
class Computed:
    """A step that is computed, and takes effect when it is recorded."""

    given: Input
    step: Step
    now: int
    open_before: Mapping[Seat, Asked]
    """The questions that were open before it."""
    start: BeforeKyoku | None
    """The state before the kyoku that it starts, if it starts one."""


class SeatPlace:
    """The place that the connection of a seated player occupies."""

    def __init__(self, runner: TableRunner, player: PlayerConnection, seat: Seat) -> None:
        self._runner = runner
        self._player = player
        self._seat = seat

    @property
    def label(self) -> str:
        """The name of the player in the log."""
        return self._runner.label(self._seat)

    @property
    def asked(self) -> str:
        """The open question of the seat, in words."""
        return self._runner.asked(self._seat)

    def noted(self, number: int, note: Note) -> None:
        """Put the note of a bot into the log of the game."""
        self._runner.note(self._seat, number, note)

    def ordered(self, given: Ordered) -> None:
        """Say a phrase, report a player, or give an order for the time after the game."""
        report, order_next = self._runner.report_player, self._runner.order_next
        if given.order in FOR_LATER and order_next is not None:
            order_next(self._player, given)
        elif given.order is Order.SAY:
            self._runner.say(self._seat, given.phrase)
        elif given.reason is not None and report is not None:
            report(self._runner, self._player.connection, given.seat, given.reason)

    def answered(self, number: int, answer: Claim | Action | None, *, is_automatic: bool = False) -> None:
        """Pass an answer to the table."""
        self._player.games.has_answered = True
        self._runner.take_answer(Answer(self._seat, number, answer, is_automatic))

    def heard(self, *, is_stale: bool) -> None:
        """Tell the table that the player is there, if that can matter: in lock-step, most replies answer nothing."""
        self._runner.catch_up(self._seat)
        if self._runner.is_silent(self._seat):
            self._runner.take(Heard(self._seat, is_stale))
        elif is_stale:
            self._runner.count_stale(self._seat)

    def left(self) -> None:
        """Give up the seat."""
        self._runner.leave(self._seat)

    def lost(self) -> None:
        """Give up the seat, unless the player may come back."""
        if self._runner.may_return(self._seat):
            self._runner.drop(self._seat)
        else:
            self._runner.leave(self._seat)


class TableRunner:
    """Runs one table: takes inputs one at a time, records and delivers each step, and keeps the time.

    Each step is sent to each connection in one write. Built-in bots and absent seats take one step in each turn of the
    reactor, so that other tables never wait for a game that plays itself.

    A bug of the server ends this table alone. A bug in the messages of one receiver drops only that receiver.
    """

    _log = Logger()
    profiles: Callable[[], Sequence[Profile]] = tuple
    """Returns what the others may know of its players, by seat; nothing if nobody knows."""
    order_next: Callable[[PlayerConnection, Ordered], object] | None = None
    """Takes an order of a player for the game after this one; None: nobody takes any."""
    kinds: tuple[PlayerKind, ...] = ()
    """The kind of each player, by seat."""
    report_player: Callable[[TableRunner, Connection, Seat, ReportReason], object] | None = None
    """Takes the report of a player of a table about another one; None: nobody takes any."""
    _is_held = False
    """Whether the next kyoku waits for ``go_on``."""
    _held_step: Computed | None = None
    """The step that starts it."""
    _spectators = 0
    """The number of spectators that the players were told last."""
    _is_over = False
    _fault: je.FaultCommitted | None = None
    """The fault that has aborted the game."""
    has_phrases = True
    """Whether its players may say phrases."""
    _paused: float | None = None
    """When the game was paused, by the clock; None if it is not."""

    def __init__(
        self,
        opening: Opening,
        host: TableHost,
        players: Mapping[Seat, PlayerConnection],
        clock: IReactorTime,
        finished: Callable[[TableRunner], None],
        *,
        turns: SpectatorTurns | None = None,
        show: TableShow | None = None,
        log: GameLog | None = None,
        recorder: Recorder | None,
        returning: Collection[Seat],
        elapsed: int = 0,
    ) -> None:
        """Run a table with these connected players; call ``finished`` when its game is over.

        ``log`` is closed at the end. ``recorder`` gets each step before anything of it is sent. The players of the
        seats ``returning`` can come back if they lose their connections. ``elapsed``: the milliseconds that the game
        has been played, if it goes on from a record. ``turns`` are those of the spectators of all tables, who
        see ``show`` instead of the table itself if it is given.
        """
        self.opening = opening
        self.players = dict(players)
        """The connected players, by seat."""
        self._host = host
        self._clock = clock
        self._returning = frozenset(returning)
        self._behind: set[Seat] = set()
        """The seats whose returning players still read what they were told again."""
        self._began = clock.seconds() - elapsed / 1_000
        self._elapsed = elapsed
        self._last = elapsed
        """The instant of the last step, in milliseconds since the game began."""
        self._finished = finished
        self._log_file = log
        self._recorder = recorder
        self._reports = TableReports(opening, host.table, self.players)
        self._extra = host.table.extra // 1_000
        """The seconds that each player has more in each kyoku than the times of the game say."""
        self._start = host.table.kyoku_start
        """The state before the current kyoku, as far as it is recorded."""
        self._inputs: deque[tuple[Input, int]] = deque()
        """Inputs that arrived during a step: sending may cut a connection, and so make its player leave."""
        self._is_stepping = False
        self._awaits_record = False
        """Whether a step is computed and not delivered, because its record is on its way to the disk."""
        self._retry: IDelayedCall | None = None
        """The next attempt to record a step while the disk is full."""
        self._wake: IDelayedCall | None = None
        self._held: dict[Seat, IDelayedCall] = {}
        """Answers of child processes that count when these have taken their time, by seat."""
        turns = SpectatorTurns(clock) if turns is None else turns
        self._broadcast = Broadcast(host, clock, self._send, turns)
        self.show: TableShow = show or self._broadcast
        """The table as spectators see it."""
        self._said: dict[Seat, tuple[int, BeforeKyoku | None, int]] = {}
        """When a player spoke last, in which kyoku, and how often in it."""
        self._next_count = elapsed + COUNT_SECONDS * 1_000
        """When they are counted next, in milliseconds."""
        for seat, player in self.players.items():
            player.connection.occupant = SeatPlace(self, player, seat)

    @property
    def name(self) -> str:
        """The table's name."""
        return self.opening.name

    @property
    def chairs(self) -> tuple[Chair, ...]:
        """The state of each seat."""
        return self._host.table.chairs

    @property
    def public_events(self) -> list[Event]:
        """The start of the game and the current kyoku so far, as everybody may see them."""
        return self._host.public_events

    @property
    def result(self) -> GameResult | None:
        """The result of the game; None: it is not over, or has none."""
        ended = self._host.table.game.ended
        return None if ended is None else ended.result

    @property
    def record_name(self) -> str | None:
        """The name by which pages ask for its record when the game is over."""
        return None if self._recorder is None else self._recorder.record_name

    @property
    def numbers(self) -> GameNumbers:
        """The data that the finished game adds to the totals of the server."""
        return self._reports.numbers((self._last - self._elapsed) / 1_000)

    @property
    def away(self) -> tuple[Seat, ...]:
        """The seats whose players have no connection."""
        return tuple(seat for seat in self.opening.clients if seat not in self.players)

    def begin(self, branch: Branch | None = None) -> None:
        """Begin the game, or play on from a position of another one."""
        self._log.info(
            "{table} begins: {names}", table=self.name, names=", ".join(map(logged_name, self.opening.players))
        )
        self._tell_people(self._tell_profiles)
        self.take(Begin() if branch is None else PlayOn(branch.actions))

    def leave(self, seat: Seat) -> None:
        """Let default actions play the seat of a player who has left."""
        player = self.players.pop(seat, None)
        self._drop_held(seat)
        if self._may_log(Said.LEAVES, player):
            self._log.info("{who} leaves", **self._reports.about(seat))
        self._behind.discard(seat)
        self._tell_presence(seat, is_here=False)
        self.take(Leave(seat))

    def resume(self) -> None:
        """Go on with a game from a record: no seat has a connection yet, and a player who cannot come back has left."""
        self._log.info(
            "{table} goes on: {names}", table=self.name, names=", ".join(map(logged_name, self.opening.players))
        )
        for seat in self.opening.clients:
            self.take(Drop(seat) if seat in self._returning else Leave(seat))
        if not self._is_over:
            self._arm(self._now())

    def _may_log(self, said: Said, player: PlayerConnection | None) -> bool:
        """Return whether to log what becomes of a player's connection."""
        return not self._is_over and (player is None or player.connection.may_log(said))

    def may_return(self, seat: Seat) -> bool:
        """Return whether the player of a seat can come back after a lost connection."""
        return seat in self._returning

    def is_here(self, seat: Seat) -> bool:
        """Return whether a seat has somebody to answer."""
        return self._host.table.chairs[seat].is_here

    def drop(self, seat: Seat) -> None:
        """Keep the seat of a player whose connection is lost, as long as it has grace."""
        player = self.players.pop(seat, None)
        if self._may_log(Said.LOST, player):
            self._log.info("{who} loses its connection", **self._reports.about(seat))
        if seat in self._behind:
            self._behind.discard(seat)
            self._host.unseat(seat)
            if self._host.table.chairs[seat].presence is not Presence.PRESENT:
                return  # the table does not know yet that it had come back
        self._tell_presence(seat, is_here=False)
        self.take(Drop(seat))

    def come_back(self, seat: Seat, player: PlayerConnection) -> None:
        """Give a seat back to its player, with the kyoku so far and the open question.

        An older connection of the player is closed. The player's connection must not be one of this table.
        """
        older = self.players.pop(seat, None)
        if older is not None:
            older.turn_away("replaced by a newer connection of the same player")
        if self._may_log(Said.BACK, player):
            self._log.info("{who} is back", **self._reports.about(seat))
        player.sit(seat, info_of(self.opening, self._recorder, seat, is_return=True))
        self._tell_profiles(player.connection.session)
        if self._is_held:
            player.connection.announce(DIRECTOR_PAUSES if self._held_step is None else DIRECTOR_PAUSED)
        self.players[seat] = player
        player.connection.occupant = SeatPlace(self, player, seat)
        self._behind.add(seat)
        self._send(self._host.seat(player.connection, seat, self._clock.seconds()))
        self._tell_presence(seat, is_here=True)
        for other in self.away:
            player.connection.tell(partial(_tell_away, other, self.opening.players[other]))
        self.catch_up(seat)

    def catch_up(self, seat: Seat) -> None:
        """Let a returning player be asked, as soon as it has read what it was told again."""
        if seat not in self._behind:
            return
        player = self.players.get(seat)
        if player is not None and not player.connection.session.is_behind:
            self._behind.discard(seat)
            self.take(Return(seat, player.connection.session.RETRIES))
            player.connection.flush()

    def blame(self, player: PlayerConnection) -> str | None:
        """Return the fault with which a player has aborted the game, in words, or None if it has not."""
        if self._fault is None or self.players.get(self._fault.seat) is not player:
            return None
        return f"this game was aborted because your answer was refused: {self._fault.reason.value}"

    def close(self, message: str) -> None:
        """End the game now, without a result; its players hear why, and wait for the next one."""
        if self._held_step is None:
            self._announce(message)
        self._end_hold(message)
        self.take(Stop(je.End.CLOSED))

    def pause(self) -> None:
        """Let the next kyoku wait until ``go_on``."""
        if not self._is_held:
            self._is_held = True
            self._announce(DIRECTOR_PAUSES)

    def go_on(self) -> None:
        """End a pause."""
        if self._is_held and self._held_step is None:
            self._announce(DIRECTOR_GOES_ON)
        self._end_hold()

    def _end_hold(self, message: str = DIRECTOR_GOES_ON) -> None:
        """Let the next kyoku begin, also one that has waited; its players read why."""
        self._is_held = False
        held, self._held_step = self._held_step, None
        if held is not None and self._paused is not None and not self._is_over:
            self._end_pause(self._paused, message)
            self._end_wait(self._keep, held)

    def extend(self, seconds: int) -> None:
        """Let each player have so many seconds more in each kyoku than the times of the game say."""
        if seconds == self._extra:
            return
        self._extra = seconds
        self._announce(MORE_TIME.format(seconds) if seconds else NO_MORE_TIME)
        self.take(Extend(1_000 * seconds))

    def stop(self) -> None:
        """End the game now, because the server stops. A recorded game can go on when the server starts again.

        The players receive the reason, and their connections close.
        """
        if self._is_over:
            return
        if self._recorder is None:
            self.take(Stop(je.End.STOPPED))
        else:
            self._suspend(self._recorder)
        for seat, player in tuple(self.players.items()):
            if player.is_client:
                player.connection.interrupt(self._outlook(seat))

    def _suspend(self, recorder: Recorder) -> None:
        """Stop for now, so that another server can go on from the record."""
        self._is_over = True
        self._stop_timer()
        self._broadcast.stop()
        recorder.suspend()
        self._log.info("{table} is interrupted; it goes on when the server starts again", table=self.name)
        if self._log_file is not None:
            self._log_file.suspend()

    def _outlook(self, seat: Seat) -> Interruption:
        """Return what becomes of the game when the server stops, for the player of a seat."""
        if self._recorder is None or not self._returning:  # a game that nobody comes back to is abandoned
            return Interruption.ENDS
        return Interruption.RETURNS if self.may_return(seat) else Interruption.GOES_ON

    def note(self, seat: Seat, number: int, note: Note) -> None:
        """Add the note of a bot on its answer to the log, unless it is about another question than the open one."""
        asked = self._host.table.chairs[seat].open
        if self._log_file is not None and asked is not None and asked.number == number:
            self._log_file.add_note(seat, note)

    # What people are told beside the game

    def _tell_people(self, say: Callable[[Session], object], *, but: Seat | None = None) -> None:
        """Tell all people at the table but one something that belongs to no event."""
        for seat, player in tuple(self.players.items()):
            if seat != but and player.is_client and player.connection.session.is_person:
                player.connection.tell(say)

    def _tell_profiles(self, session: Session) -> None:
        session.tell_profiles(self.profiles())

    def _tell_presence(self, seat: Seat, *, is_here: bool) -> None:
        """Tell the others that a player has gone, or is back."""
        name = self.opening.players[seat]
        if not self._is_over and seat in self.opening.clients:
            self._tell_people(lambda session: session.tell_presence(seat, name, is_here=is_here), but=seat)

    def _count_spectators(self, now: int) -> None:
        """Tell the players how many watch, if the number has changed."""
        found = len(self.show.spectators)
        self._next_count = now + COUNT_SECONDS * 1_000
        if found != self._spectators:
            self._spectators = found
            self._tell_people(lambda session: session.tell_spectators(found))

    def say(self, seat: Seat, phrase: int) -> None:
        """Pass a phrase on, unless its player says too much, or the table has none."""
        now, name = self._now(), self.opening.players[seat]
        last, kyoku, number = self._said.get(seat, (-PHRASE_SECONDS * 1_000, None, 0))
        this_kyoku = self._host.table.kyoku_start
        number = number + 1 if kyoku is this_kyoku else 1
        is_allowed = self.has_phrases and not self._is_over and 1 <= phrase <= len(PHRASES)
        if is_allowed and now - last >= PHRASE_SECONDS * 1_000 and number <= PHRASES_A_KYOKU:
            self._said[seat] = now, this_kyoku, number
            self._tell_people(lambda session: session.pass_on(seat, name, phrase))

    # One step at a time

    def label(self, seat: Seat) -> str:
        """Return what the log calls the player at a seat: the table and the name."""
        return self._reports.label(seat)

    def asked(self, seat: Seat) -> str:
        """Return the open question of a seat in words, or "" if it has none."""
        return self._reports.open_question(seat)

    def count_stale(self, seat: Seat) -> None:
        """Count an answer to no open question, without a step: it changes nothing else, and a client may send many."""
        self._host.table.chairs[seat].stale += 1

    def is_silent(self, seat: Seat) -> bool:
        """Return whether a player let questions run out, and has not been heard since."""
        return self._host.table.chairs[seat].silent > 0

    def take(self, given: Input) -> None:
        """Take an input, which counts from now on; during a step, queue it."""
        if not self._is_over and not (self._paused is not None and self._is_flooded_by(given)):
            self._inputs.append((given, self._now()))
            self._take_queued()

    def _is_flooded_by(self, given: Input) -> bool:
        """Return whether a client has sent too much in a pause: for minutes nothing is read from the queue."""
        if not isinstance(given, Answer | Heard):
            return False
        waiting = sum(isinstance(each, Answer | Heard) and each.seat == given.seat for each, _ in self._inputs)
        return waiting >= MOST_IN_PAUSE

    def take_answer(self, answer: Answer) -> None:
        """Take an answer; that of a bot of the server counts when the bot has taken its time beside a person."""
        due = self._host.thinking.get(answer.seat)
        wait = 0 if due is None else due - self._now()
        if wait > 0:
            self._drop_held(answer.seat)
            self._held[answer.seat] = self._clock.callLater(wait / 1_000, self.take, answer)
        else:
            self.take(answer)

    def _drop_held(self, seat: Seat) -> None:
        """Forget the answer of a seat that does not count yet."""
        held = self._held.pop(seat, None)
        if held is not None and held.active():
            held.cancel()

    def _take_queued(self) -> None:
        """Take the queued inputs, unless a step is not complete."""
        if self._is_stepping:
            return
        self._is_stepping = True
        try:
            while self._inputs and not self._is_over and not self._awaits_record:
                self._step(*self._inputs.popleft())
        finally:
            self._is_stepping = False

    def _step(self, given: Input, now: int) -> None:
        """Compute, record, deliver."""
        open_before = self._reports.open_questions(given)
        try:
            step = self._host.step(given, now)
        except Exception:  # a bug of the server must not affect other tables
            self._log.failure("{table} breaks down", table=self.name)
            self._break_down()
            return
        computed = Computed(given, step, now, open_before, self._new_start() if step.entries else None)
        if self._is_held and computed.start is not None:
            self._held_step = computed
            self._awaits_record = True
            self._paused = self._clock.seconds()
            self._announce(DIRECTOR_PAUSED)
        else:
            self._keep(computed)

    def _new_start(self) -> BeforeKyoku | None:
        """Return the state before the current kyoku, unless it is recorded."""
        start, self._start = self._start, self._host.table.kyoku_start
        return None if self._start is start else self._start

    def _keep(self, computed: Computed) -> None:
        """Record a step, and deliver it; until it is recorded, nothing of it is sent."""
        recorded: Deferred[None] | None = None
        if self._recorder is not None and computed.step.entries:
            try:
                recorded = self._recorder.record(computed.step.entries, computed.now, computed.start)
            except Exception as error:
                self._not_recorded(computed, error)
                return
        if recorded is None:
            self._complete(computed)
            return
        self._awaits_record = True
        recorded.addCallbacks(
            lambda _: self._end_wait(self._complete, computed),
            lambda failure: self._end_wait(self._not_recorded, computed, failure.value),
        )
        recorded.addErrback(lambda failure: self._log.failure("{table} breaks down", failure, table=self.name))

    def _end_wait(self, go_on: Callable[P, None], *given: P.args, **named: P.kwargs) -> None:
        """Go on with a step that had to wait, and take the inputs that have arrived meanwhile."""
        self._awaits_record = False
        if self._is_over:  # the server stops; it goes on with this step when it starts again
            return
        was_stepping, self._is_stepping = self._is_stepping, True
        try:
            go_on(*given, **named)
        finally:
            self._is_stepping = was_stepping
        self._take_queued()

    def _not_recorded(self, computed: Computed, error: BaseException) -> None:
        """Pause the game while the disk is full, and record the step again; otherwise close the table."""
        seconds = self._clock.seconds()
        waited = 0.0 if self._paused is None else seconds - self._paused
        if not isinstance(error, OSError) or error.errno not in FULL or waited >= DISK_SECONDS:
            self._lose_record(error)
            return
        if self._paused is None:
            self._paused = seconds
            self._log.error("{table} pauses: {reason}", table=self.name, reason=error.strerror or str(error))
            self._announce(DISK_IS_FULL)
        self._awaits_record = True
        self._retry = self._clock.callLater(RETRY_SECONDS, self._end_wait, self._keep, computed)

    def _end_pause(self, paused: float, message: str) -> None:
        """Let the time of the game go on."""
        self._began += self._clock.seconds() - paused
        self._paused = None
        self._log.info("{table}: {message}", table=self.name, message=message)
        self._announce(message)

    def _announce(self, text: str) -> None:
        """Tell the players and spectators a line, as far as their protocols have a place for it."""
        for client in (*(player.connection for player in self.players.values()), *self._host.spectators):
            if isinstance(client, Connection):
                client.announce(text)

    def _complete(self, computed: Computed) -> None:
        """Deliver a step that is recorded."""
        if self._paused is not None:
            self._end_pause(self._paused, DISK_HAS_ROOM)
        step, now = computed.step, computed.now
        self._reports.report(computed.given, step, computed.open_before, now)
        delivery = self._host.deliver(step, now, self._clock.seconds())
        self._send(delivery)
        if delivery.is_watched:
            self._broadcast.go_on()
        if now >= self._next_count:
            self._count_spectators(now)
        end = self._host.table.end
        if end is None:
            self._arm(now)
        else:
            if end is je.End.ABORTED:
                self._fault = next(entry for entry in step.entries if isinstance(entry, je.FaultCommitted))
            self._end(end)
            if end is not je.End.STOPPED:
                self._finished(self)

    def _lose_record(self, error: BaseException | None) -> None:
        """Close the table, because a step could not be recorded."""
        if isinstance(error, OSError):
            reason = error.strerror or str(error)
            self._log.error("{table} cannot be recorded: {reason}; its game ends", table=self.name, reason=reason)
        else:
            failure = TracedFailure(error)
            self._log.failure("{table} cannot be recorded", failure, table=self.name)
        if self._recorder is not None:
            self._recorder.give_up()
            self._recorder = None
        self._break_down("this game cannot be recorded, so the table is closed")

    def _send(self, delivery: Delivery) -> None:
        """Send each client its messages, then drop the receivers that failed."""
        for client, messages in delivery.sent:
            try:
                client.send(messages)
            except Exception:  # a bug of the server must not affect the others at this table
                self._log.failure("{table}: could not send to a client", table=self.name)
                _close(client)
        for failure in delivery.failures:
            self._let_go(failure)
        for seat in delivery.late:
            if seat in self.players:
                self.players[seat].was_late()

    def _let_go(self, failure: Failure) -> None:
        """Drop a receiver that failed; default actions play its seat, if it has one."""
        client, seat = failure.receiver.client, failure.receiver.seat
        unseated = "the log" if client is None else "a spectator"
        who = unseated if seat is None else logged_name(self.opening.players[seat])
        self._log.failure("{table}: {who} failed", TracedFailure(failure.error), table=self.name, who=who)
        if client is not None:
            _close(client)
        elif seat is not None:
            self._inputs.append((Leave(seat), self._now()))

    # Time

    def _now(self) -> int:
        """Return the milliseconds that the game has lasted. They never go back, even if the computer's clock does."""
        if self._paused is None:
            self._last = max(self._last, round((self._clock.seconds() - self._began) * 1_000))
        return self._last

    def _arm(self, now: int) -> None:
        """Schedule the next tick.

        A call scheduled for an earlier instant stays: it will find nothing to do, and schedule the next. So a table
        whose players answer in time schedules one call for many questions.
        """
        due = self._host.due(now)
        if due is None:
            return
        seconds, instant = self._clock.seconds(), self._began + due / 1_000
        if self._wake is None:
            self._wake = self._clock.callLater(max(0.0, instant - seconds), self._tick)
        elif instant < self._wake.getTime():
            self._wake.reset(max(0.0, instant - seconds))

    def _tick(self) -> None:
        self._wake = None
        self.take(Tick())

    # The end

    def _end(self, end: je.End) -> None:
        """Stop for good, and log how the game ended."""
        self._is_over = True
        self._stop_timer()
        if end is je.End.STOPPED:
            self._broadcast.stop()
        self._log.info(
            "{table} ends, {why}: {result}; {seed}",
            table=self.name,
            why=end.value,
            result=self._reports.results(),
            seed="its walls are played again" if self.opening.duplicate else f"seed {self.opening.seed}",
        )
        if self._log_file is not None:
            self._log_file.close()
        if self._recorder is not None:
            self._recorder.finish(self._host.table.game.ended)

    def _stop_timer(self) -> None:
        for call in (self._wake, self._retry):
            if call is not None and call.active():
                call.cancel()
        for seat in tuple(self._held):
            self._drop_held(seat)

    def _break_down(self, message: str = "internal error, this table is closed") -> None:
        """Close the table after a bug of the server, or because it cannot be recorded."""
        now = self._now()
        step = self._host.step(Stop(je.End.BROKEN), now)
        if self._recorder is not None:
            with suppress(Exception):  # the table is closed in any case
                self._recorder.record(step.entries, now, self._new_start())
        self._end(je.End.BROKEN)
        for player in tuple(self.players.values()):
            player.connection.fail_safely(message)
        self._finished(self)


def _tell_away(seat: Seat, name: str, session: Session) -> None:
    session.tell_presence(seat, name, is_here=False)


def _close(client: Client) -> None:
    """Close the connection of a client that failed; it leaves its place then."""
    assert isinstance(client, Connection)
    client.fail_safely("internal error")


Asked: TypeAlias = tuple[int, Question | None, int]
"""The number of a question at its table, the question of the game, and when it was first asked, in milliseconds.

The question None stands for ``ready?``.
"""


class TableReports:
    """Puts what happens at one table into words."""

    def __init__(self, opening: Opening, table: Table, players: Mapping[Seat, PlayerConnection]) -> None:
        """``players`` are the connected players at any time, by seat."""
        self._opening = opening
        self._table = table
        self._players = players
        self._answers: defaultdict[str, AnswerTimes] = defaultdict(AnswerTimes)
        """Questions of the game and their answers, by dialect."""
        self._refusals: Counter[tuple[Reason, str]] = Counter()
        """Refused answers since the table began on this server, by reason and dialect."""

    def about(self, seat: Seat) -> dict[str, object]:
        """Return the fields of a line of the log about a player: ``who`` for the text, the others for programs."""
        player, table = self._opening.players[seat], self._opening.name
        return {"who": self.label(seat), "table": table, "seat": LETTERS[seat], "player": player}

    def label(self, seat: Seat) -> str:
        """Return what the log calls the player at a seat: the table and the name."""
        return f"{self._opening.name}: {logged_name(self._opening.players[seat])}"

    def open_question(self, seat: Seat) -> str:
        """Return the open question of a seat in words, or "" if it has none."""
        asked = self._table.chairs[seat].open
        return "" if asked is None else self._in_words(seat, asked.number, asked.question)

    def open_questions(self, given: Input) -> dict[Seat, Asked]:
        """Return the open questions that an input may close, with their numbers."""
        if isinstance(given, Answer):
            seats: Iterable[Seat] = (given.seat,)
        elif isinstance(given, Tick):
            seats = self._players
        else:
            return {}
        chairs = self._table.chairs
        return {
            seat: (asked.number, asked.question, asked.asked)
            for seat in seats
            if (asked := chairs[seat].open) is not None
        }

    def report(self, given: Input, step: Step, asked: Mapping[Seat, Asked], now: int) -> None:
        """Report an answer that does not count, and questions without an answer. Their sessions do not know it yet.

        Count questions and answers too. ``asked`` are the open questions before the step, ``now`` is its instant.
        """
        for message in step.messages:
            if isinstance(message, Ask) and message.question is not None:
                asked_player = self._players.get(message.seat)
                if asked_player is not None:
                    self._answers[asked_player.connection.session.DIALECT].questions += 1
        if isinstance(given, Answer):
            if not step.entries or not isinstance(step.entries[0], je.ActionTaken | je.PassHeld | je.SeatReady):
                self._report_answer(given, step.entries[0] if step.entries else None, asked.get(given.seat))
            elif given.seat in asked and given.seat in self._players and not given.is_automatic:
                _, answered, since = asked[given.seat]
                if answered is not None:
                    dialect = self._players[given.seat].connection.session.DIALECT
                    self._answers[dialect].times.add((now - since) / 1_000)
        elif isinstance(given, Tick):
            for message in step.messages:
                if isinstance(message, Lapse) and message.by_time and message.seat in self._players:
                    question = self._in_words(message.seat, *asked[message.seat][:2])
                    self._players[message.seat].connection.report_silence(f"{SILENT} to {question}")

    def _report_answer(self, answer: Answer, entry: je.Entry | None, asked: Asked | None) -> None:
        player = self._players.get(answer.seat)
        if player is None:
            return
        question = "no question" if asked is None else self._in_words(answer.seat, *asked[:2])
        match entry:
            case je.AnswerRefused(_, reason):
                self._refusals[reason, player.connection.session.DIALECT] += 1
                player.connection.report(f"{REFUSED}: {reason.value}; the answer to {question}")
            case je.AnswerLate():
                player.connection.report(f"{LATE}: the time for {question} is over")
            case _:
                player.connection.report(f"{DROPPED}: the answer to an older question; {question} is open")

    def _in_words(self, seat: Seat, number: int, question: Question | None) -> str:
        """Return a question as reports name it: its id, which is the client's if the dialect has ids, kind and tile."""
        player = self._players.get(seat)
        own = None if player is None else player.connection.session.question_id
        kind = "ready" if question is None else question.phase.value
        tile = "" if question is None or question.tile is None else f" {UMP_FACES[question.tile]}"
        return f"question {number if own is None else own} ({kind}{tile})"

    def numbers(self, seconds: float) -> GameNumbers:
        """Return what the game, which is over, adds to the totals; ``seconds`` is its length on this server."""
        chairs, end = self._table.chairs, self._table.end
        assert end is not None, "the game is over"
        return GameNumbers(
            end,
            seconds,
            self._refusals,
            sum(chair.timeouts for chair in chairs),
            sum(chair.stale for chair in chairs),
            self._answers,
        )

    def results(self) -> str:
        """Return the scores of all seats, with the number of their answers that did not count."""
        return ", ".join(map(self._result_of, range(len(self._opening.players))))

    def _result_of(self, seat: Seat) -> str:
        """Return a seat's name and score, and the number of its refused, late and stale answers."""
        chair = self._table.chairs[seat]
        wrong = [
            f"{count} {reason.value}"
            for reason, count in sorted(chair.refusals.items(), key=lambda each: each[0].value)
        ]
        if chair.timeouts:
            wrong.append(f"{chair.timeouts} late")
        if chair.stale:
            wrong.append(f"{chair.stale} stale")
        score = f"{logged_name(self._opening.players[seat])} {self._table.game.points[seat]}"
        return f"{score} ({', '.join(wrong)})" if wrong else score
