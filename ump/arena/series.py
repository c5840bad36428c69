"""A game between policies without table, network or clock: as fast as they think."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ump.game.deals import Deals
from ump.game.game import Game
from ump.model.events import Event
from ump.players.observation import Observation
from ump.players.policy import Policy
from ump.rules.ruleset import Ruleset
from ump.table.view import view


def play_game(policies: Sequence[Policy], ruleset: Ruleset, deals: Deals) -> Iterator[Event]:
    """Play one game, the policies by seat, and yield its events, hidden tiles included.

    Each policy decides from what its own seat may see. Raises IllegalAction where one answers what it was not offered.
    """
    game = Game(ruleset, [f"player-{seat + 1}" for seat in range(ruleset.seats)], deals)
    seen = [Observation(seat, ruleset) for seat in range(ruleset.seats)]
    events = game.begin()
    while True:
        for event in events:
            for observation in seen:
                observation.see(view(event, observation.seat))
            yield event
        if game.over:
            return
        if game.between_kyoku:
            events = game.proceed()
        else:
            seat, question = next(iter(game.questions.items()))
            action = policies[seat].choose(seen[seat], question.phase, question.tile, question.legal())
            events = game.answer(seat, action)
