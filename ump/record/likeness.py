"""Likeness to our players: how often a seat chose what one of them would, beside how often people do.

Everybody can let one of our players play in their place. Given the same view, a player always chooses the same; people
agree with it in about half of their discards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import erfc, exp, log, sqrt
from typing import Any

from ump.model import actions
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.tiles import KIND_OF
from ump.model.value import value
from ump.players.evaluation import as_face
from ump.players.policy import POLICIES
from ump.record.decisions import Decision, decisions
from ump.record.recorded_game import RecordedGame
from ump.rules.analysis import shanten

PLAYERS = ("efficiency", "defensive", "hard", "expert")
"""The players with which seats are compared. The weaker levels discard much as ``hard``, styles much as ``expert``."""

LEAST_DISCARDS = 30
"""Fewer discards with a choice say nothing."""


@value
class Agreement:
    """The number of discards in which a seat chose as our players would, in one game."""

    seats: int
    """Those of the game."""
    discards: int
    """Its discards with a choice."""
    agreed: Mapping[str, int]
    """In how many of them each player would have done the same."""


def agreement_of(game: RecordedGame, seat: Seat) -> Agreement:
    """Compare the discards of a seat with those of our players; raises RecordError if the record hides hands."""
    players = {name: POLICIES[name]() for name in PLAYERS}
    discards, agreed = 0, dict.fromkeys(PLAYERS, 0)
    for decision in decisions(game, (seat,)):
        if not has_choice(decision):
            continue
        discards += 1
        done = as_face(decision.done)
        for name, player in players.items():
            choice = player.choose(decision.seen, decision.phase, decision.tile, decision.legal)
            if as_face(choice) == done:
                agreed[name] += 1
    return Agreement(len(game.names), discards, agreed)


def agreement_data(agreement: Agreement) -> dict[str, Any]:
    """Return an agreement for JSON."""
    return {"seats": agreement.seats, "discards": agreement.discards, "agreed": dict(agreement.agreed)}


def has_choice(decision: Decision) -> bool:
    """Tell whether discards of two kinds leave the hand equally near to tenpai, nearer than all others.

    Nobody chooses in riichi; and where one discard alone keeps the distance, people and programs mostly make it.
    """
    if decision.phase is not Phase.TURN or decision.seen.in_riichi[decision.seat]:
        return False
    if not isinstance(decision.done, actions.Discard | actions.Riichi):
        return False
    kinds = decision.seen.hand.kinds[:]
    left: dict[int, int] = {}
    for action in decision.legal:
        if isinstance(action, actions.Discard) and KIND_OF[action.face] not in left:
            kind = KIND_OF[action.face]
            kinds[kind] -= 1
            left[kind] = shanten(kinds)
            kinds[kind] += 1
    nearest = min(left.values(), default=0)
    return list(left.values()).count(nearest) > 1


# People


@value
class UsualShare:
    """The share of discards in which people choose what a player would: normal in its log odds."""

    mean: float
    deviation: float
    """That from game to game; chance adds more if there are few discards."""

    def share(self, deviations: float, discards: int) -> float:
        """Return the share that lies so many deviations above the mean, in so many discards."""
        return _share_of(self.mean + deviations * self._spread(discards))

    def tail(self, agreed: int, discards: int) -> float:
        """Return the probability that somebody among people agrees so often or more often."""
        odds = log((agreed + 0.5) / (discards - agreed + 0.5))
        return erfc((odds - self.mean) / self._spread(discards) / sqrt(2)) / 2

    def _spread(self, discards: int) -> float:
        share = _share_of(self.mean)
        return sqrt(self.deviation**2 + 1 / (discards * share * (1 - share)))


def _share_of(odds: float) -> float:
    """Return the share that has these log odds."""
    return 1 / (1 + exp(-odds))


PEOPLE: Mapping[int, Mapping[str, UsualShare]] = {
    4: {
        "efficiency": UsualShare(-0.076, 0.301),
        "defensive": UsualShare(-0.024, 0.298),
        "hard": UsualShare(-0.31, 0.204),
        "expert": UsualShare(0.092, 0.276),
    },
}
"""By seats of a game and by player, from games of strong people on Tenhou: ``scripts/likeness`` measures them."""

MOST_RARE = 100_000
"""Rarer than one in so many is nothing that our figures of people can tell."""

_Z95 = 1.96


@value
class Likeness:
    """The likeness of a seat in one game or several to the player that it is most like."""

    player: str
    agreed: int
    discards: int
    """The discards with a choice."""
    games: int
    usual: tuple[float, float]
    """The shares between which 95 % of people agree with that player."""
    one_in: int
    """One in so many among people is so like one of our players; at most ``MOST_RARE``."""


def likeness_of(games: Sequence[Agreement]) -> Likeness | None:
    """Return the likeness of somebody in games with equally many seats; None if they say nothing about people."""
    usual = PEOPLE.get(games[0].seats) if games else None
    discards = sum(game.discards for game in games)
    if usual is None or discards < LEAST_DISCARDS:
        return None
    agreed = {name: sum(game.agreed[name] for game in games) for name in PLAYERS}
    tails = {name: usual[name].tail(agreed[name], discards) for name in PLAYERS}
    nearest = min(PLAYERS, key=tails.__getitem__)
    rarity = 1 / max(tails[nearest] * len(PLAYERS), 1 / MOST_RARE)  # for each of them was tried
    low, high = (usual[nearest].share(deviations, discards) for deviations in (-_Z95, _Z95))
    return Likeness(nearest, agreed[nearest], discards, len(games), (low, high), max(1, round(rarity)))
