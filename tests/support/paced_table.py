"""A hosted table at which one client takes its time, and what the others can measure of it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from random import Random

from support.hosted_table import HostedTable, PolicySeat, SessionSeat
from support.swapped_tiles import DialectUnderTest

from ump.game.deals import seeded_deals
from ump.game.game import Game
from ump.model.events import Event, HandWon, TileCalled, TileDiscarded
from ump.model.phases import Phase
from ump.model.seats import LETTERS
from ump.model.value import value
from ump.players.policy import Tsumogiri
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Length
from ump.table.clock import TimeControl
from ump.table.messages import Ask, Tell
from ump.table.table import Step
from ump.wire.session import Session

Pacing = Callable[[Random, bool], int]
"""Draws the milliseconds of an answer; the flag says whether the client has a choice."""


def thoughtful(chance: Random, has_choice: bool) -> int:
    """Think for the same time about every question, whether there is a choice or not."""
    return round(chance.lognormvariate(6.5, 0.7))


def hasty(chance: Random, has_choice: bool) -> int:
    """Think where there is a choice; answer at once where there is none."""
    return thoughtful(chance, has_choice) if has_choice else chance.randrange(3)


class Sober(Random):
    """A source of chance with which the clients of ``support.dialect_clients`` never err and never call."""

    def random(self) -> float:
        """Return the number at which nothing rare happens."""
        return 1.0 - 2.0**-53


@value
class Pause:
    """The time between a discard and the next event, as all players see it."""

    had_choice: bool
    """The secret that an observer would like to know: whether the client could have called or won, and passed."""
    length: int
    """Milliseconds."""


class PacedSeat(SessionSeat):
    """A client that takes its time for each answer."""

    def __init__(self, session: Session, dialect: DialectUnderTest, seed: str) -> None:
        super().__init__(session, dialect.client(Sober(seed)))
        self.later: deque[tuple[int, bytes]] = deque()
        """Replies on their way, with the instants at which they arrive."""
        self.arrival: Callable[[], int] | None = None
        """Returns the instant at which a reply that is written now arrives."""

    def send(self, messages: list[str]) -> None:
        """Deliver messages, and send the replies on their way."""
        super().send(messages)
        if self.arrival is not None:
            while self.inbox:
                last = self.later[-1][0] if self.later else 0
                self.later.append((max(last, self.arrival()), self.inbox.popleft()[1]))


class PacedTable(HostedTable):
    """One client at seat 0, and three built-in bots that answer at once."""

    def __init__(self, dialect: DialectUnderTest, seed: str, pacing: Pacing, *, holds: bool = True) -> None:
        ruleset = replace(PRESETS["ump"], length=Length.TONPU)
        self.client = PacedSeat(dialect.session(), dialect, seed)
        self.pauses: list[Pause] = []
        """The pauses after the discards of the others that the client has neither called nor won on."""
        self._pacing = pacing
        self._chance = Random(f"{seed}/pace")
        self._has_choice = False
        """Whether the client has a choice in its last question."""
        self._is_asked = False
        """Whether that question concerns a tile or the client's own turn."""
        self._discarded: int | None = None
        """The instant of the last discard, until the next event."""
        super().__init__(
            Game(ruleset, LETTERS, seeded_deals(seed), ask_all=True),
            [self.client, *(PolicySeat(Tsumogiri()) for _ in range(3))],
            TimeControl(10.0, 60.0),
            pass_secret=seed if holds else None,
        )
        self.begin([each.decode() for each in self.client.client.begin()])  # type: ignore[attr-defined]
        self.client.arrival = self._arrival

    def _arrival(self) -> int:
        """Return when an answer arrives; other replies take no time."""
        if not self._is_asked:
            return self.now
        self._is_asked = False
        return self.now + self._pacing(self._chance, self._has_choice)

    def step(self) -> bool:
        """Let the next reply arrive, or time pass until then."""
        later = self.client.later
        if later and later[0][0] <= self.now:
            self._inbox.append((self.client, later.popleft()[1]))
        if later and not self._inbox:
            dues = [each for each in (self._host.due(self.now), self._session_due()) if each is not None]
            if not dues or later[0][0] < min(dues):
                self.now = max(self.now, later[0][0])
                return True
        return super().step()

    def _session_due(self) -> int | None:
        due = self.client.session.due()
        return None if due is None else round(max(self.now, due * 1_000))

    def note(self, step: Step) -> None:
        """Note the questions to the client, and the pauses."""
        for message in step.messages:
            match message:
                case Tell(event):
                    self._measure(event)
                case Ask(0, _, question) if question is not None and question.phase is not Phase.DECLARE:
                    self._is_asked, self._has_choice = True, len(question.legal()) > 1

    def _measure(self, event: Event) -> None:
        if self._discarded is not None and not isinstance(event, HandWon | TileCalled):
            self.pauses.append(Pause(self._has_choice, self.now - self._discarded))
        self._discarded = self.now if isinstance(event, TileDiscarded) and event.seat else None
