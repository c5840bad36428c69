"""``ump join``: a bot that speaks mjai over its standard streams plays on any server, as a client of ``ump.bots``.

First the program is started once on trial, so that one that does not run takes no seat. Each game starts it anew. It is
asked through the session of its dialect, as the server asks the programs that it starts itself. The client waits for
its answers. If an answer is not legal, the default is played: a program behind a pipe cannot be asked twice. A program
that fails ends the client, which gives the seat back.
"""

from __future__ import annotations

import sys
import time
from collections import Counter, deque
from contextlib import closing, suppress
from signal import SIG_IGN, SIGINT, SIGTERM, default_int_handler, signal

from ump.bots import session
from ump.bots.bot import Bot, BotFault, Legal
from ump.bots.claimed import claimed
from ump.bots.conversations import ToldQuestion
from ump.bots.session import ClientOptions, PlayedGames
from ump.model.actions import Action
from ump.model.claims import Claim
from ump.model.events import Event, GameStarted, KyokuEnded
from ump.model.phases import Phase
from ump.model.seats import Ranking, Seat
from ump.net.bot_commands import BotCommand
from ump.net.limits import MAX_LOGGED, QUIT_SECONDS, SILENT_SECONDS
from ump.net.programs import TRACEBACK, UNLIMITED, PipedProgram, ProgramEnded, ProgramError, ProgramSilent
from ump.players.observation import Observation
from ump.rules.presets import PRESETS
from ump.table.chair import MAX_SILENT
from ump.wire.session import Answered, QuestionView, Received, Render, TableInfo, Unreadable, Violated
from ump.wire.ump.answers import write_action, write_claim

REPLACED = 3
"""The exit status if all games were played, but answers of the bot did not count."""

# What the user reads

MOST_REPORTS = 100
"""Different messages about what happens often; a wrong server could cause ever new ones."""


class Reports:
    """The messages on standard error."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def write(self, text: str) -> None:
        """Write a message."""
        print(f"ump join: {text}", file=sys.stderr, flush=True)

    def repeat(self, text: str) -> None:
        """Write a message that may come often: only the first, second, fourth, eighth ... time."""
        if text not in self._counts and len(self._counts) >= MOST_REPORTS:
            text = "more of the like"
        self._counts[text] += 1
        count = self._counts[text]
        if count == 1:
            self.write(text)
        elif count & (count - 1) == 0:
            self.write(f"{text} ({count} times)")


def _copy_error(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


# One game of the program


class VisibleEvent:
    """An event for the program. The server has already hidden what its seat may not see."""

    def __init__(self, event: Event) -> None:
        self._event = event

    def seen_by(self, seat: Seat | None) -> Event:
        """Return the event."""
        return self._event

    def rendered(self, render: Render, seat: Seat | None) -> tuple[str, ...]:
        """Return the texts that ``render`` makes of it."""
        return render(self._event, seat)


class JoinedGame:
    """The program in one game, asked through the session of its dialect."""

    def __init__(self, command: BotCommand, name: str, seat: Seat, players: int, *, shows_errors: bool = True) -> None:
        """Start the program in a seat; raises ProgramError."""
        self._session = command.open_session(name)
        self._shows_errors = shows_errors
        self._is_over = False
        self._said_after: deque[str] = deque(maxlen=MAX_LOGGED)
        """The lines of standard error since the game was over."""
        self._number = 0
        """The number of the last question."""
        self._answer: Answered | Unreadable | None = None
        """The answer to that question."""
        self.has_replied = False
        """Whether the program has written a line."""
        self.program = PipedProgram(command.at(seat), command.folder, UNLIMITED, self._hear)
        rules = next(preset for preset in PRESETS.values() if preset.seats == players)
        self._session.sit(seat, TableInfo(name, rules))

    def tell(self, event: Event) -> None:
        """Pass an event to the session; ``exchange`` or ``ask`` sends what may go out."""
        self._session.tell(VisibleEvent(event), time.monotonic())

    def ask(self, question: QuestionView | None, seconds: float) -> Answered | Unreadable:
        """Return the answer to a question; None asks whether the program is ready. Raises ProgramError."""
        now = time.monotonic()
        self._number += 1
        self._answer = None
        self._session.ask(self._number, question, seconds, 0.0, now)
        self.exchange()
        while self._answer is None:
            self._read(self.program.receive(now + seconds - time.monotonic()))
            self.exchange()
        return self._answer

    def close(self, patience: float = QUIT_SECONDS) -> None:
        """End the program; at the end of its input many a bot ends with a traceback, which is not shown."""
        self._is_over = True
        self.program.end(patience)
        for line in self._said_after:
            if line == TRACEBACK:
                break
            _copy_error(line)

    def exchange(self) -> None:
        """Take the lines that have come, and send those that may go out. Raises ProgramError."""
        for line in self.program.waiting():
            self._read(line)
        self.program.send(self._session.take(), SILENT_SECONDS)
        while (received := self._session.tick(time.monotonic())) is not None:
            self._take(received)

    def _read(self, line: bytes) -> None:
        self.has_replied = True
        self._take(self._session.receive(line, time.monotonic()))

    def _take(self, received: Received) -> None:
        match received:
            case Violated(message):
                raise ProgramError(message)
            case Answered(number) | Unreadable(number) if number == self._number:
                self._answer = received

    def _hear(self, line: str) -> None:
        """Copy a line of its standard error to ours; after the game, keep it until the program has ended."""
        if self._is_over:
            self._said_after.append(line)
        elif self._shows_errors:
            _copy_error(line)


# The program as a bot


class ProgramBot(Bot):
    """A bot whose decisions a program makes."""

    def __init__(self, command: BotCommand, name: str, reports: Reports) -> None:
        self.replaced = 0
        """The number of answers that were unreadable or not legal."""
        self._command = command
        self._name = name
        self._reports = reports
        self._game: JoinedGame | None = None
        self._late = 0
        """The number of late answers in a row."""

    def game_started(self, seat: Seat, names: tuple[str, ...]) -> None:
        """Start the program anew, also when the client has come back to its game."""
        self.close()
        self._late = 0
        try:
            self._game = JoinedGame(self._command, self._name, seat, len(names))
        except ProgramError as error:
            raise BotFault(f"the bot could not be started: {error}") from None

    def event(self, event: Event) -> None:
        """Pass the event on. At the start, and after each kyoku, wait until the program is ready."""
        game = self._running()
        try:
            game.tell(event)
            if isinstance(event, GameStarted | KyokuEnded):
                game.ask(None, SILENT_SECONDS)
            else:
                game.exchange()
        except ProgramError as error:
            raise _fault(error) from None

    def decide(self, observation: Observation, legal: Legal) -> Action:
        """Return the program's answer; the default in place of one that cannot be played."""
        if legal.phase is Phase.DECLARE:  # mjai has no such question
            return legal.default
        question = ToldQuestion(legal.phase, legal.tile, observation.hand, tuple(legal))
        given = legal.seconds
        limit = SILENT_SECONDS if given is None else max(SILENT_SECONDS, given)
        begun = time.monotonic()
        try:
            answer = self._running().ask(question, limit)
        except ProgramError as error:
            raise _fault(error) from None
        self._count_late(is_late=given is not None and time.monotonic() - begun >= given)
        return self._meant(answer, legal)

    def game_ended(self, ranking: Ranking) -> None:
        """End the program."""
        self.close()

    def close(self) -> None:
        """End the program, if it runs."""
        if self._game is not None:
            self._game.close()
            self._game = None

    def _running(self) -> JoinedGame:
        assert self._game is not None, "a game has begun"
        return self._game

    def _count_late(self, *, is_late: bool) -> None:
        """Stop a program that is late every time: the server does not wait for it any more."""
        self._late = self._late + 1 if is_late else 0
        if self._late >= MAX_SILENT:
            raise BotFault(f"the bot was stopped: its last {MAX_SILENT} answers came too late")

    def _meant(self, answer: Answered | Unreadable, legal: Legal) -> Action:
        """Return the legal action that an answer means, else the default."""
        if isinstance(answer, Unreadable):
            return self._replace("the bot's answer is unreadable; the default is used", legal)
        told = answer.answer
        action = claimed(told, legal) if isinstance(told, Claim) else told
        if action is None or action not in legal:
            written = write_claim(told) if isinstance(told, Claim) else write_action(told)
            return self._replace(f"the bot's answer {written!r} is not legal; the default is used", legal)
        if answer.flaw is not None:  # a riichi without a legal tile, which the session has chosen
            self._replace(f"the bot's riichi names no tile for it: {answer.flaw.value}", legal)
        return action

    def _replace(self, why: str, legal: Legal) -> Action:
        self._reports.repeat(why)
        self.replaced += 1
        return legal.default


