"""A hosted table whose seats have sessions, each with its own dialect, and no network."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random

from support.scenario import game_of

from ump.game.arranged_wall import build_wall
from ump.game.game import Game
from ump.model.actions import Action, Ankan, Daiminkan, Discard, Kakan, Pass, Riichi, Ron, Tsumo
from ump.model.claims import Claim
from ump.model.events import Event
from ump.model.hand import Hand
from ump.model.phases import Phase
from ump.model.seats import LETTERS, Seat
from ump.model.tiles import KIND_OF, Face
from ump.rules.analysis import shanten
from ump.rules.ruleset import Ruleset
from ump.table.clock import TimeControl
from ump.table.messages import Answer, Ask, Begin, Input, Lapse, Tell
from ump.table.receivers import SeatedClient
from ump.table.table import Table
from ump.table.table_host import TableHost
from ump.table.view import view
from ump.wire.session import Answered, Received, Session, TableInfo, Unreadable
from ump.wire.ump.answers import write_action_02
from ump.wire.ump.sentence import option_words
from ump.wire.ump.sentences01 import Hello
from ump.wire.ump.session import UmpSession

FORWARD = (Ron, Tsumo, Riichi, Ankan, Kakan, Daiminkan)
"""Actions that are rarely possible and should happen often."""

NOW = 1_000.0
"""The instant at which everything happens."""

MAX_ANSWERS = 20_000
"""Answers after which a game counts as endless."""


class FakeQuestion:
    """A question in the form that a session expects, with chosen legal actions."""

    def __init__(self, phase: Phase, tile: Face | None = None, legal: tuple[Action, ...] = ()) -> None:
        self.phase = phase
        self.tile = tile
        self.hand = Hand()
        self._legal = legal

    def legal(self) -> tuple[Action, ...]:
        """Every legal action."""
        return self._legal

    def check(self, action: Action) -> None:
        """Accept the action."""


def ump02(options: Mapping[str, str] | None = None) -> Session:
    """Return the session of a client that has said hello in 0.2."""
    session = UmpSession(Hello(()))
    session.greet()
    session.receive(" ".join(("0 hello ump=0.2", *option_words((options or {}).items()))).encode(), NOW)
    session.take()
    return session


class _Client:
    """A session at a seat, as the host sees it."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.lines: list[str] = []
        """Every line that the session has sent so far."""

    def send(self, messages: list[str]) -> None:
        """Keep messages."""
        self.lines += messages


class SessionTable:
    """A hosted table with one or more sessions at each seat; the first of them answers."""

    def __init__(self, game: Game, sessions: Sequence[Sequence[Session]], table: str = "main-1") -> None:
        """Seat the sessions, which have had their hello, by seat, and begin the game."""
        self.events: list[Event] = []
        self.open: dict[Seat, Ask] = {}
        self._clients = [[_Client(session) for session in at] for at in sessions]
        for seat, at in enumerate(sessions):
            for session in at:
                session.sit(seat, TableInfo(table, game.ruleset))
        receivers = [SeatedClient(client, seat) for seat, at in enumerate(self._clients) for client in at]
        self._host = TableHost(Table(game, TimeControl(10.0, 20.0)), receivers)
        self._take(Begin())

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return self._host.table.end is not None

    @property
    def lines(self) -> list[list[list[str]]]:
        """The lines of each session so far, by seat."""
        return [[client.lines for client in at] for at in self._clients]

    def say(self, seat: Seat, line: str) -> Received:
        """Let the client at a seat send a line, and pass its answer to the table."""
        received = self._clients[seat][0].session.receive(line.encode("ascii"), NOW)
        if isinstance(received, Answered):
            self.answer(seat, received.number, received.answer)
        elif isinstance(received, Unreadable):
            self.answer(seat, received.number, None)
        return received

    def answer(self, seat: Seat, number: int, answer: Claim | Action | None) -> None:
        """Answer the open question of a seat."""
        asked = self.open.pop(seat)
        assert asked.number == number
        self._take(Answer(seat, number, answer))

    def _take(self, given: Input) -> None:
        step = self._host.step(given, 0)
        for message in step.messages:
            match message:
                case Tell(event):
                    self.events.append(event)
                case Ask(seat):
                    self.open[seat] = message
                case Lapse(seat):
                    self.open.pop(seat, None)
        for client, messages in self._host.deliver(step, 0, NOW).sent:
            client.send(messages)

    def seen_by(self, seat: Seat) -> list[Event]:
        """Return all events as a seat may see them."""
        return [view(event, seat) for event in self.events]

    # Random answers

    def to_the_end(self, chance: Random, write: Callable[[Seat, Action, Ask], str]) -> None:
        """Play to the end with random answers; ``write`` returns the text of an action, without the id."""
        for _ in range(MAX_ANSWERS):
            if self.is_over:
                return
            seat, ask = chance.choice(list(self.open.items()))
            number = self.lines[seat][0][-1].split()[0]
            if ask.question is None:
                self.say(seat, f"{number} yes")
            else:
                action = _chosen(ask.question.legal(), ask.question.hand, chance)
                self.say(seat, f"{number} {write(seat, action, ask)}")
        raise AssertionError("the game does not end")


