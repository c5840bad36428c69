"""One game of a bot on another server: the server's events and questions go to a child process, its answers back."""

from __future__ import annotations

import sys
from typing import Any, Protocol

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall

from ump.model.actions import Action, Discard
from ump.model.claims import Claim, IllegalAction, Reason, Verb
from ump.model.events import Event, GameEnded, GameStarted, KyokuStarted
from ump.model.hand import Hand
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.tiles import Face
from ump.net.bot_commands import Command
from ump.net.child_process import TRACEBACK, Child, ChildConnection, Ending
from ump.net.connection import Idle
from ump.net.connection_limits import OpenConnections
from ump.net.limits import SILENT_SECONDS
from ump.players.claimable import legal_actions
from ump.players.observation import Observation
from ump.rules.presets import PRESETS
from ump.table.chair import MAX_SILENT
from ump.wire.session import Render, TableInfo
from ump.wire.ump.answers import write_action, write_claim
from ump.wire.ump.client_events import QuestionAsked, ReadyAsked

UNTIMED = 60.0
"""The time for a question, in seconds, that the bot receives if the server states none."""


class ServerLink(Protocol):
    """The part of the connection to the server that a game needs."""

    @property
    def reactor(self) -> Any:
        """The reactor that starts processes and keeps time."""

    @property
    def connections(self) -> OpenConnections:
        """The open connections to bots."""

    def send(self, number: int, text: str) -> None:
        """Send a sentence with the id of the question that it answers."""

    def fail(self, text: str) -> None:
        """Report a failure."""

    def report_repeated(self, text: str) -> None:
        """Report something that may happen often."""

    def note_replaced(self) -> None:
        """Count an answer of the bot that was replaced by the default."""

    def give_up_seat(self) -> None:
        """Leave the server: the bot is gone, and the server plays its seat."""


class VisibleEvent:
    """An event for the bot. The server has already hidden what its seat may not see."""

    def __init__(self, event: Event) -> None:
        self._event = event

    def seen_by(self, seat: Seat | None) -> Event:
        """Return the event."""
        return self._event

    def rendered(self, render: Render, seat: Seat | None) -> tuple[str, ...]:
        """Return the texts that ``render`` makes of it."""
        return render(self._event, seat)


class ServerQuestion:
    """A question of the server, in the form that a session expects. Raises ValueError if the game cannot ask it."""

    def __init__(self, asked: QuestionAsked, seen: Observation) -> None:
        self._asked = asked
        self._seen = seen
        self._legal = legal_actions(seen, asked.phase, asked.tile, asked.offers)

    @property
    def phase(self) -> Phase:
        """The kind of question."""
        return self._asked.phase

    @property
    def tile(self) -> Face | None:
        """The drawn tile (None after a call), or the tile that others may call or win on."""
        return self._asked.tile

    @property
    def hand(self) -> Hand:
        """The own hand, as far as the server has shown it."""
        return self._seen.hand

    def legal(self) -> tuple[Action, ...]:
        """Return the actions that the server offers; if it offers none, those that the seat can know to be legal."""
        return self._legal

    def check(self, action: Action) -> None:
        """Raise IllegalAction unless the action is one of these; the server knows better reasons."""
        if action not in self._legal:
            raise IllegalAction(Reason.NOT_ASKED)

    def default(self) -> str:
        """Return the answer for a bot that gives none."""
        if self._asked.phase is not Phase.TURN:
            return write_claim(Claim(Verb.YES if self._asked.phase is Phase.DECLARE else Verb.NO))
        if self._asked.tile is not None:
            return write_action(Discard(self._asked.tile, tsumogiri=True))
        discards = [action for action in self._legal if isinstance(action, Discard)]
        return write_action(discards[-1]) if discards else write_claim(Claim(Verb.NO))


