"""One situation with its client: a table, what the server does to the connection, and the verdict."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from itertools import zip_longest
from typing import Any, Protocol, assert_never

from twisted.internet.defer import Deferred, TimeoutError, succeed
from twisted.internet.interfaces import IDelayedCall, IReactorTime

from ump.bots.check.situation import AnswerTaken, Situation, SituationTable, Stage
from ump.model import actions
from ump.model.notation import UMP_FACES
from ump.model.seats import LETTERS, Seat
from ump.model.value import value
from ump.net.bot_commands import BotCommand
from ump.net.child_process import Child, ChildConnection, Ending, StartedProgram
from ump.net.connection import DROPPED, SILENT, UNANSWERED, is_fault
from ump.net.connection_limits import OpenConnections
from ump.net.limits import MAX_TRACED_TEXT
from ump.net.programs import TRACEBACK, UNBUFFERED, LastWords
from ump.net.trace import shown
from ump.net.wall_clock import wall_datetime
from ump.record.journal import JournalHeader
from ump.server.bots import BotSeat, Seated
from ump.server.new_table import ArrangedGame, EmptySeat, NewGame, TableSetup
from ump.server.player_connection import PlayerConnection
from ump.server.seat_tokens import SeatTokens
from ump.server.settings import RoomSettings
from ump.server.spectators import SpectatorTurns
from ump.server.table_runner import Recorder, TableRunner
from ump.table.clock import TimeControl
from ump.table.journal_entries import ActionTaken, Cause, Entry, SeatDropped, SeatLeft, SeatReturned
from ump.table.opening import TableSettings
from ump.wire.session import TableInfo

# The verdict on one situation, and reports of all of them.


class SituationResult(Enum):
    """The outcome of a situation."""

    PASS = "pass"
    NOTE = "note"
    """All answers were legal, but one was surely not wanted."""
    MISSED = "not reached"
    """All answers were legal, and the client avoided the situation."""
    SKIPPED = "skipped"
    """The situation is not for this client."""
    FAIL = "fail"
    """The client has broken the protocol, or its program has reported a failure at its end."""


@value
class SituationVerdict:
    """The result of one situation."""

    situation: Situation
    result: SituationResult
    came: str
    """The behaviour of the client, or the reason why there is no result."""
    trace: str = ""
    """The file with everything that was sent and received, or ""."""
    excerpt: tuple[str, ...] = ()
    """After a fault: the last lines that were sent and received before it."""


def judge(play: SituationTable) -> SituationVerdict:
    """Return the verdict on a situation that has been played without a fault."""
    situation, reached = play.situation, play.reached
    if situation.aim is None:
        is_reached = play.has_acted or situation.stage is Stage.FAREWELL
        return SituationVerdict(
            situation,
            *((SituationResult.PASS, "left properly") if is_reached else (SituationResult.MISSED, "no turn came")),
        )
    if reached is None:
        return SituationVerdict(situation, SituationResult.MISSED, situation.missed)
    if _is_unwanted(situation, reached):
        return SituationVerdict(
            situation, SituationResult.NOTE, f"legal, but surely not wanted: {_in_words(reached.action)}"
        )
    return SituationVerdict(situation, SituationResult.PASS, _in_words(reached.action))


def skipped(situation: Situation, why: str) -> SituationVerdict:
    """Return the verdict on a situation that is not for this client."""
    return SituationVerdict(situation, SituationResult.SKIPPED, why)


def _is_unwanted(situation: Situation, reached: AnswerTaken) -> bool:
    return situation.wanted is not None and not isinstance(reached.action, situation.wanted)


def _in_words(action: actions.Action | None) -> str:
    """Return what a client did, in words."""
    match action:
        case None:
            return "ready"
        case actions.Discard(face):
            return f"discards {UMP_FACES[face]}"
        case actions.Riichi(face):
            return f"declares riichi with {UMP_FACES[face]}"
        case actions.Ankan(kind):
            return f"declares a closed kan of {UMP_FACES[kind]}"
        case actions.Kakan(face):
            return f"adds {UMP_FACES[face]} to its pon"
        case actions.Chi(own) | actions.Pon(own):
            return f"calls {type(action).__name__.lower()} with {UMP_FACES[own[0]]} and {UMP_FACES[own[1]]}"
        case actions.Daiminkan():
            return "calls an open kan"
        case actions.Tsumo() | actions.Ron():
            return f"wins by {type(action).__name__.lower()}"
        case actions.Kita():
            return "sets a north aside"
        case actions.KyushuKyuhai():
            return "declares nine terminals"
        case actions.Pass():
            return "passes"
        case actions.DeclareTenpai() | actions.DeclareNoten():
            return "declares tenpai" if isinstance(action, actions.DeclareTenpai) else "declares noten"
        case _:
            assert_never(action)


# The report, as text and as data


NOT_PLAYED = "not played"
"""The name for the situations that the check did not come to."""


def report_lines(situations: Sequence[Situation], verdicts: Sequence[SituationVerdict]) -> list[str]:
    """Return the table of the situations that were played, what was wrong, and the counts.

    ``verdicts`` are those of the first situations; the check may have ended early.
    """
    names = max(len(situation.name) for situation in situations)
    results = max(len(result.value) for result in SituationResult)
    lines = []
    for number, verdict in enumerate(verdicts, 1):
        name, result = verdict.situation.name, verdict.result.value
        lines.append(f"{number:>2}  {name:<{names}}  {result:<{results}}  {verdict.came}")
    for verdict in verdicts:
        if verdict.result is SituationResult.FAIL:
            lines += ["", *_fault_lines(verdict)]
    return [*lines, "", _counts(situations, verdicts)]


def _fault_lines(verdict: SituationVerdict) -> list[str]:
    """Return what was expected in a situation that has failed, and what came."""
    situation = verdict.situation
    lines = [
        f"{situation.name}: {situation.teaches}",
        f"  expected  {situation.expected}",
        f"  came      {verdict.came}",
        *(f"  {line}" for line in verdict.excerpt),
    ]
    return [*lines, f"  {verdict.trace}"] if verdict.trace else lines


def _counts(situations: Sequence[Situation], verdicts: Sequence[SituationVerdict]) -> str:
    counts = Counter(verdict.result.value for verdict in verdicts)
    counts[NOT_PLAYED] = len(situations) - len(verdicts)
    words = [
        f"{counts[word]} {word}" for word in (*(result.value for result in SituationResult), NOT_PLAYED) if counts[word]
    ]
    return f"{len(situations)} situations: {', '.join(words)}"


def report_data(situations: Sequence[Situation], verdicts: Sequence[SituationVerdict]) -> dict[str, object]:
    """Return the report as data for JSON. Without a verdict, a situation has no result."""
    return {
        "situations": [_data(each, verdict) for each, verdict in zip_longest(situations, verdicts)],
        "faults": sum(verdict.result is SituationResult.FAIL for verdict in verdicts),
    }


def _data(situation: Situation, verdict: SituationVerdict | None) -> dict[str, object]:
    data: dict[str, object] = {
        "name": situation.name,
        "teaches": situation.teaches,
        "expected": situation.expected,
    }
    if verdict is not None:
        data |= {"result": verdict.result.value, "came": verdict.came}
        if verdict.excerpt:
            data["excerpt"] = list(verdict.excerpt)
        if verdict.trace:
            data["trace"] = verdict.trace
    return data


def list_lines(situations: Sequence[Situation]) -> list[str]:
    """Return the situations with what each shows and what is expected, for ``--list``."""
    names = max(len(situation.name) for situation in situations)
    lines: list[str] = []
    for situation in situations:
        lines += [f"{situation.name:<{names}}  {situation.teaches}", f"{'':<{names}}  expected: {situation.expected}"]
    return lines


# The client's way to its seat in a check: over standard streams, started to connect by itself, or awaited.

SUCCESS = "status 0"


class ProcessEnd:
    """The end of a client's process, for those that wait for it."""

    def __init__(self, last_words: LastWords) -> None:
        self.status: str | None = None
        """``status 1``, ``signal 9``, or why it never started; None while it runs."""
        self.was_forced = False
        """Whether a signal has ended it."""
        self._last_words = last_words
        self._said_before = ""
        self._waiting: list[Deferred[None]] = []

    def note_game_over(self) -> None:
        """Note that the game is over: a traceback from now on does not count."""
        self._said_before = self._last_words.text

    def take(self, status: str, *, is_forced: bool = False) -> None:
        """Note how the process has ended."""
        self.status, self.was_forced = status, is_forced
        fired, self._waiting = self._waiting, []
        for each in fired:
            each.callback(None)

    def when_taken(self) -> Deferred[None]:
        """Return a Deferred that fires when the process has ended."""
        if self.status is not None:
            return succeed(None)
        waiting: Deferred[None] = Deferred(self._waiting.remove)
        self._waiting.append(waiting)
        return waiting

    @property
    def is_fault(self) -> bool:
        """Whether the process has ended by itself, after its game, with a status that reports a failure."""
        if self.status in (None, SUCCESS) or self.was_forced:
            return False
        return TRACEBACK not in self._last_words.text.removeprefix(self._said_before)

    def __str__(self) -> str:
        """Return the status, and the last line of its standard error."""
        said = self._last_words.last_line
        return f"{self.status}: {said}" if said else str(self.status)


