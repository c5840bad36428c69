"""Sessions: the server's side of one connection in some dialect, without input or output.

A session turns each message of the client into one of the values of ``Received``. It turns events and questions of the
table into messages to the client, and keeps these until ``take`` returns them. ``tick`` does what a dialect does after
some time, for example when a reply is overdue.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from enum import Enum
from typing import Protocol, TypeAlias

from ump.model.actions import Action
from ump.model.claims import Claim, Reason
from ump.model.commitments import DuplicateGame, PlayerSeed
from ump.model.events import Event
from ump.model.hand import Hand
from ump.model.phases import Phase
from ump.model.seats import PLAYERS, Seat
from ump.model.tiles import Face
from ump.model.value import value
from ump.players.hints import HintScope
from ump.rules.ruleset import Ruleset
from ump.wire.connection_state import HELLO, TRANSITIONS, ConnectionState, ConnectionStep

Render: TypeAlias = Callable[[Event, Seat | None], tuple[str, ...]]
"""Turns an event, as a seat may see it, into messages. Only those of ``GameStarted`` may depend on the seat itself."""


class Staleness(Enum):
    """The reason why a message of the client was dropped."""

    EMPTY = "empty"
    CLOSING = "closing"
    NO_QUESTION = "no question is open"
    OTHER_ID = "another id"
    OTHER_QUESTION = "an answer to another kind of question"
    LATE = "late: a question has just timed out"
    TIMED_OUT = "late: the time for this question has run out"
    DECIDED = "other players' answers have decided"
    UNREADABLE = "unreadable, and no question is open"
    EXPLAINED = "answered in words: a command, or no legal answer"


MAX_GAMES = 10_000
"""The largest number of games that a client may ask for; 0 means without limit."""

LATE_SECONDS = 1.0
"""Seconds after a timeout in which an answer without an id counts as a late one to the question that timed out."""


@value
class SeatWish:
    """The seat that a client wants which may hold some already."""

    table: str | None = None
    """The game whose seat it wants; None: any that it holds."""
    is_new: bool = False
    """Whether it wants to play one more game beside those in which it holds seats."""
    yields: bool = False
    """Whether it leaves a seat to another tab of the same browser that holds it."""


@value
class TableWish:
    """A table among friends, which a client makes or comes to."""

    code: str | None = None
    """Its code; None: the client makes a new one, with the other settings."""
    rules: str | None = None
    """A preset; None: that of the room that the client names."""
    length: str | None = None
    clock: str | None = None
    """Seconds of a move and of the bank, as in ``5+10``."""
    has_bots: bool = True
    """Whether built-in bots take free seats."""
    bots: str | None = None
    """The policy of these bots; None: the usual one."""
    has_spectators: bool = True
    is_watching: bool = False
    """Whether the client watches, without a seat."""


@value
class Introduction:
    """The introduction of a client: its name, and the room in which it wants to play or watch."""

    name: str | None = None
    """None: the server chooses a name."""
    user: str | None = None
    password: str | None = None
    """User and password as the client sent them; they are checked if the server knows users."""
    room: str | None = None
    """The room to sit in; None: the server's first."""
    games: int = 1
    """The number of games to stay for; 0: until the client leaves."""
    watch: str | None = None
    """The room to watch instead of playing."""
    token: str | None = None
    """The token of the seat to come back to, instead of playing a new game."""
    seat: SeatWish = SeatWish()
    """The seat that it wants, if it is known by something else than a token."""
    table: TableWish | None = None
    """The table among friends that it makes or comes to, instead of playing in a room."""


@value
class Introduced:
    """The client has introduced itself."""

    introduction: Introduction


@value
class Switched:
    """The client turned out to speak another dialect: ``session`` replaces this session, and has taken the message.

    ``received`` is what the message meant to the new session.
    """

    session: Session
    received: Received