class BotGame(Idle):
    """One game of the bot. When the bot is gone, the client leaves the server."""

    def __init__(self, link: ServerLink, command: Command, name: str, seat: Seat, table: TableInfo) -> None:
        """Start the bot with this name in a seat."""
        self._link = link
        self._seen = Observation(seat, table.ruleset)
        self._clock = link.reactor
        self._open: QuestionAsked | ReadyAsked | None = None
        """The question that the bot has not answered yet."""
        self._number = 0
        """The number of the last question, as the session knows it."""
        self._until = 0.0
        """The instant at which the time for the open question ends."""
        self._in_kyoku = False
        """Whether a kyoku has started."""
        self._has_moved = True
        """Whether an event has come since the last question."""
        self._is_gone = False
        self._silent = 0
        """The number of questions in a row that the bot has not answered in time."""
        self._last_words: list[str] = []
        """Lines of standard error since the game was over."""
        self._timer: IDelayedCall | None = None
        """Gives up on a bot that does not answer the open question."""
        self.connection = ChildConnection(command.open_session(name), self, link.connections, link.reactor)
        self.connection.occupant = self
        Child(self.connection, "the bot", link.reactor).start(command.at(seat), command.folder)
        self.connection.sit(seat, table)

    # From the server

    def tell(self, event: Event) -> None:
        """Pass an event on to the bot; raise ValueError if it contradicts earlier ones."""
        self._lapse()
        self._check(event)
        self._seen.see(event)
        self._has_moved = True
        if self._is_gone:
            return
        self.connection.session.tell(VisibleEvent(event), self._clock.seconds())
        if isinstance(event, GameEnded):
            self._cancel_timer()
            self.connection.say_bye()

    def _check(self, event: Event) -> None:
        """Raise ValueError if no game of these rules has this event now."""
        seats = self._seen.ruleset.seats
        match event:
            case GameStarted(names=listed) | KyokuStarted(points=listed) | GameEnded(points=listed):
                if len(listed) != seats:
                    raise ValueError(f"a list of {len(listed)} players in a game of {seats}")
                self._in_kyoku = isinstance(event, KyokuStarted)
            case _:
                if not self._in_kyoku:
                    raise ValueError("an event of a kyoku before its start")
                if getattr(event, "seat", 0) >= seats:
                    raise ValueError("an event of a player who is not there")

    def ask(self, asked: QuestionAsked | ReadyAsked) -> None:
        """Ask the bot. If it has answered this question before, or is gone, answer with the default."""
        self._lapse()
        is_again, self._has_moved = not self._has_moved, False
        self._number += 1
        if is_again or self._is_gone:
            self._answer_default(asked)
            return
        self._open = asked
        now = self._clock.seconds()
        move, bank = (UNTIMED, 0.0) if asked.time is None else (asked.time.move, asked.time.bank)
        self._until = now + move + bank
        self._timer = self._clock.callLater(max(SILENT_SECONDS, move + bank), self._give_up)
        question = ServerQuestion(asked, self._seen) if isinstance(asked, QuestionAsked) else None
        self.connection.session.ask(self._number, question, move, bank, now)

    def end(self) -> None:
        """Dismiss the bot at once."""
        self._is_gone = True
        self._open = None
        self._cancel_timer()
        self.connection.dismiss()

    def _lapse(self) -> None:
        """Close the open question: the server goes on without an answer."""
        if self._open is None:
            return
        self._open = None
        self._cancel_timer()
        now = self._clock.seconds()
        is_late = now >= self._until
        self.connection.session.lapse(self._number, now, by_time=is_late)
        if is_late:
            self._silent += 1
        if self._silent >= MAX_SILENT:
            self._give_up()

    def _give_up(self) -> None:
        self.connection.fail("it does not answer")

    def _cancel_timer(self) -> None:
        if self._timer is not None and self._timer.active():
            self._timer.cancel()

    def _answer_default(self, asked: QuestionAsked | ReadyAsked) -> None:
        text = ServerQuestion(asked, self._seen).default() if isinstance(asked, QuestionAsked) else "ok"
        self._link.send(asked.id, text)

    # From the bot

    @property
    def label(self) -> str:
        """The name of the bot in the log."""
        return self.connection.peer

    def answered(self, number: int, answer: Claim | Action | None, *, is_automatic: bool = False) -> None:
        """Pass an answer on to the server; None is an unreadable one."""
        self._silent = 0
        asked = self._open
        if asked is None or number != self._number:
            return
        self._open = None
        self._cancel_timer()
        if isinstance(asked, ReadyAsked):
            self._link.send(asked.id, "ok")
        elif answer is None:
            self._link.report_repeated("the bot's answer is unreadable; the default is used")
            self._link.note_replaced()
            self._answer_default(asked)
        else:
            self._link.send(asked.id, write_claim(answer) if isinstance(answer, Claim) else write_action(answer))

    def heard(self, *, is_stale: bool) -> None:
        """Note that the bot is alive: it has sent a message that answers no question."""
        self._silent = 0

    def left(self) -> None:
        """Give the seat back: the bot is gone."""
        self._cancel_timer()
        self._is_gone = True
        self._open = None
        self._link.give_up_seat()

    def failed(self, message: str) -> None:
        """Report why the bot was stopped."""
        self._link.fail(f"the bot was stopped: {message}")

    def complained(self, line: str) -> None:
        """Copy a line of the bot's standard error to ours; after the game, keep it until the bot has ended."""
        if self.connection.occupant is None:
            self._last_words.append(line)
        else:
            _copy_error(line)

    def ended(self, ending: Ending) -> None:
        """Report a bot that ends during its game; of one that has reached the end of its input, hide the traceback."""
        words = self._last_words
        if ending.is_early:
            self._link.fail(f"the bot ended during its game, {ending.status}")
        elif TRACEBACK in words:
            words = words[: words.index(TRACEBACK)]
        for line in words:
            _copy_error(line)


