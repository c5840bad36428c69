"""Built-in bots: policies that complete a table if too few clients come."""

from __future__ import annotations

from collections.abc import Callable

from ump.model.actions import Action
from ump.model.claims import Claim, Verb
from ump.model.events import Event
from ump.model.seats import Seat
from ump.players.observation import Observation
from ump.players.policy import POLICIES, Policy
from ump.rules.ruleset import Ruleset
from ump.table.messages import Ask
from ump.table.opening import Opening


def replacements(opening: Opening) -> Callable[[Seat], BuiltinBot] | None:
    """Return the maker of the built-in bots that play on for players who do not come back, or None without them.

    Raises KeyError for an unknown kind of bot.
    """
    takeover = opening.settings.takeover
    if takeover is None:
        return None
    policy = POLICIES[takeover]
    return lambda seat: BuiltinBot(policy(), seat, opening.ruleset)


class BuiltinBot:
    """A bot at one seat of one game. Its policy decides from the events that this seat may see."""

    def __init__(self, policy: Policy, seat: Seat, ruleset: Ruleset) -> None:
        self._policy = policy
        self._seen = Observation(seat, ruleset)

    def see(self, event: Event) -> None:
        """Observe an event, as the seat may see it."""
        self._seen.see(event)

    def decide(self, ask: Ask) -> Claim | Action:
        """Answer a question of the game, or ``ready?``."""
        question = ask.question
        if question is None:
            return Claim(Verb.YES)
        return self._policy.choose(self._seen, question.phase, question.tile, question.legal())
