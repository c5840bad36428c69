"""A trial start of a bot: finds out whether it starts and replies, before a client takes a seat at a server."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall

from ump.bots.bot_game import VisibleEvent
from ump.model.actions import Action
from ump.model.claims import Claim
from ump.model.events import GameStarted
from ump.net.bot_commands import Command
from ump.net.child_process import Child, ChildConnection, Ending
from ump.net.connection_limits import OpenConnections
from ump.rules.presets import PRESETS
from ump.wire.session import Note, TableInfo

TRIAL_SECONDS = 3.0
"""Seconds for which a bot must live if it does not reply sooner. Bots that load a model may take longer to reply."""

_NAMES = ("trial", "a", "b", "c")


class BotTrial:
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

    @property
    def asked(self) -> str:
        """Nothing: no table asks the bot."""
        return ""

    def noted(self, number: int, note: Note) -> None:
        """Do nothing: the trial has no log."""

    def answered(self, number: int, answer: Claim | Action | None, *, is_automatic: bool = False) -> None:
        """End the trial if this is a reply of the bot; a bot that reads lines does not reply to the start of a game."""
        if self._must_reply:
            self._finish(None)

    def heard(self, *, is_stale: bool) -> None:
        """Do nothing: any other line shows no more than that the bot lives."""

    def left(self, *, is_lost: bool) -> None:
        """Do nothing: ``ended`` or ``failed`` says why."""

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