def _chosen(legal: tuple[Action, ...], hand: Hand, chance: Random) -> Action:
    """Choose an action at random, with a preference for rare actions and low shanten."""
    forward = [action for action in legal if isinstance(action, FORWARD)]
    discards = [action for action in legal if isinstance(action, Discard)]
    if forward and chance.random() < 0.9:
        return chance.choice(forward)
    if discards and chance.random() < 0.9:
        return min(discards, key=lambda discard: _distance(hand, discard))
    if Pass() in legal and chance.random() < 0.7:
        return Pass()
    return chance.choice(legal)


def _distance(hand: Hand, discard: Discard) -> int:
    kinds = hand.kinds[:]
    kinds[KIND_OF[discard.face]] -= 1
    return shanten(kinds)


class Ump02Kyoku:
    """A kyoku with known tiles that four clients play in UMP 0.2, by short orders; the test reads one seat's lines."""

    def __init__(
        self,
        hands: Mapping[str, str],
        draws: str = "",
        *,
        observer: str = "A",
        options: Mapping[str, str] | None = None,
        rules: Ruleset | None = None,
        rinshan: str = "",
        dora: str = "",
        ura: str = "",
    ) -> None:
        """Deal these tiles (see ``support.scenario.build_wall``), and answer ``ready?``."""
        game = game_of(rules or Ruleset(), build_wall(hands, draws, rinshan, dora, ura))
        self.session_table = SessionTable(game, [[ump02(options)] for _ in LETTERS])
        self._observer = LETTERS.index(observer)
        self._heard = 0
        self.ready()

    def __call__(self, *orders: str) -> Ump02Kyoku:
        """Carry out orders such as ``A sutehai 5m``, with the id of the seat's last question."""
        for order in orders:
            letter, _, answer = order.partition(" ")
            seat = LETTERS.index(letter)
            number = next(
                line.split()[0] for line in reversed(self.session_table.lines[seat][0]) if line.split()[1].endswith("?")
            )
            self.session_table.say(seat, f"{number} {answer}")
        return self

    def ready(self) -> Ump02Kyoku:
        """Answer every open ``ready?``."""
        for seat in [seat for seat, ask in self.session_table.open.items() if ask.question is None]:
            self(f"{LETTERS[seat]} yes")
        return self

    def defaults(self, *but: str) -> Ump02Kyoku:
        """Discard drawn tiles and pass, until one of the seats ``but`` is asked, or another kind of question comes."""
        while self.session_table.open:
            seat, ask = next(iter(self.session_table.open.items()))
            if ask.question is None or LETTERS[seat] in but:
                break
            if ask.question.phase is Phase.DECLARE:
                break
            self(f"{LETTERS[seat]} {'no' if ask.question.phase is not Phase.TURN else _goes(ask)}")
        return self

    def news(self) -> list[str]:
        """Return the lines to the observed seat since the last call, without ids."""
        lines = self.session_table.lines[self._observer][0]
        new, self._heard = lines[self._heard :], len(lines)
        return [line.split(" ", 1)[1] for line in new]


def _goes(ask: Ask) -> str:
    assert ask.question is not None
    action = ask.question.default()
    assert isinstance(action, Discard)
    return write_action_02(action)