def _fault(error: ProgramError) -> BotFault:
    """Return the fault of a program that has ended, or has to be stopped, during its game."""
    if isinstance(error, ProgramEnded):
        return BotFault(f"the bot ended during its game, {error}")
    return BotFault(f"the bot was stopped: {error}")


# The trial start of a program


TRIAL_SECONDS = 3.0
"""Seconds for which a bot must live if it does not reply sooner. Bots that load a model may take longer to reply."""

_NAMES = ("trial", "a", "b", "c")


def problem_of(command: BotCommand) -> str | None:
    """Return what is wrong with a program that ends, or fails, before it has replied to the start of a game.

    A program that is silent for some seconds has no problem: it loads a model, or replies only when it can act.
    """
    try:
        game = JoinedGame(command, "trial", 0, len(_NAMES), shows_errors=False)
    except ProgramError as error:
        return f"the bot could not be started: {error}"
    until = time.monotonic() + TRIAL_SECONDS
    try:
        with suppress(ProgramSilent):
            game.tell(GameStarted(_NAMES))
            game.ask(None, TRIAL_SECONDS)
            if not game.has_replied:
                game.program.receive(until - time.monotonic())
    except ProgramEnded as error:
        said = game.program.last_words.text
        return f"the bot ended before its first reply, {error}" + (f"\n{said}" if said else "")
    except ProgramError as error:
        return f"the bot was stopped: {error}"
    finally:
        game.close(patience=0.0)
    return None


# The command


def play(command: BotCommand, options: ClientOptions) -> int:
    """Play, and return the exit status; raises KeyboardInterrupt if the user has ended it."""
    signal(SIGTERM, default_int_handler)
    reports = Reports()
    problem = problem_of(command)
    if problem is not None:
        reports.write(problem)
        return 1
    with closing(ProgramBot(command, options.name, reports)) as bot:
        try:
            played = session.play(bot, options, reports.repeat, _print_ranking)
        except BotFault as fault:
            reports.write(str(fault))
            return 1
        except KeyboardInterrupt:
            signal(SIGINT, SIG_IGN)  # a second Ctrl-C could not end it sooner
            raise
    return _status(played, bot, reports)


def _status(played: PlayedGames, bot: ProgramBot, reports: Reports) -> int:
    if played.failure is not None:
        reports.write(played.failure)
    if played.failure is not None or not played.games:
        return 1
    return REPLACED if played.refusals or bot.replaced else 0


def _print_ranking(ranking: Ranking) -> None:
    print(ranking, flush=True)
