"""A table at which sessions sit: each hears what its seat is told in its own dialect, and answers in its own words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random

from support.scenario import game_of, laid

from ump.game.game import Game
from ump.host.inputs import Answer, Begin, Input
from ump.host.receivers import SeatedClient
from ump.host.table_host import TableHost
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
from ump.table.messages import Ask, Lapse, Tell
from ump.table.table import Table
from ump.table.view import view
from ump.wire.session import Answered, Introduction, Received, Session, TableInfo, Unreadable
from ump.wire.ump02.answers import write_action
from ump.wire.ump02.session import take_over

FORWARD = (Ron, Tsumo, Riichi, Ankan, Kakan, Daiminkan)
"""Actions that are rarely possible and should happen often."""

NOW = 1_000.0
"""The instant at which everything happens."""

MAX_ANSWERS = 20_000
"""Answers after which a game will not end any more."""


class FakeQuestion:
    """A question as a session sees it."""

    def __init__(self, phase: Phase, tile: Face | None = None, legal: tuple[Action, ...] = ()) -> None:
        self.phase = phase
        self.tile = tile
        self.hand = Hand()
        self._legal = legal

    def legal(self) -> tuple[Action, ...]:
        """Every legal action."""
        return self._legal


def ump02(options: Mapping[str, str] | None = None) -> Session:
    """Return the session of a client that has said hello in 0.2."""
    return take_over(Introduction(), options or {})


class _Client:
    """A session at a seat, as the host sees it."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.lines: list[str] = []
        """What the session has said to its client so far."""

    def send(self, messages: list[str]) -> None:
        """Keep messages."""
        self.lines += messages


class SessionTable:
    """A hosted table of sessions: one or more at each seat, of which the first one answers."""

    def __init__(self, game: Game, sessions: Sequence[Sequence[Session]], table: str = "main-1") -> None:
        """Sit down and begin; the sessions are those of each seat, past the hello."""
        self.told: list[Event] = []
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
        """What each session has said so far, by seat."""
        return [[client.lines for client in at] for at in self._clients]

    def say(self, seat: Seat, line: str) -> Received:
        """Let the client at a seat send a line, and the table take what comes of it."""
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
        step = self._host.step(given, NOW)
        for message in step.messages:
            match message:
                case Tell(event):
                    self.told.append(event)
                case Ask(seat):
                    self.open[seat] = message
                case Lapse(seat):
                    self.open.pop(seat, None)
        for client, messages in self._host.deliver(step, NOW).sent:
            client.send(messages)

    def seen_by(self, seat: Seat) -> list[Event]:
        """Return what happened as a seat may see it."""
        return [view(event, seat) for event in self.told]

    # People who answer what they like

    def to_the_end(self, chance: Random, write: Callable[[Seat, Action, Ask], str]) -> None:
        """Play on by chance to the end of the game; ``write`` makes an answer of an action, without the id."""
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
    """Choose what brings the hand forward, and often what is seldom possible."""
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
    """One kyoku with known tiles that everybody plays in 0.2, by short orders; one of them is listened to."""

    def __init__(
        self,
        hands: Mapping[str, str],
        draws: str = "",
        *,
        hearer: str = "A",
        options: Mapping[str, str] | None = None,
        rules: Ruleset | None = None,
        rinshan: str = "",
        dora: str = "",
        ura: str = "",
    ) -> None:
        """Deal (see ``support.scenario.laid``) and let all be ready."""
        game = game_of(rules or Ruleset(), laid(hands, draws, rinshan, dora, ura))
        self.session_table = SessionTable(game, [[ump02(options)] for _ in LETTERS])
        self._hearer = LETTERS.index(hearer)
        self._heard = 0
        self.ready()

    def __call__(self, *orders: str) -> Ump02Kyoku:
        """Let clients say something, as in ``A sutehai 5m``, with the id of what they were asked."""
        for order in orders:
            letter, _, answer = order.partition(" ")
            seat = LETTERS.index(letter)
            number = next(
                line.split()[0] for line in reversed(self.session_table.lines[seat][0]) if line.split()[1].endswith("?")
            )
            self.session_table.say(seat, f"{number} {answer}")
        return self

    def ready(self) -> Ump02Kyoku:
        """Let everybody be ready who is asked."""
        for seat in [seat for seat, ask in self.session_table.open.items() if ask.question is None]:
            self(f"{LETTERS[seat]} yes")
        return self

    def defaults(self, *but: str) -> Ump02Kyoku:
        """Let each who is asked discard what was drawn, or pass, until one of these is asked or nobody is."""
        while self.session_table.open:
            seat, ask = next(iter(self.session_table.open.items()))
            if ask.question is None or LETTERS[seat] in but:
                break
            if ask.question.phase is Phase.DECLARE:
                break
            self(f"{LETTERS[seat]} {'no' if ask.question.phase is not Phase.TURN else _goes(ask)}")
        return self

    def news(self) -> list[str]:
        """Return what has been said to the one who is listened to since the last time, without ids."""
        lines = self.session_table.lines[self._hearer][0]
        new, self._heard = lines[self._heard :], len(lines)
        return [line.split(" ", 1)[1] for line in new]


def _goes(ask: Ask) -> str:
    assert ask.question is not None
    action = ask.question.default()
    assert isinstance(action, Discard)
    return write_action(action)
