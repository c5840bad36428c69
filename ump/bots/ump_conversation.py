"""UMP 0.1 and 0.2 as a client speaks them."""

from __future__ import annotations

from collections.abc import Callable

from ump.bots.conversation import Conversation, Introduction, ServerRefusal
from ump.bots.player import Player
from ump.model.actions import Action
from ump.model.events import Event, GameEnded, GameStarted
from ump.model.seats import Seat
from ump.model.value import value
from ump.rules.presets import PRESETS
from ump.wire.ump import client_events as told
from ump.wire.ump import sentences01
from ump.wire.ump.answers import write_action, write_action_02
from ump.wire.ump.client_events import ClientEvent
from ump.wire.ump.reader import UmpReader
from ump.wire.ump.sentences01 import Bye, ClientHello


@value
class Version:
    """A version of UMP: the messages of a client that differ."""

    number: str
    ready: str
    """The answer to ``ready?``."""
    write: Callable[[Action, told.QuestionAsked, Player], str]
    """Returns the answer that stands for an action."""
    extensions: tuple[tuple[str, str], ...] = ()
    """Options of the hello that only this version has."""
    has_bye: bool = True
    """Whether the server says when the last game is over; without that the client counts."""


def _write_01(action: Action, asked: told.QuestionAsked, player: Player) -> str:
    return write_action(action)


def _write_02(action: Action, asked: told.QuestionAsked, player: Player) -> str:
    return write_action_02(action, asked.tile, player.seen.hand.concealed)


UMP_01 = Version("0.1", "ok", _write_01, extensions=(("_offer", "1"),))
UMP_02 = Version("0.2", "yes", _write_02, has_bye=False)


class UmpConversation(Conversation):
    """UMP, in 0.1 with lists of legal actions where the server has them."""

    def __init__(self, player: Player, introduction: Introduction, version: Version = UMP_01) -> None:
        super().__init__(player, introduction)
        self._version = version
        self._reader = UmpReader(version.number)
        self._rule: str | None = None
        """The preset that the server names."""
        self._seat: Seat = 0
        self._last = player.games + introduction.games if introduction.games and not version.has_bye else None
        """The number of the player's games after the last one here; None: the server says which is the last."""

    def receive(self, message: str) -> list[str]:
        """Take one line."""
        answers: list[str] = []
        for event in self._reader.read(message):
            answers += self._take(event)
        return answers

    def _take(self, event: ClientEvent) -> list[str]:
        match event:
            case told.QuestionAsked():
                return [f"{event.id} {self._version.write(self._choose(event), event, self._player)}"]
            case told.ReadyAsked():
                return [f"{event.id} {self._version.ready}"]
            case told.HelloReceived():
                self._read_hello(dict(event.options))
                return [f"{event.id} {self._hello()}"]
            case told.SeatAssigned():
                if event.seat is None:
                    raise ValueError("the server gives us no seat")
                self._seat = event.seat
            case sentences01.Illegal():
                self._player.refuse(event.reason.value)
            case told.ByeReceived():
                self.is_over = True
                return [f"{event.id} {Bye.NAME}"]
            case sentences01.Error():
                raise ServerRefusal(event.message)
            case sentences01.SeatToken():
                self._player.seat_token = event.token
            case sentences01.Commitment() | sentences01.Secret() | sentences01.Seeds() | sentences01.Texts():
                if self._introduction.walls is not None:
                    self._introduction.walls.take(event)
            case told.SeedAsked():
                if self._introduction.walls is not None:
                    return [f"{event.id} {self._introduction.walls.reveal().serialise()}"]
            case sentences01.Notice(text):
                self._player.report(f"the server says: {text!r}")
            case sentences01.Waiting() | sentences01.Late() | sentences01.You() | sentences01.BotsSoon():
                pass
            case sentences01.FriendsTable() | sentences01.Members() | sentences01.Watching() | sentences01.Phrase():
                pass
            case sentences01.Away() | sentences01.Back() | sentences01.Profiles():
                pass
            case sentences01.Record() | told.HintReceived():
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
        if isinstance(event, GameEnded) and self._last is not None:
            self.is_over = self._player.games >= self._last

    def _choose(self, asked: told.QuestionAsked) -> Action:
        if not self._player.is_in_game:
            raise ValueError("a question before the start of the game")
        return self._player.choose(asked.phase, asked.tile, asked.offers)

    def _read_hello(self, options: dict[str, str]) -> None:
        self.is_greeted = True
        self._rule = options.get("_rule")
        if self._introduction.walls is not None and "_seed" not in options.get("_ext", "").split(","):
            self._player.report("this server does not let players add to the walls")

    def _hello(self) -> str:
        """Return the introduction, without the id."""
        introduction = self._introduction
        is_new = introduction.seat_token is None
        given = (
            ("ump", self._version.number),
            ("name", introduction.name if is_new else None),
            ("_games", str(introduction.games)),
            ("_explain", "1"),
            ("_resume", introduction.seat_token or "1"),
            ("_room", introduction.room if is_new else None),
            ("user", introduction.user),
            ("password", introduction.password),
            ("_seed", None if introduction.walls is None else introduction.walls.commitment),
            *self._version.extensions,
        )
        return ClientHello(tuple((option, text) for option, text in given if text is not None)).serialise()