class ClientProcess(Protocol):
    """The process of a client."""

    @property
    def end(self) -> ProcessEnd:
        """Its end."""

    def stop(self) -> None:
        """End it."""


class Starter(Protocol):
    """Brings the client to the check, once for each situation."""

    @property
    def over_streams(self) -> bool:
        """Whether the client has no connection of its own, so that none can be lost."""

    @property
    def arrival_seconds(self) -> float | None:
        """Seconds to wait for the client; None: until it comes."""

    def start(self, arrive: Callable[[PlayerConnection], None]) -> ClientProcess | None:
        """Start the client; it calls ``arrive`` itself, or says hello to the server. Return its process, if any."""


class Awaited:
    """The author starts the client by hand, and again after each game."""

    over_streams = False
    arrival_seconds = None

    def start(self, arrive: Callable[[PlayerConnection], None]) -> ClientProcess | None:
        """Do nothing: the client comes."""
        return None


class OverStreams:
    """Starts a bot that speaks over its standard streams."""

    over_streams = True
    arrival_seconds = None

    def __init__(self, command: BotCommand, connections: OpenConnections, reactor: Any) -> None:
        self._command = command
        self._connections = connections
        self._reactor = reactor

    def start(self, arrive: Callable[[PlayerConnection], None]) -> ClientProcess | None:
        """Prepare a bot, which starts when it takes its seat."""
        bot = StreamBot(self._command, self._connections, self._reactor)
        arrive(bot)
        return bot