@value
class Note:
    """A bot's own remarks on its answer, for those who study the record. No player receives them."""

    log: str | None
    """Text, as the bot wrote it."""
    meta: str | None
    """A JSON object, such as the values of all actions."""


@value
class Answered:
    """An answer to the open question; ``number`` is the table's number of it."""

    number: int
    answer: Claim | Action
    note: Note | None = None
    flaw: Reason | None = None
    """Why the session answers with another action than the client named; None if it passes on the client's answer."""
    is_automatic: bool = False
    """Whether the session answers by itself, because the client has left that to it or the dialect has no question."""


@value
class Unreadable:
    """An unreadable answer to the open question."""

    number: int
    flaw: str = field(default="", compare=False)
    """The fault in it, for its author; empty if only its reading as a whole failed."""


@value
class InStep:
    """A reply that was due but decides nothing: some dialects expect one to every message."""

    why: Staleness | None = None
    """The reason why it decides nothing, if the client may have meant it to."""


IN_STEP = InStep()
"""The one without a reason: in lock-step nearly every message is one."""


@value
class Stale:
    """A message that answers no question and is dropped."""

    why: Staleness


@value
class Pinged:
    """The client asks whether the server is there, and the session has answered."""


@value
class Farewell:
    """The client leaves."""


PHRASES = (
    "Hello!",
    "Good luck!",
    "Nice hand!",
    "Well played!",
    "Thank you!",
    "Sorry!",
    "Oops!",
    "Wow!",
    "That was close!",
    "One moment, please.",
    "Good game!",
    "See you!",
)
"""All that players may say to each other; they are numbered from 1 on."""


class ReportReason(Enum):
    """The reasons for which a user may report a player."""

    PROGRAM = "program"
    """A person plays as a program says, or a program as a person."""
    COLLUSION = "collusion"
    """Players help each other."""
    SABOTAGE = "sabotage"
    """The player loses on purpose, or holds up the others."""
    NAME = "name"
    """The name is an insult, or that of somebody else."""


REPORT_REASONS = {reason.value: reason for reason in ReportReason}
"""The reasons by their words."""


class Order(Enum):
    """An order that a player gives at a table among friends, or in a game: a phrase, or a report of a player."""

    READY = "ready"
    START = "start"
    AGAIN = "again"
    KICK = "kick"
    CANCEL = "cancel"
    SAY = "say"
    REPORT = "report"


@value
class Ordered:
    """The client gives an order to its table."""

    order: Order
    name: str = ""
    """The player whom ``KICK`` is about."""
    phrase: int = 0
    """The number of the phrase that ``SAY`` is about, from 1 on."""
    seat: Seat = 0
    """The seat of the player whom ``REPORT`` is about."""
    reason: ReportReason | None = None
    """The reason of ``REPORT``."""


@value
class Violated:
    """The client broke the protocol, which ends the connection; the message is sent to it."""

    message: str


UNKNOWN_TOKEN = "unknown token; the game is over, or it was never given out"
"""The message to a player who comes back with a token that leads to no seat."""

GUEST = "guest "
"""The beginning of a return key that is the secret of a guest's browser."""

IN_ANOTHER_TAB = "your game goes on in another tab"
"""The message to a tab that yields its seat."""

REPLACED = "replaced by a newer connection"
"""The beginning of what a connection hears whose player has connected again."""


class ServerRefusal(Exception):
    """The server refuses the client or ends the connection with an error; the text is the server's."""

    @property
    def is_about_token(self) -> bool:
        """Whether the server has no seat for the token of a client that comes back."""
        return str(self) == UNKNOWN_TOKEN

    @property
    def is_final(self) -> bool:
        """Whether another program plays on in place of this one, so that coming back would only push it away."""
        return str(self).startswith(REPLACED)


class Interruption(Enum):
    """The fate of an unfinished game after the server stops, in words for the player."""

    RETURNS = "the server is stopping; your game goes on when it starts again, and your token takes you back to it"
    GOES_ON = "the server is stopping; your game goes on without you when it starts again"
    ENDS = "the server is stopping, and your game ends without a result"


