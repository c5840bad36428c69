"""House players: the server's own, who complete a table where nobody else comes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ump.model.actions import Action
from ump.model.claims import Claim, Verb
from ump.model.events import Event
from ump.model.seats import Seat
from ump.model.value import value
from ump.net.bot_commands import Command
from ump.net.config import BotSeats
from ump.players.observation import Observation
from ump.players.policy import POLICIES
from ump.rules.ruleset import Ruleset
from ump.table.messages import Ask


@value
class Filler:
    """A house player that is to have a seat."""

    kind: str
    name: str
    command: Command | None = None
    """What starts it, if it is a bot of its own."""


def fillers(house: tuple[BotSeats, ...], places: int = 0) -> Iterator[Filler]:
    """Yield who may complete a table: each kind as often as the room allows, in its order.

    ``places``: how many bots may be started now; beyond that they are passed over.
    """
    numbers: Counter[str] = Counter()
    for seats in house:
        most = seats.most if seats.command is None else min(seats.most, places)
        places -= 0 if seats.command is None else most
        for _ in range(most):
            numbers[seats.kind] += 1
            yield Filler(seats.kind, f"{seats.kind}-{numbers[seats.kind]}", seats.command)


class HousePlayer:
    """One seat of one game that decides by a policy, from nothing but what this seat was told."""

    def __init__(self, filler: Filler, seat: Seat, ruleset: Ruleset) -> None:
        self._policy = POLICIES[filler.kind]()
        self._seen = Observation(seat, ruleset)

    def see(self, event: Event) -> None:
        """Take in an event, as the seat may see it."""
        self._seen.see(event)

    def decide(self, ask: Ask) -> Claim | Action:
        """Answer a question of the game, or ``ready?``."""
        question = ask.question
        if question is None:
            return Claim(Verb.YES)
        return self._policy.choose(self._seen, question.phase, question.tile, question.legal())