def _copy_error(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


# The trial start of a bot


TRIAL_SECONDS = 3.0
"""Seconds for which a bot must live if it does not reply sooner. Bots that load a model may take longer to reply."""

_NAMES = ("trial", "a", "b", "c")


class BotTrial(Idle):
    """Starts the bot at seat 0, tells it that a game begins, and stops it at its first reply."""

    def __init__(self, command: Command, connections: OpenConnections, reactor: Any) -> None:
        self.over: Deferred[str | None] = Deferred()
        """Fires with what is wrong, or with None."""
        self.connection = ChildConnection(command.open_session("trial"), self, connections, reactor)
        self.connection.occupant = self
        self._must_reply = command.dialect == "mjai"
        self._child = Child(self.connection, "the bot", reactor)
        self._child.start(command.at(0), command.folder)
        self._timer: IDelayedCall = reactor.callLater(TRIAL_SECONDS, self._finish, None)
        if not self.over.called:
            self._begin_game(reactor.seconds())

    def _begin_game(self, now: float) -> None:
        self.connection.sit(0, TableInfo("trial", PRESETS["ump"]))
        self.connection.session.tell(VisibleEvent(GameStarted(_NAMES)), now)
        self.connection.session.ask(1, None, TRIAL_SECONDS, 0.0, now)
        self.connection.flush()

    def stop(self) -> None:
        """Stop the bot: the user has interrupted the program."""
        self._finish(None)

    def _finish(self, problem: str | None) -> None:
        if self.over.called:
            return
        if self._timer.active():
            self._timer.cancel()
        self.connection.dismiss()
        self.over.callback(problem)

    # The occupant of the connection

    @property
    def label(self) -> str:
        """The name of the bot in the log."""
        return self.connection.peer

    def answered(self, number: int, answer: Claim | Action | None, *, is_automatic: bool = False) -> None:
        """End the trial if this is a reply of the bot; a bot that reads lines does not reply to the start of a game."""
        if self._must_reply:
            self._finish(None)

    # The observer of the process

    def failed(self, message: str) -> None:
        """Report why the bot was stopped."""
        self._finish(f"the bot was stopped: {message}")

    def complained(self, line: str) -> None:
        """Do nothing: the end of its standard error is printed if the bot fails, and the game prints all of it."""

    def ended(self, ending: Ending) -> None:
        """Report a bot that ends before it has replied, with the end of its standard error."""
        if not self.over.called:
            last = self._child.said_last()
            self._finish(f"the bot ended before its first reply, {ending.status}" + (f"\n{last}" if last else ""))