Received: TypeAlias = (
    Introduced | Switched | Answered | Unreadable | InStep | Stale | Pinged | Farewell | Ordered | Violated
)


# Tables among friends


class MemberState(Enum):
    """The state of a player of a table among friends."""

    HOST = "host"
    READY = "ready"
    HERE = "here"
    AWAY = "away"


@value
class Member:
    """A player of a table among friends."""

    name: str
    state: MemberState


@value
class Profile:
    """The facts about a player of a game, beside the name."""

    is_bot: bool
    """Whether it is a bot of the server or of a user; False: a person, or a program that has not said so."""
    rating: int | None = None
    """The rating in the room of the game, in Elo points; None: there is none."""
    is_provisional: bool = False
    """Whether the rating is of too few games to say much."""
    margin: int | None = None
    """Half of the 95 % interval of a provisional rating, in Elo points; None: it is not told."""


@value
class TableCard:
    """The facts about a table among friends that its players are told."""

    code: str
    rules: str
    length: str
    clock: str
    has_bots: bool
    has_spectators: bool
    seats: int
    bots: str = ""
    """The policy of the bots that take free seats, if it is not the usual one."""


class QuestionView(Protocol):
    """A question of the game, as far as a session needs it."""

    @property
    def phase(self) -> Phase:
        """The kind of question."""

    @property
    def tile(self) -> Face | None:
        """On a turn the drawn tile (None after a call); otherwise the tile in question, or None."""

    @property
    def hand(self) -> Hand:
        """The own hand of the player who is asked."""

    def legal(self) -> tuple[Action, ...]:
        """Return every legal action."""

    def check(self, action: Action) -> None:
        """Raise IllegalAction with the reason unless the action is legal now."""


class OutgoingEvent(Protocol):
    """An event on its way to its receivers."""

    def seen_by(self, seat: Seat | None) -> Event:
        """Return the event as this seat may see it, or a spectator (None)."""

    def rendered(self, render: Render, seat: Seat | None) -> tuple[str, ...]:
        """Return the messages of the event for this seat; they are rendered once for all who see the event alike."""


class OutgoingEvents(Protocol):
    """Several events on their way to spectators."""

    def __iter__(self) -> Iterator[OutgoingEvent]:
        """Iterate over the events."""

    def numbered(self, render: Render, first: int) -> list[str]:
        """Return the messages of all events for spectators, each after its number, from ``first`` on.

        They are made once for all who count alike. Do not change the list.
        """


@value
class TableInfo:
    """The facts about a table that a player receives when it sits down."""

    table: str
    """The name of the game; no other game of this server has it."""
    ruleset: Ruleset
    token: str | None = None
    """The token with which the player can come back to this seat; None if it cannot, or has used it already."""
    commitment: str | None = None
    """The commitment to the secret of the walls (``ump.game.deals``)."""
    is_return: bool = False
    """Whether the player comes back to its seat: it receives all events so far, then ``caught_up`` is called."""
    hints: HintScope = HintScope.FACTS
    """The help that the table gives to those who want it."""
    seeds: tuple[PlayerSeed | None, ...] = ()
    """The texts that the players add to the walls, by seat; empty if nobody does."""
    duplicate: DuplicateGame | None = None
    """Its place among the games with these walls; None: no other game has them."""
    record: str | None = None
    """The name under which its record can be read when the game is over; None: it is not recorded."""
    name: str | None = None
    """The name under which the player has its seat; None: the one that it has told."""


