"""Verification of many records: one verdict for each, and what they come to together. Pure: bytes in, values out."""

from __future__ import annotations

from collections import Counter
from enum import Enum

from ump.model.value import value
from ump.record.mjlog.elements import read_elements
from ump.record.mjlog.game_reader import read_game, read_game_type
from ump.record.recorded_game import RecordError
from ump.record.replay import Replay, Replayed


class Outcome(Enum):
    """What became of a record."""

    EQUAL = "equal"
    """Everything that it says came out the same."""
    DIFFERENT = "different"
    THREE_PLAYERS = "three players"
    """A game of three, which is not played here: nothing of it was compared."""
    DAMAGED = "damaged"
    """It cannot be read."""


@value
class Verdict:
    """What came out of one record."""

    file: str
    outcome: Outcome
    replayed: Replayed | None = None
    """None where it was not played."""
    damage: str = ""
    """Why it cannot be read, in one line."""


def verify(file: str, data: bytes) -> Verdict:
    """Read a record and play it again; ``file`` is what it is called in the verdict."""
    try:
        elements = read_elements(data)
        if read_game_type(elements).three_players:
            return Verdict(file, Outcome.THREE_PLAYERS)
        replayed = Replay(read_game(elements)).run()
    except RecordError as error:
        return Verdict(file, Outcome.DAMAGED, damage=str(error))
    return Verdict(file, Outcome.DIFFERENT if replayed.mismatches else Outcome.EQUAL, replayed)


class Totals:
    """What many verdicts come to."""

    def __init__(self) -> None:
        self.outcomes: Counter[Outcome] = Counter()
        self.events: Counter[str] = Counter()
        self.kyoku = 0
        self.from_seed = 0
        self.left_out = 0
        self.incomplete = 0
        self.findings: list[Verdict] = []
        """The verdicts that have something to tell: damage, mismatches, notes."""

    def add(self, verdict: Verdict) -> None:
        """Count one verdict in."""
        self.outcomes[verdict.outcome] += 1
        replayed = verdict.replayed
        if replayed is not None:
            self.events += replayed.events
            self.kyoku += replayed.kyoku
            self.from_seed += replayed.from_seed
            self.left_out += replayed.left_out
            self.incomplete += replayed.incomplete
        if verdict.damage or (replayed is not None and (replayed.mismatches or replayed.notes)):
            self.findings.append(verdict)

    @property
    def files(self) -> int:
        """How many records there were."""
        return self.outcomes.total()

    @property
    def games(self) -> int:
        """How many were played."""
        return self.outcomes[Outcome.EQUAL] + self.outcomes[Outcome.DIFFERENT]

    @property
    def faultless(self) -> bool:
        """Whether every record could be read and none differs."""
        return not (self.outcomes[Outcome.DIFFERENT] or self.outcomes[Outcome.DAMAGED])