class StreamBot(PlayerConnection):
    """A bot over standard streams, for one game."""

    is_client = True

    def __init__(self, command: BotCommand, connections: OpenConnections, reactor: Any) -> None:
        self._own = ChildConnection(command.open_session("client"), self, connections, reactor)
        super().__init__(self._own, "client", games=1)
        self._command = command
        self._child = Child(self._own, "the client", reactor)
        self.end = ProcessEnd(self._child.last_words)

    def sit(self, seat: Seat, table: TableInfo) -> None:
        """Start the bot, and give it a seat."""
        self._child.start(self._command.at(seat))
        super().sit(seat, table)

    def stop(self) -> None:
        """End it: close its standard input, and send signals if that does not end it."""
        self._own.dismiss()

    # The observer of the process

    def failed(self, message: str) -> None:
        """Do nothing: the transcript has the reason."""

    def complained(self, line: str) -> None:
        """Do nothing: the last lines are quoted if the bot fails."""

    def ended(self, ending: Ending) -> None:
        """Note how the bot ended."""
        self.end.take(ending.status, is_forced=ending.is_forced)


class ByItself:
    """Starts a client that connects to the server by itself."""

    over_streams = False
    arrival_seconds = 30.0

    def __init__(self, words: tuple[str, ...], addresses: Mapping[str, str], reactor: Any) -> None:
        """``addresses`` are those of the server, by the words in braces that stand for them in the command."""
        self._words = [_filled(word, addresses) for word in words]
        self._reactor = reactor

    def start(self, arrive: Callable[[PlayerConnection], None]) -> ClientProcess | None:
        """Start the program."""
        process = StartedProcess(self._reactor)
        process.start(self._words)
        return process


