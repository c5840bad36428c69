"""UMP 0.1 and 0.2 as a client speaks them."""

from __future__ import annotations

from typing import Protocol

from ump.bots.conversation import Conversation, Introduction, ServerRefusal
from ump.bots.player import Player
from ump.model.actions import Action
from ump.model.events import Event, GameEnded, GameStarted
from ump.model.seats import Seat
from ump.rules.presets import PRESETS
from ump.wire.ump01 import client_messages as client01
from ump.wire.ump01.answers import write_action as write_action_01
from ump.wire.ump01.client_events import (
    AnswerRefused,
    ByeReceived,
    ClientEvent,
    ErrorReceived,
    HelloReceived,
    HintReceived,
    NoticeReceived,
    PlayersWaiting,
    ProofReceived,
    QuestionAsked,
    ReadyAsked,
    SeatAssigned,
    SeedAsked,
    TimeRanOut,
    TokenReceived,
)
from ump.wire.ump01.read import Reader as Reader01
from ump.wire.ump02 import client_messages as client02
from ump.wire.ump02.answers import write_action as write_action_02
from ump.wire.ump02.read import Reader as Reader02


class _Reader(Protocol):
    """Reads the lines of a server, in either version."""

    def read(self, line: str) -> list[ClientEvent]:
        """Return what a line contains or completes."""


class UmpConversation(Conversation):
    """The common part of both versions."""

    def __init__(self, player: Player, introduction: Introduction, reader: _Reader) -> None:
        super().__init__(player, introduction)
        self._reader = reader
        self._rule: str | None = None
        """The preset that the server names."""
        self._seat: Seat = 0

    def receive(self, message: str) -> list[str]:
        """Take one line."""
        answers: list[str] = []
        for event in self._reader.read(message):
            answers += self._take(event)
        return answers

    def _take(self, event: ClientEvent) -> list[str]:
        match event:
            case QuestionAsked():
                return [f"{event.id} {self._write(self._choose(event), event)}"]
            case ReadyAsked():
                return [f"{event.id} {self._ready()}"]
            case HelloReceived():
                self.is_greeted = True
                options = dict(event.options)
                self._rule = options.get("_rule")
                if self._introduction.walls is not None and "_seed" not in options.get("_ext", "").split(","):
                    self._player.report("this server does not let players add to the walls")
                return [f"{event.id} {self._hello()}"]
            case SeatAssigned():
                if event.seat is None:
                    raise ValueError("the server gives us no seat")
                self._seat = event.seat
            case AnswerRefused():
                self._player.refuse(event.reason.value)
            case ByeReceived():
                self.is_over = True
                return [f"{event.id} bye"]
            case ErrorReceived():
                raise ServerRefusal(event.message)
            case TokenReceived():
                self._player.seat_token = event.token
            case ProofReceived():
                if self._introduction.walls is not None:
                    self._introduction.walls.take(event)
            case SeedAsked():
                if self._introduction.walls is not None:
                    return [f"{event.id} {self._introduction.walls.reveal().serialise()}"]
            case NoticeReceived(text):
                self._player.report(f"the server says: {text!r}")
            case PlayersWaiting() | TimeRanOut() | HintReceived():
                pass
            case _:
                self._see(event)
        return []

    def _see(self, event: Event) -> None:
        if isinstance(event, GameStarted):
            self._player.begin_game(self._seat, event.names, PRESETS.get(self._rule or ""))
        if not self._player.is_in_game:
            raise ValueError("an event before the start of the game")
        self._player.see(event)
        if isinstance(event, GameEnded):
            self._end_game()

    def _end_game(self) -> None:
        """React to the end of a game."""

    def _choose(self, asked: QuestionAsked) -> Action:
        if not self._player.is_in_game:
            raise ValueError("a question before the start of the game")
        return self._player.choose(asked.phase, asked.tile, asked.offers)

    def _hello(self) -> str:
        """Return the introduction, without the id."""
        raise NotImplementedError

    def _ready(self) -> str:
        """Return the answer to ``ready?``, without the id."""
        raise NotImplementedError

    def _write(self, action: Action, asked: QuestionAsked) -> str:
        """Return the answer for an action, without the id."""
        raise NotImplementedError

    def _options(self) -> list[tuple[str, str]]:
        """Return the options of the hello, without the version."""
        introduction = self._introduction
        is_new = introduction.seat_token is None
        given = (
            ("name", introduction.name if is_new else None),
            ("_games", str(introduction.games)),
            ("_explain", "1"),
            ("_resume", introduction.seat_token or "1"),
            ("_room", introduction.room if is_new else None),
            ("user", introduction.user),
            ("password", introduction.password),
            ("_seed", None if introduction.walls is None else introduction.walls.commitment),
        )
        return [(option, text) for option, text in given if text is not None]


class Ump01Conversation(UmpConversation):
    """UMP 0.1, with lists of legal actions where the server has them."""

    def __init__(self, player: Player, introduction: Introduction) -> None:
        super().__init__(player, introduction, Reader01())

    def _hello(self) -> str:
        return client01.ClientHello((("ump", "0.1"), *self._options(), ("_offer", "1"))).serialise()

    def _ready(self) -> str:
        return client01.Ok.NAME

    def _write(self, action: Action, asked: QuestionAsked) -> str:
        return write_action_01(action)


class Ump02Conversation(UmpConversation):
    """UMP 0.2. It has no bye: the connection ends after the last game."""

    def __init__(self, player: Player, introduction: Introduction) -> None:
        super().__init__(player, introduction, Reader02())
        self._last = player.games + introduction.games if introduction.games else None
        """The number of the player's games after the last one here; None: there is no last one."""

    def _end_game(self) -> None:
        self.is_over = self._last is not None and self._player.games >= self._last

    def _hello(self) -> str:
        return client02.ClientHello((("ump", "0.2"), *self._options())).serialise()

    def _ready(self) -> str:
        return client01.Yes.NAME

    def _write(self, action: Action, asked: QuestionAsked) -> str:
        return write_action_02(action, asked.tile, self._player.seen.hand.concealed)