class Session(ABC):
    """One connection as the server sees it, in one dialect."""

    __slots__ = ("_out", "state")

    MAX_MESSAGE: int
    """Maximum length of a client's message, in bytes."""

    DIALECT: str
    """The name of the dialect in records."""

    PLAYERS: tuple[int, ...] = PLAYERS
    """The numbers of players for which the dialect has words."""

    LINGER: float = 0.0
    """Seconds to wait for the client's own farewell after the server has sent one."""

    TELLS_WHOLE_GAME: bool = False
    """Whether a returning client receives the whole game, rather than its start and the current kyoku."""

    KEEPS_TIME: bool = False
    """Whether ``due`` can return an instant."""

    OWES_FAREWELL: bool = False
    """Whether the protocol has a farewell with which a client answers the server's."""

    RETRIES: int = 0
    """The number of times a question is asked again after an answer is not accepted; 0 if questions have no numbers."""

    @property
    def question_id(self) -> int | None:
        """The id under which the client knows its last question; None if the dialect has no ids."""
        return None

    @property
    def is_person(self) -> bool:
        """Whether a person sits at the other end, who can only follow bots that take some time to think."""
        return False

    @property
    def wants_token(self) -> bool:
        """Whether the client wants to be able to come back to its seat after a lost connection."""
        return False

    @property
    def return_key(self) -> str | None:
        """A secret of the client's own by which it is known when it comes back to its seat; None if it has none."""
        return None

    @property
    def tab(self) -> str | None:
        """The name of the tab of a browser in which the client is; None if it has told none."""
        return None

    def __init__(self) -> None:
        self._out: list[str] = []
        """Messages to send, without line ends or frames. They are ASCII, except in dialects of people (UTF-8)."""
        self.state: ConnectionState = HELLO

    def _step(self, step: ConnectionStep) -> None:
        """Change the state; raises KeyError if the step is illegal."""
        self.state = TRANSITIONS[self.state][step]

    def take(self) -> list[str]:
        """Return the messages to send now, and forget them."""
        out = self._out
        if out:
            self._out = []
        return out

    @property
    def seed(self) -> PlayerSeed | None:
        """The client's part in the walls of its next game; None if it adds nothing, or has sent no commitment.

        Its text is None until the client reveals it: ``ask_seed`` asks for that.
        """
        return None

    # Messages from the client

    @abstractmethod
    def receive(self, message: bytes, now: float) -> Received:
        """Take one message, without its line end or frame. Any message gives a value of ``Received``; none raises.

        ``now`` is the time in seconds, by the same clock in all methods.
        """

    def exceeded(self) -> Received:
        """Return what a message means that was too long, and was not read."""
        return Violated("line too long")

    def due(self) -> float | None:
        """Return when to call ``tick`` next, in clock seconds; a time in the past means soon, None never.

        Nobody asks unless the dialect ``KEEPS_TIME``.
        """
        return None

    def tick(self, now: float) -> Received | None:
        """Do what is due; treat the result as if ``receive`` had returned it."""
        return None

    # Messages to the client

    @abstractmethod
    def greet(self) -> None:
        """Send the first message, if the server sends it."""

    @abstractmethod
    def tell(self, event: OutgoingEvent, now: float) -> None:
        """Send an event."""

    def tell_spectator(self, events: OutgoingEvents, now: float) -> None:
        """Send events to a client without a seat."""
        for event in events:
            self.tell(event, now)

    @abstractmethod
    def ask(
        self, number: int, question: QuestionView | None, move: float, bank: float, now: float, *, is_last: bool = False
    ) -> None:
        """Ask a question of the game, or whether the client is ready (None); ``number`` is the table's number of it.

        ``move`` and ``bank`` are the seconds left for this move and in the bank. ``is_last``: the end of the game
        follows.
        """

    @abstractmethod
    def lapse(self, number: int, now: float, *, by_time: bool) -> None:
        """Close a question: its time has run out (``by_time``), or other players' answers have decided."""

    @abstractmethod
    def refuse(self, number: int, reason: Reason, now: float) -> None:
        """Close a question whose answer was refused, and send the reason if the client asked for reasons."""

    def explain_timeout(self, number: int, left: int) -> None:
        """Tell the client that its time ran out, if it asked for reasons; ``lapse`` is called next.

        ``left``: how many more timeouts in a row let the table stop waiting for the seat; 0: it does not wait any more,
        until the client sends something.
        """
        return

    def wait(self, seated: int, needed: int) -> None:
        """Send how many players sit in the room, if the client asked for that."""
        return

    def show_card(self, card: TableCard) -> None:
        """Send the facts about the table among friends to which the client has come."""
        return

    def list_members(self, members: Sequence[Member | None]) -> None:
        """Send who has come to the table among friends, one for each seat; None: the seat is free."""
        return

    def count_down(self, seconds: int) -> None:
        """Send in how many seconds built-in bots take the free seats, and the game begins."""
        return

    def tell_profiles(self, profiles: Sequence[Profile]) -> None:
        """Tell a person, before a game, what the server knows about its players, by seat; empty: nothing."""
        return

    def tell_presence(self, seat: Seat, name: str, *, is_here: bool) -> None:
        """Tell a person that another player of the game has gone, or is back."""
        return

    def tell_spectators(self, number: int) -> None:
        """Tell a person how many spectators the game has."""
        return

    def pass_on(self, seat: Seat, name: str, phrase: int) -> None:
        """Tell a person which of ``PHRASES`` a player says."""
        return

    def announce(self, text: str) -> bool:
        """Send what the operator tells everybody; return False if the dialect or this client has no place for it.

        ``text``: one line of at most ``MAX_ANNOUNCEMENT`` visible characters.
        """
        return False

    def ask_seed(self, commitment: str, commitments: tuple[str | None, ...]) -> None:
        """Send the server's commitment to the walls of the next game and those of its players, by seat.

        Ask the client to reveal the text of its own; only those with a ``seed`` are asked. The reply is ``InStep``.
        """
        return

    @abstractmethod
    def bye(self) -> None:
        """Send a farewell, if the dialect has one."""

    def interrupt(self, outlook: Interruption) -> None:
        """Send a farewell during a game, because the server stops; where the dialect can, say what becomes of it."""
        self.bye()

    @abstractmethod
    def error(self, message: str) -> None:
        """Send an error message; the connection is closed next, and further messages are ignored."""

    # The seat

    @abstractmethod
    def sit(self, seat: Seat, table: TableInfo) -> None:
        """Enter a game at this seat."""

    @abstractmethod
    def stand(self) -> None:
        """Leave the seat after a game, and wait for the next one."""

    def admit(self, name: str | None) -> None:  # noqa: B027
        """Tell a client that a room lets it in under this name; None: it has asked for none, and the server chooses."""

    def begin_again(self, why: str | None = None) -> bool:
        """Ask the client to introduce itself again, after its last game or because of ``why``, part of a sentence.

        Return False if the dialect has no words for that; then the connection ends.
        """
        return False

    def caught_up(self) -> None:
        """Note that a returning player has been told everything up to now; all further events are new.

        Called while ``is_behind`` is false. If the player has an open question, ``ask`` follows at once.
        """
        return

    @property
    def is_behind(self) -> bool:
        """Whether a returning client has not read yet what it was told again, so that it cannot be asked yet."""
        return False

    def watch(self) -> None:
        """Start to watch a room. Only dialects whose introduction can ask for that implement it."""
        raise NotImplementedError

    def publish(self, secret: str) -> None:
        """Send the secret of the walls after a game, if the client asked for proof."""
        return

    @abstractmethod
    def close(self) -> None:
        """Ignore all further messages; the connection is closing."""


class PersonSession(Session):
    """A session for a person, who may have typed a line before the session began."""

    __slots__ = ()

    @property
    def is_person(self) -> bool:
        return True

    @abstractmethod
    def expect_password(self, introduction: Introduction) -> None:
        """Take the next line for the password of the user who has introduced itself so; ``begin_again`` follows."""

    @abstractmethod
    def receive_first(self, line: bytes, now: float) -> Received:
        """Take the line with which a client turned out to be a person."""