def _filled(word: str, addresses: Mapping[str, str]) -> str:
    for name, address in addresses.items():
        word = word.replace(f"{{{name}}}", address)
    return word


class StartedProcess(StartedProgram):
    """A program that connects by itself. What it prints is dropped."""

    def __init__(self, reactor: Any) -> None:
        super().__init__(reactor, None)
        self.end = ProcessEnd(self.last_words)

    def start(self, words: list[str]) -> None:
        """Start the program; if that fails, it ends at once."""
        environment = {**os.environ, UNBUFFERED[0]: UNBUFFERED[1]}
        try:
            self.launch(words, None, environment)
        except OSError as error:
            self.end.take(f"{words[0]} could not be started: {error.strerror or error}")
            return
        self.transport.closeStdin()

    def ended(self, status: str) -> None:
        """Note how it ended."""
        self.end.take(status, is_forced=self.is_forced)

    def stop(self) -> None:
        """Send SIGTERM, and SIGKILL if that does not end it."""
        if self.end.status is None:
            self.terminate()


# Transcripts


GAME = "check-"
"""The start of the name of each game; a transcript has it as a remark where the client takes its seat."""

MAX_LINES = 20_000
"""Lines of a transcript that are kept: a client that floods the server is closed long before."""


class Transcript:
    """The transcript of one connection. Its lines are those of a trace (``ump.net.trace``)."""

    def __init__(self, clock: IReactorTime) -> None:
        self.lines: list[str] = []
        """An instant, a sign and a text each."""
        self.on_remark: Callable[[str], None] = lambda text: None
        """Called with each remark of the server."""
        self.on_close: Callable[[], None] = lambda: None
        """Called when the connection is gone."""
        self._clock = clock

    def received(self, message: bytes) -> None:
        """Keep a message of the client."""
        self._add("<", message.decode("utf-8", "backslashreplace"))

    def sent(self, messages: Iterable[str]) -> None:
        """Keep messages to the client."""
        for message in messages:
            self._add(">", message)

    @property
    def last_game(self) -> int:
        """The first line that belongs to the last game: of the first game, also those before it."""
        games = [place for place, line in enumerate(self.lines) if f"# {GAME}" in line]
        return games[-1] if len(games) > 1 else 0

    def remark(self, text: str) -> None:
        """Keep a remark of the server, and pass it on."""
        self._add("#", text)
        self.on_remark(text)

    def close(self) -> None:
        """Note that the connection is gone."""
        self.on_close()

    def _add(self, sign: str, text: str) -> None:
        if len(self.lines) < MAX_LINES:
            now = wall_datetime(self._clock)
            instant = f"{now:%H:%M:%S}.{now.microsecond // 1_000:03}"
            self.lines.append(f"{instant} {sign} {shown(text, MAX_TRACED_TEXT)}")


class Transcripts:
    """Opens a transcript for each connection."""

    def __init__(self, clock: IReactorTime) -> None:
        self._clock = clock

    def open(self, peer: str) -> Transcript:
        """Begin the transcript of a connection."""
        return Transcript(self._clock)


# The run


RETURN_SECONDS = 15.0
"""Time for a client to come back after a lost connection."""

END_SECONDS = 12.0
"""Time for a client to end after its game: longer than the server waits for a farewell, or for a bot behind pipes."""

LAST_WORDS_SECONDS = 2.0
"""Time for a client that has played, or closed its connection, to end: its status counts, its last words are quoted."""

HELD_MOVE = 5.0
"""The most seconds for a move where the server lets the time run out."""

EXCERPT = 6
"""Lines of a transcript that are quoted after a fault."""

SECRET = "ump check-client"
"""Stands for the secret of the game, whose walls are arranged."""


class Run:
    """Plays one situation. It ends at the first fault."""

    def __init__(
        self,
        situation: Situation,
        starter: Starter,
        times: TimeControl,
        tokens: SeatTokens,
        reactor: Any,
        done: Callable[[Run, SituationVerdict], None],
    ) -> None:
        """``done`` is called with the verdict. ``tokens`` knows the client when it comes back to its seat."""
        self.play = SituationTable(situation, self._act, self._see)
        self.is_fatal = False
        """Whether the client never came, so that no further situation can be played."""
        self.staying: PlayerConnection | None = None
        """The client, if it waits for another game after this one."""
        self.transcripts: list[tuple[Transcript, int]] = []
        """The transcripts of the client's connections, each with its first line that belongs to this situation."""
        self._starter = starter
        self._times = times
        self._tokens = tokens
        self._reactor = reactor
        self._done = done
        self.process: ClientProcess | None = None
        """The process of the client, if the check has started it."""
        self._player: PlayerConnection | None = None
        self._runner: TableRunner | None = None
        self._can_return = False
        self._is_dropped = False
        """Whether the server has cut the connection, and the client has not come back."""
        self._dropped = 0
        """Messages of the client without effect."""
        self._is_leaving = False
        """Whether the game is over, and the client has to end."""
        self._is_played = False
        """Whether the game is over, and only the exit status of the client's process can still be a fault."""
        self._is_over = False
        self._timer: IDelayedCall | None = None

    # The client comes

    @property
    def needs_client(self) -> bool:
        """Whether the seat is free."""
        return self._player is None and not self._is_over

    def start(self) -> None:
        """Start the client, or wait for it."""
        if self.play.situation.stage is Stage.DROP and self._starter.over_streams:
            self._conclude(skipped(self.play.situation, "a bot over standard streams has no connection to lose"))
            return
        self.process = self._starter.start(self.seat)
        if self._is_over:
            return
        if self.process is not None:
            self.process.end.when_taken().addCallback(self._process_ended)
        if self._starter.arrival_seconds is not None and not self._is_over:
            seconds = self._starter.arrival_seconds
            self._expect(seconds, lambda: self._give_up(f"the client said no hello within {seconds:g} seconds"))

    def seat(self, player: PlayerConnection) -> None:
        """Begin the game with this client."""
        self._cancel_timer()
        recorder_of: Callable[[JournalHeader], Recorder] | None = None
        if self.play.situation.stage is not Stage.STOP:  # a recorded game would not end for good
            recorder_of = self._witness
        setup = TableSetup(
            self._reactor,
            self._tokens,
            SpectatorTurns(self._reactor),
            logs=None,
            recorder_of=recorder_of,
            finished=self._finished,
            standings=lambda: None,
        )
        self._runner = setup.create(self._game(player))
        self._can_return = self._runner.may_return(self.play.client)
        self._attach(player)
        self._runner.begin()

    def _witness(self, _: JournalHeader) -> Recorder:
        return self.play.witness

    def _game(self, player: PlayerConnection) -> NewGame:
        """Return the game of the situation, with its client in its seat."""
        play = self.play
        times = self._times
        if play.situation.stage is Stage.HOLD:
            times = TimeControl(min(times.move, HELD_MOVE) or HELD_MOVE, 0.0)
        name = f"{GAME}{play.situation.name}"
        settings = RoomSettings(name, times=times, table=TableSettings(grace=RETURN_SECONDS, refusals=0))
        seating: dict[Seat, Seated | EmptySeat] = {play.client: player}
        for seat in play.policies:
            seating[seat] = BotSeat("script", f"check-{LETTERS[seat]}")
        arranged = ArrangedGame(play.ruleset, play.policies, play.witness, play.deal)
        return NewGame(settings, name, SECRET, seating, arranged=arranged)

    def meet_again(self) -> None:
        """Note that the client has connected again."""
        if self._is_leaving or self._is_played:
            self._judge()

    def _attach(self, player: PlayerConnection) -> None:
        """Follow the connection of the client."""
        self._player = player
        transcript = player.connection.trace
        if isinstance(transcript, Transcript):
            self.transcripts.append((transcript, transcript.last_game))
            transcript.on_remark = self._remarked
            transcript.on_close = self._closed

    # What the server does at the client's first turn

    def _act(self) -> None:
        assert self._player is not None and self._runner is not None
        connection = self._player.connection
        match self.play.situation.stage:
            case Stage.HOLD:
                connection.hold()
            case Stage.DROP if self._can_return:
                self._is_dropped = True
                self._reactor.callLater(0, connection.cut)
            case Stage.STOP:
                self._is_leaving = True
                self._reactor.callLater(0, self._stop_game, self._runner)
            case _:
                pass

    def _stop_game(self, runner: TableRunner) -> None:
        self._await_end()
        runner.stop()

    # From the table

    def _see(self, entry: Entry) -> None:
        """Let the client answer again after a timeout, and find that it has gone."""
        match entry:
            case ActionTaken(seat, _, Cause.TIMEOUT) if seat == self.play.client:
                self._reactor.callLater(0, self._release)
            case SeatLeft(seat) | SeatDropped(seat) if seat == self.play.client and not self._is_dropped:
                self._fail("the client has closed the connection during the game")
            case SeatReturned(seat) if seat == self.play.client and self._runner is not None:
                self._is_dropped = False
                self._attach(self._runner.players[seat])

    def _release(self) -> None:
        if self._player is not None and self.play.situation.stage is Stage.HOLD:
            self._player.connection.release()

    def _finished(self, runner: TableRunner) -> None:
        """Judge after the game, or first wait for the client's farewell, or for the end of its process."""
        if self._is_over:
            return
        if self._is_dropped:
            self._fail(f"the client has not come back within {RETURN_SECONDS:g} seconds")
            return
        player = runner.players.get(self.play.client)
        if player is None:
            return
        if self.process is not None:
            self.process.end.note_game_over()
        if self.play.situation.stage is Stage.FAREWELL:
            self._await_end()
            if player.end_game():
                player.connection.say_bye()
            return
        if player.end_game():
            self.staying = player
        if self.process is None or self.process.end.status is not None or self.staying is not None:
            self._judge()
        else:
            self._is_played = True
            self._expect(LAST_WORDS_SECONDS, self._judge)

    # Faults

    def _remarked(self, remark: str) -> None:
        """Take a remark of the server about a message of the client."""
        if self._is_played:
            return
        if self._is_leaving:
            if remark.startswith(UNANSWERED) and self._owes_farewell():
                self._fail(remark)
        elif is_fault(remark) and not self._is_expected(remark):
            self._fail(remark)

    def _is_expected(self, remark: str) -> bool:
        """Tell whether a remark is no fault of the client.

        The first timeout belongs to a situation in which the server holds the answer back. One message without effect
        is allowed for each question that the server has closed itself: the answer was under way.
        """
        course = self.play.course
        if remark.startswith(DROPPED):
            self._dropped += 1
            return self._dropped <= course.lapsed
        is_first = all(answered.cause is not Cause.TIMEOUT for answered in course.answered[:-1])
        return self.play.situation.stage is Stage.HOLD and remark.startswith(SILENT) and is_first

    def _owes_farewell(self) -> bool:
        return self._player is not None and self._player.connection.session.OWES_FAREWELL

    def _process_ended(self, result: None) -> None:
        if self._is_over or self.process is None:
            return
        if self._player is None and not self._starter.over_streams:
            self._give_up(f"the client ended before it said hello, {self.process.end}")
        elif self._is_dropped:
            self._fail("the client ended instead of coming back")
        elif self._is_leaving:
            if self.process.end.was_forced:
                self._fail("the client did not end when its standard input was closed")
            else:
                self._judge()
        elif self._is_played:
            self._judge()

    def _closed(self) -> None:
        """Note that the connection is gone; where nothing else can be observed, the client has left."""
        if self._is_leaving and self.process is None:
            self._judge()

    def _give_up(self, why: str) -> None:
        """End the check: the client does not even come."""
        self.is_fatal = True
        self._conclude(SituationVerdict(self.play.situation, SituationResult.FAIL, why))

    def _fail(self, fault: str) -> None:
        """End the situation with a fault, when the current step is over."""
        if self._is_over:
            return
        self._is_over = True
        self._cancel_timer()
        self._reactor.callLater(0, self._abort, fault, self._excerpt())

    def _excerpt(self) -> tuple[str, ...]:
        return tuple(self.transcripts[-1][0].lines[-EXCERPT:]) if self.transcripts else ()

    def _abort(self, fault: str, excerpt: tuple[str, ...]) -> None:
        """Close the client's connection with the fault, and stop the game."""
        player, runner = self._player, self._runner
        is_open = runner is not None and self.play.client in runner.players
        if runner is not None:
            runner.players.pop(self.play.client, None)
            runner.stop()
        if player is not None and is_open:
            player.turn_away(f"this situation of the check is over: {fault}")
        if is_open or self.process is None:
            self._report_fault(fault, excerpt)
            return
        ended = self.process.end.when_taken().addTimeout(LAST_WORDS_SECONDS, self._reactor)
        ended.addErrback(lambda reason: reason.trap(TimeoutError) and None)
        ended.addCallback(lambda _: self._report_fault(fault, excerpt))

    def _report_fault(self, fault: str, excerpt: tuple[str, ...]) -> None:
        has_ended = self.process is not None and self.process.end.status is not None
        came = f"{fault}; it ended with {self.process.end}" if self.process is not None and has_ended else fault
        self._conclude(SituationVerdict(self.play.situation, SituationResult.FAIL, came, excerpt=excerpt))

    # The end

    def _await_end(self) -> None:
        """Wait until the client has ended. If it connects again, it gets a new seat."""
        self._is_leaving = True
        self._forget_seat()
        self._expect(END_SECONDS, lambda: self._fail(f"the client has not ended within {END_SECONDS:g} seconds"))

    def _judge(self) -> None:
        """Conclude without a fault."""
        if self._is_over:
            return
        situation = self.play.situation
        if situation.stage is Stage.DROP and not self._can_return:
            self._conclude(skipped(situation, "the client did not ask to come back to its seat"))
        else:
            self._conclude(self._with_end(judge(self.play)))

    def _with_end(self, verdict: SituationVerdict) -> SituationVerdict:
        """Return the verdict with how the process has ended.

        A status other than 0 is a fault, unless the server did something that the client may report so.
        """
        if self.process is None:
            return verdict
        end = self.process.end
        if end.status is None or end.was_forced or str(end) == SUCCESS:
            return verdict
        came = f"{verdict.came}; it ended with {end}"
        if end.is_fault and self.play.situation.stage not in (Stage.HOLD, Stage.STOP):
            return replace(verdict, result=SituationResult.FAIL, came=came, excerpt=self._excerpt())
        return replace(verdict, came=came)

    def stop(self) -> None:
        """End without a verdict: the user has interrupted the check."""
        self._is_over = True
        self._cancel_timer()
        if self._runner is not None:
            self._runner.stop()
        if self.process is not None:
            self.process.stop()

    def _conclude(self, verdict: SituationVerdict) -> None:
        self._is_over = True
        self._cancel_timer()
        self._forget_seat()
        for transcript, _ in self.transcripts:
            transcript.on_remark = lambda text: None
            transcript.on_close = lambda: None
        if self.process is not None and self.process.end.status is None:
            self.process.stop()
        self._done(self, verdict)

    def _forget_seat(self) -> None:
        """Let the client not come back to this game."""
        if self._runner is not None:
            self._tokens.forget(self._runner)

    def _expect(self, seconds: float, otherwise: Callable[[], object]) -> None:
        self._cancel_timer()
        self._timer = self._reactor.callLater(seconds, otherwise)

    def _cancel_timer(self) -> None:
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
